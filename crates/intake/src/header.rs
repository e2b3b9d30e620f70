//! The columns of a file, by names that tell them apart.

use std::collections::{HashMap, HashSet};

use assay_domain::Email;

use crate::encoding::Encoding;
use crate::error::Error;
use crate::limits::{COLUMN_NAME_CHARS_MAX, COLUMN_NAME_TOLD_CHARS_MAX, COLUMNS_MAX};

/// The columns of a file. Those of JSON lines are the paths of their values (`company.domain`), lists left out.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Headers {
    pub names: Vec<String>,
    /// Whether a column that is not here is nowhere in the file. Of a large file of JSON lines only the beginning is known.
    pub are_complete: bool,
    /// How the beginning of the file is written, as far as that can be seen.
    pub encoding: Encoding,
}

/// Names for the cells of a header row. One without a name is called by its place, one whose name was there before gets
/// a number, so that each can be mapped.
pub(crate) fn name_columns<'a>(cells: impl IntoIterator<Item = &'a str>) -> Result<Vec<String>, Error> {
    let mut names: Vec<String> = Vec::new();
    let mut taken = HashSet::new();
    let mut repeats: HashMap<String, usize> = HashMap::new();
    for (index, cell) in cells.into_iter().enumerate() {
        if index >= COLUMNS_MAX {
            return Err(Error::TooManyColumns(COLUMNS_MAX));
        }
        if Email::parse(cell).is_ok() {
            return Err(Error::HeaderMissing);
        }
        let name = tidy_name(cell);
        let name = if name.is_empty() { format!("column {}", index + 1) } else { name };
        let mut unique = name.clone();
        while !taken.insert(unique.clone()) {
            let number = repeats.entry(name.clone()).or_insert(1);
            *number += 1;
            unique = format!("{name} ({number})");
        }
        names.push(unique);
    }
    Ok(names)
}

/// Without what cannot be typed into a mapping file or would disturb a terminal.
fn tidy_name(cell: &str) -> String {
    let visible: String = cell.chars().map(|c| if is_invisible(c) { ' ' } else { c }).collect();
    let collapsed = visible.split_whitespace().collect::<Vec<_>>().join(" ");
    collapsed.chars().take(COLUMN_NAME_CHARS_MAX).collect()
}

pub(crate) fn is_invisible(c: char) -> bool {
    c.is_control()
        || matches!(c, '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2060}'..='\u{206f}' | '\u{feff}')
}

/// As errors, notes and tables show a name.
pub(crate) fn told_name(name: &str) -> String {
    let visible = || name.chars().map(|c| if is_invisible(c) { '\u{fffd}' } else { c });
    if name.chars().count() <= COLUMN_NAME_TOLD_CHARS_MAX {
        return visible().collect();
    }
    visible().take(COLUMN_NAME_TOLD_CHARS_MAX - 1).chain(['…']).collect()
}

/// The words of a name: lower-case ASCII, cut at everything that is no letter, at digits and inside of camelCase.
pub(crate) fn fold_words(name: &str) -> Vec<String> {
    let mut words = vec![String::new()];
    let mut before = ' ';
    for c in name.chars() {
        let is_cut = !c.is_alphanumeric()
            || (before.is_lowercase() && c.is_uppercase())
            || (before.is_numeric() != c.is_numeric());
        if is_cut {
            words.push(String::new());
        }
        if c.is_alphanumeric()
            && let Some(word) = words.last_mut()
        {
            let plain = deunicode::deunicode_char(c).unwrap_or_default();
            word.extend(plain.chars().filter(char::is_ascii_alphanumeric).map(|c| c.to_ascii_lowercase()));
        }
        before = c;
    }
    words.retain(|word| !word.is_empty());
    words
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_column_gets_a_name_of_its_own() {
        let names = name_columns([" Email ", "Email", "", "Email (2)", "a\u{0}b\n c", "", "Email"]).unwrap();
        assert_eq!(
            names,
            ["Email", "Email (2)", "column 3", "Email (2) (2)", "a b c", "column 6", "Email (3)"]
        );
    }

    #[test]
    fn a_row_of_data_is_not_taken_for_a_header() {
        assert!(matches!(name_columns(["Jane", "jane@acme.example"]), Err(Error::HeaderMissing)));
        let many = vec!["x"; COLUMNS_MAX + 1];
        assert!(matches!(name_columns(many), Err(Error::TooManyColumns(_))));
    }

    #[test]
    fn words_are_told_apart_however_they_are_joined() {
        for (name, words) in [
            ("First Name", vec!["first", "name"]),
            ("first_name", vec!["first", "name"]),
            ("firstName", vec!["first", "name"]),
            ("FIRST-NAME:", vec!["first", "name"]),
            ("Prénom", vec!["prenom"]),
            ("company.location.city", vec!["company", "location", "city"]),
            ("phone2", vec!["phone", "2"]),
            ("Straße №1", vec!["strasse", "1"]),
            ("…", vec![]),
        ] {
            assert_eq!(fold_words(name), words, "{name}");
        }
    }

    #[test]
    fn a_long_name_is_not_told_whole_and_none_reaches_the_terminal_raw() {
        assert_eq!(told_name("First Name"), "First Name");
        assert_eq!(told_name(&"x".repeat(41)).chars().count(), COLUMN_NAME_TOLD_CHARS_MAX);
        assert_eq!(told_name("a\u{1b}[31m"), "a\u{fffd}[31m");
    }
}
