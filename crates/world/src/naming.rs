//! What people are called, and the mailbox that follows from it, unique within the company.

use crate::dice::{Aspect, Order, hash};
use crate::firm::{Base, Firm, Pattern};
use crate::roster::Desk;
use crate::tables::Name;

#[derive(Debug, Clone, Copy)]
pub(crate) struct FullName<'a> {
    pub(crate) given: &'a Name,
    pub(crate) family: &'a Name,
}

/// The names of one company's people.
///
/// Surnames go round in an order of the company's own, so all bearers of one are known without a search: they sit a
/// whole round apart. Only they can clash in a mailbox that contains the surname. Where mailboxes are first names, the
/// first names go round instead.
#[derive(Debug)]
pub(crate) struct Naming<'a> {
    base: &'a Base,
    firm: &'a Firm<'a>,
    pattern: Pattern,
    order: Order,
    given_order: Order,
}

impl<'a> Naming<'a> {
    pub(crate) fn new(base: &'a Base, firm: &'a Firm<'a>, pattern: Pattern) -> Self {
        let round = if pattern == Pattern::First { &firm.country.given } else { &firm.country.family };
        let order = Order::new(base.seed, Aspect::SurnameOrder, firm.index, round.len());
        let given_order = Order::new(base.seed, Aspect::GivenOrder, firm.index, firm.country.given.len());
        Self { base, firm, pattern, order, given_order }
    }

    pub(crate) fn name(&self, position: u64) -> FullName<'a> {
        let position = if self.is_twin(position) { position - 1 } else { position };
        let country = self.firm.country;
        let (round, seat) = (position / self.round(), position % self.round());
        let random = self.random(Aspect::PersonName, seat);
        let (given, family) = if self.pattern == Pattern::First {
            (self.order.at(seat), random % country.family.len().max(1))
        } else {
            // From a random start, bearers of one surname go through the first names: only twins share both.
            (self.given_order.at(random % country.given.len().max(1) + round), self.order.at(seat))
        };
        FullName { given: country.given.at(given), family: country.family.at(family) }
    }

    /// The part before the @. Who comes after somebody with the same one gets a number.
    pub(crate) fn mailbox(&self, desk: Desk) -> String {
        let position = desk.position;
        let name = self.name(position);
        let twin = self.is_twin(position);
        let bearer = if twin { position - 1 } else { position };
        let rounds = bearer / self.round();
        let mut earlier = u64::from(twin);
        for round in 1..=rounds {
            let other = bearer - round * self.round();
            if !self.is_twin(other) && self.same_mailbox(other, &name) {
                earlier += 1;
                earlier += u64::from(self.is_twin(other + 1));
            }
        }
        let stem = self.stem(&name);
        if earlier == 0 { stem } else { format!("{stem}{}", earlier + 1) }
    }

    /// About one person in two hundred has the name of the colleague at the desk before: some questions have no single
    /// answer. Only every other desk can, so that the colleague is never a twin too.
    fn is_twin(&self, position: u64) -> bool {
        position % 2 == 1 && self.random(Aspect::PersonTwin, position).is_multiple_of(100)
    }

    fn random(&self, aspect: Aspect, position: u64) -> u64 {
        // Companies have far fewer than 2^24 people, and there are far fewer than 2^40 companies.
        hash(self.base.seed, aspect, (self.firm.index << 24) ^ position)
    }

    fn round(&self) -> u64 {
        let country = self.firm.country;
        let round = if self.pattern == Pattern::First { country.given.len() } else { country.family.len() };
        round.max(1)
    }

    fn same_mailbox(&self, other: u64, name: &FullName<'_>) -> bool {
        let other = self.name(other);
        match self.pattern {
            Pattern::First => true,
            Pattern::InitialLast | Pattern::InitialDotLast => initial(&other) == initial(name),
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
