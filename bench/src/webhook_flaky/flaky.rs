//! Receivers that fail in every way, and some that are gone after a while: what arrived, how often, when and under which id.

use super::receiver::{Arrival, Manner, Receiver};
use super::schedule::{Lateness, measure};
use super::{Hook, Size, serve};
use crate::bar::{Complaints, grouped, progress, quantile};
use crate::rig::{Account, Rig, Server};
use anyhow::bail;
use assay_domain::limits::WEBHOOKS_AT_ONCE_PER_ENDPOINT;
use assay_notify::{Secret, verify};
use assay_store::Ledger;
use assay_testkit::Stopwatch;
use std::collections::{HashMap, HashSet};
use std::time::Duration;
use uuid::Uuid;

const HOOKS_AN_ACCOUNT: usize = 10;
/// Callers at the same time.
const CALLERS: usize = 8;
/// The message a receiver is gone with.
const GONE_AT: usize = 4;
/// What was under way when the receiver said that it is gone may still arrive.
const GONE_GRACE: Duration = Duration::from_secs(1);
/// A message fails at most so often; one in a hundred goes deeper into the schedule.
const FAILURES_MAX: usize = 4;
const FAILURES_DEEP: usize = 6;
const PATIENCE: Duration = Duration::from_secs(600);
/// However fast time runs, a due job is looked for twice a second, and then waits for its turn.
const LATE_P99_MAX: Duration = Duration::from_secs(5);

/// What was counted.
#[derive(Debug, Default)]
pub struct Told {
    pub delivered: usize,
    pub ids: usize,
    pub tries: usize,
    pub late_p50: Duration,
    pub late_p99: Duration,
    pub after_gone: usize,
    pub in_flight: usize,
}

pub async fn run(
    rig: &Rig,
    ledger: &Ledger,
    accounts: &[Account],
    size: Size,
    complaints: &mut Complaints,
) -> anyhow::Result<Told> {
    let receiver = Receiver::start(manner).await?;
    let server = serve(rig, receiver.address, size.scale)?;
    let (mut flaky, mut gone) = (Vec::new(), Vec::new());
    let mut client = server.client();
    for (number, account) in accounts.iter().enumerate() {
        for hook in 0..HOOKS_AN_ACCOUNT {
            let path = format!("/flaky/{number}/{hook}");
            flaky.push(Hook::make(&mut client, account, receiver.address, &path).await?);
        }
        gone.push(Hook::make(&mut client, account, receiver.address, &format!("/gone/{number}")).await?);
    }
    progress(format!("sending {} messages to {} receivers that fail", grouped(size.events), flaky.len()));
    let sent = tell_all(&server, &flaky, size.events).await?;
    let sent_gone = tell_all(&server, &gone, size.events_gone * gone.len()).await?;
    wait_until_all_ended(ledger).await?;
    let arrivals = receiver.arrivals();
    let (to_gone, to_flaky): (Vec<&Arrival>, Vec<&Arrival>) =
        arrivals.iter().partition(|arrival| arrival.path.starts_with("/gone/"));
    let mut told = Told::default();
    check_messages(ledger, &sent, &to_flaky, &mut told, complaints).await?;
    check_signatures(&flaky, &to_flaky, complaints)?;
    check_gone(ledger, &gone, &to_gone, &mut told, complaints).await?;
    if sent_gone.len() < gone.len() {
        complaints.add("no message was sent to receivers that are gone: nothing was proved");
    }
    let lateness = measure(ledger, size.scale, complaints).await?;
    judge_lateness(&lateness, &mut told, complaints);
    server.stop()?;
    Ok(told)
}

