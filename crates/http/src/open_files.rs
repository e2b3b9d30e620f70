//! How many files this process may have open, and so how many connections it may take.

use assay_domain::limits::OPEN_FILES_KEPT;
use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};

/// Raises the limit to what the system allows, and says how many of `wanted` connections then fit.
pub fn connections_that_fit(wanted: usize) -> usize {
    let Rlimit { current, maximum } = getrlimit(Resource::Nofile);
    let raised = setrlimit(Resource::Nofile, Rlimit { current: maximum, maximum });
    let files = if raised.is_ok() { maximum } else { current };
    // No limit at all is written as none.
    let Some(files) = files else { return wanted };
    let fit = usize::try_from(files).unwrap_or(usize::MAX).saturating_sub(OPEN_FILES_KEPT).max(1);
    if fit < wanted {
        tracing::warn!(files, wanted, fit, "the limit of open files leaves room for fewer connections");
    }
    wanted.min(fit)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_soft_limit_is_raised_and_bounds_the_connections() {
        assert_eq!(connections_that_fit(10), 10);
        let Rlimit { current, maximum } = getrlimit(Resource::Nofile);
        assert_eq!(current, maximum);
        if let Some(files) = current {
            assert!(connections_that_fit(usize::MAX) <= usize::try_from(files).unwrap() - OPEN_FILES_KEPT);
        }
    }
}
