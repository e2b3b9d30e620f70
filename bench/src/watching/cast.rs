//! Who is watched by whom, as the bar itself decides it: the expected transitions follow from this and from what was told.

use super::Size;
use anyhow::{Context, Result};
use assay_world::World;
use rand::seq::SliceRandom;
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use std::collections::{HashMap, HashSet};
use std::ops::Range;

const SEED: u64 = 1_117;
/// Of each kind: those whom every list of the kind has.
pub(super) const FAMOUS: usize = 4;
/// Of each kind: those of whom there are signals, and whom no record is of.
pub(super) const NOBODIES: usize = 20;
/// Of the nobodies, in each list.
const NOBODIES_A_LIST: usize = 2;
/// Names of companies that begin alike may be taken for one.
const START_CHARS: usize = 4;

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) enum Kind {
    People,
    Companies,
}

impl Kind {
    pub(super) const fn as_str(self) -> &'static str {
        match self {
            Self::People => "people",
            Self::Companies => "companies",
        }
    }
}

/// Somebody or a company that something happens to.
#[derive(Debug, Clone)]
pub(super) struct Subject {
    /// As lists name it.
    pub entry: String,
    pub name: String,
    /// Whether there is a record: nobody is told of the others.
    pub is_known: bool,
}

/// A list as it will be made.
#[derive(Debug)]
pub(super) struct Plan {
    pub kind: Kind,
    pub account: usize,
    /// Nothing means everything that can happen to one of the kind.
    pub track: Option<&'static str>,
    /// Numbers of those to whom something happens.
    pub watched: Vec<usize>,
    pub is_scheduled: bool,
    /// Made while the feed goes on.
    pub is_late: bool,
}

impl Plan {
    pub(super) fn tracks(&self, transition: &str) -> bool {
        self.track.is_none_or(|track| track == transition)
    }
}

#[derive(Debug)]
pub(super) struct Cast {
    pub subjects: Vec<Subject>,
    pub people: Range<usize>,
    pub companies: Range<usize>,
    pub lists: Vec<Plan>,
    /// Companies that nobody takes for one another.
    pub unlike: Vec<usize>,
    entries: usize,
    by_entry: HashMap<String, usize>,
    watchers: HashMap<usize, Vec<usize>>,
}

impl Cast {
    pub(super) fn new(world: &World, size: &Size) -> Result<Self> {
        let mut subjects: Vec<Subject> =
            world.people(0..size.people_active).filter_map(|person| person_of(&person.facts)).collect();
        subjects.extend((0..NOBODIES).map(|number| nobody(Kind::People, number)));
        let people = 0..subjects.len();
        let mut domains = HashSet::new();
        for number in 0..world.company_count() {
            let facts = world.company(number).facts;
            if let Some(domain) = facts.domain.filter(|domain| domains.insert(domain.clone())) {
                let entry = domain.as_str().to_owned();
                subjects.push(Subject { entry, name: facts.name, is_known: true });
            }
        }
        subjects.extend((0..NOBODIES).map(|number| nobody(Kind::Companies, number)));
        let companies = people.end..subjects.len();
        let unlike = unlike(&subjects, companies.clone());
        let mut random = ChaCha8Rng::seed_from_u64(SEED);
        let plan = |number: usize| plan(number, size, (people.clone(), companies.clone()), &mut random);
        let lists: Vec<Plan> = (0..size.lists).map(plan).collect();
        let mut watchers: HashMap<usize, Vec<usize>> = HashMap::new();
        for (number, list) in lists.iter().enumerate() {
            for subject in &list.watched {
                watchers.entry(*subject).or_default().push(number);
            }
        }
        let by_entry =
            subjects.iter().enumerate().map(|(number, subject)| (subject.entry.clone(), number)).collect();
        Ok(Self { subjects, people, companies, lists, unlike, entries: size.entries, by_entry, watchers })
    }

    pub(super) fn subject_of(&self, entry: &str) -> Result<usize> {
        self.by_entry.get(entry).copied().with_context(|| format!("nothing ever happened to {entry}"))
    }

    /// The lists that are to tell of a transition of somebody, each once.
    pub(super) fn told_by(&self, subject: usize, transition: &str) -> impl Iterator<Item = usize> {
        let is_known = self.subjects[subject].is_known;
        let all = self.watchers.get(&subject).filter(|_| is_known).map(Vec::as_slice).unwrap_or_default();
        all.iter().copied().filter(move |list| self.lists[*list].tracks(transition))
    }

    /// All entries of a list: those to whom something happens, and as many others as it takes. Of the others there are fewer than all
    /// lists together have, so these overlap too.
    pub(super) fn entries(&self, list: usize) -> Vec<String> {
        let plan = &self.lists[list];
        let quiet = self.entries.saturating_sub(plan.watched.len());
        let others = (0..quiet).map(|place| {
            let number =
                (list * self.entries + place * 3) % (self.lists.len() * self.entries / 4 + quiet * 3);
            match plan.kind {
                Kind::People => format!("https://network.example/in/quiet-{number}"),
                Kind::Companies => format!("quiet-{number}.example"),
            }
        });
        plan.watched.iter().map(|subject| self.subjects[*subject].entry.clone()).chain(others).collect()
    }
}

fn person_of(facts: &assay_domain::person::PersonFacts) -> Option<Subject> {
    let entry = facts.network_url.as_ref()?.to_string();
    Some(Subject { entry, name: facts.full_name.clone(), is_known: true })
}

fn nobody(kind: Kind, number: usize) -> Subject {
    let entry = match kind {
        Kind::People => format!("https://network.example/in/nobody-knows-{number}"),
        Kind::Companies => format!("nobody-knows-{number}.example"),
    };
    Subject { entry, name: format!("Nobody Knows {number}"), is_known: false }
}

fn unlike(subjects: &[Subject], companies: Range<usize>) -> Vec<usize> {
    let start = |text: &str| text.chars().take(START_CHARS).collect::<String>().to_lowercase();
    let mut starts = HashSet::new();
    let is_new = |number: &usize| {
        let Subject { entry, name, is_known } = &subjects[*number];
        let (entry, name) = (start(entry), start(name));
        let is_unlike = !starts.contains(&entry) && !starts.contains(&name);
        starts.extend([entry, name]);
        *is_known && is_unlike
    };
    companies.filter(is_new).collect()
}

fn plan(
    number: usize,
    size: &Size,
    (people, companies): (Range<usize>, Range<usize>),
    random: &mut ChaCha8Rng,
) -> Plan {
    let kind = if number % 5 < 3 { Kind::People } else { Kind::Companies };
    let (all, wanted, narrow) = match kind {
        Kind::People => (people, size.people_a_list, "job_change"),
        Kind::Companies => (companies, size.companies_a_list, "hiring"),
    };
    let known = all.start + FAMOUS..all.end - NOBODIES;
    let mut watched: Vec<usize> = (all.start..all.start + FAMOUS).collect();
    let mut others: HashSet<usize> = HashSet::new();
    while others.len() < wanted.min(known.len()) {
        others.insert(random.random_range(known.clone()));
    }
    while others.len() < wanted.min(known.len()) + NOBODIES_A_LIST {
        others.insert(random.random_range(known.end..all.end));
    }
    watched.extend(others);
    watched.shuffle(random);
    Plan {
        kind,
        account: number % size.accounts,
        track: number.is_multiple_of(4).then_some(narrow),
        watched,
        is_scheduled: number % size.scheduled_one_of == 1,
        is_late: number % size.late_one_of == 2,
    }
}
