//! Signals: told one after the other, and read page by page over both nodes.

use super::stage::{OPERATOR, READER, Stage};
use super::watching::watched;
use crate::bar::Complaints;
use crate::signals::freshness::observers::Seen;
use crate::signals::freshness::{name_of, round};
use assay_domain::Clock;
use serde_json::{Value, json};
use std::collections::HashMap;
use std::sync::Arc;
use std::time::Duration;

/// How the jobs that are told of begin.
pub const TITLE: &str = "Keeper of";
const TELL_EVERY: Duration = Duration::from_millis(700);
const POLL_EVERY: Duration = Duration::from_millis(500);
/// Numbers of names that no round has.
const FIRST: usize = 2_000_000;
const INGEST: &str = "/v1/ingest/signals";

/// What was told and acknowledged.
#[derive(Debug, Default)]
pub struct Told {
    /// When each round was sent for the last time, by its number.
    pub rounds: Vec<Duration>,
    pub jobs: Vec<String>,
}

/// Tells of a round, and of a job at a company that is watched, until the traffic is over.
pub async fn tell(stage: Arc<Stage>) -> Told {
    let firms = watched(&stage);
    let mut told = Told::default();
    while !stage.is_stopped() {
        let number = told.rounds.len();
        let title = format!("{TITLE} {}", name_of(FIRST + number));
        let (name, domain) = &firms[number % firms.len()];
        let job = json!({
            "id": format!("job-{number}"), "kind": "hiring", "occurredAt": Clock::system().now().to_rfc3339(),
            "company": { "name": name, "domain": domain }, "job": { "title": title, "applicants": 30 },
        });
        let body = json!({ "source": "soak", "signals": [round(number), job] });
        match stage.call(OPERATOR, INGEST, INGEST, &body).await {
            Some(answer) if answer.json()["accepted"] == 2 => {
                told.rounds.push(stage.front.watch.elapsed());
                told.jobs.push(title);
            }
            // It was complained of; whether it is there nobody knows, so that nothing more can be said of its number.
            Some(answer) => {
                stage.complain(format!("signals were not taken: {}", answer.json()));
                return told;
            }
            None => return told,
        }
        tokio::time::sleep(TELL_EVERY).await;
    }
    told
}

/// Reads the feed with one cursor over both nodes in turn; how often each round came, by its number.
pub async fn poll(stage: Arc<Stage>, last: tokio::sync::watch::Receiver<bool>) -> HashMap<usize, usize> {
    let mut seen = HashMap::new();
    let mut cursor: Option<String> = None;
    while !*last.borrow() {
        let after = cursor.as_ref().map(|cursor| format!("&cursor={cursor}")).unwrap_or_default();
        let path = format!("/v1/signals?kind=funding&limit=100{after}");
        if let Some(answer) = stage.read(READER, "/v1/signals", &path).await {
            let page = answer.json();
            for row in page["results"].as_array().into_iter().flatten() {
                if let Some(number) = number_of(row) {
                    *seen.entry(number).or_default() += 1;
                }
            }
            cursor = page["next_cursor"].as_str().map(str::to_owned).or(cursor);
        }
        tokio::time::sleep(POLL_EVERY).await;
    }
    seen
}

fn number_of(row: &Value) -> Option<usize> {
    row["company"]["domain"].as_str()?.strip_prefix("told-")?.strip_suffix(".example")?.parse().ok()
}

impl Told {
    /// As observers know them again.
    pub fn jobs_published(&self) -> Vec<(String, Duration)> {
        self.jobs.iter().map(|title| (format!("job {title}"), Duration::ZERO)).collect()
    }

    /// Everybody saw everything once.
    pub fn check(&self, observers: &[Seen], polled: &HashMap<usize, usize>, complaints: &mut Complaints) {
        let mut note = |who: &str, what: &str, times: usize| {
            if times != 1 {
                complaints.add(format!("{who} saw {what} {times} times"));
            }
        };
        for number in 0..self.rounds.len() {
            let times = polled.get(&number).copied().unwrap_or(0);
            note("a poller over both nodes", &format!("round {number}"), times);
        }
        for observer in observers {
            let is_of_rounds = observer.kinds.contains(&"form");
            let rounds = if is_of_rounds { self.rounds.len() } else { 0 };
            for number in 0..rounds {
                note(
                    &observer.name,
                    &format!("round {number}"),
                    observer.rounds.get(&number).map_or(0, Vec::len),
                );
            }
            let jobs = if is_of_rounds { &[] } else { self.jobs.as_slice() };
            for title in jobs {
                let times = observer.published.get(&format!("job {title}")).map_or(0, Vec::len);
                note(&observer.name, title, times);
            }
        }
    }
}
