//! Companies: which one a name, a site or a page means.

use super::calibration::company_confidence;
use super::decide::Decision;
use super::weights::Weight;
use crate::likeness::{CompanyLikeness, CompanyWords, compare_companies};
use assay_domain::company::CompanyFacts;
use assay_domain::name::fold_text;
use assay_domain::{Confidence, Domain, NetworkUrl};

const NAMES_MAX: usize = 6;
const DOMAINS_MAX: usize = 12;

const SAME_SITE: Weight = 2_000;
const SAME_PAGE: Weight = 2_000;
/// Companies have several sites, and different companies have one name.
const OTHER_SITE: Weight = -900;
const OTHER_PAGE: Weight = -900;
/// The site is called as the other company is.
const SITE_LIKE_NAME: Weight = 900;
const OTHER_NAME: Weight = -400;
const SAME_COUNTRY: Weight = 100;
const OTHER_COUNTRY: Weight = -300;

/// From here on a company is taken for the one it is compared with.
const ENOUGH: Weight = 700;
const MARGIN: Weight = 150;
/// From here on it may be meant.
const POSSIBLE: Weight = 300;

/// What is known of one company, or what a record says of one.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct CompanyProfile {
    pub names: Vec<CompanyWords>,
    pub domains: Vec<String>,
    /// What the sites are called before the public suffix, read as a name.
    site_names: Vec<CompanyWords>,
    pub pages: Vec<String>,
    pub country: String,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum CompanyReason {
    SameDomain,
    SameNetworkUrl,
    SameName,
    LikeName,
    DomainLikeName,
    OtherName,
    OtherDomain,
    OtherNetworkUrl,
    OtherCountry,
}

impl CompanyReason {
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::SameDomain => "same_domain",
            Self::SameNetworkUrl => "same_network_url",
            Self::SameName => "same_name",
            Self::LikeName => "like_name",
            Self::DomainLikeName => "domain_like_name",
            Self::OtherName => "other_name",
            Self::OtherDomain => "other_domain",
            Self::OtherNetworkUrl => "other_network_url",
            Self::OtherCountry => "other_country",
        }
    }
}

#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct CompanyEvidence {
    pub weight: Weight,
    pub reasons: Vec<CompanyReason>,
}

/// Which company is meant, and which others may be.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SettledCompany {
    /// Companies are never made one: people are stored under their ids.
    pub decision: Decision,
    /// Everything that may be meant, the best first, with how sure each is.
    pub possible: Vec<(usize, Confidence)>,
    pub evidence: CompanyEvidence,
}

impl CompanyProfile {
    pub fn new(
        name: Option<&str>,
        domain: Option<&Domain>,
        page: Option<&NetworkUrl>,
        country: Option<&str>,
    ) -> Self {
        let mut profile = Self { country: country.map(fold_text).unwrap_or_default(), ..Self::default() };
        profile.names.extend(name.filter(|name| !fold_text(name).is_empty()).map(CompanyWords::of));
        profile.pages.extend(page.map(|page| page.identity().to_owned()));
        if let Some(domain) = domain {
            profile.add_domain(domain.as_str());
        }
        profile
    }

    pub fn of(facts: &CompanyFacts) -> Self {
        let country = facts.headquarters.as_ref().and_then(|place| place.country.as_deref());
        let mut profile =
            Self::new(Some(&facts.name), facts.domain.as_ref(), facts.network_url.as_ref(), country);
        profile.add_names(facts.legal_name.as_deref().map(CompanyWords::of).as_slice());
        for domain in &facts.domains {
            profile.add_domain(domain.as_str());
        }
        profile
    }

    /// Takes in what another record says of the same company.
    pub fn absorb(&mut self, other: &Self) {
        self.add_names(&other.names);
        for domain in &other.domains {
            self.add_domain(domain);
        }
        for page in &other.pages {
            if !self.pages.contains(page) {
                self.pages.push(page.clone());
            }
        }
        if self.country.is_empty() {
            self.country.clone_from(&other.country);
        }
    }

    /// The names under which it is stored and looked up: its own, and those its sites have.
    pub fn all_names(&self) -> impl Iterator<Item = &CompanyWords> {
        self.names.iter().chain(&self.site_names)
    }

    fn add_names(&mut self, names: &[CompanyWords]) {
        for words in names {
            if self.names.len() < NAMES_MAX && !self.names.contains(words) {
                self.names.push(words.clone());
            }
        }
    }

