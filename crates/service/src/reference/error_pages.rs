//! What the reference says about faults, in Markdown: one page with all of them.

use super::lessons::{self, Lesson};
use super::words;
use crate::fault::{FAULTS, Fault, FaultRow};
use crate::problem;
use assay_domain::RequestId;
use serde_json::Value;
use uuid::Uuid;

const REQUEST: u128 = 0x0197_f7a0_5c3a_7d12_a4b1_c2d3_e4f5_0618;

pub fn markdown() -> String {
    let rows: Vec<[String; 4]> = FAULTS
        .iter()
        .map(|row| {
            let link = format!("[`{0}`](#{0})", row.name);
            [link, row.status.to_string(), words::yes_no(row.retryable), row.title.to_owned()]
        })
        .collect();
    let sections: Vec<String> =
        FAULTS.iter().filter_map(|row| Some(section(row, lessons::of(row.code)?))).collect();
    format!(
        "# Errors\n\n{INTRODUCTION}\n\n{}\n{PREPARATION}\n\n{}\n",
        words::table(["code", "status", "worth a retry", "when"], &rows),
        sections.join("\n\n")
    )
}

pub const INTRODUCTION: &str = "A call that fails is answered with a problem document (RFC 9457, \
    `application/problem+json`). Its `code` never changes its meaning, `retryable` says whether the same request may \
    succeed later, `errors` names the fields that need correcting, and `fix` says what to do. A failed call costs nothing. \
    `type` is the address of a page of this server about the code.";

const PREPARATION: &str = "The calls below take the server's address and a key from the environment:\n\n```sh\n\
    export ASSAY_URL=http://localhost:8080 ASSAY_KEY=assay_live_…\n```";

fn section(row: &FaultRow, lesson: &Lesson) -> String {
    let FaultRow { name, status, title, fix, .. } = row;
    let retryable = words::yes_no(row.retryable);
    let given = if lesson.given.is_empty() { String::new() } else { format!(" Given: {}", lesson.given) };
    format!(
        "## {name}\n\n{status}, {title}. Worth a retry: {retryable}. To mend it: {fix}.\n\n{}\n\nFails.{given}\n\n\
         ```sh\n{}\n```\n\n```json\n{}\n```\n\nWorks. {}\n\n```sh\n{}\n```",
        lesson.meaning,
        lesson.failing.shell(),
        problem_document(&(lesson.fault)()),
        lesson.mended,
        lesson.corrected.shell(),
    )
}

/// The document a fault is answered with, as a person reads it.
pub fn problem_document(fault: &Fault) -> String {
    let written = problem::write(fault, RequestId::from_uuid(Uuid::from_u128(REQUEST)), None);
    let document: Value = serde_json::from_slice(&written).unwrap_or_default();
    format!("{document:#}")
}
