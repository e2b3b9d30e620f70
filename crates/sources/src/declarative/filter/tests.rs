//! What filters give, what they are refused, and that they end.

use super::*;
use serde_json::json;

fn run(filter: &str, body: Value) -> Result<Value, Stopped> {
    let filter = Filter::compile(filter).unwrap_or_else(|why| panic!("{filter} {why}"));
    filter.run(body.to_string().as_bytes(), &body)
}

fn refused(filter: &str) -> String {
    Filter::compile(filter).err().unwrap_or_else(|| panic!("{filter} is taken"))
}

#[test]
fn filters_pick_and_shape() {
    let body = json!({"a": {"b": [1, 2, 3]}, "name": "Jane", "score": 0.5, "nothing": null,
        "list": [{"t": "x", "v": "one"}, {"t": "y", "v": "two"}]});
    for (filter, expected) in [
        (".a.b[1]", json!(2)),
        (".a.b | map(. * 10)", json!([10, 20, 30])),
        ("[.a.b[] | select(. > 1)]", json!([2, 3])),
        (".list | map(select(.t == \"y\")) | first | .v", json!("two")),
        ("[.list[].v] | join(\", \")", json!("one, two")),
        (".nothing // .name", json!("Jane")),
        ("\"\\(.name) Doe\"", json!("Jane Doe")),
        ("(.score * 100) | floor", json!(50)),
        ("{n: .name, k: (.a | keys)}", json!({"n": "Jane", "k": ["b"]})),
        (".name | ascii_downcase | ltrimstr(\"ja\")", json!("ne")),
        ("if .a.b | any(. == 3) then \"yes\" else \"no\" end", json!("yes")),
        (".a.b | all(. < 3)", json!(false)),
        (".list as [$first] | $first.v", json!("one")),
        ("\"12\" | tonumber", json!(12)),
        (".a.b | add", json!(6)),
        ("\"a b\" | split(\" \") | last", json!("b")),
        ("[.a | to_entries[].key]", json!(["b"])),
        (".missing.deeper?", json!(null)),
        ("[.name[]?]", json!([])),
        (".a.b | max", json!(3)),
        (".a.b[1:]", json!([2, 3])),
        ("map(type) // 1", json!(["object", "string", "number", "null", "array"])),
        (".name | type", json!("string")),
        (".name == \"Jane\" and (.score | not | not)", json!(true)),
        ("1, 2", json!(1)),
    ] {
        assert_eq!(run(filter, body.clone()), Ok(expected), "{filter}");
    }
}

#[test]
fn every_name_in_the_prelude_compiles() {
    assert_eq!(prelude::defs().len(), 22);
    assert!(Filter::compile(".").is_ok());
}

#[test]
fn an_error_or_nothing_is_no_value() {
    assert_eq!(run(".a.b", json!({"a": 1})), Err(Stopped::Failed));
    assert_eq!(run("empty", json!({})), Err(Stopped::Failed));
    assert_eq!(run(".a * 3", json!({"a": "text"})), Err(Stopped::Failed));
}

#[test]
fn what_could_run_away_is_refused_with_what_to_write_instead() {
    for (filter, word) in [
        ("..", "`..`"),
        ("def f: f; f", "`def`"),
        ("reduce .[] as $x (\"a\"; . + .)", "`reduce`"),
        ("foreach .[] as $x (0; 1)", "`foreach`"),
        (".a |= 1", "`=`"),
        (".a = 1", "`=`"),
        ("label $x | 1", "`label`"),
        ("@base64 \"x\"", "`@base64`"),
    ] {
        let why = refused(filter);
        assert!(why.contains(word) && why.contains(';'), "{filter}: {why}");
    }
    for filter in
        ["range(10)", "repeat(.)", "recurse", "limit(1; .)", "env", "input", "halt", "test(\"a\")", "$ENV"]
    {
        assert!(refused(filter).contains("not known here"), "{filter}: {}", refused(filter));
    }
    assert!(refused("asci_downcase").contains("did you mean `ascii_downcase`?"));
    assert!(refused("{").contains("not a filter"));
    assert!(refused(&"(".repeat(500)).contains("brackets"));
    assert!(refused(&"x".repeat(5_000)).contains("longer"));
}

#[test]
fn filters_that_multiply_work_end_early() {
    let wide = json!(vec![0; 20_000]);
    let long = json!(vec!["x".repeat(400); 2_000]);
    for (filter, body) in [
        ("[.[] as $a | .[] as $b | .[] as $c | 1]", &wide),
        ("first(.[] as $a | .[] as $b | .[] as $c | empty)", &wide),
        ("[.[]? as $a | (.[]? | .[]?)?, .[]? as $b | .[]?]", &wide),
        ("[. as $all | .[] | $all | tostring | length]", &long),
        ("[. as $all | .[] | $all == $all]", &long),
        ("[. as $all | .[] | $all[1:]]", &wide),
        ("[. as $all | .[] | $all | sort]", &wide),
    ] {
        assert_eq!(run(filter, body.clone()), Err(Stopped::TooMuch), "{filter}");
    }
    let doubling = vec!["(., .)"; 40].join("|");
    assert_eq!(run(&format!("[{doubling}]"), json!(1)), Err(Stopped::TooMuch));
    let growing = vec![". + ."; 40].join("|");
    assert_eq!(run(&growing, json!("xxxxxxxxxx")), Err(Stopped::TooMuch));
}

#[test]
fn a_body_or_an_output_too_large_is_not_read() {
    let body = json!("x".repeat(BODY_BYTES_MAX));
    assert_eq!(run(".", body), Err(Stopped::TooMuch));
    assert_eq!(run(".", json!(vec![0; OUTPUT_VALUES_MAX])), Err(Stopped::TooMuch));
}

/// On the stack of a worker; a test has one as large.
#[test]
fn the_deepest_filter_taken_is_run() {
    let chain = |step: &str, last: &str, count: usize| step.repeat(count) + last;
    let mut taken = 0;
    for (filter, count) in (0..=OPERATORS_MAX).flat_map(|count| {
        [
            chain(".|", ".", count),
            chain(".,", ".", count),
            chain(".//", ".", count),
            chain(".+", ".", count),
            chain("-", "1", count),
            chain("try ", ".", count),
            chain(". and ", ".", count),
            chain("(", ".", count) + &")".repeat(count),
            chain("[", ".", count) + &"]".repeat(count),
            chain("{a:", ".", count) + &"}".repeat(count),
            chain(".[", "0", count) + &"]".repeat(count),
            chain("if . then ", "1", count) + &" end".repeat(count),
            chain("map(", ".", count) + &")".repeat(count),
            chain(". as $x|", ".", count),
            chain(". as [$x]|", ".", count),
            chain("\"\\(", ".", count) + &")\"".repeat(count),
        ]
        .map(|filter| (filter, count))
    }) {
        // All that are taken, and of those that are refused the deepest.
        if count > 64 && ![NESTED_MAX, OPERATORS_MAX / 2, OPERATORS_MAX].contains(&count) {
            continue;
        }
        if let Ok(compiled) = Filter::compile(&filter) {
            let body = json!([1, [2]]);
            drop(compiled.run(body.to_string().as_bytes(), &body));
            taken += 1;
        }
    }
    assert!(taken > 300, "{taken}");
}
