//! Two profiles, weighed against each other feature by feature.

use super::employer;
use super::profile::{Mail, Place, Profile};
use super::reason::{Reason, Reasons};
use super::weights::{self, Weight};
use crate::likeness::{
    FamilyLikeness, GivenLikeness, MiddleLikeness, NameLikeness, compare_names, is_abbreviated, is_slip,
};

/// How much speaks for two profiles being one person, and what.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Evidence {
    pub weight: Weight,
    pub reasons: Reasons,
    /// How many of 100,000 people have the family name, where both have it; else none is rare enough to tell.
    pub family_bearers: u32,
    pub is_same_family: bool,
}

/// How many of the people who came up could have the name: what several have proves less, what nobody else has proves more.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Rarity {
    /// Those whose whole name is alike.
    pub namesakes: u32,
    /// Those whose family name is alike.
    pub family: u32,
}

impl Rarity {
    /// Nothing is known about it.
    pub const UNKNOWN: Self = Self { namesakes: 1, family: u32::MAX };
}

impl Evidence {
    /// A name that others have too proves less, unless an identifier speaks for it: a bit for each doubling.
    pub(super) fn among(mut self, rarity: Rarity) -> Self {
        if self.has_identifier() || !self.is_named_alike() {
            return self;
        }
        let doublings = rarity.namesakes.max(1).ilog2();
        // What contradicts is not made up for by how rare the name is: namesakes in one company are often relatives.
        let is_rare = !self.has_conflict();
        let rare = if is_rare { weights::rare_family(self.family_bearers, rarity.family) } else { 0 };
        // A rare name with a slip in it is not the same rare name.
        let rare = if self.is_same_family { rare } else { rare / 2 };
        // And one that is known of two people is not rare here.
        let rare = if rarity.namesakes > 1 { rare / 2 } else { rare };
        if doublings > 0 {
            self.reasons.add(Reason::CommonName);
        } else if rare > 0 {
            self.reasons.add(Reason::RareName);
        }
        self.weight += rare - weights::EACH_DOUBLING * Weight::try_from(doublings).unwrap_or(0);
        self
    }

    /// Whether the family names can be of one person.
    pub fn is_family_alike(&self) -> bool {
        !self.reasons.has(Reason::OtherFamilyName)
    }

    /// Whether the names can be of one person.
    pub fn is_named_alike(&self) -> bool {
        !self.reasons.has(Reason::OtherGivenName) && !self.reasons.has(Reason::OtherFamilyName)
    }

    /// Whether it rests on more than numbers: an address or a line can go to another person of another name.
    pub fn is_credible(&self) -> bool {
        !(self.reasons.has(Reason::OtherGivenName) && self.reasons.has(Reason::OtherFamilyName))
    }

    /// Whether nothing but the name speaks for it.
    pub fn is_name_only(&self) -> bool {
        let others = [
            Reason::SameEmployer,
            Reason::LikeEmployer,
            Reason::FormerEmployer,
            Reason::SharedLine,
            Reason::SameSchool,
        ];
        !self.has_identifier() && others.iter().all(|reason| !self.reasons.has(*reason))
    }

    /// Whether an identifier speaks for it that only one person has.
    pub fn has_identifier(&self) -> bool {
        is_identified(&self.reasons)
    }

    /// Whether something speaks against it that one person seldom has twice.
    pub fn has_conflict(&self) -> bool {
        let against = [
            Reason::OtherEmail,
            Reason::OtherNetworkUrl,
            Reason::OtherMiddleInitial,
            Reason::OtherPlace,
            Reason::OtherTitle,
        ];
        against.iter().any(|reason| self.reasons.has(*reason))
    }
}

fn is_identified(reasons: &Reasons) -> bool {
    [Reason::SameEmail, Reason::SameNetworkUrl, Reason::SamePhone].iter().any(|reason| reasons.has(*reason))
}

/// The same whichever comes first.
pub fn compare(one: &Profile, other: &Profile, rarity: Rarity) -> Evidence {
    let mut reasons = Reasons::default();
    let (names, family_bearers, is_same_family) = name(one, other, &mut reasons);
    let identifiers = identifiers(one, other, &mut reasons);
    let employers = employer::weigh(one, other, &mut reasons);
    let rest = titles(one, other, &mut reasons)
        + place(&one.place, &other.place, &mut reasons)
        + schools(one, other, &mut reasons)
        + sources(one, other, &mut reasons);
    Evidence { weight: names + identifiers + employers + rest, reasons, family_bearers, is_same_family }
        .among(rarity)
}

