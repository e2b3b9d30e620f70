//! For whoever writes the rules: notices that were put together wrongly, and events that are in several pieces.

use super::Put;
use super::sources::Said;
use super::truth::{Event, Truth};
use anyhow::Result;
use assay_domain::signal::{Content, Party};
use std::collections::BTreeMap;
use std::io::Write;
use std::path::Path;
use uuid::Uuid;

pub fn write(path: &Path, truth: &Truth, said: &[Said], put: &Put) -> Result<()> {
    let mut by_signal: BTreeMap<Uuid, Vec<&Said>> = BTreeMap::new();
    let mut by_event: BTreeMap<usize, Vec<(&Said, Uuid)>> = BTreeMap::new();
    for said in said {
        let key = (said.source.to_owned(), said.notice.reference.clone());
        let Some(signal) = put.get(&key).copied() else { continue };
        by_signal.entry(signal).or_default().push(said);
        by_event.entry(said.event).or_default().push((said, signal));
    }
    let mut out = std::io::BufWriter::new(std::fs::File::create(path)?);
    for all in by_signal.values() {
        if all.iter().any(|said| Some(said.event) != all.first().map(|first| first.event)) {
            writeln!(out, "MIXED")?;
            for said in all {
                writeln!(out, "  {} {}", said.event, tell(said))?;
            }
        }
    }
    for (event, all) in &by_event {
        if all.iter().any(|(_, signal)| Some(*signal) != all.first().map(|(_, first)| *first)) {
            writeln!(out, "SPLIT {}", name(truth, *event))?;
            for (said, signal) in all {
                writeln!(out, "  {} {}", &signal.to_string()[28..], tell(said))?;
            }
        }
    }
    Ok(out.flush()?)
}

fn name(truth: &Truth, event: usize) -> String {
    match &truth.events[event] {
        Event::Round { firm, round, .. } => {
            let firm = &truth.firms[*firm];
            format!(
                "{} (known {}) {} on {}",
                firm.name,
                firm.is_known,
                round.stage.as_str(),
                round.announced_on
            )
        }
        Event::Deal { acquirer, target, on, .. } => {
            format!("{} by {} on {on}", truth.firms[*target].name, truth.firms[*acquirer].name)
        }
    }
}

fn tell(said: &Said) -> String {
    let notice = &said.notice;
    let party = |party: &Party| {
        let domain = party.domain.as_ref().map(ToString::to_string).unwrap_or_default();
        format!("{} <{domain}> {}", party.name, party.country.as_deref().unwrap_or_default())
    };
    let told = match &notice.content {
        Content::Funding(round) => format!(
            "{} | {} {:?} {}",
            party(&notice.company),
            round.stage.as_str(),
            round.amount.map(|amount| amount / 100),
            round.currency.as_deref().unwrap_or_default()
        ),
        Content::Acquisition(deal) => {
            format!("{} | bought by {} | {:?}", party(&deal.target), party(&deal.acquirer), deal.price)
        }
        other => other.kind().as_str().to_owned(),
    };
    format!("{:<8} {} | {told}", said.source, notice.occurred_at.date_naive())
}
