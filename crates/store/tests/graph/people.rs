//! Made-up people and companies, each a function of its number, and what the graph must give back for them.

use crate::support::graph_db;
use assay_domain::company::{CompanyFacts, Technology};
use assay_domain::identity::{IdentityKey, IdentityKind};
use assay_domain::person::{EmailKind, Employment, KnownEmail, KnownPhone, LineType, Location, PersonFacts};
use assay_domain::provenance::Attribution;
use assay_domain::taxonomy::{Department, Industry, Seniority};
use assay_domain::{
    Company, CompanyId, Domain, Email, NetworkHosts, NetworkUrl, Person, PersonId, PersonName, Phone,
    Provenance,
};
use assay_store::graph::{CompanyWrite, MatchKeys, PersonWrite, Rights};
use assay_store::{Database, Graph};
use assay_testkit::TestDatabase;
use chrono::{DateTime, NaiveDate};
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use std::sync::LazyLock;
use uuid::Uuid;

pub static KEY: LazyLock<IdentityKey> = LazyLock::new(|| IdentityKey::new([7; 32]));

pub async fn graph() -> (TestDatabase, Graph) {
    let db = graph_db().await;
    let graph = Graph::connect(&Database::at(&db.url())).await.unwrap();
    (db, graph)
}

fn day(number: u32) -> NaiveDate {
    NaiveDate::from_yo_opt(1995 + i32::try_from(number / 365 % 32).unwrap(), number % 365 + 1).unwrap()
}

fn provenance(number: u64) -> Provenance {
    let seen = day(u32::try_from(number % 9_000).unwrap());
    Provenance(vec![Attribution {
        provider: "file".into(),
        url: None,
        fields: Vec::new(),
        first_seen: seen,
        last_seen: seen,
        confidence_percent: 80,
    }])
}

pub fn company(number: u64) -> CompanyWrite {
    let (name, domain) = (format!("Firm {number} GmbH"), Domain::parse(&format!("firm{number}.de")).unwrap());
    let network_url =
        NetworkUrl::parse(&format!("https://network.example/company/firm{number}"), &NetworkHosts::default())
            .unwrap();
    let identities = vec![
        (KEY.digest_domain(&domain), IdentityKind::Domain),
        (KEY.digest_network_url(&network_url), IdentityKind::CompanyUrl),
        (KEY.digest_company_name(&name), IdentityKind::CompanyName),
    ];
    let mut facts: CompanyFacts = serde_json::from_value(serde_json::json!({ "name": name })).unwrap();
    facts.domain = Some(domain);
    facts.network_url = Some(network_url);
    facts.employee_count = u32::try_from(number % 5_000).ok();
    facts.industry = Industry::from_index(u8::try_from(number % 50).unwrap());
    facts.technologies = vec![Technology {
        name: "PostgreSQL".into(),
        category: "database".into(),
        first_seen: day(7_000),
        last_seen: day(9_000),
    }];
    CompanyWrite {
        id: CompanyId::from_uuid(Uuid::from_u128(1 << 100 | u128::from(number))),
        facts,
        provenance: provenance(number),
        refreshed_at: DateTime::from_timestamp(1_790_000_000, 0).unwrap(),
        match_keys: MatchKeys::default(),
        rights: Rights::default(),
        identities,
    }
}

/// A person with a current job at company `number / 10`, five identities and `jobs` jobs.
pub fn person(number: u64, jobs: usize) -> PersonWrite {
    let mut random = ChaCha8Rng::seed_from_u64(number);
    let firm = company(number / 10);
    let domain = firm.facts.domain.clone().unwrap();
    let name = PersonName::from_parts("Zoë", &format!("O'Neil{number}")).unwrap();
    let email = Email::parse(&format!("zoe{number}@{}", domain.as_str())).unwrap();
    let phone = Phone::parse(&format!("+1650{}", 2_530_000 + number % 7_000_000)).unwrap();
    let network_url =
        NetworkUrl::parse(&format!("https://network.example/in/zoe{number}"), &NetworkHosts::default())
            .unwrap();
    let identities = vec![
        (KEY.digest_email(&email), IdentityKind::Email),
        (KEY.digest_phone(&phone), IdentityKind::Phone),
        (KEY.digest_network_url(&network_url), IdentityKind::PersonUrl),
        (KEY.digest_name_at_domain(&name, &domain), IdentityKind::NameAtDomain),
        (KEY.digest_name_at_company(&name, &firm.facts.name), IdentityKind::NameAtCompany),
    ];
    let mut facts: PersonFacts =
        serde_json::from_value(serde_json::json!({ "full_name": name.full() })).unwrap();
    facts.headline = Some(format!("Builds \"things\" \\u0000 {}", random.random::<u16>()));
    facts.emails =
        vec![KnownEmail { address: email, kind: EmailKind::Business, status: None, verified_at: None }];
    facts.phones = vec![KnownPhone { number: phone, line: LineType::Mobile }];
    facts.network_url = Some(network_url);
    facts.location = Some(Location { city: Some("Köln".into()), region: None, country: Some("DE".into()) });
    facts.skills = (0..random.random_range(0..6)).map(|skill| format!("skill {skill}")).collect();
    PersonWrite {
        id: PersonId::from_uuid(Uuid::from_u128(2 << 100 | u128::from(number))),
        facts,
        experience: (0..jobs).map(|place| job(&mut random, place, &firm)).collect(),
        provenance: provenance(number),
        refreshed_at: DateTime::from_timestamp(1_790_000_000, 0).unwrap(),
        match_keys: MatchKeys::default(),
        rights: Rights::default(),
        identities,
    }
}

fn job(random: &mut ChaCha8Rng, place: usize, firm: &CompanyWrite) -> Employment {
    Employment {
        company_id: (place == 0 || random.random()).then_some(firm.id),
        company_name: firm.facts.name.clone(),
        title: format!("Head of {}", random.random::<u16>()),
        seniority: Seniority::from_index(random.random_range(0..12)),
        department: Department::from_index(random.random_range(0..30)),
        started_on: random.random::<bool>().then(|| day(random.random_range(0..11_000))),
        ended_on: (place > 0).then(|| day(random.random_range(0..11_000))),
    }
}

/// What reading a written person gives.
pub fn stored(write: &PersonWrite, version: i64, employer: Option<&CompanyWrite>) -> Person {
    Person {
        id: write.id,
        version,
        facts: write.facts.clone(),
        experience: write.experience.clone(),
        company: employer.map(|company| stored_company(company, 1).as_employer()),
        provenance: write.provenance.clone(),
        refreshed_at: write.refreshed_at,
        owner: write.rights.owner,
    }
}

pub fn stored_company(write: &CompanyWrite, version: i64) -> Company {
    Company {
        id: write.id,
        version,
        facts: write.facts.clone(),
        provenance: write.provenance.clone(),
        refreshed_at: write.refreshed_at,
        owner: write.rights.owner,
    }
}