fn name_weight(likeness: NameLikeness) -> Weight {
    let swapped = if likeness.swapped { weights::SWAPPED } else { 0 };
    let middle = match likeness.middle {
        MiddleLikeness::Unknown => 0,
        MiddleLikeness::Same => weights::SAME_MIDDLE,
        MiddleLikeness::Different => weights::OTHER_MIDDLE,
    };
    weights::given(likeness.given) + weights::family(likeness.family) + swapped + middle
}

/// How the best pair of names stands to each other, and how common the family name is.
fn best_name(one: &Profile, other: &Profile) -> Option<(NameLikeness, u32)> {
    // Of equally good pairs the one that is better in itself, so that the order does not tell.
    let rank =
        |likeness: NameLikeness| (name_weight(likeness), likeness.family, likeness.given, !likeness.swapped);
    let mut best: Option<(NameLikeness, u32)> = None;
    for one in &one.names {
        for other in &other.names {
            let likeness = compare_names(one, other);
            // Of two spellings the one that is on a list: the other may be it, mistyped.
            let (ones, others) = (one.family_bearers(), other.family_bearers());
            // Changed about, one of them is a given name.
            let bearers = if likeness.swapped { ones.min(others) } else { ones.max(others) };
            if best.is_none_or(|(best, least)| (rank(likeness), bearers) > (rank(best), least)) {
                best = Some((likeness, bearers));
            }
        }
    }
    best
}

fn name(one: &Profile, other: &Profile, reasons: &mut Reasons) -> (Weight, u32, bool) {
    let Some((likeness, bearers)) = best_name(one, other) else { return (0, u32::MAX, false) };
    match likeness.given {
        GivenLikeness::Nickname | GivenLikeness::Clipped | GivenLikeness::Cousins => {
            reasons.add(Reason::Nickname)
        }
        GivenLikeness::Slip => reasons.add(Reason::NameTypo),
        GivenLikeness::Initial => reasons.add(Reason::InitialOnly),
        GivenLikeness::Different => reasons.add(Reason::OtherGivenName),
        GivenLikeness::Same if likeness.family == FamilyLikeness::Same => reasons.add(Reason::SameName),
        GivenLikeness::Same | GivenLikeness::Unknown | GivenLikeness::Kin => {}
    }
    match likeness.family {
        FamilyLikeness::Slip => reasons.add(Reason::NameTypo),
        FamilyLikeness::Part => reasons.add(Reason::PartOfFamilyName),
        FamilyLikeness::Initial => reasons.add(Reason::InitialOnly),
        FamilyLikeness::Different => reasons.add(Reason::OtherFamilyName),
        FamilyLikeness::Same | FamilyLikeness::Unknown => {}
    }
    match likeness.middle {
        MiddleLikeness::Unknown => {}
        MiddleLikeness::Same => reasons.add(Reason::SameMiddleInitial),
        MiddleLikeness::Different => reasons.add(Reason::OtherMiddleInitial),
    }
    if likeness.swapped {
        reasons.add(Reason::NameSwapped);
    }
    (name_weight(likeness), bearers, likeness.family == FamilyLikeness::Same)
}

fn sources(one: &Profile, other: &Profile, reasons: &mut Reasons) -> Weight {
    // Who has the same identifier is the same, also where a source has them twice.
    if is_identified(reasons) || !one.sources.iter().any(|source| other.sources.contains(source)) {
        return 0;
    }
    reasons.add(Reason::SameSource);
    // Who is there twice was mostly copied, and copies do not differ.
    let differs = [Reason::OtherPhone, Reason::OtherTitle, Reason::OtherEmployer]
        .iter()
        .any(|other| reasons.has(*other));
    if differs { weights::SAME_SOURCE + weights::OTHER_COPY } else { weights::SAME_SOURCE }
}

fn identifiers(one: &Profile, other: &Profile, reasons: &mut Reasons) -> Weight {
    emails(&one.emails, &other.emails, reasons) + phones(one, other, reasons) + pages(one, other, reasons)
}

