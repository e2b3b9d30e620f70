//! What a bar is: a run that ends in one figure and in passed or not.

use crate::rig::run_command;
use anyhow::Context;
use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};
use std::future::Future;
use std::pin::Pin;
use std::time::Duration;

/// How a run ended. The figure is the last line on standard output.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Verdict {
    pub figure: String,
    pub passed: bool,
}

type Running = Pin<Box<dyn Future<Output = anyhow::Result<Verdict>>>>;

/// A row of the table of bars.
pub struct Bar {
    pub name: &'static str,
    /// `true` asks for the short form that continuous integration runs.
    pub run: fn(short: bool) -> Running,
}

/// Tells a waiting person how far a run is. Never on standard output: that belongs to the figure.
pub fn progress(text: impl AsRef<str>) {
    eprintln!("  {}", text.as_ref());
}

/// Things that must not be: counted, and the first few told as they come.
#[derive(Debug, Default)]
pub struct Complaints {
    count: usize,
    is_silent: bool,
}

impl Complaints {
    const TOLD_MAX: usize = 20;

    /// Counts only: for a look at what may be there.
    pub fn silent() -> Self {
        Self { is_silent: true, ..Self::default() }
    }

    pub fn add(&mut self, text: impl AsRef<str>) {
        self.count += 1;
        if self.count <= Self::TOLD_MAX && !self.is_silent {
            eprintln!("  VIOLATION: {}", text.as_ref());
        }
    }

    pub fn count(&self) -> usize {
        self.count
    }

    /// Counts those of another, which were told already.
    pub fn merge(&mut self, others: &Self) {
        self.count += others.count;
    }

    pub fn is_empty(&self) -> bool {
        self.count == 0
    }
}

/// `48210` as `48,210`.
pub fn grouped(number: usize) -> String {
    let digits = number.to_string();
    let mut text = String::with_capacity(digits.len() + digits.len() / 3);
    for (at, digit) in digits.char_indices() {
        if at > 0 && (digits.len() - at).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

/// The number in a variable of the environment.
pub fn number_in(name: &str) -> anyhow::Result<Option<u64>> {
    match std::env::var(name) {
        Ok(number) => Ok(Some(number.parse().with_context(|| format!("{name} is no number"))?)),
        Err(_) => Ok(None),
    }
}

/// How many of them that is in a second.
pub fn a_second(count: u64, time: Duration) -> u64 {
    let milliseconds = u64::try_from(time.as_millis()).unwrap_or(u64::MAX).max(1);
    count.saturating_mul(1_000) / milliseconds
}

/// Changes the priority of this thread: lower numbers go first, and those below zero are the superuser's.
pub fn renice_this_thread(nice: i8) -> anyhow::Result<()> {
    let thread = std::fs::read_link("/proc/thread-self").context("this is not Linux")?;
    let id = thread.file_name().and_then(|id| id.to_str()).context("a thread without a number")?;
    run_command("renice", &["-n", &nice.to_string(), "-p", id])
}

/// As many open files as the system allows: thousands of connections are held here.
pub fn raise_open_files() -> anyhow::Result<()> {
    let Rlimit { maximum, .. } = getrlimit(Resource::Nofile);
    setrlimit(Resource::Nofile, Rlimit { current: maximum, maximum })
        .context("cannot raise the limit of files")
}

/// The middle one of several figures; of an even number of them the larger of the two.
pub fn median(values: impl IntoIterator<Item = f64>) -> f64 {
    let mut values: Vec<f64> = values.into_iter().collect();
    values.sort_unstable_by(f64::total_cmp);
    values.get(values.len() / 2).copied().unwrap_or(f64::NAN)
}

/// So many of 1,000 sorted values are not above this one.
pub fn quantile(sorted: &[Duration], of_1000: usize) -> Duration {
    let place = (sorted.len() * of_1000).div_ceil(1_000).saturating_sub(1);
    sorted.get(place).copied().unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn thousands_are_set_apart() {
        let texts = [0, 999, 1_000, 48_210, 1_234_567].map(grouped);
        assert_eq!(texts, ["0", "999", "1,000", "48,210", "1,234,567"]);
    }

    #[test]
    fn a_quantile_is_the_value_that_so_many_do_not_exceed() {
        let values: Vec<Duration> = (1..=200).map(Duration::from_millis).collect();
        let shown = [0, 500, 990, 1_000].map(|part| quantile(&values, part).as_millis());
        assert_eq!(shown, [1, 100, 198, 200]);
        assert_eq!(quantile(&[], 990), Duration::ZERO);
    }
}
