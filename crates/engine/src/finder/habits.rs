//! `Habits`: how a company writes its mailboxes, learnt from addresses of people whose names are known.

use std::collections::{BTreeMap, HashMap};

use assay_domain::limits::FINDER_EXAMPLES_MAX;
use assay_domain::{Confidence, Domain, Email, PersonName};

use super::choice::{Choice, Topic, USUAL, Way};
use super::namesakes::{Commonness, Rivals};
use super::pattern::{PATTERNS, Shape, Size, Written, readings, split_number, usual_share};
use super::probability::Probability;
use crate::matching::is_role_mailbox;

/// What the general frequencies are worth, in thousandths of an example: little, since nearly every company has one pattern for
/// all, and the first example shows it.
const PATTERN_PRIOR: u128 = 100;
/// Spellings are kept to less strictly, and other forms of given names are the people's own choice.
const CHOICE_PRIOR: u128 = 800;
const PERSONAL_PRIOR: u128 = 6_000;
/// An example loses half of its weight in so many days: companies change hands, and their addresses with them.
const HALF_LIFE_DAYS: u64 = 1_500;
/// How many namesakes are taken for seen before any was, in millionths.
const RIVALS_PRIOR: u64 = 400_000;
const RIVALS_SCALE_MAX: u64 = 20_000;
/// More of one name are as hopeless as so many.
const DOUBLES_MAX: u32 = 3;

/// Where German is written, umlauts are spelt with an e.
const GERMAN: &[&str] = &["AT", "CH", "DE", "LI"];
const GERMAN_SPELT: Probability = Probability::per_mille(880);
const ELSEWHERE_SPELT: Probability = Probability::per_mille(200);

/// What is known of the company beside its addresses.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Setting {
    pub people: Option<u32>,
    /// ISO 3166-1, two letters.
    pub country: Option<String>,
}

impl Setting {
    /// Without a country, the one of the domain's ending where it has one.
    pub fn of(domain: &Domain, people: Option<u32>, country: Option<&str>) -> Self {
        let ending = domain.as_str().rsplit('.').next().filter(|ending| ending.len() == 2);
        Self { people, country: country.or(ending).map(str::to_ascii_uppercase) }
    }

    fn is_german(&self) -> Option<bool> {
        self.country.as_deref().map(|country| GERMAN.contains(&country))
    }
}

/// A known address of somebody else than the person who is asked for.
#[derive(Debug, Clone)]
pub struct Example {
    pub name: PersonName,
    pub email: Email,
    /// How sure it is that the address is this person's and works.
    pub confidence: Confidence,
    pub age_days: u32,
}

impl Example {
    /// In thousandths of an example that is certain and new.
    fn weight(&self) -> u64 {
        let sure = u64::from(self.confidence.as_percent()) * 10;
        sure * HALF_LIFE_DAYS / (HALF_LIFE_DAYS + u64::from(self.age_days))
    }
}

/// Counts of what examples show, on top of what is usual: together a Dirichlet distribution over patterns, and one over the
/// answers to each question of spelling.
#[derive(Clone)]
pub struct Habits {
    setting: Setting,
    /// For each pattern of the table, in thousandths of an example.
    patterns: Vec<u64>,
    /// Of all examples, those that follow no pattern included.
    examples: u64,
    choices: BTreeMap<Choice, u64>,
    /// What follows from the counts, worked out once: for each pattern, and for each row of what is usual.
    pattern_shares: Vec<Probability>,
    choice_shares: Vec<Probability>,
    /// Mailboxes that are somebody else's, by their stem: the ranks among the namesakes, and how sure that is.
    taken: HashMap<String, Vec<(u32, Probability)>>,
    /// How many times more namesakes there are than the size suggests, in thousandths.
    rivals_scale: u64,
    /// Others who are known to have the very name that is asked for.
    doubles: u32,
}

impl std::fmt::Debug for Habits {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(out, "Habits({} examples, {:?})", self.examples / 1_000, self.choices)
    }
}

