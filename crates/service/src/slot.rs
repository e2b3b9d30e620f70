//! A place among the calls being worked on. A call that only waits steps aside, so that waiting is never counted as work.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

/// How many calls may be worked on at once.
#[derive(Debug)]
pub struct Slots {
    max: usize,
    taken: AtomicUsize,
}

impl Slots {
    pub fn new(max: usize) -> Arc<Self> {
        Arc::new(Self { max, taken: AtomicUsize::new(0) })
    }

    /// A place, if there is one left.
    pub fn enter(self: &Arc<Self>) -> Option<Slot> {
        self.take()
            .then(|| Slot(Some(Arc::new(Place { slots: Arc::clone(self), held: AtomicBool::new(true) }))))
    }

    fn take(&self) -> bool {
        let more = |taken: usize| (taken < self.max).then_some(taken + 1);
        self.taken.fetch_update(Ordering::Relaxed, Ordering::Relaxed, more).is_ok()
    }

    /// How many are taken now.
    pub fn taken(&self) -> usize {
        self.taken.load(Ordering::Relaxed)
    }
}

/// The place of one call. Given back when its last clone is gone, or before that by [`Slot::leave`].
#[derive(Debug, Clone, Default)]
pub struct Slot(Option<Arc<Place>>);

#[derive(Debug)]
struct Place {
    slots: Arc<Slots>,
    held: AtomicBool,
}

impl Slot {
    /// Waits for something slow that does not use this machine, an upstream for example, without keeping the place. Afterwards
    /// the call goes on, also when all places are taken meanwhile: it was let in before those who hold them.
    pub async fn aside<F: Future>(&self, wait: F) -> F::Output {
        let place = self.0.as_deref().filter(|place| place.leave());
        let _back = place.map(Back);
        wait.await
    }

    /// Waits for the caller itself, without keeping the place: a body that trickles in. Afterwards there may be none left,
    /// because whoever makes calls wait outside must not be able to bring them all in at once.
    pub async fn outside<F: Future>(&self, wait: F) -> Option<F::Output> {
        let Some(place) = self.0.as_deref().filter(|place| place.leave()) else { return Some(wait.await) };
        let output = wait.await;
        place.enter().then_some(output)
    }

    /// Gives the place back for good: what follows, such as a long stream, is no longer counted.
    pub fn leave(&self) {
        if let Some(place) = &self.0 {
            place.leave();
        }
    }
}

impl Place {
    fn enter(&self) -> bool {
        let entered = self.slots.take();
        self.held.store(entered, Ordering::Relaxed);
        entered
    }

    /// Whether it was still held.
    fn leave(&self) -> bool {
        let held = self.held.swap(false, Ordering::Relaxed);
        if held {
            self.slots.taken.fetch_sub(1, Ordering::Relaxed);
        }
        held
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        self.leave();
    }
}

/// Takes the place again, also when the wait is given up.
struct Back<'a>(&'a Place);

impl Drop for Back<'_> {
    fn drop(&mut self) {
        self.0.slots.taken.fetch_add(1, Ordering::Relaxed);
        self.0.held.store(true, Ordering::Relaxed);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use futures_util::FutureExt;

    #[test]
    fn a_place_is_free_again_when_its_last_holder_is_gone() {
        let slots = Slots::new(2);
        let (first, second) = (slots.enter().unwrap(), slots.enter().unwrap());
        assert!(slots.enter().is_none());
        let clone = first.clone();
        drop(first);
        assert!(slots.enter().is_none());
        drop(clone);
        assert_eq!(slots.taken(), 1);
        second.leave();
        second.leave();
        assert_eq!(slots.taken(), 0);
        drop(second);
        assert_eq!(slots.taken(), 0);
    }

    #[test]
    fn a_call_that_steps_aside_makes_room_and_comes_back_even_when_it_is_full() {
        let slots = Slots::new(1);
        let waiting = slots.enter().unwrap();
        let newcomer = waiting.aside(async { slots.enter().unwrap() }).now_or_never().unwrap();
        assert_eq!(slots.taken(), 2);
        drop(waiting);
        assert!(slots.enter().is_none());
        drop(newcomer);
        assert_eq!(slots.taken(), 0);
    }

    #[test]
    fn a_call_that_waited_outside_finds_the_door_shut_when_it_is_full() {
        let slots = Slots::new(1);
        let slow = slots.enter().unwrap();
        let mut newcomer = None;
        let back = slow.outside(async { newcomer = slots.enter() }).now_or_never().unwrap();
        assert!(back.is_none() && newcomer.is_some() && slots.taken() == 1);
        drop(slow);
        assert_eq!(slots.taken(), 1);
        drop(newcomer);
        let calm = slots.enter().unwrap();
        assert!(calm.outside(async {}).now_or_never().unwrap().is_some());
        assert_eq!(slots.taken(), 1);
        assert!(Slot::default().outside(async {}).now_or_never().unwrap().is_some());
    }

    #[test]
    fn a_wait_that_is_given_up_leaves_the_count_right() {
        let slots = Slots::new(1);
        let waiting = slots.enter().unwrap();
        assert!(waiting.aside(std::future::pending::<()>()).now_or_never().is_none());
        assert_eq!(slots.taken(), 1);
        waiting.leave();
        // Having left for good, there is no place to come back to.
        waiting.aside(async { assert_eq!(slots.taken(), 0) }).now_or_never().unwrap();
        drop(waiting);
        assert_eq!(slots.taken(), 0);
    }
}
