//! From the text of a file to a vendor, or to what is wrong with it.

use super::filter::Filter;
use super::section::{Section, meant};
use super::template::Template;
use super::{Auth, DeclarationError, DeclarativeVendor, Declared, Outcome, Shape};
use crate::{AskedFor, Price, Rights, VendorFacts};
use assay_domain::Lookup;
use http::{HeaderName, Method};
use std::time::Duration;
use toml::{Table, Value};

const FILE_BYTES_MAX: usize = 64 * 1_024;
const NAME_CHARS_MAX: usize = 40;
const TIMEOUT_MS_MAX: u32 = 60_000;
const BODY_DEPTH_MAX: usize = 8;
const NEVER_A_MISS: [u16; 5] = [401, 402, 403, 408, 429];

const TEMPLATE_FIX: &str = "write {{ field }}, and {% if field is defined %} around what may be unknown";
const FILTER_FIX: &str = "try it with jq on an answer of the provider";

const OUTCOMES: &[(&str, Outcome)] = &[
    ("rate_limited", Outcome::RateLimited),
    ("quota", Outcome::Quota),
    ("unauthorized", Outcome::Unauthorized),
    ("pending", Outcome::Pending),
    ("suppressed", Outcome::Suppressed),
    ("refused", Outcome::Refused),
    ("failed", Outcome::Failed),
];

type Parsed<T> = Result<T, DeclarationError>;

pub(super) fn parse(text: &str) -> Parsed<DeclarativeVendor> {
    let whole =
        |what: String, fix: &str| DeclarationError { place: "file".to_owned(), what, fix: fix.to_owned() };
    if text.len() > FILE_BYTES_MAX {
        return Err(whole(format!("is longer than {FILE_BYTES_MAX} bytes"), "write one provider a file"));
    }
    let table: Table = text.parse().map_err(|error: toml::de::Error| {
        let line =
            error.span().and_then(|span| text.get(..span.start)).map_or(1, |it| it.matches('\n').count() + 1);
        whole(format!("is not TOML at line {line}: {}", error.message()), "mend that line")
    })?;
    let mut file = Section::new(String::new(), table);
    let name = parse_name(&mut file)?;
    let base_url = parse_base_url(&mut file)?;
    let requests_per_minute = file.whole("requests_per_minute")?;
    if requests_per_minute == Some(0) {
        return Err(file.wrong("requests_per_minute", "is 0", "leave it out for no limit"));
    }
    let timeout_ms = file.whole("timeout_ms")?;
    if timeout_ms.is_some_and(|timeout| !(1..=TIMEOUT_MS_MAX).contains(&timeout)) {
        return Err(file.wrong("timeout_ms", "is out of range", format!("write 1 to {TIMEOUT_MS_MAX}")));
    }
    let auth = parse_auth(&mut file)?;
    let rights = parse_rights(&mut file, &name)?;
    let (taken, lookups) = parse_lookups(&mut file)?;
    file.finish()?;
    let timeout = timeout_ms.map(|timeout| Duration::from_millis(u64::from(timeout)));
    let facts = VendorFacts {
        name: name.into(),
        base_url: base_url.into(),
        lookups: taken.into(),
        rights,
        requests_per_minute,
        timeout,
    };
    Ok(DeclarativeVendor { facts, auth, lookups })
}

fn parse_name(file: &mut Section) -> Parsed<String> {
    let name = file.need_text("name", "give it a name such as \"example\"")?;
    let is_plain = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit() || b"_-".contains(&byte);
    if name.len() > NAME_CHARS_MAX || !name.bytes().all(is_plain) {
        let fix = format!("use a-z, 0-9, _ and -, at most {NAME_CHARS_MAX} of them");
        return Err(file.wrong("name", "is not a name of a provider", fix));
    }
    Ok(name)
}

fn parse_base_url(file: &mut Section) -> Parsed<String> {
    let url = file.need_text("base_url", "write where it lives, such as \"https://api.provider.example\"")?;
    let host = url.strip_prefix("https://").or_else(|| url.strip_prefix("http://"));
    let is_sound = host.is_some_and(|host| {
        !host.is_empty() && !host.starts_with('/') && !host.contains(['?', '#', '@', ' ', '{', '\\'])
    });
    if !is_sound || url.ends_with('/') {
        let fix = "write https://, the host and perhaps a path, without a slash at the end";
        return Err(file.wrong("base_url", "is not an address to ask", fix));
    }
    Ok(url)
}

