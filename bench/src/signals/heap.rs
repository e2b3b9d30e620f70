//! Millions of signals: a few are told to a node, which writes them as it does, and the others are copies of its rows under
//! ids and domains of their own, with places that the store itself gives them.

use super::teller::Teller;
use crate::bar::{a_second, grouped, progress};
use crate::rig::{Rig, Server};
use anyhow::{Context, Result, ensure};
use assay_domain::clock::Stopwatch;
use assay_store::graph::Turn;
use assay_store::{Database, Graph};
use serde_json::{Value, json};
use std::time::Duration;
use uuid::Uuid;

/// Of each kind.
const TOLD: usize = 200;
const KINDS: [&str; 4] = ["funding", "acquisition", "hiring", "job-change"];
/// Copied at once: the inbox of changes is empty after each.
const SLICE: u64 = 500_000;
/// So many are of one company, more than half of them jobs.
const OF_ONE_COMPANY: u64 = 400;
const PLACED_WITHIN: Duration = Duration::from_secs(60);
const COUNTRIES: [&str; 10] = ["US", "DE", "FR", "GB", "NL", "SE", "ES", "IT", "PL", "JP"];
const STAGES: [&str; 5] = ["pre_seed", "seed", "series_a", "series_b", "series_c"];
const NODE: Uuid = Uuid::from_u128(0xba5);

/// Which row a copy is made of: of a hundred, sixty are jobs and one is a purchase, all mixed.
const TEMPLATES: &str = "create table bar_template as
    select kind, row_number() over (partition by kind order by id) - 1 as place, occurred_at, domain, other_domain, country,
        industry, department, stage, amount, applicants, body::text as body
    from signal;
    alter table bar_template add primary key (kind, place);
    analyze bar_template";

/// How many companies they are about. Not a round number: each company would have one kind only.
pub fn companies(count: u64) -> u64 {
    count / OF_ONE_COMPANY + 1
}

/// Tells a few, waits until they have their places, and copies them until there are as many as wanted.
pub async fn fill(rig: &Rig, count: u64) -> Result<()> {
    let server = rig.serve(&[])?;
    tell(rig, &server).await?;
    // The store gives the places in this process from now on.
    server.stop()?;
    let select = |sql: &str| rig.postgres.psql(rig.graph_name(), sql);
    let entity: i16 = select("select distinct entity_kind from change_log join signal on id = entity_id")?
        .trim()
        .parse()?;
    select(TEMPLATES)?;
    let graph = Graph::connect(&Database::at(&rig.graph_url())).await?;
    let watch = Stopwatch::start();
    let there = u64::try_from(TOLD * KINDS.len())?;
    let mut next = there;
    while next < count {
        let end = count.min(next + SLICE);
        select(&copies(next, end, companies(count)))?;
        select(&format!(
            "insert into change_inbox (entity_kind, entity_id, version)
             select {entity}, id, revision from signal where id >= {} order by id",
            id_of(next)
        ))?;
        while !matches!(graph.sequence(NODE).await?, Turn::Sequenced { moved: 0, .. }) {}
        select("vacuum change_inbox")?;
        next = end;
    }
    graph.stop_sequencing(NODE).await?;
    progress(format!(
        "{} signals, {} a second",
        grouped(usize::try_from(count)?),
        a_second(count, watch.elapsed())
    ));
    select("vacuum analyze")?;
    check(rig, count)
}

async fn tell(rig: &Rig, server: &Server) -> Result<()> {
    let mut teller = Teller::new(rig, server)?;
    for kind in KINDS {
        let told: Vec<Value> = (0..TOLD).map(|number| told(kind, number)).collect();
        teller.tell(&told).await?;
    }
    let watch = Stopwatch::start();
    let placed = || rig.postgres.psql(rig.graph_name(), "select count(*) from signal_feed");
    while placed()?.trim() != (TOLD * KINDS.len()).to_string() {
        ensure!(watch.elapsed() < PLACED_WITHIN, "the first signals have no places");
        tokio::time::sleep(Duration::from_millis(200)).await;
    }
    Ok(())
}

/// No two of them are one event.
fn told(kind: &str, number: usize) -> Value {
    let of = |list: &[&'static str]| list[number % list.len()];
    let company = |side: &str| {
        json!({
            "name": format!("{side} {kind} {number}"), "domain": format!("{side}-{kind}-{number}.example"),
            "country": of(&COUNTRIES),
        })
    };
    let mut signal = json!({
        "id": format!("{kind}-{number}"), "kind": kind, "occurredAt": format!("2026-10-{:02}T09:00:00Z", 1 + number % 28),
        "url": format!("https://wire.example/{kind}/{number}"), "company": company("one"),
    });
    match kind {
        "funding" => {
            signal["funding"] = json!({
                "stage": of(&STAGES), "amount": (number + 1) * 100_000_000, "currency": "USD",
                "investors": ["Cedar Hill Ventures", "Lakeside Capital"],
            });
        }
        "acquisition" => {
            signal["acquisition"] = json!({
                "acquirer": company("other"), "price": (number + 1) * 1_000_000_000,
                "currency": "USD",
            });
        }
        "hiring" => {
            signal["job"] = json!({
                "title": format!("Engineer for product {number}"), "department": "engineering", "applicants": number,
            });
        }
        _ => {
            signal["person"] = json!({ "fullName": format!("Zadie Quorn{number}") });
            signal["change"] = json!({
                "kind": "new_company", "from": { "title": "Engineering Manager", "company": company("other") },
                "to": { "title": "VP of Engineering", "company": company("one") },
            });
        }
    }
    signal
}

/// Ids grow, as those that nodes make do.
fn id_of(number: u64) -> String {
    format!("'{}'::uuid", Uuid::from_u64_pair(0xfff0_0000_0000_7000, 0x8000_0000_0000_0000 | number))
}

fn copies(from: u64, to: u64, companies: u64) -> String {
    format!(
        "insert into signal (id, revision, kind, detected_at, occurred_at, domain, other_domain, country, industry, department,
             stage, amount, applicants, body)
         select ('fff00000-0000-7000-8000-' || lpad(to_hex(number), 12, '0'))::uuid, 1, t.kind, now(), t.occurred_at, named.domain,
             t.other_domain, t.country, t.industry, t.department, t.stage, t.amount, t.applicants,
             replace(t.body, '\"' || t.domain || '\"', '\"' || named.domain || '\"')::json
         from generate_series({from}::bigint, {to} - 1) as number
         cross join lateral (select number * 37 % 100 as share, 'c' || number % {companies} || '.example' as domain) as named
         join bar_template t on t.kind = case when share < 60 then 3 when share < 85 then 4 when share < 99 then 1 else 2 end
             and t.place = number / 100 * 61 % {TOLD}
         order by number"
    )
}

/// What was copied is in the feed at places of its own, and reads as what the node wrote.
fn check(rig: &Rig, count: u64) -> Result<()> {
    let told = rig.postgres.psql(
        rig.graph_name(),
        "select count(*) || ' ' || count(distinct seq) || ' ' || (select seq from change_log_head) - max(seq) from signal_feed",
    )?;
    let figures: Vec<u64> =
        told.trim().split(' ').map(str::parse).collect::<Result<_, _>>().context(told.clone())?;
    ensure!(figures == [count, count, 0], "the feed is not what was loaded: {told}");
    Ok(())
}
