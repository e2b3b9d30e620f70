//! A watch list that is run again and again, and a saved ICP that is asked for what is new: nothing is told twice, and in the end
//! everything was told.

use super::stage::{Stage, WATCHER, id_of};
use crate::bar::Complaints;
use anyhow::Result;
use assay_domain::limits::{CALL_DEADLINE, HOLD_GRACE};
use assay_testkit::Deadline;
use serde_json::{Value, json};
use std::collections::HashMap;
use std::sync::Arc;
use std::time::Duration;

const COMPANIES: usize = 30;
const RUN_EVERY: Duration = Duration::from_millis(1_500);
/// One run of so many is read again.
const READ_AGAIN: usize = 8;
const ROWS: usize = 3;

pub struct Watching {
    stage: Arc<Stage>,
    list: String,
    icp: String,
}

/// What was told, by how often.
#[derive(Debug, Default)]
pub struct Told {
    pub jobs: HashMap<String, usize>,
    pub companies: HashMap<String, usize>,
    pub runs: usize,
}

/// Companies that are watched, and that something is told of.
pub fn watched(stage: &Stage) -> Vec<(String, String)> {
    let led = stage.cast.led.iter().take(COMPANIES);
    led.map(|firm| (firm.name.clone(), firm.domain.clone())).collect()
}

impl Watching {
    pub async fn begin(stage: &Arc<Stage>) -> Result<Self> {
        let entries: Vec<String> = watched(stage).into_iter().map(|(_, domain)| domain).collect();
        let list = json!({ "name": "soak", "kind": "companies", "entries": entries, "track": ["hiring"] });
        let list = stage.call(WATCHER, "/v1/watch-lists", "/v1/watch-lists", &list).await;
        let icp =
            json!({ "name": "soak", "target": "companies", "filters": { "employee_count": { "min": 1 } } });
        let icp = stage.call(WATCHER, "/v1/saved-icps", "/v1/saved-icps", &icp).await;
        Ok(Self { stage: Arc::clone(stage), list: id_of(list.as_ref())?, icp: id_of(icp.as_ref())? })
    }

    /// Runs both until the traffic is over.
    pub async fn work(self) -> (Self, Told) {
        let mut told = Told::default();
        while !self.stage.is_stopped() {
            self.run_list(&mut told).await;
            self.run_icp(&mut told).await;
            tokio::time::sleep(RUN_EVERY).await;
        }
        (self, told)
    }

    /// Goes on until the list has told of all of them; what a run of a dead node took is another's when its time is over.
    pub async fn tell_the_rest(&self, wanted: &[String], told: &mut Told) {
        let deadline = Deadline::after(CALL_DEADLINE + HOLD_GRACE + Duration::from_secs(20));
        while wanted.iter().any(|title| !told.jobs.contains_key(title)) && !deadline.passed() {
            self.run_list(told).await;
            tokio::time::sleep(RUN_EVERY).await;
        }
        // For whatever would come twice.
        self.run_list(told).await;
    }

    async fn run_list(&self, told: &mut Told) {
        let path = format!("/v1/watch-lists/{}/run", self.list);
        let wish = json!({ "limit": 100 });
        let Some(run) = self.stage.call(WATCHER, "/v1/watch-lists/{id}/run", &path, &wish).await else {
            return;
        };
        told.runs += 1;
        let run = run.json();
        let titles = titles(&run);
        for title in &titles {
            *told.jobs.entry(title.clone()).or_default() += 1;
        }
        if told.runs.is_multiple_of(READ_AGAIN) && !titles.is_empty() {
            self.read_again(&run, titles).await;
        }
    }

    async fn read_again(&self, run: &Value, mut titles: Vec<String>) {
        let id = run["run_id"].as_str().unwrap_or_default();
        let path = format!("/v1/watch-lists/{}/results?limit=100&run_id={id}", self.list);
        let results = self.stage.read(WATCHER, "/v1/watch-lists/{id}/results", &path).await;
        let mut again = results.map(|results| self::titles(&results.json())).unwrap_or_default();
        again.sort_unstable();
        titles.sort_unstable();
        if again != titles {
            self.stage.complain(format!("run {id} told of {titles:?}, and read again of {again:?}"));
        }
    }

    async fn run_icp(&self, told: &mut Told) {
        let path = format!("/v1/saved-icps/{}/run", self.icp);
        let wish = json!({ "only_new": true, "limit": ROWS });
        let run = self.stage.call(WATCHER, "/v1/saved-icps/{id}/run", &path, &wish).await;
        let run = run.map(|run| run.json()).unwrap_or_default();
        for company in run["results"].as_array().into_iter().flatten() {
            let id = company["id"].as_str().unwrap_or_default().to_owned();
            *told.companies.entry(id).or_default() += 1;
        }
    }
}

/// The titles of the jobs that the bar told of.
fn titles(run: &Value) -> Vec<String> {
    let hits = run["results"].as_array().into_iter().flatten();
    let signals = hits.filter_map(|hit| hit["signals"].as_array()).flatten();
    let titles = signals.filter_map(|signal| signal["job"]["title"].as_str());
    titles.filter(|title| title.starts_with(super::news::TITLE)).map(str::to_owned).collect()
}

impl Told {
    pub fn check(&self, wanted: &[String], complaints: &mut Complaints) {
        for title in wanted {
            match self.jobs.get(title).copied().unwrap_or(0) {
                1 => {}
                times => complaints.add(format!("the watch list told of {title:?} {times} times")),
            }
        }
        for (id, times) in self.companies.iter().filter(|(_, times)| **times > 1) {
            complaints.add(format!("the saved ICP showed {id} as new {times} times"));
        }
        if self.companies.is_empty() {
            complaints.add("the saved ICP showed nothing");
        }
    }
}
