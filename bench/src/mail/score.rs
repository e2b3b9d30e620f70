//! How a verifier did: what it said of every address against what is true of it.

use assay_testkit::mail::Truth;

pub fn is_right(truth: &Truth, said: &str) -> bool {
    truth.expected.contains(&said)
}

/// Whoever believes it is harmed.
pub fn is_harmful(truth: &Truth, said: &str) -> bool {
    truth.never.contains(&said)
}

/// What came of all domains.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
pub struct Score {
    pub domains: usize,
    /// Domains of which every address is right.
    pub right: usize,
    /// Addresses called invalid which must not be.
    pub false_invalid: usize,
    /// Addresses of which any other harmful word was said.
    pub false_valid: usize,
}

impl Score {
    /// Adds a domain by its addresses and what was said of each.
    pub fn add<'case>(&mut self, said: impl Iterator<Item = (&'case Truth, &'case str)>) {
        let mut all_right = true;
        for (truth, said) in said {
            all_right &= is_right(truth, said);
            if is_harmful(truth, said) {
                let count = if said == "invalid" { &mut self.false_invalid } else { &mut self.false_valid };
                *count += 1;
            }
        }
        self.domains += 1;
        self.right += usize::from(all_right);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_domain_is_right_when_all_its_addresses_are_and_harm_is_counted_by_kind() {
        let truth = |expected, never| Truth { address: "anna@acme.test".to_owned(), expected, never };
        let exists = truth(&["valid"], &["invalid"]);
        let missing = truth(&["invalid"], &["valid"]);
        let mut score = Score::default();
        score.add([(&exists, "valid"), (&missing, "invalid")].into_iter());
        score.add([(&exists, "valid"), (&missing, "unknown")].into_iter());
        score.add([(&exists, "invalid"), (&missing, "valid")].into_iter());
        assert_eq!(score, Score { domains: 3, right: 1, false_invalid: 1, false_valid: 1 });
    }
}
