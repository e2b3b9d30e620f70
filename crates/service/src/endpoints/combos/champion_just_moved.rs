//! `POST /v1/champion-just-moved`: which of your contacts changed companies.

use super::job_change_radar::{JobLeft, JobTaken};
use crate::context::Context;
use crate::endpoint::{Endpoint, Outcome};
use crate::fault::Fault;
use crate::spec::{Group, Scope, Spec};
use crate::steps::contacts::{ChangedContact, ContactView, ContactsQuestion, ContactsRequest, changed};
use crate::steps::rows::{Failures, Rows};
use crate::steps::unmasked::UnmaskedMove;
use crate::view::{ChangeView, PersonView};
use assay_domain::limits::CONTACTS_MAX;
use assay_domain::signal::{Content, Move};
use assay_domain::watch::Transition;
use assay_domain::{Credits, Email, NetworkHosts, Price};
use chrono::{DateTime, Utc};
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::{Value, json};

#[derive(Debug)]
pub enum ChampionJustMoved {}

#[derive(Debug, Serialize, JsonSchema)]
pub struct MovedChampion {
    /// As it was sent.
    pub contact: ContactView,
    pub person: PersonView,
    pub from: Option<JobLeft>,
    /// Null where nothing is told of a new place.
    pub to: Option<JobTaken>,
    pub detected_at: DateTime<Utc>,
    /// Their address at the new company, where it is known.
    pub new_email: Option<String>,
}

impl From<ChangedContact<Move>> for MovedChampion {
    fn from(changed: ChangedContact<Move>) -> Self {
        let ChangedContact { contact, person, detail: change, detected_at } = changed;
        let domain = change.to.as_ref().and_then(|post| post.company.domain.clone());
        let emails = person.facts.emails.iter().map(|known| &known.address);
        let is_there = |email: &&Email| domain.as_ref().is_some_and(|domain| email.domain() == *domain);
        let new_email = emails.filter(is_there).map(ToString::to_string).next();
        let ChangeView { from, to, .. } = change.into();
        let (from, to) = (from.map(JobLeft::from), to.map(JobTaken::from));
        Self { contact, person: person.into(), from, to, detected_at, new_email }
    }
}

impl Endpoint for ChampionJustMoved {
    const SPEC: Spec = Spec {
        scope: Scope::Signals,
        units_max: 500,
        summary: "Which of your contacts changed companies",
        description: "Up to 500 contacts, by profile or address, against the job changes of the feed: who of them left or went to another \
                      company within the window, from where to where, and their new address where it is known. Charged for each \
                      contact that moved, once, however often they did.",
        ..Spec::research(
            "champion-just-moved",
            "/v1/champion-just-moved",
            Group::Combos,
            Price::PerUnit(Credits::whole(2)),
            "contact",
        )
    };
    type Request = ContactsRequest;
    type Question = ContactsQuestion;
    type Response = Rows<MovedChampion>;

    fn parse(request: ContactsRequest, hosts: &NetworkHosts) -> Result<ContactsQuestion, Fault> {
        ContactsQuestion::read(request, hosts)
    }

    fn units_max(question: &ContactsQuestion) -> u32 {
        question.units_max()
    }

    fn example() -> (Value, Rows<MovedChampion>) {
        let request = json!({ "contacts": [ContactView::example()], "days": 30 });
        (request, Rows::of(vec![ChangedContact::example(UnmaskedMove::example().change).into()]))
    }

    fn not_found() -> Option<Rows<MovedChampion>> {
        Some(Rows::of(Vec::new()))
    }

    async fn run(context: &Context, asked: ContactsQuestion) -> Result<Outcome<Rows<MovedChampion>>, Fault> {
        let found = changed(context, asked, |transition, signal| match &signal.content {
            Content::JobChange(change) if transition == Transition::JobChange => Some(change.clone()),
            _ => None,
        });
        let found = found.await?;
        found.outcome(&Failures::default(), |row| Some(row.person.id), MovedChampion::from)
    }
}

const _: () = assert!(CONTACTS_MAX == 500, "the most units are told above");
