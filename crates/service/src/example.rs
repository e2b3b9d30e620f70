//! The people and companies of the worked examples: invented, under reserved domains and phone ranges.

use assay_domain::company::{CompanyFacts, CompanyKind, MailFacts, Round, Technology};
use assay_domain::person::{
    Education, EmailKind, Employment, KnownEmail, KnownPhone, LineType, Location, PersonFacts,
};
use assay_domain::provenance::{Attribution, Provenance};
use assay_domain::signal::{Content, Deal, Move, MoveKind, Party, PersonNamed, Post, Posting, SignalSource};
use assay_domain::taxonomy::{Department, EmailStatus, FundingStage, Industry, Seniority};
use assay_domain::{
    Company, CompanyId, Confidence, Domain, Email, NetworkHosts, NetworkUrl, Person, PersonId, Phone, Signal,
    SignalId, SignalKind,
};
use chrono::{DateTime, NaiveDate, Utc};
use uuid::Uuid;

const PERSON: u128 = 0x0197_f7a0_5c3a_7d12_a4b1_c2d3_e4f5_0601;
const COMPANY: u128 = 0x0197_f7a0_5c3a_7d12_a4b1_c2d3_e4f5_0701;
/// Ids of peers and of their companies come after these.
const PEER: u128 = PERSON + 0x10;
const COMPANY_OF_PEER: u128 = COMPANY + 0x10;
/// People with the post of the person of all examples, and where they have it.
const PEERS: [(&str, &str); 8] = [
    ("Bruno Costa", "Alder Systems"),
    ("Mei Lindqvist", "Harbour Analytics"),
    ("Dilnoza Karimova", "Meridian Freight"),
    ("Elif Demir", "Quarry Sensors"),
    ("Femi Adeyemi", "Bluefin Logistics"),
    ("Greta Holm", "Lantern Controls"),
    ("Hiro Tanaka", "Saffron Motion"),
    ("Ines Moreau", "Tidewater Automation"),
];
const SIGNAL: u128 = 0x0197_f7a0_5c3a_7d12_a4b1_c2d3_e4f5_0901;

/// The time of every example.
pub fn moment() -> DateTime<Utc> {
    DateTime::from_timestamp(1_793_527_200, 0).unwrap_or_default()
}

fn day(year: i32, month: u32, day: u32) -> NaiveDate {
    NaiveDate::from_ymd_opt(year, month, day).unwrap_or_default()
}

fn place() -> Location {
    let text = |value: &str| Some(value.to_owned());
    Location { city: text("Boston"), region: text("Massachusetts"), country: text("US") }
}

fn provenance(fields_of_probe: &[&str]) -> Provenance {
    let source = |provider: &str, fields: &[&str], confidence_percent| Attribution {
        provider: provider.to_owned(),
        url: None,
        fields: fields.iter().map(|field| (*field).to_owned()).collect(),
        first_seen: day(2025, 3, 14),
        last_seen: day(2026, 10, 30),
        confidence_percent,
    };
    Provenance(vec![source("demo-world", &[], 95), source("demo-mailbox", fields_of_probe, 99)])
}

fn job(title: &str, seniority: Seniority, started_on: NaiveDate, ended_on: Option<NaiveDate>) -> Employment {
    Employment {
        company_id: ended_on.is_none().then(|| CompanyId::from_uuid(Uuid::from_u128(COMPANY))),
        company_name: if ended_on.is_none() { "Northwind Robotics" } else { "Alder Systems" }.to_owned(),
        title: title.to_owned(),
        seniority: Some(seniority),
        department: Some(Department::Sales),
        started_on: Some(started_on),
        ended_on,
    }
}

