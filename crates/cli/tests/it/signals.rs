//! Signals over HTTP: given by an operator, one for each event, fed in an order from which nobody misses anything.

use crate::support::{Customer, Installation, Server, WORLD};
use assay_testkit::Stopwatch;
use serde_json::{Value, json};
use std::io::{BufRead, BufReader, Write};
use std::net::TcpStream;
use std::time::Duration;

const PATIENCE: Duration = Duration::from_secs(20);
/// Of 120 requests a minute that an account may send.
const LOOK_EVERY: Duration = Duration::from_millis(250);

fn operator(installation: &Installation) -> Customer {
    let Customer { account, .. } = installation.customer("trial");
    let create = ["key", "create", "--account", &account, "--scopes", "operator"];
    let key = installation.ok(&create).trim().to_owned();
    Customer { account, key }
}

fn ingest(server: &Server, operator: &Customer, source: &str, signals: &[Value]) -> Value {
    let body = json!({ "source": source, "signals": signals });
    server.call(operator, "POST", "/v1/ingest/signals", &body).is_ok()
}

/// What a page says, once it has as many rows as are waited for.
fn feed(server: &Server, customer: &Customer, query: &str, rows: usize) -> Value {
    let watch = Stopwatch::start();
    loop {
        let page = server.get(customer, &format!("/v1/signals?{query}")).is_ok();
        if page["results"].as_array().unwrap().len() == rows || watch.elapsed() > PATIENCE {
            assert_eq!(page["results"].as_array().unwrap().len(), rows, "{page}");
            return page;
        }
        std::thread::sleep(LOOK_EVERY);
    }
}

fn round(id: &str, company: &Value, stage: &str, amount: Option<i64>) -> Value {
    json!({
        "id": id, "kind": "funding", "occurredAt": "2026-11-02T09:00:00Z", "company": company,
        "funding": { "stage": stage, "amount": amount, "currency": "USD", "investors": ["Cedar Hill"] },
    })
}

#[test]
fn one_round_from_two_sources_is_one_signal_that_comes_again_with_its_second() {
    let installation = Installation::new();
    let (operator, customer) = (operator(&installation), installation.customer("indie"));
    let server = installation.serve();
    let facts = WORLD.company(3).facts;
    let company = json!({ "name": facts.name, "domain": facts.domain });
    let told = ingest(&server, &operator, "wire", &[round("r-1", &company, "series_a", None)]);
    assert_eq!((&told["accepted"], &told["rejected"]), (&json!(1), &json!([])));
    let page = feed(&server, &customer, "kind=funding", 1);
    let first = &page["results"][0];
    assert_eq!((&first["kind"], &first["revision"]), (&json!("funding"), &json!(1)));
    assert!(first["id"].as_str().unwrap().starts_with("sig_"));
    assert!(first["company"]["id"].as_str().unwrap().starts_with("com_"), "it is one the graph knows");
    assert_eq!(page["cost"]["credits"], json!(0));
    assert!(page["feed_lag_seconds"].as_f64().unwrap() < 20.0);
    // By its name alone, from another source, with an amount.
    let named = json!({ "name": facts.name });
    ingest(&server, &operator, "filings", &[round("f-9", &named, "other", Some(900_000_000))]);
    let cursor = page["next_cursor"].as_str().unwrap();
    let next = feed(&server, &customer, &format!("kind=funding&cursor={cursor}"), 1);
    let again = &next["results"][0];
    assert_eq!((&again["id"], &again["revision"]), (&first["id"], &json!(2)));
    assert_eq!(
        (&again["funding"]["stage"], &again["funding"]["amount"]),
        (&json!("series_a"), &json!(900_000_000))
    );
    let names: Vec<&Value> =
        again["sources"].as_array().unwrap().iter().map(|source| &source["name"]).collect();
    assert_eq!(names, ["wire", "filings"]);
    // Said once more it is nothing new.
    ingest(&server, &operator, "wire", &[round("r-1", &company, "series_a", None)]);
    let cursor = next["next_cursor"].as_str().unwrap();
    feed(&server, &customer, &format!("kind=funding&cursor={cursor}"), 0);
    feed(&server, &customer, "kind=funding", 1);
    // Filters.
    let domain = facts.domain.unwrap();
    for (query, rows) in [
        (format!("domain={domain}"), 1),
        ("domain=nobody.example".to_owned(), 0),
        ("stage=series_a".to_owned(), 1),
        ("stage=seed".to_owned(), 0),
        ("min_amount=900000000".to_owned(), 1),
        ("min_amount=900000001".to_owned(), 0),
        ("min_amount=900000000&currency=USD".to_owned(), 1),
        ("min_amount=1&currency=EUR".to_owned(), 0),
        ("stage=seed,series_a".to_owned(), 1),
        ("stage=seed,series_b".to_owned(), 0),
        (format!("domain=nobody.example,{domain},{domain}"), 1),
        ("industry=Leisure,%20Travel%20%26%20Tourism,Health,%20Wellness%20and%20Fitness".to_owned(), 0),
        ("since=2026-11-02T09:00:00Z".to_owned(), 1),
        ("until=2026-11-02T09:00:00Z".to_owned(), 0),
    ] {
        feed(&server, &customer, &format!("kind=funding&{query}"), rows);
    }
    feed(&server, &customer, "kind=acquisition", 0);
}

