//! In what two records can be alike, and how much each of it counts.

/// One side of a record. The texts are shown to users and never change.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Aspect {
    Description,
    Technologies,
    Industry,
    Size,
    Location,
    Growth,
    Title,
    Skills,
    Department,
    Seniority,
}

impl Aspect {
    pub const ALL: &[Self] = &[
        Self::Description,
        Self::Technologies,
        Self::Industry,
        Self::Size,
        Self::Location,
        Self::Growth,
        Self::Title,
        Self::Skills,
        Self::Department,
        Self::Seniority,
    ];

    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Description => "description",
            Self::Technologies => "technologies",
            Self::Industry => "industry",
            Self::Size => "size",
            Self::Location => "location",
            Self::Growth => "growth",
            Self::Title => "title",
            Self::Skills => "skills",
            Self::Department => "department",
            Self::Seniority => "seniority",
        }
    }
}

/// Which aspects count for how much.
pub(super) type Weights = &'static [(Aspect, u64)];

/// What a company does comes before how large it is and where: those are what filters are for.
pub(super) const OF_COMPANIES: Weights = &[
    (Aspect::Description, 34),
    (Aspect::Technologies, 26),
    (Aspect::Industry, 20),
    (Aspect::Size, 10),
    (Aspect::Location, 5),
    (Aspect::Growth, 5),
];

/// Whoever does the same work at the same rank; where they do it comes after.
pub(super) const OF_PEOPLE: Weights = &[
    (Aspect::Title, 26),
    (Aspect::Skills, 24),
    (Aspect::Department, 16),
    (Aspect::Seniority, 16),
    (Aspect::Industry, 12),
    (Aspect::Size, 6),
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_aspect_counts_for_somebody_and_all_of_them_are_a_hundred() {
        for weights in [OF_COMPANIES, OF_PEOPLE] {
            assert_eq!(weights.iter().map(|(_, weight)| weight).sum::<u64>(), 100);
        }
        for aspect in Aspect::ALL {
            assert!(OF_COMPANIES.iter().chain(OF_PEOPLE).any(|(one, _)| one == aspect), "{aspect:?}");
        }
    }
}
