//! The open connections of one listener: how many there are, and which of them makes room when there are too many.

use assay_domain::clock::Stopwatch;
use assay_domain::limits::{CONNECTION_REST_MIN, CONNECTIONS_LOOKED_AT};
use std::sync::atomic::{AtomicBool, AtomicU32, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;
use tokio::sync::Notify;

/// What is seen of one connection from outside its task.
#[derive(Debug)]
pub(crate) struct Pulse {
    watch: Stopwatch,
    /// When bytes last went either way, in milliseconds of `watch`.
    active: AtomicU64,
    /// Calls started on it, and whether one is being answered.
    calls: AtomicU32,
    busy: AtomicBool,
    close: Notify,
}

impl Pulse {
    pub(crate) fn new(watch: Stopwatch) -> Self {
        let pulse = Self {
            watch,
            active: AtomicU64::new(0),
            calls: AtomicU32::new(0),
            busy: AtomicBool::new(false),
            close: Notify::new(),
        };
        pulse.beat();
        pulse
    }

    pub(crate) fn now(&self) -> Duration {
        self.watch.elapsed()
    }

    /// Bytes went through.
    pub(crate) fn beat(&self) {
        let now = u64::try_from(self.now().as_millis()).unwrap_or(u64::MAX);
        self.active.store(now, Ordering::Relaxed);
    }

    pub(crate) fn active(&self) -> Duration {
        Duration::from_millis(self.active.load(Ordering::Relaxed))
    }

    pub(crate) fn calls(&self) -> u32 {
        self.calls.load(Ordering::Relaxed)
    }

    pub(crate) fn is_busy(&self) -> bool {
        self.busy.load(Ordering::Relaxed)
    }

    /// A request has arrived. HTTP/1.1 answers one at a time on a connection.
    pub(crate) fn start_call(self: &Arc<Self>) -> Busy {
        self.calls.fetch_add(1, Ordering::Relaxed);
        self.busy.store(true, Ordering::Relaxed);
        Busy(Arc::clone(self))
    }

    /// Resolves when the connection has to make room.
    pub(crate) async fn closed(&self) {
        self.close.notified().await;
    }
}

/// A call is being answered on a connection until this is dropped.
#[derive(Debug)]
pub(crate) struct Busy(Arc<Pulse>);

impl Drop for Busy {
    fn drop(&mut self) {
        self.0.busy.store(false, Ordering::Relaxed);
        self.0.beat();
    }
}

/// All open connections of a listener.
#[derive(Debug)]
pub(crate) struct Connections {
    max: usize,
    watch: Stopwatch,
    open: Mutex<Open>,
}

#[derive(Debug, Default)]
struct Open {
    /// Places, free ones empty.
    places: Vec<Option<Arc<Pulse>>>,
    free: Vec<usize>,
    /// Where to look next for one that rests.
    hand: usize,
}

impl Connections {
    pub(crate) fn new(max: usize) -> Arc<Self> {
        Arc::new(Self { max, watch: Stopwatch::start(), open: Mutex::default() })
    }

    /// A place for a new connection. When all are taken, the one that has rested longest among those looked at is closed
    /// for it: a flood of connections that ask nothing pushes itself out, and whoever calls is let in. `None` when none of
    /// them rests.
    pub(crate) fn admit(self: &Arc<Self>) -> Option<Admitted> {
        let pulse = Arc::new(Pulse::new(self.watch));
        let mut open = self.open.lock().unwrap_or_else(PoisonError::into_inner);
        let place = match open.free.pop() {
            Some(place) => place,
            None if open.places.len() < self.max => {
                open.places.push(None);
                open.places.len() - 1
            }
            None => {
                let place = open.find_resting(self.watch.elapsed())?;
                if let Some(resting) = open.places.get_mut(place).and_then(Option::take) {
                    resting.close.notify_one();
                    metrics::counter!("assay_connections_evicted_total").increment(1);
                }
                place
            }
        };
        if let Some(free) = open.places.get_mut(place) {
            *free = Some(Arc::clone(&pulse));
        }
        drop(open);
        Some(Admitted { connections: Arc::clone(self), place, pulse })
    }
}

impl Open {
    /// The longest rest among the next few places. Looking at all of them would cost more than the connection is worth.
    fn find_resting(&mut self, now: Duration) -> Option<usize> {
        let count = self.places.len();
        let mut found: Option<(Duration, usize)> = None;
        for _ in 0..count.min(CONNECTIONS_LOOKED_AT) {
            let place = self.hand;
            self.hand = (self.hand + 1) % count.max(1);
            let Some(Some(pulse)) = self.places.get(place) else { continue };
            let active = pulse.active();
            let rests = !pulse.is_busy() && now.saturating_sub(active) >= CONNECTION_REST_MIN;
            if rests && found.is_none_or(|(longest, _)| active < longest) {
                found = Some((active, place));
            }
        }
        found.map(|(_, place)| place)
    }
}

/// An open connection's place; free again when dropped.
#[derive(Debug)]
pub(crate) struct Admitted {
    connections: Arc<Connections>,
    place: usize,
    pub(crate) pulse: Arc<Pulse>,
}

impl Drop for Admitted {
    fn drop(&mut self) {
        let mut open = self.connections.open.lock().unwrap_or_else(PoisonError::into_inner);
        // A place that was given to another connection is not this one's to free.
        let mine = |taken: &Option<Arc<Pulse>>| taken.as_ref().is_some_and(|it| Arc::ptr_eq(it, &self.pulse));
        if open.places.get(self.place).is_some_and(mine) {
            if let Some(place) = open.places.get_mut(self.place) {
                *place = None;
            }
            open.free.push(self.place);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use futures_util::FutureExt;

    fn rest() {
        std::thread::sleep(CONNECTION_REST_MIN + Duration::from_millis(50));
    }

    fn is_told_to_close(admitted: &Admitted) -> bool {
        admitted.pulse.closed().now_or_never().is_some()
    }

    #[test]
    fn one_that_rests_makes_room_and_one_that_works_does_not() {
        let connections = Connections::new(2);
        let (first, second) = (connections.admit().unwrap(), connections.admit().unwrap());
        assert!(connections.admit().is_none(), "both have only just come");
        rest();
        let busy = first.pulse.start_call();
        let third = connections.admit().unwrap();
        assert!(!is_told_to_close(&first) && is_told_to_close(&second));
        assert!(connections.admit().is_none(), "one works, one has only just come");
        // The one that was pushed out leaves without freeing the place it no longer has.
        drop(second);
        assert!(connections.admit().is_none());
        drop(busy);
        drop(first);
        let fourth = connections.admit().unwrap();
        assert!(!is_told_to_close(&third));
        drop((third, fourth));
    }

    #[test]
    fn the_longest_rest_goes_first() {
        let connections = Connections::new(3);
        let all: Vec<_> = (0..3).map(|_| connections.admit().unwrap()).collect();
        std::thread::sleep(Duration::from_millis(100));
        all[0].pulse.beat();
        all[2].pulse.beat();
        rest();
        let _newcomer = connections.admit().unwrap();
        let closed: Vec<bool> = all.iter().map(is_told_to_close).collect();
        assert_eq!(closed, [false, true, false]);
    }
}