/// An open stream, read line by line.
struct Stream(BufReader<TcpStream>);

impl Stream {
    fn open(server: &Server, customer: &Customer, query: &str, last: Option<&str>) -> Self {
        let mut socket = TcpStream::connect(server.api).unwrap();
        socket.set_read_timeout(Some(PATIENCE)).unwrap();
        let last = last.map(|id| format!("last-event-id: {id}\r\n")).unwrap_or_default();
        let head = format!(
            "GET /v1/signals?{query} HTTP/1.1\r\nhost: assay\r\nauthorization: Bearer {}\r\naccept: text/event-stream\r\n{last}\r\n",
            customer.key
        );
        socket.write_all(head.as_bytes()).unwrap();
        let mut stream = Self(BufReader::new(socket));
        let status = stream.line();
        assert!(status.starts_with("HTTP/1.1 200"), "{status}");
        let mut is_stream = false;
        loop {
            let line = stream.line().to_ascii_lowercase();
            is_stream |= line.starts_with("content-type: text/event-stream");
            if line.is_empty() {
                assert!(is_stream);
                return stream;
            }
        }
    }

    fn line(&mut self) -> String {
        let mut line = String::new();
        self.0.read_line(&mut line).unwrap();
        line.trim_end().to_owned()
    }

    /// The next event: its id and its signal.
    fn next(&mut self) -> (String, Value) {
        let mut id = String::new();
        loop {
            let line = self.line();
            if let Some(told) = line.strip_prefix("id: ") {
                told.clone_into(&mut id);
            }
            if let Some(data) = line.strip_prefix("data: ") {
                return (id, serde_json::from_str(data).unwrap());
            }
        }
    }
}

#[test]
fn the_feed_goes_on_as_it_happens_and_from_where_it_was_cut() {
    let installation = Installation::new();
    let (operator, customer) = (operator(&installation), installation.customer("indie"));
    let server = installation.serve();
    let send = |id: &str, name: &str, stage: &str| {
        ingest(&server, &operator, "wire", &[round(id, &json!({ "name": name }), stage, None)]);
    };
    let mut all = Stream::open(&server, &customer, "kind=funding", None);
    let mut seeds = Stream::open(&server, &customer, "kind=funding&stage=pre_seed,seed", None);
    send("1", "Nimbus Robotics", "series_a");
    send("2", "Harbour Analytics", "seed");
    let (first, signal) = all.next();
    assert_eq!(signal["company"]["name"], json!("Nimbus Robotics"));
    assert_eq!(all.next().1["company"]["name"], json!("Harbour Analytics"));
    assert_eq!(seeds.next().1["company"]["name"], json!("Harbour Analytics"));
    // Cut off, it goes on after what it had; and the page of the same place says the same.
    drop(all);
    send("3", "Cedar Foods", "grant");
    let mut again = Stream::open(&server, &customer, "kind=funding", Some(&first));
    let names: Vec<Value> = (0..2).map(|_| again.next().1["company"]["name"].clone()).collect();
    assert_eq!(names, [json!("Harbour Analytics"), json!("Cedar Foods")]);
    let page = feed(&server, &customer, &format!("kind=funding&cursor={first}"), 2);
    assert_eq!(page["results"][1]["company"]["name"], json!("Cedar Foods"));
    // What is said again comes again, with what it is now.
    send("1", "Nimbus Robotics", "series_b");
    let (_, amended) = again.next();
    assert_eq!((&amended["revision"], &amended["funding"]["stage"]), (&json!(2), &json!("series_b")));
}

