//! Lays what the clients saw beside what the ledger booked.

use super::journal::{Fate, Seen, Ticket};
use crate::bar::Complaints;
use crate::rig::Account;
use assay_domain::{Credits, RequestId};
use assay_store::Ledger;
use sqlx::Row;
use std::collections::HashMap;
use uuid::Uuid;

/// What was found wrong, by kind.
#[derive(Debug, Default)]
pub struct Findings {
    pub double: Complaints,
    pub lost: Complaints,
    pub other: Complaints,
    pub seen: Exercised,
}

/// What the crashes brought about: a run in which nothing of it happened would prove nothing.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Exercised {
    pub replays: usize,
    /// Calls nobody saw an answer to, and how many of those were charged.
    pub unseen: usize,
    pub unseen_charged: usize,
    pub failed: usize,
    pub given_back: usize,
    /// Calls whose hold had run out before they settled.
    pub settled_late: i64,
}

/// A call as history keeps it.
#[derive(Debug, Clone, Copy)]
struct Booked {
    request: Uuid,
    credits: Credits,
    balance: Credits,
    given_back: Credits,
}

#[derive(Debug, Default)]
struct Books {
    calls: HashMap<Uuid, Booked>,
    /// Charged calls by account and the person they found.
    charged: HashMap<(Uuid, Uuid), Vec<Booked>>,
}

/// Checks every request against the books.
pub async fn check(
    ledger: &Ledger,
    accounts: &[Account],
    tickets: &[Ticket],
    findings: &mut Findings,
) -> anyhow::Result<()> {
    let mut books = Books::read(ledger, accounts).await?;
    let accounts = accounts.iter().map(|account| account.id.uuid()).collect::<Vec<_>>();
    compare(&mut books, &accounts, tickets, findings);
    findings.seen.settled_late = sqlx::query_scalar(
        "select count(*) from hold h where h.account_id = any($1) and h.state = 'expired' and exists (
             select 1 from posting p where p.account_id = h.account_id and p.request_id = h.request_id and p.kind = 4)",
    )
    .bind(accounts)
    .fetch_one(ledger.pool())
    .await?;
    Ok(())
}

fn compare(books: &mut Books, accounts: &[Uuid], tickets: &[Ticket], findings: &mut Findings) {
    for ticket in tickets {
        let Some(account) = accounts.get(ticket.account) else { continue };
        let person = ticket.person.map(|person| (*account, person.uuid()));
        let charged = person.and_then(|person| books.charged.remove(&person)).unwrap_or_default();
        if charged.len() > 1 {
            findings.double.add(format!("{ticket:?} was charged {} times: {charged:?}", charged.len()));
        }
        findings.seen.count(ticket, &charged);
        match ticket.fate {
            Fate::Answered(seen) => check_answer(ticket, seen, &charged, books, findings),
            Fate::Failed { .. } => check_failure(ticket, &charged, findings),
            Fate::Unseen if ticket.key.is_some() => {
                findings.other.add(format!("{ticket:?} never got an answer"));
            }
            // Nobody saw whether it ran: charged once or not at all, both are right.
            Fate::Unseen => {}
        }
    }
    for leftover in books.charged.values().flatten() {
        findings.other.add(format!("nobody asked for what was charged: {leftover:?}"));
    }
}

fn check_answer(ticket: &Ticket, seen: Seen, charged: &[Booked], books: &Books, findings: &mut Findings) {
    let found = ticket.person.is_some();
    if found != seen.credits.is_positive() {
        findings
            .other
            .add(format!("{ticket:?} should {}have cost something", if found { "" } else { "not " }));
    }
    // A replay was booked under the id of the call that ran, which its client may never have seen.
    let booked = if seen.replayed { charged.first() } else { books.calls.get(&seen.request.uuid()) };
    let as_told =
        booked.is_some_and(|booked| booked.credits == seen.credits && booked.balance == seen.balance);
    let unpaid_replay = seen.replayed && !found;
    if !as_told && !unpaid_replay {
        findings.lost.add(format!("{ticket:?} is booked as {booked:?}"));
    }
    if let Some(back) = charged.iter().find(|booked| booked.given_back.is_positive()) {
        findings.lost.add(format!("{ticket:?} was answered and given back all the same: {back:?}"));
    }
    if found && !seen.replayed && charged.iter().any(|booked| booked.request != seen.request.uuid()) {
        findings.double.add(format!("{ticket:?} was charged under another id: {charged:?}"));
    }
}

fn check_failure(ticket: &Ticket, charged: &[Booked], findings: &mut Findings) {
    let kept = charged.iter().find(|booked| booked.credits != booked.given_back);
    if let Some(kept) = kept {
        findings.other.add(format!("{ticket:?} failed and was charged: {kept:?}"));
    }
}

impl Exercised {
    fn count(&mut self, ticket: &Ticket, charged: &[Booked]) {
        match ticket.fate {
            Fate::Answered(seen) => self.replays += usize::from(seen.replayed),
            Fate::Failed { .. } => self.failed += 1,
            Fate::Unseen => {
                self.unseen += 1;
                self.unseen_charged += charged.len();
            }
        }
        self.given_back += charged.iter().filter(|booked| booked.given_back.is_positive()).count();
    }
}