fn emails(ones: &[Mail], others: &[Mail], reasons: &mut Reasons) -> Weight {
    let pairs = || ones.iter().flat_map(|one| others.iter().map(move |other| (one, other)));
    let mut weight = 0;
    let mut same = pairs().filter(|(one, other)| one.address == other.address).peekable();
    if same.peek().is_some() {
        let is_shared = same.all(|(one, _)| one.is_shared);
        let (reason, worth) = if is_shared {
            (Reason::SharedMailbox, weights::SHARED_MAILBOX)
        } else {
            (Reason::SameEmail, weights::SAME_EMAIL)
        };
        reasons.add(reason);
        if !is_shared {
            return worth;
        }
        weight += worth;
    }
    let is_other = |one: &Mail, other: &Mail| {
        one.is_work && other.is_work && !one.is_shared && !other.is_shared && one.domain == other.domain
    };
    if pairs().any(|(one, other)| is_other(one, other)) {
        reasons.add(Reason::OtherEmail);
        weight += weights::OTHER_EMAIL;
    }
    weight
}

fn phones(one: &Profile, other: &Profile, reasons: &mut Reasons) -> Weight {
    if one.phones.is_empty() || other.phones.is_empty() {
        return 0;
    }
    let same = one.phones.iter().find_map(|line| {
        let known = other.phones.iter().find(|known| known.tail == line.tail)?;
        Some(line.is_landline || known.is_landline)
    });
    let (reason, weight) = match same {
        Some(false) => (Reason::SamePhone, weights::SAME_PHONE),
        Some(true) => (Reason::SharedLine, weights::SAME_LANDLINE),
        None => (Reason::OtherPhone, weights::OTHER_PHONE),
    };
    reasons.add(reason);
    weight
}

fn pages(one: &Profile, other: &Profile, reasons: &mut Reasons) -> Weight {
    if one.pages.is_empty() || other.pages.is_empty() {
        return 0;
    }
    let is_same = one.pages.iter().any(|page| other.pages.contains(page));
    reasons.add(if is_same { Reason::SameNetworkUrl } else { Reason::OtherNetworkUrl });
    if is_same { weights::SAME_PAGE } else { weights::OTHER_PAGE }
}

fn titles(one: &Profile, other: &Profile, reasons: &mut Reasons) -> Weight {
    if one.titles.is_empty() || other.titles.is_empty() {
        return 0;
    }
    let pairs = || one.titles.iter().flat_map(|one| other.titles.iter().map(move |other| (one, other)));
    if pairs().any(|(one, other)| one.words == other.words) {
        reasons.add(Reason::SameTitle);
        return weights::SAME_TITLE;
    }
    let is_short = |one: &str, other: &str| is_abbreviated(one.split(' '), other.split(' '));
    if pairs().any(|(one, other)| is_short(&one.words, &other.words)) {
        return weights::LIKE_TITLE;
    }
    let is_like = pairs().any(|(one, other)| one.department == other.department);
    let is_there = reasons.has(Reason::SameEmployer) || reasons.has(Reason::LikeEmployer);
    match (is_like, is_there) {
        (true, false) => return weights::NEAR_TITLE,
        (false, false) => return weights::OTHER_TITLE,
        (true, true) => return weights::LIKE_TITLE_THERE,
        (false, true) => {}
    }
    reasons.add(Reason::OtherTitle);
    weights::OTHER_TITLE_THERE
}

fn place(one: &Place, other: &Place, reasons: &mut Reasons) -> Weight {
    let known = |one: &str, other: &str| !one.is_empty() && !other.is_empty();
    if known(&one.country, &other.country) && one.country != other.country {
        reasons.add(Reason::OtherPlace);
        return weights::OTHER_COUNTRY;
    }
    if known(&one.city, &other.city) {
        if one.city == other.city {
            reasons.add(Reason::SameCity);
            return weights::SAME_CITY;
        }
        return if is_slip(&one.city, &other.city) { weights::LIKE_CITY } else { weights::OTHER_CITY };
    }
    if known(&one.country, &other.country) { weights::SAME_COUNTRY } else { 0 }
}

fn schools(one: &Profile, other: &Profile, reasons: &mut Reasons) -> Weight {
    let mut best = 0;
    for one in &one.schools {
        for known in other.schools.iter().filter(|known| known.name == one.name) {
            let same_year = one.ended_year.is_some() && one.ended_year == known.ended_year;
            best = best.max(if same_year { weights::SAME_SCHOOL_AND_YEAR } else { weights::SAME_SCHOOL });
        }
    }
    if best > 0 {
        reasons.add(Reason::SameSchool);
    }
    best
}
