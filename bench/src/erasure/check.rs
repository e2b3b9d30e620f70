//! Looks for erased people wherever an answer could show them.

use super::asks::{Ask, Caller, of_company, of_contacts, of_person, unchunked};
use super::cast::Somebody;
use super::scene::{Kept, Scene};
use crate::bar::{grouped, progress};
use crate::canaries::scan::Scanner;
use crate::canaries::seeds::{Canary, Kind};
use crate::canaries::wire::Told;
use crate::research::coverage::cast::Cast;
use crate::research::coverage::questions::questions;
use crate::research::coverage::rows::ROWS;
use anyhow::{Result, ensure};
use serde_json::{Value, json};
use std::collections::{BTreeMap, BTreeSet};

/// Places that answer without showing anybody, also before anybody is erased: histories know ids, a verdict is of an address,
/// and a company is nobody.
const SHOW_NOBODY: &[&str] = &[
    "/v1/verify-email",
    "/v1/companies",
    "/v1/me/history",
    "/v1/me/history/export",
    "/v1/bulk",
    "/v1/bulk/{id}/events",
    "/v1/watch-lists",
    "/v1/watch-lists/{id}",
    "/v1/saved-icps",
    "/v1/webhooks/{id}/deliveries",
    "/v1/suppressions",
];
const CALLERS_AT_ONCE: usize = 6;

/// What was found where.
pub struct Check<'a> {
    scene: &'a Scene,
    pub scanner: Scanner,
    pub calls: usize,
    /// How often the people were seen, by the place of the call.
    pub seen: BTreeMap<String, usize>,
}

/// A call with who makes it.
type Asked = (Caller, Ask, Option<String>);

impl<'a> Check<'a> {
    pub fn of(scene: &'a Scene, people: &[&Somebody], world_ids: &BTreeSet<String>) -> Result<Self> {
        let mut canaries = Vec::new();
        for somebody in people {
            canaries.extend(somebody.canaries()?);
            canaries.push(Canary::new(Kind::Name, &*somebody.id));
        }
        canaries.retain(|canary| !canary.text.is_empty());
        canaries.extend(world_ids.iter().map(|id| Canary::new(Kind::Name, id.as_str())));
        Ok(Self { scene, scanner: Scanner::new(&canaries)?, calls: 0, seen: BTreeMap::new() })
    }

    /// Everything that can be asked about these people, of both nodes in turn.
    pub fn people(&mut self, people: &[&Somebody]) -> Result<()> {
        let scene = self.scene;
        let mut domains: Vec<&str> = people.iter().map(|one| one.domain.as_str()).collect();
        domains.dedup();
        let asks = people.iter().flat_map(|one| of_person(one)).chain(of_contacts(people));
        let asks = asks.chain(domains.iter().flat_map(|domain| of_company(domain)));
        let asked =
            asks.enumerate().map(|(number, ask)| (scene.at_node(&scene.callers.busy, number), ask, None));
        self.put(asked.collect())
    }

    /// The words of everybody at each of the nodes: an index is a node's own.
    pub fn indexes(&mut self, people: &[&Somebody]) -> Result<()> {
        let scene = self.scene;
        let mut asked = Vec::new();
        for somebody in people {
            for node in 0..scene.nodes.len() {
                let caller = scene.at_node(&scene.callers.busy, node);
                let search = Ask::post("/v1/search/people", json!({ "keywords": somebody.word }));
                let suggest = Ask::get(format!("/v1/suggest?field=skills&text={}", &somebody.word[..8]));
                asked.extend([search, suggest].map(|ask| (caller.clone(), ask, None)));
            }
        }
        self.put(asked)
    }

    /// What accounts have kept: lists, searches, jobs, people, histories, messages and stored answers.
    pub fn kept(&mut self, kept: &Kept) -> Result<()> {
        let scene = self.scene;
        let keeper = &scene.callers.keeper;
        let mut asked: Vec<Asked> = Vec::new();
        let mut add = |ask: Ask| asked.push((keeper.clone(), ask, None));
        for list in &kept.lists {
            add(Ask::get(format!("/v1/watch-lists/{list}")));
        }
        // The others run by themselves.
        for list in kept.lists.iter().take(1) {
            add(Ask::post(format!("/v1/watch-lists/{list}/run"), json!({ "limit": 100 })));
        }
        for icp in &kept.icps {
            add(Ask::post(format!("/v1/saved-icps/{icp}/run"), json!({ "limit": 100 })));
        }
        for job in &kept.jobs {
            for end in ["results.ndjson", "results.csv", "events"] {
                add(Ask::get(format!("/v1/bulk/{job}/{end}")));
            }
        }
        add(Ask::get("/v1/me/history/export"));
        let stored = kept.replies.iter();
        asked.extend(stored.map(|(ask, key)| (scene.callers.busy.clone(), ask.clone(), Some(key.clone()))));
        self.put(asked)?;
        let jobs = kept.jobs.iter().map(|job| format!("/v1/bulk/{job}?limit=100"));
        let results = kept.lists.iter().map(|list| format!("/v1/watch-lists/{list}/results?limit=100"));
        let deliveries = format!("/v1/webhooks/{}/deliveries?limit=100", kept.hook);
        let fixed = ["/v1/me/people", "/v1/me/history", "/v1/bulk", "/v1/watch-lists", "/v1/saved-icps"];
        let fixed = fixed.iter().map(|path| format!("{path}?limit=100"));
        for path in jobs.chain(results).chain([deliveries]).chain(fixed) {
            self.pages(keeper, &path)?;
        }
        for caller in [&scene.callers.busy, &scene.callers.quiet] {
            self.pages(caller, "/v1/me/people?limit=100")?;
        }
        self.suppressions()
    }

