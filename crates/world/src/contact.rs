//! How a person is reached: the mailbox at work, and a telephone number that nobody has.

use assay_domain::person::{EmailKind, KnownEmail, KnownPhone, LineType};
use assay_domain::taxonomy::EmailStatus;
use assay_domain::{Email, Phone};
use chrono::{DateTime, Utc};

use crate::dice::{Aspect, Dice};
use crate::firm::{Base, Brand, Firm, Mail, TOP_LEVEL};
use crate::roster::Desk;

/// Of those whose country has numbers reserved for fiction.
const PHONE_PERCENT: u64 = 94;

pub(crate) fn email(
    base: &Base,
    (brand, mail): (&Brand, Mail),
    mailbox: &str,
    verified_at: DateTime<Utc>,
    who: u64,
) -> Option<KnownEmail> {
    let mut dice = base.dice(Aspect::PersonContact, who);
    let status = match (mail.catch_all, dice.below(100)) {
        (true, 0..55) => EmailStatus::CatchAllValid,
        (true, _) => EmailStatus::CatchAll,
        (false, 0..93) => EmailStatus::Valid,
        (false, 93..97) => EmailStatus::Risky,
        (false, _) => EmailStatus::Unknown,
    };
    Some(KnownEmail {
        address: Email::parse(&[mailbox, "@", &brand.label, TOP_LEVEL].concat()).ok()?,
        kind: EmailKind::Business,
        status: Some(status),
        verified_at: (status != EmailStatus::Unknown).then_some(verified_at),
    })
}

/// How the reserved numbers of a country are written: what stands before the stem of the place and behind it, and how
/// many digits are left.
struct Plan {
    before: &'static str,
    behind: &'static str,
    digits: u32,
}

/// North America keeps 555-0100 to 555-0199 in each area code, Ofcom, the Bundesnetzagentur and Arcep keep ranges of
/// their own.
fn plan(country: &str) -> Option<Plan> {
    let (before, behind, digits) = match country {
        "US" => ("+1", "55501", 2),
        "GB" => ("+44", "", 3),
        "DE" => ("+49", "", 3),
        "FR" => ("+33", "", 4),
        _ => return None,
    };
    Some(Plan { before, behind, digits })
}

/// A number from the reserved ranges. They are small, and no two people may share one: places hand theirs out in order
/// of the people's indexes until none is left. Countries without such ranges have none.
pub(crate) fn phone(base: &Base, firm: &Firm<'_>, desk: Desk, who: u64) -> Option<KnownPhone> {
    let mut dice = base.dice(Aspect::PersonPhone, who);
    if !dice.percent(PHONE_PERCENT) {
        return None;
    }
    let Plan { before, behind, digits } = plan(firm.country.code)?;
    let rank = base.roster.dial_rank(desk)?;
    let lines = 10_u64.pow(digits);
    let stem = *firm.place.stems.get(usize::try_from(rank / lines).ok()?)?;
    // 617 has no divisor in common with a power of ten, so no line comes twice.
    let line = rank * 617 % lines;
    let width = usize::try_from(digits).ok()?;
    let number = Phone::parse(&format!("{before}{stem}{behind}{line:0width$}")).ok()?;
    Some(KnownPhone { number, line: line_type(firm, stem, &mut dice) })
}

fn line_type(firm: &Firm<'_>, stem: &str, dice: &mut Dice) -> LineType {
    match (firm.country.code, dice.below(100)) {
        ("US", 0..70) => LineType::Mobile,
        ("US", 88..) => LineType::Voip,
        ("GB", _) if stem.starts_with('7') => LineType::Mobile,
        _ => LineType::Landline,
    }
}
