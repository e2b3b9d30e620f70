//! The layers of the configuration: each value with where it comes from, and every mistake at once.

use super::key::{Key, Kind};
use super::keys::keys;
use super::{Config, example};
use crate::failure::{Failure, Reason};
use crate::nearest::nearest;
use std::fmt;
use std::path::{Path, PathBuf};
use toml::{Table, Value};

/// Variables with our prefix that are no settings; one that ends in `_` stands for all that begin with it.
const NOT_SETTINGS: [&str; 6] =
    ["ASSAY_CONFIG", "ASSAY_KEY", "ASSAY_TEST_", "ASSAY_CRASH_", "ASSAY_BAR_", "ASSAY_CI_"];

const FILE: &str = "assay.toml";

/// Where a value comes from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Origin {
    Default,
    File,
    Environment(String),
}

impl fmt::Display for Origin {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Default => out.write_str("default"),
            Self::File => out.write_str("file"),
            Self::Environment(variable) => write!(out, "env {variable}"),
        }
    }
}

/// One value as it was given, and by whom.
#[derive(Debug, Clone)]
pub struct Given {
    pub key: &'static Key,
    pub text: String,
    pub origin: Origin,
}

impl Given {
    /// The value without its secrets.
    pub fn masked(&self) -> String {
        if self.text.is_empty() {
            return "(not set)".to_owned();
        }
        let is_file = self.key.may_be_file() && self.text.starts_with("file:");
        match self.key.kind {
            Kind::Secret if !is_file => "***".to_owned(),
            Kind::Url if !is_file => mask_password(&self.text),
            _ => self.text.clone(),
        }
    }
}

fn mask_password(url: &str) -> String {
    let masked = url.split_once("://").and_then(|(scheme, rest)| {
        let (credentials, place) = rest.rsplit_once('@')?;
        let (user, _) = credentials.split_once(':')?;
        Some(format!("{scheme}://{user}:***@{place}"))
    });
    let url = masked.unwrap_or_else(|| url.to_owned());
    match url.split_once("password=") {
        Some((before, after)) => {
            let rest = after.split_once('&').map_or(String::new(), |(_, rest)| format!("&{rest}"));
            format!("{before}password=***{rest}")
        }
        None => url,
    }
}

/// The configuration in force.
#[derive(Debug, Clone)]
pub struct Effective {
    pub config: Config,
    pub values: Vec<Given>,
    pub file: Option<PathBuf>,
}

/// Reads all layers. `file` is the one the caller named; without it `assay.toml` is taken if there is one.
pub fn load(
    file: Option<&Path>,
    variables: impl IntoIterator<Item = (String, String)>,
) -> Result<Effective, Failure> {
    let mut reasons = Vec::new();
    let file = file.map(Path::to_path_buf).or_else(|| Some(PathBuf::from(FILE)).filter(|path| path.exists()));
    let mut values: Vec<Given> =
        keys().map(|key| Given { key, text: (key.default)(), origin: Origin::Default }).collect();
    if let Some(path) = &file {
        apply_file(&mut values, &read_table(path)?, &mut reasons);
    }
    apply_environment(&mut values, variables, &mut reasons);
    let mut config = Config::blank();
    for given in &values {
        if let Err(reason) = set(&mut config, given) {
            reasons.push(reason);
        }
    }
    if reasons.is_empty() && config.hold_lifetime < config.deadline {
        let what = "billing.hold_lifetime_seconds is shorter than calls.deadline_seconds";
        let fix = "give holds at least the time a call may take";
        reasons.push(Reason { what: what.to_owned(), fix: fix.to_owned() });
    }
    if reasons.is_empty() { Ok(Effective { config, values, file }) } else { Err(Failure { reasons }) }
}

fn set(config: &mut Config, given: &Given) -> Result<(), Reason> {
    let key = given.key;
    let reason = |what: String| Reason {
        what: format!("{} ({}) {what}", key.path(), given.origin),
        fix: format!("for example {}", example::assignment(key)),
    };
    let text = match given.text.strip_prefix("file:").filter(|_| key.may_be_file()) {
        Some(path) => {
            let content = std::fs::read_to_string(path);
            let content =
                content.map_err(|error| reason(format!("names a file that cannot be read: {error}")))?;
            content.trim().to_owned()
        }
        None => given.text.clone(),
    };
    (key.set)(config, &text).map_err(reason)
}

