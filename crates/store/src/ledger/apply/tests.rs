//! The decisions of the ledger without a database: what each operation answers, books and leaves behind.

mod decisions;
mod leases;

use super::*;
use crate::ledger::load::Moment;
use crate::ledger::op::Record;
use assay_domain::{KeyId, LotId, Price};
use chrono::{DateTime, NaiveDate, TimeDelta, Utc};
use proptest::prelude::*;
use std::time::Duration;
use uuid::Uuid;

const UNIT: Price = Price::PerUnit(Credits::whole(2));
const HOUR: Duration = Duration::from_secs(3_600);

fn moment() -> DateTime<Utc> {
    DateTime::from_timestamp(1_793_527_200, 0).unwrap()
}

/// One account's book with everything a batch would have loaded for it.
struct Till {
    account: AccountId,
    book: Book,
    loaded: Loaded,
    writes: Writes,
    next: u128,
}

impl Till {
    fn new() -> Self {
        let month = NaiveDate::from_ymd_opt(2026, 11, 1).unwrap();
        Self {
            account: AccountId::from_uuid(Uuid::from_u128(1)),
            book: Book::new(0, 0, 0, Vec::new()),
            loaded: Loaded::empty(Moment { now: moment(), month }),
            writes: Writes::default(),
            next: 100,
        }
    }

    fn with(credits: i64) -> Self {
        let mut till = Self::new();
        till.grant("start", credits, None);
        till
    }

    fn id(&mut self) -> Uuid {
        self.next += 1;
        Uuid::from_u128(self.next)
    }

    fn ask(&mut self, op: Op) -> Answer {
        self.ask_for(self.account, op)
    }

    fn ask_for(&mut self, account: AccountId, op: Op) -> Answer {
        let asked = Asked::new(account, op);
        apply(&asked, &mut self.book, &mut self.loaded, &mut self.writes)
    }

    fn grant(&mut self, reason: &str, credits: i64, expires_at: Option<DateTime<Utc>>) -> Answer {
        let lot = LotId::from_uuid(self.id());
        let amount = Credits::whole(credits);
        self.ask(Op::Grant(Grant {
            lot,
            source: LotSource::Topup,
            reason: reason.into(),
            amount,
            expires_at,
        }))
    }

    fn wish(&mut self, units_max: u32) -> HoldWish {
        let (hold, request) = (HoldId::from_uuid(self.id()), RequestId::from_uuid(self.id()));
        HoldWish {
            hold,
            request,
            price: UNIT,
            units_max,
            max_credits: None,
            cap: None,
            lifetime: HOUR,
            lease: None,
            starts: None,
        }
    }

    fn hold(&mut self, units_max: u32) -> HoldId {
        let wish = self.wish(units_max);
        let answer = self.ask(Op::Hold(wish.clone()));
        assert!(matches!(answer, Answer::Held { units, .. } if units == units_max), "{answer:?}");
        wish.hold
    }

    fn settle(&mut self, hold: Option<HoldId>, credits: i64) -> Settle {
        let request = RequestId::from_uuid(self.id());
        let record = Record {
            in_history: true,
            key: KeyId::new("a1B2c3D4e5F6"),
            at: moment(),
            endpoint: "enrich",
            status: 200,
            found: credits > 0,
            latency: Duration::ZERO,
            cached: false,
            cache_age_seconds: None,
            providers: Vec::new(),
            upstream_micros: 0,
            subjects: Vec::new(),
        };
        let charge = Credits::whole(credits);
        Settle { request, hold, charge, cap: None, record, people: Vec::new(), reply: None, deed: None }
    }

    fn pay(&mut self, settle: &Settle) -> Answer {
        self.ask(Op::Settle(Box::new(settle.clone())))
    }

    /// Credits on each side by the postings alone: what was issued less than nothing, then the others.
    fn sides(&self) -> [i64; 5] {
        let mut sides = [0; 5];
        for posting in &self.book.postings {
            assert!(posting.amount > 0, "{posting:?}");
            sides[usize::try_from(posting.from.code()).unwrap()] -= posting.amount;
            sides[usize::try_from(posting.to.code()).unwrap()] += posting.amount;
        }
        sides
    }

