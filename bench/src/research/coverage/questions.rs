//! For each row a question that is sure to find something, and one that finds nothing and is not wrong.

use super::cast::{Cast, NOBODY, Somebody};
use super::rows::Row;
use anyhow::{Context, Result};
use serde_json::{Value, json};

/// Where nobody lives.
pub const NOWHERE: &str = "aq";
pub const NO_PAGE: &str = "https://network.example/in/nobody-of-this-name";
/// A mobile of a country in which the world has no numbers.
const NO_PHONE: &str = "+819012345678";
const ROLE: &str = "CEO";

/// The body, or what is added to the query of a feed.
#[derive(Debug, Clone)]
pub struct Questions {
    pub hit: Value,
    pub miss: Value,
}

pub fn questions(row: &Row, cast: &Cast) -> Result<Questions> {
    let questions = match row.section {
        "4.1" | "4.2" => of_contacts(row.path, cast),
        "4.3" | "4.4" => of_searches(row.place(), cast),
        "4.5" => of_combos(row.path, cast)?,
        "4.6" => of_niches(row.path, cast)?,
        _ => of_bundles(row.path, cast),
    };
    let (hit, miss) = questions.with_context(|| format!("no question to {}", row.path))?;
    Ok(Questions { hit, miss })
}

type Pair = Option<(Value, Value)>;

fn of_contacts(path: &str, cast: &Cast) -> Pair {
    let Somebody { first_name, last_name, url, email, phone, employer, .. } = &cast.somebody;
    let (firm, nobody) = (&employer.domain, format!("nora.unbekannt@{NOBODY}"));
    let by_page = json!({ "kind": "network", "networkUrl": url });
    let by_name = json!({ "kind": "name", "firstName": "Nora", "lastName": "Unbekannt", "domain": NOBODY });
    Some(match path {
        "/v1/enrich" | "/v1/verify-email" | "/v1/reverse-email" => {
            (json!({ "email": email }), json!({ "email": nobody }))
        }
        "/v1/companies" => (json!({ "domain": firm }), json!({ "domain": NOBODY })),
        "/v1/find-email" | "/v1/find-personal-email" => (by_page, by_name),
        "/v1/find-phone" => (
            json!({ "firstName": first_name, "lastName": last_name, "domain": firm }),
            json!({ "firstName": "Nora", "lastName": "Unbekannt", "domain": NOBODY }),
        ),
        "/v1/reverse-phone" => (json!({ "phone": phone }), json!({ "phone": NO_PHONE })),
        "/v1/ad-audience" => (json!({ "emails": [email, nobody] }), json!({ "emails": ["no address"] })),
        _ => return None,
    })
}

fn of_searches(place: &str, cast: &Cast) -> Pair {
    let first = cast.led.first()?;
    Some(match place {
        "/v1/search/people" => {
            (json!({ "company_domain": first.domain, "limit": 5 }), json!({ "company_domain": NOBODY }))
        }
        "/v1/search/companies" => (
            json!({ "technologies": cast.technology, "limit": 5 }),
            json!({ "location": { "country": NOWHERE } }),
        ),
        "/v1/signals" => (json!(""), json!(format!("&domain={NOBODY}"))),
        _ => return None,
    })
}

