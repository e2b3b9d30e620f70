//! What answers said they cost, and what the ledger has: every charge was told once, and everything told was charged once.

use super::front::Answer;
use super::weather::{Fault, Spell};
use crate::bar::Complaints;
use anyhow::Result;
use assay_domain::{AccountId, Credits};
use assay_store::Ledger;
use std::collections::HashMap;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;
use uuid::Uuid;

/// The lookups of bulk jobs, whose books are kept by the job.
pub const BULK: &str = "bulk-enrich";

/// An answer that cost something.
#[derive(Debug, Clone, Copy)]
struct Told {
    account: Uuid,
    request: Uuid,
    credits: Credits,
    balance: Option<Credits>,
    /// Charged under the id of a call whose answer nobody saw.
    replayed: bool,
}

/// A call without a key of which its caller does not know whether it was charged.
#[derive(Debug, Clone, Copy)]
struct Unsure {
    account: Uuid,
    /// Of a refusal, which is free as long as the node that gave it lives.
    request: Option<Uuid>,
    node: usize,
    at: Duration,
}

/// A charge of the ledger.
#[derive(Debug, Clone, sqlx::FromRow)]
struct Charge {
    account_id: Uuid,
    id: Uuid,
    endpoint: String,
    credits: i64,
    balance_after: i64,
    given_back: i64,
}

#[derive(Debug, Default)]
struct Pages {
    told: Vec<Told>,
    unsure: Vec<Unsure>,
}

#[derive(Debug, Default)]
pub struct Books(Mutex<Pages>);

/// What the comparison came to.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Balance {
    pub charges: usize,
    /// Told by a replay, since the first answer was lost.
    pub replayed: usize,
    /// Of calls without a key whose callers saw no answer.
    pub unseen: usize,
    pub given_back: usize,
}

impl Books {
    fn pages(&self) -> MutexGuard<'_, Pages> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The one answer a caller goes by.
    pub fn note(&self, account: AccountId, answer: &Answer) {
        let Some((cost, request)) = answer.cost.zip(answer.request).filter(|_| answer.is_good()) else {
            return;
        };
        if !cost.credits.is_positive() {
            return;
        }
        let told = Told {
            account: account.uuid(),
            request: request.uuid(),
            credits: cost.credits,
            balance: cost.balance,
            replayed: answer.replayed,
        };
        self.pages().told.push(told);
    }

    /// A call without a key got no answer, or was refused.
    pub fn note_unsure(&self, account: AccountId, node: usize, at: Duration, refused: Option<&Answer>) {
        let request = refused.and_then(|answer| answer.request).map(|request| request.uuid());
        self.pages().unsure.push(Unsure { account: account.uuid(), request, node, at });
    }

    /// Lays them beside the ledger.
    pub async fn check(
        &self,
        ledger: &Ledger,
        accounts: &[AccountId],
        spells: &[Spell],
        complaints: &mut Complaints,
    ) -> Result<Balance> {
        let accounts: Vec<Uuid> = accounts.iter().map(|account| account.uuid()).collect();
        let charges: Vec<Charge> = sqlx::query_as(
            "select h.account_id, h.id, h.endpoint, h.credits, h.balance_after, coalesce(p.amount, 0)::bigint as given_back
             from history h left join (
                 select account_id, request_id, sum(amount) as amount from posting
                 where kind = 5 and account_id = any($1) group by account_id, request_id) p
             on p.account_id = h.account_id and p.request_id = h.id
             where h.account_id = any($1) and h.credits > 0",
        )
        .bind(accounts)
        .fetch_all(ledger.pool())
        .await?;
        let pages = self.pages();
        Ok(compare(&pages.told, &pages.unsure, charges, spells, complaints))
    }
}