impl Habits {
    /// Of a company nothing is known of beside its setting.
    pub fn usual(setting: Setting) -> Self {
        let patterns = vec![0; PATTERNS.len()];
        let (choices, taken) = (BTreeMap::new(), HashMap::new());
        let (pattern_shares, choice_shares) = (Vec::new(), Vec::new());
        let habits = Self {
            setting,
            patterns,
            examples: 0,
            choices,
            pattern_shares,
            choice_shares,
            taken,
            rivals_scale: 1_000,
            doubles: 0,
        };
        habits.settled()
    }

    fn settled(mut self) -> Self {
        self.pattern_shares = (0..PATTERNS.len()).map(|place| self.work_out_pattern(place)).collect();
        self.choice_shares = USUAL.iter().map(|(topic, way, _)| self.work_out_choice(*topic, *way)).collect();
        self
    }

    /// The surest and newest examples count if there are too many; mailboxes of many people do not.
    pub fn learn(setting: Setting, examples: &[Example]) -> Self {
        let mut habits = Self::usual(setting);
        let mut examples: Vec<&Example> =
            examples.iter().filter(|example| !is_role_mailbox(&example.email)).collect();
        examples.sort_by_key(|example| std::cmp::Reverse(example.weight()));
        examples.truncate(FINDER_EXAMPLES_MAX);
        let blank = habits.clone();
        let (mut expected, mut seen) = (RIVALS_PRIOR, RIVALS_PRIOR);
        for example in examples {
            let (before, behind) = habits.count(&blank, example);
            expected += before;
            seen += behind;
        }
        habits.rivals_scale = (seen * 1_000 / expected.max(1)).clamp(250, RIVALS_SCALE_MAX);
        habits.settled()
    }

    /// The same where so many others at the company have the very name that is asked for: whichever way it is written, they want
    /// the same mailbox, and whoever is asked for may be any of them.
    #[must_use]
    pub fn with_doubles(self, doubles: u32) -> Self {
        Self { doubles: doubles.min(DOUBLES_MAX), ..self }
    }

    /// Returns how many namesakes before this person were expected, and how many there are, in millionths.
    fn count(&mut self, blank: &Self, example: &Example) -> (u64, u64) {
        let weight = example.weight();
        self.examples += weight;
        let local = example.email.local();
        let (stem, number) = split_number(local);
        let rank = number.map_or(1, |number| number.max(2));
        let sure = Probability::from(example.confidence);
        self.taken.entry(stem.to_owned()).or_default().push((rank, sure));
        let part = |share: Probability| u64::try_from(share.part_of(u128::from(weight))).unwrap_or(0);
        let commonness = Commonness::of(&example.name);
        let (mut expected, mut seen) = (0, 0);
        for reading in readings(&example.name, local, |written| blank.likelihood(written)) {
            let part = part(reading.share);
            if let Some(count) = self.patterns.get_mut(reading.place) {
                *count += part;
            }
            for choice in reading.choices {
                *self.choices.entry(choice).or_default() += part;
            }
            // Whoever is one of several is as likely before as behind another.
            expected += commonness.rivals(reading.pattern.shape, self.setting.people, 1_000).millionths() / 2
                * part
                / 1_000;
            let Some(number) = number else { continue };
            seen += u64::from(rank.saturating_sub(1)) * part * 1_000;
            *self.choices.entry((Topic::Namesake, Way::Numbered)).or_default() += part;
            let way = if number == 1 { Some(Way::FromOne) } else { (number == 2).then_some(Way::FromTwo) };
            if let Some(way) = way {
                *self.choices.entry((Topic::Count, way)).or_default() += part;
            }
        }
        (expected, seen)
    }

    /// That somebody of this company has a mailbox written so, namesakes aside.
    pub(super) fn likelihood(&self, written: &Written<'_>) -> Probability {
        let pattern = self.pattern_share(written.place);
        written.choices().fold(pattern.times(written.personal()), |all, choice| all.times(self.share(choice)))
    }