fn of_combos(path: &str, cast: &Cast) -> Result<Pair> {
    let (first, url) = (cast.led.first().context("no company")?, &cast.somebody.url);
    let of_role = (json!({ "role": ROLE }), json!({ "role": ROLE, "country": NOWHERE }));
    let of_movers = (json!({ "limit": 10 }), json!({ "country": NOWHERE }));
    Ok(Some(match path {
        "/v1/find-decision-maker" => (
            json!({ "company_domain": first.domain, "role": ROLE }),
            json!({ "company_domain": NOBODY, "role": ROLE }),
        ),
        "/v1/buying-committee" => (
            json!({ "company_domain": first.domain, "deal_type": "exec", "max_per_role": 2 }),
            json!({ "company_domain": NOBODY, "deal_type": "exec" }),
        ),
        "/v1/prospect-package" => (json!({ "networkUrl": url }), json!({ "networkUrl": NO_PAGE })),
        "/v1/congrats-trigger" | "/v1/job-change-radar" => of_movers,
        "/v1/funding-radar" | "/v1/funded-and-hiring" => of_role,
        "/v1/hiring-intent" => {
            (json!({ "title": "data engineer", "role": ROLE }), json!({ "title": "astronaut", "role": ROLE }))
        }
        "/v1/tech-stack-targets" => (
            json!({ "technology": cast.technology, "role": ROLE, "limit": 5 }),
            json!({ "technology": "Abacus 9000", "role": ROLE }),
        ),
        "/v1/champion-just-moved" => (contact(url), contact(NO_PAGE)),
        "/v1/lookalike-accounts" => {
            (json!({ "domains": [first.domain], "limit": 5 }), json!({ "domains": [NOBODY] }))
        }
        "/v1/find-similar-people" => {
            (json!({ "networkUrl": url, "limit": 5 }), json!({ "networkUrl": NO_PAGE }))
        }
        "/v1/low-competition-hires" => (json!({ "limit": 5 }), json!({ "title": "astronaut" })),
        _ => return Ok(None),
    }))
}

fn contact(url: &str) -> Value {
    json!({ "contacts": [{ "networkUrl": url }] })
}

fn of_niches(path: &str, cast: &Cast) -> Result<Pair> {
    let (business, left) = (&cast.business.domain, &cast.left()?.domain);
    let nowhere = json!({ "country": NOWHERE });
    Ok(Some(match path {
        "/v1/local-business-owners" => (json!({ "limit": 5 }), nowhere),
        "/v1/just-funded-smb-leaders" => (json!({}), nowhere),
        "/v1/competitor-talent-leaving" => {
            (json!({ "competitor_domain": left }), json!({ "competitor_domain": NOBODY }))
        }
        "/v1/silent-promoter-radar" | "/v1/quiet-power-users" => (contact(&cast.risen.1), contact(NO_PAGE)),
        "/v1/hiring-velocity" => {
            (json!({ "department": "data", "role": ROLE }), json!({ "department": "legal", "role": ROLE }))
        }
        "/v1/just-acquired-buyers" => (json!({ "role": ROLE }), json!({ "role": ROLE, "country": NOWHERE })),
        "/v1/buyer-budget-window" => (
            json!({ "icp": {}, "role": ROLE }),
            json!({ "icp": { "location": { "country": NOWHERE } }, "role": ROLE }),
        ),
        "/v1/multi-source-phone" => (
            json!({ "networkUrl": cast.somebody.url }),
            json!({ "firstName": "Nora", "lastName": "Unbekannt", "domain": NOBODY }),
        ),
        "/v1/smb-buying-committee" => {
            (json!({ "company_domain": business }), json!({ "company_domain": NOBODY }))
        }
        "/v1/funded-and-using-tech" => (
            json!({ "technology": cast.technology, "role": ROLE }),
            json!({ "technology": "Abacus 9000", "role": ROLE }),
        ),
        "/v1/local-service-by-revenue" => {
            (json!({ "revenue": {}, "limit": 5 }), json!({ "revenue": { "min": 90_000_000_000_i64 } }))
        }
        _ => return Ok(None),
    }))
}

fn of_bundles(path: &str, cast: &Cast) -> Pair {
    let (first, url) = (cast.led.first()?, &cast.somebody.url);
    Some(match path {
        "/v1/bundles/sales-deck" => (
            json!({ "company_domain": first.domain, "target_role": ROLE }),
            json!({ "company_domain": NOBODY, "target_role": ROLE }),
        ),
        "/v1/bundles/founder-research" | "/v1/bundles/competitive-intel" => {
            (json!({ "company_domain": first.domain }), json!({ "company_domain": NOBODY }))
        }
        "/v1/bundles/recruiter-pack" | "/v1/bundles/relationship-graph" => {
            (json!({ "networkUrl": url }), json!({ "networkUrl": NO_PAGE }))
        }
        _ => return None,
    })
}
