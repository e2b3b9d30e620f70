//! An open-loop load: calls start on a schedule, whatever became of the ones before, as callers who do not know of each
//! other would. It runs on one thread of its own, with as little work a call as possible, because it shares the machine
//! with what it measures.

use crate::bar::renice_this_thread;
use crate::billed::targets::Targets;
use crate::machine_time::MachineTime;
use anyhow::{Context, Error, Result, bail, ensure};
use assay_domain::clock::Stopwatch;
use std::cell::{Cell, RefCell};
use std::io::{ErrorKind, Write as _};
use std::net::SocketAddr;
use std::rc::Rc;
use std::sync::Arc;
use std::time::Duration;
use tokio::net::TcpStream;
use tokio::task::LocalSet;

const READ_BYTES: usize = 16 * 1024;
/// How often it is looked at what is due.
const TICK: Duration = Duration::from_millis(1);
/// A call that is not answered by then, counted from when it was due, ends the run: nothing may hang.
const ANSWER_MAX: Duration = Duration::from_secs(30);

/// What to send.
#[derive(Debug, Clone)]
pub struct Schedule {
    pub address: SocketAddr,
    /// Enough that a call nearly never waits for a free one; those that did are counted as late.
    pub connections: usize,
    pub per_second: f64,
    pub length: Duration,
}

/// One call: when it was due, sent and answered, from the start of the run.
#[derive(Debug, Clone, Copy)]
pub struct Shot {
    pub due: Duration,
    pub sent: Duration,
    pub done: Duration,
    pub status: u16,
}

impl Shot {
    /// What a caller waits.
    pub fn latency(self) -> Duration {
        self.done.saturating_sub(self.due)
    }

    /// What the service is to blame for, when the generator itself was late.
    pub fn service_latency(self) -> Duration {
        self.done.saturating_sub(self.sent)
    }
}

/// What a run showed.
#[derive(Debug)]
pub struct Volley {
    pub shots: Vec<Shot>,
    pub took: Duration,
    /// Processor time of the generator.
    pub cpu: Duration,
    /// Of the machine's processor time, what the machines beside it on the same hardware were given instead.
    pub stolen: f64,
}

impl Volley {
    pub fn count(&self, status: u16) -> usize {
        self.shots.iter().filter(|shot| shot.status == status).count()
    }

    /// Calls answered with 200 in a second.
    pub fn goodput(&self) -> f64 {
        number(self.count(200)) / self.took.as_secs_f64()
    }

    pub fn offered(&self) -> f64 {
        number(self.shots.len()) / self.took.as_secs_f64()
    }

    /// Over all calls of the window, from when they were due; one that was refused counts as never answered.
    pub fn p99(&self, from: Duration, to: Duration) -> Duration {
        let due = self.shots.iter().filter(|shot| (from..to).contains(&shot.due));
        percentile(
            due.map(|shot| if shot.status == 200 { shot.latency() } else { Duration::MAX }).collect(),
            99,
        )
    }

    /// Of the calls with this status, from when they were sent.
    pub fn service_percentile(&self, status: u16, percent: usize) -> Duration {
        let answered = self.shots.iter().filter(|shot| shot.status == status);
        percentile(answered.map(|shot| shot.service_latency()).collect(), percent)
    }

    /// Of the calls answered 200, from when they were due.
    pub fn latency_percentile(&self, percent: usize) -> Duration {
        let answered = self.shots.iter().filter(|shot| shot.status == 200);
        percentile(answered.map(|shot| shot.latency()).collect(), percent)
    }

    /// How late the generator itself was at its 99th percentile.
    pub fn lateness(&self) -> Duration {
        percentile(self.shots.iter().map(|shot| shot.sent.saturating_sub(shot.due)).collect(), 99)
    }

    /// Of one processor.
    pub fn cpu_share(&self) -> f64 {
        self.cpu.as_secs_f64() / self.took.as_secs_f64()
    }
}

pub fn percentile(mut values: Vec<Duration>, percent: usize) -> Duration {
    values.sort_unstable();
    values
        .get((values.len() * percent / 100).min(values.len().saturating_sub(1)))
        .copied()
        .unwrap_or_default()
}

