//! Fuzz target: any text as an address. What passes is sound, and what is mended is what was meant to be one.
#![no_main]

use assay_domain::Email;
use assay_domain::limits::{EMAIL_CHARS_MAX, MAIL_MENDED_BYTES_MAX};
use assay_mailbox::{Verdict, check, check_email, mend};
use libfuzzer_sys::{Corpus, fuzz_target};

fuzz_target!(|data: &[u8]| -> Corpus {
    let Ok(text) = std::str::from_utf8(data) else { return Corpus::Reject };
    let mended = mend(text);
    if let Ok(checked) = check(text) {
        assert_eq!(mended, None, "what is an address needs no mending");
        see_sound(&checked.email);
        let again = check(checked.email.as_str());
        assert_eq!(again.as_ref(), Ok(&checked), "an address is read again as itself");
        assert_eq!(check(&text.to_ascii_uppercase()), again, "letters are letters in either case");
        see_found_again(&checked.email);
    }
    if let Some(email) = &mended {
        assert!(text.len() <= MAIL_MENDED_BYTES_MAX);
        assert!(Email::parse(text).is_err(), "only what is no address is mended");
        see_sound(email);
        see_settled(email);
        if text.is_ascii() {
            let text = text.to_ascii_lowercase();
            assert!(is_within(email.local(), &text), "nothing is added before the @");
        }
    }
    assert_eq!(Verdict::of_text(text).did_you_mean, mended);
    Corpus::Keep
});

/// What every address is, whatever it was read from.
fn see_sound(email: &Email) {
    let text = email.as_str();
    assert_eq!(Email::parse(text).as_ref(), Ok(email), "a sound address is one");
    assert_eq!(format!("{}@{}", email.local(), email.host()), text);
    assert!(text.len() <= EMAIL_CHARS_MAX && email.local().len() <= 64);
    assert!(!email.local().contains('@') && email.host().is_ascii() && email.host().contains('.'));
    // Else it could end a command and begin another, or break a line of a log.
    assert!(!text.chars().any(|c| c.is_control() || c.is_whitespace() || "<>\"\\".contains(c)));
    assert!(email.host().ends_with(email.domain().as_str()));
    let checked = check_email(email.clone());
    assert!(checked.disposable.is_none() || !checked.free_provider, "the lists contradict each other");
    if let Some(meant) = &checked.did_you_mean {
        assert_ne!(meant, email);
        assert_eq!(meant.local(), email.local(), "only a host is doubted");
        assert!(!checked.free_provider);
        see_settled(meant);
    }
    // What is hidden is shown as asterisks, which an address may have.
    assert!(text.contains("*@") || !format!("{checked:?}").contains(text), "an address shows in a log");
}

/// A suggestion is not itself doubted.
fn see_settled(email: &Email) {
    assert_eq!(check_email(email.clone()).did_you_mean, None);
    assert_eq!(Email::parse(email.as_str()).as_ref(), Ok(email));
}

/// What surrounds an address where it is copied from is taken away, unless it may be part of it.
fn see_found_again(email: &Email) {
    let is_plain = |c: char| c.is_ascii_alphanumeric();
    if !email.as_str().is_ascii() || !email.local().starts_with(is_plain) {
        return;
    }
    let meant = check_email(email.clone()).did_you_mean.unwrap_or_else(|| email.clone());
    for wrapped in [
        format!("<{email}>"),
        format!("Jane Doe <{email}>"),
        format!("mailto:{email}"),
        format!(" ({email}). "),
        format!("{} @ {}", email.local(), email.host()),
        format!("{}\u{200b}@{}", email.local(), email.host()),
        email.as_str().replace('@', "@@"),
    ] {
        assert_eq!(mend(&wrapped).as_ref(), Some(&meant), "{wrapped:?}");
    }
}

/// Whether the letters of one are among those of the other, in their order.
fn is_within(part: &str, whole: &str) -> bool {
    let mut rest = whole.chars();
    part.chars().all(|wanted| rest.any(|c| c == wanted))
}
