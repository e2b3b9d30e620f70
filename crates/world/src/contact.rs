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
/// North America reserves 555-0100 to 555-0199 in each area code.
const LINES_PER_AREA: u64 = 100;
/// Ofcom reserves 07700 900000 to 900999 for drama.
const BRITISH_LINES: u64 = 1_000;

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

/// A number from the reserved ranges. They are small, and no two people may share one: each city in the US and Britain
/// as a whole hand theirs out in order of the people's indexes until none is left. People elsewhere have none.
pub(crate) fn phone(base: &Base, firm: &Firm<'_>, desk: Desk, who: u64) -> Option<KnownPhone> {
    let mut dice = base.dice(Aspect::PersonPhone, who);
    if !dice.percent(PHONE_PERCENT) {
        return None;
    }
    let rank = base.roster.dial_rank(desk)?;
    let text = match firm.country.code {
        "US" => {
            let area = firm.place.area_codes.get(usize::try_from(rank / LINES_PER_AREA).ok()?)?;
            // 37 and 100 have no common divisor, so no line comes twice in an area.
            format!("+1{area}55501{:02}", rank * 37 % LINES_PER_AREA)
        }
        "GB" if rank < BRITISH_LINES => format!("+447700900{:03}", rank * 617 % BRITISH_LINES),
        _ => return None,
    };
    Some(KnownPhone { number: Phone::parse(&text).ok()?, line: line(firm, &mut dice) })
}

fn line(firm: &Firm<'_>, dice: &mut Dice) -> LineType {
    match (firm.country.code, dice.below(100)) {
        ("GB", _) | (_, 0..70) => LineType::Mobile,
        (_, 70..88) => LineType::Landline,
        _ => LineType::Voip,
    }
}
