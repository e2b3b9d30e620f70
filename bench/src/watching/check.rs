//! What was told and what it cost, held against what the bar itself knows: what happened, and who watches whom.

use super::book::{Hit, PRICE, Page, Seen, Transition};
use super::callers::Office;
use super::cast::Cast;
use super::story::Event;
use crate::bar::Complaints;
use crate::http_client::{Client, Exchange};
use crate::rig::Rig;
use anyhow::{Context, Result, bail};
use assay_store::Ledger;
use serde::Deserialize;
use std::collections::HashSet;

/// What came of the comparison.
#[derive(Debug, Default)]
pub(super) struct Findings {
    pub twice: Complaints,
    pub never: Complaints,
    /// Told without having happened, told to nobody, or charged otherwise.
    pub other: Complaints,
    /// Entries of answers that never came, read again.
    pub recovered: usize,
    /// Entries that schedules told of.
    pub by_schedule: usize,
    /// Entries told of, by account.
    pub entries: Vec<usize>,
    pub transitions: usize,
}

/// What each list is to tell, each of it once.
pub(super) fn expected(cast: &Cast, events: &[Event]) -> Vec<HashSet<Transition>> {
    let mut lists = vec![HashSet::new(); cast.lists.len()];
    for event in events {
        for (subject, transition) in &event.told {
            for list in cast.told_by(*subject, transition) {
                lists[list].insert((*subject, event.at));
            }
        }
    }
    lists
}

/// Whatever schedules told, and whatever answers were lost, is read again; everything else was seen by those who asked.
pub(super) async fn compare(
    office: &Office,
    expected: &[HashSet<Transition>],
    seen: &[Seen],
    mut findings: Findings,
) -> Result<Findings> {
    findings.entries = vec![0; office.api_keys.len()];
    for (list, (expected, seen)) in expected.iter().zip(seen).enumerate() {
        let plan = &office.cast.lists[list];
        let asked = each_once(list, &seen.page.told, &mut findings.twice);
        let page = if plan.is_scheduled || seen.lost > 0 {
            let read = read_again(office, list).await?;
            let all = each_once(list, &read.told, &mut findings.twice);
            for gone in asked.difference(&all) {
                findings.other.add(format!("list {list} told {gone:?} and does not remember it"));
            }
            // Both are told; what those who asked have not seen was told by a schedule, or lost.
            let unseen = read.entries.saturating_sub(seen.page.entries);
            let whose = if plan.is_scheduled { &mut findings.by_schedule } else { &mut findings.recovered };
            *whose += unseen;
            read
        } else {
            seen.page.clone()
        };
        findings.entries[plan.account] += page.entries;
        findings.transitions += page.told.len();
        let told: HashSet<Transition> = page.told.iter().copied().collect();
        for missing in expected.difference(&told) {
            findings.never.add(format!("list {list} never told {missing:?}"));
        }
        for invented in told.difference(expected) {
            findings.other.add(format!("list {list} told {invented:?}, which it was not to tell"));
        }
    }
    Ok(findings)
}

fn each_once(list: usize, told: &[Transition], twice: &mut Complaints) -> HashSet<Transition> {
    let mut all = HashSet::with_capacity(told.len());
    for transition in told {
        if !all.insert(*transition) {
            twice.add(format!("list {list} told {transition:?} twice"));
        }
    }
    all
}

#[derive(Debug, Deserialize)]
struct Results {
    results: Vec<Hit>,
    next_cursor: Option<String>,
}

/// All that a list told so far.
async fn read_again(office: &Office, list: usize) -> Result<Page> {
    let id = office.ids[list].get().context("a list that was never made")?;
    let mut client = Client::new(office.nodes[0]);
    let mut page = Page::default();
    let mut cursor: Option<String> = None;
    loop {
        let after = cursor.map(|cursor| format!("&cursor={cursor}")).unwrap_or_default();
        let path = format!("/v1/watch-lists/{id}/results?limit=100{after}");
        let read: Results = match client.get(&path, office.api_key(list)).await {
            Exchange::Whole(reply) if reply.status == 200 => serde_json::from_slice(reply.body)?,
            Exchange::Whole(reply) => {
                bail!("{path}: {} {}", reply.status, String::from_utf8_lossy(reply.body))
            }
            Exchange::Half | Exchange::Nothing => bail!("{path}: no whole answer"),
        };
        page.add(&read.results, &office.cast)?;
        cursor = read.next_cursor;
        if cursor.is_none() {
            return Ok(page);
        }
    }
}

/// What was booked for an account, in thousandths.
#[derive(Debug, PartialEq, Eq, sqlx::FromRow)]
struct Booked {
    history: i64,
    postings: i64,
    given_back: i64,
}

const BOOKED: &str = "select
    (select coalesce(sum(credits), 0)::bigint from history where account_id = $1 and endpoint = 'watch-lists-run') as history,
    (select coalesce(sum(amount), 0)::bigint from posting where account_id = $1 and kind in (2, 4)) as postings,
    (select coalesce(sum(amount), 0)::bigint from posting where account_id = $1 and kind = 5) as given_back";

/// The accounts have done nothing else that costs anything.
pub(super) async fn check_bills(ledger: &Ledger, rig: &Rig, findings: &mut Findings) -> Result<()> {
    for (account, entries) in findings.entries.iter().enumerate() {
        let booked: Booked =
            sqlx::query_as(BOOKED).bind(rig.accounts[account].id.uuid()).fetch_one(ledger.pool()).await?;
        let due = i64::try_from(*entries)? * PRICE.thousandths();
        let right = Booked { history: due, postings: due, given_back: 0 };
        if booked != right {
            findings.other.add(format!("account {account}: {booked:?} instead of {right:?}"));
        }
    }
    for violation in rig.audit().await? {
        findings.other.add(violation);
    }
    Ok(())
}
