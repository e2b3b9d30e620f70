//! The bar `feed-cost`: a page of the feed over HTTP beside the same query on PostgreSQL alone, and among ten times as many
//! signals.
//!
//! Two installations, one of them ten times as large; each page is read over HTTP and by one prepared statement in turn, and
//! so are the installations. Both ways must show the same signals. Places are drawn from the whole feed, kinds are as unequal
//! as they are. The signals are made up: these are regression figures.

use super::heap;
use crate::bar::{Verdict, grouped, median, number_in, progress, quantile};
use crate::http_client::{Client, Exchange};
use crate::rig::{Rig, RigOptions, Server};
use crate::world::{LOAD_SETTINGS, people_that_fit};
use anyhow::{Context, Result, bail, ensure};
use assay_domain::SignalId;
use assay_domain::clock::Stopwatch;
use assay_testkit::PostgresOptions;
use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use serde_json::Value;
use sqlx::postgres::PgConnection;
use sqlx::{AssertSqlSafe, Connection, Row};
use std::time::Duration;

const ACCOUNTS: usize = 8;
const PAGE: usize = 50;
const SEED: u64 = 91;
/// The bars.
const RATIO_MAX: f64 = 2.0;
const GROWTH_MAX: f64 = 1.3;
/// With everything that is kept of it.
const SIGNAL_BYTES: u64 = 2_400;
/// Names another larger size; the smaller is a tenth of it.
const OTHER_SIGNALS: &str = "ASSAY_BAR_SIGNALS";
const WARM: &str = "create extension pg_prewarm;
    select pg_prewarm('signal_feed', 'read'), pg_prewarm('signal_feed'), pg_prewarm('signal_feed_place'),
        pg_prewarm('signal_feed_domain')";

struct Size {
    large: u64,
    rounds: usize,
    /// Of each form, in a round.
    pages: usize,
}

const FULL: Size = Size { large: 10_000_000, rounds: 7, pages: 60 };
const SHORT: Size = Size { large: 100_000, rounds: 5, pages: 40 };

/// A way to ask: as the path says it, and as SQL does after kind and place.
struct Form {
    name: &'static str,
    kind: &'static str,
    number: i16,
    query: &'static str,
    sql: &'static str,
    /// Without a cursor.
    is_newest: bool,
}

const FORMS: [Form; 6] = [
    Form { name: "jobs", kind: "hiring", number: 3, query: "", sql: "", is_newest: false },
    Form { name: "purchases", kind: "acquisition", number: 2, query: "", sql: "", is_newest: false },
    Form { name: "newest rounds", kind: "funding", number: 1, query: "", sql: "", is_newest: true },
    Form {
        name: "rounds in a country",
        kind: "funding",
        number: 1,
        query: "&country=DE",
        sql: "and country = 'DE'",
        is_newest: false,
    },
    Form {
        name: "rounds by stage and amount",
        kind: "funding",
        number: 1,
        query: "&stage=series_a&min_amount=5000000000",
        sql: "and stage = 'series_a' and amount >= 5000000000 and currency = 'USD'",
        is_newest: false,
    },
    Form { name: "jobs at a company", kind: "hiring", number: 3, query: "", sql: "", is_newest: false },
];
/// The last of them.
const AT_A_COMPANY: usize = FORMS.len() - 1;

