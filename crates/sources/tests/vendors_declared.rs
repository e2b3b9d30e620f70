//! Vendors from a file: the shipped example works end to end, and a wrong file says where and how to mend it.
#![expect(clippy::panic, reason = "a test that fails says why")]

mod vendors_kit;

use assay_domain::Lookup;
use assay_sources::DeclarativeVendor;
use assay_sources::{Credentials, Price, Question, Reading, Subject, Vendor};
use std::time::Duration;
use vendors_kit::{KEY, fixtures, said, shown};

const EXAMPLE: &str = include_str!("../../../docs/providers/example.toml");

fn parse(text: &str) -> DeclarativeVendor {
    DeclarativeVendor::parse(text).unwrap_or_else(|error| panic!("{error}"))
}

fn refused(text: &str) -> String {
    match DeclarativeVendor::parse(text) {
        Ok(_) => panic!("it is taken: {text}"),
        Err(error) => error.to_string(),
    }
}

/// The example with one piece of it replaced.
fn with(from: &str, to: &str) -> String {
    assert!(EXAMPLE.contains(from), "{from}");
    EXAMPLE.replacen(from, to, 1)
}

#[test]
fn the_shipped_example_asks_and_answers() {
    let vendor = parse(EXAMPLE);
    let fixtures = fixtures("example");
    assert!(fixtures.len() >= 12);
    for fixture in &fixtures {
        let request = vendor.request(&fixture.question(), &Credentials::new(KEY));
        let request = request.unwrap_or_else(|| panic!("{} cannot be asked", fixture.path));
        if let Some(expected) = &fixture.request {
            assert_eq!(&shown(&request), expected, "{}", fixture.path);
        }
        assert_eq!(said(&fixture.read(&vendor)), fixture.expect, "{}", fixture.path);
    }
    for asked in vendor.facts().lookups.iter() {
        assert!(fixtures.iter().any(|fixture| fixture.lookup() == asked.lookup), "{}", asked.lookup);
    }
}

#[test]
fn the_example_says_what_it_costs_and_allows() {
    let vendor = parse(EXAMPLE);
    let facts = vendor.facts();
    assert_eq!((&*facts.name, &*facts.base_url), ("example", "https://api.provider.example"));
    assert_eq!(vendor.facts().timeout, Some(Duration::from_secs(10)));
    assert_eq!(vendor.facts().requests_per_minute, Some(300));
    assert_eq!(vendor.facts().rights.retention_days, Some(365));
    let price = |lookup| vendor.facts().price_of(lookup);
    assert_eq!(price(Lookup::WorkEmail), Some(Price::PerHit(20_000)));
    assert_eq!(price(Lookup::Verify), Some(Price::PerCall(5_000)));
    assert_eq!(price(Lookup::Phone), None);
}

#[test]
fn a_question_without_what_the_template_needs_is_not_asked() {
    let vendor = parse(EXAMPLE);
    for mut fixture in fixtures("example").into_iter().map(|fixture| fixture.question()) {
        fixture.subject = Subject::default();
        assert_eq!(vendor.request(&fixture, &Credentials::new(KEY)), None);
        fixture.lookup = Lookup::Line;
        assert_eq!(vendor.request(&fixture, &Credentials::new(KEY)), None);
    }
}

#[test]
fn what_is_filled_in_cannot_lead_to_another_path() {
    let vendor = parse(&with("/v1/verify/{{ email }}", "/v1/{{ company_name }}/verify"));
    let mut question = Question { lookup: Lookup::Verify, subject: Subject::default() };
    for (name, path) in
        [("a/b", Some("/v1/a%2Fb/verify")), ("..", None), (".", None), ("...", Some("/v1/.../verify"))]
    {
        question.subject.company_name = Some(name.to_owned());
        let asked = vendor.request(&question, &Credentials::new(KEY));
        assert_eq!(asked.as_ref().map(|asked| asked.path.as_str()), path);
    }
}

#[test]
fn a_key_goes_where_the_file_says_and_shows_nowhere_else() {
    let secret = Credentials::new("very-secret-key");
    let auth = "kind = \"header\"                   # the key goes into a header; or bearer, basic, query\nname = \"X-Api-Key\"";
    for (written, header, query) in [
        ("kind = \"header\"\nname = \"X-Own\"", Some(("X-Own", "very-secret-key")), None),
        ("kind = \"bearer\"", Some(("Authorization", "Bearer very-secret-key")), None),
        ("kind = \"basic\"", Some(("Authorization", "Basic dmVyeS1zZWNyZXQta2V5")), None),
        ("kind = \"query\"\nname = \"token\"", None, Some(("token", "very-secret-key"))),
    ] {
        let vendor = parse(&with(auth, written));
        let question = fixtures("example").first().map(|fixture| fixture.question()).unwrap();
        let request = vendor.request(&question, &secret).unwrap();
        let has = |pairs: &[(String, String)], wanted: Option<(&str, &str)>| {
            wanted.is_none_or(|(name, value)| pairs.iter().any(|(n, v)| n == name && v == value))
        };
        assert!(has(&request.headers, header) && has(&request.query, query), "{written}");
        assert!(!format!("{vendor:?} {request:?}").contains("secret"));
    }
}

