//! Who at a company fits a role best, and why.

use super::role::{Role, Tier, level_of};
use assay_domain::taxonomy::{Department, Seniority};
use assay_domain::title::read_title;
use assay_domain::{CompanyId, Confidence, Person};
use std::cmp::Reverse;

/// Out of 100: of the department asked for, or of the whole company; how early the group of the role comes; the words of the title,
/// which never outweigh a group.
const DEPARTMENT: u32 = 60;
const COMPANY: u32 = 46;
const RANK: u32 = 35;
const RANK_STEP: u32 = 5;
const TITLE: u32 = 4;
/// Who leads partners, or stands for them all.
const LEADING: &[&str] = &["managing", "chief", "executive", "president", "senior"];

/// Somebody who decides, as far as their record shows it.
#[derive(Debug, Clone, PartialEq)]
pub struct Buyer {
    pub person: Person,
    pub title: String,
    pub seniority: Seniority,
    pub department: Department,
    /// How well they fit the role.
    pub score: Confidence,
    /// What the score stands on.
    pub reasons: Vec<String>,
}

/// The best first, at most so many. Only who works there, and leads others there, comes.
pub fn rank_buyers(role: &Role, people: Vec<Person>, company: CompanyId, most: usize) -> Vec<Buyer> {
    let read = |person| Fit::of(role, person, company);
    let mut fits: Vec<Fit> = people.into_iter().filter_map(read).collect();
    fits.sort_by_key(|fit| {
        (fit.tier, Reverse(fit.shared), Reverse(fit.leads), fit.since, fit.buyer.person.id)
    });
    fits.dedup_by_key(|fit| fit.buyer.person.id);
    let places: Vec<(usize, usize)> = fits.iter().map(|fit| (fit.tier, fit.shared)).collect();
    let explained = |fit: Fit| {
        let equals = places.iter().filter(|place| **place == (fit.tier, fit.shared)).count();
        fit.explained(equals.saturating_sub(1))
    };
    fits.into_iter().take(most).map(explained).collect()
}

/// How somebody fits.
#[derive(Debug)]
struct Fit {
    buyer: Buyer,
    /// Which group of the role they are in, the first of which fits best.
    tier: usize,
    /// How many words of the role are in their title, per mille of all in both.
    shared: usize,
    /// Whether the title says that they lead their equals.
    leads: bool,
    /// Since when; of equals who is there longest knows whom to ask.
    since: Option<chrono::NaiveDate>,
}

impl Fit {
    fn of(role: &Role, person: Person, company: CompanyId) -> Option<Self> {
        let job =
            person.experience.iter().find(|job| job.ended_on.is_none() && job.company_id == Some(company))?;
        let read = read_title(&job.title);
        let (seniority, department) =
            (job.seniority.unwrap_or(read.seniority), job.department.unwrap_or(read.department));
        let fits = |tier: &Tier| {
            tier.department.is_none_or(|wanted| wanted == department) && tier.ranks.contains(&seniority)
        };
        let tier = role.tiers().iter().position(fits)?;
        let shared = shared(&role.words, &read.normalised);
        let leads = read.normalised.split([' ', ',']).any(|word| LEADING.contains(&word));
        let (title, since) = (job.title.clone(), job.started_on);
        let place = if role.department == Some(department) { DEPARTMENT } else { COMPANY };
        let rank = RANK.saturating_sub(RANK_STEP * u32::try_from(tier).unwrap_or(u32::MAX));
        let words = TITLE * u32::try_from(shared).unwrap_or(0) / 1_000;
        let score = Confidence::percent(u8::try_from(place + rank + words).unwrap_or(100));
        let reasons = reasons(role, department, seniority);
        Some(Self {
            buyer: Buyer { person, title, seniority, department, score, reasons },
            tier,
            shared,
            leads,
            since,
        })
    }

    fn explained(self, equals: usize) -> Buyer {
        let mut buyer = self.buyer;
        if self.shared > 0 {
            buyer.reasons.push("the title has words of the role".to_owned());
        }
        if equals > 0 {
            let others =
                if equals == 1 { "one other fits".to_owned() } else { format!("{equals} others fit") };
            buyer.reasons.push(format!("{others} as well; who is there longest comes first"));
        }
        buyer
    }
}

fn reasons(role: &Role, department: Department, seniority: Seniority) -> Vec<String> {
    let mut reasons = Vec::new();
    if role.department == Some(department) {
        reasons.push(format!("works in {department}"));
    } else {
        reasons.push("leads the company, and nobody is known who leads the department".to_owned());
    }
    let rank = match (role.level, level_of(seniority)) {
        (Some(asked), Some(has)) if asked == has => "has the rank asked for",
        (Some(asked), Some(has)) if has < asked => "stands above the rank asked for",
        (Some(_), Some(_)) => "stands below the rank asked for",
        _ => "leads others",
    };
    reasons.push(rank.to_owned());
    reasons
}