    fn add_domain(&mut self, domain: &str) {
        if self.domains.len() >= DOMAINS_MAX || self.domains.iter().any(|known| known == domain) {
            return;
        }
        self.domains.push(domain.to_owned());
        let label = domain.split('.').next().unwrap_or_default();
        self.site_names.push(CompanyWords::of(&label.replace('-', " ")));
    }
}

/// The same whichever comes first.
pub fn compare_company_profiles(one: &CompanyProfile, other: &CompanyProfile) -> CompanyEvidence {
    let mut evidence = CompanyEvidence::default();
    let mut say = |weight: Weight, reason: CompanyReason| {
        evidence.weight += weight;
        evidence.reasons.push(reason);
    };
    let agree = |ones: &[String], others: &[String]| {
        (!ones.is_empty() && !others.is_empty()).then(|| ones.iter().any(|one| others.contains(one)))
    };
    let site = agree(&one.domains, &other.domains);
    match site {
        Some(true) => say(SAME_SITE, CompanyReason::SameDomain),
        Some(false) => say(OTHER_SITE, CompanyReason::OtherDomain),
        None => {}
    }
    match agree(&one.pages, &other.pages) {
        Some(true) => say(SAME_PAGE, CompanyReason::SameNetworkUrl),
        Some(false) => say(OTHER_PAGE, CompanyReason::OtherNetworkUrl),
        None => {}
    }
    let (weight, reason) = compare_names(one, other);
    if let Some(reason) = reason {
        say(weight, reason);
    }
    if !one.country.is_empty() && !other.country.is_empty() {
        if one.country == other.country {
            evidence.weight += SAME_COUNTRY;
        } else {
            say(OTHER_COUNTRY, CompanyReason::OtherCountry);
        }
    }
    evidence
}

fn compare_names(one: &CompanyProfile, other: &CompanyProfile) -> (Weight, Option<CompanyReason>) {
    let best = |ones: &[CompanyWords], others: &[CompanyWords]| {
        let pairs = ones.iter().flat_map(|one| others.iter().map(move |other| compare_companies(one, other)));
        pairs.max()
    };
    let likeness = best(&one.names, &other.names);
    let by_name = likeness.map_or(0, name_weight);
    let called_alike = best(&one.names, &other.site_names).max(best(&one.site_names, &other.names));
    let by_site = if called_alike >= Some(CompanyLikeness::Core) { SITE_LIKE_NAME } else { 0 };
    match likeness {
        _ if by_site > by_name => (by_site, Some(CompanyReason::DomainLikeName)),
        Some(CompanyLikeness::Same) => (by_name, Some(CompanyReason::SameName)),
        Some(CompanyLikeness::Different) => (by_name, Some(CompanyReason::OtherName)),
        Some(_) => (by_name, Some(CompanyReason::LikeName)),
        None => (0, None),
    }
}

fn name_weight(likeness: CompanyLikeness) -> Weight {
    match likeness {
        CompanyLikeness::Same => 1_200,
        CompanyLikeness::Abbreviated => 900,
        CompanyLikeness::Core => 800,
        CompanyLikeness::Slip => 750,
        CompanyLikeness::Contained => 400,
        CompanyLikeness::Acronym => 350,
        CompanyLikeness::Different => OTHER_NAME,
    }
}

/// Which of the candidates is meant, if it is clear.
pub fn settle_company(record: &CompanyProfile, candidates: &[&CompanyProfile]) -> SettledCompany {
    let mut ranked: Vec<(usize, CompanyEvidence)> =
        candidates.iter().map(|candidate| compare_company_profiles(record, candidate)).enumerate().collect();
    ranked.sort_by_key(|(place, evidence)| (std::cmp::Reverse(evidence.weight), *place));
    let weight_at = |place: usize| ranked.get(place).map(|(_, evidence)| evidence.weight);
    let margin = |place: usize, weight: Weight| {
        weight_at(usize::from(place == 0)).map_or(Weight::MAX, |rival| weight - rival)
    };
    let possible = ranked
        .iter()
        .enumerate()
        .filter(|(_, (_, evidence))| evidence.weight >= POSSIBLE)
        .map(|(place, (candidate, evidence))| {
            (*candidate, company_confidence(evidence.weight, margin(place, evidence.weight)))
        })
        .collect();
    let clear = |weight: Weight| weight >= ENOUGH && margin(0, weight) >= MARGIN;
    let decision = match ranked.first() {
        Some((candidate, evidence)) if clear(evidence.weight) => Decision::Link(*candidate),
        _ => Decision::New,
    };
    let evidence = ranked.into_iter().next().map(|(_, evidence)| evidence).unwrap_or_default();
    SettledCompany { decision, possible, evidence }
}
