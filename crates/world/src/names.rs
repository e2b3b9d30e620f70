//! What people of a country are called: given names by year of birth, surnames by how common they are.

use std::collections::HashSet;

use crate::dice::mix;
use crate::fold;
use crate::rows::{Rows, columns, rank_weight};

const GIVEN: &str = include_str!("../data/given.txt");
const FAMILY: &str = include_str!("../data/family.txt");

/// How many cards are in a deck of surnames, as a power of two: enough that the rarest name has one.
pub(crate) const DECK_BITS: u32 = 11;
const DECK_CARDS: u64 = 1 << DECK_BITS;

/// A given name or surname, with the forms that are needed for each person worked out beforehand.
#[derive(Debug, Default)]
pub(crate) struct Name {
    pub(crate) text: &'static str,
    pub(crate) mailbox: String,
    pub(crate) slug: String,
}

#[derive(Debug, Default)]
pub(crate) struct Surname {
    usual: Name,
    /// In Poland, where many surnames have a form for women.
    feminine: Option<Name>,
    /// The cards of the deck that have this name.
    pub(crate) cards: Vec<u64>,
}

impl Surname {
    /// The form that goes with a given name.
    pub(crate) fn beside(&self, given: &Name) -> &Name {
        match &self.feminine {
            // Polish given names of women end in this letter, those of men do not.
            Some(feminine) if given.text.ends_with('a') => feminine,
            _ => &self.usual,
        }
    }
}

/// One card: a surname, and how many cards of the same name lie before it.
#[derive(Debug, Default, Clone, Copy)]
pub(crate) struct Card {
    pub(crate) surname: u64,
    pub(crate) ordinal: u64,
}

/// The given names usual for those born up to a year.
#[derive(Debug, Default)]
pub(crate) struct Generation {
    last_year: i32,
    pub(crate) names: Rows<Name>,
}

#[derive(Debug, Default)]
pub(crate) struct Names {
    /// Oldest first.
    generations: Vec<Generation>,
    pub(crate) surnames: Rows<Surname>,
    /// Each surname on as many cards as it is common, shuffled.
    deck: Rows<Card>,
    fallback: Generation,
}

impl Names {
    pub(crate) fn read(country: &str) -> Self {
        let mut surnames = read_surnames(country);
        let deck = deal(&mut surnames);
        Self {
            generations: read_generations(country),
            surnames: Rows::even(surnames),
            deck: Rows::even(deck),
            fallback: Generation::default(),
        }
    }

    pub(crate) fn generation(&self, birth_year: i32) -> &Generation {
        let found = self.generations.iter().find(|generation| birth_year <= generation.last_year);
        found.or(self.generations.last()).unwrap_or(&self.fallback)
    }

    pub(crate) fn card(&self, at: u64) -> Card {
        *self.deck.at(at % DECK_CARDS)
    }
}

