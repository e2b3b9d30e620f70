//! What the matcher knows of one person, in the form in which it compares.

use super::mailbox::is_role_mailbox;
use crate::likeness::{CompanyWords, NameParts};
use assay_domain::name::fold_text;
use assay_domain::person::{EmailKind, Employment, KnownEmail, LineType, PersonFacts};
use assay_domain::taxonomy::{Department, Seniority};
use assay_domain::title::read_title;
use assay_domain::{CompanyId, Domain, PersonName};
use std::fmt;

/// A person whose name was written in more ways than this is found under these as well.
const NAMES_MAX: usize = 6;
const WORKPLACES_MAX: usize = 12;
const TITLES_MAX: usize = 8;
const IDENTIFIERS_MAX: usize = 8;
const SCHOOLS_MAX: usize = 4;
const TAIL_DIGITS: usize = 10;
const SOURCES_MAX: usize = 16;

/// One person, or one record of one.
#[derive(Clone, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct Profile {
    /// Every way the name was written, as far as they differ. Nobody has none, unless the record has no name.
    pub names: Vec<NameParts>,
    /// Newest first.
    pub workplaces: Vec<Workplace>,
    pub titles: Vec<Title>,
    pub place: Place,
    pub emails: Vec<Mail>,
    pub phones: Vec<PhoneLine>,
    /// The paths of pages on the network; one unless sources disagree.
    pub pages: Vec<String>,
    pub schools: Vec<School>,
    /// Numbers of the sources that told all this, given by whoever imports; a source seldom has somebody twice.
    pub sources: Vec<u32>,
}

/// Debug output may reach a log, and all of this is personal.
impl fmt::Debug for Profile {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str("Profile(…)")
    }
}

/// A company somebody works or worked for, as far as it is known which.
#[derive(Debug, Clone, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct Workplace {
    /// The company, when it is certain.
    pub company: Option<CompanyId>,
    /// Companies that may be meant, when it is not.
    pub possible: Vec<CompanyId>,
    pub words: Option<CompanyWords>,
    pub domain: Option<String>,
    pub is_current: bool,
}

/// An address, in the parts that are compared.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Mail {
    pub address: String,
    pub domain: String,
    pub is_work: bool,
    /// Several people read it.
    pub is_shared: bool,
}

impl fmt::Debug for Mail {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str("Mail(…)")
    }
}

/// A number, and whether it is likely to be one person's.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct PhoneLine {
    /// The last ten digits: with or without its country, a number is the same.
    pub tail: String,
    /// A line at a desk or a switchboard, which colleagues share.
    pub is_landline: bool,
}

impl PhoneLine {
    /// Of a number however it is written, also of one that lacks its country. Too few digits are no number.
    pub fn read(text: &str, is_landline: bool) -> Option<Self> {
        let digits: Vec<char> = text.chars().filter(char::is_ascii_digit).collect();
        let tail = digits.get(digits.len().checked_sub(TAIL_DIGITS)?..)?;
        Some(Self { tail: tail.iter().collect(), is_landline })
    }
}

impl fmt::Debug for PhoneLine {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str("PhoneLine(…)")
    }
}

/// What somebody is called at work.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Title {
    /// The normalised form, folded.
    pub words: String,
    pub seniority: Seniority,
    pub department: Department,
}

impl Title {
    pub fn of(title: &str) -> Self {
        let reading = read_title(title);
        Self {
            words: fold_text(&reading.normalised),
            seniority: reading.seniority,
            department: reading.department,
        }
    }
}

/// Where somebody lives, folded; what is not known is empty.
#[derive(Debug, Clone, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct Place {
    pub city: String,
    pub region: String,
    pub country: String,
}

#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct School {
    pub name: String,
    pub ended_year: Option<i32>,
}

impl Workplace {
    pub fn named(name: &str) -> Self {
        let words = (!fold_text(name).is_empty()).then(|| CompanyWords::of(name));
        Self { words, is_current: true, ..Self::default() }
    }

    pub fn at_domain(domain: &Domain) -> Self {
        Self { domain: Some(domain.as_str().to_owned()), is_current: true, ..Self::default() }
    }

    fn of(job: &Employment) -> Self {
        Self { company: job.company_id, is_current: job.ended_on.is_none(), ..Self::named(&job.company_name) }
    }

    /// Whether it says which company it is: a title alone does not.
    fn is_told(&self) -> bool {
        let Self { company, possible, words, domain, is_current: _ } = self;
        company.is_some() || !possible.is_empty() || words.is_some() || domain.is_some()
    }

    /// Whether both mean one company, where both belong to one person.
    fn is_same(&self, other: &Self) -> bool {
        match (self.company, other.company) {
            (Some(one), Some(other)) => one == other,
            (None, None) => self.words == other.words && self.domain == other.domain,
            (Some(known), None) => other.possible.contains(&known),
            (None, Some(known)) => self.possible.contains(&known),
        }
    }
}