fn number(count: usize) -> f64 {
    f64::from(u32::try_from(count).unwrap_or(u32::MAX))
}

/// Runs the schedule to its end, on a thread of its own.
pub async fn run(schedule: Schedule, targets: &Arc<Targets>) -> Result<Volley> {
    let targets = Arc::clone(targets);
    let (send, receive) = tokio::sync::oneshot::channel();
    std::thread::Builder::new().name("open-loop".into()).spawn(move || {
        // Nobody listens any more only when the bar itself has ended.
        drop(send.send(run_here(&schedule, targets)));
    })?;
    receive.await.context("the generator panicked")?
}

fn run_here(schedule: &Schedule, targets: Arc<Targets>) -> Result<Volley> {
    // Clients have processors of their own: one that waits for the service's would measure its own wait.
    renice_this_thread(-10)?;
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    runtime.block_on(LocalSet::new().run_until(fire(schedule, targets)))
}

/// What the conductor and the connections of a run share.
struct Range {
    schedule: Schedule,
    targets: Arc<Targets>,
    watch: Cell<Stopwatch>,
    idle: RefCell<Vec<Rc<Gun>>>,
    shots: RefCell<Vec<Shot>>,
    failure: RefCell<Option<Error>>,
}

/// One task sends whatever is due, each connection's own reads the answers: no timer for every call.
async fn fire(schedule: &Schedule, targets: Arc<Targets>) -> Result<Volley> {
    let range = Rc::new(Range {
        schedule: schedule.clone(),
        targets,
        watch: Cell::new(Stopwatch::start()),
        idle: RefCell::default(),
        shots: RefCell::default(),
        failure: RefCell::default(),
    });
    for _ in 0..schedule.connections {
        range.add_gun().await?;
    }
    let (cpu_before, machine_before) = (thread_cpu()?, MachineTime::now()?);
    range.watch.set(Stopwatch::start());
    let sent = range.conduct().await?;
    let last = range.watch.get().elapsed() + ANSWER_MAX;
    while range.shots.borrow().len() < sent {
        range.fail_if_a_gun_failed()?;
        ensure!(range.watch.get().elapsed() < last, "a call was not answered");
        tokio::time::sleep(TICK).await;
    }
    let cpu = thread_cpu()?.saturating_sub(cpu_before);
    let stolen = MachineTime::now()?.stolen_since(machine_before);
    let shots = range.shots.take();
    ensure!(shots.iter().all(|shot| shot.latency() < ANSWER_MAX), "a call was answered far too late");
    // Counted over the time in which calls were due: the last answers come a little after it.
    Ok(Volley { shots, took: schedule.length, cpu, stolen })
}

impl Range {
    /// Sends every call when it is due, or as soon after as a connection is free; returns how many there were.
    async fn conduct(&self) -> Result<usize> {
        let mut request = Vec::with_capacity(512);
        for number in 0_u32.. {
            let due = Duration::from_secs_f64(f64::from(number) / self.schedule.per_second);
            if due >= self.schedule.length {
                return Ok(usize::try_from(number)?);
            }
            while self.watch.get().elapsed() < due || self.idle.borrow().is_empty() {
                self.fail_if_a_gun_failed()?;
                tokio::time::sleep(TICK).await;
            }
            let Some(gun) = self.idle.borrow_mut().pop() else { continue };
            self.aim(&mut request)?;
            gun.shot.set((due, self.watch.get().elapsed()));
            let written = gun.stream.try_write(&request)?;
            ensure!(written == request.len(), "a call did not fit into an empty connection");
        }
        Ok(0)
    }

    async fn add_gun(self: &Rc<Self>) -> Result<()> {
        let stream =
            TcpStream::connect(self.schedule.address).await.context("cannot connect to the service")?;
        stream.set_nodelay(true)?;
        stream.writable().await?;
        let gun = Rc::new(Gun { stream, shot: Cell::default() });
        self.idle.borrow_mut().push(Rc::clone(&gun));
        let range = Rc::clone(self);
        tokio::task::spawn_local(async move {
            if let Err(failure) = range.listen(gun).await {
                range.failure.borrow_mut().get_or_insert(failure);
            }
        });
        Ok(())
    }