fn parse_auth(file: &mut Section) -> Parsed<Auth> {
    let kinds = "kind is one of header, bearer, basic, query";
    let Some(mut auth) = file.section("auth")? else {
        return Err(file.wrong("auth", "is missing", format!("add a table [auth]; {kinds}")));
    };
    let kind = auth.need_text("kind", kinds)?;
    let parsed = match kind.as_str() {
        "bearer" => Auth::Bearer,
        "basic" => Auth::Basic,
        "header" => {
            let name = auth.need_text("name", "name the header the key goes into")?;
            check_header(&auth, "name", &name)?;
            Auth::Header(name)
        }
        "query" => Auth::Query(auth.need_text("name", "name the parameter the key goes into")?),
        other => {
            let near = meant(other, ["header", "bearer", "basic", "query"]);
            return Err(auth.wrong("kind", format!("is not a way to send a key{near}"), kinds));
        }
    };
    auth.finish()?;
    Ok(parsed)
}

fn check_header(section: &Section, key: &str, name: &str) -> Parsed<()> {
    let is_sound = name.parse::<HeaderName>().is_ok();
    let wrong = || section.wrong(key, "is not the name of a header", "use letters, digits and dashes");
    is_sound.then_some(()).ok_or_else(wrong)
}

fn parse_rights(file: &mut Section, name: &str) -> Parsed<Rights> {
    let mut rights =
        file.section("rights")?.unwrap_or_else(|| Section::new("rights".to_owned(), Table::new()));
    let parsed = Rights {
        licence: rights.text("licence")?.unwrap_or_else(|| format!("{name}-terms")).into(),
        storable: rights.flag("storable")?.unwrap_or(true),
        shareable: rights.flag("shareable")?.unwrap_or(false),
        retention_days: Some(rights.whole("retention_days")?.unwrap_or(365)).filter(|days| *days > 0),
    };
    rights.finish()?;
    Ok(parsed)
}

fn parse_lookups(file: &mut Section) -> Parsed<(Vec<AskedFor>, Vec<Declared>)> {
    let words = Lookup::ALL.map(Lookup::as_str);
    let tables = file.table("lookups")?.unwrap_or_default();
    if tables.is_empty() {
        let fix = format!("add a table such as [lookups.work_email]; known are {}", words.join(", "));
        return Err(file.wrong("lookups", "is missing", fix));
    }
    let (mut taken, mut lookups) = (Vec::new(), Vec::new());
    for (word, value) in tables {
        let place = format!("lookups.{word}");
        let wrong = |what: String, fix: String| DeclarationError { place: place.clone(), what, fix };
        let Some(lookup) = Lookup::named(&word) else {
            let what = format!("is nothing that can be asked for{}", meant(&word, words));
            return Err(wrong(what, format!("known are {}", words.join(", "))));
        };
        let Value::Table(table) = value else {
            return Err(wrong("is not a table".to_owned(), format!("begin it with a line [{place}]")));
        };
        let mut section = Section::new(place, table);
        taken.push(AskedFor { lookup, price: parse_price(&mut section)? });
        lookups.push(parse_lookup(&mut section)?);
        section.finish()?;
    }
    Ok((taken, lookups))
}

fn parse_price(section: &mut Section) -> Parsed<Price> {
    let fix = "give one of them, in millionths of a US dollar: 20000 is two cents";
    match (section.whole("price_per_hit_micros")?, section.whole("price_per_call_micros")?) {
        (Some(micros), None) => Ok(Price::PerHit(micros)),
        (None, Some(micros)) => Ok(Price::PerCall(micros)),
        (None, None) => {
            Err(section.wrong("price_per_hit_micros", "is missing, as is price_per_call_micros", fix))
        }
        (Some(_), Some(_)) => {
            Err(section.wrong("price_per_hit_micros", "stands beside price_per_call_micros", fix))
        }
    }
}

