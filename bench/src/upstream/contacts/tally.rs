//! What was told against what had to be told, counted by what is wrong with it.

use super::truth::{Expected, Question, Round, Teller, Truth};
use crate::bar::Complaints;
use serde_json::Value;
use std::collections::HashMap;

/// An answer.
#[derive(Debug)]
pub struct Got {
    pub status: u16,
    /// In thousandths of a credit.
    pub price: i64,
    pub answer: Value,
}

#[derive(Debug, Default)]
pub struct Tally {
    pub bills: Complaints,
    pub rights: Complaints,
    pub erased: Complaints,
    pub answers: Complaints,
    spent: HashMap<usize, i64>,
}

impl Tally {
    pub fn is_clean(&self) -> bool {
        [&self.bills, &self.rights, &self.erased, &self.answers].into_iter().all(Complaints::is_empty)
    }

    pub fn spend(&mut self, account: usize, price: i64) {
        *self.spent.entry(account).or_default() += price;
    }

    pub fn spent(&self, account: usize) -> i64 {
        self.spent.get(&account).copied().unwrap_or(0)
    }

    pub fn check(&mut self, question: &Question, expected: &Expected, round: Round, got: &Got) {
        let Question { endpoint, truth, .. } = question;
        let place = format!("{endpoint:?} {} {round:?}", kind(truth));
        if got.price != expected.price {
            self.bills.add(format!("{place}: costs {}, not {}", got.price, expected.price));
        }
        let is_list = matches!(truth, Truth::Audience { .. });
        let found = got.status == 200 && (is_list || got.answer["found"] == Value::Bool(true));
        if (got.status, found) != (expected.status, expected.found) {
            let told =
                got.answer.get("code").or_else(|| got.answer.get("detail")).cloned().unwrap_or_default();
            let text = format!(
                "{place}: {} found {found}, not {} {} {told}",
                got.status, expected.status, expected.found
            );
            self.answers.add(text);
        }
        if is_list {
            if let Some(fault) = question.audience_fault(round, &got.answer) {
                self.answers.add(format!("{place}: {fault}"));
            }
            return;
        }
        let shown = endpoint.shown(&got.answer, truth).filter(|_| found);
        match truth {
            Truth::Erased | Truth::ErasedAnswer if found => self.erased.add(format!("{place}: shown")),
            Truth::Said(teller, _) if found && *teller != Teller::Shared && shown != expected.shown => {
                self.rights.add(format!("{place}: {shown:?}, not {:?}", expected.shown));
            }
            _ if found && expected.found && shown != expected.shown => {
                self.answers.add(format!("{place}: {shown:?}, not {:?}", expected.shown));
            }
            _ => {}
        }
    }
}

/// In a few words.
fn kind(truth: &Truth) -> String {
    match truth {
        Truth::Graph(_) => "graph".to_owned(),
        Truth::Said(teller, _) => format!("{teller:?}"),
        Truth::Nobody { .. } => "nobody".to_owned(),
        Truth::Erased => "erased".to_owned(),
        Truth::ErasedAnswer => "erased answer".to_owned(),
        Truth::Malformed => "malformed".to_owned(),
        Truth::Audience { .. } => "list".to_owned(),
    }
}
