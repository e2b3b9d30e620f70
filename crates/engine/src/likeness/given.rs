//! Given names: short and pet forms of one another.

use std::collections::{BTreeSet, HashMap};
use std::sync::LazyLock;

use assay_domain::name::fold_text;

use super::spelling::{is_slip, reduce};

/// Beyond so many forms a short name says too little to be looked up under each of them.
const FORMS_MAX: usize = 24;

/// Fewer letters are the beginning of too many names.
const CLIPPED_CHARS_MIN: usize = 2;

const KIN_CHARS_MIN: usize = 3;

/// How two given names stand to each other.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum GivenLikeness {
    Different,
    /// They begin alike, which proves nothing and contradicts nothing: Kate, Kathleen; Mark, Mary.
    Kin,
    /// One of them is not there.
    Unknown,
    /// One is the first letter of the other.
    Initial,
    /// Both are short for the same name.
    Cousins,
    /// One is the beginning of the other, as many short forms are.
    Clipped,
    /// A slip of the finger apart.
    Slip,
    /// One is short for the other.
    Nickname,
    Same,
}

/// Names and their forms, folded.
struct Forms {
    short: HashMap<String, BTreeSet<String>>,
    long: HashMap<String, BTreeSet<String>>,
}

static FORMS: LazyLock<Forms> = LazyLock::new(|| {
    let mut forms = Forms { short: HashMap::new(), long: HashMap::new() };
    let tables = [include_str!("../../data/nicknames_en.txt"), include_str!("../../data/nicknames.txt")];
    for line in tables.iter().flat_map(|table| table.lines()).filter(|line| !line.starts_with('#')) {
        let Some((name, shorts)) = line.split_once(':') else { continue };
        let name = fold_text(name);
        for short in shorts.split(',').map(fold_text) {
            forms.long.entry(short.clone()).or_default().insert(name.clone());
            forms.short.entry(name.clone()).or_default().insert(short);
        }
    }
    forms
});

/// A folded given name and what else its bearer may be called, itself first: its short forms, what it is short for, and
/// the other short forms of those.
pub fn given_forms(name: &str) -> Vec<String> {
    let forms = &*FORMS;
    let none = BTreeSet::new();
    let shorts = |name: &str| forms.short.get(name).unwrap_or(&none);
    let longs = forms.long.get(name).unwrap_or(&none);
    let mut all = vec![name.to_owned()];
    for form in longs.iter().chain(shorts(name)).chain(longs.iter().flat_map(|long| shorts(long))) {
        if !all.contains(form) {
            all.push(form.clone());
        }
    }
    all.truncate(FORMS_MAX);
    all
}

/// Both names folded; an empty one is not there.
pub fn compare_given(one: &str, other: &str) -> GivenLikeness {
    if one.is_empty() || other.is_empty() {
        return GivenLikeness::Unknown;
    }
    if one == other || reduce(one) == reduce(other) {
        return GivenLikeness::Same;
    }
    let (shorter, longer) = if one.len() <= other.len() { (one, other) } else { (other, one) };
    if shorter.len() == 1 {
        return if longer.starts_with(shorter) { GivenLikeness::Initial } else { GivenLikeness::Different };
    }
    let forms = &*FORMS;
    let is_short = |short: &str, long: &str| forms.long.get(short).is_some_and(|longs| longs.contains(long));
    if is_short(one, other) || is_short(other, one) {
        return GivenLikeness::Nickname;
    }
    if is_slip(one, other) {
        return GivenLikeness::Slip;
    }
    // Of two parts of which one is left out: Jean of Jean Pierre.
    if longer.split(' ').any(|part| part == shorter) {
        return GivenLikeness::Nickname;
    }
    if shorter.len() >= CLIPPED_CHARS_MIN && longer.starts_with(shorter) {
        return GivenLikeness::Clipped;
    }
    match (forms.long.get(one), forms.long.get(other)) {
        (Some(ones), Some(others)) if !ones.is_disjoint(others) => GivenLikeness::Cousins,
        // Two names each begin alike as soon as the first of them is one.
        _ if begin_alike(one, other) && !(one.contains(' ') && other.contains(' ')) => GivenLikeness::Kin,
        _ => GivenLikeness::Different,
    }
}

fn begin_alike(one: &str, other: &str) -> bool {
    one.bytes().zip(other.bytes()).take(KIN_CHARS_MIN).filter(|(one, other)| one == other).count()
        == KIN_CHARS_MIN
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn short_forms_are_recognised_in_several_languages() {
        for (one, other) in [
            ("robert", "bob"),
            ("francisco", "paco"),
            ("giuseppe", "beppe"),
            ("katarzyna", "kasia"),
            ("cornelis", "kees"),
            ("friedrich", "fritz"),
            ("jean pierre", "jean"),
        ] {
            assert_eq!(compare_given(one, other), GivenLikeness::Nickname, "{one} {other}");
            assert_eq!(compare_given(other, one), GivenLikeness::Nickname, "{other} {one}");
        }
    }

    #[test]
    fn likeness_has_degrees() {
        assert_eq!(compare_given("joerg", "jorg"), GivenLikeness::Same);
        assert_eq!(compare_given("peggy", "maggie"), GivenLikeness::Cousins);
        assert_eq!(compare_given("seba", "sebastiano"), GivenLikeness::Clipped);
        assert_eq!(compare_given("micheal", "michael"), GivenLikeness::Slip);
        assert_eq!(compare_given("martin", "marcel"), GivenLikeness::Kin);
        assert_eq!(compare_given("j", "john"), GivenLikeness::Initial);
        assert_eq!(compare_given("k", "john"), GivenLikeness::Different);
        assert_eq!(compare_given("anna", "paul"), GivenLikeness::Different);
        assert_eq!(compare_given("", "paul"), GivenLikeness::Unknown);
    }

    #[test]
    fn a_name_is_looked_up_under_itself_first_and_under_few_others() {
        let forms = given_forms("bob");
        assert_eq!(forms.first().map(String::as_str), Some("bob"));
        assert!(forms.contains(&"robert".to_owned()) && forms.contains(&"rob".to_owned()));
        assert_eq!(given_forms("zzyzx"), ["zzyzx"]);
        assert!(FORMS.short.keys().all(|name| given_forms(name).len() <= FORMS_MAX));
    }
}
