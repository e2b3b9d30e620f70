//! The supervised spawn: background work is named, and a panic in it is logged and counted instead of vanishing.

use futures_util::FutureExt;
use std::future::Future;
use std::panic::AssertUnwindSafe;
use tokio::task::JoinHandle;

/// Runs `work` in the background. A panic ends the task, never silently.
pub fn spawn(name: &'static str, work: impl Future<Output = ()> + Send + 'static) -> JoinHandle<()> {
    #[expect(clippy::disallowed_methods, reason = "the one place that spawns")]
    tokio::spawn(async move {
        if AssertUnwindSafe(work).catch_unwind().await.is_err() {
            metrics::counter!("assay_task_panics_total", "task" => name).increment(1);
            tracing::error!(task = name, "a background task panicked");
        }
    })
}
