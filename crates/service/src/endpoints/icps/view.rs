//! A saved ICP as answers show it.

use crate::account_icps::IcpRow;
use crate::endpoints::lists::ScheduleView;
use crate::example;
use assay_domain::watch::WatchKind;
use chrono::{DateTime, Utc};
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::{Map, Value, json};

pub const EXAMPLE_ID: &str = "icp_0197f7a05c3a7d12a4b1c2d3e4f50b01";
pub const EXAMPLE_RUN: &str = "req_0197f7a05c3a7d12a4b1c2d3e4f50b02";

#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "SavedIcp")]
pub struct IcpView {
    /// `icp_…`
    pub id: String,
    pub name: String,
    #[schemars(extend("enum" = ["people", "companies"]))]
    pub target: &'static str,
    /// As they were saved.
    pub filters: Map<String, Value>,
    pub created_at: DateTime<Utc>,
    pub last_run_at: Option<DateTime<Utc>>,
    /// Of the last run; null before the first.
    pub last_result_count: Option<u32>,
    pub schedule: Option<ScheduleView>,
}

impl IcpView {
    pub fn of(row: IcpRow) -> Self {
        Self {
            id: row.id.to_string(),
            name: row.name,
            target: row.target.as_str(),
            filters: row.filters,
            created_at: row.created_at,
            last_run_at: row.last_run_at,
            last_result_count: row.last_result_count,
            schedule: row
                .schedule
                .map(|schedule| ScheduleView::of(schedule.every, Some(schedule.next_run_at))),
        }
    }

    pub fn example() -> Self {
        Self {
            id: EXAMPLE_ID.to_owned(),
            name: "automation, mid-size".to_owned(),
            target: WatchKind::Companies.as_str(),
            filters: example_filters(),
            created_at: example::moment(),
            last_run_at: None,
            last_result_count: None,
            schedule: None,
        }
    }
}

/// One of them, as a whole answer.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "SavedIcpAnswer")]
pub struct IcpAnswer {
    #[serde(flatten)]
    pub icp: IcpView,
}

impl IcpAnswer {
    pub fn of(row: IcpRow) -> Self {
        Self { icp: IcpView::of(row) }
    }

    pub fn example() -> Self {
        Self { icp: IcpView::example() }
    }
}

pub fn example_filters() -> Map<String, Value> {
    let filters = json!({ "industry": "Industrial Automation", "employee_count": { "min": 50, "max": 500 } });
    filters.as_object().cloned().unwrap_or_default()
}
