//! What can be told of an address without asking anyone: its form, what kind of mailbox it names, and whether another
//! was meant.

use assay_domain::limits::MAIL_MENDED_BYTES_MAX;
use assay_domain::{Email, ParseError};

use crate::lists::{self, Disposable};
use crate::typo;

/// An address of sound form, and what the lists say of it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Checked {
    pub email: Email,
    /// The mailbox was probably made to be thrown away.
    pub disposable: Option<Disposable>,
    /// Anybody can have a mailbox there, so the host says nothing of where its owner works.
    pub free_provider: bool,
    /// Belongs to a post or a team rather than to a person.
    pub generic: bool,
    /// A hint for whoever typed the address, never a verdict on it.
    pub did_you_mean: Option<Email>,
}

pub fn check(text: &str) -> Result<Checked, ParseError> {
    Email::parse(text).map(check_email)
}

pub fn check_email(email: Email) -> Checked {
    Checked {
        disposable: lists::disposable(&email),
        free_provider: lists::free_provider(&email),
        generic: lists::generic(email.local()),
        did_you_mean: typo::meant(&email),
        email,
    }
}

/// The address that a text which is none was probably meant to be; nothing for a text that is one, which `check`
/// answers for. Only what cannot be part of an address is taken away: where two readings are left, there is no guess.
pub fn mend(text: &str) -> Option<Email> {
    if text.len() > MAIL_MENDED_BYTES_MAX || Email::parse(text).is_ok() {
        return None;
    }
    let bare = unwrapped(text);
    let joined = without_stray_space(&bare)?;
    let (local, host) = joined.split_once('@')?;
    let local = tidy_dots(local);
    let host = tidy_dots(&host.trim_start_matches('@').replace([',', ';'], "."));
    let host = if host.contains('.') { host } else { typo::dotted(&host.to_lowercase())? };
    // Two addresses in one text: nobody can tell which was meant.
    let email = Email::parse(&format!("{local}@{host}")).ok().filter(|_| !host.contains('@'))?;
    Some(typo::meant(&email).unwrap_or(email))
}

/// Without what surrounds an address where it was copied from: a display name and angle brackets, quotes, a link's
/// scheme, the sentence's full stop.
fn unwrapped(text: &str) -> String {
    let inner = match text.rsplit_once('<') {
        Some((_, rest)) => rest.split('>').next().unwrap_or_default(),
        None => text,
    };
    let inner = inner.trim_matches(|c: char| c.is_whitespace() || "\"'`()[]<>{},;:.“”‘’«»".contains(c));
    let scheme = inner.get(..7).filter(|start| start.eq_ignore_ascii_case("mailto:"));
    let inner = inner.get(scheme.map_or(0, str::len)..).unwrap_or_default();
    inner.replace('\u{ff20}', "@").replace("[at]", "@").replace("(at)", "@")
}

/// Space next to a separator came in by accident; between two words it may stand for a dot, an underscore or nothing,
/// so there the answer is none. Invisible characters never meant anything.
fn without_stray_space(text: &str) -> Option<String> {
    let separator = |c: char| "@.,;".contains(c);
    let mut kept = String::with_capacity(text.len());
    let mut gap = false;
    for c in
        text.chars().filter(|c| !matches!(c, '\u{ad}' | '\u{200b}'..='\u{200f}' | '\u{2060}' | '\u{feff}'))
    {
        if c.is_whitespace() {
            gap = true;
            continue;
        }
        if gap && !separator(c) && !kept.ends_with(separator) {
            return None;
        }
        gap = false;
        kept.push(c);
    }
    Some(kept)
}

/// Without dots at the ends, and one where there were several.
fn tidy_dots(text: &str) -> String {
    let labels: Vec<&str> = text.split('.').filter(|label| !label.is_empty()).collect();
    labels.join(".")
}

#[cfg(test)]
mod tests {
    use assay_domain::Email;
    use proptest::prelude::*;

    use super::{check, check_email, mend};
    use crate::lists::Disposable;

    fn mended(text: &str) -> Option<String> {
        mend(text).map(String::from)
    }

