//! Why a webhook's address is refused: what is wrong with it, and what to do about it.

use assay_domain::limits::URL_CHARS_MAX;

/// One reason. None of them holds the address itself, whose path or query may be a secret.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum Refusal {
    #[error("the url is longer than {URL_CHARS_MAX} characters")]
    TooLong,
    #[error("the url has spaces, control characters or backslashes in it")]
    Characters,
    #[error("the url cannot be read: {0}")]
    Malformed(url::ParseError),
    #[error("the url is not an https one")]
    Scheme,
    #[error("the url is a plain http one")]
    PlainHttp,
    #[error("the url has a user name or a password in it")]
    UserInfo,
    #[error("the url has a fragment")]
    Fragment,
    #[error("the url's address names a network interface after a percent sign")]
    Scope,
    #[error("the url names port {0}")]
    Port(u16),
    #[error("the address is not on the public internet but belongs to {0}")]
    Address(&'static str),
}

impl Refusal {
    /// A stable word for programs.
    pub fn code(&self) -> &'static str {
        match self {
            Self::TooLong => "webhook_url_too_long",
            Self::Characters | Self::Malformed(_) => "webhook_url_malformed",
            Self::Scheme | Self::PlainHttp => "webhook_url_not_https",
            Self::UserInfo => "webhook_url_has_credentials",
            Self::Fragment => "webhook_url_has_fragment",
            Self::Scope | Self::Address(_) => "webhook_address_not_public",
            Self::Port(_) => "webhook_port_not_allowed",
        }
    }

    /// One sentence that says how to put it right.
    pub fn fix(&self) -> &'static str {
        match self {
            Self::TooLong => "Shorten the url, for example by moving what its query says into the receiver.",
            Self::Characters => {
                "Percent-encode what is not part of a url: a space is %20, a backslash is %5C."
            }
            Self::Malformed(_) => "Send a whole url such as https://hooks.acme.example/assay.",
            Self::Scheme => "Start the url with https://.",
            Self::PlainHttp => {
                "Start the url with https://, or let the operator of this service allow plain http for development."
            }
            Self::UserInfo => {
                "Take the user name and password out: deliveries are signed, which tells the receiver who sent them."
            }
            Self::Fragment => "Leave out the # and what follows it: it never reaches a server.",
            Self::Scope => "Name the receiver by its domain, or by a public address without a percent sign.",
            Self::Port(_) => {
                "Use the usual port, 443, or let the operator of this service allow another one."
            }
            Self::Address(_) => {
                "Use a receiver that the public internet can reach, or let the operator of this service allow its \
                 address range."
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const ALL: &[Refusal] = &[
        Refusal::TooLong,
        Refusal::Characters,
        Refusal::Malformed(url::ParseError::EmptyHost),
        Refusal::Scheme,
        Refusal::PlainHttp,
        Refusal::UserInfo,
        Refusal::Fragment,
        Refusal::Scope,
        Refusal::Port(22),
        Refusal::Address("a private network"),
    ];

    #[test]
    fn each_refusal_says_what_is_wrong_and_how_to_put_it_right() {
        for refusal in ALL {
            let (said, fix) = (refusal.to_string(), refusal.fix());
            assert!(said.starts_with(char::is_lowercase) && !said.ends_with('.'), "{said}");
            assert!(fix.starts_with(char::is_uppercase) && fix.ends_with('.'), "{fix}");
            assert!(!fix.contains("  "), "{fix}");
            let is_word = |it: char| it.is_ascii_lowercase() || it == '_';
            assert!(refusal.code().starts_with("webhook_") && refusal.code().chars().all(is_word));
        }
        assert_eq!(Refusal::Port(22).to_string(), "the url names port 22");
    }

    #[test]
    fn every_sentence_is_said_once() {
        let mut said: Vec<_> = ALL.iter().map(|it| (it.to_string(), it.fix())).collect();
        said.sort();
        said.dedup_by(|left, right| left.0 == right.0 || left.1 == right.1);
        assert_eq!(said.len(), ALL.len());
    }
}
