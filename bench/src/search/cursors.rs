//! The `cursors` bar: pages walked over two nodes in turn while people change. Nobody comes twice, and nobody who stayed
//! the same is missed.

use super::{PEOPLE, ask, rig, walk};
use crate::bar::{Complaints, Verdict, grouped, progress};
use crate::http_client::Client;
use crate::rig::Rig;
use anyhow::{Context, Result};
use assay_testkit::Stopwatch;
use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use serde_json::{Value, json};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::Duration;

const WORLD: u64 = 5_000;
const WORLD_SHORT: u64 = 1_000;
const WALKS: usize = 30;
const WALKS_SHORT: usize = 4;
const PAGE: u32 = 25;
/// They take turns, since a fast service lets one through the rate of its plan.
const ACCOUNTS: usize = 3;
/// How often it is looked whether both nodes have read what was written before a walk.
const LOOK: Duration = Duration::from_millis(50);

/// Takes contacts from some people at random and gives headlines to them, so that they come later; and gives them back.
const CHANGE: &str = "with drawn as (select id from person order by random() limit 20 for update), changed as (
        update person set version = version + 1, facts = (case when facts->'bar' is null
            then facts::jsonb || jsonb_build_object('bar', json_build_array(coalesce(facts->'emails', '[]'), coalesce(facts->'phones', '[]')),
                                                    'emails', '[]'::jsonb, 'phones', '[]'::jsonb)
            else (facts::jsonb - 'bar') || jsonb_build_object('emails', facts->'bar'->0,
                                                              'phones', facts->'bar'->1) end)::json
        where id in (select id from drawn) returning id, version)
    insert into change_inbox (entity_kind, entity_id, version) select 1, id, version from changed";

pub async fn run(short: bool) -> Result<Verdict> {
    let (people, walks) = if short { (WORLD_SHORT, WALKS_SHORT) } else { (WORLD, WALKS) };
    let rig = rig(people, ACCOUNTS)?;
    let (one, other) = (rig.serve(&[])?, rig.serve(&[])?);
    let mut clients = [one.client(), other.client()];
    let mut complaints = Complaints::default();
    let (mut rows, mut left_out) = (0_usize, 0_usize);
    let (stop, changes) = (AtomicBool::new(false), AtomicUsize::new(0));
    let outcome: Result<()> = std::thread::scope(|scope| {
        let changing = scope.spawn(|| keep_changing(&rig, &stop, &changes));
        let walked = tokio::task::block_in_place(|| {
            tokio::runtime::Handle::current().block_on(async {
                for number in 0..walks {
                    progress(format!("walk {} of {walks}", number + 1));
                    let api_key = &rig.accounts[number % ACCOUNTS].api_key;
                    let before = versions(&rig)?;
                    settle(&rig, &mut clients, api_key).await?;
                    let ids = walk(&mut clients, api_key, PEOPLE, &json!({}), PAGE).await?.ids;
                    let after = versions(&rig)?;
                    let shown: BTreeSet<&String> = ids.iter().collect();
                    if shown.len() != ids.len() {
                        complaints.add(format!("walk {number}: {} came twice", ids.len() - shown.len()));
                    }
                    let unchanged = before.iter().filter(|(id, version)| after.get(*id) == Some(version));
                    let missed = unchanged.filter(|(id, _)| !shown.contains(id)).count();
                    if missed > 0 {
                        complaints.add(format!("walk {number}: {missed} stayed the same and were missed"));
                    }
                    rows += ids.len();
                    left_out += before.len().saturating_sub(shown.len());
                }
                Ok(())
            })
        });
        stop.store(true, Ordering::Relaxed);
        let changed = changing.join().unwrap_or_else(|_| anyhow::bail!("the writer panicked"));
        walked.and(changed)
    });
    outcome?;
    let changed = changes.load(Ordering::Relaxed);
    let figure = format!(
        "cursors: {walks} walks, {} rows over two nodes, {} changes meanwhile, {} left out for having changed, {} wrong",
        grouped(rows),
        grouped(changed),
        grouped(left_out),
        complaints.count()
    );
    // Without changes while pages are read nothing is shown.
    Ok(Verdict { figure, passed: complaints.is_empty() && changed > 0 && left_out > 0 })
}

/// Waits until what is written by now is in the indexes of all nodes, however busy the machine is. A cursor tells how far the
/// node that gave it has read.
async fn settle(rig: &Rig, clients: &mut [Client], api_key: &str) -> Result<()> {
    let number = |sql: &str| -> Result<u64> { Ok(rig.postgres.psql(rig.graph_name(), sql)?.trim().parse()?) };
    let last = number("select coalesce(max(id), 0) from change_inbox")?;
    while number(&format!("select count(*) from change_inbox where id <= {last}"))? > 0 {
        tokio::time::sleep(LOOK).await;
    }
    let head = number("select seq from change_log_head")?;
    for client in clients {
        loop {
            let page = ask(client, api_key, PEOPLE, &json!({ "limit": 1 })).await?;
            let cursor = page["next_cursor"].as_str().context("everybody fits on one page")?;
            let cursor: Value = serde_json::from_slice(&URL_SAFE_NO_PAD.decode(cursor)?)?;
            if cursor["seq"].as_u64().context("a cursor without an entry")? >= head {
                break;
            }
            tokio::time::sleep(LOOK).await;
        }
    }
    Ok(())
}

fn keep_changing(rig: &Rig, stop: &AtomicBool, changes: &AtomicUsize) -> Result<()> {
    let watch = Stopwatch::start();
    while !stop.load(Ordering::Relaxed) {
        rig.postgres.psql(rig.graph_name(), CHANGE)?;
        changes.fetch_add(20, Ordering::Relaxed);
        // Some of the walks see a burst, some see little.
        let pause = if watch.elapsed().as_secs().is_multiple_of(2) { 50 } else { 250 };
        std::thread::sleep(Duration::from_millis(pause));
    }
    Ok(())
}

/// Everybody, and how often each was changed.
fn versions(rig: &Rig) -> Result<BTreeMap<String, i64>> {
    let select = "select json_object_agg('per_' || replace(id::text, '-', ''), version) from person";
    Ok(serde_json::from_str(&rig.postgres.psql(rig.graph_name(), select)?)?)
}
