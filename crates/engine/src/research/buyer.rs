//! Who at a company fits a role best, and why.

use super::role::{Role, level_of};
use assay_domain::taxonomy::{Department, Seniority};
use assay_domain::title::read_title;
use assay_domain::{CompanyId, Confidence, Person};
use std::cmp::Reverse;

/// Out of 100: of the department asked for, or of the whole company; of the rank asked for; with the words of the title.
const DEPARTMENT: u32 = 55;
const COMPANY: u32 = 30;
const RANK: u32 = 30;
const RANK_STEP: u32 = 6;
const TITLE: u32 = 15;

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
    fits.sort_by_key(|fit| (fit.tier, Reverse(fit.shared), fit.since, fit.buyer.person.id));
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
        let fits =
            |tier: &super::role::Tier| tier.department == department && tier.ranks.contains(&seniority);
        let tier = role.tiers().iter().position(fits)?;
        let shared = shared(&role.words, &read.normalised);
        let (title, since) = (job.title.clone(), job.started_on);
        let steps = role.level.and_then(|level| level_of(seniority).map(|has| level.abs_diff(has)));
        let place = if role.department == Some(department) { DEPARTMENT } else { COMPANY };
        let rank = RANK.saturating_sub(RANK_STEP * u32::try_from(steps.unwrap_or(tier)).unwrap_or(0));
        let words = TITLE * u32::try_from(shared).unwrap_or(0) / 1_000;
        let score = Confidence::percent(u8::try_from(place + rank + words).unwrap_or(100));
        let reasons = reasons(role, department, seniority);
        Some(Self {
            buyer: Buyer { person, title, seniority, department, score, reasons },
            tier,
            shared,
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