    fn pattern_counts(&self, place: usize) -> (u128, u128) {
        let size = Size::of(self.setting.people);
        let usual = PATTERNS.get(place).map_or(Probability::NEVER, |(_, usual)| usual_share(usual, size));
        let count = self.patterns.get(place).copied().unwrap_or(0);
        // In millionths of an example, since some patterns are rare.
        let count = usual.part_of(PATTERN_PRIOR * 1_000) + u128::from(count) * 1_000;
        (count, (PATTERN_PRIOR + u128::from(self.examples)) * 1_000)
    }

    fn work_out_pattern(&self, place: usize) -> Probability {
        let (count, all) = self.pattern_counts(place);
        Probability::of(count, all)
    }

    fn pattern_share(&self, place: usize) -> Probability {
        self.pattern_shares.get(place).copied().unwrap_or(Probability::NEVER)
    }

    /// That a colleague's mailbox follows a pattern, when the one who is asked for has one that follows the same or another.
    pub(super) fn colleague_share(&self, place: usize, is_same: bool) -> Probability {
        let (count, all) = self.pattern_counts(place);
        let one = 1_000_000;
        Probability::of(if is_same { count + one } else { count }, all + one)
    }

    pub(super) fn share(&self, choice: Choice) -> Probability {
        let row = USUAL.iter().position(|(topic, way, _)| (*topic, *way) == choice);
        row.and_then(|row| self.choice_shares.get(row)).copied().unwrap_or(Probability::NEVER)
    }

    fn work_out_choice(&self, topic: Topic, way: Way) -> Probability {
        let usual = self.usual_choice(topic, way);
        let prior = match topic {
            Topic::LongGiven | Topic::ShortGiven => PERSONAL_PRIOR,
            _ => CHOICE_PRIOR,
        };
        let count = |choice| u128::from(self.choices.get(&choice).copied().unwrap_or(0)) * 1_000;
        let ways = USUAL.iter().filter(|(of, ..)| *of == topic);
        let all: u128 = ways.map(|(_, way, _)| count((topic, *way))).sum();
        Probability::of(usual.part_of(prior * 1_000) + count((topic, way)), prior * 1_000 + all)
    }

    fn usual_choice(&self, topic: Topic, way: Way) -> Probability {
        let spelt = match (topic, self.setting.is_german()) {
            (Topic::Umlauts, Some(true)) => GERMAN_SPELT,
            (Topic::Umlauts, Some(false)) => ELSEWHERE_SPELT,
            _ => {
                let found = USUAL.iter().find(|(of, usual, _)| (*of, *usual) == (topic, way));
                return found.map_or(Probability::NEVER, |(.., share)| Probability::per_mille(*share));
            }
        };
        if way == Way::Spelt { spelt } else { spelt.complement() }
    }

    pub(super) fn rivals(&self, commonness: Commonness, shape: Shape) -> Rivals {
        commonness.rivals(shape, self.setting.people, self.rivals_scale).with_known(self.doubles)
    }

    pub(super) fn doubles(&self) -> u32 {
        self.doubles
    }

    /// How sure it is that somebody else has the mailbox of a stem and a rank.
    pub(super) fn taken(&self, stem: &str, rank: u32) -> Probability {
        let ranks = self.taken.get(stem).map(Vec::as_slice).unwrap_or_default();
        let same = ranks.iter().filter(|(known, _)| *known == rank);
        same.map(|(_, sure)| *sure).max().unwrap_or(Probability::NEVER)
    }

    /// The highest rank of a stem that somebody is known to have; 0 if nobody has it.
    pub(super) fn highest_taken(&self, stem: &str) -> u32 {
        let ranks = self.taken.get(stem).map(Vec::as_slice).unwrap_or_default();
        ranks.iter().map(|(rank, _)| *rank).max().unwrap_or(0)
    }
}
