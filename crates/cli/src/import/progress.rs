//! How far an import is: by the bytes of the file, since nobody has counted its rows. A bar on a terminal, a line now
//! and then elsewhere.

use crate::out;
use assay_domain::clock::Stopwatch;
use indicatif::{HumanBytes, ProgressBar, ProgressStyle};
use std::cell::Cell;
use std::io::{IsTerminal, stderr};
use std::time::Duration;

const LINE_EVERY: Duration = Duration::from_secs(10);
const STYLE: &str = "{prefix:>9} {wide_bar} {bytes}/{total_bytes} {msg} {eta} left";

pub struct Progress {
    what: &'static str,
    total_bytes: u64,
    /// Rows and bytes of an earlier run, which say nothing about how fast this one is.
    start: (u64, u64),
    bar: Option<ProgressBar>,
    done: Cell<(u64, u64)>,
    watch: Stopwatch,
    said: Cell<Duration>,
}

impl Progress {
    pub fn start(what: &'static str, total_bytes: u64, start: (u64, u64)) -> Self {
        let bar = stderr().is_terminal().then(|| {
            let style = ProgressStyle::with_template(STYLE).unwrap_or_else(|_| ProgressStyle::default_bar());
            let bar =
                ProgressBar::new(total_bytes).with_style(style).with_prefix(what).with_position(start.1);
            bar.reset_eta();
            bar
        });
        let (watch, said) = (Stopwatch::start(), Cell::new(Duration::ZERO));
        Self { what, total_bytes, start, bar, done: Cell::new(start), watch, said }
    }

    /// So many rows and bytes of the file are written.
    pub fn reach(&self, rows: u64, bytes: u64) {
        self.done.set((rows, bytes));
        let elapsed = self.watch.elapsed();
        match &self.bar {
            Some(bar) => {
                bar.set_position(bytes);
                bar.set_message(self.rows(elapsed));
            }
            None if elapsed.saturating_sub(self.said.get()) >= LINE_EVERY => {
                self.said.set(elapsed);
                self.say(elapsed);
            }
            None => {}
        }
    }

    pub fn finish(self) {
        match &self.bar {
            Some(bar) => bar.finish(),
            None => self.say(self.watch.elapsed()),
        }
    }

    fn say(&self, elapsed: Duration) {
        let (bytes, total) = (self.done.get().1, self.total_bytes);
        let share = bytes.saturating_mul(100) / total.max(1);
        let rate = a_second(bytes.saturating_sub(self.start.1), elapsed);
        let left = total.saturating_sub(bytes) / rate.max(1);
        let left = if bytes < total { format!(", {left} s left") } else { String::new() };
        let rows = self.rows(elapsed);
        out::note(&format!("{}: {rows}, {share} % of {}{left}", self.what, HumanBytes(total)));
    }

    fn rows(&self, elapsed: Duration) -> String {
        let rows = self.done.get().0;
        format!("{rows} rows, {} a second", a_second(rows.saturating_sub(self.start.0), elapsed))
    }
}

pub fn a_second(count: u64, elapsed: Duration) -> u64 {
    let milliseconds = u64::try_from(elapsed.as_millis()).unwrap_or(u64::MAX).max(1);
    count.saturating_mul(1_000) / milliseconds
}
