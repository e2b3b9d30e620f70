//! `POST /v1/congrats-trigger`: who changed jobs lately and told of it, with what they wrote.

use super::moves::{MovesQuestion, MovesRequest};
use crate::context::Context;
use crate::endpoint::{Endpoint, Outcome};
use crate::fault::Fault;
use crate::spec::{Group, Scope, Spec};
use crate::steps::recent::{Row, walk};
use crate::steps::rows::{Failures, Rows};
use crate::steps::unmasked::{MoveSieve, UnmaskedMove};
use crate::view::PartyView;
use assay_domain::signal::Move;
use assay_domain::{Credits, NetworkHosts, NetworkUrl, Person, PersonId, Price, Signal};
use assay_engine::signals::{Part, personalization_seed};
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::{Value, json};
use uuid::Uuid;

#[derive(Debug)]
pub enum CongratsTrigger {}

#[derive(Debug, Serialize, JsonSchema)]
pub struct Announcement {
    pub person_unmasked: PersonUnmasked,
    /// The title of the new job.
    pub new_role: String,
    /// Null where it is not told.
    pub announcement_post_url: Option<String>,
    /// What they wrote.
    pub announcement_text: String,
    /// What is known of the change, in one sentence.
    pub personalization_seed: String,
}

#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct PersonUnmasked {
    /// `per_…`
    pub id: String,
    pub full_name: String,
    pub network_url: String,
    /// Where they are now.
    pub company: PartyView,
}

/// A row, and whom it names.
#[derive(Debug)]
pub struct Announced {
    person: PersonId,
    announcement: Announcement,
}

impl Row for Announced {
    type Sieve = MoveSieve;

    async fn complete(context: &Context, sieve: &MoveSieve, signal: Signal) -> Result<Option<Self>, Fault> {
        let unmasked = UnmaskedMove::complete(context, sieve, signal).await?;
        Ok(unmasked.and_then(|UnmaskedMove { signal, change, person }| {
            let url = signal.person.and_then(|named| named.network_url);
            Some(Self { person: person.id, announcement: announcement(person, url, change)? })
        }))
    }

    fn unit(&self) -> Uuid {
        self.person.uuid()
    }
}

/// The row with all that is promised; none where something of it is missing.
fn announcement(person: Person, url: Option<NetworkUrl>, change: Move) -> Option<Announcement> {
    let name = person.facts.first_name.as_ref().unwrap_or(&person.facts.full_name);
    let personalization_seed = personalization_seed(name, &change)?;
    let (to, url) = (change.to?, person.facts.network_url.or(url)?);
    Some(Announcement {
        person_unmasked: PersonUnmasked {
            id: person.id.to_string(),
            full_name: person.facts.full_name,
            network_url: url.to_string(),
            company: to.company.into(),
        },
        new_role: to.title,
        announcement_post_url: change.announcement_post_url,
        announcement_text: change.announcement_text?,
        personalization_seed,
    })
}

impl Endpoint for CongratsTrigger {
    const SPEC: Spec = Spec {
        scope: Scope::Signals,
        summary: "Who told of a new job, and in which words",
        description: "People who changed jobs and announced it, by name, with the text of their announcement and a sentence of what is \
                      known of the change to begin a letter with; the newest first. Who is not known, or wrote nothing, is \
                      neither told nor charged. Charged for each person.",
        ..Spec::research(
            "congrats-trigger",
            "/v1/congrats-trigger",
            Group::Combos,
            Price::PerUnit(Credits::whole(2)),
            "unmasked person",
        )
    };
    type Request = MovesRequest;
    type Question = MovesQuestion;
    type Response = Rows<Announcement>;

    fn parse(request: MovesRequest, _hosts: &NetworkHosts) -> Result<MovesQuestion, Fault> {
        MovesQuestion::read(Self::SPEC.name, Part::Announcement, request)
    }

    fn units_max(question: &MovesQuestion) -> u32 {
        question.wish.limit()
    }

    fn example() -> (Value, Rows<Announcement>) {
        let UnmaskedMove { change, person, .. } = UnmaskedMove::example();
        let results = announcement(person, None, change).into_iter().collect();
        (json!({ "limit": 10 }), Rows::of(results))
    }

    fn not_found() -> Option<Rows<Announcement>> {
        Some(Rows::of(Vec::new()))
    }

    async fn run(context: &Context, asked: MovesQuestion) -> Result<Outcome<Rows<Announcement>>, Fault> {
        let filter = asked.filter(context);
        let found = walk::<Announced>(context, &asked.wish, &filter, &asked.sieve).await?;
        found.outcome(&Failures::default(), |row| Some(row.person), |row| row.announcement)
    }
}
