//! Words that may not appear, or only in some rooms: SQL, sockets, the clock, unfinished work.

use super::strip::is_word;
use super::{Source, Violation};

/// Rooms that are not part of the service; they may do what they need.
const BESIDE: &[&str] = &["bench", "xtask", "testkit", "migrations"];
const OUTBOUND: &[&str] = &["sources", "mailbox", "notify", "bucket"];
/// Leads to the database, which the driver connects to everywhere else.
const TO_THE_DATABASE: &str = "crates/store/src/relay.rs";
const SOCKETS: &[&str] =
    &["TcpStream::connect", "TcpSocket", "UdpSocket", "reqwest", "hyper::client", "hyper_util::client"];
const CLOCKS: &[&str] = &["SystemTime::now", "Utc::now", "Instant::now"];
const UNFINISHED: &[&str] = &["todo!(", "unimplemented!(", "dbg!(", "#[ignore", "should_panic"];
const NOTES: &[&str] = &["FIXME", "XXX"];
const BELOW_ENDPOINTS: &[&str] = &["assay_store", "Ledger", "ledger::", "store::keys", "store::history"];
const EMPTY_NAMES: &[&str] = &["utils", "helpers", "common", "manager"];

pub(super) fn check(source: &Source) -> Vec<Violation> {
    let mut found = unfinished(source);
    if source.is_rust() {
        found.extend(empty_name(source));
        if !BESIDE.contains(&source.room()) {
            found.extend(rooms(source));
            found.extend(clock(source));
        }
        if source.room() == "store" {
            found.extend(nameless_conflict(source));
        }
        if source.path.starts_with("crates/service/src/endpoints/") {
            found.extend(endpoint(source));
        }
    }
    found
}

/// The word stands alone: `hold` is not in `holder`. A word that ends in punctuation may go on.
fn has_word(line: &str, word: &str) -> bool {
    line.match_indices(word).any(|(at, _)| {
        let before = line.get(..at).unwrap_or_default();
        let after = line.get(at + word.len()..).unwrap_or_default();
        !(word.starts_with(is_word) && before.ends_with(is_word)
            || word.ends_with(is_word) && after.starts_with(is_word))
    })
}

fn first_word<'word>(line: &str, words: &[&'word str]) -> Option<&'word str> {
    words.iter().copied().find(|word| has_word(line, word))
}

fn unfinished(source: &Source) -> Vec<Violation> {
    let comments = if source.is_rust() { &source.stripped.comments } else { &source.text };
    let notes =
        comments.lines().enumerate().filter_map(|(index, line)| Some((index + 1, first_word(line, NOTES)?)));
    let code = source.stripped.code.lines().enumerate();
    let calls = code.clone().filter_map(|(index, line)| Some((index + 1, first_word(line, UNFINISHED)?)));
    let macros = code.filter_map(|(index, line)| Some((index + 1, first_word(line, &["macro_rules!"])?)));
    let macros = macros.filter(|_| source.path.starts_with("crates/"));
    let unfinished =
        notes.chain(calls).map(|(line, word)| (line, format!("`{word}`: finish it, or leave it out")));
    let macros =
        macros.map(|(line, word)| (line, format!("`{word}`: write a function or a const table instead")));
    unfinished.chain(macros).map(|(line, what)| Violation::new(&source.path, line, what)).collect()
}

fn empty_name(source: &Source) -> Option<Violation> {
    let mut names = source.path.split('/').map(|part| part.trim_end_matches(".rs"));
    let name = names.find(|name| EMPTY_NAMES.contains(name))?;
    Some(Violation::new(&source.path, 1, format!("`{name}` says nothing: name the file after what it holds")))
}

fn rooms(source: &Source) -> Vec<Violation> {
    let mut found = Vec::new();
    for (number, line) in source.shipped_lines() {
        if source.room() != "store" && line.contains("sqlx::query") {
            found.push(Violation::new(
                &source.path,
                number,
                "SQL is only in store: add a function there and call it",
            ));
        }
        let may_connect = OUTBOUND.contains(&source.room()) || source.path == TO_THE_DATABASE;
        if let Some(word) = first_word(line, SOCKETS).filter(|_| !may_connect) {
            let what = format!("`{word}`: outbound sockets are only in sources, mailbox, notify and bucket");
            found.push(Violation::new(&source.path, number, what));
        }
    }
    found
}

/// Where the columns are named PostgreSQL refuses the write while their index is not there, as during a restore; where they are
/// not it writes a second row, and the index can never be made.
fn nameless_conflict(source: &Source) -> Vec<Violation> {
    let literals = source.stripped.literals.iter().filter(|_| !source.is_test_file());
    let nameless = literals.filter(|it| it.text.to_lowercase().contains("on conflict do "));
    let what = "`on conflict` without columns: name those that may not be twice";
    nameless.map(|it| Violation::new(&source.path, it.line, what)).collect()
}

/// Clippy asks for the `expect`; this asks that it exists even where clippy is not run.
fn clock(source: &Source) -> Vec<Violation> {
    if source.path.ends_with("/src/clock.rs") {
        return Vec::new();
    }
    let excused = source.stripped.code.lines().position(|line| line.contains("clippy::disallowed_methods"));
    let lines = source.shipped_lines().filter_map(|(number, line)| Some((number, first_word(line, CLOCKS)?)));
    lines
        .filter(|(number, _)| excused.is_none_or(|index| index + 1 >= *number))
        .map(|(number, word)| {
            let what = format!(
                "`{word}`: take the time from the context, or say why not in #[expect(clippy::disallowed_methods, reason)]"
            );
            Violation::new(&source.path, number, what)
        })
        .collect()
}

