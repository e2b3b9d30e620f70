//! Why two records were taken for one person, or not: what an explanation is made of.

/// What was seen. The texts are shown to users and never change.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Reason {
    SameEmail,
    SameNetworkUrl,
    SamePhone,
    SharedMailbox,
    SharedLine,
    SameName,
    Nickname,
    NameTypo,
    InitialOnly,
    PartOfFamilyName,
    NameSwapped,
    SameMiddleInitial,
    SameEmployer,
    LikeEmployer,
    FormerEmployer,
    SameTitle,
    SameCity,
    SameSchool,
    OtherGivenName,
    OtherFamilyName,
    OtherMiddleInitial,
    OtherEmployer,
    OtherEmail,
    OtherPhone,
    OtherNetworkUrl,
    OtherPlace,
    OtherTitle,
    CommonName,
    RareName,
    SameSource,
}

impl Reason {
    pub const ALL: &[Self] = &[
        Self::SameEmail,
        Self::SameNetworkUrl,
        Self::SamePhone,
        Self::SharedMailbox,
        Self::SharedLine,
        Self::SameName,
        Self::Nickname,
        Self::NameTypo,
        Self::InitialOnly,
        Self::PartOfFamilyName,
        Self::NameSwapped,
        Self::SameMiddleInitial,
        Self::SameEmployer,
        Self::LikeEmployer,
        Self::FormerEmployer,
        Self::SameTitle,
        Self::SameCity,
        Self::SameSchool,
        Self::OtherGivenName,
        Self::OtherFamilyName,
        Self::OtherMiddleInitial,
        Self::OtherEmployer,
        Self::OtherEmail,
        Self::OtherPhone,
        Self::OtherNetworkUrl,
        Self::OtherPlace,
        Self::OtherTitle,
        Self::CommonName,
        Self::RareName,
        Self::SameSource,
    ];

    pub const fn as_str(self) -> &'static str {
        match self {
            Self::SameEmail => "same_email",
            Self::SameNetworkUrl => "same_network_url",
            Self::SamePhone => "same_phone",
            Self::SharedMailbox => "shared_mailbox",
            Self::SharedLine => "shared_line",
            Self::SameName => "same_name",
            Self::Nickname => "nickname",
            Self::NameTypo => "name_typo",
            Self::InitialOnly => "initial_only",
            Self::PartOfFamilyName => "part_of_family_name",
            Self::NameSwapped => "name_swapped",
            Self::SameMiddleInitial => "same_middle_initial",
            Self::SameEmployer => "same_employer",
            Self::LikeEmployer => "like_employer",
            Self::FormerEmployer => "former_employer",
            Self::SameTitle => "same_title",
            Self::SameCity => "same_city",
            Self::SameSchool => "same_school",
            Self::OtherGivenName => "other_given_name",
            Self::OtherFamilyName => "other_family_name",
            Self::OtherMiddleInitial => "other_middle_initial",
            Self::OtherEmployer => "other_employer",
            Self::OtherEmail => "other_email",
            Self::OtherPhone => "other_phone",
            Self::OtherNetworkUrl => "other_network_url",
            Self::OtherPlace => "other_place",
            Self::OtherTitle => "other_title",
            Self::CommonName => "common_name",
            Self::RareName => "rare_name",
            Self::SameSource => "same_source",
        }
    }

    const fn bit(self) -> u32 {
        1 << self.place()
    }

    const fn place(self) -> u32 {
        match self {
            Self::SameEmail => 0,
            Self::SameNetworkUrl => 1,
            Self::SamePhone => 2,
            Self::SharedMailbox => 3,
            Self::SharedLine => 4,
            Self::SameName => 5,
            Self::Nickname => 6,
            Self::NameTypo => 7,
            Self::InitialOnly => 8,
            Self::PartOfFamilyName => 9,
            Self::NameSwapped => 10,
            Self::SameMiddleInitial => 11,
            Self::SameEmployer => 12,
            Self::LikeEmployer => 13,
            Self::FormerEmployer => 14,
            Self::SameTitle => 15,
            Self::SameCity => 16,
            Self::SameSchool => 17,
            Self::OtherGivenName => 18,
            Self::OtherFamilyName => 19,
            Self::OtherMiddleInitial => 20,
            Self::OtherEmployer => 21,
            Self::OtherEmail => 22,
            Self::OtherPhone => 23,
            Self::OtherNetworkUrl => 24,
            Self::OtherPlace => 25,
            Self::CommonName => 26,
            Self::OtherTitle => 27,
            Self::RareName => 28,
            Self::SameSource => 29,
        }
    }
}

/// A set of reasons, as small as a number: millions of pairs are compared.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Reasons(u32);

impl Reasons {
    pub fn add(&mut self, reason: Reason) {
        self.0 |= reason.bit();
    }

    pub const fn has(self, reason: Reason) -> bool {
        self.0 & reason.bit() != 0
    }

    pub fn iter(self) -> impl Iterator<Item = Reason> {
        Reason::ALL.iter().copied().filter(move |reason| self.has(*reason))
    }

    /// Names for an explanation, what speaks for it first.
    pub fn names(self) -> Vec<&'static str> {
        self.iter().map(Reason::as_str).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_reason_has_a_bit_and_a_name_of_its_own() {
        let mut all = Reasons::default();
        for reason in Reason::ALL {
            assert!(!all.has(*reason), "{reason:?}");
            all.add(*reason);
        }
        let mut names = all.names();
        names.sort_unstable();
        names.dedup();
        assert_eq!(names.len(), Reason::ALL.len());
    }
}
