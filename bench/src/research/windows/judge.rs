//! What is right: which of the facts that were told fall into a window.

use chrono::{DateTime, NaiveTime, Utc};
use std::collections::{BTreeMap, BTreeSet};

/// Something that was told, and by what an answer names it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Fact {
    pub key: String,
    pub at: DateTime<Utc>,
}

/// Which of them a question is to find.
#[derive(Debug, Clone, Copy)]
pub enum Rule {
    /// Both ends included. What is known by its day alone is compared as a day.
    Within { from: DateTime<Utc>, to: DateTime<Utc> },
    /// What ends later than this.
    EndsAfter(DateTime<Utc>),
}

/// How near to an end of a window is at its edge.
const EDGE_HOURS: i64 = 49;

impl Rule {
    pub fn takes(self, at: DateTime<Utc>) -> bool {
        match self {
            Self::Within { from, to } if at.time() == NaiveTime::MIN => {
                (from.date_naive()..=to.date_naive()).contains(&at.date_naive())
            }
            Self::Within { from, to } => (from..=to).contains(&at),
            Self::EndsAfter(end) => at > end,
        }
    }

    fn is_edge(self, at: DateTime<Utc>) -> bool {
        let near = |end: DateTime<Utc>| (at - end).abs().num_hours() <= EDGE_HOURS;
        match self {
            Self::Within { from, to } => near(from) || near(to),
            Self::EndsAfter(end) => near(end),
        }
    }
}

/// What became of a question.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Judged {
    /// Facts at an edge of the window.
    pub edges: usize,
    pub wrong: Vec<String>,
}

/// Compares what a question found with what it was to find; `others` were told too, for other questions. Somebody with several facts is
/// found by any of them.
pub fn judge(rule: Rule, facts: &[Fact], others: &BTreeSet<String>, found: &[String]) -> Judged {
    let mut judged = Judged::default();
    let mut by_key: BTreeMap<&str, Vec<DateTime<Utc>>> = BTreeMap::new();
    for fact in facts {
        by_key.entry(&fact.key).or_default().push(fact.at);
        judged.edges += usize::from(rule.is_edge(fact.at));
    }
    for (key, times) in &by_key {
        let is_right = times.iter().any(|at| rule.takes(*at));
        let count = found.iter().filter(|found| found == key).count();
        if count != usize::from(is_right) {
            let of = times.iter().map(|at| at.to_rfc3339()).collect::<Vec<_>>().join(" and ");
            judged.wrong.push(format!("{key} of {of} was found {count} times, not {}", u8::from(is_right)));
        }
    }
    let nobody = found.iter().filter(|key| !by_key.contains_key(key.as_str()) && !others.contains(*key));
    judged.wrong.extend(nobody.map(|key| format!("{key} was found, of which nothing was told")));
    judged
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(text: &str) -> DateTime<Utc> {
        text.parse().unwrap()
    }

    fn fact(key: &str, text: &str) -> Fact {
        Fact { key: key.to_owned(), at: at(text) }
    }

    fn rule() -> Rule {
        Rule::Within { from: at("2027-03-01T12:00:00Z"), to: at("2027-03-31T12:00:00Z") }
    }

    #[test]
    fn both_ends_are_inside_and_days_are_compared_as_days() {
        for (text, is_inside) in [
            ("2027-03-01T11:59:59.999999Z", false),
            ("2027-03-01T12:00:00Z", true),
            ("2027-03-01T00:00:00Z", true),
            ("2027-03-01T00:00:00.000001Z", false),
            ("2027-02-28T00:00:00Z", false),
            ("2027-03-31T12:00:00Z", true),
            ("2027-03-31T12:00:00.000001Z", false),
            ("2027-03-31T00:00:00Z", true),
            ("2027-04-01T00:00:00Z", false),
        ] {
            assert_eq!(rule().takes(at(text)), is_inside, "{text}");
        }
        let closed = Rule::EndsAfter(at("2027-03-31T00:00:00Z"));
        assert!(!closed.takes(at("2027-03-31T00:00:00Z")) && closed.takes(at("2027-03-31T00:00:00.000001Z")));
    }

    #[test]
    fn what_is_missing_too_much_or_made_up_is_wrong() {
        let facts = [
            fact("in", "2027-03-01T12:00:00Z"),
            fact("out", "2027-03-01T11:59:59Z"),
            fact("both", "2027-03-15T00:00:00Z"),
            fact("both", "2027-04-01T00:00:00Z"),
        ];
        let others = BTreeSet::from(["other".to_owned()]);
        let wrong = |found: &[&str]| {
            let found: Vec<String> = found.iter().map(|key| (*key).to_owned()).collect();
            judge(rule(), &facts, &others, &found).wrong.len()
        };
        assert_eq!(wrong(&["in", "both"]), 0);
        assert_eq!(wrong(&["in", "both", "other"]), 0);
        assert_eq!(wrong(&["both"]), 1);
        assert_eq!(wrong(&["in", "both", "out"]), 1);
        assert_eq!(wrong(&["in", "both", "both"]), 1);
        assert_eq!(wrong(&["in", "both", "nobody"]), 1);
        assert_eq!(judge(rule(), &facts, &others, &[]).edges, 3);
    }
}
