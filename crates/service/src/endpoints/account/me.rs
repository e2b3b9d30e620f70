//! `GET /v1/me`: the plan, the balance and the bounds of the calling key.

use crate::context::Context;
use crate::endpoint::{Endpoint, Outcome};
use crate::fault::Fault;
use crate::spec::{Group, Scope, Spec, Verb};
use assay_domain::{Credits, NetworkHosts, Plan, Price};
use chrono::{DateTime, Utc};
use garde::Validate;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

#[derive(Debug)]
pub enum Me {}

#[derive(Debug, Deserialize, JsonSchema, Validate)]
#[serde(deny_unknown_fields)]
pub struct MeRequest {}

#[derive(Debug, Serialize, JsonSchema)]
pub struct MeResponse {
    pub account_id: String,
    pub name: String,
    pub plan: &'static str,
    pub trial_ends_at: Option<DateTime<Utc>>,
    pub balance: BalanceView,
    pub limits: LimitsView,
    pub key: KeyView,
}

#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "Balance")]
pub struct BalanceView {
    /// What can be spent now.
    #[schemars(with = "f64")]
    pub available: Credits,
    /// What running calls keep back.
    #[schemars(with = "f64")]
    pub held: Credits,
    pub lots: Vec<LotView>,
}

#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "CreditLot")]
pub struct LotView {
    #[schemars(with = "f64")]
    pub credits: Credits,
    pub expires_at: Option<DateTime<Utc>>,
}

#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "Limits")]
pub struct LimitsView {
    pub requests_per_minute: u32,
}

#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "CallingKey")]
pub struct KeyView {
    pub id: String,
    pub name: String,
    pub scopes: Vec<String>,
    pub expires_at: Option<DateTime<Utc>>,
    #[schemars(with = "Option<f64>")]
    pub monthly_cap: Option<Credits>,
    /// Only counted for keys with a cap.
    #[schemars(with = "Option<f64>")]
    pub spent_this_month: Option<Credits>,
}

impl Endpoint for Me {
    const SPEC: Spec = Spec {
        name: "me",
        verb: Verb::Get,
        path: "/v1/me",
        status: 200,
        group: Group::Account,
        price: Price::Free,
        unit: "call",
        units_max: 0,
        plan: Plan::Trial,
        scope: Scope::Lookup,
        spends_upstream: false,
        summary: "Plan, balance and limits of your account",
        description: "What the account may spend, what running calls hold, and what the calling key may do.",
    };
    type Request = MeRequest;
    type Question = ();
    type Response = MeResponse;

    fn parse(_request: MeRequest, _hosts: &NetworkHosts) -> Result<(), Fault> {
        Ok(())
    }

    fn example() -> (Value, MeResponse) {
        let response = MeResponse {
            account_id: "acc_0197f7a05c3a7d12a4b1c2d3e4f50617".into(),
            name: "Northwind Robotics".into(),
            plan: Plan::Starter.as_str(),
            trial_ends_at: None,
            balance: BalanceView {
                available: Credits::from_thousandths(2_431_500),
                held: Credits::whole(12),
                lots: vec![LotView { credits: Credits::from_thousandths(2_431_500), expires_at: None }],
            },
            limits: LimitsView { requests_per_minute: 300 },
            key: KeyView {
                id: "key_a1B2c3D4e5F6".into(),
                name: "crm sync".into(),
                scopes: vec!["lookup".into(), "history".into()],
                expires_at: None,
                monthly_cap: Some(Credits::whole(500)),
                spent_this_month: Some(Credits::from_thousandths(68_500)),
            },
        };
        (json!({}), response)
    }

    async fn run(context: &Context, (): ()) -> Result<Outcome<MeResponse>, Fault> {
        let overview = context.memory.overview().await?;
        let key = context.memory.key();
        let spent_this_month = match key.monthly_cap {
            Some(_) => Some(context.memory.key_spend().await?),
            None => None,
        };
        let lots = overview
            .lots
            .iter()
            .map(|lot| LotView { credits: Credits::from_thousandths(lot.left), expires_at: lot.expires_at });
        let body = MeResponse {
            account_id: overview.account.to_string(),
            name: overview.name.clone(),
            plan: overview.plan.as_str(),
            trial_ends_at: overview.trial_ends_at,
            balance: BalanceView { available: overview.available, held: overview.held, lots: lots.collect() },
            limits: LimitsView { requests_per_minute: overview.requests_per_minute },
            key: KeyView {
                id: key.id.to_string(),
                name: key.name.clone(),
                scopes: key.scopes.clone(),
                expires_at: key.expires_at,
                monthly_cap: key.monthly_cap,
                spent_this_month,
            },
        };
        Ok(Outcome::nothing(body))
    }
}