#[test]
fn amounts_are_compared_within_one_currency_by_pages_and_by_streams() {
    let installation = Installation::new();
    let (operator, customer) = (operator(&installation), installation.customer("indie"));
    let server = installation.serve();
    let asked = ["kind=funding&min_amount=500", "kind=funding&min_amount=500&currency=EUR"];
    let streams = asked.map(|query| Stream::open(&server, &customer, query, None));
    for (name, currency) in [("Polder Foods", "EUR"), ("Mesa Analytics", "USD")] {
        let mut said = round(name, &json!({ "name": name }), "seed", Some(700));
        said["funding"]["currency"] = json!(currency);
        ingest(&server, &operator, "wire", &[said]);
    }
    for ((mut stream, query), name) in streams.into_iter().zip(asked).zip(["Mesa Analytics", "Polder Foods"])
    {
        assert_eq!(stream.next().1["company"]["name"], json!(name), "{query}");
        assert_eq!(
            feed(&server, &customer, query, 1)["results"][0]["company"]["name"],
            json!(name),
            "{query}"
        );
    }
}

#[test]
fn who_changed_jobs_is_masked_and_gone_once_erased() {
    let installation = Installation::new();
    let (operator, customer) = (operator(&installation), installation.customer("indie"));
    let server = installation.serve();
    let url = (0..WORLD.people_count()).find_map(|number| WORLD.person(number).facts.network_url).unwrap();
    let change = json!({
        "id": "c-1", "kind": "job-change", "occurredAt": "2026-11-02T09:00:00Z", "url": "https://posts.example/xylia",
        "company": { "name": "Acme" }, "person": { "fullName": "Xylia Quorn", "networkUrl": url },
        "change": { "kind": "new_company", "to": { "title": "Head of Sales", "company": { "name": "Acme" } } },
        "announcement_text": "Xylia here: I am happy to share",
    });
    let told = ingest(&server, &operator, "posts", std::slice::from_ref(&change));
    assert_eq!(told["accepted"], json!(1), "{told}");
    let page = feed(&server, &customer, "kind=job-change&department=sales", 1);
    assert_eq!(page["results"][0]["person"], json!({ "fullName": "X•••• Q••••" }));
    let shown = page.to_string().to_lowercase();
    assert!(!shown.contains("xylia") && !shown.contains(&url.as_str().to_lowercase()), "{page}");
    let gone = server.call(&operator, "POST", "/v1/suppressions", &json!({ "networkUrl": url }));
    assert_eq!(gone.status, 201, "{}", gone.text());
    feed(&server, &customer, "kind=job-change", 0);
    let told = ingest(&server, &operator, "posts", &[change]);
    assert_eq!((&told["accepted"], &told["rejected"][0]["index"]), (&json!(0), &json!(0)));
}