pub async fn run(short: bool) -> Result<Verdict> {
    progress("the signals are made up: these are regression figures, not claims about real data");
    let size = if short { SHORT } else { FULL };
    let wanted = number_in(OTHER_SIGNALS)?.unwrap_or(size.large);
    // Both are there at once.
    let large = wanted.min(people_that_fit(&std::env::temp_dir(), SIGNAL_BYTES)? / 11 * 10);
    ensure!(large >= 10_000, "the disk has no room for {large} signals");
    let mut few = Scene::set(large / 10).await?;
    let mut many = Scene::set(large).await?;
    let mut rounds = Vec::new();
    for round in 0..=size.rounds {
        let pair = (few.measure(size.pages).await?, many.measure(size.pages).await?);
        // The first is for everybody to warm up.
        if round > 0 {
            progress(format!("round {round}: {} | {}", pair.0.told(), pair.1.told()));
            rounds.push(pair);
        }
    }
    let ratio_of = |page: fn(&(Pages, Pages)) -> &Pages| median(rounds.iter().map(|pair| page(pair).ratio()));
    let (few_ratio, many_ratio) = (ratio_of(|pair| &pair.0), ratio_of(|pair| &pair.1));
    let growth = median(rounds.iter().map(|(few, many)| many.http() / few.http()));
    // One way to ask whose bare query is slow would hide what the others cost.
    let mut worst: f64 = 0.0;
    for (number, form) in FORMS.iter().enumerate() {
        let ratio = median(rounds.iter().map(|(_, many)| many.ratio_of(number)));
        progress(format!("{}: {ratio:.2} x", form.name));
        worst = worst.max(ratio);
    }
    let figure = format!(
        "feed-cost: a page of {PAGE} signals over HTTP against its bare query: p50 {few_ratio:.2} x among {}, {many_ratio:.2} x \
         among {} ({:.2} ms), at worst {worst:.2} x of one way to ask (bar {RATIO_MAX}); with ten times as many signals p50 {growth:.2} x (bar {GROWTH_MAX}); medians of {} \
         rounds, {} ways to ask (made up: a regression figure)",
        grouped(usize::try_from(few.count)?),
        grouped(usize::try_from(many.count)?),
        median(rounds.iter().map(|(_, many)| many.http())) * 1e3,
        rounds.len(),
        FORMS.len(),
    );
    let passed = few_ratio.max(many_ratio).max(worst) <= RATIO_MAX && growth <= GROWTH_MAX;
    Ok(Verdict { figure, passed })
}

/// How long pages took, both ways, by form.
struct Pages(Vec<(Vec<Duration>, Vec<Duration>)>);

impl Pages {
    /// Each form counts the same: of each its median, together.
    fn http(&self) -> f64 {
        self.0.iter().map(|(http, _)| quantile(http, 500).as_secs_f64()).sum::<f64>() / forms()
    }

    fn bare(&self) -> f64 {
        self.0.iter().map(|(_, bare)| quantile(bare, 500).as_secs_f64()).sum::<f64>() / forms()
    }

    fn ratio(&self) -> f64 {
        self.http() / self.bare()
    }

    fn ratio_of(&self, form: usize) -> f64 {
        let (http, bare) = &self.0[form];
        quantile(http, 500).as_secs_f64() / quantile(bare, 500).as_secs_f64()
    }

    fn told(&self) -> String {
        format!("{:.2} ms over HTTP, {:.2} ms bare", self.http() * 1e3, self.bare() * 1e3)
    }
}

fn forms() -> f64 {
    f64::from(u32::try_from(FORMS.len()).unwrap_or(u32::MAX))
}

/// An installation with so many signals, and both ways to ask it.
struct Scene {
    rig: Rig,
    server: Server,
    client: Client,
    bare: PgConnection,
    count: u64,
    head: i64,
    /// A cursor that the node gave, as it is inside.
    cursor: Value,
    random: ChaCha8Rng,
    calls: usize,
}

/// One page to be read both ways.
struct Asked {
    form: usize,
    after: i64,
    domain: String,
}

impl Scene {
    async fn set(count: u64) -> Result<Self> {
        let rig = Rig::start(RigOptions {
            failpoints: false,
            accounts: ACCOUNTS,
            people: 1_000,
            postgres: PostgresOptions::with_settings(&LOAD_SETTINGS),
            one_database: false,
        })?;
        heap::fill(&rig, count).await?;
        rig.postgres.psql(rig.graph_name(), WARM)?;
        let server = rig.serve(&[])?;
        let mut bare = PgConnection::connect(&rig.graph_url()).await?;
        sqlx::query("set jit = off").execute(&mut bare).await?;
        let head = sqlx::query_scalar("select max(seq) from signal_feed").fetch_one(&mut bare).await?;
        let (client, random) = (server.client(), ChaCha8Rng::seed_from_u64(SEED));
        let mut scene =
            Self { rig, server, client, bare, count, head, cursor: Value::Null, random, calls: 0 };
        let page = scene.get("/v1/signals?kind=hiring").await?.0;
        let cursor = page["next_cursor"].as_str().context("a page without a cursor")?;
        scene.cursor = serde_json::from_slice(&URL_SAFE_NO_PAD.decode(cursor)?)?;
        Ok(scene)
    }

