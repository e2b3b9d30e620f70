//! The faults: which come when, drawn from a seed, and which of them explain what a caller saw.

use rand::seq::SliceRandom;
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use std::fmt;
use std::ops::Range;
use std::time::Duration;

pub const NODES: usize = 2;
/// This one is not killed before two thirds of the run are over: it has a memory worth looking at.
const SPARED: usize = 0;
/// When a process is gone all its connections are cut, and on a busy machine it is seen within this.
const CUT_SEEN_WITHIN: Duration = Duration::from_secs(2);
/// After the end of a fault calls may be refused for so long: pools connect again, leases run out.
const RECOVERY: Duration = Duration::from_secs(10);
/// A vendor that healed is asked again when its breaker lets probes through.
const VENDOR_RECOVERY: Duration = Duration::from_secs(25);

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Fault {
    /// `kill -9`, and started again after a while.
    Kill { node: usize, away: Duration },
    /// SIGSTOP, and SIGCONT after a while.
    Stop { node: usize, length: Duration },
    /// PostgreSQL is stopped, fast or as by a crash, and started again after a while.
    Database { immediate: bool, away: Duration },
    /// The vendor answers with errors, or not in time.
    Vendor { hangs: bool, length: Duration },
}

impl fmt::Display for Fault {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let seconds = |time: &Duration| format!("{:.1} s", time.as_secs_f64());
        match self {
            Self::Kill { node, away } => {
                write!(out, "kill -9 of node {}, started again after {}", node + 1, seconds(away))
            }
            Self::Stop { node, length } => write!(out, "node {} stopped for {}", node + 1, seconds(length)),
            Self::Database { immediate, away } => {
                let how = if *immediate { "immediate" } else { "fast" };
                write!(out, "PostgreSQL stopped ({how}), started again after {}", seconds(away))
            }
            Self::Vendor { hangs, length } => {
                write!(out, "the vendor {} for {}", if *hangs { "hangs" } else { "fails" }, seconds(length))
            }
        }
    }
}

/// When faults come and how long they last. Times in milliseconds.
#[derive(Debug, Clone)]
pub struct Climate {
    pub length: Duration,
    pub every: Duration,
    /// From the beginning of its turn.
    pub begins_ms: Range<u64>,
    pub away_ms: Range<u64>,
    pub stopped_ms: Range<u64>,
    pub vendor_ms: Range<u64>,
    /// One of each sort, and not also of each variety.
    pub brief: bool,
}

impl Climate {
    /// The faults of a run, each with when it begins. All kinds come in turn, each time in another order.
    pub fn plan(&self, seed: u64) -> Vec<(Duration, Fault)> {
        let mut dice = ChaCha8Rng::seed_from_u64(0x50a4 ^ seed);
        let turns = self.length.as_millis() / self.every.as_millis().max(1);
        let mut plan = Vec::new();
        let mut bag: Vec<usize> = Vec::new();
        for turn in 0..u32::try_from(turns).unwrap_or(0) {
            if bag.is_empty() {
                bag = self.kinds(&mut dice);
                bag.shuffle(&mut dice);
            }
            let begins = self.every * turn + Duration::from_millis(dice.random_range(self.begins_ms.clone()));
            let Some(kind) = bag.pop() else { continue };
            plan.push((begins, self.draw(kind, begins, &mut dice)));
        }
        plan
    }

    fn kinds(&self, dice: &mut ChaCha8Rng) -> Vec<usize> {
        if self.brief {
            return vec![0, 1, 2 + dice.random_range(0..2), 4 + dice.random_range(0..2)];
        }
        (0..6).collect()
    }

    fn draw(&self, kind: usize, begins: Duration, dice: &mut ChaCha8Rng) -> Fault {
        let mut some = |range: &Range<u64>| Duration::from_millis(dice.random_range(range.clone()));
        let (away, stopped, vendor) = (some(&self.away_ms), some(&self.stopped_ms), some(&self.vendor_ms));
        let any = dice.random_range(0..NODES);
        let is_late = begins >= self.length * 2 / 3;
        match kind {
            0 => Fault::Kill { node: if is_late && !self.brief { any } else { NODES - 1 - SPARED }, away },
            1 => Fault::Stop { node: any, length: stopped },
            2 | 3 => Fault::Database { immediate: kind == 3, away },
            _ => Fault::Vendor { hangs: kind == 5, length: vendor },
        }
    }
}

/// A fault that was, by the callers' clock: until all was up again.
#[derive(Debug, Clone, Copy)]
pub struct Spell {
    pub fault: Fault,
    pub from: Duration,
    /// When a process that was killed was gone.
    pub gone: Duration,
    pub to: Duration,
}

