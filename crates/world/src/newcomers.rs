//! Who is new at a desk: so many of each company, at desks that are known without asking everybody.
//!
//! The number follows from the company alone, so that events made of new jobs can be counted by company.

use chrono::NaiveDate;

use crate::calendar::Month;
use crate::dice::{Aspect, Order};
use crate::firm::Base;
use crate::roster::is_local;

/// Somebody whose present job began at most so many days ago is new in it.
pub(crate) const FRESH_DAYS_MOST: i64 = 120;
/// Nobody else's present job is younger: far enough above the days that no month is both.
pub(crate) const SETTLED_MONTHS_LEAST: u64 = 5;

const FRESH_PERCENT: u64 = 9;
const BREAK_PERCENT: u64 = 22;
const ANNOUNCED_PERCENT: u64 = 55;

/// How long somebody has been in the present job.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Standing {
    Settled,
    Fresh,
    /// New, and some months without a job before.
    AfterBreak,
}

/// The new ones of one company, counted from 0; those who come after a break first, those who announce it last.
#[derive(Debug)]
pub(crate) struct Intake {
    pub(crate) newcomers: u64,
    pub(crate) after_break: u64,
    pub(crate) announcers: u64,
    /// Whoever founded or leads the company sits at the desks before.
    first_desk: u64,
    desks: u64,
    order: Order,
}

impl Intake {
    pub(crate) fn new(base: &Base, company: u64) -> Self {
        let people = base.roster.people_at(company);
        let mut dice = base.dice(Aspect::CompanyIntake, company);
        let first_desk = if people <= 12 { 2 } else { 1 };
        let desks = people.saturating_sub(first_desk);
        let newcomers = dice.share(desks, FRESH_PERCENT).min(desks);
        // Local businesses are too few in a country for the job before to be found.
        let breaks = if is_local(base.seed, company) { 0 } else { BREAK_PERCENT };
        Self {
            newcomers,
            after_break: dice.share(newcomers, breaks).min(newcomers),
            announcers: dice.share(newcomers, ANNOUNCED_PERCENT).min(newcomers),
            first_desk,
            desks,
            order: Order::throw(&mut dice, desks),
        }
    }

    pub(crate) fn standing(&self, position: u64) -> Standing {
        let Some(desk) = position.checked_sub(self.first_desk).filter(|desk| *desk < self.desks) else {
            return Standing::Settled;
        };
        match self.order.at(desk) {
            rank if rank < self.after_break => Standing::AfterBreak,
            rank if rank < self.newcomers => Standing::Fresh,
            _ => Standing::Settled,
        }
    }

    /// The desk of the newcomer of a number.
    pub(crate) fn position(&self, newcomer: u64) -> u64 {
        self.first_desk + self.order.position_of(newcomer)
    }

    pub(crate) fn announcer(&self, number: u64) -> u64 {
        self.position(self.newcomers.saturating_sub(self.announcers) + number)
    }
}

/// How many months back a job may have begun, on the first of the month, to be new.
pub(crate) fn fresh_months_most(as_of: NaiveDate) -> u64 {
    let now = Month::of(as_of);
    let fresh = |months: &u64| (as_of - now.back(*months).first_day()).num_days() <= FRESH_DAYS_MOST;
    (1..SETTLED_MONTHS_LEAST).take_while(fresh).last().unwrap_or(1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_month_is_either_fresh_or_settled_on_every_day_of_the_year() {
        for day in 1..=366 {
            let as_of = NaiveDate::from_yo_opt(2024, day).unwrap();
            let age = |months| (as_of - Month::of(as_of).back(months).first_day()).num_days();
            assert!(age(fresh_months_most(as_of)) <= FRESH_DAYS_MOST);
            assert!(age(SETTLED_MONTHS_LEAST) > FRESH_DAYS_MOST);
        }
    }

    #[test]
    fn the_newcomers_of_a_company_sit_at_different_desks_that_know_it() {
        let base = Base::new(7, 8_000, crate::DEMO_AS_OF);
        let mut newcomers = 0;
        for company in 0..base.roster.companies() {
            let intake = Intake::new(&base, company);
            let people = base.roster.people_at(company);
            let fresh = (0..people).filter(|desk| intake.standing(*desk) != Standing::Settled).count();
            assert_eq!(u64::try_from(fresh).unwrap(), intake.newcomers);
            for number in 0..intake.newcomers {
                let standing = intake.standing(intake.position(number));
                assert_eq!(standing == Standing::AfterBreak, number < intake.after_break);
                assert_ne!(standing, Standing::Settled);
            }
            newcomers += intake.newcomers;
        }
        assert!((500..800).contains(&newcomers), "{newcomers}");
    }
}