    async fn measure(&mut self, pages: usize) -> Result<Pages> {
        // The node has hung up while the other installation was filled.
        self.client = self.server.client();
        self.get("/v1/signals?kind=hiring").await?;
        let mut all: Vec<(Vec<Duration>, Vec<Duration>)> = FORMS.iter().map(|_| Default::default()).collect();
        for number in 0..pages {
            for (form, (http, bare)) in all.iter_mut().enumerate() {
                let asked = self.draw(form);
                // Who comes first finds less in memory.
                let (page, rows) = if number.is_multiple_of(2) {
                    let page = self.over_http(&asked).await?;
                    (page, self.alone(&asked).await?)
                } else {
                    let rows = self.alone(&asked).await?;
                    (self.over_http(&asked).await?, rows)
                };
                ensure!(page.0 == rows.0, "{} after {}: other signals", FORMS[form].name, asked.after);
                ensure!(page.0.len() == PAGE, "{} after {}: no full page", FORMS[form].name, asked.after);
                http.push(page.1);
                bare.push(rows.1);
            }
        }
        for (http, bare) in &mut all {
            http.sort_unstable();
            bare.sort_unstable();
        }
        Ok(Pages(all))
    }

    /// Far enough from the end that the page is full.
    fn draw(&mut self, form: usize) -> Asked {
        let company = self.random.random_range(0..heap::companies(self.count));
        let last = if form == AT_A_COMPANY { self.head / 2 } else { self.head * 3 / 10 };
        Asked { form, after: self.random.random_range(0..last), domain: format!("c{company}.example") }
    }

    async fn over_http(&mut self, asked: &Asked) -> Result<(Vec<String>, Duration)> {
        let form = &FORMS[asked.form];
        let mut path = format!("/v1/signals?kind={}&limit={PAGE}{}", form.kind, form.query);
        if !form.is_newest {
            self.cursor["seq"] = asked.after.into();
            path.push_str(&format!("&cursor={}", URL_SAFE_NO_PAD.encode(self.cursor.to_string())));
        }
        if asked.form == AT_A_COMPANY {
            path.push_str(&format!("&domain={}", asked.domain));
        }
        let (page, took) = self.get(&path).await?;
        let rows = page["results"].as_array().context("a page without rows")?;
        Ok((rows.iter().filter_map(|row| row["id"].as_str()).map(str::to_owned).collect(), took))
    }

    async fn get(&mut self, path: &str) -> Result<(Value, Duration)> {
        self.calls += 1;
        let api_key = &self.rig.accounts[self.calls % ACCOUNTS].api_key;
        let watch = Stopwatch::start();
        let answer = self.client.get(path, api_key).await;
        let took = watch.elapsed();
        match answer {
            Exchange::Whole(reply) if reply.status == 200 => Ok((serde_json::from_slice(reply.body)?, took)),
            Exchange::Whole(reply) => {
                bail!("{path}: {} {}", reply.status, String::from_utf8_lossy(reply.body))
            }
            Exchange::Half | Exchange::Nothing => bail!("{path}: no whole answer"),
        }
    }

    /// The same rows by one prepared statement on one connection.
    async fn alone(&mut self, asked: &Asked) -> Result<(Vec<String>, Duration)> {
        let form = &FORMS[asked.form];
        let statement = statement(asked.form);
        let watch = Stopwatch::start();
        let mut query = sqlx::query(AssertSqlSafe(statement)).bind(form.number);
        if !form.is_newest {
            query = query.bind(asked.after);
        }
        if asked.form == AT_A_COMPANY {
            query = query.bind(&asked.domain);
        }
        let rows = query.fetch_all(&mut self.bare).await?;
        let took = watch.elapsed();
        let mut ids = Vec::with_capacity(rows.len());
        for row in &rows {
            ids.push(SignalId::from_uuid(row.try_get(1)?).to_string());
        }
        if form.is_newest {
            ids.reverse();
        }
        Ok((ids, took))
    }
}

fn statement(form: usize) -> String {
    let columns = "seq, signal_id, revision, body";
    if form == AT_A_COMPANY {
        return format!(
            "(select {columns} from signal_feed where domain = $3 and kind = $1 and seq > $2 order by seq limit {PAGE})
             union all
             (select {columns} from signal_feed where other_domain = $3 and domain <> $3 and kind = $1 and seq > $2
              order by seq limit {PAGE})
             order by seq limit {PAGE}"
        );
    }
    let Form { sql, is_newest, .. } = FORMS[form];
    let place = if is_newest { "" } else { "and seq > $2" };
    let order = if is_newest { "desc" } else { "asc" };
    format!(
        "select {columns} from signal_feed where kind = $1 {place} {sql} order by seq {order} limit {PAGE}"
    )
}
