//! Whether an answer is one, or a clean refusal: what the API document names, in the form it promises.

use super::front::{Answer, Ask};
use super::weather::{Mishap, Spell};
use crate::bar::Complaints;
use serde_json::Value;
use std::collections::{BTreeMap, HashMap, HashSet};
use std::fmt;
use std::sync::{Mutex, MutexGuard, PoisonError};

/// What was counted of all requests.
#[derive(Debug, Default)]
pub struct Tally {
    pub requests: usize,
    pub statuses: BTreeMap<u16, usize>,
    pub lost: usize,
    /// Sent to the other node, since nobody listened.
    pub elsewhere: usize,
    pub replays: usize,
    mishaps: Vec<Mishap>,
    complaints: Complaints,
}

impl fmt::Display for Tally {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let statuses: Vec<String> =
            self.statuses.iter().map(|(status, count)| format!("{status}: {count}")).collect();
        write!(
            out,
            "{} requests ({}), {} cut off, {} went to the other node, {} replays",
            self.requests,
            statuses.join(", "),
            self.lost,
            self.elsewhere,
            self.replays
        )
    }
}

#[derive(Debug)]
pub struct Judge {
    /// By method and path as the document has it.
    documented: HashMap<String, HashSet<u16>>,
    tally: Mutex<Tally>,
}

impl Judge {
    pub fn new() -> Self {
        Self { documented: documented(&assay_service::openapi::document()), tally: Mutex::default() }
    }

    pub fn tally(&self) -> MutexGuard<'_, Tally> {
        self.tally.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub fn complain(&self, text: impl AsRef<str>) {
        self.tally().complaints.add(text);
    }

    /// Something that only a fault explains; whether one does is decided when all are known.
    pub fn mishap(&self, mishap: Mishap) {
        self.tally().mishaps.push(mishap);
    }

    pub fn look(&self, ask: &Ask<'_>, answer: &Answer) {
        let mut tally = self.tally();
        *tally.statuses.entry(answer.status).or_default() += 1;
        tally.replays += usize::from(answer.replayed);
        if let Err(fault) = self.in_form(ask, answer) {
            let text = String::from_utf8_lossy(&answer.body);
            let excerpt: String = text.chars().take(300).collect();
            tally.complaints.add(format!("{} answered {}: {fault}: {excerpt}", ask.name(), answer.status));
        }
        let is_mishap = answer.status >= 500 || answer.status == 408;
        if is_mishap {
            tally.mishaps.push(Mishap {
                node: answer.node,
                sent: answer.sent,
                ended: answer.ended,
                status: Some(answer.status),
                what: format!("{} was answered {}", ask.name(), answer.code),
            });
        }
    }

    fn in_form(&self, ask: &Ask<'_>, answer: &Answer) -> Result<(), String> {
        let allowed = self.documented.get(&ask.name()).ok_or("no such call is documented")?;
        if !allowed.contains(&answer.status) {
            return Err("a status that is not documented".to_owned());
        }
        let body: Value = serde_json::from_slice(&answer.body).map_err(|_| "no JSON")?;
        let request = answer.request.ok_or("no request id")?;
        if (200..300).contains(&answer.status) {
            return Ok(());
        }
        if body["code"].as_str().is_none_or(str::is_empty) || body["request_id"] != request.to_string() {
            return Err("a refusal without its code or its request".to_owned());
        }
        let must_say_when = matches!(answer.status, 429 | 503) || body["code"] == "request_in_progress";
        if must_say_when && answer.retry_after.is_none() {
            return Err("a refusal that does not say when to come back".to_owned());
        }
        match answer.status {
            500 => Err("something broke".to_owned()),
            402 | 429 if !ask.may_be_used_up => Err("somebody with enough was refused".to_owned()),
            409 if body["code"] != "request_in_progress" || ask.idempotency_key.is_none() => {
                Err("a conflict with nobody".to_owned())
            }
            402 | 408 | 409 | 429 | 502.. => Ok(()),
            _ => Err("a call that is right was refused".to_owned()),
        }
    }

    /// All that is wrong so far: what no fault explains, too.
    pub fn sentence(self, spells: &[Spell]) -> (Tally, Complaints) {
        let mut tally = self.tally.into_inner().unwrap_or_else(PoisonError::into_inner);
        let mut complaints = std::mem::take(&mut tally.complaints);
        for mishap in tally.mishaps.iter().filter(|mishap| !mishap.is_explained(spells)) {
            let Mishap { node, sent, ended, what, .. } = mishap;
            complaints.add(format!(
                "no fault explains: node {}, {:.2} to {:.2} s: {what}",
                node + 1,
                sent.as_secs_f64(),
                ended.as_secs_f64()
            ));
        }
        (tally, complaints)
    }
}

fn documented(document: &Value) -> HashMap<String, HashSet<u16>> {
    let mut all = HashMap::new();
    for (path, operations) in document["paths"].as_object().into_iter().flatten() {
        for (method, operation) in operations.as_object().into_iter().flatten() {
            let responses = operation["responses"].as_object().into_iter().flatten();
            let statuses = responses.filter_map(|(status, _)| status.parse().ok()).collect();
            all.insert(format!("{} {path}", method.to_uppercase()), statuses);
        }
    }
    all
}

#[cfg(test)]
mod tests {
    use super::*;
    use assay_domain::RequestId;
    use std::time::Duration;

    fn verdict(status: u16, body: &str, retry_after: Option<u64>, key: Option<&str>) -> Result<(), String> {
        let ask = Ask { idempotency_key: key, body: Some("{}"), ..Ask::get("/v1/enrich", "/v1/enrich", "") };
        let answer = Answer {
            node: 0,
            status,
            request: Some(RequestId::from_uuid(Default::default())),
            replayed: false,
            retry_after,
            cost: None,
            code: String::new(),
            body: body.replace("ID", &RequestId::from_uuid(Default::default()).to_string()).into_bytes(),
            sent: Duration::ZERO,
            ended: Duration::ZERO,
        };
        Judge::new().in_form(&ask, &answer)
    }

    #[test]
    fn a_refusal_is_clean_or_a_fault() {
        let problem = r#"{"code":"unavailable","request_id":"ID"}"#;
        assert_eq!(verdict(200, "{}", None, None), Ok(()));
        assert_eq!(verdict(503, problem, Some(1), None), Ok(()));
        let busy = r#"{"code":"request_in_progress","request_id":"ID"}"#;
        assert_eq!(verdict(409, busy, Some(1), Some("k")), Ok(()));
        for wrong in [
            verdict(200, "half", None, None),
            verdict(503, problem, None, None),
            verdict(503, r#"{"code":"unavailable","request_id":"another"}"#, Some(1), None),
            verdict(503, "{}", Some(1), None),
            verdict(500, problem, None, None),
            verdict(410, problem, None, None),
            verdict(402, problem, None, None),
            verdict(422, problem, None, None),
            verdict(409, busy, Some(1), None),
            verdict(409, busy, None, Some("k")),
        ] {
            assert!(wrong.is_err());
        }
    }
}
