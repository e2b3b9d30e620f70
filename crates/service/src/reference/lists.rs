//! The lists of the reference in Markdown: all endpoints, and all prices.

use super::words;
use crate::catalog::CATALOG;
use crate::sandbox;
use crate::spec::Spec;
use assay_domain::Plan;

fn specs() -> impl Iterator<Item = &'static Spec> {
    CATALOG.iter().map(|entry| &entry.spec)
}

pub fn index() -> String {
    let rows: Vec<[String; 5]> = specs()
        .map(|spec| {
            [
                format!("[`{} {}`]({}.md)", spec.verb.as_str(), spec.path, spec.name),
                spec.summary.to_owned(),
                words::price_short(spec),
                format!("`{}`", spec.scope.as_str()),
                spec.plan.to_string(),
            ]
        })
        .collect();
    let table = words::table(["call", "what it does", "price", "scope", "lowest plan"], &rows);
    format!(
        "# The API\n\nEvery endpoint, read from the program itself. What a call costs is on [prices.md](prices.md), what \
         can go wrong on [errors.md](errors.md). A running server shows the same as a page to try calls on at `/docs`, and \
         as OpenAPI 3.1 at `/openapi.json`.\n\n## Before the first call\n\n{AUTHENTICATION}\n\n## Endpoints\n\n{table}\n\
         Each has a twin in the sandbox, which needs no key: `/v1/sandbox/enrich` for `/v1/enrich`. \
         `GET {}` lists them.\n\n## What holds for every call\n\n{RULES}\n",
        sandbox::INFO_PATH
    )
}

pub const AUTHENTICATION: &str = "A key goes into the header `Authorization: Bearer assay_live_…`, never into the query. \
    Keys are shown once, when they are made. The examples take the server's address and a key from the environment:\n\n\
    ```sh\nexport ASSAY_URL=http://localhost:8080 ASSAY_KEY=assay_live_…\n```";

const RULES: &str = "\
- Not found is an answer, not an error: 200 with `found: false`, or empty `results`, and no charge.
- Every JSON answer carries `cost`: the credits charged and the balance left. The headers `X-Credits-Charged` and
  `X-Credits-Remaining` say the same.
- A paid call takes `max_credits`, the most it may charge, and `explain`, which adds `trace`: every source asked. With
  `?dry_run=true` it is only checked, and tells the most it could cost, free.
- A POST takes an `Idempotency-Key` (1 to 255 visible ASCII characters, kept 24 hours): sent again with the same key and
  body, a call answers the same bytes and is charged once.
- Unknown fields are refused with the nearest known name. Lists are read page by page with `cursor` and `next_cursor`.
- `RateLimit` and `RateLimit-Policy` tell the request quota and what is left of it; `Retry-After` says how long to wait.
- Failures are problem documents; see [errors.md](errors.md). A failed call is never charged.";

pub fn prices() -> String {
    let rows: Vec<[String; 5]> = specs()
        .map(|spec| {
            let paid = !spec.price.is_free();
            let when_paid = |text: String| if paid { text } else { "–".to_owned() };
            [
                format!("[`{} {}`]({}.md)", spec.verb.as_str(), spec.path, spec.name),
                words::price_short(spec),
                when_paid(spec.unit.to_owned()),
                when_paid(spec.units_max.to_string()),
                when_paid(words::price_max(spec)),
            ]
        })
        .collect();
    let plans: Vec<[String; 4]> = Plan::ALL
        .iter()
        .map(|plan| {
            let terms = plan.default_terms();
            let (major, minor) = (terms.price_minor / 100, terms.price_minor % 100);
            let often = if *plan == Plan::Trial { "once" } else { "a month" };
            [
                plan.to_string(),
                format!("{}.{minor:02}", grouped(&major.to_string())),
                format!("{} {often}", grouped(&terms.credits.to_string())),
                grouped(&terms.requests_per_minute.to_string()),
            ]
        })
        .collect();
    format!(
        "# Prices\n\nPrices are in credits, which are exact to the thousandth. A call is charged for what it found: nothing \
         found, nothing charged; a call that failed is never charged. Only where the price has a base (`1 credit + …`) is \
         that base charged for a search that ran and found nothing.\n\n{}\nBefore a call that may spend money upstream \
         runs, the most it can cost is held, as far as the balance, `max_credits` and the key's cap allow; what was not used \
         is given back with the answer. An answer is never longer than what can be paid for: it says \
         `truncated_by: \"credits\"` then.\n\n## Plans\n\nAs a new installation starts; an operator \
         may change them.\n\n{}",
        words::table(["call", "price", "one unit", "most units", "most a call can charge"], &rows),
        words::table(["plan", "price a month", "credits", "requests a minute"], &plans)
    )
}

/// `12500` as `12,500`; what is no whole number stays as it is.
fn grouped(number: &str) -> String {
    if !number.bytes().all(|byte| byte.is_ascii_digit()) {
        return number.to_owned();
    }
    let mut text = String::new();
    for (at, digit) in number.char_indices() {
        if at > 0 && (number.len() - at).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn thousands_are_set_apart() {
        let texts = ["0", "500", "2500", "100000", "0.5"].map(grouped);
        assert_eq!(texts, ["0", "500", "2,500", "100,000", "0.5"]);
    }
}
