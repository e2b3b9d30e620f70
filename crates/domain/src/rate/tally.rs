//! What one node admitted in the last minute, by quarters of a second.

use super::SLOTS;
use std::fmt;

/// A clock may be set back this many slots and still be waited for; beyond it, its word is taken for the present.
const BACK_SLOTS_MAX: i64 = 8;
const BYTES_PER_COUNT: usize = 2;

/// Counts of the newest slot and the 240 before it: every request that any 60 seconds ending in the newest slot can hold.
#[derive(Clone, PartialEq, Eq)]
pub struct Tally {
    newest: i64,
    total: u32,
    /// Where the newest slot's count lies; older ones lie before it, round the end.
    head: u16,
    counts: [u16; SLOTS],
}

impl fmt::Debug for Tally {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "Tally({} up to slot {})", self.total, self.newest)
    }
}

impl Tally {
    pub fn new(slot: i64) -> Self {
        Self { newest: slot, total: 0, head: 0, counts: [0; SLOTS] }
    }

    /// Forgets what is a minute old at `slot`. A slot a little behind the newest is taken for the newest: callers that
    /// looked at the clock one after the other may come in another order.
    pub fn advance(&mut self, slot: i64) {
        let ahead = slot.saturating_sub(self.newest);
        if ahead < -BACK_SLOTS_MAX {
            self.newest = slot;
            return;
        }
        if ahead <= 0 {
            return;
        }
        let steps = usize::try_from(ahead).unwrap_or(SLOTS);
        self.newest = slot;
        if steps >= SLOTS || self.total == 0 {
            self.total = 0;
            self.counts.fill(0);
            return;
        }
        for _ in 0..steps {
            self.head = if usize::from(self.head) + 1 < SLOTS { self.head + 1 } else { 0 };
            if let Some(count) = self.counts.get_mut(usize::from(self.head)) {
                self.total = self.total.saturating_sub(u32::from(*count));
                *count = 0;
            }
        }
    }

    /// Counts requests in the newest slot, as many as it can count.
    pub fn add(&mut self, requests: u32) {
        let requests = u16::try_from(requests.min(self.room())).unwrap_or(u16::MAX);
        if let Some(count) = self.counts.get_mut(usize::from(self.head)) {
            *count = count.saturating_add(requests);
            self.total = self.total.saturating_add(u32::from(requests));
        }
    }

    pub fn total(&self) -> u32 {
        self.total
    }

    pub fn newest(&self) -> i64 {
        self.newest
    }

    pub fn oldest(&self) -> i64 {
        self.newest - i64::try_from(SLOTS).unwrap_or(0) + 1
    }

    /// How many more the newest slot can count.
    pub fn room(&self) -> u32 {
        u32::from(u16::MAX - self.count_at(self.newest))
    }

    pub fn count_at(&self, slot: i64) -> u16 {
        let back = usize::try_from(self.newest.saturating_sub(slot)).unwrap_or(SLOTS);
        if back >= SLOTS {
            return 0;
        }
        let at = (usize::from(self.head) + SLOTS - back) % SLOTS;
        self.counts.get(at).copied().unwrap_or(0)
    }

    /// The newest slot that counted anything.
    pub fn last_counted(&self) -> Option<i64> {
        if self.total == 0 {
            return None;
        }
        (self.oldest()..=self.newest).rev().find(|slot| self.count_at(*slot) > 0)
    }

    /// The counts from the oldest slot to the newest, as other nodes are told them.
    pub fn to_bytes(&self) -> Vec<u8> {
        (self.oldest()..=self.newest).flat_map(|slot| self.count_at(slot).to_le_bytes()).collect()
    }

    /// What another node told. `None` if it is no such text: it may come from another version.
    pub fn from_bytes(newest: i64, bytes: &[u8]) -> Option<Self> {
        let (pairs, rest) = bytes.as_chunks::<BYTES_PER_COUNT>();
        if pairs.len() != SLOTS || !rest.is_empty() {
            return None;
        }
        let mut tally = Self::new(newest);
        for (count, pair) in tally.counts.iter_mut().zip(pairs) {
            *count = u16::from_le_bytes(*pair);
            tally.total += u32::from(*count);
        }
        tally.head = u16::try_from(SLOTS - 1).unwrap_or(0);
        Some(tally)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn a_count_is_kept_for_a_minute_and_a_slot_and_no_longer() {
        let mut tally = Tally::new(1_000);
        tally.add(1);
        tally.advance(1_240);
        assert_eq!(tally.total(), 1);
        tally.advance(1_241);
        assert_eq!((tally.total(), tally.last_counted()), (0, None));
    }

    #[test]
    fn a_clock_that_is_set_back_neither_loses_counts_nor_stops_time() {
        let mut tally = Tally::new(1_000_000);
        tally.add(1);
        tally.advance(999_995);
        assert_eq!(tally.newest(), 1_000_000, "a little behind is the present");
        tally.advance(500_000);
        assert_eq!((tally.newest(), tally.total()), (500_000, 1), "far behind is believed");
        tally.advance(500_241);
        assert_eq!(tally.total(), 0);
    }

    #[test]
    fn a_clock_is_waited_for_up_to_two_seconds() {
        let mut tally = Tally::new(1_000);
        tally.advance(1_000 - BACK_SLOTS_MAX);
        assert_eq!(tally.newest(), 1_000);
        tally.advance(999 - BACK_SLOTS_MAX);
        assert_eq!(tally.newest(), 999 - BACK_SLOTS_MAX);
    }

    #[test]
    fn a_tally_is_written_by_its_total() {
        let mut tally = Tally::new(7);
        tally.add(3);
        assert_eq!(format!("{tally:?}"), "Tally(3 up to slot 7)");
    }

    #[test]
    fn what_is_no_tally_is_not_read_as_one() {
        assert_eq!(Tally::from_bytes(5, &[0; 481]), None);
        assert_eq!(Tally::from_bytes(5, &[0; 484]), None);
        assert!(Tally::from_bytes(5, &[0; 482]).is_some());
    }

    proptest! {
        #[test]
        fn the_total_is_what_the_slots_count(steps in prop::collection::vec((0_i64..90, 0_u32..4), 1..200)) {
            let mut tally = Tally::new(77);
            let mut model = std::collections::BTreeMap::<i64, u32>::new();
            let mut slot = 77;
            for (ahead, adds) in steps {
                slot += ahead;
                tally.advance(slot);
                for _ in 0..adds {
                    tally.add(1);
                    *model.entry(slot).or_default() += 1;
                }
                model.retain(|old, _| *old > slot - 241);
                prop_assert_eq!(tally.total(), model.values().sum::<u32>());
                prop_assert_eq!(tally.last_counted(), model.keys().next_back().copied());
            }
            let read = Tally::from_bytes(tally.newest(), &tally.to_bytes()).unwrap();
            for slot in read.oldest()..=read.newest() {
                prop_assert_eq!(read.count_at(slot), tally.count_at(slot));
            }
            prop_assert_eq!(read.total(), tally.total());
        }
    }
}
