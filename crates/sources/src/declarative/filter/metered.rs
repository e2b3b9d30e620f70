//! Puts a call that takes fuel behind every step that can multiply work, and refuses what could go around it.

use super::fuel::{NUMBER, STEP, WEIGH};
use jaq_core::load::lex::StrPart;
use jaq_core::load::parse::{BinaryOp, Pattern, Term};
use jaq_core::ops::Math;
use jaq_core::path::{Part, Path};

type Source<'s> = Term<&'s str>;
type Rewritten<'s> = Result<Source<'s>, String>;

/// How deep a filter may go: compiler and run recurse into it, on the stack of a worker.
const DEPTH_MAX: usize = 48;

pub(super) fn rewrite(term: Source<'_>) -> Rewritten<'_> {
    rewrite_within(term, DEPTH_MAX)
}

/// Goes at most so much deeper.
fn rewrite_within(term: Source<'_>, room: usize) -> Rewritten<'_> {
    let Some(room) = room.checked_sub(1) else {
        return Err(format!("is more than {DEPTH_MAX} steps deep; for a long text use `join`"));
    };
    let rewrite = |term| rewrite_within(term, room);
    Ok(match term {
        Term::Id | Term::Num(_) | Term::Var(_) => term,
        Term::Str(None, parts) => {
            let parts: Result<Vec<_>, _> = parts.into_iter().map(|part| rewrite_part(part, room)).collect();
            after(Term::Str(None, parts?), WEIGH)
        }
        Term::Str(Some(format), _) => return refuse(format, "write the text without a format"),
        Term::Arr(inner) => Term::Arr(inner.map(|inner| rewrite(*inner).map(Box::new)).transpose()?),
        Term::Obj(fields) => {
            let field = |(name, value): (_, Option<_>)| Ok((rewrite(name)?, value.map(rewrite).transpose()?));
            Term::Obj(fields.into_iter().map(field).collect::<Result<_, String>>()?)
        }
        Term::Neg(inner) => Term::Neg(Box::new(rewrite(*inner)?)),
        Term::BinOp(left, operator, right) => rewrite_operator(*left, operator, *right, room)?,
        Term::TryCatch(inner, catch) => {
            let catch = catch.map(|catch| rewrite(*catch).map(Box::new)).transpose()?;
            Term::TryCatch(Box::new(rewrite(*inner)?), catch)
        }
        Term::IfThenElse(branches, other) => {
            let branch = |(condition, then)| Ok((rewrite(condition)?, rewrite(then)?));
            let branches = branches.into_iter().map(branch).collect::<Result<_, String>>()?;
            Term::IfThenElse(branches, other.map(|other| rewrite(*other).map(Box::new)).transpose()?)
        }
        Term::Call(name, arguments) => {
            let arguments = arguments.into_iter().map(rewrite).collect::<Result<_, _>>()?;
            pipe(call(WEIGH), after(Term::Call(name, arguments), WEIGH))
        }
        Term::Path(from, path) => rewrite_path(*from, path, room)?,
        Term::Recurse => return refuse("..", "name the path to the value"),
        Term::Fold(word, ..) => return refuse(word, "use `map`, `add`, `any` or `all`"),
        Term::Def(..) => return refuse("def", "write out what it stands for"),
        Term::Label(..) | Term::Break(_) => return refuse("label", "use `first`"),
    })
}

fn rewrite_part<'s>(
    part: StrPart<&'s str, Source<'s>>,
    room: usize,
) -> Result<StrPart<&'s str, Source<'s>>, String> {
    Ok(match part {
        StrPart::Term(inner) => StrPart::Term(after(rewrite_within(inner, room)?, WEIGH)),
        StrPart::Str(_) | StrPart::Char(_) => part,
    })
}

fn rewrite_operator<'s>(
    left: Source<'s>,
    operator: BinaryOp<&'s str>,
    right: Source<'s>,
    room: usize,
) -> Rewritten<'s> {
    let (left, right) = (rewrite_within(left, room)?, rewrite_within(right, room)?);
    let both = |left, operator, right, fuel| {
        Term::BinOp(Box::new(after(left, fuel)), operator, Box::new(after(right, fuel)))
    };
    Ok(match operator {
        BinaryOp::Pipe(pattern) => {
            let pattern = pattern.map(|pattern| rewrite_pattern(pattern, room)).transpose()?;
            Term::BinOp(Box::new(left), BinaryOp::Pipe(pattern), Box::new(right))
        }
        // Two outputs for one: a row of them doubles each time.
        BinaryOp::Comma => both(left, operator, right, STEP),
        BinaryOp::Alt | BinaryOp::Or | BinaryOp::And => {
            Term::BinOp(Box::new(left), operator, Box::new(right))
        }
        BinaryOp::Cmp(_) => both(left, operator, right, WEIGH),
        BinaryOp::Math(Math::Add) => after(both(left, operator, right, WEIGH), WEIGH),
        BinaryOp::Math(_) => both(left, operator, right, NUMBER),
        BinaryOp::Assign | BinaryOp::Update | BinaryOp::UpdateMath(_) | BinaryOp::UpdateAlt => {
            return refuse("=", "make a new object with `{…}`; to compare, write `==`");
        }
    })
}

