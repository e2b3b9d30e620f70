//! A company as one row of a file tells.

use std::fmt;

use assay_domain::company::CompanyKind;
use assay_domain::network_url::NetworkUrlKind;
use assay_domain::taxonomy::Industry;
use assay_domain::{Domain, NetworkUrl, Phone};
use chrono::NaiveDate;

use crate::external_ref;
use crate::field::CompanyField;
use crate::limits::{
    DESCRIPTION_CHARS_MAX, DOMAINS_MAX, EXTERNAL_REF_CHARS_MAX, PLACE_CHARS_MAX, REVENUE_CHARS_MAX,
};
use crate::note::Reason;
use crate::reading::Reading;
use crate::text::fold;
use crate::value::country::CountryCode;
use crate::value::industry::read_industry;
use crate::value::number::{HeadCount, read_founded_year};

/// What a row says about a company. It has a name, a domain or a network url.
#[derive(Clone, Default, PartialEq, Eq)]
pub struct CompanyRow {
    /// What the file calls the row, else made from what it says: the same for the same company in the next file.
    pub external_ref: String,
    /// As the file has it, else the legal name.
    pub name: Option<String>,
    pub legal_name: Option<String>,
    /// As the file has it, else the first of the others.
    pub domain: Option<Domain>,
    /// Other domains of the same company.
    pub domains: Vec<Domain>,
    pub network_url: Option<NetworkUrl>,
    pub description: Option<String>,
    pub industry: Option<Industry>,
    pub keywords: Vec<String>,
    pub employee_count: Option<HeadCount>,
    /// As the file has it.
    pub revenue_range: Option<String>,
    pub founded_year: Option<i32>,
    pub kind: Option<CompanyKind>,
    pub city: Option<String>,
    pub region: Option<String>,
    pub country: Option<CountryCode>,
    pub phone: Option<Phone>,
    pub technologies: Vec<String>,
    /// When the file's owner last looked at the company.
    pub observed_on: Option<NaiveDate>,
}

/// Of one person's company, everything here is about that person.
impl fmt::Debug for CompanyRow {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str("CompanyRow(…)")
    }
}

const NO_COMPANY: Reason = Reason::Plain("names no company: give it a name, a domain or a network url");

/// Folded names of what a company can be, as the network and registers call it.
const KINDS: &[(CompanyKind, &str)] = &[
    (
        CompanyKind::Private,
        "private privatelyheld privatecompany privatelyowned partnership gmbh llc ltd sarl privat prive privada",
    ),
    (
        CompanyKind::Public,
        "public publiccompany publiclytraded publiclyheld listed plc borsennotiert cotee cotizada",
    ),
    (
        CompanyKind::Nonprofit,
        "nonprofit notforprofit ngo nonprofitorganization charity gemeinnutzig association asociacion",
    ),
    (
        CompanyKind::Government,
        "government governmentagency governmental publicsector behorde gouvernement gobierno",
    ),
    (
        CompanyKind::Education,
        "education educational educationalinstitution school university bildungseinrichtung",
    ),
    (
        CompanyKind::SelfEmployed,
        "selfemployed soleproprietorship selfowned freelance freelancer soletrader einzelunternehmen freiberuflich \
         independant autonomo",
    ),
];

impl CompanyRow {
    /// `plan` is the fields in their order, each with the slots of its columns.
    pub(crate) fn read(
        plan: &[(CompanyField, Vec<usize>)],
        reading: &mut Reading<'_>,
    ) -> Result<Self, Reason> {
        let mut row = Self::default();
        for (field, slots) in plan {
            row.set(*field, slots, reading);
        }
        row.country = row.country.or(reading.settings.country_default);
        row.name = row.name.take().or_else(|| row.legal_name.clone());
        if row.domain.is_none() && !row.domains.is_empty() {
            row.domain = Some(row.domains.remove(0));
        }
        let domain = row.domain.clone();
        row.domains.retain(|other| Some(other) != domain.as_ref());
        let names_some = row.name.is_some() || row.domain.is_some() || row.network_url.is_some();
        if !names_some {
            return Err(NO_COMPANY);
        }
        if row.external_ref.is_empty() {
            row.external_ref = external_ref::of_company(&row);
        }
        Ok(row)
    }

    fn set(&mut self, field: CompanyField, slots: &[usize], reading: &mut Reading<'_>) {
        match field {
            CompanyField::ExternalRef => {
                self.external_ref = reading.text(slots, EXTERNAL_REF_CHARS_MAX).unwrap_or_default();
            }
            CompanyField::Name => self.name = reading.name(slots),
            CompanyField::LegalName => self.legal_name = reading.name(slots),
            CompanyField::Domain => self.domain = reading.domain(slots, &[]),
            CompanyField::Domains => {
                self.domains = reading.all(slots, DOMAINS_MAX, |text| Ok(Domain::parse(text)?));
            }
            CompanyField::NetworkUrl => {
                self.network_url = reading.network_url(slots, NetworkUrlKind::Company)
            }
            CompanyField::Description => self.description = reading.text(slots, DESCRIPTION_CHARS_MAX),
            CompanyField::Industry => self.industry = reading.first(slots, read_industry),
            CompanyField::Keywords => self.keywords = reading.terms(slots),
            CompanyField::EmployeeCount => self.employee_count = reading.first(slots, HeadCount::parse),
            CompanyField::RevenueRange => self.revenue_range = reading.text(slots, REVENUE_CHARS_MAX),
            CompanyField::FoundedYear => self.founded_year = reading.first(slots, read_founded_year),
            CompanyField::Kind => self.kind = reading.first(slots, read_kind),
            CompanyField::Location => {
                let place = reading.place(slots);
                (self.city, self.region, self.country) = (place.city, place.region, place.country);
            }
            CompanyField::City => self.city = reading.text(slots, PLACE_CHARS_MAX).or(self.city.take()),
            CompanyField::Region => self.region = reading.text(slots, PLACE_CHARS_MAX).or(self.region.take()),
            CompanyField::Country => self.country = reading.country(slots).or(self.country),
            CompanyField::Phone => self.phone = reading.phones(slots, self.country).into_iter().next(),
            CompanyField::Technologies => self.technologies = reading.terms(slots),
            CompanyField::ObservedOn => self.observed_on = reading.date(slots),
        }
    }
}

fn read_kind(text: &str) -> Result<CompanyKind, Reason> {
    let folded = fold(text);
    let found = KINDS.iter().find(|(_, names)| names.split_whitespace().any(|name| name == folded));
    found.map(|(kind, _)| *kind).ok_or(Reason::Plain("is no known kind of company: write private, public, nonprofit, government, education or self_employed"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn kinds_are_read_as_the_network_and_as_our_own_files_call_them() {
        for (text, kind) in [
            ("Privately Held", CompanyKind::Private),
            ("Public Company", CompanyKind::Public),
            ("non-profit", CompanyKind::Nonprofit),
            ("Government Agency", CompanyKind::Government),
            ("education", CompanyKind::Education),
            ("self_employed", CompanyKind::SelfEmployed),
            ("Sole Proprietorship", CompanyKind::SelfEmployed),
        ] {
            assert_eq!(read_kind(text), Ok(kind), "{text}");
        }
        assert!(read_kind("imaginary").is_err());
    }
}
