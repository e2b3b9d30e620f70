//! Counts the answers of a run by kind, so that a run that never saw some kind cannot pass for having checked it.

use super::client::Event;
use assay_store::ledger::op::{Answer, Refusal};
use std::collections::BTreeMap;

/// Every kind of answer a run must have seen.
const KINDS: [&str; 13] = [
    "granted",
    "granted before",
    "held",
    "charged",
    "settled at nothing",
    "released or expired",
    "hold was over",
    "refunded",
    "refunded before",
    "nothing to refund",
    "insufficient",
    "cap reached",
    "max_credits too low",
];

#[derive(Debug, Default)]
pub struct Tally(BTreeMap<&'static str, usize>);

impl Tally {
    pub fn of(events: &[Event]) -> Self {
        let mut tally = Self::default();
        for event in events {
            *tally.0.entry(kind(&event.answer)).or_default() += 1;
        }
        tally
    }

    pub fn add(&mut self, other: &Self) {
        for (kind, count) in &other.0 {
            *self.0.entry(kind).or_default() += count;
        }
    }

    pub fn total(&self) -> usize {
        self.0.values().sum()
    }

    pub fn has_all_kinds(&self) -> bool {
        KINDS.iter().all(|kind| self.0.contains_key(kind))
    }

    pub fn describe(&self) -> String {
        self.0.iter().map(|(kind, count)| format!("{kind} {count}")).collect::<Vec<_>>().join(", ")
    }
}

fn kind(answer: &Answer) -> &'static str {
    match answer {
        Answer::Granted { repeated: false, .. } => "granted",
        Answer::Granted { repeated: true, .. } => "granted before",
        Answer::Held { .. } => "held",
        Answer::Settled(settled) if settled.credits.is_positive() => "charged",
        Answer::Settled(_) => "settled at nothing",
        Answer::Released { amount, .. } | Answer::Expired { amount, .. } if amount.is_positive() => {
            "released or expired"
        }
        Answer::Released { .. } | Answer::Expired { .. } => "hold was over",
        Answer::Refunded { repeated: false, .. } => "refunded",
        Answer::Refunded { repeated: true, .. } => "refunded before",
        Answer::Refused { why, .. } => match why {
            Refusal::NothingToRefund => "nothing to refund",
            Refusal::Insufficient { .. } => "insufficient",
            Refusal::SpendCapReached => "cap reached",
            Refusal::MaxCreditsTooLow => "max_credits too low",
            Refusal::ClaimLost | Refusal::HoldLost | Refusal::TooManyLots | Refusal::NoAccount => {
                "refused otherwise"
            }
        },
    }
}
