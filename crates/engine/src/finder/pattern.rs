//! Patterns of mailboxes: which parts of a name, in what order, with what between them; and which one an address follows.

use assay_domain::PersonName;

use super::choice::Choice;
use super::habits::{Habits, Setting};
use super::probability::Probability;
use super::spelling::{Spelling, Writing, writings};

/// How much of a part of the name is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
enum Extent {
    Nothing,
    Initial,
    Whole,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Shape {
    FirstLast,
    InitialLast,
    FirstInitial,
    First,
    Last,
    LastFirst,
    LastInitial,
    /// The first letters of both.
    Initials,
    /// With the initial of the middle name between them.
    FirstMiddleLast,
    InitialMiddleLast,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Separator {
    Nothing,
    Dot,
    Underscore,
    Hyphen,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Pattern {
    pub shape: Shape,
    pub separator: Separator,
}

impl Shape {
    const fn extents(self) -> (Extent, Extent) {
        match self {
            Self::FirstLast | Self::LastFirst | Self::FirstMiddleLast => (Extent::Whole, Extent::Whole),
            Self::InitialLast | Self::LastInitial | Self::InitialMiddleLast => {
                (Extent::Initial, Extent::Whole)
            }
            Self::FirstInitial => (Extent::Whole, Extent::Initial),
            Self::First => (Extent::Whole, Extent::Nothing),
            Self::Last => (Extent::Nothing, Extent::Whole),
            Self::Initials => (Extent::Initial, Extent::Initial),
        }
    }

    const fn is_family_first(self) -> bool {
        matches!(self, Self::LastFirst | Self::LastInitial | Self::Last)
    }

    const fn has_middle(self) -> bool {
        matches!(self, Self::FirstMiddleLast | Self::InitialMiddleLast)
    }
}

impl Separator {
    const fn as_str(self) -> &'static str {
        match self {
            Self::Nothing => "",
            Self::Dot => ".",
            Self::Underscore => "_",
            Self::Hyphen => "-",
        }
    }
}

/// How many people a company has, as far as it decides how mailboxes are written: where few work a first name is enough, where
/// many do it no longer tells one from another.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Size {
    Tiny,
    Small,
    Medium,
    Large,
    Unknown,
}

impl Size {
    pub(super) const fn of(people: Option<u32>) -> Self {
        match people {
            None => Self::Unknown,
            Some(0..=12) => Self::Tiny,
            Some(13..=50) => Self::Small,
            Some(51..=500) => Self::Medium,
            Some(_) => Self::Large,
        }
    }
}

/// How usual a pattern is, in tenths of a thousandth, for companies of each size: tiny, small, medium, large, unknown.
type Usual = [u32; 5];

const fn row(shape: Shape, separator: Separator, usual: Usual) -> (Pattern, Usual) {
    (Pattern { shape, separator }, usual)
}

/// Written by hand from what is generally known of addresses at work: first.last leads where many work and in Europe, flast
/// follows it, first leads where few work. What is missing to the whole is written in none of these ways.
pub(super) const PATTERNS: &[(Pattern, Usual)] = &[
    row(Shape::FirstLast, Separator::Dot, [2_700, 4_100, 5_000, 5_700, 4_500]),
    row(Shape::InitialLast, Separator::Nothing, [1_300, 2_400, 2_600, 2_200, 2_300]),
    row(Shape::First, Separator::Nothing, [4_700, 1_400, 180, 30, 1_100]),
    row(Shape::InitialLast, Separator::Dot, [350, 600, 750, 750, 650]),
    row(Shape::FirstLast, Separator::Underscore, [180, 300, 400, 400, 350]),
    row(Shape::LastFirst, Separator::Dot, [150, 250, 350, 400, 300]),
    row(Shape::FirstLast, Separator::Nothing, [120, 200, 160, 100, 160]),
    row(Shape::FirstInitial, Separator::Nothing, [150, 250, 130, 60, 150]),
    row(Shape::FirstInitial, Separator::Dot, [40, 60, 30, 20, 40]),
    row(Shape::Last, Separator::Nothing, [80, 60, 30, 20, 50]),
    row(Shape::LastInitial, Separator::Nothing, [20, 50, 60, 70, 50]),
    row(Shape::FirstLast, Separator::Hyphen, [30, 50, 60, 60, 50]),
    row(Shape::LastFirst, Separator::Nothing, [10, 20, 20, 25, 20]),
    row(Shape::LastFirst, Separator::Underscore, [5, 10, 15, 20, 12]),
    row(Shape::LastFirst, Separator::Hyphen, [3, 5, 5, 5, 5]),
    row(Shape::LastInitial, Separator::Dot, [5, 15, 20, 20, 15]),
    row(Shape::InitialLast, Separator::Underscore, [5, 15, 20, 20, 15]),
    row(Shape::InitialLast, Separator::Hyphen, [5, 10, 10, 10, 10]),
    row(Shape::FirstInitial, Separator::Underscore, [3, 5, 3, 2, 3]),
    row(Shape::FirstInitial, Separator::Hyphen, [3, 5, 3, 2, 3]),
    row(Shape::Initials, Separator::Nothing, [40, 25, 15, 5, 20]),
    row(Shape::FirstMiddleLast, Separator::Dot, [5, 10, 25, 40, 20]),
    row(Shape::InitialMiddleLast, Separator::Nothing, [5, 10, 15, 20, 12]),
    row(Shape::FirstMiddleLast, Separator::Nothing, [1, 2, 3, 3, 2]),
];

/// How usual the pattern at a place in the table is, in companies of a size.
pub(super) fn usual_share(usual: &Usual, size: Size) -> Probability {
    let [tiny, small, medium, large, unknown] = *usual;
    let share = match size {
        Size::Tiny => tiny,
        Size::Small => small,
        Size::Medium => medium,
        Size::Large => large,
        Size::Unknown => unknown,
    };
    Probability::of(u128::from(share), 10_000)
}

/// One way to write a name, with all that was chosen for it.
pub(super) struct Written<'a> {
    /// The place in the table.
    pub(super) place: usize,
    pub(super) pattern: Pattern,
    pub(super) marks: Option<Choice>,
    pub(super) parts: [Option<&'a Spelling>; 2],
    pub(super) local: &'a str,
}

impl Written<'_> {
    pub(super) fn choices(&self) -> impl Iterator<Item = Choice> + '_ {
        let parts = self.parts.iter().flatten().flat_map(|part| part.choices.iter().copied());
        self.marks.into_iter().chain(parts)
    }

    pub(super) fn personal(&self) -> Probability {
        self.parts.iter().flatten().fold(Probability::CERTAIN, |all, part| all.times(part.personal))
    }
}