    /// What must hold after every operation.
    fn check(&self) {
        let [_, available, held, spent, expired] = self.sides();
        assert_eq!((self.book.available, self.book.held), (available, held));
        assert!(available >= 0 && held >= 0 && spent >= 0 && expired >= 0);
        assert_eq!(self.book.lots.iter().map(|lot| lot.left).sum::<i64>(), available);
        assert!(self.book.lots.iter().all(|lot| lot.left > 0), "an empty lot is kept");
        assert!(self.book.lots.is_sorted_by_key(LotLeft::order));
        let open = self.loaded.holds.values().filter(|hold| hold.open);
        assert_eq!(open.map(|hold| hold.amount).sum::<i64>(), held);
        let numbers: Vec<(i64, i16)> =
            self.book.postings.iter().map(|posting| (posting.version, posting.ordinal)).collect();
        for pair in numbers.windows(2) {
            let [(version, ordinal), next] = pair else { continue };
            assert!(*next == (*version, ordinal + 1) || *next == (version + 1, 0), "{pair:?}");
        }
        assert_eq!(numbers.last().map_or(0, |last| last.0), self.book.version);
    }
}

fn cap(monthly: i64) -> Cap {
    Cap { key: KeyId::new("a1B2c3D4e5F6"), monthly: Credits::whole(monthly) }
}

fn refusal(answer: &Answer) -> Option<Refusal> {
    match answer {
        Answer::Refused { why, .. } => Some(*why),
        _ => None,
    }
}

/// What a client may do; numbers choose among what there is.
#[derive(Debug, Clone)]
enum Step {
    Grant(u8, Option<u8>),
    Hold(u8, bool),
    Settle(u8, u8, bool),
    Release(u8),
    ExpireHold(u8),
    Wait(u8),
}

fn steps() -> impl Strategy<Value = Vec<Step>> {
    let step = prop_oneof![
        (0_u8..20, proptest::option::of(0_u8..10)).prop_map(|(credits, hours)| Step::Grant(credits, hours)),
        (1_u8..6, any::<bool>()).prop_map(|(units, capped)| Step::Hold(units, capped)),
        (any::<u8>(), 0_u8..12, any::<bool>())
            .prop_map(|(hold, credits, held)| Step::Settle(hold, credits, held)),
        any::<u8>().prop_map(Step::Release),
        any::<u8>().prop_map(Step::ExpireHold),
        (0_u8..4).prop_map(Step::Wait),
    ];
    proptest::collection::vec(step, 1..60)
}

fn run(till: &mut Till, holds: &mut Vec<HoldId>, step: &Step) {
    let chosen = |number: u8| holds.get(usize::from(number) % holds.len().max(1)).copied();
    match step {
        Step::Grant(credits, hours) => {
            let end = hours.map(|hours| till.loaded.moment.now + TimeDelta::hours(i64::from(hours)));
            let reason = format!("grant {}", till.next);
            till.grant(&reason, i64::from(*credits), end);
        }
        Step::Hold(units, capped) => {
            let wish = HoldWish { cap: capped.then(|| cap(20)), ..till.wish(u32::from(*units)) };
            if matches!(till.ask(Op::Hold(wish.clone())), Answer::Held { .. }) {
                holds.push(wish.hold);
            }
        }
        Step::Settle(number, credits, held) => {
            let hold = chosen(*number).filter(|_| *held);
            let settle = till.settle(hold, i64::from(*credits));
            till.pay(&settle);
        }
        Step::Release(number) => drop(chosen(*number).map(|hold| till.ask(Op::Release(hold)))),
        Step::ExpireHold(number) => drop(chosen(*number).map(|hold| till.ask(Op::ExpireHold(hold)))),
        Step::Wait(hours) => {
            till.loaded.moment.now += TimeDelta::hours(i64::from(*hours));
            till.ask(Op::ExpireLots);
        }
    }
}

proptest! {
    #[test]
    fn whatever_is_asked_the_balance_is_the_sum_of_its_postings_and_never_below_zero(steps in steps()) {
        let mut till = Till::with(20);
        let mut holds = Vec::new();
        for step in &steps {
            run(&mut till, &mut holds, step);
            till.check();
        }
    }
}
