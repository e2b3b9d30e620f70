//! Every query on account data carries the account id, or says inside the SQL why it reads all accounts.

use super::{Source, Violation};

const TABLES: &[&str] = &[
    "history",
    "posting",
    "hold",
    "reply",
    "resolved_person",
    "credit_lot",
    "api_key",
    "bulk_job",
    "bulk_slice",
    "webhook_endpoint",
    "webhook_delivery",
    "webhook_attempt",
    "watch_list",
    "watch_entry",
    "watch_match",
    "watch_run",
    "saved_icp",
    "saved_icp_seen",
];
const BEFORE_A_TABLE: &[&str] = &["from", "join", "into", "update", "only", "using", "lateral"];
const EXCUSE: &str = "all accounts:";

pub(super) fn check(source: &Source) -> Vec<Violation> {
    let ours =
        source.path.starts_with("crates/store/src/ledger/") || source.path == "crates/store/src/ledger.rs";
    if !ours || source.is_test_file() {
        return Vec::new();
    }
    if !source.is_rust() {
        return complaint(&source.path, 1, &source.text).into_iter().collect();
    }
    let tests = &source.stripped.test_lines;
    let shipped =
        source.stripped.literals.iter().filter(|it| !tests.iter().any(|range| range.contains(&it.line)));
    shipped.filter_map(|literal| complaint(&source.path, literal.line, &literal.text)).collect()
}

fn complaint(path: &str, line: usize, sql: &str) -> Option<Violation> {
    let table = table_named(sql)?;
    if sql.contains("account_id") || excused(sql) {
        return None;
    }
    let what = format!(
        "SQL on `{table}` without account_id: restrict it to one account, or say why not in `-- {EXCUSE} why`"
    );
    Some(Violation::new(path, line, what))
}

/// The excuse counts only with a reason behind it.
fn excused(sql: &str) -> bool {
    let reason = sql.split_once(EXCUSE).and_then(|(_, rest)| rest.lines().next());
    reason.is_some_and(|reason| reason.contains(char::is_alphabetic))
}

fn table_named(sql: &str) -> Option<&'static str> {
    let lower = sql.to_lowercase();
    // `ledger.history` stays one word, so that what stands before the schema is seen.
    let words =
        lower.split(|it: char| !it.is_alphanumeric() && it != '_' && it != '.').filter(|it| !it.is_empty());
    let mut before = "";
    for word in words {
        let name = word.rsplit('.').next().unwrap_or_default();
        let table = TABLES.iter().find(|table| **table == name);
        if let Some(table) = table.filter(|_| BEFORE_A_TABLE.contains(&before)) {
            return Some(table);
        }
        before = word;
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    fn count(sql: &str) -> usize {
        let text = format!("fn a() {{ query(r#\"{sql}\"#) }}");
        check(&Source::new("crates/store/src/ledger/x.rs", text)).len()
    }

    #[test]
    fn account_tables_need_the_account() {
        assert_eq!(count("select * from history where id = $1"), 1);
        assert_eq!(count("UPDATE ledger.hold SET state = 2"), 1);
        assert_eq!(count("delete from task using posting"), 1);
        assert_eq!(count("select * from history where account_id = $1"), 0);
        assert_eq!(count("select hold from task; the history of it"), 0);
    }

    #[test]
    fn reading_all_accounts_needs_a_reason() {
        assert_eq!(count("-- all accounts: the sweeper ends old holds\nupdate hold set state = 2"), 0);
        assert_eq!(count("-- all accounts:\nupdate hold set state = 2"), 1);
    }

    #[test]
    fn other_rooms_and_tests_are_not_asked() {
        let text = "fn a() { query(\"select * from history\") }".to_owned();
        assert!(check(&Source::new("crates/store/src/graph/x.rs", text.clone())).is_empty());
        assert!(check(&Source::new("crates/store/src/ledger/tests.rs", text.clone())).is_empty());
        let inside = format!("#[cfg(test)]\nmod tests {{\n{text}\n}}");
        assert!(check(&Source::new("crates/store/src/ledger/x.rs", inside)).is_empty());
    }
}
