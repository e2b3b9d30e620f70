//! The rate headers of every reply, read by a parser of structured fields that is not ours.

use crate::http_client::Reply;
use anyhow::{Context, ensure};
use sfv::{BareItem, KeyRef, List, ListEntry, Parser};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};

const TOLD_MAX: usize = 20;
/// A minute, the slot it ends in, and what clocks and busy nodes may add.
const SECONDS_MAX: u32 = 65;

/// What was seen so far, by all who send.
#[derive(Debug, Default)]
pub struct Fields {
    parsed: AtomicUsize,
    complaints: Mutex<Vec<String>>,
}

/// A member of either header: its name, and two of its numbers.
type Member = (String, i64, i64);

impl Fields {
    pub fn look(&self, reply: &Reply<'_>, retry_after: Option<u32>) {
        // Shed before anybody knew whose call it was.
        if reply.status == 503 && reply.header("ratelimit").is_none() {
            return;
        }
        match check(reply, retry_after) {
            Ok(()) => drop(self.parsed.fetch_add(2, Ordering::Relaxed)),
            Err(error) => {
                let mut complaints = self.complaints.lock().unwrap_or_else(PoisonError::into_inner);
                if complaints.len() < TOLD_MAX {
                    complaints.push(format!("{error:#}"));
                }
            }
        }
    }

    pub fn parsed(&self) -> usize {
        self.parsed.load(Ordering::Relaxed)
    }

    pub fn complaints(&self) -> Vec<String> {
        self.complaints.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }
}

fn check(reply: &Reply<'_>, retry_after: Option<u32>) -> anyhow::Result<()> {
    let policies = members(reply, "ratelimit-policy", ["q", "w"])?;
    let states = members(reply, "ratelimit", ["r", "t"])?;
    ensure!(!policies.is_empty() && policies.len() == states.len(), "{policies:?} but {states:?}");
    for ((name, quota, window), (of, remaining, reset)) in policies.iter().zip(&states) {
        ensure!(name == of && *window == 60, "{policies:?} but {states:?}");
        ensure!(
            (0..=*quota).contains(remaining) && (0..=i64::from(SECONDS_MAX)).contains(reset),
            "{policies:?} but {states:?}"
        );
        if let Some(seconds) = retry_after {
            ensure!(*reset <= i64::from(seconds), "t={reset} but Retry-After: {seconds}");
        }
    }
    if reply.status == 429 {
        ensure!(
            retry_after.is_some_and(|seconds| (1..=SECONDS_MAX).contains(&seconds)),
            "429 with {retry_after:?}"
        );
        ensure!(states.iter().any(|(_, remaining, _)| *remaining == 0), "429 with {states:?}");
    }
    Ok(())
}

fn members(reply: &Reply<'_>, header: &str, wanted: [&str; 2]) -> anyhow::Result<Vec<Member>> {
    let text = reply.header(header).with_context(|| format!("{} without {header}", reply.status))?;
    let list: List = Parser::new(text).parse().with_context(|| format!("{header}: {text}"))?;
    let member = |entry: &ListEntry| {
        let ListEntry::Item(item) = entry else { anyhow::bail!("an inner list in {text}") };
        let BareItem::String(name) = &item.bare_item else { anyhow::bail!("no string in {text}") };
        let number = |key: &str| -> anyhow::Result<i64> {
            match item.params.get(KeyRef::from_str(key)?) {
                Some(BareItem::Integer(number)) => Ok((*number).into()),
                other => anyhow::bail!("{key} is {other:?} in {text}"),
            }
        };
        Ok((name.as_str().to_owned(), number(wanted[0])?, number(wanted[1])?))
    };
    list.iter().map(member).collect()
}
