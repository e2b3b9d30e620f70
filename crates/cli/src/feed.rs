//! `assay feed`: which public sources are looked at for signals, and what they say.

use crate::failure::Failure;
use crate::{Session, connect, out};
use assay_domain::limits::{FEED_EVERY_MAX, FEED_EVERY_MIN, FEED_IDLE_MAX};
use assay_domain::{Clock, Domain, Notice};
use assay_engine::Engine;
use assay_engine::newsroom::{FeedSetup, KnownFeed, Looked, Newsroom, known_feeds, put_feed};
use assay_store::Graph;
use chrono::{DateTime, SecondsFormat, Utc};
use clap::{Args, Subcommand};
use serde_json::{Value, json};
use std::time::Duration;

/// How long `run` waits for a worker.
const RUN_PATIENCE: Duration = Duration::from_mins(5);
const RUN_LOOK_EVERY: Duration = Duration::from_millis(500);

#[derive(Debug, Subcommand)]
pub enum FeedCommand {
    /// List the feeds, when each was looked at, what came of it and what is wrong.
    List,
    /// Look at a source from now on. Added again, it is changed.
    #[command(subcommand)]
    Add(Source),
    /// Look at a feed no more. What it told stays.
    Remove { name: String },
    /// Ask for a feed now, show what is read from it, and take nothing in.
    Test {
        name: String,
        /// Pages that are asked for at most.
        #[arg(long, default_value_t = 5, value_parser = clap::value_parser!(u16).range(1..=100))]
        pages: u16,
    },
    /// Have a feed looked at now by a running worker, and wait for it.
    Run { name: String },
}

#[derive(Debug, Subcommand)]
pub enum Source {
    /// Money that companies in the United States raised, as they file it with the SEC.
    SecFormD {
        #[command(flatten)]
        often: Often,
    },
    /// Purchases and changes of officers of companies listed in the United States.
    #[command(name = "sec-8-k")]
    Sec8K {
        #[command(flatten)]
        often: Often,
    },
    /// The open jobs of one company, at the vendor of its job board.
    Board {
        /// ashby, greenhouse, lever, recruitee, smartrecruiters or workable.
        vendor: String,
        /// As the vendor names the company in its addresses.
        site: String,
        /// The company's name.
        #[arg(long)]
        company: String,
        /// The company's domain, so that it is recognised for sure.
        #[arg(long)]
        domain: Option<Domain>,
        #[command(flatten)]
        often: Often,
    },
    /// Press releases, by RSS or Atom.
    Rss {
        /// What to call it.
        name: String,
        url: String,
        #[command(flatten)]
        often: Often,
    },
}

#[derive(Debug, Clone, Copy, Args)]
pub struct Often {
    /// Seconds from one look to the next, if not as often as is usual for the source.
    #[arg(long, value_name = "SECONDS",
        value_parser = clap::value_parser!(u64).range(FEED_EVERY_MIN.as_secs()..=FEED_EVERY_MAX.as_secs()))]
    every: Option<u64>,
}

impl Source {
    fn setup(self) -> (FeedSetup, Often) {
        match self {
            Self::SecFormD { often } => (FeedSetup::SecFormD, often),
            Self::Sec8K { often } => (FeedSetup::Sec8K, often),
            Self::Board { vendor, site, company, domain, often } => {
                (FeedSetup::Board { vendor, site, company, domain }, often)
            }
            Self::Rss { name, url, often } => (FeedSetup::Rss { name, url }, often),
        }
    }
}

impl FeedCommand {
    pub async fn run(self, session: &Session) -> Result<(), Failure> {
        let config = session.settings()?.config;
        let graph = connect::graph(&config).await?;
        match self {
            Self::List => list(session, &known_feeds(&graph).await?),
            Self::Add(source) => {
                // Said now, and not in a log that nobody reads.
                config.feeds.pages_or_why_not(&config.upstreams)?;
                let (setup, often) = source.setup();
                let added = put_feed(&graph, &setup, often.every.map(Duration::from_secs)).await?;
                let name =
                    added.map_err(|fault| Failure::new(fault.to_string(), "see assay feed add --help"))?;
                out::note(&format!(
                    "{name} is looked at from now on; see what it says: assay feed test {name}"
                ));
            }
            Self::Remove { name } => {
                if !graph.remove_feed(&name).await? {
                    return Err(unknown(&name));
                }
                out::note(&format!("{name} is looked at no more"));
            }
            Self::Test { name, pages } => {
                let asking = config.feeds.pages_or_why_not(&config.upstreams)?;
                let known = find(&graph, &name).await?;
                let feed = known.setup.and_then(|setup| setup.feed().ok()).ok_or_else(|| {
                    Failure::new(format!("{name} cannot be read by this program"), "add it again")
                })?;
                let ledger = connect::ledger(&config).await?;
                let engine = Engine::new(graph, ledger, config.identity_key()?, config.hosts.clone());
                let newsroom = Newsroom::new(engine, asking, Clock::system());
                show(session, &newsroom.try_out(feed.as_ref(), usize::from(pages)).await);
            }
            Self::Run { name } => run(session, &graph, &name).await?,
        }
        Ok(())
    }
}

fn unknown(name: &str) -> Failure {
    Failure::new(format!("there is no feed {name}"), "assay feed list")
}

