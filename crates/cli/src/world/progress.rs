//! How far a load has come: a bar on a terminal, a line now and then elsewhere.

use crate::out;
use assay_domain::clock::Stopwatch;
use indicatif::{ProgressBar, ProgressStyle};
use std::cell::Cell;
use std::io::{IsTerminal, stderr};
use std::time::Duration;

const LINE_EVERY: Duration = Duration::from_secs(10);
const STYLE: &str = "{msg:>9} {wide_bar} {human_pos}/{human_len} {per_sec} {eta} left";

pub struct Progress {
    what: &'static str,
    total: u64,
    bar: Option<ProgressBar>,
    done: Cell<u64>,
    watch: Stopwatch,
    said: Cell<Duration>,
}

impl Progress {
    pub fn start(what: &'static str, total: u64) -> Self {
        let bar = stderr().is_terminal().then(|| {
            let style = ProgressStyle::with_template(STYLE).unwrap_or_else(|_| ProgressStyle::default_bar());
            ProgressBar::new(total).with_style(style).with_message(what)
        });
        Self {
            what,
            total,
            bar,
            done: Cell::new(0),
            watch: Stopwatch::start(),
            said: Cell::new(Duration::ZERO),
        }
    }

    pub fn advance(&self, count: u64) {
        self.done.set(self.done.get() + count);
        let elapsed = self.watch.elapsed();
        match &self.bar {
            Some(bar) => bar.inc(count),
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
        let (what, done, total) = (self.what, self.done.get(), self.total);
        let milliseconds = u64::try_from(elapsed.as_millis()).unwrap_or(u64::MAX).max(1);
        let rate = done.saturating_mul(1_000) / milliseconds;
        let left = total.saturating_sub(done) / rate.max(1);
        let left = if done < total { format!(", {left} s left") } else { String::new() };
        out::note(&format!("{what}: {done} of {total}, {rate} a second{left}"));
    }
}
