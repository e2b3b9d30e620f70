//! `POST /v1/quiet-power-users`: which of your champions changed jobs or titles, or are suddenly talked about.

use crate::context::Context;
use crate::endpoint::{Endpoint, Outcome};
use crate::fault::Fault;
use crate::spec::{Group, Scope, Spec};
use crate::steps::contacts::{ChangedContact, ContactView, ContactsQuestion, ContactsRequest, changed};
use crate::steps::rows::{Failures, Rows};
use crate::steps::unmasked::UnmaskedMove;
use crate::view::{ChangeView, PersonView, PostView};
use assay_domain::signal::{Content, Move};
use assay_domain::watch::Transition;
use assay_domain::{Credits, NetworkHosts, Price, Signal};
use chrono::{DateTime, Utc};
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::{Value, json};

#[derive(Debug)]
pub enum QuietPowerUsers {}

#[derive(Debug, Serialize, JsonSchema)]
pub struct ChangedChampion {
    /// As it was sent.
    pub contact: ContactView,
    pub person: PersonView,
    #[schemars(extend("enum" = ["job_change", "title_change", "engagement_spike"]))]
    pub change: &'static str,
    pub detail: ChampionDetail,
}

/// What is told of the newest change.
#[derive(Debug, Serialize, JsonSchema)]
pub struct ChampionDetail {
    /// Where they come from, or what they were called before.
    pub from: Option<PostView>,
    pub to: Option<PostView>,
    /// Of a spike: how often they were talked about by the signal that made it one.
    pub count: Option<u32>,
    pub occurred_at: DateTime<Utc>,
}

/// What happened, and what is told of it.
type Told = (Transition, ChampionDetail);

impl ChampionDetail {
    fn of_move(change: Move, occurred_at: DateTime<Utc>) -> Self {
        let ChangeView { from, to, .. } = change.into();
        Self { from, to, count: None, occurred_at }
    }
}

fn told_by(transition: Transition, signal: &Signal) -> Option<Told> {
    let detail = match &signal.content {
        Content::JobChange(change) => ChampionDetail::of_move(change.clone(), signal.occurred_at),
        Content::Engagement(engagement) => {
            let count = Some(engagement.count);
            ChampionDetail { from: None, to: None, count, occurred_at: signal.occurred_at }
        }
        _ => return None,
    };
    Some((transition, detail))
}

impl From<ChangedContact<Told>> for ChangedChampion {
    fn from(changed: ChangedContact<Told>) -> Self {
        let ChangedContact { contact, person, detail: (transition, detail), .. } = changed;
        Self { contact, person: person.into(), change: transition.as_str(), detail }
    }
}

impl Endpoint for QuietPowerUsers {
    const SPEC: Spec = Spec {
        scope: Scope::Signals,
        units_max: 500,
        summary: "Which of your champions changed",
        description: "Up to 500 contacts, by profile or address, against the feed: who of them changed companies or titles within the \
                      window, or is suddenly talked about (30 days with three times the monthly mean of the 90 days before, and five at \
                      least); of several things the newest. Charged for each contact to whom something happened, once. A watch list of \
                      people does the same without being asked.",
        ..Spec::research(
            "quiet-power-users",
            "/v1/quiet-power-users",
            Group::NicheCombos,
            Price::PerUnit(Credits::whole(2)),
            "contact",
        )
    };
    type Request = ContactsRequest;
    type Question = ContactsQuestion;
    type Response = Rows<ChangedChampion>;

    fn parse(request: ContactsRequest, hosts: &NetworkHosts) -> Result<ContactsQuestion, Fault> {
        ContactsQuestion::read(request, hosts)
    }

    fn units_max(question: &ContactsQuestion) -> u32 {
        question.units_max()
    }

    fn example() -> (Value, Rows<ChangedChampion>) {
        let detail = ChampionDetail::of_move(UnmaskedMove::example().change, crate::example::moment());
        let row = ChangedContact::example((Transition::JobChange, detail)).into();
        (json!({ "contacts": [ContactView::example()], "days": 30 }), Rows::of(vec![row]))
    }

    fn not_found() -> Option<Rows<ChangedChampion>> {
        Some(Rows::of(Vec::new()))
    }

    async fn run(
        context: &Context,
        asked: ContactsQuestion,
    ) -> Result<Outcome<Rows<ChangedChampion>>, Fault> {
        let found = changed(context, asked, told_by).await?;
        found.outcome(&Failures::default(), |row| Some(row.person.id), ChangedChampion::from)
    }
}
