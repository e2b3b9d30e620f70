//! Runs postgrey, which tells Postfix to defer whoever asks for the first time.

use std::net::TcpStream;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use anyhow::{Context, bail};

use super::network::Network;
use crate::binaries::run;
use crate::clock::{Deadline, POLL};

/// The last number of its address.
pub(super) const HOST: u8 = 4;
pub(super) const PORT: u16 = 10_023;
const LISTEN_WAIT: Duration = Duration::from_secs(30);
const USER: &str = "postgrey";

/// Stays in the foreground: whoever holds the value must reap it.
pub(super) fn start(folder: &Path, network: &Network, delay_s: u32) -> anyhow::Result<Child> {
    let home = folder.join("postgrey");
    let database = home.join("database");
    std::fs::create_dir_all(&database)?;
    run(Command::new("chown").arg(format!("{USER}:")).arg(&database))
        .context("is there a user `postgrey`?")?;
    let log = std::fs::File::create(home.join("postgrey.log"))?;
    let address = network.at(HOST, PORT);
    let mut command = Command::new("postgrey");
    command
        .arg(format!("--inet={address}"))
        .arg(format!("--delay={delay_s}"))
        .arg(format!("--dbdir={}", database.display()))
        .args([format!("--user={USER}"), format!("--group={USER}")])
        // By default the fifth success would let a verifier in for good, and known senders at once.
        .args(["--auto-whitelist-clients=0", "--whitelist-clients=/dev/null"])
        .arg("--whitelist-recipients=/dev/null")
        .current_dir(&home)
        .env("LC_ALL", "C")
        .stdin(Stdio::null())
        .stdout(log.try_clone()?)
        .stderr(log);
    let mut child = command.spawn().context("cannot run postgrey")?;
    let deadline = Deadline::after(LISTEN_WAIT);
    while TcpStream::connect(address).is_err() {
        if deadline.passed() || child.try_wait()?.is_some() {
            drop(child.kill());
            drop(child.wait());
            let log = std::fs::read_to_string(home.join("postgrey.log")).unwrap_or_default();
            bail!("postgrey did not start; it said: {}", log.trim());
        }
        std::thread::sleep(POLL);
    }
    Ok(child)
}
