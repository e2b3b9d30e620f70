//! The memory of the nodes: sampled all along, and judged where a process lived long enough to be compared with itself.

use crate::bar::median;
use assay_store::task;
use assay_testkit::Stopwatch;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;
use tokio::task::JoinHandle;

const EVERY: Duration = Duration::from_secs(2);
/// A process that lived shorter was still filling what it remembers.
const JUDGED_FROM: Duration = Duration::from_secs(600);
/// The bar: the last third of a process's life against the third before it. The first third is its warming up.
pub const GROWTH_MAX: f64 = 1.1;

/// One process.
#[derive(Debug, Clone)]
struct Life {
    node: usize,
    pid: u32,
    over: bool,
    /// When, and how many MiB were resident.
    samples: Vec<(Duration, f64)>,
}

impl Life {
    fn length(&self) -> Duration {
        let (first, last) = (self.samples.first(), self.samples.last());
        first.zip(last).map_or(Duration::ZERO, |((first, _), (last, _))| *last - *first)
    }

    /// What was resident in one of the thirds of its life, at the median.
    fn third(&self, number: u32) -> f64 {
        let begun = self.samples.first().map_or(Duration::ZERO, |(at, _)| *at);
        let (from, to) = (begun + self.length() * number / 3, begun + self.length() * (number + 1) / 3);
        median(self.samples.iter().filter(|(at, _)| (from..=to).contains(at)).map(|(_, size)| *size))
    }
}

#[derive(Debug, Default)]
pub struct Memory {
    lives: Arc<Mutex<Vec<Life>>>,
}

/// What was seen of all processes.
#[derive(Debug)]
pub struct Growth {
    /// Processes that lived long enough.
    pub judged: usize,
    /// The largest growth of these.
    pub most: f64,
    pub peak_mib: f64,
    pub told: String,
}

impl Memory {
    fn lives(&self) -> MutexGuard<'_, Vec<Life>> {
        self.lives.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub fn born(&self, node: usize, pid: u32) {
        self.lives().push(Life { node, pid, over: false, samples: Vec::new() });
    }

    pub fn died(&self, pid: u32) {
        self.lives().iter_mut().filter(|life| life.pid == pid).for_each(|life| life.over = true);
    }

    /// Looks at them until it is stopped.
    pub fn sample(&self, watch: Stopwatch) -> JoinHandle<()> {
        let lives = Arc::clone(&self.lives);
        task::spawn("memory", async move {
            loop {
                for life in lives.lock().unwrap_or_else(PoisonError::into_inner).iter_mut() {
                    if let Some(size) = resident_mib(life.pid).filter(|_| !life.over) {
                        life.samples.push((watch.elapsed(), size));
                    }
                }
                tokio::time::sleep(EVERY).await;
            }
        })
    }

    pub fn growth(&self) -> Growth {
        let lives = self.lives();
        let mut growth = Growth { judged: 0, most: 0.0, peak_mib: 0.0, told: String::new() };
        let mut told = Vec::new();
        for life in lives.iter() {
            let [middle, last] = [1, 2].map(|number| life.third(number));
            let peak = life.samples.iter().map(|(_, size)| *size).fold(0.0, f64::max);
            growth.peak_mib = growth.peak_mib.max(peak);
            let is_judged = life.length() >= JUDGED_FROM;
            if is_judged {
                growth.judged += 1;
                growth.most = growth.most.max(last / middle);
            }
            told.push(format!(
                "node {} for {:.0} s: {middle:.0}, then {last:.0} MiB, {peak:.0} at most{}",
                life.node + 1,
                life.length().as_secs_f64(),
                if is_judged { "" } else { " (not judged)" }
            ));
        }
        growth.told = told.join("; ");
        growth
    }
}

/// None when it is gone.
fn resident_mib(pid: u32) -> Option<f64> {
    let status = std::fs::read_to_string(format!("/proc/{pid}/status")).ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:"))?;
    let kib: u32 = line.trim().strip_suffix("kB")?.trim().parse().ok()?;
    Some(f64::from(kib) / 1024.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn growth(seconds: u64, size: impl Fn(u64) -> f64) -> Growth {
        let memory = Memory::default();
        memory.born(0, 1);
        let samples = (0..=seconds).step_by(2).map(|at| (Duration::from_secs(at), size(at)));
        memory.lives()[0].samples = samples.collect();
        memory.growth()
    }

    #[test]
    fn only_what_grows_after_it_is_warm_counts() {
        let as_float = |at: u64| f64::from(u32::try_from(at).unwrap());
        let warmed = growth(900, |at| 100.0 + as_float(at.min(250)));
        assert!(warmed.judged == 1 && warmed.most <= 1.01, "{warmed:?}");
        let leaks = growth(900, |at| 100.0 + as_float(at));
        assert!(leaks.judged == 1 && leaks.most > GROWTH_MAX, "{leaks:?}");
        assert_eq!(growth(300, |_| 100.0).judged, 0);
        assert!((leaks.peak_mib - 1_000.0).abs() < 1e-9);
    }

    #[test]
    fn this_process_has_a_memory() {
        assert!(resident_mib(std::process::id()).is_some_and(|size| size > 1.0));
        assert_eq!(resident_mib(u32::MAX), None);
    }
}
