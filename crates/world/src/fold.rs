//! Names in the letters that mailboxes and web addresses use.

use deunicode::deunicode_char;

/// The name as people write it before the @: `Müller` is `mueller` in Germany and `muller` elsewhere, `de Jong` is
/// `dejong`, `O'Brien` is `obrien`.
pub(crate) fn mailbox(name: &str, german: bool) -> String {
    ascii(name, german).chars().filter(|c| c.is_ascii_alphanumeric() || *c == '-').collect()
}

/// The name as part of a web address: words joined by one hyphen.
pub(crate) fn slug(name: &str) -> String {
    let mut slug = String::with_capacity(name.len());
    for c in ascii(name, false).chars().filter(|c| !matches!(c, '\'' | '.')) {
        if c.is_ascii_alphanumeric() {
            slug.push(c);
        } else if !slug.is_empty() && !slug.ends_with('-') {
            slug.push('-');
        }
    }
    slug.truncate(slug.trim_end_matches('-').len());
    slug
}

fn ascii(name: &str, german: bool) -> String {
    let mut folded = String::with_capacity(name.len());
    for c in name.chars() {
        match c {
            'ä' | 'Ä' if german => folded.push_str("ae"),
            'ö' | 'Ö' if german => folded.push_str("oe"),
            'ü' | 'Ü' if german => folded.push_str("ue"),
            _ if c.is_ascii() => folded.push(c),
            _ => folded.push_str(deunicode_char(c).unwrap_or_default()),
        }
    }
    folded.make_ascii_lowercase();
    folded
}

/// A number in base 36, short and safe in web addresses.
pub(crate) fn push_base36(number: u64, text: &mut String) {
    if number >= 36 {
        push_base36(number / 36, text);
    }
    text.extend(u32::try_from(number % 36).ok().and_then(|digit| char::from_digit(digit, 36)));
}