fn read_table(path: &Path) -> Result<Table, Failure> {
    let text = std::fs::read_to_string(path).map_err(|error| {
        Failure::new(
            format!("{} cannot be read: {error}", path.display()),
            "check the path given as --config or ASSAY_CONFIG",
        )
    })?;
    toml::from_str(&text).map_err(|error| {
        let place = error.span().map_or(0, |span| text.get(..span.start).unwrap_or_default().lines().count());
        let what =
            format!("{} is not TOML: {} (near line {})", path.display(), error.message(), place.max(1));
        Failure::new(what, "see assay.example.toml, or print one with `assay config example`")
    })
}

fn apply_file(values: &mut [Given], table: &Table, reasons: &mut Vec<Reason>) {
    for (section, content) in table {
        let sections = || keys().map(|key| key.section);
        if !sections().any(|known| known == section) {
            reasons.push(unknown(&format!("the section [{section}]"), nearest(section, sections())));
            continue;
        }
        let Value::Table(content) = content else {
            let what = format!("{section} is a section, not a value");
            reasons.push(Reason { what, fix: format!("write [{section}] above its keys") });
            continue;
        };
        for (name, value) in content {
            let found =
                values.iter_mut().find(|given| given.key.section == section && given.key.name == name);
            let text = found.as_ref().and_then(|given| typed(value, given.key.kind));
            match (found, text) {
                (None, _) => {
                    let known = keys().filter(|key| key.section == section).map(|key| key.name);
                    reasons.push(unknown(&format!("the key {section}.{name}"), nearest(name, known)));
                }
                (Some(given), Some(text)) => {
                    given.text = text;
                    given.origin = Origin::File;
                }
                (Some(given), None) => reasons.push(Reason {
                    what: format!("{section}.{name} has a value of the wrong type"),
                    fix: format!("for example {}", example::assignment(given.key)),
                }),
            }
        }
    }
}

/// A value of the file as it would be typed into the environment.
fn typed(value: &Value, kind: Kind) -> Option<String> {
    match value {
        Value::String(text) => Some(text.clone()),
        Value::Integer(number) => Some(number.to_string()),
        Value::Boolean(on) if kind == Kind::Switch => Some(on.to_string()),
        Value::Array(items) => {
            let text = |item: &Value| match item {
                Value::String(text) => Some(text.clone()),
                Value::Integer(number) => Some(number.to_string()),
                _ => None,
            };
            items.iter().map(text).collect::<Option<Vec<_>>>().map(|texts| texts.join(","))
        }
        _ => None,
    }
}

fn apply_environment(
    values: &mut [Given],
    variables: impl IntoIterator<Item = (String, String)>,
    reasons: &mut Vec<Reason>,
) {
    for (variable, text) in variables.into_iter().filter(|(variable, _)| variable.starts_with("ASSAY_")) {
        match values.iter_mut().find(|given| given.key.variable() == variable) {
            Some(given) => {
                given.text = text;
                given.origin = Origin::Environment(variable);
            }
            None if NOT_SETTINGS.iter().any(|other| is_named(&variable, other)) => {}
            None => {
                let known: Vec<String> = keys().map(Key::variable).collect();
                let meant = nearest(&variable, known.iter().map(String::as_str));
                reasons.push(unknown(&format!("the environment variable {variable}"), meant));
            }
        }
    }
}

fn is_named(variable: &str, pattern: &str) -> bool {
    variable == pattern || (pattern.ends_with('_') && variable.starts_with(pattern))
}

fn unknown(what: &str, meant: Option<&str>) -> Reason {
    let fix = match meant {
        Some(name) => format!("did you mean {name}?"),
        None => "see `assay config example` for every key".to_owned(),
    };
    Reason { what: format!("{what} is not known"), fix }
}
