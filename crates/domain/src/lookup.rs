//! What an upstream source can be asked for. The words are stored, configured and shown.

use std::fmt;

/// One kind of question to a source.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Lookup {
    /// Somebody's address at the company they work for.
    WorkEmail,
    /// Their address at a provider where anybody can have one.
    PersonalEmail,
    /// Their telephone number.
    Phone,
    /// Whether mail to an address arrives.
    Verify,
    /// Everything of a person, by whatever identifies them.
    Person,
    /// Everything of a company.
    Company,
    /// What kind of line a number is, and whose.
    Line,
}

impl Lookup {
    pub const ALL: [Self; 7] = [
        Self::WorkEmail,
        Self::PersonalEmail,
        Self::Phone,
        Self::Verify,
        Self::Person,
        Self::Company,
        Self::Line,
    ];

    pub const fn as_str(self) -> &'static str {
        match self {
            Self::WorkEmail => "work_email",
            Self::PersonalEmail => "personal_email",
            Self::Phone => "phone",
            Self::Verify => "verify",
            Self::Person => "person",
            Self::Company => "company",
            Self::Line => "line",
        }
    }

    pub fn named(word: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|lookup| lookup.as_str() == word)
    }
}

impl fmt::Display for Lookup {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(self.as_str())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_lookup_is_read_back_from_its_word() {
        for lookup in Lookup::ALL {
            assert_eq!(Lookup::named(lookup.as_str()), Some(lookup));
        }
        assert_eq!(Lookup::named("Phone"), None);
    }
}
