//! Floor 1: a made-up world of people and companies for demos, tests and measurements.
//!
//! Every record is a pure function of the seed and its index. No record needs another one to be made first, so a world of
//! any size can be read at any point, in any order and from any number of threads.
//!
//! Nothing in it can reach anybody: domains are under `.example`, telephone numbers in ranges reserved for fiction.

mod acquisition;
mod announcement;
mod calendar;
mod career;
mod company;
mod contact;
mod dice;
mod education;
mod events;
mod firm;
mod fold;
mod funding;
mod job_change;
mod names;
mod naming;
mod newcomers;
mod origin;
mod peers;
mod person;
mod posting;
mod pulse;
mod register;
mod role;
mod roster;
mod rows;
mod segments;
mod staff;
mod tables;
#[cfg(test)]
mod tests;
mod trades;
pub mod truth;
mod workplace;

use assay_domain::NetworkHosts;
use assay_domain::taxonomy::Seniority;
use chrono::NaiveDate;

use truth::Truth;
use workplace::Workplace;

pub use acquisition::{Acquisition, Price};
pub use announcement::Announcement;
pub use company::SyntheticCompany;
pub use job_change::{JobChange, JobChangeKind};
pub use person::SyntheticPerson;
pub use posting::JobPosting;

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
    events: events::Events,
    hosts: NetworkHosts,
    people: u64,
}

impl World {
    /// Takes time and memory in proportion to the number of companies: about 50 bytes each.
    pub fn new(seed: u64, people: u64, as_of: NaiveDate) -> Self {
        let base = firm::Base::new(seed, people, as_of);
        Self { events: events::Events::new(&base), base, hosts: NetworkHosts::default(), people }
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
        person::person(&Workplace::of(&self.base, index), &self.hosts, index)
    }

    /// The people of a range of indexes below [`World::people_count`], in order. Quicker than asking for each, since
    /// what colleagues have in common is worked out once.
    pub fn people(&self, indexes: std::ops::Range<u64>) -> impl Iterator<Item = SyntheticPerson> {
        let mut workplace: Option<Workplace<'_>> = None;
        indexes.map(move |index| {
            let known = workplace.take().filter(|known| known.employs(index));
            let known = known.unwrap_or_else(|| Workplace::of(&self.base, index));
            let person = person::person(&known, &self.hosts, index);
            workplace = Some(known);
            person
        })
    }

    /// The index of the company somebody works for.
    pub fn employer_index(&self, person: u64) -> u64 {
        self.base.roster.desk(person).company
    }

    /// Whether a company is a local business: a trade or service of the neighborhood with 1 to 25 people.
    pub fn is_local_business(&self, company: u64) -> bool {
        roster::is_local(self.base.seed, company)
    }

    /// The person who owns a company, where somebody of the world does: always at a local business.
    pub fn owner_index(&self, company: u64) -> Option<u64> {
        let firm = self.base.firm(company);
        let owner = staff::Staff::new(&self.base, &firm).role(0).seniority == Seniority::Owner;
        (owner && firm.people > 0).then_some(firm.first)
    }

    pub fn acquisition_count(&self) -> u64 {
        u64::try_from(self.events.takeovers.len()).unwrap_or(u64::MAX)
    }

    /// The acquisition of an index below [`World::acquisition_count`]; each company was bought at most once.
    pub fn acquisition(&self, index: u64) -> Option<Acquisition> {
        let takeover = usize::try_from(index).ok().and_then(|at| self.events.takeovers.get(at))?;
        Some(acquisition::acquisition(&self.base, *takeover))
    }

    pub fn job_posting_count(&self) -> u64 {
        self.events.postings.count()
    }

    /// The job posting of an index below [`World::job_posting_count`]. Those of one company follow each other.
    pub fn job_posting(&self, index: u64) -> Option<JobPosting> {
        let (company, place) = self.events.postings.find(index)?;
        Some(posting::posting(&self.base, company, place))
    }

    pub fn job_change_count(&self) -> u64 {
        self.events.job_changes.count()
    }

    /// The job change of an index below [`World::job_change_count`]. Everybody whose present job began at most 120 days
    /// ago has one, and whoever was without a job before has a second for leaving the last one.
    pub fn job_change(&self, index: u64) -> Option<JobChange> {
        let (company, place) = self.events.job_changes.find(index)?;
        job_change::job_change(&self.base, company, place)
    }

    pub fn announcement_count(&self) -> u64 {
        self.events.announcements.count()
    }

    /// The announcement of an index below [`World::announcement_count`]. About half of those whose present job began at
    /// most 120 days ago made one.
    pub fn announcement(&self, index: u64) -> Option<Announcement> {
        let (company, place) = self.events.announcements.find(index)?;
        announcement::announcement(&self.base, company, place)
    }

    /// What no record says. Only for judging: code under measurement must not use it.
    pub fn truth(&self) -> Truth<'_> {
        Truth::new(&self.base)
    }
}
