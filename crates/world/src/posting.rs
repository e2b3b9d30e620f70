//! The jobs that companies look for people for, open ones and those of the year before.

use assay_domain::person::Location;
use assay_domain::taxonomy::{Department, Seniority};
use chrono::{Days, NaiveDate};

use crate::calendar::days_before;
use crate::company::offices;
use crate::dice::{Aspect, Dice};
use crate::firm::{Base, Firm};
use crate::pulse::pulse;
use crate::role::{any_role, title};

/// A job that a company advertises, or has.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct JobPosting {
    /// The index of the company.
    pub company: u64,
    pub title: String,
    pub seniority: Seniority,
    pub department: Department,
    pub location: Location,
    pub posted_on: NaiveDate,
    /// Nothing while it is open. A company has as many open ones as its record says.
    pub closed_on: Option<NaiveDate>,
    /// Nothing when it is not known.
    pub applicants: Option<u32>,
}

/// Postings that were closed, per open one.
const CLOSED_PERCENT: u64 = 80;
const OPEN_DAYS_MOST: u64 = 90;
const POSTED_DAYS_MOST: u64 = 365;
const APPLICANTS_KNOWN_PERCENT: u64 = 67;

pub(crate) fn posting_count(base: &Base, firm: &Firm<'_>) -> u64 {
    let open = pulse(base, firm).open_roles;
    open + closed_count(base, firm, open)
}

/// Also companies that look for nobody now did so during the year.
fn closed_count(base: &Base, firm: &Firm<'_>, open: u64) -> u64 {
    let mut dice = base.dice(Aspect::CompanyPosting, firm.index);
    dice.share(open, CLOSED_PERCENT) + dice.below(2).min(firm.people / 5)
}

/// The posting at a place among those of a company, the open ones first.
pub(crate) fn posting(base: &Base, company: u64, place: u64) -> JobPosting {
    let firm = base.firm(company);
    let mut dice = base.dice(Aspect::Posting, (company << 24) ^ place);
    let role = any_role(&firm, &mut dice);
    let open = place < pulse(base, &firm).open_roles;
    let (posted_on, closed_on) = if open {
        (days_before(base.as_of, dice.lean(0, OPEN_DAYS_MOST)), None)
    } else {
        let posted_on = days_before(base.as_of, dice.between(15, POSTED_DAYS_MOST));
        let closed_on = posted_on.checked_add_days(Days::new(dice.between(7, 75)));
        (posted_on, closed_on.map(|day| day.min(base.as_of)))
    };
    let offices = offices(base, &firm);
    let at = dice.lean(0, u64::try_from(offices.len()).unwrap_or(1).saturating_sub(1));
    let place = usize::try_from(at).ok().and_then(|at| offices.get(at)).copied().unwrap_or(firm.place);
    JobPosting {
        company,
        title: title(base, &firm, role, &mut dice).to_owned(),
        seniority: role.seniority,
        department: role.department,
        location: place.location(),
        posted_on,
        closed_on,
        applicants: applicants(&mut dice),
    }
}

/// Most jobs draw few people, some draw thousands.
fn applicants(dice: &mut Dice) -> Option<u32> {
    if !dice.percent(APPLICANTS_KNOWN_PERCENT) {
        return None;
    }
    let count = match dice.below(100) {
        0..30 => dice.between(0, 9),
        30..58 => dice.between(8, 24),
        58..82 => dice.lean(25, 110),
        82..95 => dice.lean(100, 450),
        95..99 => dice.lean(400, 1_500),
        _ => dice.lean(1_500, 6_000),
    };
    u32::try_from(count).ok()
}
