//! Whose record is this? The pure part of identity resolution: what is known of a person is brought into a form that
//! compares fast, looked up under a few keys, weighed against candidates, and decided.
//!
//! Nothing here reads or writes: whoever imports or asks brings the candidates along.

mod calibration;
mod company;
mod decide;
mod employer;
mod evidence;
mod keys;
mod mailbox;
mod profile;
mod reason;
#[cfg(test)]
mod tests;
mod weights;

pub use calibration::{company_confidence, link_confidence, query_confidence};
pub use company::{
    CompanyEvidence, CompanyProfile, CompanyReason, SettledCompany, compare_company_profiles, settle_company,
};
pub use decide::{Decision, Ranked, Settled, rank, settle};
pub use evidence::{Evidence, Rarity, compare};
pub use keys::{
    MatchKey, NAME_BEARERS_MAX, asked_at_companies, asked_keys, asked_names, company_asked_keys,
    company_stored_keys, stored_keys,
};
pub use mailbox::{email_kind, is_role_mailbox};
pub use profile::{PhoneLine, Place, Profile, School, Title, Workplace};
pub use reason::{Reason, Reasons};
pub use weights::{LINK_BY_NAME_ENOUGH, LINK_ENOUGH, LINK_MARGIN, Weight};
