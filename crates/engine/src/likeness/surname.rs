//! How common family names are, as far as lists of common ones tell.

use std::collections::HashMap;
use std::sync::LazyLock;

use assay_domain::name::fold_text;

use super::spelling::reduce;

/// Of two family names in a row few people have both.
const DOUBLE_IS_RARER: u32 = 10;

/// How many of 100,000 people have a name, by its reduced form written as one word.
static COMMON: LazyLock<HashMap<String, u32>> = LazyLock::new(|| {
    let mut common: HashMap<String, u32> = HashMap::new();
    let lines = include_str!("../../data/surnames.txt").lines().filter(|line| !line.starts_with('#'));
    for (name, count) in lines.filter_map(|line| line.rsplit_once(' ')) {
        let Ok(count) = count.parse::<u32>() else { continue };
        let known = common.entry(reduce(&fold_text(name).replace(' ', ""))).or_default();
        *known = count.max(*known);
    }
    common
});

/// How many of 100,000 people have a folded family name; 0 for one that is on no list.
pub(super) fn bearers(folded: &str) -> u32 {
    let look = |name: &str| COMMON.get(&reduce(&name.replace(' ', ""))).copied().unwrap_or(0);
    let whole = look(folded);
    if whole > 0 || !folded.contains(' ') {
        return whole;
    }
    let rarest = folded.split(' ').filter(|word| word.len() > 2).map(look).min().unwrap_or(0);
    rarest / DOUBLE_IS_RARER
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn common_names_are_known_in_several_languages_and_rare_ones_are_not() {
        assert!(bearers("smith") > bearers("hayes") && bearers("hayes") > 0);
        for name in ["mueller", "muller", "dupont", "van den berg", "kowalska", "sharma", "tanaka"] {
            assert!(bearers(name) > 0, "{name}");
        }
        assert!(bearers("garcia lopez") < bearers("garcia"));
        assert_eq!(bearers("quetzalbach"), 0);
        assert_eq!(bearers(""), 0);
    }
}