fn endpoint(source: &Source) -> Vec<Violation> {
    let mut found = Vec::new();
    for (number, line) in source.shipped_lines() {
        if let Some(word) = first_word(line, BELOW_ENDPOINTS) {
            let what =
                format!("`{word}`: an endpoint never touches ledger, history or keys; the pipeline does");
            found.push(Violation::new(&source.path, number, what));
        }
        if calls_endpoint(line) {
            let what = "an endpoint never runs another (it would bill twice): share an engine function";
            found.push(Violation::new(&source.path, number, what));
        }
    }
    found
}

/// `endpoints::find::Email::run(` or `FindEmail::run(`: a type whose `run` is called, which only an endpoint has here.
fn calls_endpoint(line: &str) -> bool {
    line.match_indices("::run(").any(|(at, _)| {
        let before = line.get(..at).unwrap_or_default();
        let start = before.rfind(|it| !is_word(it) && it != ':').map_or(0, |at| at + 1);
        let path = before.get(start..).unwrap_or_default();
        let owner = path.rsplit("::").next().unwrap_or_default();
        path.contains("endpoints::") || (owner != "Self" && owner.starts_with(char::is_uppercase))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn count(path: &str, text: &str) -> usize {
        check(&Source::new(path, text.to_owned())).len()
    }

    #[test]
    fn unfinished_work_is_found_in_code_and_comments_but_not_in_text() {
        for text in [
            "todo!()",
            "unimplemented!()",
            "dbg!(x)",
            "#[ignore]",
            "#[should_panic]",
            "// FIXME later",
            "/* XXX */",
        ] {
            assert_eq!(count("crates/domain/src/x.rs", text), 1, "{text}");
        }
        assert_eq!(count("crates/domain/src/x.rs", "let currency = \"XXX\"; // XXXL todo!()"), 0);
        assert_eq!(count("migrations/ledger/0001_x.sql", "-- FIXME"), 1);
        assert_eq!(count("crates/domain/src/x.rs", "macro_rules! m {}"), 1);
    }

    #[test]
    fn a_write_that_may_be_there_says_by_what() {
        let nameless = "query(\"insert into a values ($1)\n on conflict do nothing\")";
        assert_eq!(count("crates/store/src/x.rs", nameless), 1);
        assert_eq!(count("crates/store/src/x.rs", &nameless.replace("conflict", "conflict (id)")), 0);
        assert_eq!(count("crates/store/tests/x.rs", nameless), 0);
    }

    #[test]
    fn names_that_say_nothing_are_found() {
        assert_eq!(count("crates/domain/src/utils.rs", ""), 1);
        assert_eq!(count("crates/cli/tests/common/mod.rs", ""), 1);
        assert_eq!(count("crates/domain/src/common_names.rs", ""), 0);
    }

    #[test]
    fn sql_and_sockets_stay_in_their_rooms() {
        assert_eq!(count("crates/service/src/x.rs", "sqlx::query_as(\"\")"), 1);
        assert_eq!(count("crates/store/src/x.rs", "sqlx::query(\"\")"), 0);
        assert_eq!(count("crates/service/tests/x.rs", "sqlx::query(\"\")"), 0);
        assert_eq!(count("crates/service/src/x.rs", "#[cfg(test)]\nmod t {\n sqlx::query(\"\");\n}"), 0);
        assert_eq!(count("crates/worker/src/x.rs", "TcpStream::connect(a)"), 1);
        assert_eq!(count("crates/mailbox/src/x.rs", "TcpStream::connect(a)"), 0);
        assert_eq!(count("crates/store/src/pool.rs", "TcpStream::connect(a)"), 1);
        assert_eq!(count(TO_THE_DATABASE, "TcpStream::connect(a)"), 0);
        assert_eq!(count("bench/src/x.rs", "TcpStream::connect(a)"), 0);
    }

    #[test]
    fn the_clock_is_read_only_where_it_is_excused() {
        assert_eq!(count("crates/engine/src/x.rs", "let a = Utc::now();"), 1);
        assert_eq!(count("crates/engine/src/clock.rs", "let a = Utc::now();"), 0);
        let excused = "#[expect(clippy::disallowed_methods, reason = \"x\")]\nfn a() { Instant::now(); }";
        assert_eq!(count("crates/engine/src/x.rs", excused), 0);
    }

    #[test]
    fn endpoints_touch_no_money_and_call_no_endpoint() {
        let path = "crates/service/src/endpoints/find/email.rs";
        assert_eq!(count(path, "use assay_store::keys;"), 1);
        assert_eq!(count(path, "ctx.charge(Ledger::new())"), 1);
        assert_eq!(count(path, "super::endpoints::find::Phone::run(ctx, request)"), 1);
        assert_eq!(count(path, "FindPhone::run(ctx, request).await"), 1);
        assert_eq!(count(path, "find_email::run(ctx.engine(), query).await; Self::run(x)"), 0);
        assert_eq!(count("crates/service/src/pipeline.rs", "use assay_store::keys;"), 0);
    }
}
