//! What is remembered of each vendor or key, up to a number of them. The idlest are forgotten first.

use std::collections::HashMap;
use std::hash::Hash;
use std::sync::Arc;

/// Of those it is full with, one in so many is forgotten at once: looking for the idlest takes a look at all.
const FORGOTTEN_ONE_IN: usize = 8;

#[derive(Debug)]
pub(super) struct Kept<K, V> {
    entries: HashMap<K, (Arc<V>, u64)>,
    most: usize,
    looks: u64,
}

impl<K: Clone + Eq + Hash, V: Default> Kept<K, V> {
    pub(super) fn new(most: usize) -> Self {
        Self { entries: HashMap::new(), most, looks: 0 }
    }

    pub(super) fn get(&mut self, key: K) -> Arc<V> {
        self.looks = self.looks.saturating_add(1);
        if let Some((value, looked_at)) = self.entries.get_mut(&key) {
            *looked_at = self.looks;
            return Arc::clone(value);
        }
        if self.entries.len() >= self.most {
            self.forget_idlest();
        }
        let value = Arc::<V>::default();
        self.entries.insert(key, (Arc::clone(&value), self.looks));
        value
    }

    pub(super) fn forget(&mut self, key: &K) {
        self.entries.remove(key);
    }

    pub(super) fn iter(&self) -> impl Iterator<Item = (&K, &V)> {
        self.entries.iter().map(|(key, (value, _))| (key, value.as_ref()))
    }

    /// What somebody holds is in use, and stays: what is in flight is bounded elsewhere.
    fn forget_idlest(&mut self) {
        let idle = self.entries.iter().filter(|(_, (value, _))| Arc::strong_count(value) == 1);
        let mut idle: Vec<(u64, K)> = idle.map(|(key, (_, looked_at))| (*looked_at, key.clone())).collect();
        idle.sort_unstable_by_key(|(looked_at, _)| *looked_at);
        for (_, key) in idle.iter().take((self.most / FORGOTTEN_ONE_IN).max(1)) {
            self.entries.remove(key);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::atomic::{AtomicU32, Ordering};

    #[test]
    fn the_idlest_go_first_and_what_is_held_stays() {
        let mut kept: Kept<u32, AtomicU32> = Kept::new(16);
        let held = kept.get(0);
        for key in 1..16 {
            kept.get(key).store(key, Ordering::Relaxed);
        }
        kept.get(1);
        for key in 100..100_000 {
            kept.get(key);
            assert_eq!(kept.get(1).load(Ordering::Relaxed), 1, "looked at all the time");
            assert!(kept.entries.len() <= 16);
        }
        held.store(9, Ordering::Relaxed);
        assert_eq!(kept.get(0).load(Ordering::Relaxed), 9);
        assert_eq!(kept.get(2).load(Ordering::Relaxed), 0, "forgotten");
    }
}
