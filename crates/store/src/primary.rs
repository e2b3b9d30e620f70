//! Several servers of which one takes writes: which one that is now.
//!
//! A connection string may name several servers, as libpq's may. Each is asked every second whether it can be written to and
//! on which timeline: whoever becomes the primary begins a new one, so that of two that both say they are it, the one
//! with the later timeline is right. One with an earlier timeline than was seen before is never gone back to.

use crate::StoreError;
use assay_domain::limits::{PRIMARY_LOOK_EVERY, PRIMARY_LOOK_MAX};
use futures_util::future::join_all;
use sqlx::postgres::{PgConnectOptions, PgConnection};
use sqlx::{Connection, Error};
use std::str::FromStr;
use tokio::sync::watch;

/// How libpq is told that a server which takes writes is wanted. It is what is meant here in any case.
const WANTED: &str = "target_session_attrs";
/// The hexadecimal digits of the timeline at the beginning of a WAL file's name.
const TIMELINE_DIGITS: usize = 8;

/// How each server that a connection string names is reached, in its order.
pub(crate) fn servers_of(url: &str) -> Result<Vec<PgConnectOptions>, Error> {
    server_urls(url)?.iter().map(|url| PgConnectOptions::from_str(url)).collect()
}

/// A connection string for each server that one names, in its order.
pub fn server_urls(url: &str) -> Result<Vec<String>, Error> {
    let Some((before, hosts, after)) = parts(url).filter(|(_, hosts, _)| hosts.contains(',')) else {
        return Ok(vec![url.to_owned()]);
    };
    let (path, query) = after.split_once('?').unwrap_or((after, ""));
    let mut kept = Vec::new();
    for parameter in query.split('&').filter(|parameter| !parameter.is_empty()) {
        match parameter.split_once('=') {
            Some((WANTED, "read-write" | "primary")) => {}
            Some((WANTED, _)) => {
                return Err(Error::Configuration(format!("{WANTED} can only be read-write").into()));
            }
            _ => kept.push(parameter),
        }
    }
    let query = if kept.is_empty() { String::new() } else { format!("?{}", kept.join("&")) };
    Ok(hosts.split(',').map(|host| format!("{before}{host}{path}{query}")).collect())
}

/// What comes before the hosts, the hosts, and what comes after them.
fn parts(url: &str) -> Option<(&str, &str, &str)> {
    let begin = url.find("://")? + 3;
    let rest = url.get(begin..)?;
    let length = rest.find(['/', '?']).unwrap_or(rest.len());
    let hosts_at = begin + rest.get(..length)?.rfind('@').map_or(0, |at| at + 1);
    Some((url.get(..hosts_at)?, url.get(hosts_at..begin + length)?, url.get(begin + length..)?))
}

/// A server that takes writes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Primary {
    /// Its number among the servers.
    pub(crate) server: usize,
    standing: Standing,
}

/// What a server that takes writes says of itself.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Standing {
    /// Servers of one cluster have the same.
    system: i64,
    timeline: u32,
}

/// Looks at all servers for ever and tells which one is the primary.
pub(crate) async fn watch_over(servers: Vec<PgConnectOptions>, told: watch::Sender<Option<Primary>>) {
    let mut lookouts: Vec<Lookout> = servers.into_iter().map(Lookout::new).collect();
    loop {
        let seen = join_all(lookouts.iter_mut().map(Lookout::look)).await;
        let before = *told.borrow();
        let now = choose(before, &seen);
        if now != before {
            let at = now.and_then(|primary| lookouts.get(primary.server));
            let host = at.map_or("", |lookout| lookout.options.get_host());
            let port = at.map_or(0, |lookout| lookout.options.get_port());
            if before.is_some() {
                tracing::warn!(host, port, "another database server is the primary now");
                metrics::counter!("assay_primary_changes_total").increment(1);
            }
            told.send_replace(now);
        }
        tokio::time::sleep(PRIMARY_LOOK_EVERY).await;
    }
}

/// The primary by what the servers say; the one before when none says anything better.
fn choose(before: Option<Primary>, seen: &[Option<Standing>]) -> Option<Primary> {
    let claims = seen.iter().enumerate();
    let claims = claims.filter_map(|(server, standing)| Some(Primary { server, standing: (*standing)? }));
    let Some(before) = before else { return claims.max_by_key(|claim| claim.standing.timeline) };
    // One of another cluster, as after a restore, is only believed when the one before is not there any more.
    let (ours, others): (Vec<Primary>, Vec<Primary>) =
        claims.partition(|claim| claim.standing.system == before.standing.system);
    let is_newer = |claim: &Primary| claim.standing.timeline > before.standing.timeline;
    let newest = ours.iter().copied().filter(is_newer).max_by_key(|claim| claim.standing.timeline);
    let other = others.into_iter().max_by_key(|claim| claim.standing.timeline);
    Some(newest.or(other.filter(|_| ours.is_empty())).unwrap_or(before))
}