impl Profile {
    /// How many values it has.
    pub(super) fn values_known(&self) -> usize {
        let place = [&self.place.city, &self.place.region, &self.place.country];
        self.emails.len()
            + self.phones.len()
            + self.pages.len()
            + self.workplaces.len()
            + self.titles.len()
            + self.schools.len()
            + place.iter().filter(|value| !value.is_empty()).count()
    }

    /// Of a record, or of a person as the graph keeps them.
    pub fn of(facts: &PersonFacts, experience: &[Employment]) -> Self {
        let mut profile = Self::default();
        profile.names.extend(name_of(facts));
        let jobs = experience.iter().take(WORKPLACES_MAX);
        for job in jobs {
            profile.add_workplace(Workplace::of(job));
            if !job.title.is_empty() && profile.titles.len() < TITLES_MAX {
                add(&mut profile.titles, &[Title::of(&job.title)], TITLES_MAX);
            }
        }
        if let Some(place) = &facts.location {
            let folded = |text: &Option<String>| text.as_deref().map(fold_text).unwrap_or_default();
            profile.place = Place {
                city: folded(&place.city),
                region: folded(&place.region),
                country: folded(&place.country),
            };
        }
        profile.emails = facts.emails.iter().take(IDENTIFIERS_MAX).map(mail_of).collect();
        let lines = facts.phones.iter().take(IDENTIFIERS_MAX);
        profile.phones = lines
            .filter_map(|phone| PhoneLine::read(phone.number.as_str(), phone.line == LineType::Landline))
            .collect();
        profile.pages = facts.network_url.iter().map(|url| url.identity().to_owned()).collect();
        let schools = facts.education.iter().take(SCHOOLS_MAX);
        profile.schools = schools
            .map(|education| School { name: fold_text(&education.school), ended_year: education.ended_year })
            .collect();
        profile.add_names_of_addresses(facts);
        profile
    }

    /// Addresses and pages are often made of a name, and not always of the one a record has.
    fn add_names_of_addresses(&mut self, facts: &PersonFacts) {
        let Some(written) = self.names.first().cloned() else { return };
        let mails = facts.emails.iter().map(|email| email.address.local());
        let pages = facts.network_url.iter().map(|url| url.slug());
        let others: Vec<NameParts> = mails.chain(pages).filter_map(|text| written.in_address(text)).collect();
        add(&mut self.names, &others, NAMES_MAX);
    }

    /// Of a question for somebody by name and company.
    pub fn asked(name: &PersonName, workplace: Workplace) -> Self {
        Self { names: vec![NameParts::of(name)], workplaces: vec![workplace], ..Self::default() }
    }

    /// Adds a workplace behind the others, or what it says to the one it is.
    pub fn add_workplace(&mut self, workplace: Workplace) {
        if !workplace.is_told() {
            return;
        }
        if let Some(known) = self.workplaces.iter_mut().find(|known| known.is_same(&workplace)) {
            known.company = known.company.or(workplace.company);
            known.is_current |= workplace.is_current;
            known.words = known.words.take().or(workplace.words);
            known.domain = known.domain.take().or(workplace.domain);
        } else if self.workplaces.len() < WORKPLACES_MAX {
            self.workplaces.push(workplace);
        }
    }

    pub(super) fn has_present_workplace(&self) -> bool {
        self.workplaces.iter().any(|workplace| workplace.is_current)
    }

    /// Takes in what another record says of the same person.
    pub fn absorb(&mut self, other: &Self) {
        add(&mut self.names, &other.names, NAMES_MAX);
        for workplace in &other.workplaces {
            self.add_workplace(workplace.clone());
        }
        add(&mut self.titles, &other.titles, TITLES_MAX);
        add(&mut self.emails, &other.emails, IDENTIFIERS_MAX);
        add(&mut self.phones, &other.phones, IDENTIFIERS_MAX);
        add(&mut self.pages, &other.pages, IDENTIFIERS_MAX);
        add(&mut self.schools, &other.schools, SCHOOLS_MAX);
        add(&mut self.sources, &other.sources, SOURCES_MAX);
        let (place, more) = (&mut self.place, &other.place);
        for (known, said) in [
            (&mut place.city, &more.city),
            (&mut place.region, &more.region),
            (&mut place.country, &more.country),
        ] {
            if known.is_empty() {
                known.clone_from(said);
            }
        }
    }
}

fn add<T: Clone + PartialEq>(known: &mut Vec<T>, more: &[T], most: usize) {
    for item in more {
        if known.len() < most && !known.contains(item) {
            known.push(item.clone());
        }
    }
}

fn name_of(facts: &PersonFacts) -> Option<NameParts> {
    let name = match (&facts.first_name, &facts.last_name) {
        (Some(first), Some(last)) => PersonName::from_parts(first, last),
        _ => PersonName::parse(&facts.full_name),
    };
    name.or_else(|_| PersonName::parse(&facts.full_name)).ok().as_ref().map(NameParts::of)
}

fn mail_of(email: &KnownEmail) -> Mail {
    Mail {
        address: email.address.as_str().to_owned(),
        domain: email.address.domain().as_str().to_owned(),
        is_work: email.kind == EmailKind::Business,
        is_shared: is_role_mailbox(&email.address),
    }
}