/// Shows a visitor each way to write the name: one text for all of them, since there are many.
pub(super) fn visit(writings: &[Writing], mut visitor: impl FnMut(&Written<'_>)) {
    let mut local = String::new();
    for writing in writings {
        let family_initials: Vec<Spelling> =
            writing.family.iter().cloned().map(Spelling::shortened).collect();
        for (place, (pattern, _)) in PATTERNS.iter().enumerate() {
            let (given, family) = pattern.shape.extents();
            let given = choose(given, &writing.initials, &writing.given);
            let family = choose(family, &family_initials, &writing.family);
            for given in &given {
                for family in &family {
                    if write(*pattern, (*given, *family), writing.middle, &mut local) {
                        let parts = [*given, *family];
                        visitor(&Written {
                            place,
                            pattern: *pattern,
                            marks: writing.marks,
                            parts,
                            local: &local,
                        });
                    }
                }
            }
        }
    }
}

fn choose<'a>(extent: Extent, initials: &'a [Spelling], whole: &'a [Spelling]) -> Vec<Option<&'a Spelling>> {
    match extent {
        Extent::Nothing => vec![None],
        Extent::Initial => initials.iter().map(Some).collect(),
        Extent::Whole => whole.iter().map(Some).collect(),
    }
}

/// Whether the pattern can be written with these parts; then the text is the mailbox.
fn write(
    pattern: Pattern,
    (given, family): (Option<&Spelling>, Option<&Spelling>),
    middle: Option<char>,
    local: &mut String,
) -> bool {
    let given = given.map_or("", |part| part.text.as_str());
    let family = family.map_or("", |part| part.text.as_str());
    let separator = pattern.separator.as_str();
    // Where nothing stands between first and last name, no dot stands within one of them.
    if separator != "." && (given.contains('.') || family.contains('.')) {
        return false;
    }
    let (before, behind) = if pattern.shape.is_family_first() { (family, given) } else { (given, family) };
    local.clear();
    local.push_str(before);
    if pattern.shape.has_middle() {
        let Some(middle) = middle else { return false };
        local.push_str(separator);
        local.push(middle);
    }
    if !before.is_empty() && !behind.is_empty() {
        local.push_str(separator);
    }
    local.push_str(behind);
    true
}

/// How an address is made from a name.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PatternUse {
    pub pattern: Pattern,
    pub choices: Vec<Choice>,
    /// Behind the name, where somebody else has the one without: the 2 of john.smith2.
    pub number: Option<u32>,
    pub(super) place: usize,
    /// How likely this is among the ways that give the same address, in companies of unknown size.
    pub(super) share: Probability,
}

/// Numbers beyond are years or codes, not counts of namesakes.
const NAMESAKES_MAX: u32 = 99;

/// The likeliest way in which an address is made from a name, if it is.
pub fn read(name: &PersonName, local: &str) -> Option<PatternUse> {
    let usual = Habits::usual(Setting::default());
    readings(name, local, |written| usual.likelihood(written)).into_iter().max_by_key(|reading| reading.share)
}

/// All ways to read an address as made from a name; their shares add up to one.
pub(super) fn readings(
    name: &PersonName,
    local: &str,
    likelihood: impl Fn(&Written<'_>) -> Probability,
) -> Vec<PatternUse> {
    let (stem, number) = split_number(local);
    let mut found = Vec::new();
    visit(&writings(name), |written| {
        if written.local == stem {
            let choices = written.choices().collect();
            let share = likelihood(written);
            found.push(PatternUse { pattern: written.pattern, choices, number, place: written.place, share });
        }
    });
    let total: u128 = found.iter().map(|reading| u128::from(reading.share.billionths())).sum();
    for reading in &mut found {
        reading.share = Probability::of(u128::from(reading.share.billionths()), total);
    }
    found
}

/// The address without the number of a namesake.
pub(super) fn split_number(local: &str) -> (&str, Option<u32>) {
    let stem = local.trim_end_matches(|letter: char| letter.is_ascii_digit());
    let number = local.get(stem.len()..).and_then(|digits| digits.parse().ok());
    match number.filter(|number| (1..=NAMESAKES_MAX).contains(number)) {
        Some(number) => (stem.trim_end_matches(['.', '-', '_']), Some(number)),
        None => (local, None),
    }
}
