//! Why a text is not the identifier, term or key it was taken for.
//!
//! No variant carries the text itself: an error may be logged, and the text may be personal data or a secret.

use std::borrow::Cow;

/// The error of every parser in this crate.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ParseError {
    #[error("the email address {0}")]
    Email(&'static str),
    #[error("the phone number {0}")]
    Phone(&'static str),
    #[error("the domain {0}")]
    Domain(&'static str),
    #[error("the network url {0}")]
    NetworkUrl(&'static str),
    #[error("the name {0}")]
    Name(&'static str),
    /// A value outside one of the taxonomies; `nearest` is the term the caller probably meant.
    #[error("unknown {kind}{}", match nearest { Some(term) => format!("; did you mean `{term}`?"), None => String::new() })]
    Term { kind: &'static str, nearest: Option<&'static str> },
    #[error("the address range {0}")]
    IpRange(&'static str),
    #[error("the list hash {0}")]
    ListHash(&'static str),
    #[error("the master key {0}")]
    MasterKey(&'static str),
    #[error("the api key does not have the shape of one")]
    ApiKeyMalformed,
    #[error("the checksum of the api key does not match")]
    ApiKeyChecksum,
}

impl ParseError {
    /// A stable word for programs.
    pub fn code(&self) -> &'static str {
        match self {
            Self::Email(_) => "invalid_email",
            Self::Phone(_) => "invalid_phone",
            Self::Domain(_) => "invalid_domain",
            Self::NetworkUrl(_) => "invalid_network_url",
            Self::Name(_) => "invalid_name",
            Self::Term { .. } => "unknown_value",
            Self::IpRange(_) => "invalid_ip_range",
            Self::ListHash(_) => "invalid_list_hash",
            Self::MasterKey(_) => "invalid_master_key",
            Self::ApiKeyMalformed | Self::ApiKeyChecksum => "invalid_api_key",
        }
    }

    /// One sentence that says how to put it right.
    pub fn fix(&self) -> Cow<'static, str> {
        Cow::Borrowed(match self {
            Self::Email(_) => {
                "Send one plain address such as jane@acme.example, without a display name or quotes."
            }
            Self::Phone(_) => {
                "Send the number in international form: a plus sign, the country code and the number, such as +12025550100."
            }
            Self::Domain(_) => "Send a domain such as acme.example, or a web address of it.",
            Self::NetworkUrl(_) => {
                "Send the address of a profile or company page on the configured network, such as \
                 https://network.example/in/jane-doe."
            }
            Self::Name(_) => "Send a name of at most 200 characters with at least one letter.",
            Self::Term { nearest: Some(term), .. } => return Cow::Owned(format!("Send `{term}`.")),
            Self::Term { nearest: None, .. } => {
                "Send one of the values that the API description lists for this field."
            }
            Self::IpRange(_) => {
                "Send an address such as 192.0.2.7, or the first address of a range and its bits, such as 10.0.0.0/8."
            }
            Self::ListHash(_) => {
                "Send the SHA-256 of the identifier in base64, 44 characters with the padding."
            }
            Self::MasterKey(_) => {
                "Set the key to 32 random bytes written as 64 hexadecimal digits or as base64."
            }
            Self::ApiKeyMalformed => {
                "Send the whole key as it was shown once, starting with assay_live_ or assay_test_."
            }
            Self::ApiKeyChecksum => {
                "Copy the key again: at least one character differs from the key that was issued."
            }
        })
    }
}

#[cfg(test)]
mod tests {
    use super::ParseError;

    #[test]
    fn every_variant_has_a_code_a_lower_case_message_and_a_sentence_of_advice() {
        let all = [
            ParseError::Email("is empty"),
            ParseError::Phone("is empty"),
            ParseError::Domain("is empty"),
            ParseError::NetworkUrl("is empty"),
            ParseError::Name("is empty"),
            ParseError::Term { kind: "seniority", nearest: Some("vp") },
            ParseError::Term { kind: "seniority", nearest: None },
            ParseError::IpRange("is empty"),
            ParseError::MasterKey("is empty"),
            ParseError::ApiKeyMalformed,
            ParseError::ApiKeyChecksum,
        ];
        for error in all {
            let message = error.to_string();
            assert_eq!(message, message.to_lowercase());
            assert!(error.code().chars().all(|c| c.is_ascii_lowercase() || c == '_'), "{}", error.code());
            let fix = error.fix();
            assert!(fix.ends_with('.') && fix.starts_with(|c: char| c.is_ascii_uppercase()), "{fix}");
        }
    }

    #[test]
    fn an_unknown_term_names_its_nearest_neighbour() {
        let error = ParseError::Term { kind: "seniority", nearest: Some("c_suite") };
        assert_eq!(error.to_string(), "unknown seniority; did you mean `c_suite`?");
        assert_eq!(error.fix(), "Send `c_suite`.");
    }
}
