//! `GET /v1/bulk/{id}/results.csv`: all results of a bulk job, a row each.

use super::results_ndjson::{BulkResultsQuestion, BulkResultsRequest, stream_results};
use super::view::EXAMPLE_ID;
use crate::bulk::ItemView;
use crate::context::Context;
use crate::csv::Sheet;
use crate::endpoint::{Chunks, StreamEndpoint};
use crate::fault::Fault;
use crate::spec::{Group, Scope, Spec, Verb};
use assay_domain::NetworkHosts;
use serde_json::{Value, json};

#[derive(Debug)]
pub enum BulkResultsCsv {}

const COLUMNS: &[&str] = &[
    "index",
    "id",
    "status",
    "confidence",
    "person_id",
    "full_name",
    "title",
    "email",
    "phone",
    "network_url",
    "company_name",
    "company_domain",
    "credits",
    "error",
];

const EXAMPLE: &str = "\"index\",\"id\",\"status\",\"confidence\",\"person_id\",\"full_name\",\"title\",\"email\",\"phone\",\
    \"network_url\",\"company_name\",\"company_domain\",\"credits\",\"error\"\r\n\
    1,\"2\",\"not_found\",,\"\",\"\",\"\",\"\",\"\",\"\",\"\",\"\",0,\"\"\r\n";

impl StreamEndpoint for BulkResultsCsv {
    const SPEC: Spec = Spec {
        summary: "The results of a bulk job, as CSV",
        description: "Every result in the order of the items as RFC 4180 CSV with a header row. A text that a spreadsheet \
                      could take for a formula has an apostrophe in front, as has one that starts with an apostrophe: take \
                      one away to have the value back.",
        ..Spec::free("bulk-results-csv", Verb::Get, "/v1/bulk/{id}/results.csv", Group::Bulk, Scope::Bulk)
    };
    const CONTENT_TYPE: &'static str = "text/csv; charset=utf-8";
    const FILE_NAME: Option<&'static str> = Some("assay-bulk.csv");
    type Request = BulkResultsRequest;
    type Question = BulkResultsQuestion;

    fn parse(request: BulkResultsRequest, _hosts: &NetworkHosts) -> Result<BulkResultsQuestion, Fault> {
        Ok(request.into())
    }

    fn example() -> (Value, &'static str) {
        (json!({ "id": EXAMPLE_ID }), EXAMPLE)
    }

    async fn run(context: &Context, question: BulkResultsQuestion) -> Result<Chunks, Fault> {
        let mut sheet = Sheet::default();
        sheet.header(COLUMNS);
        stream_results(context, question, sheet.take(), |results| {
            let mut sheet = Sheet::default();
            results.iter().for_each(|result| write_row(&mut sheet, result));
            Ok(sheet.take())
        })
        .await
    }
}

fn write_row(sheet: &mut Sheet, result: &ItemView) {
    let person = result.person.as_ref();
    let company = person.and_then(|person| person.company.as_ref());
    let texts = [
        person.map(|person| person.id.clone()),
        person.map(|person| person.full_name.clone()),
        person.and_then(|person| person.title.clone()),
        person.and_then(|person| person.email.clone()),
        person.and_then(|person| person.phone.clone()),
        person.and_then(|person| person.network_url.clone()),
        company.map(|company| company.name.clone()),
        company.and_then(|company| company.domain.clone()),
    ];
    sheet
        .number(i64::try_from(result.index).unwrap_or(i64::MAX))
        .text(result.id.as_deref().unwrap_or_default())
        .text(result.status.as_str())
        .number_or_empty(result.confidence);
    for text in texts {
        sheet.text(text.as_deref().unwrap_or_default());
    }
    sheet
        .number(result.cost.credits)
        .text(result.error.as_ref().map_or("", |error| error.message.as_str()))
        .end_row();
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bulk::ItemWord;
    use crate::reply::Cost;
    use assay_domain::Credits;

    #[test]
    fn the_example_is_what_its_row_would_be_written_as() {
        let result = ItemView {
            index: 1,
            id: Some("2".into()),
            status: ItemWord::NotFound,
            person: None,
            confidence: None,
            matched_on: Vec::new(),
            cost: Cost { credits: Credits::ZERO, balance_remaining: None },
            error: None,
        };
        let mut sheet = Sheet::default();
        sheet.header(COLUMNS);
        write_row(&mut sheet, &result);
        assert_eq!(sheet.take(), EXAMPLE);
    }
}
