//! `POST /v1/silent-promoter-radar`: which of your contacts were promoted in the last 90 days.

use crate::context::Context;
use crate::endpoint::{Endpoint, Outcome};
use crate::fault::Fault;
use crate::spec::{Group, Scope, Spec};
use crate::steps::contacts::{ChangedContact, ContactGiven, ContactView, ContactsQuestion, changed};
use crate::steps::rows::{Failures, Rows};
use crate::steps::unmasked::UnmaskedMove;
use crate::steps::window::Window;
use crate::view::PersonView;
use assay_domain::limits::CONTACTS_MAX;
use assay_domain::signal::{Content, Move, MoveKind};
use assay_domain::{Credits, NetworkHosts, Price, Signal};
use chrono::NaiveDate;
use garde::Validate;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

/// So long a promotion is news.
const DAYS: u32 = 90;

#[derive(Debug)]
pub enum SilentPromoterRadar {}

#[derive(Debug, Deserialize, JsonSchema, Validate)]
#[serde(deny_unknown_fields)]
pub struct SilentPromoterRadarRequest {
    /// Each with `networkUrl` or `email`; the same one twice is one.
    #[garde(length(min = 1, max = CONTACTS_MAX), dive)]
    #[schemars(length(min = 1, max = CONTACTS_MAX))]
    contacts: Vec<ContactGiven>,
}

#[derive(Debug, Serialize, JsonSchema)]
pub struct PromotedContact {
    /// As it was sent.
    pub contact: ContactView,
    pub person: PersonView,
    pub promotion: PromotionView,
}

#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "Promotion")]
pub struct PromotionView {
    /// The title before; null where nobody tells.
    pub from: Option<String>,
    pub to: String,
    pub on: NaiveDate,
}

impl PromotionView {
    fn of(change: &Move, on: NaiveDate) -> Option<Self> {
        let to = change.to.as_ref()?;
        let from = change.from.as_ref().map(|post| post.title.clone());
        Some(Self { from, to: to.title.clone(), on: to.on.unwrap_or(on) })
    }

    fn told_by(signal: &Signal) -> Option<Self> {
        match &signal.content {
            Content::JobChange(change) if change.kind == MoveKind::Promotion => {
                Self::of(change, signal.occurred_at.date_naive())
            }
            _ => None,
        }
    }
}

impl From<ChangedContact<PromotionView>> for PromotedContact {
    fn from(changed: ChangedContact<PromotionView>) -> Self {
        let ChangedContact { contact, person, detail: promotion, .. } = changed;
        Self { contact, person: person.into(), promotion }
    }
}

impl Endpoint for SilentPromoterRadar {
    const SPEC: Spec = Spec {
        scope: Scope::Signals,
        units_max: 500,
        summary: "Which of your contacts were promoted",
        description: "Up to 500 contacts, by profile or address, against the feed: who of them was promoted in the last 90 days, from which \
                      title to which. Charged for each contact that was, once.",
        ..Spec::research(
            "silent-promoter-radar",
            "/v1/silent-promoter-radar",
            Group::NicheCombos,
            Price::PerUnit(Credits::whole(2)),
            "contact",
        )
    };
    type Request = SilentPromoterRadarRequest;
    type Question = ContactsQuestion;
    type Response = Rows<PromotedContact>;

    fn parse(request: SilentPromoterRadarRequest, hosts: &NetworkHosts) -> Result<ContactsQuestion, Fault> {
        ContactsQuestion::within(request.contacts, Window::Days(DAYS), hosts)
    }

    fn units_max(question: &ContactsQuestion) -> u32 {
        question.units_max()
    }

    fn example() -> (Value, Rows<PromotedContact>) {
        let today = crate::example::moment().date_naive();
        let rows = PromotionView::of(&UnmaskedMove::example().change, today)
            .map(|told| ChangedContact::example(told).into());
        (json!({ "contacts": [ContactView::example()] }), Rows::of(rows.into_iter().collect()))
    }

    fn not_found() -> Option<Rows<PromotedContact>> {
        Some(Rows::of(Vec::new()))
    }

    async fn run(
        context: &Context,
        asked: ContactsQuestion,
    ) -> Result<Outcome<Rows<PromotedContact>>, Fault> {
        let found = changed(context, asked, |_, signal| PromotionView::told_by(signal)).await?;
        found.outcome(&Failures::default(), |row| Some(row.person.id), PromotedContact::from)
    }
}
