//! What was measured, judged.

use super::desks::{Arrivals, EMAIL, PERSON, PHONE};
use crate::bar::median;
use serde_json::Value;
use std::time::Duration;

/// Against the longest chain of questions, and against the questions of a healthy run.
pub const TIMES_MOST: f64 = 1.3;

/// What an answer said and cost.
#[derive(Debug, Clone, Default)]
pub struct Told {
    pub status: u16,
    /// In thousandths of a credit.
    pub price: i64,
    emails: usize,
    phones: usize,
    failed_parts: Vec<String>,
}

impl Told {
    pub fn read(status: u16, price: i64, answer: &Value) -> Self {
        let failed = answer["failed_parts"].as_array().into_iter().flatten();
        let failed = failed.filter(|_| answer["partial"] == true).filter_map(Value::as_str);
        Self {
            status,
            price,
            emails: texts(answer, "email"),
            phones: texts(answer, "phone"),
            failed_parts: failed.map(str::to_owned).collect(),
        }
    }

    /// What is wrong with the answer to a call nothing failed in.
    pub fn when_healthy(&self) -> Option<String> {
        let is_right = self.status == 200 && self.price > 0 && self.failed_parts.is_empty();
        (!is_right).then(|| format!("{self:?}, although nothing failed"))
    }

    /// What is wrong with the answer to a call in which one kind of question failed, beside one in which none did.
    pub fn when_failing(&self, kind: &str, healthy: &Self) -> Option<String> {
        let part = match kind {
            EMAIL => Some("email"),
            PHONE => Some("phone"),
            _ => None,
        };
        let lacks = self.emails < healthy.emails || self.phones < healthy.phones;
        let is_named = part.is_some_and(|part| self.failed_parts.iter().any(|failed| failed == part));
        match (self.status, self.price) {
            (200 | 502, 0) => None,
            (200, price) if price > healthy.price => {
                Some("more is charged than when nothing fails".to_owned())
            }
            (200, _) if kind == PERSON => Some("charged although nobody could be found".to_owned()),
            (200, _) if lacks && !is_named => Some(format!("{self:?}: what is missing is not named")),
            (200, _) => None,
            _ => Some(format!("{self:?}")),
        }
    }
}

/// How many texts stand under this name, at whatever depth.
fn texts(value: &Value, name: &str) -> usize {
    match value {
        Value::Object(fields) => {
            let own = usize::from(fields.get(name).is_some_and(Value::is_string));
            own + fields.values().map(|inner| texts(inner, name)).sum::<usize>()
        }
        Value::Array(items) => items.iter().map(|item| texts(item, name)).sum(),
        _ => 0,
    }
}

/// How long calls of one workflow took.
#[derive(Debug, Default)]
pub struct Times {
    /// When every vendor answers at once, and when each takes its time.
    pub at_once: Vec<f64>,
    pub delayed: Vec<f64>,
}

impl Times {
    /// What the delays added, in longest chains of them; nothing where there is no chain.
    pub fn in_chains(&self, chain: u32, delay: Duration) -> Option<f64> {
        let added = median(self.delayed.iter().copied()) - median(self.at_once.iter().copied());
        (chain > 0).then(|| added.max(0.0) / (delay.as_secs_f64() * f64::from(chain)))
    }

    /// Whether the chain is said to be longer than it is: one that really has so many questions cannot be over before.
    pub fn is_overstated(&self, chain: u32, delay: Duration) -> bool {
        median(self.delayed.iter().copied()) < delay.as_secs_f64() * f64::from(chain)
    }
}

/// How many questions may come when one kind fails, of so many when none does: a part of a question is none.
pub fn calls_most(healthy: u64) -> u64 {
    (healthy * 13).div_ceil(10)
}

pub fn calls(arrivals: &Arrivals) -> u64 {
    arrivals.values().sum()
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    const DELAY: Duration = Duration::from_millis(400);

    fn times(at_once: &[f64], delayed: &[f64]) -> Times {
        Times { at_once: at_once.to_vec(), delayed: delayed.to_vec() }
    }

    #[test]
    fn rows_asked_for_one_after_the_other_are_too_slow() {
        let side_by_side = times(&[0.05, 0.04, 0.06], &[0.86, 0.88, 0.87]);
        assert!((side_by_side.in_chains(2, DELAY).unwrap() - 1.025).abs() < 0.01);
        let in_a_row = times(&[0.05], &[0.05 + 5.0 * 0.8]);
        assert!((in_a_row.in_chains(2, DELAY).unwrap() - 5.0).abs() < 0.01);
        let one_more = times(&[0.05], &[0.05 + 1.2]);
        assert!(one_more.in_chains(2, DELAY).unwrap() > TIMES_MOST, "one question more than needed");
        assert_eq!(times(&[0.05], &[0.04]).in_chains(1, DELAY), Some(0.0));
        assert!(!side_by_side.is_overstated(2, DELAY) && side_by_side.is_overstated(3, DELAY));
        assert_eq!(times(&[0.05], &[0.04]).in_chains(0, DELAY), None);
    }

    #[test]
    fn a_failure_costs_hardly_more_questions() {
        assert_eq!([1, 4, 15, 20].map(calls_most), [2, 6, 20, 26]);
    }

    fn told(status: u16, price: i64, answer: &Value) -> Told {
        Told::read(status, price, answer)
    }

    #[test]
    fn nobody_pays_for_what_is_missing_and_not_named() {
        let whole = json!({ "person": { "email": "a@b.example" }, "phone": "+1", "partial": false, "failed_parts": [] });
        let healthy = told(200, 12_000, &whole);
        assert_eq!((healthy.emails, healthy.phones, healthy.when_healthy()), (1, 1, None));
        let named =
            json!({ "person": { "email": null }, "phone": "+1", "partial": true, "failed_parts": ["email"] });
        let silent =
            json!({ "person": { "email": null }, "phone": "+1", "partial": false, "failed_parts": [] });
        assert_eq!(told(200, 12_000, &named).when_failing(EMAIL, &healthy), None);
        assert!(told(200, 12_000, &named).when_failing(PHONE, &healthy).is_some(), "the wrong part");
        assert!(told(200, 12_000, &silent).when_failing(EMAIL, &healthy).is_some());
        assert!(told(200, 13_000, &named).when_failing(EMAIL, &healthy).is_some());
        assert!(told(200, 12_000, &whole).when_failing(PERSON, &healthy).is_some());
        assert_eq!(told(200, 12_000, &whole).when_failing("line", &healthy), None);
        assert_eq!(told(502, 0, &json!({})).when_failing(PERSON, &healthy), None);
        assert!(told(500, 0, &json!({})).when_failing(PERSON, &healthy).is_some());
        assert!(told(502, 1, &json!({})).when_failing(PERSON, &healthy).is_some());
        assert!(
            told(200, 0, &whole).when_healthy().is_some() && told(200, 1, &named).when_healthy().is_some()
        );
    }
}
