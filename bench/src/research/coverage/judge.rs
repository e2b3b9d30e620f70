//! What is wrong with an answer.

use super::rows::{Row, credits};
use serde_json::Value;

/// An answer, and what the balance lost by it, in thousandths.
#[derive(Debug, Clone)]
pub struct Told {
    pub status: u16,
    pub answer: Value,
    pub spent: i64,
}

type Judged = Result<(), String>;

fn same<T: PartialEq + std::fmt::Debug>(what: &str, is: &T, should: &T) -> Judged {
    if is == should { Ok(()) } else { Err(format!("{what} is {is:?}, not {should:?}")) }
}

fn is_answer(told: &Told) -> Judged {
    if told.status == 200 { Ok(()) } else { Err(format!("{} {}", told.status, told.answer)) }
}

/// One unit at least was found, each was charged for as the specification says, and the balance fell by just that.
pub fn hit(row: &Row, told: &Told) -> Judged {
    is_answer(told)?;
    let units = row.units(&told.answer);
    if units == 0 {
        return Err(format!("nothing was found: {}", told.answer));
    }
    let price = row.cost.of(units);
    same("the cost", &credits(&told.answer["cost"]["credits"]), &Some(price))?;
    same("what the balance lost", &told.spent, &price)
}

/// Nothing was found, which is an answer, and free.
pub fn miss(row: &Row, told: &Told) -> Judged {
    is_answer(told)?;
    same("what was found", &row.units(&told.answer), &0)?;
    same("the cost", &credits(&told.answer["cost"]["credits"]), &Some(row.miss))?;
    same("what the balance lost", &told.spent, &row.miss)
}

/// The twin's answer to its own example: something was found, for free, and it says what that would have cost.
pub fn twin_hit(row: &Row, told: &Told) -> Judged {
    is_answer(told)?;
    let units = row.units(&told.answer);
    if units == 0 {
        return Err(format!("nothing was found: {}", told.answer));
    }
    is_rehearsed(told, row.cost.of(units))
}

/// The twin's answer when it is told to find nothing.
pub fn twin_miss(row: &Row, told: &Told) -> Judged {
    is_answer(told)?;
    same("what was found", &row.units(&told.answer), &0)?;
    is_rehearsed(told, row.miss)
}

fn is_rehearsed(told: &Told, price: i64) -> Judged {
    same("sandbox", &told.answer["sandbox"], &Value::Bool(true))?;
    let cost = &told.answer["cost"];
    same("the cost", &credits(&cost["credits"]), &Some(0))?;
    same("what it would have cost", &credits(&cost["live_credits"]), &Some(price))
}

#[cfg(test)]
mod tests {
    use super::super::rows::ROWS;
    use super::*;
    use serde_json::json;

    fn row(path: &str) -> &'static Row {
        ROWS.iter().find(|row| row.path == path).unwrap()
    }

    fn told(answer: Value, spent: i64) -> Told {
        Told { status: 200, answer, spent }
    }

    #[test]
    fn a_hit_is_charged_for_what_it_shows() {
        let radar = row("/v1/funding-radar");
        let two = |credits: Value| json!({ "results": [{}, {}], "cost": { "credits": credits } });
        assert_eq!(hit(radar, &told(two(json!(6)), 6_000)), Ok(()));
        for wrong in [
            told(two(json!(3)), 3_000),
            told(two(json!(6)), 3_000),
            told(two(json!("6")), 6_000),
            told(json!({ "results": [], "cost": { "credits": 0 } }), 0),
            Told { status: 402, ..told(two(json!(6)), 6_000) },
        ] {
            assert!(hit(radar, &wrong).is_err(), "{wrong:?}");
        }
        // A feed is free, and has to have something in it.
        let feed = row("/v1/signals?kind=hiring");
        assert_eq!(hit(feed, &told(json!({ "results": [{}], "cost": { "credits": 0 } }), 0)), Ok(()));
        assert!(hit(feed, &told(json!({ "results": [], "cost": { "credits": 0 } }), 0)).is_err());
    }

    #[test]
    fn a_miss_is_an_answer_and_free_but_for_the_base_of_a_search() {
        let nothing = |credits: i64| json!({ "found": false, "results": [], "cost": { "credits": credits } });
        for (path, price) in [("/v1/enrich", 0), ("/v1/search/people", 1), ("/v1/find-similar-people", 0)] {
            assert_eq!(miss(row(path), &told(nothing(price), price * 1_000)), Ok(()), "{path}");
            assert!(miss(row(path), &told(nothing(1 - price), (1 - price) * 1_000)).is_err(), "{path}");
            assert!(miss(row(path), &Told { status: 404, ..told(nothing(price), price * 1_000) }).is_err());
        }
        assert!(
            miss(row("/v1/enrich"), &told(json!({ "found": true, "cost": { "credits": 0 } }), 0)).is_err()
        );
        assert!(miss(row("/v1/enrich"), &told(nothing(0), 1_000)).is_err());
    }

    #[test]
    fn a_twin_says_that_it_is_one_and_what_it_would_have_cost() {
        let phone = row("/v1/find-phone");
        let answer = |found: bool, sandbox: bool, credits: i64, live: i64| {
            told(
                json!({ "found": found, "sandbox": sandbox, "cost": { "credits": credits, "live_credits": live } }),
                0,
            )
        };
        assert_eq!(twin_hit(phone, &answer(true, true, 0, 12)), Ok(()));
        assert_eq!(twin_miss(phone, &answer(false, true, 0, 0)), Ok(()));
        for wrong in [(false, true, 0, 0), (true, false, 0, 12), (true, true, 12, 12), (true, true, 0, 1)] {
            assert!(twin_hit(phone, &answer(wrong.0, wrong.1, wrong.2, wrong.3)).is_err(), "{wrong:?}");
        }
        for wrong in [(true, true, 0, 12), (false, false, 0, 0), (false, true, 0, 12)] {
            assert!(twin_miss(phone, &answer(wrong.0, wrong.1, wrong.2, wrong.3)).is_err(), "{wrong:?}");
        }
    }
}
