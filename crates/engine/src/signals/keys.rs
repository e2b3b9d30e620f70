//! Where two notices of one event meet: under a hash of what it is about and when. Each has the span of time it falls into and the
//! one after it, so that two that are less than a span apart share one.

use super::party::Side;
use crate::likeness::CompanyWords;
use assay_domain::signal::Content;
use assay_domain::{IdentityKey, Notice, PersonName, SignalKind};
use chrono::TimeDelta;

/// How far apart two notices of one event may be.
pub(super) const fn span(kind: SignalKind) -> TimeDelta {
    TimeDelta::days(match kind {
        SignalKind::Hiring => 30,
        // Agreed, and completed when everybody who has a say has said so.
        SignalKind::Acquisition => 400,
        // The first money is paid, and the round told of when it suits.
        SignalKind::Funding => 125,
        SignalKind::JobChange | SignalKind::Engagement => 60,
    })
}

/// An engagement is only ever told by its own source.
pub(super) fn keys_of(notice: &Notice, key: &IdentityKey) -> Vec<i64> {
    let kind = notice.content.kind();
    let abouts = match &notice.content {
        Content::Funding(_) => Side::of(&notice.company).keys(),
        Content::Acquisition(deal) => Side::of(&deal.target).keys(),
        Content::Hiring(posting) => {
            let company = CompanyWords::of(&notice.company.name);
            vec![format!("{}|{}", company.core(), assay_domain::name::fold_text(&posting.title))]
        }
        Content::JobChange(_) => notice.person.iter().flat_map(person_words).collect(),
        Content::Engagement(_) => Vec::new(),
    };
    let seconds = span(kind).num_seconds().max(1);
    let first = notice.occurred_at.timestamp().div_euclid(seconds);
    let mut keys = Vec::with_capacity(abouts.len() * 2);
    for about in &abouts {
        for at in [first, first.saturating_add(1)] {
            let parts: [&[u8]; 4] =
                [b"signal", kind.as_str().as_bytes(), about.as_bytes(), &at.to_le_bytes()];
            keys.push(key.match_key(&parts));
        }
    }
    keys
}

fn person_words(person: &assay_domain::signal::PersonNamed) -> Vec<String> {
    let by_url = person.network_url.iter().map(|url| ["u:", url.as_str()].concat());
    let by_name = PersonName::parse(&person.full_name).ok().map(|name| ["n:", &name.fold()].concat());
    by_url.chain(by_name).collect()
}
