//! The words vendors use for the same few things.

use assay_domain::Confidence;
use assay_domain::company::CompanyKind;
use assay_domain::person::LineType;
use assay_domain::taxonomy::EmailStatus;

/// What a vendor calls the state of an address; none for words that say nothing.
pub(crate) fn email_status(word: &str) -> Option<EmailStatus> {
    Some(match word.to_ascii_lowercase().replace(['-', ' '], "_").as_str() {
        "valid" | "verified" | "deliverable" => EmailStatus::Valid,
        "accept_all" | "catch_all" | "catchall" => EmailStatus::CatchAll,
        "valid_catch_all" | "catch_all_valid" => EmailStatus::CatchAllValid,
        "invalid" | "undeliverable" | "bounced" => EmailStatus::Invalid,
        "disposable" => EmailStatus::Disposable,
        "risky" | "webmail" | "likely" | "guessed" | "extrapolated" => EmailStatus::Risky,
        "unknown" | "unverified" => EmailStatus::Unknown,
        _ => return None,
    })
}

pub(crate) fn line_type(word: &str) -> LineType {
    match word.to_ascii_lowercase().as_str() {
        "mobile" | "cell" | "wireless" => LineType::Mobile,
        "landline" | "fixed" | "fixed_line" | "work_hq" | "work_direct" => LineType::Landline,
        "voip" | "fixedvoip" | "nonfixedvoip" => LineType::Voip,
        _ => LineType::Unknown,
    }
}

pub(crate) fn company_kind(word: &str) -> Option<CompanyKind> {
    Some(match word.to_ascii_lowercase().as_str() {
        "private" | "privately_held" => CompanyKind::Private,
        "public" | "public_subsidiary" => CompanyKind::Public,
        "nonprofit" => CompanyKind::Nonprofit,
        "government" => CompanyKind::Government,
        "educational" | "education" => CompanyKind::Education,
        "self_employed" | "self employed" => CompanyKind::SelfEmployed,
        _ => return None,
    })
}

pub(crate) fn confidence_of_percent(percent: i64) -> Option<Confidence> {
    u8::try_from(percent).ok().filter(|percent| *percent <= 100).map(Confidence::percent)
}
