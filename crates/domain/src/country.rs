//! Countries, by their codes and by their names in four languages.

use std::collections::HashMap;
use std::sync::LazyLock;

/// A country of the table.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Country {
    /// ISO 3166-1 alpha-2.
    pub code: &'static str,
    /// What its numbers begin with, after the plus sign.
    pub calling_code: &'static str,
}

static COUNTRIES: LazyLock<HashMap<String, Country>> = LazyLock::new(|| {
    let lines = include_str!("../data/countries.txt").lines().filter(|line| !line.starts_with('#'));
    let mut found = HashMap::new();
    for line in lines {
        let mut parts = line.split('|');
        let (Some(code), Some(alpha3), Some(calling_code)) = (parts.next(), parts.next(), parts.next())
        else {
            continue;
        };
        for name in [code, alpha3].into_iter().chain(parts) {
            found.insert(fold(name), Country { code, calling_code });
        }
    }
    found
});

/// The country of a code of two or three letters or of a name, however it is written.
pub fn find_country(text: &str) -> Option<Country> {
    COUNTRIES.get(&fold(text)).copied()
}

/// Letters and digits in lower-case ASCII. `&` is "and".
fn fold(text: &str) -> String {
    let mut folded = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            c if c.is_ascii_alphanumeric() => folded.push(c.to_ascii_lowercase()),
            '&' => folded.push_str("and"),
            c if c.is_alphanumeric() => {
                let plain = deunicode::deunicode_char(c).unwrap_or_default();
                let letters = plain.chars().filter(char::is_ascii_alphanumeric);
                folded.extend(letters.map(|c| c.to_ascii_lowercase()));
            }
            _ => {}
        }
    }
    folded
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_table_is_whole_and_no_name_means_two_countries() {
        let lines = include_str!("../data/countries.txt").lines().filter(|line| !line.starts_with('#'));
        let mut owners: HashMap<String, &str> = HashMap::new();
        for line in lines {
            let parts: Vec<&str> = line.split('|').collect();
            assert!(parts.len() >= 4 && parts[0].len() == 2 && parts[1].len() == 3, "{line}");
            assert!(parts[2].bytes().all(|byte| byte.is_ascii_digit()), "{line}");
            for name in parts.iter().enumerate().filter(|(at, _)| *at != 2).map(|(_, name)| name) {
                let other = owners.insert(fold(name), parts[0]);
                assert!(other.is_none_or(|other| other == parts[0]), "{name} is in {line} and {other:?}");
            }
        }
        assert_eq!(find_country("AT").map(|country| country.calling_code), Some("43"));
    }
}
