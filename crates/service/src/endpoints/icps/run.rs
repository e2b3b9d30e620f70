//! `POST /v1/saved-icps/{id}/run`: runs a saved search again, and tells what is new.

use super::fields;
use super::view::EXAMPLE_ID;
use crate::account_icps::{IcpRow, shown_by};
use crate::context::Context;
use crate::endpoint::{Endpoint, Outcome, Step, Trace};
use crate::example;
use crate::fault::Fault;
use crate::search::page::Searched;
use crate::search::{Conditions, PageWish, TotalRelation, TruncatedBy, find};
use crate::spec::{Group, Spec, Verb};
use crate::view::{CompanyView, PersonView, Row, ToldPerson, tell_people};
use assay_domain::limits::{
    CURSOR_CHARS_MAX, ICP_PAGES_LOOKED_THROUGH_MAX, PAGE_ROWS_DEFAULT, PAGE_ROWS_MAX,
};
use assay_domain::watch::WatchKind;
use assay_domain::{Company, Credits, IcpId, NetworkHosts, PersonId, Price};
use garde::Validate;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use uuid::Uuid;

#[derive(Debug)]
pub enum SavedIcpsRun {}

#[derive(Debug, Deserialize, JsonSchema, Validate)]
#[serde(deny_unknown_fields)]
#[garde(allow_unvalidated)]
pub struct SavedIcpsRunRequest {
    /// Its id, `icp_…`.
    id: String,
    /// Only those that no run of it has shown before.
    only_new: Option<bool>,
    #[garde(range(min = 1, max = PAGE_ROWS_MAX))]
    #[schemars(range(min = 1, max = PAGE_ROWS_MAX))]
    limit: Option<u32>,
    /// `next_cursor` of the page before.
    #[garde(length(chars, max = CURSOR_CHARS_MAX))]
    cursor: Option<String>,
}

#[derive(Debug)]
pub struct SavedIcpsRunQuestion {
    id: IcpId,
    only_new: bool,
    limit: u32,
    cursor: Option<String>,
}

/// A person or a company, as the ICP is of the one or the other.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(untagged)]
pub enum IcpResult {
    #[schemars(with = "PersonView")]
    Person(ToldPerson),
    Company(Box<CompanyView>),
}

impl Row for IcpResult {
    fn person(&mut self) -> Option<&mut ToldPerson> {
        match self {
            Self::Person(person) => Some(person),
            Self::Company(_) => None,
        }
    }
}

#[derive(Debug, Serialize, JsonSchema)]
pub struct SavedIcpsRunResponse {
    pub results: Vec<IcpResult>,
    /// How many meet the filters, shown before or not, as of the first page.
    pub total: u64,
    pub total_relation: TotalRelation,
    /// Results that no earlier run of it has shown.
    pub new_since_last_run: u32,
    /// `credits` when the page would have been longer if there were more of them.
    pub truncated_by: Option<TruncatedBy>,
    pub next_cursor: Option<String>,
}

/// A record as it is shown, and who it is.
pub(super) trait Shown: Searched {
    fn uuid(&self) -> Uuid;
    fn person(&self) -> Option<PersonId>;
    fn show(self) -> IcpResult;
}

impl Shown for ToldPerson {
    fn uuid(&self) -> Uuid {
        self.id.uuid()
    }

    fn person(&self) -> Option<PersonId> {
        Some(self.id)
    }

    fn show(self) -> IcpResult {
        IcpResult::Person(self)
    }
}

impl Shown for Company {
    fn uuid(&self) -> Uuid {
        self.id.uuid()
    }

    fn person(&self) -> Option<PersonId> {
        None
    }

    fn show(self) -> IcpResult {
        IcpResult::Company(Box::new(self.into()))
    }
}

impl Endpoint for SavedIcpsRun {
    const SPEC: Spec = Spec {
        group: Group::ListRuns,
        price: Price::BasePlus { base: Credits::whole(1), unit: Credits::from_thousandths(500) },
        unit: "result",
        units_max: PAGE_ROWS_MAX,
        summary: "Run a saved search",
        description: "The page that the saved filters find now, and how many of it no run has shown before; with `only_new` none but \
                      those, for which up to 20 pages are looked through. The base price is charged for every run, whatever it finds.",
        ..Spec::keeping("saved-icps-run", Verb::Post, "/v1/saved-icps/{id}/run")
    };
    type Request = SavedIcpsRunRequest;
    type Question = SavedIcpsRunQuestion;
    type Response = SavedIcpsRunResponse;

