//! A jq filter that cannot run away: compiled once, run on one body, with fuel for every step.
//!
//! jaq itself has no limit on steps, and its iterators stop nowhere on their own. So the filter is rewritten before it is
//! compiled (`metered.rs`): behind every step that can multiply work stands a call that takes fuel, and whatever could run
//! without passing one (definitions, recursion, folds, updates, ranges) is refused. What is left is jq for picking and
//! shaping values, and ends after at most `FUEL` steps whatever the body holds.

mod fuel;
mod metered;
mod prelude;

use fuel::{Fuel, Metered, Tank};
use jaq_core::load::{Arena, File, Loader, parse::Def};
use jaq_core::{Compiler, Ctx, Vars, unwrap_valr};
use jaq_json::{Num, Val};
use serde_json::{Map, Number, Value};

const FILTER_BYTES_MAX: usize = 4_096;
/// Brackets, signs and words into which the parser recurses, on the stack of a worker; and operators that it puts in a row.
const NESTED_MAX: usize = 100;
const OPERATORS_MAX: usize = 300;
/// A body that is larger is not read: no answer about one person or company is.
const BODY_BYTES_MAX: usize = 1 << 20;
/// Of what comes out: every value and every 64 bytes of text count.
const OUTPUT_VALUES_MAX: usize = 20_000;

pub(super) struct Filter(jaq_core::Filter<Metered>);

/// Why a filter gave nothing. The words go to the log.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Stopped {
    /// The body is too large, or the filter took too many steps on it.
    TooMuch,
    /// An error of the filter on this body, or no output.
    Failed,
}

impl Filter {
    /// The error says what is wrong with the filter.
    pub(super) fn compile(text: &str) -> Result<Self, String> {
        if text.len() > FILTER_BYTES_MAX {
            return Err(format!("is longer than {FILTER_BYTES_MAX} bytes"));
        }
        if nested(text) > NESTED_MAX {
            return Err(format!("has more than {NESTED_MAX} brackets"));
        }
        if text.matches(['|', ',', '/', '+', '*', '%', '=', '<', '>', '?']).count() > OPERATORS_MAX {
            return Err(format!("has more than {OPERATORS_MAX} operators"));
        }
        let term = jaq_core::load::parse(text, |parser| parser.term());
        let body =
            metered::rewrite(term.ok_or("is not a filter: look for a bracket, a quote or a pipe too many")?)?;
        let defs = prelude::defs().into_iter().chain([Def { name: "answer", args: Vec::new(), body }]);
        let arena = Arena::default();
        let program = File { code: "answer", path: () };
        let modules = Loader::new(defs).load(&arena, program).map_err(|_| "cannot be loaded".to_owned())?;
        let compiled = Compiler::default().with_funs(prelude::funs()).compile(modules);
        compiled.map(Self).map_err(|errors| {
            let unknown = errors.into_iter().flat_map(|(_, errors)| errors).map(|(name, _)| name).next();
            let unknown = unknown.unwrap_or_default();
            let near = crate::declarative::section::meant(unknown, prelude::names());
            format!("uses `{unknown}`, which is not known here{near}")
        })
    }

    /// The first thing that comes out.
    pub(super) fn run(&self, body: &[u8], parsed: &Value) -> Result<Value, Stopped> {
        if body.len() > BODY_BYTES_MAX {
            return Err(Stopped::TooMuch);
        }
        let fuel = Fuel::full();
        let context = Ctx::<Metered>::new(Tank { lut: &self.0.lut, fuel: &fuel }, Vars::new([]));
        let first = self.0.id.run((context, inward(parsed))).map(unwrap_valr).next();
        if fuel.is_used_up() {
            return Err(Stopped::TooMuch);
        }
        let value = first.and_then(Result::ok).ok_or(Stopped::Failed)?;
        let mut room = OUTPUT_VALUES_MAX;
        outward(&value, &mut room).ok_or(Stopped::TooMuch)
    }
}

fn nested(text: &str) -> usize {
    let words = text.split(|c: char| !c.is_ascii_alphanumeric() && c != '_');
    let deeper = words.filter(|word| matches!(*word, "if" | "elif" | "try" | "as")).count();
    text.matches(['(', '[', '{', '-']).count() + deeper
}

/// Numbers become machine numbers, so that none grows; the depth is that of the parser, at most 128.
fn inward(value: &Value) -> Val {
    match value {
        Value::Null => Val::Null,
        Value::Bool(flag) => Val::Bool(*flag),
        Value::Number(number) => {
            let whole = number.as_i64().and_then(|whole| isize::try_from(whole).ok());
            let float = || Num::Float(number.as_f64().unwrap_or_default());
            Val::Num(whole.map_or_else(float, Num::Int))
        }
        Value::String(text) => Val::utf8_str(text.clone()),
        Value::Array(items) => Val::Arr(items.iter().map(inward).collect::<Vec<_>>().into()),
        Value::Object(fields) => {
            let fields = fields.iter().map(|(name, value)| (Val::utf8_str(name.clone()), inward(value)));
            Val::obj(fields.collect())
        }
    }
}

/// None when there is no room for it.
fn outward(value: &Val, room: &mut usize) -> Option<Value> {
    let text = |bytes: &[u8], room: &mut usize| {
        *room = room.checked_sub(bytes.len() / 64)?;
        Some(String::from_utf8_lossy(bytes).into_owned())
    };
    *room = room.checked_sub(1)?;
    Some(match value {
        Val::Null => Value::Null,
        Val::Bool(flag) => Value::Bool(*flag),
        Val::Num(Num::Int(whole)) => Value::from(i64::try_from(*whole).ok()?),
        Val::Num(Num::Float(float)) => Number::from_f64(*float).map_or(Value::Null, Value::Number),
        Val::Num(other) => Value::from(other.to_string()),
        Val::BStr(bytes) | Val::TStr(bytes) => Value::String(text(bytes, room)?),
        Val::Arr(items) => Value::Array(items.iter().map(|item| outward(item, room)).collect::<Option<_>>()?),
        Val::Obj(fields) => {
            let mut map = Map::new();
            for (name, value) in fields.iter() {
                if let Val::TStr(name) = name {
                    map.insert(text(name, room)?, outward(value, room)?);
                }
            }
            Value::Object(map)
        }
    })
}

#[cfg(test)]
mod tests;
