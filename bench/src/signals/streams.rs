//! The bar `streams`: thousands of open streams on one node, told of everything once and soon, and what each takes of memory.
//!
//! The clients live in this process, beside the node on the same machine. A signal's time begins before it is sent to the node,
//! so what is told is longer than from its commit.

use super::event_stream::EventStream;
use super::teller::Teller;
use crate::bar::{Complaints, Verdict, grouped, number_in, progress, quantile, raise_open_files};
use crate::overload::process::Process;
use crate::rig::{Rig, RigOptions, Server};
use anyhow::{Context, Result, ensure};
use assay_domain::clock::Stopwatch;
use assay_testkit::PostgresOptions;
use futures_util::{StreamExt, TryStreamExt, stream};
use serde_json::{Value, json};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;
use tokio::sync::watch;
use tokio::task::JoinSet;

/// Each may have a thousand streams.
const ACCOUNTS: usize = 8;
const OPENED_AT_ONCE: usize = 32;
/// Two signals a second.
const EVERY: Duration = Duration::from_millis(500);
/// The bars.
const DELIVERED_WITHIN: Duration = Duration::from_secs(2);
const STREAM_BYTES_MAX: u64 = 32 * 1024;
/// What has not come by then is missing.
const GIVEN_UP_AFTER: Duration = Duration::from_secs(20);
/// For whatever would come twice, and for memory that is on its way.
const SETTLE: Duration = Duration::from_secs(2);
/// All tell the same of these signals.
const PATHS: [&str; 3] = [
    "/v1/signals?kind=funding",
    "/v1/signals?kind=funding&country=DE",
    "/v1/signals?kind=funding&stage=seed&min_amount=1000&currency=EUR",
];
/// Names another number of streams.
const OTHER_STREAMS: &str = "ASSAY_BAR_STREAMS";

struct Size {
    streams: usize,
    signals: usize,
}

const FULL: Size = Size { streams: 5_000, signals: 120 };
const SHORT: Size = Size { streams: 400, signals: 12 };

pub async fn run(short: bool) -> Result<Verdict> {
    let mut size = if short { SHORT } else { FULL };
    if let Some(streams) = number_in(OTHER_STREAMS)? {
        size.streams = usize::try_from(streams)?;
    }
    raise_open_files()?;
    let rig = Rig::start(RigOptions {
        failpoints: false,
        accounts: ACCOUNTS,
        people: 1_000,
        postgres: PostgresOptions::default(),
        one_database: false,
    })?;
    let server = rig.serve(&[])?;
    let mut teller = Teller::new(&rig, &server)?;
    let process = Process(server.pid());
    warm(&rig, &server, &mut teller).await?;
    let before = process.rss()?;
    let mut audience = Audience::open(&rig, &server, &size).await?;
    tokio::time::sleep(SETTLE).await;
    let opened = process.rss()?;
    progress(format!(
        "{} streams are open: {} KiB more memory",
        size.streams,
        (opened.saturating_sub(before)) / 1024
    ));
    let sent = tell(&mut teller, &audience.clock, size.signals).await?;
    audience.wait_for(size.streams * size.signals).await;
    let bytes = process.rss()?.max(opened).saturating_sub(before) / u64::try_from(size.streams)?;
    let mut complaints = Complaints::default();
    let mut took = audience.end(&sent, &mut complaints).await?;
    took.sort_unstable();
    let (p50, p99) = (quantile(&took, 500), quantile(&took, 990));
    let figure = format!(
        "streams: {} open streams on one node, {} signals, two a second: at the stream after {:.0} ms (p50), {:.0} ms (p99; bar {} \
         ms), {:.0} ms at most; {} KiB of memory a stream (bar {}); {} of {} missing or told twice (bar 0)",
        grouped(size.streams),
        size.signals,
        p50.as_secs_f64() * 1e3,
        p99.as_secs_f64() * 1e3,
        DELIVERED_WITHIN.as_millis(),
        quantile(&took, 1_000).as_secs_f64() * 1e3,
        bytes.div_ceil(1024),
        STREAM_BYTES_MAX / 1024,
        complaints.count(),
        grouped(size.streams * size.signals),
    );
    let passed = p99 <= DELIVERED_WITHIN && bytes <= STREAM_BYTES_MAX && complaints.is_empty();
    Ok(Verdict { figure, passed })
}

/// The node has done everything once before its memory is looked at.
async fn warm(rig: &Rig, server: &Server, teller: &mut Teller) -> Result<()> {
    let size = Size { streams: OPENED_AT_ONCE, signals: 1 };
    let mut audience = Audience::open(rig, server, &size).await?;
    teller.tell(&[round("warm")]).await?;
    audience.wait_for(size.streams).await;
    drop(audience);
    tokio::time::sleep(SETTLE).await;
    Ok(())
}

