//! Slips of the finger, and what people are called by those who know them.

use rand::RngExt;
use rand_chacha::ChaCha8Rng;
use std::collections::HashMap;
use std::sync::LazyLock;

static NICKNAMES: LazyLock<HashMap<&str, Vec<&str>>> = LazyLock::new(|| {
    let lines = include_str!("../../data/dirt/nicknames.txt").lines();
    lines
        .filter(|line| !line.starts_with('#'))
        .filter_map(|line| line.split_once(':'))
        .map(|(name, forms)| (name.trim(), forms.split(',').map(str::trim).collect()))
        .collect()
});

/// One of the forms of a name, if it has any.
pub fn nickname(name: &str, dice: &mut ChaCha8Rng) -> Option<String> {
    let forms = NICKNAMES.get(name)?;
    forms.get(dice.random_range(0..forms.len())).map(|form| (*form).to_owned())
}

/// A text with one letter left out, doubled, changed for another, or changed about with its neighbour. The first letter
/// stays: it is looked at while it is typed.
pub fn with_slip(text: &str, dice: &mut ChaCha8Rng) -> String {
    let mut letters: Vec<char> = text.chars().collect();
    if letters.len() < 4 {
        return text.to_owned();
    }
    let at = dice.random_range(1..letters.len() - 1);
    match dice.random_range(0..4) {
        0 => {
            letters.remove(at);
        }
        1 => letters.insert(at, letters[at]),
        2 => letters[at] = char::from(dice.random_range(b'a'..=b'z')),
        _ => letters.swap(at, at + 1),
    }
    letters.into_iter().collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use rand::SeedableRng;

    #[test]
    fn a_slip_changes_one_letter_and_keeps_the_first() {
        let mut dice = ChaCha8Rng::seed_from_u64(1);
        for _ in 0..200 {
            let slipped = with_slip("Lindgren", &mut dice);
            assert!(slipped.starts_with('L') && slipped.len().abs_diff(8) <= 1, "{slipped}");
        }
        assert_eq!(with_slip("Ng", &mut dice), "Ng");
        assert!(["Bob", "Rob", "Bobby"].contains(&nickname("Robert", &mut dice).unwrap().as_str()));
        assert_eq!(nickname("Zzyzx", &mut dice), None);
    }
}
