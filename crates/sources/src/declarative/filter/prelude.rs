//! The names a filter may call: those of jq that look at one value, or go through one list once.

use super::fuel::{self, Metered};
use super::metered::rewrite;
use jaq_core::load::parse::Def;
use jaq_core::native::{Fun, bome, run, v};
use jaq_json::{Error, Num, Val};

/// Taken from jaq as they are: each is done in about as many steps as its input is long.
const TAKEN: &[&str] = &[
    "ascii_downcase",
    "ascii_upcase",
    "endswith",
    "first",
    "floor",
    "has",
    "key_values",
    "keys_unsorted",
    "last",
    "length",
    "ltrim",
    "ltrimstr",
    "max_by_or_empty",
    "min_by_or_empty",
    "reverse",
    "round",
    "rtrim",
    "rtrimstr",
    "sort",
    "sort_by",
    "startswith",
    "trim",
];

/// The rest, in jq itself. They are rewritten as every filter is.
const DEFS: &str = r#"
def empty: {}[] as $x | .;
def true: 0 == 0;
def false: 0 != 0;
def null: [][0];
def not: if . then false else true end;
def select(f): if f then . else empty end;
def values: select(. != null);
def map(f): [.[] | f];
def first: .[0];
def last: .[-1];
def tostring: "\(.)";
def type: if . == null then "null" elif . == true or . == false then "boolean" elif . < "" then "number"
  elif . < [] then "string" elif . < {} then "array" else "object" end;
def keys: keys_unsorted | sort;
def to_entries: [key_values | .[] | { key: .[0], value: .[1] }];
def any(f): first((.[] | f | select(.) | true), false);
def all(f): first((.[] | f | select(. | not) | false), true);
def any: any(.);
def all: all(.);
def min_by(f): first(min_by_or_empty(f), null);
def max_by(f): first(max_by_or_empty(f), null);
def min: min_by(.);
def max: max_by(.);
"#;

pub(super) fn defs() -> Vec<Def<&'static str>> {
    let parsed = jaq_core::load::parse(DEFS, |parser| parser.defs()).unwrap_or_default();
    let rewritten = parsed.into_iter().filter_map(|def| Some(Def { body: rewrite(def.body).ok()?, ..def }));
    rewritten.collect()
}

pub(super) fn funs() -> impl Iterator<Item = Fun<Metered>> {
    let jaq = jaq_core::funs().chain(jaq_std::base_funs()).chain(jaq_json::funs());
    jaq.filter(|(name, ..)| TAKEN.contains(name)).chain(fuel::funs()).chain(own())
}

/// What a user of a filter can call, for suggestions.
pub(super) fn names() -> impl Iterator<Item = &'static str> {
    let own = own().into_iter().map(|(name, ..)| name);
    TAKEN.iter().copied().chain(own).chain(defs().into_iter().map(|def| def.name))
}

/// What jaq has only with regular expressions, folds, or a parser for everything.
fn own() -> Vec<Fun<Metered>> {
    vec![
        run(("tonumber", v(0), |(_, value)| bome(to_number(value)))),
        run(("join", v(1), |mut cv| {
            let separator = cv.0.pop_var();
            bome(join(&cv.1, &separator))
        })),
        run(("split", v(1), |mut cv| {
            let separator = cv.0.pop_var();
            bome(split(&cv.1, &separator))
        })),
        run(("add", v(0), |(_, value)| bome(add(value)))),
    ]
}

fn text(value: &Val) -> Result<String, Error> {
    match value {
        Val::TStr(bytes) => Ok(String::from_utf8_lossy(bytes).into_owned()),
        _ => Err(Error::str("not a text")),
    }
}

fn to_number(value: Val) -> Result<Val, Error> {
    if matches!(value, Val::Num(_)) {
        return Ok(value);
    }
    let text = text(&value)?;
    let float = || text.trim().parse().ok().filter(|float: &f64| float.is_finite()).map(Num::Float);
    let number = text.trim().parse().ok().map(Num::Int).or_else(float);
    number.map(Val::Num).ok_or_else(|| Error::str("not a number"))
}

fn items(value: &Val) -> Result<&[Val], Error> {
    match value {
        Val::Arr(items) => Ok(items),
        _ => Err(Error::str("not a list")),
    }
}

/// As in jq, null is the empty text.
fn join(value: &Val, separator: &Val) -> Result<Val, Error> {
    let texts: Result<Vec<String>, Error> = items(value)?
        .iter()
        .map(|item| match item {
            Val::Null => Ok(String::new()),
            Val::Bool(_) | Val::Num(_) => Ok(item.to_string()),
            _ => text(item),
        })
        .collect();
    Ok(Val::utf8_str(texts?.join(&text(separator)?)))
}

fn split(value: &Val, separator: &Val) -> Result<Val, Error> {
    let (text, separator) = (text(value)?, text(separator)?);
    if separator.is_empty() {
        return Err(Error::str("nothing to split at"));
    }
    Ok(Val::Arr(text.split(&separator).map(|part| Val::utf8_str(part.to_owned())).collect::<Vec<_>>().into()))
}

/// Of numbers and of texts, which is what answers are made of.
fn add(value: Val) -> Result<Val, Error> {
    let items = items(&value)?;
    if items.iter().all(|item| matches!(item, Val::TStr(_))) && !items.is_empty() {
        return join(&value, &Val::utf8_str(String::new()));
    }
    items.iter().try_fold(Val::Null, |sum, item| match (sum, item) {
        (Val::Null, Val::Num(_)) => Ok(item.clone()),
        (sum, Val::Num(_)) => sum + item.clone(),
        _ => Err(Error::str("neither numbers nor texts")),
    })
}
