//! The fields that columns can feed, by the names they have in a mapping file.

/// What the rows of a file are.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Kind {
    People,
    Companies,
}

impl Kind {
    pub const ALL: [Self; 2] = [Self::People, Self::Companies];

    pub const fn as_str(self) -> &'static str {
        match self {
            Self::People => "people",
            Self::Companies => "companies",
        }
    }
}

/// A field of a person's row. Read in this order: phones may need to know the country, and the company's domain is
/// mostly that of an email.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum PersonField {
    ExternalRef,
    FullName,
    FirstName,
    MiddleName,
    LastName,
    Headline,
    Summary,
    Title,
    Location,
    City,
    Region,
    Country,
    WorkEmails,
    PersonalEmails,
    Emails,
    Phones,
    NetworkUrl,
    CompanyName,
    CompanyDomain,
    CompanyNetworkUrl,
    StartedOn,
    EndedOn,
    EmploymentTitle,
    EmploymentCompanyName,
    EmploymentCompanyDomain,
    EmploymentStartedOn,
    EmploymentEndedOn,
    EducationSchool,
    EducationDegree,
    EducationField,
    EducationStartedOn,
    EducationEndedOn,
    Skills,
    Languages,
    Certifications,
    ObservedOn,
}

/// A field of a company's row. Read in this order.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum CompanyField {
    ExternalRef,
    Name,
    LegalName,
    Domain,
    Domains,
    NetworkUrl,
    Description,
    Industry,
    Keywords,
    EmployeeCount,
    RevenueRange,
    FoundedYear,
    Kind,
    Location,
    City,
    Region,
    Country,
    Phone,
    Technologies,
    ObservedOn,
}

/// A field of either kind of row.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Field {
    Person(PersonField),
    Company(CompanyField),
}

/// The field, its name, and whether it takes all values of all its columns. The others take the first one that is there,
/// those of employments and education the first of each entry.
const PERSON: &[(PersonField, &str, bool)] = &[
    (PersonField::ExternalRef, "external_ref", false),
    (PersonField::FullName, "full_name", false),
    (PersonField::FirstName, "first_name", false),
    (PersonField::MiddleName, "middle_name", false),
    (PersonField::LastName, "last_name", false),
    (PersonField::Headline, "headline", false),
    (PersonField::Summary, "summary", false),
    (PersonField::Title, "title", false),
    (PersonField::Location, "location", false),
    (PersonField::City, "city", false),
    (PersonField::Region, "region", false),
    (PersonField::Country, "country", false),
    (PersonField::WorkEmails, "work_emails", true),
    (PersonField::PersonalEmails, "personal_emails", true),
    (PersonField::Emails, "emails", true),
    (PersonField::Phones, "phones", true),
    (PersonField::NetworkUrl, "network_url", false),
    (PersonField::CompanyName, "company_name", false),
    (PersonField::CompanyDomain, "company_domain", false),
    (PersonField::CompanyNetworkUrl, "company_network_url", false),
    (PersonField::StartedOn, "started_on", false),
    (PersonField::EndedOn, "ended_on", false),
    (PersonField::EmploymentTitle, "employment_title", false),
    (PersonField::EmploymentCompanyName, "employment_company_name", false),
    (PersonField::EmploymentCompanyDomain, "employment_company_domain", false),
    (PersonField::EmploymentStartedOn, "employment_started_on", false),
    (PersonField::EmploymentEndedOn, "employment_ended_on", false),
    (PersonField::EducationSchool, "education_school", false),
    (PersonField::EducationDegree, "education_degree", false),
    (PersonField::EducationField, "education_field", false),
    (PersonField::EducationStartedOn, "education_started_on", false),
    (PersonField::EducationEndedOn, "education_ended_on", false),
    (PersonField::Skills, "skills", true),
    (PersonField::Languages, "languages", true),
    (PersonField::Certifications, "certifications", true),
    (PersonField::ObservedOn, "observed_on", false),
];

const COMPANY: &[(CompanyField, &str, bool)] = &[
    (CompanyField::ExternalRef, "external_ref", false),
    (CompanyField::Name, "name", false),
    (CompanyField::LegalName, "legal_name", false),
    (CompanyField::Domain, "domain", false),
    (CompanyField::Domains, "domains", true),
    (CompanyField::NetworkUrl, "network_url", false),
    (CompanyField::Description, "description", false),
    (CompanyField::Industry, "industry", false),
    (CompanyField::Keywords, "keywords", true),
    (CompanyField::EmployeeCount, "employee_count", false),
    (CompanyField::RevenueRange, "revenue_range", false),
    (CompanyField::FoundedYear, "founded_year", false),
    (CompanyField::Kind, "kind", false),
    (CompanyField::Location, "location", false),
    (CompanyField::City, "city", false),
    (CompanyField::Region, "region", false),
    (CompanyField::Country, "country", false),
    (CompanyField::Phone, "phone", false),
    (CompanyField::Technologies, "technologies", true),
    (CompanyField::ObservedOn, "observed_on", false),
];

impl Field {
    /// Every field of a kind of row, in the order of the mapping file.
    pub fn all(kind: Kind) -> impl Iterator<Item = Self> {
        let people = if kind == Kind::People { PERSON } else { &[] };
        let companies = if kind == Kind::Companies { COMPANY } else { &[] };
        let people = people.iter().map(|(field, _, _)| Self::Person(*field));
        people.chain(companies.iter().map(|(field, _, _)| Self::Company(*field)))
    }

    pub fn find(kind: Kind, name: &str) -> Option<Self> {
        Self::all(kind).find(|field| field.name() == name)
    }

    /// As a mapping file has it.
    pub fn name(self) -> &'static str {
        self.row().0
    }

    /// Whether it takes all values of all its columns.
    pub fn is_list(self) -> bool {
        self.row().1
    }

    /// Whether a row that has it is about somebody, or about some company.
    pub fn identifies(self) -> bool {
        match self {
            Self::Person(field) => matches!(
                field,
                PersonField::FullName
                    | PersonField::FirstName
                    | PersonField::LastName
                    | PersonField::WorkEmails
                    | PersonField::PersonalEmails
                    | PersonField::Emails
                    | PersonField::Phones
                    | PersonField::NetworkUrl
            ),
            Self::Company(field) => matches!(
                field,
                CompanyField::Name
                    | CompanyField::LegalName
                    | CompanyField::Domain
                    | CompanyField::Domains
                    | CompanyField::NetworkUrl
            ),
        }
    }

    fn row(self) -> (&'static str, bool) {
        // Every field is in its table, which is tested.
        let row = match self {
            Self::Person(field) => PERSON.iter().find(|row| row.0 == field).map(|row| (row.1, row.2)),
            Self::Company(field) => COMPANY.iter().find(|row| row.0 == field).map(|row| (row.1, row.2)),
        };
        row.unwrap_or_default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_field_has_one_name_and_stands_in_the_order_it_is_read_in() {
        for (kind, last) in [
            (Kind::People, Field::Person(PersonField::ObservedOn)),
            (Kind::Companies, Field::Company(CompanyField::ObservedOn)),
        ] {
            let all: Vec<Field> = Field::all(kind).collect();
            assert!(all.is_sorted() && all.last() == Some(&last));
            for field in &all {
                assert_eq!(Field::find(kind, field.name()), Some(*field));
            }
            assert!(all.iter().any(|field| field.identifies()));
        }
        assert_eq!(Field::all(Kind::People).count(), PERSON.len());
        assert!(Field::find(Kind::People, "legal_name").is_none());
    }
}