fn read_generations(country: &str) -> Vec<Generation> {
    let mut generations: Vec<(i32, Vec<&'static str>)> = Vec::new();
    for [_, years, names] in columns::<3>(GIVEN).filter(|[of, ..]| *of == country) {
        let (_, last) = years.split_once("..").unwrap_or_default();
        let last_year = last.parse().unwrap_or(i32::MAX);
        let names = names.split(',').map(str::trim);
        match generations.last_mut().filter(|(year, _)| *year == last_year) {
            Some((_, known)) => known.extend(names),
            None => generations.push((last_year, names.collect())),
        }
    }
    let german = country == "DE";
    let generation = |(last_year, names): (i32, Vec<&'static str>)| Generation {
        last_year,
        names: Rows::ranked(names.into_iter().map(|text| name(text, german)).collect()),
    };
    generations.into_iter().map(generation).collect()
}

/// Of two surnames that are one in a mailbox, the first stays: mailboxes are told apart by names.
fn read_surnames(country: &str) -> Vec<Surname> {
    let lines = columns::<2>(FAMILY).filter(|[of, _]| *of == country);
    let german = country == "DE";
    let mut seen = HashSet::new();
    let surnames = lines.flat_map(|[_, names]| names.split(',').map(str::trim)).map(|text| {
        let (usual, feminine) = text.split_once('/').map_or((text, None), |(men, women)| (men, Some(women)));
        let feminine = feminine.map(|text| name(text, german));
        Surname { usual: name(usual, german), feminine, cards: Vec::new() }
    });
    surnames.filter(|surname| seen.insert(surname.usual.mailbox.clone())).collect()
}

fn name(text: &'static str, german: bool) -> Name {
    Name { text, mailbox: fold::mailbox(text, german), slug: fold::slug(text) }
}

/// Gives each surname its cards and lays them out in an order that is the same in every world.
fn deal(surnames: &mut [Surname]) -> Vec<Card> {
    let count = u64::try_from(surnames.len()).unwrap_or(0);
    let total: u64 = (1..=count).map(rank_weight).sum();
    let mut places: Vec<u64> = (0..DECK_CARDS).collect();
    places.sort_by_key(|place| mix(place.wrapping_add(1)));
    let mut deck = vec![Card::default(); places.len()];
    let mut places = places.into_iter();
    let (mut sum, mut dealt) = (0, 0);
    for (surname, rank) in (0..).zip(1..=count) {
        sum += rank_weight(rank);
        // Scaled sums rather than scaled weights: the cards are dealt without a rest.
        let end = sum * DECK_CARDS / total.max(1);
        let (Some(bearer), cards) = (at_mut(surnames, surname), end - dealt) else {
            break;
        };
        for (ordinal, place) in (0..cards).zip(places.by_ref()) {
            bearer.cards.push(place);
            if let Some(card) = at_mut(&mut deck, place) {
                *card = Card { surname, ordinal };
            }
        }
        dealt = end;
    }
    deck
}

fn at_mut<T>(rows: &mut [T], index: u64) -> Option<&mut T> {
    usize::try_from(index).ok().and_then(|index| rows.get_mut(index))
}

#[cfg(test)]
mod tests {
    use super::*;

    const COUNTRIES: [&str; 10] = ["US", "GB", "DE", "FR", "IN", "BR", "ES", "NL", "JP", "PL"];

    #[test]
    fn every_line_of_names_is_understood() {
        let lines = |text: &'static str| text.lines().filter(|line| !line.starts_with('#')).count();
        assert_eq!(columns::<3>(GIVEN).count(), lines(GIVEN));
        assert_eq!(columns::<2>(FAMILY).count(), lines(FAMILY));
        for [_, years, _] in columns::<3>(GIVEN) {
            assert!(["..1969", "1970..1989", "1990.."].contains(&years), "{years}");
        }
    }

    #[test]
    fn every_country_has_three_generations_and_enough_names() {
        for country in COUNTRIES {
            let names = Names::read(country);
            assert_eq!(names.generations.len(), 3, "{country}");
            let given = names.generations.iter().flat_map(|generation| generation.names.iter());
            let given: HashSet<&str> = given.map(|name| name.mailbox.as_str()).collect();
            assert!(given.len() >= 150, "{country}: {} given names", given.len());
            assert!(names.surnames.len() >= 250, "{country}: {} surnames", names.surnames.len());
            for generation in &names.generations {
                let distinct: HashSet<&str> =
                    generation.names.iter().map(|name| name.mailbox.as_str()).collect();
                assert_eq!(u64::try_from(distinct.len()).unwrap(), generation.names.len(), "{country}");
            }
        }
    }

    #[test]
    fn every_name_can_be_written_in_a_mailbox_and_an_address() {
        for country in COUNTRIES {
            let names = Names::read(country);
            let given = names.generations.iter().flat_map(|generation| generation.names.iter());
            let family = names.surnames.iter();
            let family = family.flat_map(|surname| [Some(&surname.usual), surname.feminine.as_ref()]);
            for name in given.chain(family.flatten()) {
                assert!(!name.slug.is_empty() && name.mailbox.starts_with(|c: char| c.is_ascii_lowercase()));
                assert!(!name.text.contains(['/', '|']), "{}", name.text);
            }
        }
    }

    #[test]
    fn every_surname_is_dealt_and_the_common_ones_most_often() {
        for country in COUNTRIES {
            let names = Names::read(country);
            let mut cards = 0;
            for (number, surname) in (0..).zip(names.surnames.iter()) {
                assert!(!surname.cards.is_empty(), "{country}: {}", surname.usual.text);
                for (ordinal, at) in (0..).zip(&surname.cards) {
                    let card = names.card(*at);
                    assert_eq!((card.surname, card.ordinal), (number, ordinal));
                    cards += 1;
                }
            }
            assert_eq!(cards, DECK_CARDS);
            let count = |at| names.surnames.at(at).cards.len();
            assert!(count(0) >= 2 * count(25) && count(0) >= 6 * count(200), "{country}");
        }
    }
}
