//! What columns are called in files of all sorts, and what they are taken for.

use assay_domain::NetworkHosts;
use assay_intake::{Field, Headers, Kind, Mapping};

pub(super) fn headers(names: &[&str]) -> Headers {
    let names = names.iter().map(|name| (*name).to_owned()).collect();
    Headers { names, are_complete: true, ..Headers::default() }
}

/// The field that a column alone in its file would feed.
fn guessed(kind: Kind, name: &str, hosts: &NetworkHosts) -> &'static str {
    let mapping = Mapping::guess(kind, &headers(&[name]), hosts);
    mapping.columns.keys().next().map_or("-", |field| field.name())
}

/// Field, and spellings of it with bars between.
const PEOPLE: &[(&str, &str)] = &[
    ("external_ref", "id|ID|_id|Contact ID|person_id|recordId|External ID|uuid|Kontakt-ID|Identifiant"),
    (
        "full_name",
        "Name|full_name|Full Name|fullName|FULLNAME|contact name|Display Name|Nom complet|Nombre completo|Nom|Nombre",
    ),
    ("full_name", "Lead Name|name.full|person.name|Vollständiger Name|Ansprechpartner|Nombre y apellidos"),
    (
        "first_name",
        "First Name|first_name|firstName|FIRST-NAME|fname|given name|Given_Name|forename|Vorname|Prénom|prenom|Nombre de pila",
    ),
    ("first_name", "Contact First Name|person.first_name|name.first|contact.firstName"),
    (
        "last_name",
        "Last Name|last_name|lastName|surname|Family Name|lname|Nachname|Familienname|Nom de famille|Apellidos|Apellido",
    ),
    ("last_name", "profile.lastName|Lead Last Name|name.last"),
    ("headline", "Headline|profile_headline|Tagline"),
    (
        "title",
        "Title|Job Title|job_title|jobTitle|Position|Role|Current Position|Berufsbezeichnung|Funktion|Poste|Cargo|Puesto",
    ),
    ("title", "job.title|current_job_title|Intitulé du poste|Fonction"),
    ("emails", "Email|E-Mail|e_mail|email_address|Email Address|Email 1|email2|Email (2)"),
    (
        "emails",
        "Primary Email|E-Mail-Adresse|Adresse e-mail|Courriel|Correo electrónico|emails.address|contact.email",
    ),
    ("emails", "Other Email|emails"),
    (
        "work_emails",
        "work_email|Work E-Mail|business email|E-Mail (geschäftlich)|Email professionnel|Work Email 2|workEmailAddress",
    ),
    ("personal_emails", "personal_email|personal_emails|Private Mail|Home Email|Email perso"),
    ("middle_name", "Middle Name|middle_name|name.middle"),
    ("summary", "Summary|About|Bio|profile.summary"),
    (
        "employment_title",
        "experience.title|experience.title.name|employment.title|positions.title|jobs.title",
    ),
    ("employment_company_name", "experience.company|experience.company.name|employments.companyName"),
    (
        "employment_company_domain",
        "experience.company.website|employments.company_domain|experience.company.domain",
    ),
    ("employment_started_on", "experience.start_date|employments.start"),
    ("employment_ended_on", "experience.endDate|employments.ended_on"),
    ("education_started_on", "education.start_date"),
    ("education_ended_on", "education.end_date|education.endYear|education.graduation_year"),
    (
        "phones",
        "Phone|phone_number|Phone Number|Mobile|mobile_phone|Cell|Direct Dial|Telefon|Telefonnummer|Handy|Mobilnummer",
    ),
    (
        "phones",
        "Work Phone|Phone 2|Home Phone|Téléphone|Téléphone portable|Teléfono|Móvil|phones.number|Mobile Phone 1|Work Direct Phone",
    ),
    (
        "network_url",
        "Network URL|network_url|networkUrl|Profile URL|profile link|Person Network URL|Netzwerkprofil|public_profile_url",
    ),
    (
        "company_name",
        "Company|Company Name|company_name|companyName|Organization|organisation|Employer|Current Company|Firma|Unternehmen",
    ),
    (
        "company_name",
        "Arbeitgeber|Entreprise|Société|Empresa|company.name|organization.name|job.company|Account Name",
    ),
    (
        "company_domain",
        "Company Domain|company_domain|company.domain|Company Website|company website URL|organization.website|Website|Domain|Webseite",
    ),
    ("company_network_url", "Company Network URL|company.network_url|companyNetworkUrl|company_profile_url"),
    (
        "city",
        "City|city|Town|Ort|Stadt|Wohnort|Ville|Ciudad|location.city|address.city|Home City|person.location.city",
    ),
    ("region", "State|Region|Province|State/Province|State / Region|Bundesland|Provincia|location.state"),
    (
        "country",
        "Country|country_code|Country Code|Country/Region|Land|Pays|País|location.country|address.countryCode",
    ),
    ("location", "Location|location.name|Ubicación|Standort"),
    ("started_on", "Start Date|started_on|job start date|Eintrittsdatum|Date de début|Fecha de inicio"),
    ("ended_on", "End Date|ended_at|Austrittsdatum|Date de fin|Fecha de fin"),
    ("skills", "Skills|skill_set|Fähigkeiten|Compétences|Habilidades|skills.name"),
    ("languages", "Languages|Spoken Languages|Sprachen|Langues|Idiomas|languages.name"),
    ("certifications", "Certifications|Licenses & Certifications|Zertifikate|Certificaciones"),
    (
        "education_school",
        "School|University|education.school|education.school_name|Hochschule|École|Universidad",
    ),
    ("education_degree", "Degree|education.degree|Abschluss|Diplôme"),
    ("education_field", "Field of Study|education.field_of_study|Major|Studienfach"),
    (
        "observed_on",
        "Updated At|last_updated|Last Modified Date|lastSeen|Aktualisiert am|Date de mise à jour|Última actualización",
    ),
    // What must not be taken for something it is not: a whole company's phone would make one person of all its people.
    (
        "-",
        "Company Phone|Corporate Phone|HQ Phone|Company Email|Email Status|email_verified|Phone Type|Email Confidence|email_sha256",
    ),
    (
        "-",
        "Company City|Company Country|company.location.city|Company ID|Seniority|Department|Notes|Salutation|Titel|Anrede|Gender|ZIP",
    ),
    ("-", "Owner|Photo URL|Twitter|Fax|Street|Birthday|Employees|…|123||Manager Name|Assistant Phone"),
];

