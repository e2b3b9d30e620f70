//! Floor 1: a made-up world of people and companies for demos, tests and measurements.
//!
//! Every record is a pure function of the seed and its index. No record needs another one to be made first, so a world of
//! any size can be read at any point, in any order and from any number of threads.
//!
//! Nothing in it can reach anybody: domains are under `.example`, telephone numbers in ranges reserved for fiction.

mod calendar;
mod career;
mod company;
mod contact;
mod dice;
mod firm;
mod fold;
mod funding;
mod naming;
mod origin;
mod person;
mod role;
mod roster;
mod rows;
mod tables;
#[cfg(test)]
mod tests;

use assay_domain::NetworkHosts;
use chrono::NaiveDate;

pub use company::SyntheticCompany;
pub use person::SyntheticPerson;

/// The seed of the world that the sandbox and the first steps show.
pub const DEMO_SEED: u64 = 2_026;
pub const DEMO_PEOPLE: u64 = 5_000;
/// The day on which the demo world is looked at.
pub const DEMO_AS_OF: NaiveDate = match NaiveDate::from_ymd_opt(2026, 11, 1) {
    Some(day) => day,
    None => NaiveDate::MIN,
};

/// A world of a seed, a number of people and a day on which it is looked at.
#[derive(Debug)]
pub struct World {
    base: firm::Base,
    hosts: NetworkHosts,
    people: u64,
}

impl World {
    /// Takes time and memory in proportion to the number of companies: about 20 bytes each.
    pub fn new(seed: u64, people: u64, as_of: NaiveDate) -> Self {
        Self { base: firm::Base::new(seed, people, as_of), hosts: NetworkHosts::default(), people }
    }

    /// The world of the sandbox.
    pub fn demo() -> Self {
        Self::new(DEMO_SEED, DEMO_PEOPLE, DEMO_AS_OF)
    }

    pub fn people_count(&self) -> u64 {
        self.people
    }

    pub fn company_count(&self) -> u64 {
        roster::company_count(self.people)
    }

    /// The company of an index below [`World::company_count`].
    pub fn company(&self, index: u64) -> SyntheticCompany {
        company::company(&self.base, &self.hosts, index)
    }

    /// The person of an index below [`World::people_count`].
    pub fn person(&self, index: u64) -> SyntheticPerson {
        person::person(&self.base, &self.hosts, index)
    }

    /// The index of the company somebody works for.
    pub fn employer_index(&self, person: u64) -> u64 {
        self.base.roster.desk(person).company
    }
}