    fn parse(request: SavedIcpsRunRequest, _: &NetworkHosts) -> Result<SavedIcpsRunQuestion, Fault> {
        Ok(SavedIcpsRunQuestion {
            id: fields::icp_id(&request.id),
            only_new: request.only_new.unwrap_or(false),
            limit: request.limit.unwrap_or(PAGE_ROWS_DEFAULT),
            cursor: request.cursor,
        })
    }

    fn units_max(question: &SavedIcpsRunQuestion) -> u32 {
        question.limit
    }

    fn example() -> (Value, SavedIcpsRunResponse) {
        let results = vec![IcpResult::Company(Box::new(example::company().into()))];
        (json!({ "id": EXAMPLE_ID, "only_new": true }), response(results))
    }

    fn not_found() -> Option<SavedIcpsRunResponse> {
        Some(response(Vec::new()))
    }

    async fn run(
        context: &Context,
        asked: SavedIcpsRunQuestion,
    ) -> Result<Outcome<SavedIcpsRunResponse>, Fault> {
        let icp = context.memory.icps().find(asked.id).await?;
        let search = fields::search(context, &icp, (asked.cursor, asked.limit))?;
        match icp.target {
            WatchKind::People => run_again::<ToldPerson>(context, &icp, search, asked.only_new).await,
            WatchKind::Companies => run_again::<Company>(context, &icp, search, asked.only_new).await,
        }
    }

    async fn finish(context: &Context, answer: &mut SavedIcpsRunResponse) -> Result<u32, Fault> {
        Ok(tell_people(&context.engine, &mut answer.results).await?)
    }
}

fn response(results: Vec<IcpResult>) -> SavedIcpsRunResponse {
    let count = u32::try_from(results.len()).unwrap_or(u32::MAX);
    SavedIcpsRunResponse {
        results,
        total: count.into(),
        total_relation: TotalRelation::Eq,
        new_since_last_run: count,
        truncated_by: None,
        next_cursor: None,
    }
}

async fn run_again<R: Shown>(
    context: &Context,
    icp: &IcpRow,
    (conditions, wish): (Conditions, PageWish),
    only_new: bool,
) -> Result<Outcome<SavedIcpsRunResponse>, Fault> {
    let most = wish.limit().min(context.units_affordable);
    let (mut rows, mut steps, mut is_new): (Vec<R>, Vec<Step>, u32) = (Vec::new(), Vec::new(), 0);
    let mut page = find::<R>(context, conditions.clone(), &wish).await?;
    let (total, total_relation) = (page.total, page.total_relation);
    let mut pages = 1;
    loop {
        let ids: Vec<Uuid> = page.rows.iter().map(Shown::uuid).collect();
        let seen = context.memory.icps().seen(icp.id, &ids).await?;
        page.rows.retain(|row| !only_new || !seen.contains(&row.uuid()));
        let fresh = page.rows.iter().filter(|row| !seen.contains(&row.uuid())).count();
        is_new = is_new.saturating_add(u32::try_from(fresh).unwrap_or(u32::MAX));
        rows.append(&mut page.rows);
        steps.append(&mut page.steps);
        let left = most.saturating_sub(u32::try_from(rows.len()).unwrap_or(u32::MAX));
        if !only_new || left == 0 || page.next_cursor.is_none() || pages == ICP_PAGES_LOOKED_THROUGH_MAX {
            break;
        }
        pages += 1;
        page =
            find::<R>(context, conditions.clone(), &wish.go_on(page.next_cursor.as_deref(), left)?).await?;
    }
    let units = u32::try_from(rows.len()).unwrap_or(u32::MAX);
    let is_short = page.next_cursor.is_some() && wish.limit() > most && units >= most;
    let shown: Vec<Uuid> = rows.iter().map(Shown::uuid).collect();
    let trace = Trace { steps, people: rows.iter().filter_map(Shown::person).collect(), ..Trace::default() };
    let body = SavedIcpsRunResponse {
        results: rows.into_iter().map(Shown::show).collect(),
        total,
        total_relation,
        new_since_last_run: is_new,
        truncated_by: is_short.then_some(TruncatedBy::Credits),
        next_cursor: page.next_cursor,
    };
    let deed = Some(shown_by(context, icp.id, shown));
    Ok(Outcome { deed, ..Outcome::found(body, units, trace) })
}
