//! Calls as the reference shows them: written down once, shown as lines for a shell, and run by a test as they are shown.

use crate::spec::Verb;
use assay_domain::limits;

/// A call with everything that is sent.
#[derive(Debug, Clone, Copy)]
pub struct Sample {
    verb: Verb,
    path: &'static str,
    /// The key as a shell writes it, a variable mostly.
    key: Option<&'static str>,
    headers: &'static [(&'static str, &'static str)],
    body: SampleBody,
}

/// What a sample carries.
#[derive(Debug, Clone, Copy)]
enum SampleBody {
    None,
    Text(&'static str),
    /// So many spaces: a body too long to be written down.
    Spaces(usize),
    /// The second part comes later than the server waits for it.
    InTwo(&'static str, &'static str),
}

/// The key that every reader is asked to keep in the environment.
pub const OWN_KEY: &str = "$ASSAY_KEY";

impl Sample {
    pub const fn get(path: &'static str) -> Self {
        Self { verb: Verb::Get, path, key: Some(OWN_KEY), headers: &[], body: SampleBody::None }
    }

    pub const fn post(path: &'static str, body: &'static str) -> Self {
        Self { verb: Verb::Post, path, key: Some(OWN_KEY), headers: &[], body: SampleBody::Text(body) }
    }

    pub const fn post_spaces(path: &'static str, count: usize) -> Self {
        Self { verb: Verb::Post, path, key: Some(OWN_KEY), headers: &[], body: SampleBody::Spaces(count) }
    }

    pub const fn post_slowly(path: &'static str, first: &'static str, second: &'static str) -> Self {
        let body = SampleBody::InTwo(first, second);
        Self { verb: Verb::Post, path, key: Some(OWN_KEY), headers: &[], body }
    }

    pub const fn without_key(self) -> Self {
        Self { key: None, ..self }
    }

    pub const fn with_key(self, key: &'static str) -> Self {
        Self { key: Some(key), ..self }
    }

    pub const fn with_headers(self, headers: &'static [(&'static str, &'static str)]) -> Self {
        Self { headers, ..self }
    }

    /// The command that sends it.
    pub fn curl(&self) -> String {
        let mut curl = Curl::new(self.verb, self.path);
        if let Some(key) = self.key {
            curl.key(key);
        }
        for (name, value) in self.headers {
            curl.header(name, value);
        }
        let declares_type = self.headers.iter().any(|(name, _)| *name == "Content-Type");
        match self.body {
            SampleBody::None => curl.text(),
            SampleBody::Text(body) => {
                if !declares_type {
                    curl.header("Content-Type", "application/json");
                }
                curl.body(body);
                curl.text()
            }
            SampleBody::Spaces(count) => {
                curl.header("Content-Type", "application/json");
                curl.argument("--data-binary @-");
                format!("head -c {count} /dev/zero | tr '\\0' ' ' | {}", curl.text())
            }
            SampleBody::InTwo(first, second) => {
                curl.header("Content-Type", "application/json");
                curl.argument("-X POST -T -");
                let pause = limits::BODY_READ_DEADLINE.as_secs() + 2;
                let (first, second) = (quoted(first), quoted(second));
                format!("(printf %s {first}; sleep {pause}; printf %s {second}) | {}", curl.text())
            }
        }
    }
}

/// Calls that belong together.
#[derive(Debug, Clone, Copy)]
pub enum Calls {
    /// One after the other; the last one is the point.
    InTurn(&'static [Sample]),
    /// At the same time.
    Together(&'static [Sample]),
}

impl Calls {
    /// The lines for a shell.
    pub fn shell(&self) -> String {
        match self {
            Self::InTurn(samples) => samples.iter().map(Sample::curl).collect::<Vec<_>>().join("\n"),
            Self::Together(samples) => {
                let lines: Vec<String> =
                    samples.iter().map(|sample| format!("{} &", sample.curl())).collect();
                format!("{}\nwait", lines.join("\n"))
            }
        }
    }
}

/// A curl command as it grows, one argument a line.
#[derive(Debug)]
pub struct Curl {
    arguments: Vec<String>,
}

impl Curl {
    /// `path` may carry a query; it is written as it is.
    pub fn new(verb: Verb, path: &str) -> Self {
        let method = match verb {
            Verb::Get | Verb::Post => String::new(),
            Verb::Patch | Verb::Delete => format!(" -X {}", verb.as_str()),
        };
        Self { arguments: vec![format!("curl -s{method} \"$ASSAY_URL{path}\"")] }
    }

    pub fn key(&mut self, key: &str) {
        self.arguments.push(format!("-H \"Authorization: Bearer {key}\""));
    }

    pub fn header(&mut self, name: &str, value: &str) {
        self.arguments.push(format!("-H {}", quoted(&format!("{name}: {value}"))));
    }

    pub fn body(&mut self, body: &str) {
        self.arguments.push(format!("-d {}", quoted(body)));
    }

    pub fn argument(&mut self, text: &str) {
        self.arguments.push(text.to_owned());
    }

    pub fn text(&self) -> String {
        self.arguments.join(" \\\n  ")
    }
}

/// Between single quotes a shell changes nothing.
fn quoted(text: &str) -> String {
    format!("'{}'", text.replace('\'', r"'\''"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_call_is_shown_as_a_shell_takes_it() {
        let call = Sample::post("/v1/enrich", r#"{"fullName":"Ada O'Kafor"}"#);
        let shown = "curl -s \"$ASSAY_URL/v1/enrich\" \\\n  -H \"Authorization: Bearer $ASSAY_KEY\" \\\n  \
                     -H 'Content-Type: application/json' \\\n  -d '{\"fullName\":\"Ada O'\\''Kafor\"}'";
        assert_eq!(call.curl(), shown);
        let call = Sample::get("/v1/me").without_key();
        assert_eq!(call.curl(), "curl -s \"$ASSAY_URL/v1/me\"");
        const PAIR: &[Sample] = &[Sample::get("/a").without_key(), Sample::get("/b").without_key()];
        let together = "curl -s \"$ASSAY_URL/a\" &\ncurl -s \"$ASSAY_URL/b\" &\nwait";
        assert_eq!(Calls::Together(PAIR).shell(), together);
    }
}
