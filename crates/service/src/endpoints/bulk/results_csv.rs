//! `GET /v1/bulk/{id}/results.csv`: all results of a bulk job, a row each.

use super::results::{BulkResults, ResultsFormat};
use crate::bulk::ItemView;
use crate::csv::Sheet;
use crate::fault::Fault;
use crate::spec::{Group, Scope, Spec, Verb};
use bytes::Bytes;

#[derive(Debug)]
pub enum Csv {}

pub type BulkResultsCsv = BulkResults<Csv>;

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

impl ResultsFormat for Csv {
    const SPEC: Spec = Spec {
        summary: "The results of a bulk job, as CSV",
        description: "Every result in the order of the items as RFC 4180 CSV with a header row. A text that a spreadsheet \
                      could take for a formula has an apostrophe in front, as has one that starts with an apostrophe: take \
                      one away to have the value back.",
        ..Spec::free("bulk-results-csv", Verb::Get, "/v1/bulk/{id}/results.csv", Group::Bulk, Scope::Bulk)
    };
    const CONTENT_TYPE: &'static str = "text/csv; charset=utf-8";
    const FILE_NAME: &'static str = "assay-bulk.csv";
    const EXAMPLE: &'static str = "\"index\",\"id\",\"status\",\"confidence\",\"person_id\",\"full_name\",\"title\",\"email\",\"phone\",\
    \"network_url\",\"company_name\",\"company_domain\",\"credits\",\"error\"\r\n\
    1,\"2\",\"not_found\",,\"\",\"\",\"\",\"\",\"\",\"\",\"\",\"\",0,\"\"\r\n";

    fn header() -> Bytes {
        let mut sheet = Sheet::default();
        sheet.header(COLUMNS);
        sheet.take()
    }

    fn write(results: &[ItemView]) -> Result<Bytes, Fault> {
        let mut sheet = Sheet::default();
        results.iter().for_each(|result| write_row(&mut sheet, result));
        Ok(sheet.take())
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

    #[test]
    fn the_example_is_what_its_row_would_be_written_as() {
        let [_, nobody] = ItemView::examples();
        let written = [Csv::header(), Csv::write(&[nobody]).unwrap()].concat();
        assert_eq!(written, Csv::EXAMPLE.as_bytes());
    }
}
