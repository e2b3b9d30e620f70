//! What a company is at heart: seat, trade, age, size, name and mail. Cheap, since every job of every person asks for it.

use chrono::NaiveDate;

use crate::dice::{Aspect, Dice, Order};
use crate::fold;
use crate::peers::Peers;
use crate::register::Register;
use crate::roster::Roster;
use crate::segments::Segment;
use crate::tables::{Branch, Country, Place, Sector, Tables};
use crate::trades::Trade;

/// Every domain of the world is under the top-level domain that RFC 2606 reserves for examples.
pub(crate) const TOP_LEVEL: &str = ".example";

/// Everything that the records are worked out from.
#[derive(Debug)]
pub(crate) struct Base {
    pub(crate) seed: u64,
    pub(crate) as_of: NaiveDate,
    pub(crate) tables: Tables,
    pub(crate) roster: Roster,
    register: Register,
    pub(crate) peers: Peers,
    roots: Order,
}

#[derive(Debug)]
pub(crate) struct Firm<'a> {
    pub(crate) index: u64,
    /// The index of the first person.
    pub(crate) first: u64,
    /// How many people of the world work here.
    pub(crate) people: u64,
    pub(crate) country: &'a Country,
    pub(crate) place: &'a Place,
    pub(crate) segment: &'a Segment,
    /// Of a local business.
    pub(crate) trade: Option<&'a Trade>,
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
    /// The two halves of the root.
    root: [&'static str; 2],
    trade: &'static str,
    number: String,
    /// Some local businesses say where they are.
    city: &'static str,
    /// Whether the domain has the word of the trade too.
    in_label: bool,
}

impl NameWords {
    fn name(&self) -> String {
        let mut name = self.start();
        append(&mut name, &[self.trade, &self.number, self.city]);
        name
    }

    /// The root is never left out, so a label that is made of more words is as unique as the root.
    fn label(&self) -> String {
        let mut label = self.start();
        append(&mut label, &[if self.in_label { self.trade } else { "" }, &self.number]);
        fold::slug(&label)
    }

    fn start(&self) -> String {
        let mut start = String::with_capacity(40);
        append(&mut start, &[self.epithet]);
        let [first, second] = self.root;
        append(&mut start, &[first]);
        start.push_str(second);
        start
    }
}

fn append(text: &mut String, words: &[&str]) {
    for word in words.iter().filter(|word| !word.is_empty()) {
        if !text.is_empty() {
            text.push(' ');
        }
        text.push_str(word);
    }
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
        let register = Register::new(seed, as_of, &tables, &roster);
        let roots =
            Order::new(seed, Aspect::RootOrder, 0, tables.first_halves.len() * tables.second_halves.len());
        let mut base = Self { seed, as_of, tables, roster, register, peers: Peers::default(), roots };
        base.peers = Peers::new(&base);
        base
    }

    pub(crate) fn dice(&self, aspect: Aspect, index: u64) -> Dice {
        Dice::new(self.seed, aspect, index)
    }

    #[inline]
    pub(crate) fn firm(&self, index: u64) -> Firm<'_> {
        let entry = self.register.entry(index);
        let tables = &self.tables;
        let country = tables.countries.at(u64::from(entry.country));
        let trade = entry.is_local.then(|| tables.trades.at(u64::from(entry.kind)));
        let (segment, branch) = match trade {
            Some(trade) => (&trade.segment, &trade.branch),
            None => (tables.segments.at(u64::from(entry.kind)), tables.branches.at(u64::from(entry.branch))),
        };
        Firm {
            index,
            first: self.roster.first_at(index),
            people: self.roster.people_at(index),
            country,
            place: country.places.at(u64::from(entry.place)),
            segment,
            trade,
            branch,
            sector: tables.sectors.at(branch.sector),
            founded_year: i32::from(entry.founded_year),
        }
    }

    #[inline]
    pub(crate) fn founded_year(&self, index: u64) -> i32 {
        i32::from(self.register.entry(index).founded_year)
    }

    pub(crate) fn brand(&self, firm: &Firm<'_>) -> Brand {
        let words = self.name_words(firm);
        Brand { name: words.name(), label: words.label() }
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
        let root = [*firsts.at(at / halves), *seconds.at(at % halves)];
        let epithets = self.tables.epithets.len().max(1);
        let rounds = firm.index / (halves * firsts.len()).max(1);
        let (epithet, generation) = match rounds.checked_sub(1) {
            None => ("", 0),
            Some(again) => (*self.tables.epithets.at(again % epithets), again / epithets),
        };
        let number = if generation > 0 { (generation + 1).to_string() } else { String::new() };
        let mut dice = self.dice(Aspect::CompanyName, firm.index);
        let trade = *firm.branch.words.draw(&mut dice);
        let local = firm.trade.is_some();
        let in_label = dice.percent(if local { 80 } else { 25 });
        let city = if local && dice.percent(22) { firm.place.city } else { "" };
        NameWords { epithet, root, trade, number, city, in_label }
    }

    pub(crate) fn mail(&self, firm: &Firm<'_>) -> Mail {
        let mut dice = self.dice(Aspect::CompanyMail, firm.index);
        let provider = match dice.below(100) {
            0..46 => "Google Workspace",
            46..90 => "Microsoft 365",
            // Large companies have one of the large providers.
            _ if firm.people > 150 => "Microsoft 365",
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
