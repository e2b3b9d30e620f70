//! What public sources publish meanwhile.

use super::name_of;
use crate::rig::Rig;
use anyhow::{Context, Result};
use assay_domain::Clock;
use assay_domain::clock::Stopwatch;
use assay_engine::newsroom::{FeedSetup, put_feed};
use assay_store::{Database, Graph};
use assay_testkit::public_hosts::{FiledForm, PublicHosts, Published};
use std::time::Duration;

const HOST: &str = "wire.test";
const SITE: &str = "board";
/// A board is looked at every six hours if nothing else is said; here its jobs are to be seen within a minute.
const BOARD_EVERY: Duration = Duration::from_secs(20);
/// Numbers of companies that no writer tells of.
const FIRST: usize = 1_000_000;

pub(super) struct Publisher {
    hosts: PublicHosts,
}

impl Publisher {
    pub(super) async fn start(rig: &Rig, hosts: PublicHosts) -> Result<Self> {
        let graph = Graph::connect(&Database::at(&rig.graph_url())).await?;
        hosts.post_job(SITE, 1, "Caretaker", &now());
        let board = FeedSetup::Board {
            vendor: "greenhouse".into(),
            site: SITE.into(),
            company: "Board Company".into(),
            domain: Some("board-company.example".parse().context("a domain")?),
        };
        let rss = FeedSetup::Rss { name: "wire".into(), url: format!("https://{HOST}/rss") };
        hosts.publish(HOST, release("first", "Nobody raises the roof"));
        for (setup, every) in [(FeedSetup::SecFormD, None), (rss, None), (board, Some(BOARD_EVERY))] {
            put_feed(&graph, &setup, every).await??;
        }
        Ok(Self { hosts })
    }

    /// One thing after the other until the time is over; what was published, and when.
    pub(super) async fn publish(
        self,
        clock: Stopwatch,
        every: Duration,
        seconds: usize,
    ) -> Vec<(String, Duration)> {
        let until = Duration::from_secs(u64::try_from(seconds).unwrap_or(0));
        let mut published = Vec::new();
        for number in 0.. {
            if clock.elapsed() >= until {
                break;
            }
            let name = name_of(FIRST + number);
            published.push((self.one(number, &name), clock.elapsed()));
            tokio::time::sleep(every).await;
        }
        // The hosts go on until all was seen.
        std::mem::forget(self.hosts);
        published
    }

    /// By which it is known again: the kind of source, and the company or the title.
    fn one(&self, number: usize, name: &str) -> String {
        match number % 3 {
            0 => {
                self.hosts.file(FiledForm {
                    form: "D",
                    cik: 1_900_000 + u32::try_from(number).unwrap_or(0),
                    number: 1,
                    company: format!("{name} Inc"),
                    sold: 1_000_000 + 10_000 * u64::try_from(number).unwrap_or(0),
                    first_sale: now().get(..10).unwrap_or_default().to_owned(),
                    filed_at: now(),
                });
                format!("form {name} Inc")
            }
            1 => {
                let title = format!("{name} raises $5 million in seed funding");
                self.hosts.publish(HOST, release(name, &title));
                format!("form {}", capital(name))
            }
            _ => {
                let title = format!("Keeper of {name}");
                self.hosts.post_job(SITE, 100 + u64::try_from(number).unwrap_or(0), &title, &now());
                format!("job {title}")
            }
        }
    }
}

fn now() -> String {
    Clock::system().now().to_rfc3339()
}

fn release(guid: &str, title: &str) -> Published {
    Published {
        guid: guid.to_owned(),
        title: capital(title),
        body: format!("BERLIN -- {}, the company said.", capital(title)),
        at: Clock::system().now().to_rfc2822(),
    }
}

fn capital(text: &str) -> String {
    let mut letters = text.chars();
    letters.next().map(|first| first.to_uppercase().chain(letters).collect()).unwrap_or_default()
}
