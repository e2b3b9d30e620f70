//! Every workflow, with a call of it and the longest chain of questions to others in that call.

use super::cast::{Cast, Somebody};
use super::desks::{EMAIL, LINE, PERSON, PHONE};
use assay_service::CATALOG;
use assay_service::spec::Group;
use serde_json::{Value, json};

pub struct Workflow {
    pub path: &'static str,
    /// How many questions, each of which needs the answer to the one before, at the least; none where the graph knows everything.
    pub chain: u32,
    /// What vendors are asked for, once for each row.
    pub asks: &'static [&'static str],
    /// Whether the answer has rows, or is about one person or company.
    has_rows: bool,
    body: fn(&Cast, usize, usize) -> Value,
}

impl Workflow {
    /// One of an account's calls: no two are about the same people. Only who owns what and who left is the same for all accounts.
    pub fn body(&self, cast: &Cast, turn: usize, account: usize, rows: usize) -> Value {
        let number = if self.has_rows { turn } else { account * STRANGERS + turn };
        (self.body)(cast, number, rows)
    }

    /// How often each of what it asks for is asked for in a healthy run.
    pub fn asks_each(&self, rows: usize) -> u64 {
        if self.has_rows { u64::try_from(rows).unwrap_or(u64::MAX) } else { 1 }
    }
}

/// More than one account asks for.
const STRANGERS: usize = 1_000;

/// Not measured here: they compare lists of the caller's with what happened, and ask nobody.
const LEFT_OUT: [&str; 3] = ["champion-just-moved", "silent-promoter-radar", "quiet-power-users"];

/// By the specification a workflow, although it stands with the finders.
const ALSO: &str = "multi-source-phone";

/// Every workflow of the catalog is in the table, and no other.
pub fn uncovered() -> Vec<&'static str> {
    let is_workflow = |group| matches!(group, Group::Combos | Group::NicheCombos | Group::Bundles);
    let specs = CATALOG.iter().map(|entry| &entry.spec);
    let wanted = specs.filter(|spec| is_workflow(spec.group) || spec.name == ALSO);
    let wanted = wanted.filter(|spec| !LEFT_OUT.contains(&spec.name)).map(|spec| spec.path);
    wanted.filter(|path| WORKFLOWS.iter().all(|workflow| workflow.path != *path)).collect()
}

/// Of everybody a row names: the address beside the number, and what kind of line the number is.
const CONTACT: &[&str] = &[EMAIL, PHONE, LINE];

/// All of it is in the graph, in the index or in the feed.
const fn known(path: &'static str, body: fn(&Cast, usize, usize) -> Value) -> Workflow {
    Workflow { path, chain: 0, asks: &[], has_rows: false, body }
}

/// People of rows are known; how to reach them is not. A number is found, and then judged: two. The address is one, at the same time,
/// and so is every other row.
const fn reaching(path: &'static str, body: fn(&Cast, usize, usize) -> Value) -> Workflow {
    Workflow { path, chain: 2, asks: CONTACT, has_rows: true, body }
}

