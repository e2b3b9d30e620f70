//! The paces that are configured: how fast each operator of mail servers may be asked, where that is not left to learning.

use assay_domain::limits::MAIL_OPERATOR_PER_MINUTE_MAX;
use assay_mailbox::PaceRules;
use std::collections::HashMap;

/// Stands for every operator that is not named.
const OTHERS: &str = "*";

#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct PaceBook {
    fixed: HashMap<String, u32>,
}

#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum PaceBookError {
    #[error("{0:?} is not an operator and its questions a minute, such as google=30 or *=6")]
    Form(String),
    #[error("{0} questions a minute are more than {MAIL_OPERATOR_PER_MINUTE_MAX}")]
    TooFast(u32),
}

impl PaceBook {
    /// From entries such as `google=30`; `*` stands for every operator that is not named.
    pub fn parse<'a>(entries: impl Iterator<Item = &'a str>) -> Result<Self, PaceBookError> {
        let mut fixed = HashMap::new();
        for entry in entries {
            let read = entry.split_once('=').and_then(|(name, rate)| {
                let name = name.trim().to_ascii_lowercase();
                Some((name, rate.trim().parse::<u32>().ok()?)).filter(|(name, _)| !name.is_empty())
            });
            let (name, rate) = read.ok_or_else(|| PaceBookError::Form(entry.to_owned()))?;
            if rate > MAIL_OPERATOR_PER_MINUTE_MAX {
                return Err(PaceBookError::TooFast(rate));
            }
            fixed.insert(name, rate);
        }
        Ok(Self { fixed })
    }

    pub(super) fn rules(&self, operator: &str) -> PaceRules {
        let fixed = self.fixed.get(operator).or_else(|| self.fixed.get(OTHERS));
        PaceRules { fixed_per_minute: fixed.copied(), ..PaceRules::default() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_operator_that_is_not_named_has_the_pace_of_the_others() {
        let book = PaceBook::parse(["Google = 30", "*=6"].into_iter()).unwrap();
        assert_eq!(book.rules("google").fixed_per_minute, Some(30));
        assert_eq!(book.rules("acme.example").fixed_per_minute, Some(6));
        assert_eq!(PaceBook::default().rules("google").fixed_per_minute, None);
    }

    #[test]
    fn what_is_no_pace_is_refused() {
        for entry in ["google", "=3", "google=", "google=fast", "google=-1"] {
            assert_eq!(PaceBook::parse([entry].into_iter()), Err(PaceBookError::Form(entry.to_owned())));
        }
        assert_eq!(PaceBook::parse(["a=3001"].into_iter()), Err(PaceBookError::TooFast(3001)));
    }
}
