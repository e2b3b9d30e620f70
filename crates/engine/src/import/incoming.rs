//! A record of a batch on its way to be settled: what it says, and what it is looked for under.

use super::employers::Employers;
use super::record::PersonRecord;
use super::somebody::{Link, Said, profile_of};
use crate::identities;
use crate::matching::{MatchKey, Profile, asked_keys};
use assay_domain::{Digest, IdentityKey};
use assay_store::graph::{HeldRecord, Source};

/// A record is looked for under its most telling keys; somebody who asks for one person may ask under more.
const KEYS_ASKED_MAX: usize = 12;

pub(super) struct Incoming {
    pub(super) said: Said,
    pub(super) profile: Profile,
    pub(super) digests: Vec<Digest>,
    pub(super) keys: Vec<i64>,
    /// As the source said it before.
    pub(super) held: Option<HeldRecord>,
}

impl Incoming {
    pub(super) fn new(
        (identity, source): (&IdentityKey, &Source),
        employers: &Employers,
        record: PersonRecord,
        held: Option<HeldRecord>,
    ) -> Self {
        let first_seen = held.as_ref().map_or(record.observed_on, |held| held.first_seen);
        let mut said = Said::new(source, record, first_seen, Link::default());
        said.is_held = held.is_some();
        said.testimony.companies = said.testimony.record.jobs.iter().map(|job| employers.of(job)).collect();
        let profile = profile_of(&said.testimony);
        let digests = identities::of_person(identity, &said.testimony.record.facts, None);
        let mut keys: Vec<i64> =
            asked_keys(&profile, identity).into_iter().map(|MatchKey(key)| key).collect();
        keys.truncate(KEYS_ASKED_MAX);
        Self { digests: digests.into_iter().map(|(digest, _)| digest).collect(), keys, said, profile, held }
    }
}