pub const WORKFLOWS: &[Workflow] = &[
    known("/v1/find-decision-maker", |cast, _, _| json!({ "company_domain": cast.account, "role": "CEO" })),
    known(
        "/v1/buying-committee",
        |cast, _, _| json!({ "company_domain": cast.account, "deal_type": "exec", "max_per_role": 1 }),
    ),
    // Who somebody is, before anything else can be asked of them; then a number, and what kind of line it is.
    Workflow {
        path: "/v1/prospect-package",
        chain: 3,
        asks: &[PERSON, EMAIL, PHONE, LINE],
        has_rows: false,
        body: |_, turn, _| json!({ "networkUrl": Somebody::stranger(turn).page() }),
    },
    known("/v1/congrats-trigger", |_, _, rows| json!({ "limit": rows })),
    known("/v1/job-change-radar", |_, _, rows| json!({ "limit": rows })),
    known("/v1/funding-radar", |_, _, rows| json!({ "role": "CEO", "limit": rows })),
    known("/v1/funded-and-hiring", |_, _, rows| json!({ "role": "CEO", "limit": rows })),
    known("/v1/hiring-intent", |_, _, rows| json!({ "department": "data", "role": "CEO", "limit": rows })),
    known(
        "/v1/tech-stack-targets",
        |cast, _, rows| json!({ "technology": cast.technology, "role": "CEO", "limit": rows }),
    ),
    known("/v1/lookalike-accounts", |cast, _, rows| json!({ "domains": [cast.account], "limit": rows })),
    known("/v1/find-similar-people", |cast, _, rows| json!({ "networkUrl": cast.known, "limit": rows })),
    known("/v1/low-competition-hires", |_, _, rows| json!({ "limit": rows })),
    reaching(
        "/v1/local-business-owners",
        |cast, turn, rows| json!({ "city": cast.pages[turn].city, "limit": rows }),
    ),
    reaching(
        "/v1/just-funded-smb-leaders",
        |cast, turn, rows| json!({ "city": cast.pages[turn].city, "limit": rows }),
    ),
    reaching(
        "/v1/competitor-talent-leaving",
        |cast, turn, rows| json!({ "competitor_domain": cast.pages[turn].left, "limit": rows }),
    ),
    known("/v1/hiring-velocity", |_, _, rows| json!({ "department": "data", "role": "CEO", "limit": rows })),
    known("/v1/just-acquired-buyers", |_, _, rows| json!({ "role": "CEO", "limit": rows })),
    known("/v1/buyer-budget-window", |_, _, rows| json!({ "icp": {}, "role": "CEO", "limit": rows })),
    // Somebody nobody knows: a number, and what kind of line it is. Whose it is does not matter.
    Workflow {
        path: "/v1/multi-source-phone",
        chain: 2,
        asks: &[PHONE, LINE],
        has_rows: false,
        body: |_, turn, _| json!({ "networkUrl": Somebody::stranger(turn).page() }),
    },
    known("/v1/smb-buying-committee", |cast, _, _| json!({ "company_domain": cast.small() })),
    known(
        "/v1/funded-and-using-tech",
        |cast, _, rows| json!({ "technology": cast.technology, "role": "CEO", "limit": rows }),
    ),
    reaching(
        "/v1/local-service-by-revenue",
        |cast, turn, rows| json!({ "revenue": { "min": 1_000_000 }, "city": cast.pages[turn].city, "limit": rows }),
    ),
    known(
        "/v1/bundles/sales-deck",
        |cast, _, _| json!({ "company_domain": cast.account, "target_role": "CEO" }),
    ),
    // Who the candidate is; the others are like them, and known.
    Workflow {
        path: "/v1/bundles/recruiter-pack",
        chain: 1,
        asks: &[PERSON],
        has_rows: false,
        body: |_, turn, _| json!({ "networkUrl": Somebody::stranger(turn).page() }),
    },
    known("/v1/bundles/founder-research", |cast, _, _| json!({ "company_domain": cast.account })),
    known("/v1/bundles/competitive-intel", |cast, _, _| json!({ "company_domain": cast.account })),
    // Who it is; whom they worked with is known.
    Workflow {
        path: "/v1/bundles/relationship-graph",
        chain: 1,
        asks: &[PERSON],
        has_rows: false,
        body: |_, turn, _| json!({ "networkUrl": Somebody::stranger(turn).page() }),
    },
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_workflow_of_the_catalog_has_a_call() {
        assert_eq!(uncovered(), Vec::<&str>::new());
        let is_served = |workflow: &&Workflow| CATALOG.iter().any(|entry| entry.spec.path == workflow.path);
        assert!(WORKFLOWS.iter().all(|workflow| is_served(&workflow)));
    }

    #[test]
    fn a_chain_is_as_long_as_it_has_questions_at_most_and_none_has_none() {
        for workflow in WORKFLOWS {
            let asks = u32::try_from(workflow.asks.len()).unwrap();
            assert!(workflow.chain <= asks && (workflow.chain == 0) == (asks == 0), "{}", workflow.path);
        }
    }
}
