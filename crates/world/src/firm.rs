//! What a company is at heart: seat, trade, age, size, name and mail. Cheap, since every job of every person asks for it.

use chrono::{Datelike, NaiveDate};

use crate::dice::{Aspect, Dice, Order};
use crate::fold;
use crate::roster::{Roster, seat};
use crate::tables::{Branch, Country, Place, Sector, Tables};

/// Every domain of the world is under the top-level domain that RFC 2606 reserves for examples.
pub(crate) const TOP_LEVEL: &str = ".example";

/// Everything that the records are worked out from.
#[derive(Debug)]
pub(crate) struct Base {
    pub(crate) seed: u64,
    pub(crate) as_of: NaiveDate,
    pub(crate) tables: Tables,
    pub(crate) roster: Roster,
    roots: Order,
}

#[derive(Debug)]
pub(crate) struct Firm<'a> {
    pub(crate) index: u64,
    /// How many people of the world work here.
    pub(crate) people: u64,
    pub(crate) country: &'a Country,
    pub(crate) place: &'a Place,
    pub(crate) branch: &'a Branch,
    pub(crate) sector: &'a Sector,
    pub(crate) founded_year: i32,
}

#[derive(Debug)]
pub(crate) struct Brand {
    pub(crate) name: String,
    /// Unique: the label under `.example` and the end of the page on the network.
    pub(crate) label: String,
}

/// The parts of a company's name; all but the root may be empty.
#[derive(Debug)]
struct NameWords {
    epithet: &'static str,
    root: String,
    trade: &'static str,
    number: String,
    /// Whether the domain has the word of the trade too.
    in_label: bool,
}

impl NameWords {
    fn name(&self) -> String {
        join(&[self.epithet, &self.root, self.trade, &self.number])
    }
}

fn join(words: &[&str]) -> String {
    let mut joined = String::with_capacity(40);
    for word in words.iter().filter(|word| !word.is_empty()) {
        if !joined.is_empty() {
            joined.push(' ');
        }
        joined.push_str(word);
    }
    joined
}

/// How a company writes its mailboxes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Pattern {
    FirstDotLast,
    InitialLast,
    InitialDotLast,
    FirstUnderscoreLast,
    LastDotFirst,
    First,
}

impl Pattern {
    pub(crate) const fn as_str(self) -> &'static str {
        match self {
            Self::FirstDotLast => "{first}.{last}",
            Self::InitialLast => "{f}{last}",
            Self::InitialDotLast => "{f}.{last}",
            Self::FirstUnderscoreLast => "{first}_{last}",
            Self::LastDotFirst => "{last}.{first}",
            Self::First => "{first}",
        }
    }
}

#[derive(Debug, Clone, Copy)]
pub(crate) struct Mail {
    pub(crate) provider: &'static str,
    pub(crate) pattern: Pattern,
    pub(crate) catch_all: bool,
}

impl Base {
    pub(crate) fn new(seed: u64, people: u64, as_of: NaiveDate) -> Self {
        let tables = Tables::read();
        let roster = Roster::new(seed, people, &tables);
        let roots =
            Order::new(seed, Aspect::RootOrder, 0, tables.first_halves.len() * tables.second_halves.len());
        Self { seed, as_of, tables, roster, roots }
    }

    pub(crate) fn dice(&self, aspect: Aspect, index: u64) -> Dice {
        Dice::new(self.seed, aspect, index)
    }

    pub(crate) fn firm(&self, index: u64) -> Firm<'_> {
        let people = self.roster.people_at(index);
        let (country, place) = seat(self.seed, &self.tables, index);
        let mut dice = self.dice(Aspect::CompanyBranch, index);
        let branch = (0..8)
            .map(|_| self.tables.branches.draw(&mut dice))
            .find(|branch| branch.suits(people))
            .unwrap_or_else(|| self.tables.branches.at(0));
        let sector = self.tables.sectors.at(branch.sector);
        Firm { index, people, country, place, branch, sector, founded_year: self.founded_year(index) }
    }

    pub(crate) fn founded_year(&self, index: u64) -> i32 {
        let mut dice = self.dice(Aspect::CompanyAge, index);
        let years = match self.roster.people_at(index) {
            0..=10 => dice.lean(1, 24),
            11..=60 => dice.lean(3, 40),
            61..=300 => dice.lean(6, 70),
            _ => dice.between(9, 110),
        };
        self.as_of.year().saturating_sub(i32::try_from(years).unwrap_or(1))
    }

    pub(crate) fn brand(&self, firm: &Firm<'_>) -> Brand {
        let words = self.name_words(firm);
        // The root is never left out of the label, so a label that is made of more words is as unique as the root.
        let word = if words.in_label { words.trade } else { "" };
        let label = fold::slug(&join(&[words.epithet, &words.root, word, &words.number]));
        Brand { name: words.name(), label }
    }

    pub(crate) fn company_name(&self, firm: &Firm<'_>) -> String {
        self.name_words(firm).name()
    }

    /// A root is used once; when all are used up, an epithet before it tells the next round apart, and when those are used
    /// up too, a number behind it.
    fn name_words(&self, firm: &Firm<'_>) -> NameWords {
        let (firsts, seconds) = (&self.tables.first_halves, &self.tables.second_halves);
        let halves = seconds.len().max(1);
        let at = self.roots.at(firm.index);
        let root = [*firsts.at(at / halves), *seconds.at(at % halves)].concat();
        let epithets = self.tables.epithets.len().max(1);
        let rounds = firm.index / (halves * firsts.len()).max(1);
        let (epithet, generation) = match rounds.checked_sub(1) {
            None => ("", 0),
            Some(again) => (*self.tables.epithets.at(again % epithets), again / epithets),
        };
        let number = if generation > 0 { (generation + 1).to_string() } else { String::new() };
        let mut dice = self.dice(Aspect::CompanyName, firm.index);
        let trade = *firm.branch.words.draw(&mut dice);
        NameWords { epithet, root, trade, number, in_label: dice.percent(25) }
    }

    pub(crate) fn mail(&self, firm: &Firm<'_>) -> Mail {
        let mut dice = self.dice(Aspect::CompanyMail, firm.index);
        let provider = match dice.below(100) {
            0..46 => "Google Workspace",
            46..90 => "Microsoft 365",
            90..95 => "Zoho Mail",
            _ => "Fastmail",
        };
        // Mailboxes of first names alone soon meet; only the smallest companies have them.
        let pattern = if firm.people <= 12 && dice.percent(45) {
            Pattern::First
        } else {
            match dice.below(100) {
                0..56 => Pattern::FirstDotLast,
                56..82 => Pattern::InitialLast,
                82..90 => Pattern::InitialDotLast,
                90..95 => Pattern::FirstUnderscoreLast,
                _ => Pattern::LastDotFirst,
            }
        };
        Mail { provider, pattern, catch_all: dice.percent(12) }
    }
}