/// A connection to one server, kept from look to look.
struct Lookout {
    options: PgConnectOptions,
    connection: Option<PgConnection>,
}

impl Lookout {
    fn new(options: PgConnectOptions) -> Self {
        Self { options: options.application_name("assay-lookout"), connection: None }
    }

    /// None when it takes no writes, or does not say so in time.
    async fn look(&mut self) -> Option<Standing> {
        let held = self.connection.take();
        let options = &self.options;
        let asked = tokio::time::timeout(PRIMARY_LOOK_MAX, async {
            let mut connection = match held {
                Some(held) => held,
                None => PgConnection::connect_with(options).await?,
            };
            let standing = ask(&mut connection).await?;
            Ok::<_, StoreError>((connection, standing))
        });
        // One that failed, or did not answer in time, is not used again.
        let (connection, standing) = asked.await.ok()?.ok()?;
        self.connection = Some(connection);
        standing
    }
}

async fn ask(connection: &mut PgConnection) -> Result<Option<Standing>, StoreError> {
    let (system, wal_file): (i64, Option<String>) = sqlx::query_as(
        "select (select system_identifier from pg_control_system()),
                case when pg_is_in_recovery() or current_setting('transaction_read_only')::bool then null
                     else pg_walfile_name(pg_current_wal_lsn()) end",
    )
    .fetch_one(connection)
    .await?;
    let timeline = wal_file.and_then(|name| u32::from_str_radix(name.get(..TIMELINE_DIGITS)?, 16).ok());
    Ok(timeline.map(|timeline| Standing { system, timeline }))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn places(url: &str) -> Vec<(String, u16)> {
        let servers = servers_of(url).unwrap();
        servers.iter().map(|server| (server.get_host().to_owned(), server.get_port())).collect()
    }

    #[test]
    fn a_connection_string_may_name_several_servers() {
        let url =
            "postgres://me:a%40b@one:5001,two,[::1]:5003/ledger?target_session_attrs=read-write&options[a]=b";
        let wanted = [("one", 5001), ("two", 5432), ("[::1]", 5003)];
        assert_eq!(places(url), wanted.map(|(host, port)| (host.to_owned(), port)));
        for server in servers_of(url).unwrap() {
            assert_eq!((server.get_username(), server.get_database()), ("me", Some("ledger")));
            assert_eq!(server.get_options(), Some("-c a=b"));
        }
        assert_eq!(places("postgres://me:a,b@one/ledger"), [("one".to_owned(), 5432)]);
        servers_of("postgres://one,two/ledger?target_session_attrs=standby").unwrap_err();
        servers_of("postgres://one,two:port/ledger").unwrap_err();
    }

    fn at(server: usize, system: i64, timeline: u32) -> Primary {
        Primary { server, standing: Standing { system, timeline } }
    }

    fn says(system: i64, timeline: u32) -> Option<Standing> {
        Some(Standing { system, timeline })
    }

    #[test]
    fn of_two_that_take_writes_the_later_timeline_is_right() {
        assert_eq!(choose(None, &[None, None]), None);
        assert_eq!(choose(None, &[says(1, 4), says(1, 5)]), Some(at(1, 1, 5)));
        assert_eq!(choose(Some(at(0, 1, 4)), &[says(1, 4), says(1, 5)]), Some(at(1, 1, 5)));
        // The old one wakes up, and the new one is too busy to answer.
        assert_eq!(choose(Some(at(1, 1, 5)), &[says(1, 4), None]), Some(at(1, 1, 5)));
    }

    #[test]
    fn the_primary_stays_until_another_takes_its_place() {
        assert_eq!(choose(Some(at(0, 1, 4)), &[None, None]), Some(at(0, 1, 4)));
        assert_eq!(choose(Some(at(0, 1, 4)), &[says(1, 4), says(9, 7)]), Some(at(0, 1, 4)));
        assert_eq!(choose(Some(at(0, 1, 4)), &[None, says(9, 1)]), Some(at(1, 9, 1)));
    }
}