#[test]
fn a_wrong_file_says_where_what_and_how_to_mend_it() {
    for (text, place, told) in [
        (with("name = \"example\"", "nmae = \"example\""), "`name`", "is missing"),
        (with("timeout_ms", "timeout"), "`timeout`", "did you mean `timeout_ms`?"),
        (with("miss_when", "mis_when"), "`lookups.work_email.mis_when`", "did you mean `miss_when`?"),
        (with("[lookups.verify]", "[lookups.verfy]"), "`lookups.verfy`", "did you mean `verify`?"),
        (with("[auth]", "[atuh]"), "`auth`", "[auth]"),
        (with("kind = \"header\"", "kind = \"haeder\""), "`auth.kind`", "did you mean `header`?"),
        (with("\"{{ first_name }}\"", "\"{{ firstname }}\""), "`lookups.work_email.body`", "`first_name`?"),
        (with("\"{{ network_url }}\"", "\"{{ url }\""), "`lookups.person.query.profile`", "not a template"),
        (with(".result.email,", ".result.email,,"), "`lookups.work_email.answer`", "jq"),
        (with("'.state == \"unknown\"'", "'.state = 1'"), "`lookups.verify.miss_when`", "`==`"),
        (with("map(select", "mapp(select"), "`lookups.person.answer`", "did you mean `map`?"),
        (with("= 20000", "= \"2 cents\""), "`lookups.work_email.price_per_hit_micros`", "whole number"),
        (with("price_per_call_micros = 5000", ""), "`lookups.verify.price_per_hit_micros`", "missing"),
        (with("[404]", "[200]"), "`lookups.person.miss_statuses`", "400 to 499"),
        (with("[404]", "[404, 429]"), "`lookups.person.miss_statuses`", "never do"),
        (with("\"rate_limited\"", "\"ratelimited\""), "`lookups.work_email.errors.420`", "`rate_limited`?"),
        (with("https://api.provider.example", "ftp://x"), "`base_url`", "https://"),
        (with("\"/v1/find\"", "\"v1/find\""), "`lookups.work_email.path`", "slash"),
        (with("method = \"POST\"", "method = \"GET\""), "`lookups.work_email.body`", "POST"),
        (with("method = \"POST\"", "method = \"PUT\""), "`lookups.work_email.method`", "GET or POST"),
        (with("name = \"example\"", "name = \"My Provider\""), "`name`", "a-z"),
        (with("storable = true", "storable = \"yes\""), "`rights.storable`", "true nor false"),
        (
            with("requests_per_minute = 300", "requests_per_minute = 0"),
            "`requests_per_minute`",
            "leave it out",
        ),
        (with("[rights]", "[rights"), "`file`", "line 11"),
    ] {
        let error = refused(&text);
        assert!(error.contains(place), "{place}: {error}");
        assert!(error.contains(told), "{told}: {error}");
        assert!(error.contains("to mend it: "), "{error}");
    }
}

#[test]
fn whatever_comes_back_a_failure_is_no_hit_and_no_miss() {
    let vendor = parse(EXAMPLE);
    for fixture in fixtures("example") {
        for status in [408, 500, 503, 301] {
            let reading = fixture.read_with(&vendor, status, &fixture.body_text());
            assert!(!matches!(reading, Reading::Hit(_) | Reading::Miss), "{} {status}", fixture.path);
        }
        for body in ["", "<html>", "{\"person\":", "nul"] {
            for status in [200, 404] {
                let reading = fixture.read_with(&vendor, status, body);
                assert!(!matches!(reading, Reading::Hit(_) | Reading::Miss), "{} {body}", fixture.path);
            }
        }
    }
}

#[test]
fn a_hostile_body_ends_in_time() {
    let vendor = parse(EXAMPLE);
    let deep = format!("{}1{}", "[".repeat(100_000), "]".repeat(100_000));
    let emails = "{\"kind\":\"work\",\"address\":\"x\"},".repeat(25_000);
    let wide = format!("{{\"person\":{{\"emails\":[{}{{}}]}}}}", emails);
    let large = format!("{{\"person\":\"{}\"}}", "x".repeat(3_000_000));
    for fixture in fixtures("example") {
        for body in [&deep, &wide, &large] {
            let reading = fixture.read_with(&vendor, 200, body);
            assert!(
                !matches!(reading, Reading::Hit(_) | Reading::Miss),
                "{}: {}",
                fixture.path,
                reading.as_str()
            );
        }
    }
}