    #[test]
    fn a_colleague_at_a_company_is_nothing_special() {
        let checked = check(" Jane.Doe@ACME.example ").unwrap();
        assert_eq!(checked.email.as_str(), "jane.doe@acme.example");
        assert_eq!((checked.disposable, checked.free_provider, checked.generic), (None, false, false));
        assert_eq!(checked.did_you_mean, None);
    }

    #[test]
    fn each_kind_of_address_is_told_apart() {
        assert!(check("jane@gmail.com").unwrap().free_provider);
        assert!(check("info@acme.example").unwrap().generic);
        assert_eq!(check("jane@mailinator.com").unwrap().disposable, Some(Disposable::Certain));
        let slip = check("jane@gmial.com").unwrap();
        assert_eq!(slip.did_you_mean, Some(Email::parse("jane@gmail.com").unwrap()));
    }

    #[test]
    fn a_text_that_is_no_address_is_an_error() {
        assert!(check("jane").is_err());
        assert!(check("jane@gmail,com").is_err());
    }

    #[test]
    fn debug_output_does_not_show_the_address() {
        let checked = check("jane.doe@gmial.com").unwrap();
        assert!(!format!("{checked:?}").contains("jane.doe"));
    }

    #[test]
    fn a_slip_in_the_form_is_mended() {
        let jane = [
            "jane@gmail,com",
            "jane@gmail..com",
            " jane @gmail.com",
            "jane@gmail",
            "jane@gmailcom",
            "jane@@gmail.com",
            "jane@gmail. com",
            "jane@ gmail .com",
            "mailto:jane@gmail.com",
            "Jane Doe <jane@gmail.com>",
            "\"jane@gmail.com\"",
            "jane@gmail.com,",
            "jane@gmail.com;",
            ".jane@gmail.com",
            "jane.@gmail.com",
            "jane@.gmail.com",
            "jane[at]gmail.com",
            "jane (at) gmail.com",
            "jane\u{ff20}gmail.com",
            "ja\u{200b}ne@gmail.com",
            "jane@gmial,com",
            "<jane@gmail.con>",
            "jane@Gmail",
        ];
        for text in jane {
            assert_eq!(mended(text).as_deref(), Some("jane@gmail.com"), "{text}");
        }
        assert_eq!(mended("jane..doe@acme.example").as_deref(), Some("jane.doe@acme.example"));
    }

    #[test]
    fn what_could_mean_two_things_is_not_mended() {
        let texts = [
            "",
            "@",
            "jane",
            "jane@",
            "@gmail.com",
            "jane doe@gmail.com",
            "jane@acme",
            "jane@acme john@acme.example",
            "jane@acme.example, john@acme.example",
            "jane@192.0.2.7",
            "jane@acme example",
        ];
        for text in texts {
            assert_eq!(mended(text), None, "{text}");
        }
        assert_eq!(mended(&format!("jane@gmail,com{}", " ".repeat(600))), None);
    }

    #[test]
    fn a_sound_address_needs_no_mending() {
        assert_eq!(mended("jane@gmail.com"), None);
        assert_eq!(mended("jane@gmial.com"), None);
    }

    proptest! {
        #[test]
        fn any_text_is_read_without_panic_and_a_mended_one_is_sound(text in ".{0,60}") {
            if let Some(email) = mend(&text) {
                prop_assert!(Email::parse(&text).is_err());
                prop_assert!(Email::parse(email.as_str()).is_ok());
            }
        }

        #[test]
        fn space_around_the_at_sign_is_no_loss(
            local in "[a-z]{1,8}(\\.[a-z]{1,8})?", host in "[a-z]{3,8}\\.example", left in " {0,2}", right in " {1,2}"
        ) {
            let found = mended(&format!("{local}{left}@{right}{host}"));
            prop_assert_eq!(found, Some(format!("{local}@{host}")));
        }

        #[test]
        fn a_tag_changes_no_answer(local in "[a-z]{1,10}", tag in "[a-z0-9]{1,5}", free in any::<bool>()) {
            let host = if free { "gmail.com" } else { "acme.example" };
            let plain = check_email(Email::parse(&format!("{local}@{host}")).unwrap());
            let tagged = check_email(Email::parse(&format!("{local}+{tag}@{host}")).unwrap());
            prop_assert_eq!(plain.generic, tagged.generic);
            prop_assert_eq!(plain.free_provider, tagged.free_provider);
        }
    }
}
