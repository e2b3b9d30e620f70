//! Crash points: places where a test may kill this process or its database. Nothing in a normal build.

/// Gives a test the chance to strike here. The action comes from the environment variable `FAILPOINTS`, for
/// example `settle-before-commit=2%return(server)`.
#[cfg(feature = "failpoints")]
pub async fn point(name: &'static str) {
    let Some(order) = ordered(name) else { return };
    if let Some(milliseconds) = order.strip_prefix("wait:").and_then(|text| text.parse().ok()) {
        tokio::time::sleep(std::time::Duration::from_millis(milliseconds)).await;
        return;
    }
    strike(&order);
    // The blow may take a moment to land; nothing after this point may run before it does.
    tokio::time::sleep(std::time::Duration::from_secs(2)).await;
}

#[cfg(not(feature = "failpoints"))]
#[expect(clippy::unused_async, reason = "the same signature as with crash points compiled in")]
pub async fn point(_name: &'static str) {}

#[cfg(feature = "failpoints")]
fn ordered(name: &str) -> Option<String> {
    fail::fail_point!(name, |order| order);
    None
}

/// Kills with `kill -9`: this process, or every process of the PostgreSQL whose postmaster's id the environment names.
#[cfg(feature = "failpoints")]
fn strike(order: &str) {
    let script = match order {
        "server" => format!("kill -9 {}", std::process::id()),
        "postgres" => {
            let postmaster = std::env::var("ASSAY_CRASH_POSTGRES_PID_FILE")
                .ok()
                .and_then(|path| std::fs::read_to_string(path).ok())
                .and_then(|text| text.lines().next().map(str::to_owned))
                .unwrap_or_default();
            format!("kill -STOP {postmaster}; pkill -9 -P {postmaster}; kill -9 {postmaster}")
        }
        _ => return,
    };
    drop(std::process::Command::new("sh").args(["-c", &script]).status());
}