async fn find(graph: &Graph, name: &str) -> Result<KnownFeed, Failure> {
    let mut feeds = known_feeds(graph).await?;
    let place = feeds.iter().position(|feed| feed.row.name == name).ok_or_else(|| unknown(name))?;
    Ok(feeds.swap_remove(place))
}

/// By the workers, who keep the host's pace.
async fn run(session: &Session, graph: &Graph, name: &str) -> Result<(), Failure> {
    let before = find(graph, name).await?.row;
    graph.hasten_feed(name).await?;
    let waiting = async {
        loop {
            let now = find(graph, name).await?;
            let is_over = now.row.looked_at > before.looked_at || now.row.failures > before.failures;
            if is_over {
                return Ok::<KnownFeed, Failure>(now);
            }
            tokio::time::sleep(RUN_LOOK_EVERY).await;
        }
    };
    let known = tokio::time::timeout(RUN_PATIENCE, waiting).await.map_err(|_| {
        let what = format!("nobody has looked at {name} within {} minutes", RUN_PATIENCE.as_secs() / 60);
        Failure::new(what, "start a worker: assay serve, with feeds.contact set")
    })??;
    if session.json {
        out::json(&row_json(&known));
        return Ok(());
    }
    let new = known.row.signals.saturating_sub(before.signals);
    match &known.row.trouble {
        None => out::data(&format!("{name}: {new} new or changed signals")),
        Some(trouble) => out::data(&format!("{name}: {trouble}; {new} new or changed signals before that")),
    }
    Ok(())
}

fn list(session: &Session, feeds: &[KnownFeed]) {
    if session.json {
        return out::json(&json!({ "results": feeds.iter().map(row_json).collect::<Vec<_>>() }));
    }
    let mut table = out::table(["name", "every", "looked at", "signals", "trouble"]);
    for KnownFeed { row, .. } in feeds {
        table.add_row([
            row.name.clone(),
            format!("{} s", row.every.as_secs()),
            row.looked_at.map_or("never".to_owned(), at),
            row.signals.to_string(),
            row.trouble
                .as_ref()
                .map_or(String::new(), |trouble| format!("{trouble} ({} times)", row.failures)),
        ]);
    }
    out::data(&table.to_string());
    if feeds.is_empty() {
        out::note(&format!(
            "no feed is looked at: assay feed add --help; a change is seen within {FEED_IDLE_MAX:?}"
        ));
    }
}

fn row_json(known: &KnownFeed) -> Value {
    let KnownFeed { row, setup } = known;
    json!({
        "name": row.name,
        "setup": row.setup,
        "is_known": setup.is_some(),
        "every_seconds": row.every.as_secs(),
        "looked_at": row.looked_at.map(at),
        "next_look_at": at(row.next_look_at),
        "failures": row.failures,
        "trouble": row.trouble,
        "signals": row.signals,
    })
}

fn at(moment: DateTime<Utc>) -> String {
    moment.to_rfc3339_opts(SecondsFormat::Secs, true)
}

fn show(session: &Session, looked: &Looked) {
    if session.json {
        let trouble = looked.trouble.iter().map(|(url, what)| json!({ "url": url, "what": what }));
        return out::json(&json!({
            "pages": looked.pages,
            "left": looked.left,
            "releases": looked.releases,
            "notices": looked.notices,
            "trouble": trouble.collect::<Vec<_>>(),
        }));
    }
    let mut table = out::table(["kind", "when", "company", "what", "sure"]);
    for notice in &looked.notices {
        table.add_row([
            notice.content.kind().as_str().to_owned(),
            at(notice.occurred_at),
            notice.company.name.clone(),
            gist(notice),
            notice.confidence.to_string(),
        ]);
    }
    out::data(&table.to_string());
    for (url, what) in &looked.trouble {
        out::note(&format!("{url}: {what}"));
    }
    let more = if looked.left > 0 { format!(", {} more not asked for", looked.left) } else { String::new() };
    let releases =
        if looked.releases > 0 { format!(", {} press releases", looked.releases) } else { String::new() };
    out::note(&format!("{} pages{more}{releases}, {} notices", looked.pages, looked.notices.len()));
}

/// What happened, in a few words.
fn gist(notice: &Notice) -> String {
    use assay_domain::signal::Content;
    let money = |amount: Option<i64>, currency: &Option<String>| match (amount, currency) {
        (Some(amount), Some(currency)) => {
            let whole = amount / 10_i64.pow(assay_sources::money::decimals(currency));
            format!("{whole} {currency}")
        }
        _ => "an unknown sum".to_owned(),
    };
    match &notice.content {
        Content::Funding(round) => {
            format!("{} of {}", round.stage.as_str(), money(round.amount, &round.currency))
        }
        Content::Acquisition(deal) => {
            format!("bought by {} for {}", deal.acquirer.name, money(deal.price, &deal.currency))
        }
        Content::Hiring(posting) => posting.title.clone(),
        Content::JobChange(change) => {
            let title = |post: &Option<assay_domain::signal::Post>| {
                post.as_ref()
                    .map_or("…".to_owned(), |post| format!("{}, {}", post.title, post.company.name))
            };
            format!("{} → {}", title(&change.from), title(&change.to))
        }
        Content::Engagement(engagement) => format!("{} reactions", engagement.count),
    }
}
