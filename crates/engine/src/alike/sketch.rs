//! What of a record is compared, and under what the index knows it.

use super::aspect::{Aspect, OF_COMPANIES, OF_PEOPLE, Weights};
use assay_domain::company::CompanyFacts;
use assay_domain::limits::ALIKE_WORDS_MAX;
use assay_domain::name::fold_text;
use assay_domain::person::{Location, Person};
use assay_domain::taxonomy::{Industry, Seniority, SizeBand};
use assay_domain::title::read_title;
use assay_index::{Feature, Term, Text, fold_term};
use std::collections::{BTreeMap, HashSet};
use std::fmt;

/// Shorter words tie others together in most languages.
const WORD_CHARS_MIN: usize = 3;

/// What is compared of a record.
#[derive(Clone, PartialEq, Eq)]
pub struct Sketch {
    pub(super) weights: Weights,
    /// What it has, each with the aspect it belongs to and how it is shown.
    pub(super) features: BTreeMap<Feature, (Aspect, String)>,
    pub(super) employees: Option<u32>,
    pub(super) growth_percent: Option<i32>,
    pub(super) seniority: Option<Seniority>,
}

/// Debug output may reach a log, and skills and titles are somebody's.
impl fmt::Debug for Sketch {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "Sketch({} features)", self.features.len())
    }
}

impl Sketch {
    pub fn of_company(facts: &CompanyFacts) -> Self {
        let mut sketch = Self::empty(OF_COMPANIES);
        sketch.add_words(facts);
        for technology in &facts.technologies {
            sketch.add_name(Aspect::Technologies, Term::Technology, &technology.name);
        }
        sketch.add_firm(facts.industry, facts.employee_count);
        if let Some(seat) = facts.headquarters.as_ref().or(facts.locations.first()) {
            sketch.add_place(seat);
        }
        sketch.growth_percent = facts.employee_growth_percent;
        sketch
    }

    pub fn of_person(person: &Person) -> Self {
        let mut sketch = Self::empty(OF_PEOPLE);
        if let Some(job) = person.current() {
            for word in words(&read_title(&job.title).normalised) {
                sketch.add(Aspect::Title, Feature::Word(Text::Role, word.clone()), word);
            }
            if let Some(department) = job.department {
                sketch.add_term(Aspect::Department, Term::Department, department.as_str());
            }
            if let Some(seniority) = job.seniority {
                sketch.add_term(Aspect::Seniority, Term::Seniority, seniority.as_str());
            }
            sketch.seniority = job.seniority;
        }
        for skill in &person.facts.skills {
            sketch.add_name(Aspect::Skills, Term::Skill, skill);
        }
        if let Some(company) = &person.company {
            sketch.add_firm(company.industry, company.employee_count);
        }
        sketch
    }

    /// Everything it has that an index may know.
    pub fn features(&self) -> impl Iterator<Item = &Feature> {
        self.features.keys()
    }

    fn empty(weights: Weights) -> Self {
        Self { weights, features: BTreeMap::new(), employees: None, growth_percent: None, seniority: None }
    }

    pub(super) fn of_aspect(&self, aspect: Aspect) -> impl Iterator<Item = (&Feature, &str)> {
        let of_it = self.features.iter().filter(move |(_, (of, _))| *of == aspect);
        of_it.map(|(feature, (_, shown))| (feature, shown.as_str()))
    }

    fn add(&mut self, aspect: Aspect, feature: Feature, shown: String) {
        self.features.insert(feature, (aspect, shown));
    }

    /// A word of a closed list, which is written in one way.
    fn add_term(&mut self, aspect: Aspect, term: Term, value: &str) {
        self.add(aspect, Feature::Value(term, value.to_owned()), value.to_owned());
    }

    /// The name of a skill or a technology.
    fn add_name(&mut self, aspect: Aspect, term: Term, name: &str) {
        self.add(aspect, Feature::Value(term, fold_term(name)), name.to_owned());
    }

    fn add_firm(&mut self, industry: Option<Industry>, employees: Option<u32>) {
        if let Some(industry) = industry {
            self.add_term(Aspect::Industry, Term::Industry, industry.as_str());
        }
        if let Some(band) = employees.and_then(SizeBand::of_count) {
            self.add_term(Aspect::Size, Term::CompanySize, band.as_str());
        }
        self.employees = employees.filter(|employees| *employees > 0);
    }

    fn add_place(&mut self, location: &Location) {
        if let Some(country) = &location.country {
            self.add_term(Aspect::Location, Term::Country, &country.to_uppercase());
        }
        for (term, value) in [(Term::Region, &location.region), (Term::City, &location.city)] {
            if let Some(value) = value {
                self.add(Aspect::Location, Feature::Value(term, fold_text(value)), value.clone());
            }
        }
    }

    /// The words a company is described with. How it is called, when it was founded and where it sits are no part of what
    /// it does.
    fn add_words(&mut self, facts: &CompanyFacts) {
        let places = facts.headquarters.iter().chain(&facts.locations);
        let places = places.flat_map(|place| [&place.city, &place.region, &place.country]).flatten();
        let own: HashSet<String> =
            [&facts.name].into_iter().chain(places).flat_map(|text| words(text)).collect();
        let texts = facts.keywords.iter().chain(&facts.description);
        let said = texts.flat_map(|text| words(text));
        let telling = said.filter(|word| {
            let is_number = word.chars().all(|c| c.is_ascii_digit());
            word.chars().count() >= WORD_CHARS_MIN && !is_number && !own.contains(word)
        });
        for word in telling.take(ALIKE_WORDS_MAX) {
            self.add(Aspect::Description, Feature::Word(Text::Keywords, word.clone()), word);
        }
    }
}

fn words(text: &str) -> Vec<String> {
    fold_text(text).split(' ').filter(|word| !word.is_empty()).map(str::to_owned).collect()
}
