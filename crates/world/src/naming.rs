//! What people are called, and the mailbox that follows from it, unique within the company.

use crate::dice::{Aspect, GOLDEN, Ring, hash};
use crate::firm::Pattern;
use crate::names::{Card, DECK_BITS, Name};
use crate::staff::Staff;

/// Names go in and out of use slowly: some are given those of the generation before or after.
const GENERATION_SHIFT_YEARS: u64 = 7;

#[derive(Debug, Clone, Copy)]
pub(crate) struct FullName<'a> {
    pub(crate) given: &'a Name,
    pub(crate) family: &'a Name,
}

/// The names of one company's people.
///
/// Surnames are dealt from the country's deck, shuffled in the company's own way. The cards of a surname are known, so
/// all its bearers are found without a search, and only they can clash in a mailbox that contains the surname. Where
/// mailboxes are first names the companies are so small that everybody is asked.
#[derive(Debug)]
pub(crate) struct Naming<'a> {
    staff: &'a Staff<'a>,
    pattern: Pattern,
    ring: Ring,
}

impl<'a> Naming<'a> {
    pub(crate) fn new(staff: &'a Staff<'a>, pattern: Pattern) -> Self {
        let ring = Ring::new(staff.base.seed, Aspect::SurnameOrder, staff.firm.index, DECK_BITS);
        Self { staff, pattern, ring }
    }

    pub(crate) fn name(&self, position: u64) -> FullName<'a> {
        let bearer = self.bearer(position);
        let card = self.card(bearer);
        let given = self.given(bearer, card);
        FullName { given, family: self.staff.firm.country.names.surnames.at(card.surname).beside(given) }
    }

    /// The part before the @. Who comes after somebody with the same one gets a number.
    pub(crate) fn mailbox(&self, position: u64, name: &FullName<'_>) -> String {
        let bearer = self.bearer(position);
        let twin = u64::from(bearer != position);
        let earlier = if self.pattern == Pattern::First {
            self.earlier_of(0..bearer, name)
        } else {
            let surname = self.staff.firm.country.names.surnames.at(self.card(bearer).surname);
            let first = surname.cards.iter().map(|card| self.ring.position_of(*card));
            let rounds = first.flat_map(|first| (first..bearer).step_by(1 << DECK_BITS));
            self.earlier_of(rounds, name)
        };
        let stem = self.stem(name);
        if earlier + twin == 0 { stem } else { format!("{stem}{}", earlier + twin + 1) }
    }

    /// How many people at these desks have the mailbox that the name would get.
    fn earlier_of(&self, positions: impl Iterator<Item = u64>, name: &FullName<'_>) -> u64 {
        let bearers = positions.filter(|position| !self.is_twin(*position));
        let same = bearers.filter(|position| self.same_mailbox(&self.name(*position), name));
        same.map(|position| 1 + u64::from(self.is_twin(position + 1))).sum()
    }

    /// About one person in two hundred has the name of the colleague at the desk before: some questions have no single
    /// answer. Only every other desk can, so that the colleague is never a twin too.
    #[inline]
    fn is_twin(&self, position: u64) -> bool {
        position % 2 == 1 && self.random(Aspect::PersonTwin, position).is_multiple_of(100)
    }

    /// The desk whose name somebody has.
    fn bearer(&self, position: u64) -> u64 {
        if self.is_twin(position) { position - 1 } else { position }
    }

    fn card(&self, bearer: u64) -> Card {
        self.staff.firm.country.names.card(self.ring.at(bearer))
    }

    /// A name of the generation. Those who could clash draw from points far apart: colleagues who share both names are
    /// mostly twins.
    fn given(&self, bearer: u64, card: Card) -> &'a Name {
        let role = self.staff.role(bearer);
        let span = self.staff.span(bearer, role);
        let random = self.random(Aspect::PersonGeneration, bearer);
        let shift = i32::try_from(random % (2 * GENERATION_SHIFT_YEARS + 1)).unwrap_or(0);
        let year = self.staff.birth_year(bearer, role, span) + shift;
        let year = year.saturating_sub_unsigned(u32::try_from(GENERATION_SHIFT_YEARS).unwrap_or(0));
        let (circle, step) = if self.pattern == Pattern::First {
            (0, bearer)
        } else {
            let surname = self.staff.firm.country.names.surnames.at(card.surname);
            let round = bearer >> DECK_BITS;
            let cards = u64::try_from(surname.cards.len()).unwrap_or(0);
            (card.surname, card.ordinal + round * cards)
        };
        let start = self.random(Aspect::GivenStart, circle);
        let point = start.wrapping_add(step.wrapping_mul(GOLDEN));
        self.staff.firm.country.names.generation(year).names.pick(point)
    }

    #[inline]
    fn random(&self, aspect: Aspect, position: u64) -> u64 {
        // Companies have far fewer than 2^24 people, and there are far fewer than 2^40 companies.
        hash(self.staff.base.seed, aspect, (self.staff.firm.index << 24) ^ position)
    }

    /// Of people whose surnames are on the same cards, except where mailboxes are first names.
    fn same_mailbox(&self, other: &FullName<'_>, name: &FullName<'_>) -> bool {
        match self.pattern {
            Pattern::First => other.given.mailbox == name.given.mailbox,
            Pattern::InitialLast | Pattern::InitialDotLast => {
                initial(other) == initial(name) && other.family.mailbox == name.family.mailbox
            }
            Pattern::FirstDotLast | Pattern::FirstUnderscoreLast | Pattern::LastDotFirst => {
                other.given.mailbox == name.given.mailbox
            }
        }
    }

    fn stem(&self, name: &FullName<'_>) -> String {
        let (first, last) = (name.given.mailbox.as_str(), name.family.mailbox.as_str());
        match self.pattern {
            Pattern::FirstDotLast => [first, ".", last].concat(),
            Pattern::InitialLast => [initial(name), last].concat(),
            Pattern::InitialDotLast => [initial(name), ".", last].concat(),
            Pattern::FirstUnderscoreLast => [first, "_", last].concat(),
            Pattern::LastDotFirst => [last, ".", first].concat(),
            Pattern::First => first.to_owned(),
        }
    }
}

fn initial<'a>(name: &FullName<'a>) -> &'a str {
    name.given.mailbox.get(..1).unwrap_or_default()
}
