//! What the people of one company have in common, worked out once for all of them.

use crate::company::offices;
use crate::firm::{Base, Brand, Firm, Mail};
use crate::roster::Desk;
use crate::tables::Place;

#[derive(Debug)]
pub(crate) struct Workplace<'a> {
    pub(crate) base: &'a Base,
    pub(crate) firm: Firm<'a>,
    pub(crate) brand: Brand,
    pub(crate) mail: Mail,
    pub(crate) offices: Vec<&'a Place>,
}

impl<'a> Workplace<'a> {
    /// Where a person works.
    pub(crate) fn of(base: &'a Base, person: u64) -> Self {
        let firm = base.firm(base.roster.desk(person).company);
        let (brand, mail, offices) = (base.brand(&firm), base.mail(&firm), offices(base, &firm));
        Self { base, firm, brand, mail, offices }
    }

    pub(crate) fn employs(&self, person: u64) -> bool {
        person.checked_sub(self.firm.first).is_some_and(|position| position < self.firm.people)
    }

    pub(crate) fn desk(&self, person: u64) -> Desk {
        Desk { company: self.firm.index, position: person.saturating_sub(self.firm.first) }
    }
}
