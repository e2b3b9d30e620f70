//! A place among the calls being worked on. A call that only waits steps aside, so that waiting is never counted as work.

use assay_domain::limits::CALL_ADMISSION_WAIT_MAX;
use std::collections::VecDeque;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use tokio::sync::oneshot;

/// How many calls may be worked on at once, and how many more may wait for a moment.
#[derive(Debug)]
pub struct Slots {
    max: usize,
    waiting_max: usize,
    hall: Mutex<Hall>,
}

#[derive(Debug, Default)]
struct Hall {
    taken: usize,
    waiting: VecDeque<oneshot::Sender<Slot>>,
}

/// What comes of asking for a place.
enum Asked {
    Enter(Slot),
    Wait(oneshot::Receiver<Slot>),
    Full,
}

impl Slots {
    pub fn new(max: usize, waiting_max: usize) -> Arc<Self> {
        Arc::new(Self { max, waiting_max, hall: Mutex::default() })
    }

    /// A place, in the order of arrival; none when too many wait already.
    pub async fn enter(self: &Arc<Self>) -> Option<Slot> {
        match self.ask() {
            Asked::Enter(slot) => Some(slot),
            Asked::Full => None,
            Asked::Wait(called) => tokio::time::timeout(CALL_ADMISSION_WAIT_MAX, called).await.ok()?.ok(),
        }
    }

    fn ask(self: &Arc<Self>) -> Asked {
        let mut hall = self.hall();
        if hall.taken < self.max {
            hall.taken += 1;
            return Asked::Enter(self.slot());
        }
        if hall.waiting.len() >= self.waiting_max {
            hall.waiting.retain(|waiter| !waiter.is_closed());
        }
        if hall.waiting.len() >= self.waiting_max {
            return Asked::Full;
        }
        let (call, called) = oneshot::channel();
        hall.waiting.push_back(call);
        Asked::Wait(called)
    }

    /// Calls in whoever has waited longest. One that is gone by then gives the place back as any other does.
    fn give_back(self: &Arc<Self>) {
        let mut hall = self.hall();
        hall.taken = hall.taken.saturating_sub(1);
        while hall.taken < self.max {
            let Some(next) = hall.waiting.pop_front() else { return };
            if !next.is_closed() {
                hall.taken += 1;
                drop(hall);
                drop(next.send(self.slot()));
                return;
            }
        }
    }

    /// A place that is counted already.
    fn slot(self: &Arc<Self>) -> Slot {
        Slot(Some(Arc::new(Place { slots: Arc::clone(self), held: AtomicBool::new(true) })))
    }

    fn hall(&self) -> MutexGuard<'_, Hall> {
        self.hall.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// How many are taken now.
    pub fn taken(&self) -> usize {
        self.hall().taken
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
        place.enter().await.then_some(output)
    }

    /// Gives the place back for good: what follows, such as a long stream, is no longer counted.
    pub fn leave(&self) {
        if let Some(place) = &self.0 {
            place.leave();
        }
    }
}

impl Place {
    async fn enter(&self) -> bool {
        let Some(Slot(Some(new))) = self.slots.enter().await else { return false };
        // One place, whoever keeps it.
        let taken_over = new.held.swap(false, Ordering::Relaxed);
        self.held.store(taken_over, Ordering::Relaxed);
        taken_over
    }