fn compare(
    told: &[Told],
    unsure: &[Unsure],
    charges: Vec<Charge>,
    spells: &[Spell],
    complaints: &mut Complaints,
) -> Balance {
    let mut balance = Balance { charges: charges.len(), ..Balance::default() };
    let singles = charges.into_iter().filter(|charge| charge.endpoint != BULK);
    let mut open: HashMap<Uuid, Charge> = singles.map(|charge| (charge.id, charge)).collect();
    balance.charges = open.len();
    for told in told.iter().filter(|told| !told.replayed) {
        match open.remove(&told.request) {
            Some(charge) if fits(told, &charge) => {}
            other => complaints.add(format!("{told:?} is booked as {other:?}")),
        }
    }
    for told in told.iter().filter(|told| told.replayed) {
        let booked = open.values().find(|charge| fits(told, charge)).map(|charge| charge.id);
        match booked.and_then(|id| open.remove(&id)) {
            Some(_) => balance.replayed += 1,
            None => complaints.add(format!("{told:?} was never booked")),
        }
    }
    let mut unseen: HashMap<Uuid, usize> = HashMap::new();
    for call in unsure.iter().filter(|call| call.request.is_none()) {
        *unseen.entry(call.account).or_default() += 1;
    }
    for charge in open.into_values() {
        if charge.given_back == charge.credits {
            balance.given_back += 1;
            continue;
        }
        let refused = unsure.iter().find(|call| call.request == Some(charge.id));
        let left = unseen.get_mut(&charge.account_id).filter(|left| **left > 0);
        match (refused, left) {
            // Only a node that lives can give back what was booked after all.
            (Some(call), _) if was_killed(call, spells) => balance.unseen += 1,
            (None, Some(left)) => {
                *left -= 1;
                balance.unseen += 1;
            }
            _ => complaints.add(format!("nobody was told of {charge:?}; refused: {refused:?}")),
        }
    }
    balance
}

fn fits(told: &Told, charge: &Charge) -> bool {
    told.account == charge.account_id
        && told.credits.thousandths() == charge.credits
        && told.balance.is_none_or(|balance| balance.thousandths() == charge.balance_after)
        && charge.given_back == 0
}

fn was_killed(call: &Unsure, spells: &[Spell]) -> bool {
    let killed = |fault: Fault| matches!(fault, Fault::Kill { node, .. } if node == call.node);
    spells.iter().any(|spell| killed(spell.fault) && spell.from + Duration::from_secs(1) >= call.at)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn id(number: u128) -> Uuid {
        Uuid::from_u128(number)
    }

    fn charge(request: u128, credits: i64, given_back: i64) -> Charge {
        Charge {
            account_id: id(1),
            id: id(request),
            endpoint: "enrich".to_owned(),
            credits,
            balance_after: 9_000,
            given_back,
        }
    }

    fn told(request: u128, replayed: bool) -> Told {
        let (credits, balance) = (Credits::whole(1), Some(Credits::whole(9)));
        Told { account: id(1), request: id(request), credits, balance, replayed }
    }

    fn unsure(request: Option<u128>) -> Unsure {
        Unsure { account: id(1), request: request.map(id), node: 1, at: Duration::from_secs(5) }
    }

    fn wrong(told: &[Told], unsure: &[Unsure], charges: Vec<Charge>, spells: &[Spell]) -> usize {
        let mut complaints = Complaints::default();
        compare(told, unsure, charges, spells, &mut complaints);
        complaints.count()
    }

    #[test]
    fn every_charge_is_told_once_and_as_it_was_booked() {
        assert_eq!(wrong(&[told(7, false)], &[], vec![charge(7, 1_000, 0)], &[]), 0);
        assert_eq!(wrong(&[told(7, true)], &[], vec![charge(8, 1_000, 0)], &[]), 0);
        // Not booked, booked otherwise, given back although it was told, told twice, booked twice.
        assert_eq!(wrong(&[told(7, false)], &[], vec![], &[]), 1);
        assert_eq!(wrong(&[told(7, false)], &[], vec![charge(7, 2_000, 0)], &[]), 1);
        assert_eq!(wrong(&[told(7, false)], &[], vec![charge(7, 1_000, 1_000)], &[]), 1);
        assert_eq!(wrong(&[told(7, false), told(7, true)], &[], vec![charge(7, 1_000, 0)], &[]), 1);
        assert_eq!(wrong(&[told(7, false)], &[], vec![charge(7, 1_000, 0), charge(8, 1_000, 0)], &[]), 1);
    }

    #[test]
    fn what_nobody_saw_is_charged_at_most_once_and_what_was_refused_not_at_all() {
        let fault = Fault::Kill { node: 1, away: Duration::ZERO };
        let at = Duration::from_secs(9);
        let killed = [Spell { fault, from: at, gone: at, to: at }];
        assert_eq!(wrong(&[], &[unsure(None)], vec![charge(8, 1_000, 0)], &[]), 0);
        assert_eq!(wrong(&[], &[unsure(None)], vec![charge(8, 1_000, 0), charge(9, 1_000, 0)], &[]), 1);
        assert_eq!(wrong(&[], &[unsure(Some(8))], vec![charge(8, 1_000, 0)], &[]), 1);
        assert_eq!(wrong(&[], &[unsure(Some(8))], vec![charge(8, 1_000, 0)], &killed), 0);
        assert_eq!(wrong(&[], &[unsure(Some(8))], vec![charge(8, 1_000, 1_000)], &[]), 0);
        assert_eq!(wrong(&[], &[], vec![charge(8, 1_000, 0)], &[]), 1);
    }
}