    /// Takes the answers of one connection until the service hangs up; then another takes its place.
    async fn listen(self: &Rc<Self>, gun: Rc<Gun>) -> Result<()> {
        let mut answer = Vec::with_capacity(READ_BYTES);
        loop {
            let (status, closes) = gun.hear(&mut answer).await?;
            let (due, sent) = gun.shot.get();
            self.shots.borrow_mut().push(Shot { due, sent, done: self.watch.get().elapsed(), status });
            if closes {
                return Box::pin(self.add_gun()).await;
            }
            self.idle.borrow_mut().push(Rc::clone(&gun));
        }
    }

    fn fail_if_a_gun_failed(&self) -> Result<()> {
        self.failure.take().map_or(Ok(()), Err)
    }

    fn aim(&self, request: &mut Vec<u8>) -> Result<()> {
        let target = self.targets.draw();
        let secret = &self.targets.payers[target.payer].secret;
        let length = target.email.len() + r#"{"email":""}"#.len();
        request.clear();
        write!(
            request,
            "POST /v1/enrich HTTP/1.1\r\nhost: assay\r\ncontent-type: application/json\r\nauthorization: Bearer {secret}\r\n\
             content-length: {length}\r\n\r\n{{\"email\":\"{}\"}}",
            target.email
        )?;
        Ok(())
    }
}

/// One connection, and when the call on it was due and sent.
struct Gun {
    stream: TcpStream,
    shot: Cell<(Duration, Duration)>,
}

impl Gun {
    /// Reads one answer: the status, and whether the service then hangs up.
    async fn hear(&self, answer: &mut Vec<u8>) -> Result<(u16, bool)> {
        answer.clear();
        loop {
            self.stream.readable().await?;
            match self.stream.try_read_buf(answer) {
                Ok(0) => bail!("the service closed the connection"),
                Ok(_) => {}
                Err(nothing) if nothing.kind() == ErrorKind::WouldBlock => continue,
                Err(broken) => return Err(broken.into()),
            }
            let Some(head) = answer.windows(4).position(|four| four == b"\r\n\r\n") else { continue };
            let text = std::str::from_utf8(&answer[..head])?;
            let field = |name: &str| {
                text.split("\r\n").find_map(|line| {
                    let (key, value) = line.split_once(':')?;
                    key.eq_ignore_ascii_case(name).then(|| value.trim())
                })
            };
            let length: usize = field("content-length").context("an answer without a length")?.parse()?;
            if answer.len() < head + 4 + length {
                continue;
            }
            let closes = field("connection").is_some_and(|value| value.eq_ignore_ascii_case("close"));
            let status = text.get(9..12).context("an answer without a status")?.parse()?;
            if status == 200 && !answer[head + 4..].starts_with(br#"{"found":true"#) {
                bail!("a call was answered without a person");
            }
            return Ok((status, closes));
        }
    }
}

/// Processor time of this thread so far.
fn thread_cpu() -> Result<Duration> {
    let schedule = std::fs::read_to_string("/proc/thread-self/schedstat")?;
    let nanoseconds = schedule.split(' ').next().context("no processor time")?.parse()?;
    Ok(Duration::from_nanos(nanoseconds))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shot(due: u64, sent: u64, done: u64, status: u16) -> Shot {
        let ms = Duration::from_millis;
        Shot { due: ms(due), sent: ms(sent), done: ms(done), status }
    }

    #[test]
    fn a_refused_call_counts_as_late_for_its_caller_and_not_for_the_goodput() {
        let ms = Duration::from_millis;
        let mut shots = vec![shot(0, 5, 20, 200); 98];
        shots.push(shot(1_500, 1_500, 1_501, 503));
        let volley = Volley { shots, took: Duration::from_secs(2), cpu: Duration::from_secs(1), stolen: 0.0 };
        assert_eq!(volley.p99(ms(0), ms(1_000)), ms(20));
        assert_eq!(volley.p99(ms(1_000), ms(2_000)), Duration::MAX);
        assert_eq!(volley.service_percentile(200, 99), ms(15));
        assert_eq!(volley.service_percentile(503, 99), ms(1));
        assert_eq!((volley.goodput(), volley.offered(), volley.cpu_share()), (49.0, 49.5, 0.5));
        assert_eq!(volley.lateness(), ms(5));
    }
}