pub fn person() -> Person {
    let hosts = NetworkHosts::default();
    let email = Email::parse("ada.okafor@northwind-robotics.example").ok().map(|address| KnownEmail {
        address,
        kind: EmailKind::Business,
        status: Some(EmailStatus::Valid),
        verified_at: Some(moment()),
    });
    let phone = Phone::parse("+12025550123").ok().map(|number| KnownPhone { number, line: LineType::Mobile });
    let facts = PersonFacts {
        full_name: "Ada Okafor".into(),
        first_name: Some("Ada".into()),
        last_name: Some("Okafor".into()),
        headline: Some("VP of Sales at Northwind Robotics".into()),
        emails: email.into_iter().collect(),
        phones: phone.into_iter().collect(),
        network_url: NetworkUrl::parse("https://network.example/in/ada-okafor", &hosts).ok(),
        location: Some(place()),
        education: vec![Education {
            school: "Harbor State University".into(),
            degree: Some("BSc".into()),
            field: Some("Economics".into()),
            ended_year: Some(2011),
        }],
        skills: vec!["Enterprise Sales".into(), "Forecasting".into()],
        languages: vec!["en".into(), "fr".into()],
        certifications: Vec::new(),
        last_job_change_on: Some(day(2025, 3, 1)),
    };
    Person {
        id: PersonId::from_uuid(Uuid::from_u128(PERSON)),
        version: 1,
        facts,
        experience: vec![
            job("VP of Sales", Seniority::Vp, day(2025, 3, 1), None),
            job("Director of Sales", Seniority::Director, day(2020, 6, 1), Some(day(2025, 2, 1))),
        ],
        company: Some(company().as_employer()),
        provenance: provenance(&["email"]),
        refreshed_at: moment(),
        owner: None,
    }
}

pub fn company() -> Company {
    let hosts = NetworkHosts::default();
    let facts = CompanyFacts {
        name: "Northwind Robotics".into(),
        legal_name: Some("Northwind Robotics, Inc.".into()),
        domain: Domain::parse("northwind-robotics.example").ok(),
        domains: Vec::new(),
        network_url: NetworkUrl::parse("https://network.example/company/northwind-robotics", &hosts).ok(),
        description: Some("Warehouse robots that share the floor with people.".into()),
        industry: Industry::parse("Industrial Automation").ok(),
        keywords: vec!["robotics".into(), "logistics".into()],
        employee_count: Some(340),
        employee_growth_percent: Some(18),
        revenue_range: Some("50M-100M".into()),
        founded_year: Some(2014),
        kind: Some(CompanyKind::Private),
        headquarters: Some(place()),
        locations: vec![place()],
        technologies: vec![Technology {
            name: "PostgreSQL".into(),
            category: "database".into(),
            first_seen: day(2024, 5, 2),
            last_seen: day(2026, 10, 28),
        }],
        funding_rounds: vec![Round {
            stage: FundingStage::SeriesB,
            amount: Some(4_200_000_000),
            currency: Some("USD".into()),
            announced_on: day(2025, 9, 9),
            investors: vec!["Lantern Ventures".into(), "Cedar Growth".into()],
            lead_investors: vec!["Lantern Ventures".into()],
        }],
        open_roles: Some(17),
        mail: Some(MailFacts {
            provider: "google".into(),
            pattern: Some("{first}.{last}".into()),
            catch_all: Some(false),
        }),
    };
    Company {
        id: CompanyId::from_uuid(Uuid::from_u128(COMPANY)),
        version: 1,
        facts,
        provenance: provenance(&["mail"]),
        refreshed_at: moment(),
        owner: None,
    }
}

/// As a path and a domain have it.
fn slug(name: &str) -> String {
    name.to_lowercase().replace(' ', "-")
}

/// Others like the person of all examples, each at a company of their own. Nothing is known of how to reach them.
pub fn peers() -> Vec<Person> {
    PEERS.iter().zip(0_u128..).map(|((name, company), number)| peer(name, company, number)).collect()
}

