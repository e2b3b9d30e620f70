//! A record of a batch on its way to be settled: what it says, and what it is looked for under.

use super::employers::Employers;
use super::people::id_on;
use super::reading::PersonReading;
use super::somebody::{Link, Said, add_workplaces, source_number};
use crate::matching::{MatchKey, Profile, asked_at_companies, asked_names, stored_keys};
use assay_domain::{Digest, IdentityKey, PersonId};
use assay_store::graph::{HeldRecord, Source};

/// A record is looked for under its most telling keys; somebody who asks for one person may ask under more.
const COMPANY_KEYS_MAX: usize = 10;
const NAME_KEYS_MAX: usize = 2;

pub(super) struct Incoming {
    pub(super) said: Said,
    pub(super) profile: Profile,
    pub(super) digests: Vec<Digest>,
    /// Under which others may be stored whom it may be about, and under which it is met itself.
    pub(super) asked: Vec<i64>,
    /// The same by the name alone.
    pub(super) asked_names: Vec<i64>,
    pub(super) stored: Vec<i64>,
    /// Whom it makes if nobody is known.
    pub(super) own_id: PersonId,
    /// As the source said it before.
    pub(super) held: Option<HeldRecord>,
}

impl Incoming {
    pub(super) fn new(
        (identity, source): (&IdentityKey, &Source),
        employers: &Employers,
        reading: PersonReading,
        held: Option<HeldRecord>,
    ) -> Self {
        let PersonReading {
            record,
            content,
            digests,
            mut profile,
            workplaces,
            employers: asked,
            id_seed,
            ..
        } = reading;
        let first_seen = held.as_ref().map_or(record.observed_on, |held| held.first_seen);
        let mut said = Said::new(source, record, first_seen, Link::default());
        said.is_held = held.is_some();
        said.content = Some(content);
        said.testimony.companies = asked.iter().map(|key| employers.of_key(key)).collect();
        add_workplaces(&mut profile, workplaces, &said.testimony.companies);
        profile.sources.push(source_number(&said.key));
        let bare = |keys: Vec<MatchKey>| keys.into_iter().map(|MatchKey(key)| key).collect();
        let [one, other] = id_seed;
        Self {
            digests,
            asked: bare(asked_at_companies(&profile, identity, COMPANY_KEYS_MAX)),
            asked_names: bare(asked_names(&profile, identity, NAME_KEYS_MAX)),
            stored: bare(stored_keys(&profile, identity)),
            own_id: PersonId::from_uuid(id_on(said.testimony.first_seen, one, other)),
            said,
            profile,
            held,
        }
    }
}