    /// Whether it was still held.
    fn leave(&self) -> bool {
        let held = self.held.swap(false, Ordering::Relaxed);
        if held {
            self.slots.give_back();
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
        self.0.slots.hall().taken += 1;
        self.0.held.store(true, Ordering::Relaxed);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use futures_util::FutureExt;
    use std::time::Duration;

    /// Whoever need not wait.
    fn enter(slots: &Arc<Slots>) -> Option<Slot> {
        slots.enter().now_or_never().flatten()
    }

    #[tokio::test]
    async fn a_place_is_free_again_when_its_last_holder_is_gone() {
        let slots = Slots::new(2, 0);
        let (first, second) = (enter(&slots).unwrap(), enter(&slots).unwrap());
        assert!(enter(&slots).is_none());
        let clone = first.clone();
        drop(first);
        assert!(enter(&slots).is_none());
        drop(clone);
        assert_eq!(slots.taken(), 1);
        second.leave();
        second.leave();
        assert_eq!(slots.taken(), 0);
        drop(second);
        assert_eq!(slots.taken(), 0);
    }

    #[tokio::test]
    async fn a_few_wait_in_the_order_they_came_and_whoever_gave_up_is_passed_over() {
        let slots = Slots::new(1, 3);
        let working = enter(&slots).unwrap();
        let mut waiting: Vec<_> = (0..3).map(|_| Box::pin(slots.enter())).collect();
        for wait in &mut waiting {
            assert!(futures_util::poll!(wait).is_pending());
        }
        assert!(slots.enter().now_or_never().unwrap().is_none(), "there is no room for a fourth");
        drop(waiting.remove(0));
        let mut late = Box::pin(slots.enter());
        assert!(futures_util::poll!(&mut late).is_pending(), "who gave up takes no room");
        drop(working);
        let third = waiting.pop().unwrap();
        let second = waiting.pop().unwrap().now_or_never().unwrap().unwrap();
        assert_eq!(slots.taken(), 1);
        // Called, and gone before it heard of it.
        drop(second);
        drop(third);
        let late = late.now_or_never().unwrap().unwrap();
        assert_eq!(slots.taken(), 1);
        drop(late);
        assert_eq!(slots.taken(), 0);
    }

    #[tokio::test(start_paused = true)]
    async fn nobody_waits_for_long() {
        let slots = Slots::new(1, 1);
        let stuck = enter(&slots).unwrap();
        assert!(tokio::time::timeout(Duration::from_secs(60), slots.enter()).await.unwrap().is_none());
        drop(stuck);
        assert!(enter(&slots).is_some());
        assert_eq!(slots.taken(), 0);
    }

    #[tokio::test]
    async fn a_call_that_steps_aside_makes_room_and_comes_back_even_when_it_is_full() {
        let slots = Slots::new(1, 1);
        let waiting = enter(&slots).unwrap();
        let newcomer = waiting.aside(async { enter(&slots).unwrap() }).now_or_never().unwrap();
        assert_eq!(slots.taken(), 2);
        let mut next = Box::pin(slots.enter());
        assert!(futures_util::poll!(&mut next).is_pending());
        drop(waiting);
        assert!(
            futures_util::poll!(&mut next).is_pending(),
            "the place that was given back was one too many"
        );
        drop(newcomer);
        drop(next.now_or_never().unwrap().unwrap());
        assert_eq!(slots.taken(), 0);
    }

    #[tokio::test]
    async fn a_call_that_waited_outside_finds_the_door_shut_when_it_is_full() {
        let slots = Slots::new(1, 0);
        let slow = enter(&slots).unwrap();
        let mut newcomer = None;
        let back = slow.outside(async { newcomer = enter(&slots) }).now_or_never().unwrap();
        assert!(back.is_none() && newcomer.is_some() && slots.taken() == 1);
        drop(slow);
        assert_eq!(slots.taken(), 1);
        drop(newcomer);
        let calm = enter(&slots).unwrap();
        assert!(calm.outside(async {}).now_or_never().unwrap().is_some());
        assert_eq!(slots.taken(), 1);
        assert!(Slot::default().outside(async {}).now_or_never().unwrap().is_some());
    }

    #[tokio::test]
    async fn a_call_that_waited_outside_may_wait_for_its_place_as_others_do() {
        let slots = Slots::new(1, 1);
        let slow = enter(&slots).unwrap();
        let newcomer = std::cell::RefCell::new(None);
        let mut back = Box::pin(slow.outside(async { newcomer.replace(enter(&slots)) }));
        assert!(futures_util::poll!(&mut back).is_pending());
        drop(newcomer.take().unwrap());
        assert!(back.now_or_never().unwrap().is_some());
        assert_eq!(slots.taken(), 1);
        drop(slow);
        assert_eq!(slots.taken(), 0);
    }

    #[tokio::test]
    async fn a_wait_that_is_given_up_leaves_the_count_right() {
        let slots = Slots::new(1, 0);
        let waiting = enter(&slots).unwrap();
        assert!(waiting.aside(std::future::pending::<()>()).now_or_never().is_none());
        assert_eq!(slots.taken(), 1);
        waiting.leave();
        // Having left for good, there is no place to come back to.
        waiting.aside(async { assert_eq!(slots.taken(), 0) }).now_or_never().unwrap();
        drop(waiting);
        assert_eq!(slots.taken(), 0);
    }
}
