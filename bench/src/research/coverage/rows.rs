//! The rows of sections 4.1 to 4.7 of the specification, typed by hand. Nothing of the service is read: its catalog has to agree with
//! them, and may not be what they are made of. Those of sections 4.8 to 4.10 depend on each other, and are walked in [`super::kept`].

use assay_domain::Credits;
use serde_json::Value;
use std::collections::HashSet;

/// What a call costs, in thousandths of a credit.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Cost {
    Free,
    /// Once, when what the call is for was found.
    Flat(i64),
    Each(i64),
    /// For the search, and for each row.
    Base(i64, i64),
}

/// What one unit is, as an answer shows it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Unit {
    /// Whoever or whatever is asked for.
    Subject,
    Verdict,
    /// A distinct valid address.
    Hash,
    /// Somebody who sits in a committee.
    Member,
    Result,
}

#[derive(Debug, Clone, Copy)]
pub struct Row {
    pub section: &'static str,
    pub method: &'static str,
    /// With the query that tells one feed from the next.
    pub path: &'static str,
    pub cost: Cost,
    pub unit: Unit,
    /// What is charged when there is nothing to be found.
    pub miss: i64,
}

const fn post(section: &'static str, path: &'static str, cost: Cost, unit: Unit) -> Row {
    Row { section, method: "POST", path, cost, unit, miss: 0 }
}

/// A search that ran has a base, also when it found nothing.
const fn search(path: &'static str, each: i64) -> Row {
    Row { miss: 1_000, ..post("4.3", path, Cost::Base(1_000, each), Unit::Result) }
}

const fn feed(path: &'static str) -> Row {
    Row { section: "4.4", method: "GET", path, cost: Cost::Free, unit: Unit::Result, miss: 0 }
}

const fn bundle(path: &'static str, price: i64) -> Row {
    post("4.7", path, Cost::Flat(price), Unit::Subject)
}

pub const ROWS: &[Row] = {
    use Cost::{Base, Each, Flat};
    use Unit::{Hash, Member, Result, Subject, Verdict};
    &[
        post("4.1", "/v1/enrich", Flat(1_000), Subject),
        post("4.1", "/v1/companies", Flat(1_000), Subject),
        post("4.1", "/v1/verify-email", Flat(500), Verdict),
        post("4.2", "/v1/find-email", Flat(2_000), Subject),
        post("4.2", "/v1/find-personal-email", Flat(2_000), Subject),
        post("4.2", "/v1/find-phone", Flat(12_000), Subject),
        post("4.2", "/v1/reverse-email", Flat(1_000), Subject),
        post("4.2", "/v1/reverse-phone", Flat(2_000), Subject),
        post("4.2", "/v1/ad-audience", Each(100), Hash),
        search("/v1/search/people", 1_000),
        search("/v1/search/companies", 500),
        feed("/v1/signals?kind=funding"),
        feed("/v1/signals?kind=acquisition"),
        feed("/v1/signals?kind=hiring"),
        feed("/v1/signals?kind=job-change"),
        post("4.5", "/v1/find-decision-maker", Each(4_000), Result),
        post("4.5", "/v1/buying-committee", Each(3_000), Member),
        post("4.5", "/v1/prospect-package", Flat(12_000), Subject),
        post("4.5", "/v1/congrats-trigger", Each(2_000), Result),
        post("4.5", "/v1/job-change-radar", Each(2_000), Result),
        post("4.5", "/v1/funding-radar", Each(3_000), Result),
        post("4.5", "/v1/funded-and-hiring", Each(10_000), Result),
        post("4.5", "/v1/hiring-intent", Each(8_000), Result),
        post("4.5", "/v1/tech-stack-targets", Each(4_000), Result),
        post("4.5", "/v1/champion-just-moved", Each(2_000), Result),
        post("4.5", "/v1/lookalike-accounts", Each(600), Result),
        // Whoever is like nobody was not searched for.
        post("4.5", "/v1/find-similar-people", Base(1_000, 800), Result),
        post("4.5", "/v1/low-competition-hires", Each(1_000), Result),
        post("4.6", "/v1/local-business-owners", Each(3_000), Result),
        post("4.6", "/v1/just-funded-smb-leaders", Each(6_000), Result),
        post("4.6", "/v1/competitor-talent-leaving", Each(3_000), Result),
        post("4.6", "/v1/silent-promoter-radar", Each(2_000), Result),
        post("4.6", "/v1/quiet-power-users", Each(2_000), Result),
        post("4.6", "/v1/hiring-velocity", Each(5_000), Result),
        post("4.6", "/v1/just-acquired-buyers", Each(4_000), Result),
        post("4.6", "/v1/buyer-budget-window", Each(6_000), Result),
        post("4.6", "/v1/multi-source-phone", Flat(14_000), Subject),
        post("4.6", "/v1/smb-buying-committee", Each(4_000), Member),
        post("4.6", "/v1/funded-and-using-tech", Each(7_000), Result),
        post("4.6", "/v1/local-service-by-revenue", Each(4_000), Result),
        bundle("/v1/bundles/sales-deck", 25_000),
        bundle("/v1/bundles/recruiter-pack", 30_000),
        bundle("/v1/bundles/founder-research", 20_000),
        bundle("/v1/bundles/competitive-intel", 25_000),
        bundle("/v1/bundles/relationship-graph", 15_000),
    ]
};