const COMPANIES: &[(&str, &str)] = &[
    ("external_ref", "id|Company ID|company_id|Account ID|recordId|uuid"),
    (
        "name",
        "Name|Company|Company Name|company_name|companyName|Organization Name|Account Name|Firma|Firmenname|Nom de l'entreprise",
    ),
    (
        "name",
        "Empresa|Nombre de la empresa|Unternehmen|company.name|organization.name|Brand|Société|Trade Name",
    ),
    ("legal_name", "Legal Name|legal_name|Registered Name|Raison sociale|Razón social|company.legalName"),
    (
        "domain",
        "Domain|Website|website_url|Company Domain|Web Site|Homepage|URL|company.website|Webseite|Site web|Sitio web|Página web",
    ),
    ("domains", "Domains|Other Domains|alias_domains|Weitere Domains"),
    ("network_url", "Network URL|company_network_url|Profile URL|networkUrl|Company Network Page|network"),
    (
        "description",
        "Description|About|Summary|Short Description|Beschreibung|Descripción|company.description",
    ),
    ("industry", "Industry|Primary Industry|Sector|Branche|Secteur d'activité|Industria|industry.name"),
    ("keywords", "Keywords|Tags|Specialties|Schlagworte|Mots-clés|Palabras clave"),
    (
        "employee_count",
        "Employees|# Employees|Employee Count|employee_count|Number of Employees|numberOfEmployees|Headcount|Company Size",
    ),
    (
        "employee_count",
        "Mitarbeiterzahl|Anzahl Mitarbeiter|Effectif|Nombre de salariés|Número de empleados|employees.range|Size|No. of Employees",
    ),
    ("revenue_range", "Revenue|Annual Revenue|revenue_range|Umsatz|Chiffre d'affaires|Facturación"),
    ("founded_year", "Founded|Founded Year|Year Founded|Gründungsjahr|Année de création|Año de fundación"),
    ("kind", "Type|Company Type|kind|Rechtsform|Forme juridique|Tipo de empresa|Ownership"),
    (
        "city",
        "City|HQ City|headquarters.city|location.city|Stadt|Ville|Ciudad|Company City|company.address.city",
    ),
    ("region", "State|Region|Company State|headquarters.state|Bundesland|Provincia"),
    ("country", "Country|Company Country|HQ Country|Country Code|Land|Pays|País|location.country"),
    ("location", "Location|Headquarters|HQ|Hauptsitz|Sede"),
    ("technologies", "Technologies|Tech Stack|technologies.name|Technologien|Tecnologías"),
    ("phone", "Phone|Company Phone|Telephone|Telefon|Téléphone|Teléfono"),
    ("observed_on", "Updated At|last_updated|Aktualisiert am|Fecha de actualización"),
    ("-", "Contact Name|Email|Twitter|Logo URL|SIC Code|Ticker|Notes|ZIP|Latest Funding|Alexa Rank|Street"),
];