#[test]
fn what_is_asked_wrongly_is_refused_and_what_cannot_be_taken_is_told_by_its_place() {
    let installation = Installation::new();
    let (operator, trial, indie) =
        (operator(&installation), installation.customer("trial"), installation.customer("indie"));
    let server = installation.serve();
    // A trial has the rights of the smallest paid plan.
    server.get(&trial, "/v1/signals?kind=funding").is_ok();
    server.get(&indie, "/v1/signals").is_problem(422, "validation_failed");
    server.get(&indie, "/v1/signals?kind=engagement").is_problem(422, "validation_failed");
    let elsewhere = "eyJlcG9jaCI6IjAwMDAwMDAwLTAwMDAtMDAwMC0wMDAwLTAwMDAwMDAwMDAwMSIsInNlcSI6MX0";
    server
        .get(&indie, &format!("/v1/signals?kind=funding&cursor={elsewhere}"))
        .is_problem(410, "cursor_expired");
    server
        .call(&indie, "POST", "/v1/ingest/signals", &json!({ "signals": [] }))
        .is_problem(403, "insufficient_scope");
    let good = round("1", &json!({ "name": "Acme" }), "seed", None);
    let mut bare = good.clone();
    bare.as_object_mut().unwrap().remove("funding");
    let mut odd = good.clone();
    odd["company"]["domain"] = json!("no domain");
    let told = ingest(&server, &operator, "own", &[good, bare, odd]);
    let places: Vec<(&Value, &Value)> =
        told["rejected"].as_array().unwrap().iter().map(|row| (&row["index"], &row["field"])).collect();
    assert_eq!(told["accepted"], json!(1));
    assert_eq!(places, [(&json!(1), &json!("funding")), (&json!(2), &json!("company"))]);
}

/// A node remembers for a moment where the feed stood. What came since is shown, and from there it goes on at once.
#[test]
fn whoever_is_further_than_the_node_remembers_goes_on_at_once_and_sees_nothing_twice() {
    let installation = Installation::new();
    let (operator, customer) = (operator(&installation), installation.customer("indie"));
    let server = installation.serve();
    let page =
        |cursor: &str| server.get(&customer, &format!("/v1/signals?kind=funding&limit=10{cursor}")).is_ok();
    let mut seen = page("");
    for number in 0..5 {
        let name = format!("Mesa {number}");
        ingest(&server, &operator, "wire", &[round(&name, &json!({ "name": name }), "seed", Some(7))]);
        let watch = Stopwatch::start();
        let shown = loop {
            seen = page(&format!("&cursor={}", seen["next_cursor"].as_str().unwrap()));
            match seen["results"].as_array().unwrap().as_slice() {
                [] => {
                    assert!(watch.elapsed() < PATIENCE, "{name} was never shown");
                    std::thread::sleep(LOOK_EVERY);
                }
                shown => break shown.to_vec(),
            }
        };
        assert_eq!(shown.len(), 1, "{shown:?}");
        assert_eq!(shown[0]["company"]["name"], json!(name));
    }
    let rest = page(&format!("&cursor={}", seen["next_cursor"].as_str().unwrap()));
    assert_eq!(rest["results"], json!([]));
}

#[test]
fn a_thousand_signals_with_long_texts_are_one_call() {
    let installation = Installation::new();
    let (operator, customer) = (operator(&installation), installation.customer("indie"));
    let server = installation.serve();
    let text = "I am happy to share. ".repeat(200);
    let signals: Vec<Value> = (0..1_000)
        .map(|number| {
            json!({
                "id": format!("c-{number}"), "kind": "job-change", "occurredAt": "2026-11-02T09:00:00Z",
                "company": { "name": "Acme" }, "person": { "fullName": format!("Zadie Q{number}") },
                "change": { "kind": "promotion", "to": { "title": "CFO", "company": { "name": "Acme" } } },
                "announcement_text": text,
            })
        })
        .collect();
    let told = ingest(&server, &operator, "posts", &signals);
    assert_eq!((&told["accepted"], &told["rejected"]), (&json!(1_000), &json!([])));
    let mut seen = feed(&server, &customer, "kind=job-change&since=2026-11-01T00:00:00Z&limit=100", 100);
    let mut rows = 100;
    while rows < 1_000 {
        let cursor = seen["next_cursor"].as_str().unwrap();
        seen =
            server.get(&customer, &format!("/v1/signals?kind=job-change&limit=100&cursor={cursor}")).is_ok();
        let more = seen["results"].as_array().unwrap().len();
        assert!(more > 0, "only {rows} came");
        rows += more;
    }
    assert_eq!(rows, 1_000);
}
