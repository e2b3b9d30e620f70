//! Whole names, compared part by part.

use assay_domain::PersonName;
use assay_domain::name::fold_text;

use super::given::{GivenLikeness, compare_given};
use super::spelling::{is_slip, reduce};
use super::surname::bearers;

/// What stands behind a family name and is none.
const GENERATIONS: &[&str] = &["jr", "sr", "ii", "iii", "iv", "phd", "md", "mba"];

/// What stands before a name and is none, beyond what every folded name is without.
const TITLES: &[&str] = &[
    "arch", "avv", "capt", "col", "dame", "dhr", "dip", "dipl", "doc", "don", "dott", "dottssa", "dr", "dra",
    "drs", "eng", "frau", "geom", "hab", "herr", "hon", "ing", "ir", "kfm", "lady", "lic", "lord", "mag",
    "maj", "med", "miss", "mlle", "mme", "monsieur", "mr", "mrs", "ms", "msc", "mw", "nat", "phil", "prof",
    "rag", "rer", "rev", "sgt", "shri", "sig", "sir", "sra", "srta", "univ", "wirt",
];

/// Shorter parts of an address are initials.
const ADDRESS_PART_CHARS_MIN: usize = 3;

/// A part of a name: its folded words, and the form in which spellings of it meet.
#[derive(Debug, Clone, Default, PartialEq, Eq, PartialOrd, Ord)]
struct Part {
    folded: String,
    /// Written as one word: Van den Berg and Vandenberg are one name.
    plain: String,
    /// And transliterations taken out.
    joined: String,
}

impl Part {
    fn of(folded: &str) -> Self {
        let plain = folded.replace(' ', "");
        Self { folded: folded.to_owned(), joined: reduce(&plain), plain }
    }
}

/// A name in folded parts. Where the parts were not given, the last word is taken for the family name.
#[derive(Debug, Clone, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct NameParts {
    given: Part,
    family: Part,
    /// The last of several given names read as the first of two family names.
    moved: Option<Box<(Part, Part)>>,
    /// The first letter of the second given name, which may be all that is written of it.
    middle: Option<char>,
    /// How many of 100,000 people have the family name; 0 if it is on no list of common ones.
    family_bearers: u32,
}

/// How two family names stand to each other.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum FamilyLikeness {
    Different,
    /// One of them is not there.
    Unknown,
    /// One is the first letter of the other.
    Initial,
    /// One is a part of the other, as after a marriage.
    Part,
    /// A slip of the finger apart.
    Slip,
    Same,
}

/// How the second given names stand to each other, by their first letters.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum MiddleLikeness {
    Unknown,
    Different,
    Same,
}

/// How two names stand to each other.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct NameLikeness {
    pub given: GivenLikeness,
    pub family: FamilyLikeness,
    pub middle: MiddleLikeness,
    /// They are alike only with given and family name changed about in one of them.
    pub swapped: bool,
}

impl NameParts {
    /// Of folded words; either may be empty.
    pub fn new(given: &str, family: &str) -> Self {
        let moved = given
            .rsplit_once(' ')
            .map(|(given, moved)| Box::new((Part::of(given), Part::of(&[moved, " ", family].concat()))));
        Self {
            given: Part::of(given),
            family: Part::of(family),
            moved,
            middle: second_initial(given),
            family_bearers: bearers(family),
        }
    }

    /// Of the parts where they are known, else of the whole name.
    pub fn of(name: &PersonName) -> Self {
        let folded = fold_text(name.full());
        if let (Some(first), Some(last)) = (name.first(), name.last()) {
            let mut parts = Self::new(&tidy(first), &without_generation(&tidy(last)));
            parts.middle = parts.middle.or_else(|| lone_letter(&folded));
            return parts;
        }
        let whole = without_last_letter(without_titles(&name.fold()));
        let mut parts = match whole.rsplit_once(' ') {
            Some((given, family)) => Self::new(given, family),
            None => Self::new("", &whole),
        };
        // The second of three words may be the first of two family names.
        parts.middle = lone_letter(&folded);
        parts
    }

    /// The name as an address or a page has it, where it is written in another way there: Bob Smith has robert.smith@, and
    /// who is there as Robert Smiht has it as well.
    pub fn in_address(&self, address: &str) -> Option<Self> {
        let words: Vec<&str> = address
            .split(['.', '_', '-', '+'])
            .filter(|word| !word.is_empty() && word.bytes().all(|byte| byte.is_ascii_alphabetic()))
            .collect();
        if let [word] = words.as_slice() {
            return self.in_word(word);
        }
        (1..words.len()).find_map(|cut| {
            let (front, back) = words.split_at_checked(cut)?;
            let (front, back) = (Part::of(&front.join(" ")), Part::of(&back.join(" ")));
            self.with_other_parts(&front, &back).or_else(|| self.with_other_parts(&back, &front))
        })
    }

