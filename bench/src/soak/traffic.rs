//! Single calls of every kind, at a steady rate, whatever became of those before.

use super::front::Ask;
use super::stage::{CALLERS, POOR, READER, Stage};
use crate::research::coverage::questions::questions;
use crate::research::coverage::rows::{ROWS, credits};
use anyhow::{Context, Result};
use assay_service::CATALOG;
use rand::seq::IndexedRandom;
use serde_json::{Value, json};
use std::sync::Arc;
use std::time::Duration;
use tokio::task::JoinSet;

/// What is read for nothing: the path as it is documented, and with its query.
const READS: [(&str, &str); 11] = [
    ("/v1/me", "/v1/me"),
    ("/v1/me/history", "/v1/me/history?limit=5"),
    ("/v1/me/people", "/v1/me/people?limit=5"),
    ("/v1/suggest", "/v1/suggest?field=industry&text=s"),
    ("/v1/suggest", "/v1/suggest?field=technologies"),
    ("/v1/suggest", "/v1/suggest?field=city&text=b"),
    ("/v1/keys", "/v1/keys"),
    ("/v1/bulk", "/v1/bulk?limit=5"),
    ("/v1/watch-lists", "/v1/watch-lists"),
    ("/v1/saved-icps", "/v1/saved-icps"),
    ("/v1/webhooks", "/v1/webhooks"),
];

/// A question to an endpoint of the specification: its path, and the body or what is added to the query.
#[derive(Debug, Clone)]
struct Question {
    template: &'static str,
    path: &'static str,
    put: Value,
}

pub struct Traffic {
    stage: Arc<Stage>,
    /// One that finds something and one that finds nothing, to every endpoint.
    questions: Vec<Question>,
    rehearsals: Vec<(String, String)>,
}

impl Traffic {
    pub fn new(stage: &Arc<Stage>) -> Result<Self> {
        let (mut all, mut rehearsals) = (Vec::new(), Vec::new());
        for row in ROWS {
            let asked = questions(row, &stage.cast)?;
            for put in [asked.hit, asked.miss] {
                all.push(Question { template: row.place(), path: row.path, put });
            }
            if row.method == "POST" {
                let entry = CATALOG.iter().find(|entry| entry.spec.path == row.path);
                let example = (entry.context("no row of the catalog")?.example)().0;
                rehearsals.push((row.path.replacen("/v1/", "/v1/sandbox/", 1), example.to_string()));
            }
        }
        Ok(Self { stage: Arc::clone(stage), questions: all, rehearsals })
    }

    /// Calls until the time is over, and returns when the last is answered; how many there were.
    pub async fn drive(self, per_second: u32, length: Duration) -> Result<usize> {
        let this = Arc::new(self);
        let begun = this.stage.front.watch.elapsed();
        let mut calling = JoinSet::new();
        for number in 0_u32.. {
            let due = Duration::from_secs(1) * number / per_second;
            if due >= length {
                break;
            }
            tokio::time::sleep((begun + due).saturating_sub(this.stage.front.watch.elapsed())).await;
            let this = Arc::clone(&this);
            calling.spawn(async move { this.one(usize::try_from(number).unwrap_or(0)).await });
            // What has ended is let go of.
            while let Some(ended) = calling.try_join_next() {
                ended?;
            }
        }
        while let Some(ended) = calling.join_next().await {
            ended?;
        }
        Ok(usize::try_from(per_second)? * usize::try_from(length.as_secs())?)
    }

    async fn one(&self, number: usize) {
        let stage = &self.stage;
        let payer = CALLERS.start + number % CALLERS.len();
        match rand::random_range(0..100_u32) {
            0..30 => self.enrich(payer, self.somebody()).await,
            30..38 => stage.call_carelessly("/v1/enrich", &json!({ "email": self.somebody() })).await,
            38..42 => self.enrich(payer, format!("nobody-{number}@unknown.example")).await,
            42..47 => self.enrich(POOR, self.somebody()).await,
            47..65 => self.ask_a_row(payer, number).await,
            65..79 => self.ask_vendor(payer, stage.number()).await,
            79..92 => self.read_something(payer).await,
            _ => self.rehearse().await,
        }
    }

    fn somebody(&self) -> String {
        self.stage.emails.choose(&mut rand::rng()).cloned().unwrap_or_default()
    }

    async fn enrich(&self, payer: usize, email: String) {
        drop(self.stage.call(payer, "/v1/enrich", "/v1/enrich", &json!({ "email": email })).await)
    }

    async fn ask_a_row(&self, payer: usize, number: usize) {
        let Question { template, path, put } = &self.questions[number % self.questions.len()];
        match put.as_str() {
            Some(query) => drop(self.stage.read(READER, template, &format!("{path}{query}")).await),
            None => drop(self.stage.call(payer, template, path, put).await),
        }
    }

    /// For somebody nobody has asked for, so that no answer is kept.
    async fn ask_vendor(&self, payer: usize, number: usize) {
        let domain = format!("soak-{number}.example");
        let named =
            json!({ "kind": "name", "firstName": "Vesna", "lastName": "Quill", "domain": domain.clone() });
        let (path, question) = match number % 4 {
            0 => ("/v1/find-phone", json!({ "firstName": "Vesna", "lastName": "Quill", "domain": domain })),
            1 => ("/v1/find-email", named),
            2 => ("/v1/find-personal-email", named),
            _ => ("/v1/verify-email", json!({ "email": format!("vesna.quill@{domain}") })),
        };
        drop(self.stage.call(payer, path, path, &question).await);
    }

    async fn read_something(&self, payer: usize) {
        let (template, path) = READS.choose(&mut rand::rng()).copied().unwrap_or(READS[0]);
        let Some(answer) = self.stage.read(payer, template, path).await else { return };
        if template == "/v1/me" {
            let me = answer.json();
            let [available, held] = ["available", "held"].map(|side| credits(&me["balance"][side]));
            if available.is_none_or(|credits| credits < 0) || held.is_none_or(|credits| credits < 0) {
                self.stage.complain(format!("a balance below zero: {}", me["balance"]));
            }
        }
    }

    /// Without a key.
    async fn rehearse(&self) {
        let Some((path, example)) = self.rehearsals.choose(&mut rand::rng()) else { return };
        let ask = Ask { body: Some(example), ..Ask::get(path, path, "") };
        let Some(answer) = self.stage.front.insist(&ask).await else { return };
        if answer.json()["sandbox"] != Value::Bool(true) {
            self.stage.complain(format!("{path} is no rehearsal"));
        }
    }
}