/// Words in both, per mille of those in either.
fn shared(asked: &[String], title: &str) -> usize {
    let title: Vec<&str> = title.split([' ', ',']).filter(|word| !word.is_empty()).collect();
    let both = asked.iter().filter(|word| title.contains(&word.as_str())).count();
    let either = asked.len() + title.len() - both;
    (both * 1_000).checked_div(either).unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use assay_domain::person::{Employment, PersonFacts};
    use assay_domain::{PersonId, Provenance};
    use chrono::{DateTime, NaiveDate};
    use proptest::prelude::*;
    use uuid::Uuid;

    const COMPANY_ID: u128 = 7;

    fn somebody(id: u128, title: &str, seniority: Seniority, department: Department, since: i32) -> Person {
        let company = CompanyId::from_uuid(Uuid::from_u128(COMPANY_ID));
        let job = Employment {
            company_id: Some(company),
            company_name: "Acme".to_owned(),
            title: title.to_owned(),
            seniority: Some(seniority),
            department: Some(department),
            started_on: NaiveDate::from_ymd_opt(since, 1, 1),
            ended_on: None,
        };
        let facts =
            serde_json::from_value::<PersonFacts>(serde_json::json!({ "full_name": "Jane Doe" })).unwrap();
        Person {
            id: PersonId::from_uuid(Uuid::from_u128(id)),
            version: 1,
            facts,
            experience: vec![job],
            company: None,
            provenance: Provenance(Vec::new()),
            refreshed_at: DateTime::UNIX_EPOCH,
            owner: None,
        }
    }

    fn ranked(role: &str, people: Vec<Person>) -> Vec<Buyer> {
        rank_buyers(&Role::read(role), people, CompanyId::from_uuid(Uuid::from_u128(COMPANY_ID)), 3)
    }

    #[test]
    fn the_rank_asked_for_comes_first_then_who_stands_above_then_below_and_the_chief_last() {
        let people = vec![
            somebody(1, "Sales Manager", Seniority::Manager, Department::Sales, 2010),
            somebody(2, "CEO", Seniority::CSuite, Department::Executive, 2010),
            somebody(3, "Chief Revenue Officer", Seniority::CSuite, Department::Sales, 2010),
            somebody(4, "Head of Sales", Seniority::Head, Department::Sales, 2010),
            somebody(5, "Account Executive", Seniority::Entry, Department::Sales, 2010),
        ];
        let titles =
            |role: &str| ranked(role, people.clone()).iter().map(|it| it.title.clone()).collect::<Vec<_>>();
        assert_eq!(titles("Head of Sales"), ["Head of Sales", "Chief Revenue Officer", "Sales Manager"]);
        assert_eq!(titles("Sales Director"), ["Head of Sales", "Chief Revenue Officer", "Sales Manager"]);
        assert_eq!(titles("VP of Sales"), ["Chief Revenue Officer", "Head of Sales", "Sales Manager"]);
        assert_eq!(
            titles("who owns the sales budget"),
            ["Chief Revenue Officer", "Head of Sales", "Sales Manager"]
        );
        assert_eq!(titles("Head of Legal"), ["CEO"]);
    }

    #[test]
    fn of_equals_the_nearer_title_and_then_who_is_there_longest_and_that_is_said() {
        let people = vec![
            somebody(1, "VP of Sales", Seniority::Vp, Department::Sales, 2019),
            somebody(2, "VP of Sales", Seniority::Vp, Department::Sales, 2012),
            somebody(3, "Vice President, Business Development", Seniority::Vp, Department::Sales, 2001),
        ];
        let found = ranked("VP of Sales", people);
        let ids: Vec<u128> = found.iter().map(|it| it.person.id.uuid().as_u128()).collect();
        assert_eq!(ids, [2, 1, 3]);
        assert!(
            found[0].reasons.iter().any(|reason| reason.contains("one other fits as well")),
            "{:?}",
            found[0].reasons
        );
    }

    proptest! {
        #[test]
        fn who_comes_first_has_the_higher_score(
            ranks in prop::collection::vec((0_u8..11, 0_u8..20, 1990_i32..2026), 1..12),
            role in prop::sample::select(vec!["VP of Sales", "CEO", "head of data", "marketing", "the boss", "Data Manager"]),
        ) {
            let people = ranks.iter().enumerate().filter_map(|(id, (rank, department, since))| {
                let (rank, department) = (Seniority::from_index(*rank)?, *Department::ALL.get(usize::from(*department))?);
                Some(somebody(u128::try_from(id).unwrap(), "VP of Sales and Data", rank, department, *since))
            });
            let found = ranked(role, people.collect());
            prop_assert!(found.windows(2).all(|pair| pair[0].score >= pair[1].score));
            prop_assert!(found.iter().all(|it| it.seniority <= Seniority::Manager));
        }
    }
}
