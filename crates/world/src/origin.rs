//! Where the world's records say that they come from, and when they were last looked at.

use assay_domain::Provenance;
use assay_domain::provenance::Attribution;
use chrono::{DateTime, NaiveDate, Utc};

use crate::calendar::{days_before, seconds_before};
use crate::dice::{Aspect, Dice};
use crate::firm::Base;

const WORLD: &str = "demo-world";
const MAILBOX: &str = "demo-mailbox";
const EMAIL_FIELDS: [&str; 3] = ["email", "emailVerified", "emails"];

const DAY_SECONDS: u64 = 86_400;
const REFRESHED_DAYS_MOST: u64 = 45;

#[derive(Debug)]
pub(crate) struct Origin {
    pub(crate) provenance: Provenance,
    pub(crate) refreshed_at: DateTime<Utc>,
    /// When the mailbox was last asked about.
    pub(crate) verified_at: DateTime<Utc>,
}

pub(crate) fn of_company(base: &Base, index: u64) -> Origin {
    of_record(base.as_of, &mut base.dice(Aspect::CompanyRefresh, index))
}

pub(crate) fn of_person(base: &Base, index: u64) -> Origin {
    let mut dice = base.dice(Aspect::PersonRefresh, index);
    let mut origin = of_record(base.as_of, &mut dice);
    let verified_on = origin.verified_at.date_naive();
    origin.provenance.0.push(Attribution {
        provider: MAILBOX.to_owned(),
        url: None,
        fields: Vec::from(EMAIL_FIELDS.map(str::to_owned)),
        first_seen: days_before(verified_on, dice.below(400)),
        last_seen: verified_on,
        confidence_percent: percent(dice.between(88, 99)),
    });
    origin
}

fn of_record(as_of: NaiveDate, dice: &mut Dice) -> Origin {
    let age = dice.between(1, REFRESHED_DAYS_MOST * DAY_SECONDS);
    let refreshed_at = seconds_before(as_of, age);
    let verified_at = seconds_before(as_of, age + dice.below(30 * DAY_SECONDS));
    let seen_on = refreshed_at.date_naive();
    let provenance = Provenance(vec![Attribution {
        provider: WORLD.to_owned(),
        url: None,
        fields: Vec::new(),
        first_seen: days_before(seen_on, dice.below(900)),
        last_seen: seen_on,
        confidence_percent: percent(dice.between(80, 98)),
    }]);
    Origin { provenance, refreshed_at, verified_at }
}

fn percent(number: u64) -> u8 {
    u8::try_from(number.min(100)).unwrap_or(0)
}