fn rewrite_pattern(pattern: Pattern<&str>, room: usize) -> Result<Pattern<&str>, String> {
    let Some(room) = room.checked_sub(1) else { return Err("has a pattern too deep".to_owned()) };
    let within = |pattern| rewrite_pattern(pattern, room);
    Ok(match pattern {
        Pattern::Var(_) => pattern,
        Pattern::Arr(items) => Pattern::Arr(items.into_iter().map(within).collect::<Result<_, _>>()?),
        Pattern::Obj(fields) => {
            let field = |(name, pattern)| Ok((rewrite_within(name, room)?, within(pattern)?));
            Pattern::Obj(fields.into_iter().map(field).collect::<Result<_, String>>()?)
        }
    })
}

/// `.a[].b` becomes `.a[] | step | .b`. What stands in brackets looks at the value the path began at, so a path that has
/// both such and a loop is asked for in two pieces.
fn rewrite_path<'s>(from: Source<'s>, Path(parts): Path<Source<'s>>, room: usize) -> Rewritten<'s> {
    let rewrite = |term| rewrite_within(term, room);
    let is_fixed = |term: &Source<'s>| matches!(term, Term::Num(_) | Term::Var(_) | Term::Str(None, _));
    let looks_around = |part: &Part<Source<'s>>| match part {
        Part::Index(at) => !is_fixed(at),
        Part::Range(from, to) => [from, to].into_iter().flatten().any(|at| !is_fixed(at)),
    };
    let multiplies = |part: &Part<Source<'s>>| matches!(part, Part::Range(..));
    let mixed =
        parts.iter().any(|(part, _)| looks_around(part)) && parts.iter().any(|(part, _)| multiplies(part));
    if mixed {
        return Err("has a computed index and a loop in one path; put a pipe between them".to_owned());
    }
    let mut whole = rewrite(from)?;
    let mut pending = Vec::new();
    for (part, optional) in parts {
        let (part, fuel) = match part {
            Part::Index(at) => (Part::Index(rewrite(at)?), None),
            Part::Range(None, None) => (Part::Range(None, None), Some(STEP)),
            Part::Range(from, to) => {
                (Part::Range(from.map(rewrite).transpose()?, to.map(rewrite).transpose()?), Some(WEIGH))
            }
        };
        pending.push((part, optional));
        if let Some(fuel) = fuel {
            whole = after(Term::Path(Box::new(whole), Path(std::mem::take(&mut pending))), fuel);
        }
    }
    Ok(if pending.is_empty() { whole } else { Term::Path(Box::new(whole), Path(pending)) })
}

fn call(name: &'static str) -> Source<'static> {
    Term::Call(name, Vec::new())
}

fn pipe<'s>(left: Source<'s>, right: Source<'s>) -> Source<'s> {
    Term::BinOp(Box::new(left), BinaryOp::Pipe(None), Box::new(right))
}

fn after<'s>(term: Source<'s>, fuel: &'static str) -> Source<'s> {
    pipe(term, call(fuel))
}

fn refuse<'s>(word: &str, instead: &str) -> Rewritten<'s> {
    Err(format!("uses `{word}`, which is not taken here; {instead}"))
}