/// Half of what is not taken is answered 5xx, and the rest hangs or is broken off, one as often as the other; by the
/// message's id, which is random enough.
fn manner(path: &str, id: &str, before: super::receiver::Before) -> Manner {
    if path.starts_with("/gone/") {
        return if before.of_path == GONE_AT { Manner::Answer(410) } else { Manner::Take };
    }
    let seed =
        id.bytes().rev().take(12).fold(17_u64, |sum, byte| sum.wrapping_mul(31).wrapping_add(byte.into()));
    let draw = |salt: usize, sides: u64| {
        let salt = u64::try_from(salt).unwrap_or(0);
        let mixed = (seed ^ (salt << 40)).wrapping_mul(0x9E37_79B9_7F4A_7C15);
        ((mixed ^ (mixed >> 29)).wrapping_mul(0xBF58_476D_1CE4_E5B9) >> 33) % sides
    };
    let most = if draw(1, 100) == 0 { FAILURES_DEEP } else { FAILURES_MAX };
    // Each try fails with seven chances in ten, until the message has failed as often as it may.
    let fails = (0..=before.of_id).all(|number| number < most && draw(100 + number, 10) < 7);
    if !fails {
        return Manner::Take;
    }
    match draw(200 + before.of_id, 7) {
        0 => Manner::Hang,
        1 => Manner::Reset,
        2 => Manner::Answer(503),
        3 => Manner::Answer(429),
        _ => Manner::Answer(500),
    }
}

/// Sends so many messages, to each webhook in turn, and gives their ids. A disabled webhook takes none.
pub(super) async fn tell_all(server: &Server, hooks: &[Hook], count: usize) -> anyhow::Result<Vec<String>> {
    let callers = (0..CALLERS).map(|caller| async move {
        let mut client = server.client();
        let mut ids = Vec::new();
        for number in (caller..count).step_by(CALLERS) {
            ids.extend(hooks[number % hooks.len()].tell(&mut client).await?);
        }
        anyhow::Ok(ids)
    });
    let sent = futures_util::future::try_join_all(callers).await?;
    Ok(sent.into_iter().flatten().collect())
}

async fn wait_until_all_ended(ledger: &Ledger) -> anyhow::Result<()> {
    let watch = Stopwatch::start();
    let mut told = 0;
    loop {
        let left: i64 = sqlx::query_scalar(
            "select (select count(*) from webhook_delivery where state = 'pending')
                  + (select count(*) from job where queue = 'webhook' and state <> 'delayed')",
        )
        .fetch_one(ledger.pool())
        .await?;
        if left == 0 {
            return Ok(());
        }
        if watch.elapsed() > PATIENCE {
            bail!("after {PATIENCE:?} {left} messages are still under way");
        }
        if watch.elapsed().as_secs() / 10 > told {
            told = watch.elapsed().as_secs() / 10;
            progress(format!("{left} messages are under way"));
        }
        tokio::time::sleep(Duration::from_millis(250)).await;
    }
}

async fn check_messages(
    ledger: &Ledger,
    sent: &[String],
    arrivals: &[&Arrival],
    told: &mut Told,
    complaints: &mut Complaints,
) -> anyhow::Result<()> {
    let rows: Vec<(Uuid, String, i32, String)> = sqlx::query_as(
        "select d.id, d.state, d.attempts, d.body from webhook_delivery d
         join webhook_endpoint e on e.id = d.endpoint_id where e.url like '%/flaky/%'",
    )
    .fetch_all(ledger.pool())
    .await?;
    let mut by_id: HashMap<&str, Vec<&Arrival>> = HashMap::new();
    for arrival in arrivals {
        by_id.entry(&arrival.id).or_default().push(arrival);
    }
    let (known, wanted): (HashSet<&str>, HashSet<&str>) =
        (by_id.keys().copied().collect(), sent.iter().map(String::as_str).collect());
    if known != wanted || wanted.len() != sent.len() || rows.len() != sent.len() {
        complaints.add(format!(
            "{} messages were sent under {} ids; {} arrived, {} are stored",
            sent.len(),
            wanted.len(),
            known.len(),
            rows.len()
        ));
    }
    for (id, state, attempts, body) in rows {
        let id = format!("msg_{}", id.as_simple());
        let came = by_id.get(id.as_str()).map(Vec::as_slice).unwrap_or_default();
        if state != "delivered" {
            complaints.add(format!("{id} is {state} after {} tries", came.len()));
        }
        if usize::try_from(attempts)? != came.len() {
            complaints.add(format!("{id}: {attempts} attempts are stored, {} arrived", came.len()));
        }
        let taken = came.iter().filter(|arrival| arrival.manner == Manner::Take).count();
        let last = came.last().is_some_and(|arrival| arrival.manner == Manner::Take);
        if taken != 1 || !last {
            complaints.add(format!("{id} was taken {taken} times, and sent after that"));
        }
        if came.iter().any(|arrival| arrival.body != body.as_bytes() || arrival.path != came[0].path) {
            complaints.add(format!("{id} came with another body or to another place"));
        }
        told.delivered += usize::from(state == "delivered" && taken == 1);
    }
    told.ids = known.len();
    told.tries = arrivals.len();
    Ok(())
}