fn peer(name: &str, company_name: &str, number: u128) -> Person {
    let hosts = NetworkHosts::default();
    let url = |path: &str, name: &str| {
        NetworkUrl::parse(&format!("https://network.example/{path}/{}", slug(name)), &hosts).ok()
    };
    let mut employer = company().as_employer();
    employer.id = CompanyId::from_uuid(Uuid::from_u128(COMPANY_OF_PEER + number));
    employer.name = company_name.to_owned();
    employer.domain = Domain::parse(&format!("{}.example", slug(company_name))).ok();
    employer.network_url = url("company", company_name);
    let present = job("VP of Sales", Seniority::Vp, day(2023, 2, 1), None);
    let (first, last) = name.split_once(' ').unwrap_or((name, ""));
    let Provenance(mut sources) = provenance(&[]);
    sources.truncate(1);
    Person {
        id: PersonId::from_uuid(Uuid::from_u128(PEER + number)),
        facts: PersonFacts {
            full_name: name.to_owned(),
            first_name: Some(first.to_owned()),
            last_name: Some(last.to_owned()),
            headline: Some(format!("VP of Sales at {company_name}")),
            network_url: url("in", name),
            location: Some(place()),
            emails: Vec::new(),
            phones: Vec::new(),
            education: Vec::new(),
            skills: Vec::new(),
            languages: Vec::new(),
            certifications: Vec::new(),
            last_job_change_on: None,
        },
        experience: vec![Employment {
            company_id: Some(employer.id),
            company_name: company_name.to_owned(),
            ..present
        }],
        company: Some(employer),
        provenance: Provenance(sources),
        ..person()
    }
}

/// The company of all examples, and its latest round.
pub fn funded() -> (Company, Round) {
    let company = company();
    let round = company.facts.funding_rounds.first().cloned().unwrap_or(Round {
        stage: FundingStage::Other,
        amount: None,
        currency: None,
        announced_on: day(2025, 9, 9),
        investors: Vec::new(),
        lead_investors: Vec::new(),
    });
    (company, round)
}

/// A signal of each kind, of the company of all examples.
pub fn signal(kind: SignalKind) -> Signal {
    let at = moment();
    let party = |name: &str, domain: &str| Party {
        domain: Domain::parse(domain).ok(),
        country: Some("US".into()),
        ..Party::named(name)
    };
    let company = party("Northwind Robotics", "northwind-robotics.example");
    let other = party("Harbour Analytics", "harbour-analytics.example");
    let content = match kind {
        SignalKind::Funding => Content::Funding(Round {
            stage: FundingStage::SeriesB,
            amount: Some(4_000_000_000),
            currency: Some("USD".into()),
            announced_on: at.date_naive(),
            investors: vec!["Cedar Hill Ventures".into(), "Lakeside Capital".into()],
            lead_investors: vec!["Cedar Hill Ventures".into()],
        }),
        SignalKind::Acquisition => Content::Acquisition(Deal {
            acquirer: other,
            target: company.clone(),
            price: Some(12_500_000_000),
            currency: Some("USD".into()),
            announced_on: at.date_naive(),
        }),
        SignalKind::Hiring => Content::Hiring(Posting {
            id: "4417".into(),
            title: "Senior Controls Engineer".into(),
            department: Some(Department::Engineering),
            seniority: Some(Seniority::Senior),
            locations: Vec::new(),
            posted_at: at,
            closed_at: None,
            applicants: Some(11),
            url: Some("https://jobs.northwind-robotics.example/4417".into()),
        }),
        SignalKind::JobChange | SignalKind::Engagement => Content::JobChange(Move {
            kind: MoveKind::NewCompany,
            from: Some(Post { title: "Engineering Manager".into(), company: other, on: None }),
            to: Some(Post {
                title: "VP of Engineering".into(),
                company: company.clone(),
                on: Some(at.date_naive()),
            }),
            announcement_post_url: None,
            announcement_text: None,
        }),
    };
    let is_move = matches!(content, Content::JobChange(_));
    let named = PersonNamed { full_name: "Ada Okafor".into(), ..PersonNamed::default() };
    let source = SignalSource { name: "rss/wire".into(), reference: "1".into(), url: None, seen_at: at };
    Signal {
        id: SignalId::from_uuid(Uuid::from_u128(SIGNAL)),
        revision: 1,
        occurred_at: at,
        detected_at: at,
        company,
        person: is_move.then_some(named),
        confidence: Confidence::percent(92),
        sources: vec![source],
        content,
    }
}
