//! Logs and metrics of a serving process.

use crate::config::{Config, LogFormat};
use crate::failure::Failure;
use assay_store::task;
use metrics_exporter_prometheus::{PrometheusBuilder, PrometheusHandle};
use std::io::stderr;
use std::time::Duration;
use tracing_subscriber::EnvFilter;
use tracing_subscriber::util::SubscriberInitExt;

/// Between them, what a call may take: from a cached lookup to the deadline.
const SECONDS: [f64; 14] =
    [0.0005, 0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 10.0, 60.0];

/// Samples pile up until they are sorted into buckets, which must not wait for somebody to look.
const UPKEEP_EVERY: Duration = Duration::from_secs(5);

/// What must not be heard at any level: it writes the numbers it parses into its trace.
const SILENCED: [&str; 1] = ["rlibphonenumber=off"];

pub fn start_logs(config: &Config) -> Result<(), Failure> {
    let filter = SILENCED.iter().filter_map(|rule| rule.parse().ok());
    let filter = filter.fold(EnvFilter::new(&config.log_level), EnvFilter::add_directive);
    let logs = tracing_subscriber::fmt().with_env_filter(filter).with_writer(stderr);
    let started = match config.log_format {
        LogFormat::Json => logs.json().flatten_event(true).finish().try_init(),
        LogFormat::Text => logs.finish().try_init(),
    };
    started.map_err(|error| Failure::new(format!("logs cannot be written: {error}"), "report it"))
}

/// Installs the recorder; what is counted before this is lost.
pub fn start_metrics() -> Result<PrometheusHandle, Failure> {
    let handle = PrometheusBuilder::new().set_buckets(&SECONDS).and_then(PrometheusBuilder::install_recorder);
    let handle =
        handle.map_err(|error| Failure::new(format!("metrics cannot be kept: {error}"), "report it"))?;
    let kept = handle.clone();
    task::spawn("metrics-upkeep", async move {
        loop {
            tokio::time::sleep(UPKEEP_EVERY).await;
            kept.run_upkeep();
        }
    });
    Ok(handle)
}