    fn with_other_parts(&self, given: &Part, family: &Part) -> Option<Self> {
        let is_whole = |part: &Part| part.folded.len() >= ADDRESS_PART_CHARS_MIN;
        let same_given =
            given.joined == self.given.joined || is_initial_of(&given.folded, &self.given.folded);
        let same_family = family.joined == self.family.joined;
        let is_slipped = || compare_family_parts(family, &self.family) == FamilyLikeness::Slip;
        let is_other = match (same_given, same_family) {
            (true, true) => false,
            (true, false) => is_whole(given) || is_slipped(),
            (false, true) => is_whole(given),
            (false, false) => is_whole(given) && is_slipped(),
        };
        (is_other && is_whole(family)).then(|| {
            let given = if same_given { &self.given } else { given };
            let family = if same_family { &self.family } else { family };
            self.renamed(&given.folded, &family.folded)
        })
    }

    /// Of one word: the given name, or its initial and the family name.
    fn in_word(&self, word: &str) -> Option<Self> {
        let given = compare_given(word, self.first_given());
        if given > GivenLikeness::Initial && given < GivenLikeness::Same {
            return Some(self.renamed(word, &self.family.folded));
        }
        let family = Part::of(word.strip_prefix(initial(&self.given.folded))?);
        let is_slipped = compare_family_parts(&family, &self.family) == FamilyLikeness::Slip;
        is_slipped.then(|| self.renamed(&self.given.folded, &family.folded))
    }

    fn renamed(&self, given: &str, family: &str) -> Self {
        Self { middle: self.middle, ..Self::new(given, family) }
    }

    pub fn given(&self) -> &str {
        &self.given.folded
    }

    pub fn family(&self) -> &str {
        &self.family.folded
    }

    /// How many of 100,000 people have the family name; 0 if it is on no list of common ones.
    pub fn family_bearers(&self) -> u32 {
        self.family_bearers
    }

    /// The first of several given names.
    pub fn first_given(&self) -> &str {
        first_word(&self.given.folded)
    }

    /// Family name first and given name last.
    pub fn swapped(&self) -> Self {
        Self { middle: self.middle, ..Self::new(&self.family.folded, &self.given.folded) }
    }
}

/// A part by itself: without what stands before a name and without the initials of middle names.
fn tidy(part: &str) -> String {
    let folded = PersonName::parse(part).map_or_else(|_| fold_text(part), |name| name.fold());
    let words: Vec<&str> = without_titles(&folded).split(' ').filter(|word| word.len() > 1).collect();
    if words.is_empty() { folded } else { words.join(" ") }
}

/// Without titles in front, as long as a name is left behind them.
fn without_titles(mut words: &str) -> &str {
    while let Some((title, rest)) = words.split_once(' ') {
        if !TITLES.contains(&title) {
            break;
        }
        words = rest;
    }
    words
}

fn without_generation(family: &str) -> String {
    match family.rsplit_once(' ') {
        Some((rest, last)) if GENERATIONS.contains(&last) => rest.to_owned(),
        _ => family.to_owned(),
    }
}

/// Behind family and given name changed about stands the initial of the middle name.
fn without_last_letter(whole: &str) -> String {
    match whole.rsplit_once(' ') {
        Some((rest, last)) if last.len() == 1 && rest.contains(' ') => rest.to_owned(),
        _ => whole.to_owned(),
    }
}

fn initial(word: &str) -> &str {
    word.char_indices().nth(1).map_or(word, |(end, _)| word.get(..end).unwrap_or(word))
}

fn is_initial_of(letter: &str, word: &str) -> bool {
    letter.len() == 1 && word.starts_with(letter)
}

fn first_word(words: &str) -> &str {
    words.split(' ').next().unwrap_or_default()
}

fn second_initial(given: &str) -> Option<char> {
    given.split(' ').nth(1)?.chars().next()
}

/// A letter that stands by itself behind the first word of a name.
fn lone_letter(folded: &str) -> Option<char> {
    let letter = folded.split(' ').skip(1).find(|word| word.len() == 1)?;
    letter.chars().next().filter(|letter| letter.is_alphabetic())
}

impl NameLikeness {
    /// Whether they can be two ways of writing one name.
    pub fn is_possible(self) -> bool {
        self.given > GivenLikeness::Different && self.family > FamilyLikeness::Different
    }

    fn is_whole(self) -> bool {
        self.given == GivenLikeness::Same && self.family == FamilyLikeness::Same
    }

    fn rank(self) -> (bool, bool, FamilyLikeness, GivenLikeness) {
        (self.is_possible(), !self.swapped, self.family, self.given)
    }
}