/// When each was sent.
async fn tell(teller: &mut Teller, clock: &Stopwatch, count: usize) -> Result<Vec<Duration>> {
    let mut sent = Vec::with_capacity(count);
    let mut due = tokio::time::interval(EVERY);
    for number in 0..count {
        due.tick().await;
        sent.push(clock.elapsed());
        teller.tell(&[round(&number.to_string())]).await?;
    }
    Ok(sent)
}

/// No two of them are one event: each has a domain of its own, by which it is known again.
fn round(name: &str) -> Value {
    json!({
        "id": format!("told-{name}"), "kind": "funding", "occurredAt": "2026-11-02T09:00:00Z",
        "url": format!("https://wire.example/told/{name}"),
        "company": { "name": format!("Told {name}"), "domain": format!("told-{name}.example"), "country": "DE" },
        "funding": {
            "stage": "seed", "amount": 250_000_000, "currency": "EUR",
            "investors": ["Cedar Hill Ventures", "Lakeside Capital"], "leadInvestors": ["Cedar Hill Ventures"],
        },
    })
}

/// Which signal a line tells of, and when it came.
type Heard = (Option<usize>, Duration);

/// All streams, each with somebody who listens.
struct Audience {
    listening: JoinSet<Result<Vec<Heard>>>,
    heard: Arc<AtomicUsize>,
    clock: Stopwatch,
    stop: watch::Sender<bool>,
}

impl Audience {
    async fn open(rig: &Rig, server: &Server, size: &Size) -> Result<Self> {
        let opening = (0..size.streams).map(|number| {
            let api_key = &rig.accounts[number % rig.accounts.len()].api_key;
            EventStream::open(server.address, PATHS[number % PATHS.len()], api_key)
        });
        let streams: Vec<EventStream> = stream::iter(opening).buffered(OPENED_AT_ONCE).try_collect().await?;
        let (clock, heard, (stop, stopped)) =
            (Stopwatch::start(), Arc::<AtomicUsize>::default(), watch::channel(false));
        let mut listening = JoinSet::new();
        for stream in streams {
            listening.spawn(listen(stream, clock, Arc::clone(&heard), stopped.clone()));
        }
        Ok(Self { listening, heard, clock, stop })
    }

    /// Until so many signals came at all streams together, or it has been too long.
    async fn wait_for(&mut self, count: usize) {
        let waiting = Stopwatch::start();
        while self.heard.load(Ordering::Relaxed) < count && waiting.elapsed() < GIVEN_UP_AFTER {
            tokio::time::sleep(Duration::from_millis(50)).await;
        }
        tokio::time::sleep(SETTLE).await;
    }

    /// How long each signal took to each stream. What is missing, or came twice, is complained of.
    async fn end(self, sent: &[Duration], complaints: &mut Complaints) -> Result<Vec<Duration>> {
        self.stop.send_replace(true);
        let mut took = Vec::new();
        for heard in self.listening.join_all().await {
            let mut counts = vec![0_usize; sent.len()];
            for (number, at) in heard? {
                let known = number.and_then(|number| Some((counts.get_mut(number)?, sent.get(number)?)));
                let Some((count, sent)) = known else {
                    complaints.add("a stream was told of something that nobody sent");
                    continue;
                };
                *count += 1;
                took.push(at.saturating_sub(*sent));
            }
            for (number, count) in counts.iter().enumerate().filter(|(_, count)| **count != 1) {
                complaints.add(format!("a stream was told {count} times of signal {number}"));
            }
        }
        ensure!(!took.is_empty(), "nobody was told of anything");
        Ok(took)
    }
}

/// A stream that ends before it is told to has failed.
async fn listen(
    mut stream: EventStream,
    clock: Stopwatch,
    count: Arc<AtomicUsize>,
    mut stop: watch::Receiver<bool>,
) -> Result<Vec<Heard>> {
    let mut heard = Vec::new();
    loop {
        let mut note = |line: &[u8]| {
            if line.starts_with(b"data: ") {
                heard.push((number_told(line), clock.elapsed()));
                count.fetch_add(1, Ordering::Relaxed);
            }
        };
        tokio::select! {
            read = stream.read(&mut note) => read.context("a stream failed")?,
            _ = stop.wait_for(|stop| *stop) => return Ok(heard),
        }
    }
}

fn number_told(line: &[u8]) -> Option<usize> {
    let line = std::str::from_utf8(line).ok()?;
    let (_, name) = line.split_once("\"domain\":\"told-")?;
    name.split_once(".example\"")?.0.parse().ok()
}
