//! Whether two people have a company in common.

use super::profile::{Mail, Profile, Workplace};
use super::reason::{Reason, Reasons};
use super::weights::{self, Weight};
use crate::likeness::{CompanyLikeness, compare_companies};

/// The weight of the best pair of companies, one of each side.
pub(super) fn weigh(one: &Profile, other: &Profile, reasons: &mut Reasons) -> Weight {
    let pairs = one.workplaces.iter().flat_map(|one| other.workplaces.iter().map(move |other| (one, other)));
    let (mut best, mut reason) = (0, None);
    for (one, other) in pairs {
        let (weight, why) = weigh_pair(one, other);
        let is_former = !(one.is_current && other.is_current);
        let weight = if weight > 0 && is_former { weight + weights::FORMER_EMPLOYER } else { weight };
        let why = Some(if is_former { Reason::FormerEmployer } else { why });
        // Of equal ones always the same, whichever side comes first.
        if weight > 0 && (weight, why) > (best, reason) {
            (best, reason) = (weight, why);
        }
    }
    if best < weights::SAME_EMPLOYER + weights::FORMER_EMPLOYER && share_mail_domain(one, other) {
        best = weights::SAME_EMPLOYER + weights::FORMER_EMPLOYER;
        reason = Some(Reason::SameEmployer);
    }
    if let Some(reason) = reason {
        reasons.add(reason);
        return best;
    }
    // Whose present company is not known may work where the other does.
    if !one.has_present_workplace() || !other.has_present_workplace() {
        return 0;
    }
    reasons.add(Reason::OtherEmployer);
    let fewer = one.workplaces.len().min(other.workplaces.len());
    weights::OTHER_EMPLOYER
        + weights::OTHER_CAREER * Weight::try_from(fewer.saturating_sub(1)).unwrap_or(0).min(3)
}

fn weigh_pair(one: &Workplace, other: &Workplace) -> (Weight, Reason) {
    let same = (weights::SAME_EMPLOYER, Reason::SameEmployer);
    let is_one = one.company.is_some() && one.company == other.company;
    if is_one || (one.domain.is_some() && one.domain == other.domain) {
        return same;
    }
    let may_be =
        |vague: &Workplace, known: &Workplace| known.company.is_some_and(|id| vague.possible.contains(&id));
    if may_be(one, other) || may_be(other, one) || one.possible.iter().any(|id| other.possible.contains(id)) {
        return (weights::POSSIBLE_EMPLOYER, Reason::LikeEmployer);
    }
    let (Some(ones), Some(others)) = (&one.words, &other.words) else { return (0, Reason::LikeEmployer) };
    let likeness = compare_companies(ones, others);
    // Two companies that are known apart are two, however alike their names: only one name twice is worth a doubt.
    let apart = one.company.is_some() && other.company.is_some();
    if apart && likeness < CompanyLikeness::Core {
        return (0, Reason::LikeEmployer);
    }
    let weight = weights::employer_name(likeness);
    (if apart { weight / 2 } else { weight }, Reason::LikeEmployer)
}

/// Addresses at one company, or an address at the company of the other.
fn share_mail_domain(one: &Profile, other: &Profile) -> bool {
    let hosts = |profile: &'_ Profile, domain: &str| {
        profile.emails.iter().any(|mail| mail.is_work && mail.domain == domain)
            || profile.workplaces.iter().any(|workplace| workplace.domain.as_deref() == Some(domain))
    };
    let at_work = |mail: &&Mail| mail.is_work;
    one.emails.iter().filter(at_work).any(|mail| hosts(other, &mail.domain))
        || other.emails.iter().filter(at_work).any(|mail| hosts(one, &mail.domain))
}