impl Spell {
    /// Whether it explains that a call between these times got no whole answer from a node: it was killed meanwhile.
    fn cut(&self, node: usize, sent: Duration, ended: Duration) -> bool {
        matches!(self.fault, Fault::Kill { node: killed, .. } if killed == node)
            && sent <= self.gone
            && ended >= self.from
            && ended <= self.gone + CUT_SEEN_WITHIN
    }

    /// Whether it explains that a call between these times was refused.
    fn refuses(&self, status: u16, sent: Duration, ended: Duration) -> bool {
        let recovery = match (self.fault, status) {
            (Fault::Vendor { .. }, 502) => VENDOR_RECOVERY,
            // Whoever waits for a vendor that hangs may wait too long.
            (Fault::Vendor { .. }, 504) => RECOVERY,
            (Fault::Vendor { .. }, _) | (_, 502) => return false,
            // A body that was on its way when its reader was stopped is late.
            (Fault::Stop { .. }, 408) => RECOVERY,
            (_, 408) => return false,
            _ => RECOVERY,
        };
        ended >= self.from && sent <= self.to + recovery
    }
}

/// What a caller saw that has to be explained.
#[derive(Debug, Clone)]
pub struct Mishap {
    pub node: usize,
    pub sent: Duration,
    pub ended: Duration,
    /// None: no whole answer came.
    pub status: Option<u16>,
    pub what: String,
}

impl Mishap {
    pub fn is_explained(&self, spells: &[Spell]) -> bool {
        spells.iter().any(|spell| match self.status {
            None => spell.cut(self.node, self.sent, self.ended),
            Some(status) => spell.refuses(status, self.sent, self.ended),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SECOND: Duration = Duration::from_secs(1);

    fn climate(brief: bool) -> Climate {
        Climate {
            length: if brief { 40 * SECOND } else { 1_800 * SECOND },
            every: if brief { 10 * SECOND } else { 60 * SECOND },
            begins_ms: 1_000..2_000,
            away_ms: 0..2_000,
            stopped_ms: 2_000..5_000,
            vendor_ms: 4_000..6_000,
            brief,
        }
    }

    #[test]
    fn a_seed_is_one_plan_and_every_kind_comes() {
        let plan = climate(false).plan(7);
        assert_eq!(plan, climate(false).plan(7));
        assert_ne!(plan, climate(false).plan(8));
        assert_eq!(plan.len(), 30);
        let count = |kind: fn(&Fault) -> bool| plan.iter().filter(|(_, fault)| kind(fault)).count();
        assert_eq!(count(|fault| matches!(fault, Fault::Kill { .. })), 5);
        assert_eq!(count(|fault| matches!(fault, Fault::Database { immediate: true, .. })), 5);
        assert_eq!(count(|fault| matches!(fault, Fault::Vendor { hangs: false, .. })), 5);
        for seed in 0..50 {
            let plan = climate(false).plan(seed);
            let early = plan.iter().filter(|(at, _)| *at < 1_200 * SECOND);
            assert!(!early.clone().any(|(_, fault)| matches!(fault, Fault::Kill { node: SPARED, .. })));
            let brief = climate(true).plan(seed);
            let kills = brief.iter().filter(|(_, fault)| matches!(fault, Fault::Kill { .. }));
            assert_eq!((brief.len(), kills.count()), (4, 1));
        }
    }

    #[test]
    fn only_the_fault_that_was_explains_what_was_seen() {
        let away = SECOND;
        let spell =
            |fault: Fault| [Spell { fault, from: 100 * SECOND, gone: 101 * SECOND, to: 105 * SECOND }];
        let kill = spell(Fault::Kill { node: 1, away });
        let stop = spell(Fault::Stop { node: 1, length: away });
        let vendor = spell(Fault::Vendor { hangs: false, length: away });
        let mishap = |node: usize, status: Option<u16>, sent: u32, ended: u32| Mishap {
            node,
            sent: sent * SECOND,
            ended: ended * SECOND,
            status,
            what: String::new(),
        };
        assert!(mishap(1, None, 99, 100).is_explained(&kill));
        // Another node, before it, long after it, and a node that was not killed.
        assert!(!mishap(0, None, 99, 100).is_explained(&kill));
        assert!(!mishap(1, None, 98, 99).is_explained(&kill));
        assert!(!mishap(1, None, 100, 104).is_explained(&kill));
        assert!(!mishap(1, None, 102, 103).is_explained(&kill));
        assert!(!mishap(1, None, 99, 100).is_explained(&stop));
        assert!(mishap(0, Some(503), 114, 115).is_explained(&kill));
        assert!(!mishap(0, Some(503), 116, 117).is_explained(&kill));
        assert!(!mishap(0, Some(503), 101, 102).is_explained(&vendor));
        assert!(mishap(0, Some(502), 120, 121).is_explained(&vendor));
        assert!(!mishap(0, Some(502), 101, 102).is_explained(&kill));
        assert!(mishap(1, Some(408), 101, 102).is_explained(&stop));
    }
}
