//! Spellings of one word: transliterations, slips of the finger, and the skeleton that most of them share.

use strsim::osa_distance;

/// Words shorter than this have too many neighbours for a difference of one letter to be a slip.
const SLIP_CHARS_MIN: usize = 4;
/// From this length on two letters may differ.
const TWO_SLIPS_CHARS_MIN: usize = 9;
/// Longer skeletons would tell apart what differs only at its end.
const SKELETON_CHARS_MAX: usize = 6;

/// Letters that are written in two ways when a name crosses from one alphabet into another, and the shorter way. Both
/// names of a comparison are reduced, so it does no harm that Manuel becomes manul.
const TRANSLITERATIONS: &[(&str, &str)] = &[
    ("ae", "a"),
    ("oe", "o"),
    ("ue", "u"),
    ("ij", "y"),
    ("ph", "f"),
    ("th", "t"),
    ("ck", "k"),
    ("sz", "s"),
    ("ts", "c"),
];

/// A folded word with the ways of transliterating it taken out.
pub(super) fn reduce(word: &str) -> String {
    let mut reduced = word.to_owned();
    // Most words have none, and one look at them costs less than one for each.
    if !may_be_reduced(word) {
        return reduced;
    }
    for (long, short) in TRANSLITERATIONS {
        if reduced.contains(long) {
            reduced = reduced.replace(long, short);
        }
    }
    reduced
}

/// Whether any two letters in a row are one of the transliterations.
fn may_be_reduced(word: &str) -> bool {
    let next = word.bytes().skip(1);
    word.bytes().zip(next).any(|pair| {
        matches!(
            pair,
            (b'a' | b'o' | b'u', b'e')
                | (b'i', b'j')
                | (b'p' | b't', b'h')
                | (b'c', b'k')
                | (b's', b'z')
                | (b't', b's')
        )
    })
}

/// Whether one folded word is most likely the other with a slip of the finger. Another number is another name: Fund 2 is not Fund 3.
pub fn is_slip(one: &str, other: &str) -> bool {
    let (one_chars, other_chars) = (one.chars().count(), other.chars().count());
    let shorter = one_chars.min(other_chars);
    let allowed = match shorter {
        // A letter left out of a word of four; another letter in one of three makes another word.
        3 if one_chars.max(other_chars) == SLIP_CHARS_MIN => 1,
        ..SLIP_CHARS_MIN => return false,
        SLIP_CHARS_MIN..TWO_SLIPS_CHARS_MIN => 1,
        _ => 2,
    };
    // A slip changes which letters occur by two at most: most pairs are told apart without counting.
    let strangers = (letters_of(one) ^ letters_of(other)).count_ones();
    one.len().abs_diff(other.len()) <= allowed
        && usize::try_from(strangers).is_ok_and(|strangers| strangers <= 2 * allowed)
        && osa_distance(one, other) <= allowed
        && !has_another_number(one, other)
}

fn has_another_number(one: &str, other: &str) -> bool {
    let digits_of = |word: &str| word.bytes().filter(u8::is_ascii_digit).collect::<Vec<u8>>();
    let (one, other) = (digits_of(one), digits_of(other));
    !one.is_empty() && !other.is_empty() && one != other
}

/// A bit for each letter that occurs; letters that share one only make more pairs be counted.
fn letters_of(word: &str) -> u32 {
    word.bytes().fold(0, |seen, byte| seen | (1 << (byte & 31)))
}

/// Whether each word of one is the word of the other at its place or short for it, and at least one is written out.
pub fn is_abbreviated<'a>(one: impl Iterator<Item = &'a str>, other: impl Iterator<Item = &'a str>) -> bool {
    let (mut one, mut other) = (one, other);
    let mut is_any_whole = false;
    loop {
        match (one.next(), other.next()) {
            (None, None) => return is_any_whole,
            (Some(one), Some(other)) if one == other => is_any_whole = true,
            (Some(one), Some(other)) if is_short_for(one, other) || is_short_for(other, one) => {}
            _ => return false,
        }
    }
}

/// The first letter and some of the others, in their order.
fn is_short_for(short: &str, long: &str) -> bool {
    let mut letters = long.chars();
    short.len() >= 2
        && short.len() < long.len()
        && short.chars().next() == long.chars().next()
        && short.chars().all(|wanted| letters.any(|letter| letter == wanted))
}

/// The consonants of a folded word in their order, alike ones taken for each other: what is left of a name when vowels,
/// double letters and spellings of one sound no longer count. Words that share it need not be alike; nearly all that are
/// alike share it.
pub fn skeleton(word: &str) -> String {
    let mut bones = String::new();
    for letter in reduce(word).chars() {
        let bone = match letter {
            'c' | 'q' | 'x' => 'k',
            'z' => 's',
            'v' | 'w' => 'f',
            'j' => 'y',
            'd' => 't',
            letter => letter,
        };
        let is_vowel = matches!(bone, 'a' | 'e' | 'i' | 'o' | 'u' | 'y' | 'h');
        // The first letter stays whatever it is: a skeleton of nothing would be shared by all.
        let counts = bones.is_empty() || (!is_vowel && !bones.ends_with(bone));
        if counts && bone.is_ascii_alphanumeric() {
            bones.push(if bones.is_empty() && is_vowel { 'a' } else { bone });
        }
        if bones.len() >= SKELETON_CHARS_MAX {
            break;
        }
    }
    // A script without a transliteration has no letters to leave out.
    if bones.is_empty() { word.to_owned() } else { bones }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn spellings_of_one_name_share_a_skeleton() {
        for (one, other) in [
            ("mueller", "muller"),
            ("schmidt", "schmitt"),
            ("meyer", "maier"),
            ("johansson", "johanson"),
            ("kowalski", "kovalsky"),
            ("philips", "filipps"),
        ] {
            assert_eq!(skeleton(one), skeleton(other), "{one} {other}");
        }
        assert_ne!(skeleton("miller"), skeleton("milton"));
        assert_eq!(skeleton("李"), "李");
        assert_eq!(skeleton("ai"), "a");
    }

    #[test]
    fn every_transliteration_is_taken_out() {
        for (long, short) in TRANSLITERATIONS {
            assert_eq!(reduce(&["l", long, "m"].concat()), ["l", short, "m"].concat());
            assert_eq!(reduce(long), *short);
        }
        assert_eq!(reduce("mohan"), "mohan");
    }

    #[test]
    fn a_slip_is_one_letter_and_two_in_a_long_word() {
        assert!(is_slip("jonson", "johnson") && is_slip("smiht", "smith"));
        assert!(is_slip("vandenberghe", "vandebergha"));
        assert!(!is_slip("lee", "leo"), "too short to tell");
        assert!(!is_slip("smith", "swift"));
        assert!(!is_slip("fund2", "fund3") && !is_slip("area51", "area15"), "another number");
        assert!(is_slip("aera51", "area51") && is_slip("p0wer", "power"));
    }
}
