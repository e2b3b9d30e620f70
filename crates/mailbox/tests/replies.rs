//! Replies of real servers, labelled by hand, against what they are taken to mean.
#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::print_stdout,
    reason = "a test stops where it fails, also in a function it calls"
)]

use std::fmt::Write as _;
use std::path::{Path, PathBuf};

use assay_mailbox::{Meaning, Reply, ReplyReader, Stage, classify};

const REPLIES: &str = include_str!("replies.tsv");
const LANGUAGES: &str = include_str!("languages.tsv");
const FIELD_MANUAL: &str = include_str!("field_manual.tsv");
/// Names the folder `data/codes` of a checkout of github.com/ActiveCampaign/smtp-field-manual, whose texts are not part
/// of this repository; only what they mean is.
const FIELD_MANUAL_FOLDER: &str = "ASSAY_SMTP_FIELD_MANUAL";
/// Where they are looked for otherwise.
const FIELD_MANUAL_USUALLY: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../../shared/data/smtp_replies");

struct Row {
    stage: Stage,
    reply: Reply,
    expected: String,
    shown: String,
}

fn read_stage(word: &str) -> Stage {
    match word {
        "greeting" => Stage::Greeting,
        "helo" => Stage::Helo,
        "mail" => Stage::Mail,
        "rcpt" => Stage::Rcpt,
        other => panic!("no stage: {other}"),
    }
}

fn reply_of(code: &str, text: &str) -> Reply {
    let lines: Vec<&str> = text.split("\\n").collect();
    let mut bytes = String::new();
    for (index, line) in lines.iter().enumerate() {
        let mark = if index + 1 == lines.len() { ' ' } else { '-' };
        write!(bytes, "{code}{mark}{line}\r\n").unwrap();
    }
    ReplyReader::default().read(&mut bytes.as_bytes()).unwrap().unwrap()
}

fn rows(table: &str) -> impl Iterator<Item = Vec<&str>> {
    table.lines().filter(|line| !line.starts_with('#')).map(|line| line.split('\t').collect())
}

fn own_rows() -> Vec<Row> {
    let read = |row: Vec<&str>| {
        let [stage, code, text, expected, who] = row[..] else { panic!("not five columns: {row:?}") };
        let shown = format!("{stage} {code} {text} ({who})");
        Row { stage: read_stage(stage), reply: reply_of(code, text), expected: expected.to_owned(), shown }
    };
    rows(REPLIES).chain(rows(LANGUAGES)).map(read).collect()
}

/// The reply inside of what the field manual quotes, which a mailer may have written something in front of; the code
/// is the file's where the quote has none.
fn split_quote<'quote>(file: &'quote str, quote: &'quote str) -> (&'quote str, &'quote str) {
    let at_smtp = quote.to_ascii_lowercase().find("smtp;").map_or(0, |at| at + "smtp;".len());
    let said = quote[at_smtp..].trim_start();
    let said = match said.split_once(": 55").filter(|(before, _)| before.contains("SMTP error from")) {
        Some((before, _)) => &said[before.len() + ": ".len()..],
        None => said,
    };
    let code = said.get(..3).filter(|it| it.bytes().all(|byte| byte.is_ascii_digit()));
    code.map_or((file, said), |code| (code, said[3..].trim_start_matches(['-', ' '])))
}

fn field_manual_rows(folder: &Path) -> Vec<Row> {
    let read = |row: Vec<&str>| {
        let [key, stage, expected] = row[..] else { panic!("not three columns: {row:?}") };
        let [file, provider, number] = key.split('/').collect::<Vec<_>>()[..] else {
            panic!("no key: {key}")
        };
        let text = std::fs::read_to_string(folder.join(format!("{file}.json"))).unwrap();
        let codes: serde_json::Value = serde_json::from_str(&text).unwrap();
        let providers =
            ["providers", "spamFilters"].into_iter().filter_map(|kind| codes[kind].as_array()).flatten();
        let found = providers.into_iter().find(|it| it["id"] == provider).unwrap();
        let index = number.parse::<usize>().unwrap() - 1;
        let quote = found["responses"][index]["response"].as_str().unwrap();
        let (code, said) = split_quote(file, quote);
        let shown = format!("{key} {code} {said}");
        Row { stage: read_stage(stage), reply: reply_of(code, said), expected: expected.to_owned(), shown }
    };
    rows(FIELD_MANUAL).map(read).collect()
}

/// What is not read as it was labelled.
fn compare(rows: &[Row]) -> Vec<String> {
    let wrong = rows.iter().filter_map(|row| {
        let meant = classify(row.stage, &row.reply).as_str();
        (meant != row.expected).then(|| format!("expected {}, read {meant}: {}", row.expected, row.shown))
    });
    wrong.collect()
}

#[test]
fn replies_mean_what_they_were_labelled_by_hand() {
    let rows = own_rows();
    assert!(rows.len() >= 200);
    let wrong = compare(&rows);
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// Without the texts only their labels are looked at.
#[test]
fn replies_of_the_field_manual_mean_what_they_were_labelled_by_hand() {
    assert_eq!(rows(FIELD_MANUAL).count(), 206);
    let named = std::env::var_os(FIELD_MANUAL_FOLDER).map(PathBuf::from);
    let usual = Some(PathBuf::from(FIELD_MANUAL_USUALLY)).filter(|folder| folder.is_dir());
    let Some(folder) = named.or(usual) else {
        println!("{FIELD_MANUAL_FOLDER} is not set: only the labels were looked at");
        return;
    };
    let wrong = compare(&field_manual_rows(&folder));
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// Whatever else is wrong with a reading, this must not be: to call an address invalid because of us.
#[test]
fn a_complaint_of_us_or_a_deferral_never_speaks_of_the_mailbox() {
    let harmless = |word: &str| {
        word.starts_with("our_reputation")
            || matches!(word, "deferred" | "greylisted" | "policy_other" | "needs_tls")
    };
    for row in own_rows().iter().filter(|row| harmless(&row.expected)) {
        let meant = classify(row.stage, &row.reply);
        assert!(!matches!(meant, Meaning::NoSuchMailbox | Meaning::MailboxDisabled), "{}", row.shown);
    }
}

/// A deferral stays one, and before a recipient was named nothing is said of one, whatever the words.
#[test]
fn only_a_final_answer_to_a_recipient_speaks_of_the_mailbox() {
    for row in own_rows() {
        let text = row.reply.lines().join(" ");
        for (stage, code) in [
            (Stage::Rcpt, "450"),
            (Stage::Rcpt, "421"),
            (Stage::Mail, "550"),
            (Stage::Helo, "550"),
            (Stage::Greeting, "554"),
        ] {
            let meant = classify(stage, &reply_of(code, &text));
            assert!(
                !matches!(meant, Meaning::NoSuchMailbox | Meaning::MailboxDisabled),
                "{} as {code}",
                row.shown
            );
        }
    }
}