impl Cost {
    pub fn of(self, units: usize) -> i64 {
        let units = i64::try_from(units).unwrap_or(i64::MAX);
        match self {
            Self::Free => 0,
            Self::Flat(price) => price * units.min(1),
            Self::Each(price) => price * units,
            Self::Base(base, price) => base + price * units,
        }
    }
}

impl Row {
    /// Without the query.
    pub fn place(&self) -> &'static str {
        self.path.split_once('?').map_or(self.path, |(place, _)| place)
    }

    /// What an answer has to be paid for.
    pub fn units(&self, answer: &Value) -> usize {
        match self.unit {
            Unit::Subject => usize::from(answer["found"] == Value::Bool(true)),
            Unit::Verdict => usize::from(answer["status"].as_str().is_some_and(|status| status != "unknown")),
            Unit::Hash => {
                let hashes = answer["hashes"].as_array().into_iter().flatten();
                hashes.filter_map(Value::as_str).collect::<HashSet<_>>().len()
            }
            Unit::Member => {
                let parts = answer["committee"].as_object().into_iter().flat_map(|parts| parts.values());
                let members = parts.filter_map(Value::as_array).flatten();
                members.filter_map(|member| member["id"].as_str()).collect::<HashSet<_>>().len()
            }
            Unit::Result => answer["results"].as_array().map_or(0, Vec::len),
        }
    }
}

/// In thousandths; none where there is no such number.
pub fn credits(value: &Value) -> Option<i64> {
    serde_json::from_value::<Credits>(value.clone()).ok().map(Credits::thousandths)
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn row(path: &str) -> &'static Row {
        ROWS.iter().find(|row| row.path == path).unwrap()
    }

    #[test]
    fn every_section_has_its_rows_and_no_row_comes_twice() {
        let count = |section: &str| ROWS.iter().filter(|row| row.section == section).count();
        assert_eq!(["4.1", "4.2", "4.3", "4.4", "4.5", "4.6", "4.7"].map(count), [3, 6, 2, 4, 13, 12, 5]);
        assert_eq!(ROWS.iter().map(|row| row.path).collect::<HashSet<_>>().len(), ROWS.len());
    }

    #[test]
    fn units_are_what_an_answer_shows() {
        assert_eq!(row("/v1/enrich").units(&json!({ "found": true })), 1);
        assert_eq!(row("/v1/enrich").units(&json!({ "found": false })), 0);
        assert_eq!(row("/v1/verify-email").units(&json!({ "status": "invalid" })), 1);
        assert_eq!(row("/v1/verify-email").units(&json!({ "status": "unknown" })), 0);
        assert_eq!(row("/v1/ad-audience").units(&json!({ "hashes": ["a", null, "a", "b"] })), 2);
        let committee =
            json!({ "committee": { "owner": [{ "id": "1" }], "user": [{ "id": "2" }, { "id": "1" }] } });
        assert_eq!(row("/v1/buying-committee").units(&committee), 2);
        assert_eq!(row("/v1/funding-radar").units(&json!({ "results": [{}, {}] })), 2);
    }

    #[test]
    fn prices_are_of_the_units() {
        let of = |path: &str, units: usize| row(path).cost.of(units);
        assert_eq!((of("/v1/search/companies", 0), of("/v1/search/companies", 3)), (1_000, 2_500));
        assert_eq!((of("/v1/find-phone", 0), of("/v1/find-phone", 1)), (0, 12_000));
        assert_eq!((of("/v1/lookalike-accounts", 5), of("/v1/signals?kind=hiring", 5)), (3_000, 0));
    }
}