fn parse_lookup(section: &mut Section) -> Parsed<Declared> {
    let method = match section.text("method")?.as_deref() {
        None | Some("GET") => Method::GET,
        Some("POST") => Method::POST,
        Some(_) => return Err(section.wrong("method", "is not known", "write GET or POST")),
    };
    let path = section.need_text("path", "write the path below base_url, such as \"/v1/find\"")?;
    if !path.starts_with('/') || path.contains(['?', '#']) {
        let fix = "begin it with a slash, and put parameters into `query`";
        return Err(section.wrong("path", "is not a path", fix));
    }
    let path = Template::compile_path(&path).map_err(|why| section.wrong("path", why, TEMPLATE_FIX))?;
    let query = parse_templates(section, "query")?;
    let headers = parse_templates(section, "headers")?;
    for (name, _) in &headers {
        check_header(section, "headers", name)?;
    }
    let body = match section.table("body")? {
        Some(_) if method == Method::GET => {
            return Err(section.wrong("body", "stands beside the method GET", "write method = \"POST\""));
        }
        Some(table) => Some(parse_shape(section, Value::Table(table), BODY_DEPTH_MAX)?),
        None => None,
    };
    let answer = section.need_text("answer", "write a filter such as '{ email: .data.email }'")?;
    let answer = Filter::compile(&answer).map_err(|why| section.wrong("answer", why, FILTER_FIX))?;
    let miss_when = section.text("miss_when")?.map(|text| Filter::compile(&text)).transpose();
    let miss_when = miss_when.map_err(|why| section.wrong("miss_when", why, FILTER_FIX))?;
    let miss_statuses = parse_miss_statuses(section)?;
    let errors = parse_errors(section)?;
    Ok(Declared { method, path, query, headers, body, answer, miss_statuses, miss_when, errors })
}

fn parse_templates(section: &mut Section, key: &'static str) -> Parsed<Vec<(String, Template)>> {
    let table = section.table(key)?.unwrap_or_default();
    let entry = |(name, value): (String, Value)| {
        let place = format!("{key}.{name}");
        let Value::String(text) = value else {
            return Err(section.wrong(&place, "is not a text", "put it in quotes"));
        };
        match Template::compile(&text) {
            Ok(template) => Ok((name, template)),
            Err(why) => Err(section.wrong(&place, why, TEMPLATE_FIX)),
        }
    };
    table.into_iter().map(entry).collect()
}

fn parse_shape(section: &Section, value: Value, depth: usize) -> Parsed<Shape> {
    let Some(depth) = depth.checked_sub(1) else {
        return Err(section.wrong("body", "is too deep", format!("nest at most {BODY_DEPTH_MAX} tables")));
    };
    Ok(match value {
        Value::String(text) => {
            Shape::Text(Template::compile(&text).map_err(|why| section.wrong("body", why, TEMPLATE_FIX))?)
        }
        Value::Integer(whole) => Shape::Fixed(whole.into()),
        Value::Float(float) => Shape::Fixed(float.into()),
        Value::Boolean(flag) => Shape::Fixed(flag.into()),
        Value::Datetime(_) => return Err(section.wrong("body", "has a bare date", "put it in quotes")),
        Value::Array(items) => {
            let items = items.into_iter().map(|item| parse_shape(section, item, depth));
            Shape::List(items.collect::<Parsed<_>>()?)
        }
        Value::Table(table) => {
            let field = |(name, value)| Ok((name, parse_shape(section, value, depth)?));
            Shape::Object(table.into_iter().map(field).collect::<Parsed<_>>()?)
        }
    })
}

/// Success is no miss by itself; a failure, a wrong key and a limit never are.
fn parse_miss_statuses(section: &mut Section) -> Parsed<Vec<u16>> {
    let Some(value) = section.take("miss_statuses") else { return Ok(Vec::new()) };
    let fix = "write statuses from 400 to 499 that mean that nobody was found, such as [404]; 401, 402, 403, 408 and 429 never do";
    let wrong = || section.wrong("miss_statuses", "is not a list of such statuses", fix);
    let statuses = value.as_array().ok_or_else(wrong)?.iter().map(|status| {
        let status = status.as_integer().and_then(|status| u16::try_from(status).ok());
        status
            .filter(|status| (400..=499).contains(status) && !NEVER_A_MISS.contains(status))
            .ok_or_else(wrong)
    });
    statuses.collect()
}

fn parse_errors(section: &mut Section) -> Parsed<Vec<(u16, Outcome)>> {
    let table = section.table("errors")?.unwrap_or_default();
    let words = OUTCOMES.iter().map(|(word, _)| *word);
    let entry = |(status, value): (String, Value)| {
        let place = format!("errors.{status}");
        let Some(code) = status.parse().ok().filter(|code: &u16| (201..=599).contains(code)) else {
            return Err(section.wrong(&place, "is not a status", "write a number from 201 to 599"));
        };
        let word = value.as_str().unwrap_or_default();
        match OUTCOMES.iter().find(|(known, _)| *known == word) {
            Some((_, outcome)) => Ok((code, *outcome)),
            None => {
                let what = format!("is not an outcome{}", meant(word, words.clone()));
                let known: Vec<_> = words.clone().collect();
                Err(section.wrong(&place, what, format!("write one of {}", known.join(", "))))
            }
        }
    };
    table.into_iter().map(entry).collect()
}
