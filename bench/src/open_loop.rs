//! An open-loop load: calls start on a schedule, whatever became of the ones before, as callers who do not know of each
//! other would. It runs on one thread of its own, with as little work a call as possible, because it shares the machine
//! with what it measures.

use crate::bar::renice_this_thread;
use crate::billed::targets::Targets;
use crate::machine_time::MachineTime;
use anyhow::{Context, Result, bail, ensure};
use assay_domain::clock::Stopwatch;
use rustix::buffer::spare_capacity;
use rustix::event::{Timespec, epoll};
use std::io::{Read as _, Write as _};
use std::net::{SocketAddr, TcpStream};
use std::os::fd::OwnedFd;
use std::sync::Arc;
use std::time::Duration;

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
        drop(send.send(fire(&schedule, &targets)));
    })?;
    receive.await.context("the generator panicked")?
}

fn fire(schedule: &Schedule, targets: &Targets) -> Result<Volley> {
    // Clients have processors of their own: one that waits for the service's would measure its own wait.
    renice_this_thread(-10)?;
    let mut range = Range::open(schedule, targets)?;
    let (cpu_before, machine_before) = (thread_cpu()?, MachineTime::now()?);
    range.watch = Stopwatch::start();
    let sent = range.conduct()?;
    let last = range.watch.elapsed() + ANSWER_MAX;
    while range.shots.len() < sent {
        ensure!(range.watch.elapsed() < last, "a call was not answered");
        range.rest_and_hear()?;
    }
    let cpu = thread_cpu()?.saturating_sub(cpu_before);
    let stolen = MachineTime::now()?.stolen_since(machine_before);
    let shots = range.shots;
    ensure!(shots.iter().all(|shot| shot.latency() < ANSWER_MAX), "a call was answered far too late");
    // Counted over the time in which calls were due: the last answers come a little after it.
    Ok(Volley { shots, took: schedule.length, cpu, stolen })
}

/// All connections of a run. Once a tick it is looked which of them have an answer, and whatever is due is sent: neither a
/// timer nor a task for a call, and no second look at a socket that has been read.
struct Range<'a> {
    schedule: &'a Schedule,
    targets: &'a Targets,
    watch: Stopwatch,
    ready: OwnedFd,
    events: Vec<epoll::Event>,
    guns: Vec<Gun>,
    idle: Vec<usize>,
    shots: Vec<Shot>,
    buffer: Box<[u8]>,
}

impl<'a> Range<'a> {
    fn open(schedule: &'a Schedule, targets: &'a Targets) -> Result<Self> {
        let mut range = Self {
            schedule,
            targets,
            watch: Stopwatch::start(),
            ready: epoll::create(epoll::CreateFlags::CLOEXEC)?,
            events: Vec::with_capacity(schedule.connections),
            guns: Vec::with_capacity(schedule.connections),
            idle: (0..schedule.connections).collect(),
            shots: Vec::new(),
            buffer: vec![0; READ_BYTES].into_boxed_slice(),
        };
        for place in 0..schedule.connections {
            let gun = range.load(place)?;
            range.guns.push(gun);
        }
        Ok(range)
    }

    fn load(&self, place: usize) -> Result<Gun> {
        let stream = TcpStream::connect(self.schedule.address).context("cannot connect to the service")?;
        stream.set_nodelay(true)?;
        stream.set_nonblocking(true)?;
        let data = epoll::EventData::new_u64(u64::try_from(place)?);
        epoll::add(&self.ready, &stream, data, epoll::EventFlags::IN)?;
        Ok(Gun { stream, shot: Default::default(), answer: Vec::new() })
    }

    /// Sends every call when it is due, or as soon after as a connection is free; returns how many there were.
    fn conduct(&mut self) -> Result<usize> {
        let mut request = Vec::with_capacity(512);
        for number in 0_u32.. {
            let due = Duration::from_secs_f64(f64::from(number) / self.schedule.per_second);
            if due >= self.schedule.length {
                return Ok(usize::try_from(number)?);
            }
            while self.watch.elapsed() < due || self.idle.is_empty() {
                self.rest_and_hear()?;
            }
            let Some(gun) = self.idle.pop().and_then(|place| self.guns.get_mut(place)) else { continue };
            aim(self.targets, &mut request)?;
            gun.shot = (due, self.watch.elapsed());
            let written = gun.stream.write(&request)?;
            ensure!(written == request.len(), "a call did not fit into an empty connection");
        }
        Ok(0)
    }

    fn rest_and_hear(&mut self) -> Result<()> {
        std::thread::sleep(TICK);
        self.events.clear();
        let now = Some(&Timespec { tv_sec: 0, tv_nsec: 0 });
        epoll::wait(&self.ready, spare_capacity(&mut self.events), now)?;
        for number in 0..self.events.len() {
            self.hear(usize::try_from(self.events[number].data.u64())?)?;
        }
        Ok(())
    }

    /// Takes what came on one connection. When the service hangs up after an answer, another connection takes its place.
    fn hear(&mut self, place: usize) -> Result<()> {
        let Some(gun) = self.guns.get_mut(place) else { bail!("an answer from nowhere") };
        let count = gun.stream.read(&mut self.buffer)?;
        ensure!(count > 0, "the service closed the connection");
        gun.answer.extend_from_slice(&self.buffer[..count]);
        let Some((status, closes)) = read_answer(&gun.answer)? else { return Ok(()) };
        gun.answer.clear();
        let (due, sent) = gun.shot;
        self.shots.push(Shot { due, sent, done: self.watch.elapsed(), status });
        if closes {
            self.guns[place] = self.load(place)?;
        }
        self.idle.push(place);
        Ok(())
    }
}

/// One connection, when the call on it was due and sent, and what has come of its answer.
struct Gun {
    stream: TcpStream,
    shot: (Duration, Duration),
    answer: Vec<u8>,
}

fn aim(targets: &Targets, request: &mut Vec<u8>) -> Result<()> {
    let target = targets.draw();
    let secret = &targets.payers[target.payer].secret;
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

/// The status of a whole answer, and whether the service then hangs up; none while some of it is missing.
fn read_answer(answer: &[u8]) -> Result<Option<(u16, bool)>> {
    let Some(head) = answer.windows(4).position(|four| four == b"\r\n\r\n") else { return Ok(None) };
    let text = std::str::from_utf8(&answer[..head])?;
    let field = |name: &str| {
        text.split("\r\n").find_map(|line| {
            let (key, value) = line.split_once(':')?;
            key.eq_ignore_ascii_case(name).then(|| value.trim())
        })
    };
    let length: usize = field("content-length").context("an answer without a length")?.parse()?;
    let body = &answer[head + 4..];
    if body.len() < length {
        return Ok(None);
    }
    let closes = field("connection").is_some_and(|value| value.eq_ignore_ascii_case("close"));
    let status = text.get(9..12).context("an answer without a status")?.parse()?;
    ensure!(status != 200 || body.starts_with(br#"{"found":true"#), "a call was answered without a person");
    Ok(Some((status, closes)))
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
    fn an_answer_counts_when_it_is_whole() {
        let answer = b"HTTP/1.1 503 Service Unavailable\r\nContent-Length: 2\r\nconnection: close\r\n\r\n{}";
        for length in 0..answer.len() {
            assert_eq!(read_answer(&answer[..length]).unwrap(), None);
        }
        assert_eq!(read_answer(answer).unwrap(), Some((503, true)));
        let nobody = b"HTTP/1.1 200 OK\r\ncontent-length: 15\r\n\r\n{\"found\":false}";
        assert!(read_answer(nobody).is_err());
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