/// Every try is signed for its receiver, and is of its own time.
fn check_signatures(
    hooks: &[Hook],
    arrivals: &[&Arrival],
    complaints: &mut Complaints,
) -> anyhow::Result<()> {
    let mut secrets: HashMap<&str, [Secret; 1]> = HashMap::new();
    for hook in hooks {
        secrets.insert(&hook.path, [Secret::parse(&hook.secret)?]);
    }
    for arrival in arrivals {
        let Arrival { path, id, timestamp, signature, body, unix, .. } = *arrival;
        let Some(secret) = secrets.get(path.as_str()) else { bail!("{path} is nobody's") };
        if let Err(error) = verify(secret, id, timestamp, signature, body, *unix) {
            complaints.add(format!("{id}: {error}"));
        }
        let at: i64 = timestamp.parse()?;
        if (unix - at).abs() > 5 {
            complaints.add(format!("{id} was signed {} s before it came", unix - at));
        }
    }
    Ok(())
}

/// After a 410 nothing is sent but what was under way.
async fn check_gone(
    ledger: &Ledger,
    hooks: &[Hook],
    arrivals: &[&Arrival],
    told: &mut Told,
    complaints: &mut Complaints,
) -> anyhow::Result<()> {
    for hook in hooks {
        let own: Vec<&&Arrival> = arrivals.iter().filter(|arrival| arrival.path == hook.path).collect();
        let Some(gone) = own.iter().find(|arrival| arrival.manner == Manner::Answer(410)) else {
            complaints.add(format!("{} was never gone: {} messages came", hook.path, own.len()));
            continue;
        };
        let after = own.iter().filter(|arrival| arrival.at > gone.at).collect::<Vec<_>>();
        let late = after.iter().filter(|arrival| arrival.at > gone.at + GONE_GRACE).count();
        // Whoever ends before the 410 is written down makes room for one more.
        if late > 0 || after.len() > 2 * WEBHOOKS_AT_ONCE_PER_ENDPOINT {
            complaints.add(format!(
                "{}: {} messages came after the 410, {late} of them late",
                hook.path,
                after.len()
            ));
        }
        told.after_gone += late;
        told.in_flight += after.len();
        let reason: Option<String> = sqlx::query_scalar(
            "select disabled_reason from webhook_endpoint where 'whk_' || replace(id::text, '-', '') = $1",
        )
        .bind(&hook.id)
        .fetch_one(ledger.pool())
        .await?;
        if reason.as_deref() != Some("gone") {
            complaints.add(format!("{} is not disabled for being gone: {reason:?}", hook.path));
        }
    }
    Ok(())
}

fn judge_lateness(lateness: &Lateness, told: &mut Told, complaints: &mut Complaints) {
    told.late_p50 = quantile(&lateness.late, 500);
    told.late_p99 = quantile(&lateness.late, 990);
    if told.late_p99 > LATE_P99_MAX {
        complaints.add(format!("tries come late: p99 {:.1} s", told.late_p99.as_secs_f64()));
    }
    if lateness.deepest < FAILURES_MAX {
        complaints.add(format!("no message failed more than {} times: nothing was proved", lateness.deepest));
    }
}