/// The best of all readings; as they are written where that is possible.
pub fn compare_names(one: &NameParts, other: &NameParts) -> NameLikeness {
    let middle = match (one.middle, other.middle) {
        (Some(one), Some(other)) if one == other => MiddleLikeness::Same,
        (Some(_), Some(_)) => MiddleLikeness::Different,
        _ => MiddleLikeness::Unknown,
    };
    let read = |one: (&Part, &Part), other: (&Part, &Part), swapped: bool| {
        let given = compare_given_parts(one.0, other.0, !swapped);
        let family = compare_family_parts(one.1, other.1);
        let family = if family == FamilyLikeness::Part && is_crossed(one, other) {
            FamilyLikeness::Different
        } else {
            family
        };
        NameLikeness { given, family, middle, swapped }
    };
    let (ones, others) = ((&one.given, &one.family), (&other.given, &other.family));
    let straight = read(ones, others, false);
    if straight.is_whole() {
        return straight;
    }
    let mut best = straight;
    let consider = |best: &mut NameLikeness, next: NameLikeness| {
        if next.rank() > best.rank() {
            *best = next;
        }
    };
    if let Some((given, family)) = one.moved.as_deref() {
        consider(&mut best, read((given, family), others, false));
    }
    if let Some((given, family)) = other.moved.as_deref() {
        consider(&mut best, read(ones, (given, family), false));
    }
    // A word that stands alone may be the given name.
    if one.given.folded.is_empty() {
        consider(&mut best, read((&one.family, &one.given), others, false));
    }
    if other.given.folded.is_empty() {
        consider(&mut best, read(ones, (&other.family, &other.given), false));
    }
    if best.is_possible() {
        return best;
    }
    // Changed about, only what is nearly certain counts: a given name that is also a family name proves nothing.
    for turned in
        [read((&one.family, &one.given), others, true), read(ones, (&other.family, &other.given), true)]
    {
        if turned.given > GivenLikeness::Unknown && turned.family >= FamilyLikeness::Part {
            consider(&mut best, turned);
        }
    }
    best
}

/// Whether one has a given name more and the other a family name more: Ana Lima Costa is not Ana Rocha Costa, though Costa
/// is a part of Rocha Costa and Ana one of Ana Lima.
fn is_crossed(one: (&Part, &Part), other: (&Part, &Part)) -> bool {
    let has_more = |one: &Part, other: &Part| one.folded.contains(' ') && !other.folded.contains(' ');
    (has_more(one.0, other.0) && has_more(other.1, one.1))
        || (has_more(other.0, one.0) && has_more(one.1, other.1))
}

/// Where only one of two has a second given name, it does not count. Where both have one, `may_skip` says whether the first
/// ones suffice: not when they may be family names, of which many people share the first of two.
fn compare_given_parts(one: &Part, other: &Part, may_skip: bool) -> GivenLikeness {
    if !one.joined.is_empty() && one.joined == other.joined {
        return GivenLikeness::Same;
    }
    let (one_more, other_more) = (one.folded.contains(' '), other.folded.contains(' '));
    let first = compare_given(first_word(&one.folded), first_word(&other.folded));
    match (one_more, other_more) {
        // The first ones alike and the second ones not: each left out one of three. Two that begin differently are two people's.
        (true, true) if may_skip && second_initial(&one.folded) == second_initial(&other.folded) => {
            compare_given(&one.folded, &other.folded).max(first.min(GivenLikeness::Nickname))
        }
        (true, true) => compare_given(&one.folded, &other.folded),
        // Annamaria and Anna Maria were compared as one word; Maria of Anna Maria is her second name.
        (true, false) | (false, true) => first.max(compare_given(&one.folded, &other.folded)),
        (false, false) => first,
    }
}

/// Both names folded; an empty one is not there.
pub fn compare_family(one: &str, other: &str) -> FamilyLikeness {
    compare_family_parts(&Part::of(one), &Part::of(other))
}

fn compare_family_parts(one: &Part, other: &Part) -> FamilyLikeness {
    if one.folded.is_empty() || other.folded.is_empty() {
        return FamilyLikeness::Unknown;
    }
    if one.joined == other.joined {
        return FamilyLikeness::Same;
    }
    let (shorter, longer) = if one.folded.len() <= other.folded.len() { (one, other) } else { (other, one) };
    if shorter.folded.len() == 1 {
        let is_initial = longer.folded.starts_with(&shorter.folded);
        return if is_initial { FamilyLikeness::Initial } else { FamilyLikeness::Different };
    }
    // A slip can make or break a transliteration: Beckmann, Becjmann.
    if is_slip(&one.joined, &other.joined) || is_slip(&one.plain, &other.plain) {
        return FamilyLikeness::Slip;
    }
    let is_part = longer.folded.contains(' ')
        && longer.folded.split(' ').any(|word| word.len() >= 3 && reduce(word) == shorter.joined);
    if is_part { FamilyLikeness::Part } else { FamilyLikeness::Different }
}

#[cfg(test)]
mod tests;