impl Books {
    async fn read(ledger: &Ledger, accounts: &[Account]) -> anyhow::Result<Self> {
        let accounts = accounts.iter().map(|account| account.id.uuid()).collect::<Vec<_>>();
        let rows = sqlx::query(
            "select h.account_id, h.id, h.credits, h.balance_after, h.subjects, coalesce(p.amount, 0)::bigint as given_back
             from history h left join (
                 select account_id, request_id, sum(amount) as amount from posting
                 where kind = 5 and account_id = any($1) group by account_id, request_id) p
             on p.account_id = h.account_id and p.request_id = h.id
             where h.account_id = any($1)",
        )
        .bind(accounts)
        .fetch_all(ledger.pool())
        .await?;
        let mut books = Self::default();
        for row in rows {
            let amount = |name: &str| row.try_get(name).map(Credits::from_thousandths);
            let booked = Booked {
                request: row.try_get("id")?,
                credits: amount("credits")?,
                balance: amount("balance_after")?,
                given_back: amount("given_back")?,
            };
            books.calls.insert(booked.request, booked);
            let account: Uuid = row.try_get("account_id")?;
            let subjects: Vec<Uuid> = row.try_get("subjects")?;
            if booked.credits.is_positive() {
                // A charge that names nobody would be laid to nobody, and so be found.
                let person = subjects.first().copied().unwrap_or_default();
                books.charged.entry((account, person)).or_default().push(booked);
            }
        }
        Ok(books)
    }
}

/// How many of these calls are charged and not given back.
pub async fn charges_kept(
    ledger: &Ledger,
    accounts: &[Account],
    requests: &[RequestId],
) -> anyhow::Result<i64> {
    let kept = sqlx::query_scalar(
        "select count(*) from history h
         where h.account_id = any($1) and h.id = any($2) and h.credits > 0 and not exists (
             select 1 from posting p where p.account_id = h.account_id and p.request_id = h.id and p.kind = 5)",
    )
    .bind(accounts.iter().map(|account| account.id.uuid()).collect::<Vec<_>>())
    .bind(requests.iter().map(|request| request.uuid()).collect::<Vec<_>>())
    .fetch_one(ledger.pool())
    .await?;
    Ok(kept)
}

/// Holds that nobody ended.
pub async fn open_holds(ledger: &Ledger) -> anyhow::Result<i64> {
    Ok(sqlx::query_scalar("select count(*) from hold where state = 'open'").fetch_one(ledger.pool()).await?)
}

#[cfg(test)]
mod tests {
    use super::*;
    use assay_domain::PersonId;

    fn id(number: u128) -> Uuid {
        Uuid::from_u128(number)
    }

    fn booked(request: u128, given_back: i64) -> Booked {
        let (credits, balance) = (Credits::whole(1), Credits::whole(9));
        Booked { request: id(request), credits, balance, given_back: Credits::whole(given_back) }
    }

    fn seen(replayed: bool) -> Fate {
        let (credits, balance) = (Credits::whole(1), Credits::whole(9));
        Fate::Answered(Seen { request: RequestId::from_uuid(id(1)), credits, balance, replayed })
    }

    /// Double charges, lost charges and other findings of one request that found somebody.
    fn found(fate: Fate, key: Option<&str>, calls: &[Booked]) -> (usize, usize, usize) {
        let person = Some(PersonId::from_uuid(id(7)));
        let ticket = Ticket::new(0, person, key.map(str::to_owned), fate);
        let account = id(5);
        let mut books = Books::default();
        for call in calls {
            books.calls.insert(call.request, *call);
            books.charged.entry((account, id(7))).or_default().push(*call);
        }
        let mut findings = Findings::default();
        compare(&mut books, &[account], &[ticket], &mut findings);
        (findings.double.count(), findings.lost.count(), findings.other.count())
    }

    #[test]
    fn what_was_seen_is_booked_once_and_as_told() {
        assert_eq!(found(seen(false), None, &[booked(1, 0)]), (0, 0, 0));
        assert_eq!(found(seen(true), Some("k"), &[booked(2, 0)]), (0, 0, 0));
        assert_eq!(found(seen(false), None, &[]), (0, 1, 0));
        assert_eq!(found(seen(true), Some("k"), &[]), (0, 1, 0));
        let (double, _, _) = found(seen(true), Some("k"), &[booked(2, 0), booked(3, 0)]);
        assert_eq!(double, 1);
        assert_eq!(found(seen(false), None, &[booked(1, 1)]), (0, 1, 0));
        let cheaper = Booked { credits: Credits::from_thousandths(500), ..booked(1, 0) };
        assert_eq!(found(seen(false), None, &[cheaper]), (0, 1, 0));
    }

    #[test]
    fn what_was_not_seen_is_charged_at_most_once_and_what_failed_is_free() {
        assert_eq!(found(Fate::Unseen, None, &[]), (0, 0, 0));
        assert_eq!(found(Fate::Unseen, None, &[booked(1, 0)]), (0, 0, 0));
        assert_eq!(found(Fate::Unseen, None, &[booked(1, 0), booked(2, 0)]), (1, 0, 0));
        assert_eq!(found(Fate::Unseen, Some("k"), &[]), (0, 0, 1));
        let failed = Fate::Failed { request: None };
        assert_eq!(found(failed, None, &[booked(1, 0)]), (0, 0, 1));
        assert_eq!(found(failed, None, &[booked(1, 1)]), (0, 0, 0));
    }
}