    /// Told without what they are of, but for the hash by which a wish is passed on.
    fn suppressions(&mut self) -> Result<()> {
        let told = self.scene.callers.operator.ask(&Ask::get("/v1/suppressions?limit=100"))?;
        let mut page: Value = serde_json::from_slice(told.body())?;
        let rows = page["results"].as_array_mut().into_iter().flatten().filter_map(Value::as_object_mut);
        rows.for_each(|row| drop(row.remove("drop_hash")));
        self.look("/v1/suppressions", page.to_string().as_bytes());
        Ok(())
    }

    fn pages(&mut self, caller: &Caller, path: &str) -> Result<()> {
        let place = Ask::get(path).place();
        for told in caller.pages(path)? {
            self.judge(&place, &told, &[]);
        }
        Ok(())
    }

    /// Asks every row of the specification about the made-up world, and says whom it shows.
    pub fn world(&mut self, cast: &Cast) -> Result<BTreeSet<String>> {
        let busy = &self.scene.callers.busy;
        let mut shown = BTreeSet::new();
        for row in ROWS {
            let asked = questions(row, cast)?.hit;
            let ask = match asked.as_str() {
                Some(query) => Ask::get(format!("{}{query}", row.path)),
                None => Ask::post(row.path, asked),
            };
            let told = busy.ask(&ask)?;
            self.judge(row.place(), &told, &[]);
            shown.extend(person_ids(told.body()));
        }
        Ok(shown)
    }

    /// Asks all of it, several at once.
    fn put(&mut self, asked: Vec<Asked>) -> Result<()> {
        let share = asked.len().div_ceil(CALLERS_AT_ONCE).max(1);
        let told: Vec<Result<Vec<Told>>> = std::thread::scope(|scope| {
            let ask = |part: &[Asked]| {
                part.iter().map(|(caller, ask, key)| caller.ask_as(ask, key.as_deref())).collect()
            };
            let threads: Vec<_> = asked.chunks(share).map(|part| scope.spawn(move || ask(part))).collect();
            let joined = threads.into_iter().map(|thread| thread.join());
            joined.map(|told| told.unwrap_or_else(|_| anyhow::bail!("a caller broke down"))).collect()
        });
        let mut all = Vec::with_capacity(asked.len());
        for part in told {
            all.extend(part?);
        }
        for ((_, ask, _), told) in asked.iter().zip(&all) {
            self.judge(&ask.place(), told, &ask.sent);
        }
        Ok(())
    }

    /// What was sent may come back; nothing else may.
    fn judge(&mut self, place: &str, told: &Told, sent: &[String]) {
        self.calls += 1;
        if told.status == 0 || told.status >= 500 {
            self.scanner.complaints.add(format!("{place} was answered {}", told.status));
        }
        let is_stream = ["ndjson", "csv", "events", "export"].iter().any(|end| place.ends_with(end));
        let body = if is_stream { unchunked(told.body()) } else { told.body().to_vec() };
        let mut text = String::from_utf8_lossy(&body).into_owned();
        for value in sent.iter().filter(|value| !value.is_empty()) {
            text = text.replace(value.as_str(), "");
        }
        self.look(place, text.as_bytes());
    }

    pub fn look(&mut self, place: &str, text: &[u8]) {
        *self.seen.entry(place.to_owned()).or_default() += self.scanner.count(text);
        self.scanner.look(place, text);
    }

    /// For the look before: a place that shows nobody would show nobody afterwards either.
    pub fn must_have_seen(&self) -> Result<()> {
        let blind: Vec<&String> = self
            .seen
            .iter()
            .filter(|(place, seen)| **seen == 0 && !SHOW_NOBODY.contains(&place.as_str()))
            .map(|(place, _)| place)
            .collect();
        ensure!(blind.is_empty(), "nobody was seen before at {blind:?}");
        let hits: usize = self.seen.values().sum();
        progress(format!("seen before: {} hits at {} places", grouped(hits), self.seen.len()));
        Ok(())
    }
}

/// Every person that an answer names.
fn person_ids(body: &[u8]) -> Vec<String> {
    let text = String::from_utf8_lossy(body);
    let ids = text.match_indices("per_").filter_map(|(at, _)| text.get(at..at + 36));
    ids.filter(|id| id[4..].bytes().all(|byte| byte.is_ascii_hexdigit())).map(str::to_owned).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn people_are_found_by_their_ids() {
        let id = format!("per_{}", "0a".repeat(16));
        let body = format!(r#"{{"id":"{id}","x":"per_short","y":"super_{}"}}"#, "z".repeat(32));
        assert_eq!(person_ids(body.as_bytes()), [id]);
    }
}
