//! Work of an import that needs no database, spread over the processors: while a batch is decided on, PostgreSQL has
//! nothing to do.

use std::num::NonZero;
use std::thread;

/// Fewer than this are done sooner than a thread is started.
const EACH_MIN: usize = 64;

/// The same as `items.into_iter().map(work).collect()`, in the same order.
pub fn map<T: Send, R: Send>(items: Vec<T>, work: impl Fn(T) -> R + Sync) -> Vec<R> {
    let threads = thread::available_parallelism().map_or(1, NonZero::get).min(items.len() / EACH_MIN);
    if threads < 2 {
        return items.into_iter().map(work).collect();
    }
    let mut parts: Vec<Vec<T>> = Vec::with_capacity(threads);
    let each = items.len().div_ceil(threads);
    let mut rest = items.into_iter();
    for _ in 0..threads {
        parts.push(rest.by_ref().take(each).collect());
    }
    let work = &work;
    thread::scope(|scope| {
        let mut parts = parts.into_iter();
        let own = parts.next().unwrap_or_default();
        let others: Vec<_> =
            parts.map(|part| scope.spawn(move || part.into_iter().map(work).collect::<Vec<R>>())).collect();
        let mut done: Vec<R> = own.into_iter().map(work).collect();
        for other in others {
            match other.join() {
                Ok(part) => done.extend(part),
                Err(panic) => std::panic::resume_unwind(panic),
            }
        }
        done
    })
}

#[cfg(test)]
mod tests {
    #[test]
    fn the_order_stays_however_many_there_are() {
        for count in [0, 1, 63, 64, 127, 128, 1_001] {
            let items: Vec<usize> = (0..count).collect();
            let doubled: Vec<usize> = items.iter().map(|item| item * 2).collect();
            assert_eq!(super::map(items, |item| item * 2), doubled);
        }
    }
}
