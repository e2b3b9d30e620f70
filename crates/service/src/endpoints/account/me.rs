//! `GET /v1/me`: the plan, the balance and the bounds of the calling key.

use crate::context::Context;
use crate::endpoint::{Endpoint, Outcome};
use crate::fault::{Code, Fault};
use crate::reply::RateState;
use crate::spec::{Group, Scope, Spec, Verb};
use assay_domain::rate::Allowance;
use assay_domain::{Credits, NetworkHosts, Plan};
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
    #[schemars(extend("enum" = Plan::ALL.map(Plan::as_str)))]
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
    /// Below this, the credits count as low.
    #[schemars(with = "f64")]
    pub low_mark: Credits,
    /// Since when they are low; null while they are not.
    pub low_since: Option<DateTime<Utc>>,
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
    /// What the plan allows all keys of the account together in any 60 seconds.
    pub requests_per_minute: u32,
    /// Requests of the last 60 seconds, this one included.
    pub requests_used: u32,
    pub requests_left: u32,
    /// Seconds until all requests are free again if none is sent; when none is left, until one is.
    pub reset_seconds: u32,
    /// The calling key's own rate, if it has one.
    pub key: Option<RateView>,
}

#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "RequestRate")]
pub struct RateView {
    pub requests_per_minute: u32,
    pub requests_used: u32,
    pub requests_left: u32,
    pub reset_seconds: u32,
}

impl RateView {
    fn of(rate: Allowance) -> Self {
        Self {
            requests_per_minute: rate.per_minute,
            requests_used: rate.per_minute.saturating_sub(rate.remaining),
            requests_left: rate.remaining,
            reset_seconds: rate.reset_seconds,
        }
    }
}

impl LimitsView {
    fn of(rate: &RateState) -> Self {
        let RateView { requests_per_minute, requests_used, requests_left, reset_seconds } =
            RateView::of(rate.account);
        let key = rate.key.map(RateView::of);
        Self { requests_per_minute, requests_used, requests_left, reset_seconds, key }
    }
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
        summary: "Plan, balance and limits of your account",
        description: "What the account may spend, what running calls hold, and what the calling key may do.",
        ..Spec::free("me", Verb::Get, "/v1/me", Group::Account, Scope::Lookup)
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
                low_mark: Credits::whole(250),
                low_since: None,
                lots: vec![LotView { credits: Credits::from_thousandths(2_431_500), expires_at: None }],
            },
            limits: LimitsView {
                requests_per_minute: 300,
                requests_used: 42,
                requests_left: 258,
                reset_seconds: 57,
                key: None,
            },
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
        let rate = context.rate.ok_or_else(|| Fault::new(Code::Internal, "the request rate is not known"))?;
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
            balance: BalanceView {
                available: overview.available,
                held: overview.held,
                low_mark: overview.low_mark,
                low_since: overview.low_since,
                lots: lots.collect(),
            },
            limits: LimitsView::of(&rate),
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
