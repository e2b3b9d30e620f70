//! What a source is asked: for what, and of whom.

use assay_domain::{Domain, Email, Lookup, NetworkUrl, PersonName, Phone};
use std::fmt;

/// One question.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Question {
    pub lookup: Lookup,
    pub subject: Subject,
}

/// Whom or what it is about: everything that is known of them. A vendor uses what it understands.
#[derive(Clone, Default, PartialEq, Eq, Hash)]
pub struct Subject {
    pub name: Option<PersonName>,
    /// Of the company they work for, or of the company asked for.
    pub domain: Option<Domain>,
    pub company_name: Option<String>,
    /// Of the person, or of the company asked for.
    pub network_url: Option<NetworkUrl>,
    pub email: Option<Email>,
    pub phone: Option<Phone>,
    /// ISO 3166-1 alpha-2.
    pub country: Option<String>,
}

/// Debug output may reach a log, and whom somebody asks for is personal.
impl fmt::Debug for Subject {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str("Subject(…)")
    }
}