#[test]
fn columns_are_known_by_their_names() {
    let hosts = NetworkHosts::default();
    let mut count = 0;
    let mut wrong = Vec::new();
    for (kind, table) in [(Kind::People, PEOPLE), (Kind::Companies, COMPANIES)] {
        for (field, names) in table {
            for name in names.split('|') {
                count += 1;
                let found = guessed(kind, name, &hosts);
                if found != *field {
                    wrong.push(format!("{} `{name}`: {found} instead of {field}", kind.as_str()));
                }
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    assert!(count > 300, "{count}");
}

#[test]
fn every_field_is_known_by_its_own_name() {
    for kind in Kind::ALL {
        for field in Field::all(kind) {
            assert_eq!(guessed(kind, field.name(), &NetworkHosts::default()), field.name());
        }
    }
}

#[test]
fn columns_are_also_named_after_the_network() {
    let hosts = NetworkHosts::new(["www.peoplebook.example"]).unwrap();
    for (name, field) in [
        ("PeopleBook URL", "network_url"),
        ("Person PeopleBook Url", "network_url"),
        ("peoplebook_profile", "network_url"),
        ("Company Peoplebook Url", "company_network_url"),
        ("company.peoplebook", "company_network_url"),
        ("peoplebook_headline", "headline"),
    ] {
        assert_eq!(guessed(Kind::People, name, &hosts), field, "{name}");
    }
    assert_eq!(guessed(Kind::Companies, "Company PeopleBook Url", &hosts), "network_url");
}

fn columns(names: &[&str]) -> Vec<(&'static str, Vec<String>)> {
    let mapping = Mapping::guess(Kind::People, &headers(names), &NetworkHosts::default());
    mapping.columns.into_iter().map(|(field, names)| (field.name(), names)).collect()
}

fn one(field: &'static str, name: &str) -> (&'static str, Vec<String>) {
    (field, vec![name.to_owned()])
}

#[test]
fn a_plain_name_is_the_other_half_where_one_half_has_a_column() {
    assert_eq!(columns(&["Nom", "Prénom"]), [one("first_name", "Prénom"), one("last_name", "Nom")]);
    assert_eq!(columns(&["Name", "Vorname"]), [one("first_name", "Vorname"), one("last_name", "Name")]);
    assert_eq!(
        columns(&["Nombre", "Apellidos"]),
        [one("first_name", "Nombre"), one("last_name", "Apellidos")]
    );
    assert_eq!(
        columns(&["Name", "First Name", "Last Name"]),
        [one("full_name", "Name"), one("first_name", "First Name"), one("last_name", "Last Name")]
    );
    assert_eq!(
        columns(&["Full Name", "Vorname"]),
        [one("full_name", "Full Name"), one("first_name", "Vorname")]
    );
}

#[test]
fn lists_take_all_their_columns_and_other_fields_the_surest() {
    assert_eq!(
        columns(&["personal_email", "location.city", "Email", "City", "Mobile", "Work Phone", "Email 2"]),
        [
            one("city", "City"),
            one("personal_emails", "personal_email"),
            ("emails", vec!["Email".into(), "Email 2".into()]),
            ("phones", vec!["Mobile".into(), "Work Phone".into()]),
        ]
    );
}
