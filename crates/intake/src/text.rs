//! What a cell says, without what the program that wrote it has added.

use std::borrow::Cow;

use crate::header::is_invisible;
use crate::note::Reason;

/// Written where there is nothing, in any letter case. `NA` is not among them: it is Namibia, and a family name.
const ABSENT: &[&str] = &[
    "n/a",
    "#n/a",
    "null",
    "(null)",
    "none",
    "(none)",
    "undefined",
    "\\n",
    "-",
    "--",
    "—",
    "–",
    ".",
    "?",
    "#ref!",
    "#value!",
    "#name?",
];
const ABSENT_BYTES_MAX: usize = 9;

/// The text of a cell, if it has one: trimmed, with single spaces. Refused if it has a character that cannot be seen
/// and is no space, since nobody meant it and databases choke on some of them.
pub(crate) fn clean(cell: &str) -> Result<Option<Cow<'_, str>>, Reason> {
    let bare = strip_spreadsheet(trim(cell));
    if is_absent(bare) {
        return Ok(None);
    }
    // Nearly every cell ends here.
    if is_plain(bare) {
        return Ok(Some(Cow::Borrowed(bare)));
    }
    if bare.chars().any(|c| c.is_control() && !c.is_whitespace()) {
        return Err(Reason::Plain("has a control character: remove it"));
    }
    Ok(Some(collapse(bare)))
}

/// Visible ASCII and single spaces.
fn is_plain(text: &str) -> bool {
    let mut is_after_space = false;
    for byte in text.bytes() {
        if (0x21..0x7f).contains(&byte) {
            is_after_space = false;
        } else if byte == b' ' && !is_after_space {
            is_after_space = true;
        } else {
            return false;
        }
    }
    true
}

/// Whether a cell goes over several lines, which no name does: its quotes are broken, and other rows are inside.
pub(crate) fn is_broken_over_lines(cell: &str) -> bool {
    trim(cell).contains(['\n', '\r'])
}

fn trim(cell: &str) -> &str {
    let (first, last) = (cell.bytes().next(), cell.bytes().next_back());
    if first.is_some_and(|byte| byte.is_ascii_graphic()) && last.is_some_and(|byte| byte.is_ascii_graphic()) {
        return cell;
    }
    cell.trim_matches(|c: char| c.is_whitespace() || (!c.is_ascii() && is_invisible(c)))
}

/// Spreadsheets mark text that could be taken for a number or a formula: `'+49…`, `="0049…"`. Before a letter the mark
/// is part of the text, as in 's-Hertogenbosch.
fn strip_spreadsheet(text: &str) -> &str {
    if let Some(rest) = text.strip_prefix('\'')
        && rest.starts_with(|c: char| c.is_ascii_digit() || matches!(c, '=' | '+' | '-' | '@' | '('))
    {
        return trim(rest);
    }
    if let Some(rest) = text.strip_prefix("=\"")
        && let Some(inner) = rest.strip_suffix('"')
    {
        return trim(inner);
    }
    text
}

fn is_absent(text: &str) -> bool {
    let Some(first) = text.bytes().next() else {
        return true;
    };
    let may_be = matches!(first, b'n' | b'N' | b'u' | b'U' | b'#' | b'(' | b'-' | b'.' | b'?' | b'\\' | 0xe2);
    may_be && text.len() <= ABSENT_BYTES_MAX && ABSENT.iter().any(|absent| absent.eq_ignore_ascii_case(text))
}

fn collapse(text: &str) -> Cow<'_, str> {
    let mut before = 'x';
    let is_single = text.chars().all(|c| {
        let is_fine = !c.is_whitespace() || (c == ' ' && before != ' ');
        before = c;
        is_fine
    });
    if is_single {
        Cow::Borrowed(text)
    } else {
        Cow::Owned(text.split_whitespace().collect::<Vec<_>>().join(" "))
    }
}

/// Letters and digits in lower-case ASCII: the form under which terms of closed lists are looked up. `&` is "and".
pub(crate) fn fold(text: &str) -> String {
    let mut folded = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            c if c.is_ascii_alphanumeric() => folded.push(c.to_ascii_lowercase()),
            '&' => folded.push_str("and"),
            c if c.is_alphanumeric() => {
                let plain = deunicode::deunicode_char(c).unwrap_or_default();
                folded.extend(
                    plain.chars().filter(char::is_ascii_alphanumeric).map(|c| c.to_ascii_lowercase()),
                );
            }
            _ => {}
        }
    }
    folded
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn what_programs_add_is_taken_away() {
        for (cell, text) in [
            ("  Jane   Doe ", "Jane Doe"),
            ("Jane\n\tDoe", "Jane Doe"),
            ("\u{feff}Jane\u{200b}", "Jane"),
            ("Jane\u{a0}\u{a0}Doe", "Jane Doe"),
            ("'+49 30 1", "+49 30 1"),
            ("'00123", "00123"),
            ("=\"0049\"", "0049"),
            ("'t Hooft", "'t Hooft"),
            ("'s-Hertogenbosch", "'s-Hertogenbosch"),
            ("NA", "NA"),
            ("Nan", "Nan"),
            ("nonesuch", "nonesuch"),
            ("Zoë Müller", "Zoë Müller"),
        ] {
            assert_eq!(clean(cell).unwrap().as_deref(), Some(text), "{cell:?}");
        }
    }

    #[test]
    fn words_for_nothing_are_nothing() {
        for absent in ABSENT {
            assert_eq!((clean(absent), clean(&absent.to_uppercase())), (Ok(None), Ok(None)), "{absent}");
        }
        for cell in
            ["", "  ", "N/A", "n/a", "NULL", "Null", "-", " - ", "None", "—", "\\N", "#N/A", "'-", "=\"\""]
        {
            assert_eq!(clean(cell), Ok(None), "{cell:?}");
        }
    }

    #[test]
    fn control_characters_are_refused() {
        for cell in ["Jane\u{0}Doe", "\u{1b}[31mJane", "a\u{7f}b", "a\u{9b}b"] {
            assert_eq!(clean(cell), Err(Reason::Plain("has a control character: remove it")), "{cell:?}");
        }
    }

    proptest! {
        #[test]
        fn what_is_clean_stays_as_it_is(cell in "[ a-z'=\"\\-\\t\\n\u{a0}äß\u{200b}+0-9]{0,20}") {
            if let Ok(Some(once)) = clean(&cell) {
                prop_assert!(!once.contains("  ") && once.trim() == once);
                if !once.starts_with(['\'', '=']) {
                    let twice = clean(&once).unwrap();
                    prop_assert_eq!(twice.as_deref(), Some(once.as_ref()).filter(|it| !is_absent(it)));
                }
            }
        }
    }
}
