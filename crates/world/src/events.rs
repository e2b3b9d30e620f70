//! What happens in the world, numbered: counted by company when the world is made, worked out one by one when asked for.

use crate::acquisition::{Takeover, takeovers};
use crate::firm::Base;
use crate::newcomers::Intake;
use crate::posting::posting_count;

/// Some 12 bytes a company.
#[derive(Debug)]
pub(crate) struct Events {
    pub(crate) takeovers: Vec<Takeover>,
    pub(crate) postings: Tally,
    pub(crate) job_changes: Tally,
    pub(crate) announcements: Tally,
}

impl Events {
    pub(crate) fn new(base: &Base) -> Self {
        let (mut postings, mut job_changes, mut announcements) =
            (Tally::default(), Tally::default(), Tally::default());
        for company in 0..base.roster.companies() {
            let intake = Intake::new(base, company);
            postings.add(posting_count(base, &base.firm(company)));
            job_changes.add(intake.newcomers + intake.after_break);
            announcements.add(intake.announcers);
        }
        Self { takeovers: takeovers(base), postings, job_changes, announcements }
    }
}

/// How many events each company has, summed up so that the company of an event is found by halving.
#[derive(Debug, Default)]
pub(crate) struct Tally {
    /// The number of events up to and with each company.
    ends: Vec<u32>,
}

impl Tally {
    fn add(&mut self, events: u64) {
        let end = self.count().saturating_add(events);
        self.ends.push(u32::try_from(end).unwrap_or(u32::MAX));
    }

    pub(crate) fn count(&self) -> u64 {
        self.ends.last().copied().map_or(0, u64::from)
    }

    /// The company of an event, and the event's place among those of the company.
    pub(crate) fn find(&self, event: u64) -> Option<(u64, u64)> {
        let company = self.ends.partition_point(|end| u64::from(*end) <= event);
        self.ends.get(company)?;
        let before = company.checked_sub(1).and_then(|at| self.ends.get(at)).copied().map_or(0, u64::from);
        Some((u64::try_from(company).ok()?, event - before))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_event_is_found_at_its_company_and_none_past_the_end() {
        let counts = [0, 3, 0, 0, 2, 1, 0];
        let mut tally = Tally::default();
        counts.into_iter().for_each(|count| tally.add(count));
        let wanted: Vec<(u64, u64)> = (0..)
            .zip(counts)
            .flat_map(|(company, count)| (0..count).map(move |place| (company, place)))
            .collect();
        let found: Vec<(u64, u64)> = (0..tally.count()).map_while(|event| tally.find(event)).collect();
        assert_eq!(found, wanted);
        assert_eq!(tally.find(6), None);
        assert_eq!(Tally::default().find(0), None);
    }
}
