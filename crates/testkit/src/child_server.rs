//! Runs a server program under test: starts it, waits for it, kills it.

use std::fs::File;
use std::io::{Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::time::Duration;

use anyhow::{Context, bail};

use crate::clock::{Deadline, POLL};
use crate::processes::signal;

const PROBE_TIMEOUT: Duration = Duration::from_secs(2);
const LOG_TAIL_BYTES: usize = 4096;

/// A running server program; killed when the value is dropped.
#[derive(Debug)]
pub struct ChildServer {
    child: Child,
    log_file: PathBuf,
}

impl ChildServer {
    /// Starts the program with these arguments and, on top of its own environment, these variables.
    /// Standard output and error go to `log_file`, one after the other as they come.
    pub fn spawn(
        program: &Path,
        args: &[&str],
        variables: &[(&str, &str)],
        log_file: &Path,
    ) -> anyhow::Result<Self> {
        let log = File::options()
            .create(true)
            .append(true)
            .open(log_file)
            .with_context(|| format!("cannot open {}", log_file.display()))?;
        let child = Command::new(program)
            .args(args)
            .envs(variables.iter().copied())
            .stdin(Stdio::null())
            .stdout(log.try_clone()?)
            .stderr(log)
            .spawn()
            .with_context(|| format!("cannot start {}", program.display()))?;
        Ok(Self { child, log_file: log_file.to_owned() })
    }

    #[must_use]
    pub fn pid(&self) -> u32 {
        self.child.id()
    }

    /// Everything the program has printed so far.
    #[must_use]
    pub fn log(&self) -> String {
        std::fs::read(&self.log_file)
            .map(|bytes| String::from_utf8_lossy(&bytes).into_owned())
            .unwrap_or_default()
    }

    /// Asks a URL such as `http://127.0.0.1:8080/readyz` until it answers 200. Fails with the end of the
    /// log when the program exits, or the time is over, before that.
    pub fn wait_ready(&mut self, url: &str, allowed: Duration) -> anyhow::Result<()> {
        let (address, path) = split_url(url)?;
        let deadline = Deadline::after(allowed);
        while probe(address, &path).is_none_or(|status| status != 200) {
            if let Some(status) = self.child.try_wait()? {
                bail!("the server exited ({status}) before it was ready: {}", self.log_tail());
            }
            if deadline.passed() {
                bail!("{url} did not answer 200 within {allowed:?}: {}", self.log_tail());
            }
            std::thread::sleep(POLL);
        }
        Ok(())
    }

    /// Stops it where it stands: it neither answers nor ends.
    pub fn freeze(&self) -> anyhow::Result<()> {
        signal("STOP", &[self.child.id()])
    }

    /// Lets it go on when it was frozen.
    pub fn thaw(&self) -> anyhow::Result<()> {
        signal("CONT", &[self.child.id()])
    }

    /// SIGKILL: no handler runs, nothing is flushed. Returns when the process is gone.
    pub fn kill_dash_nine(&mut self) -> anyhow::Result<ExitStatus> {
        self.child.kill().context("cannot kill the server")?;
        Ok(self.child.wait()?)
    }

    /// SIGTERM, then waits for the program to end by itself.
    pub fn terminate(&mut self, allowed: Duration) -> anyhow::Result<ExitStatus> {
        if let Some(status) = self.child.try_wait()? {
            return Ok(status);
        }
        signal("TERM", &[self.child.id()])?;
        let deadline = Deadline::after(allowed);
        loop {
            if let Some(status) = self.child.try_wait()? {
                return Ok(status);
            }
            if deadline.passed() {
                bail!("the server still runs {allowed:?} after SIGTERM: {}", self.log_tail());
            }
            std::thread::sleep(POLL);
        }
    }

    fn log_tail(&self) -> String {
        let log = self.log();
        let mut start = log.len().saturating_sub(LOG_TAIL_BYTES);
        while !log.is_char_boundary(start) {
            start += 1;
        }
        log.get(start..).unwrap_or_default().to_owned()
    }
}

impl Drop for ChildServer {
    fn drop(&mut self) {
        drop(self.child.kill());
        drop(self.child.wait());
    }
}

fn split_url(url: &str) -> anyhow::Result<(SocketAddr, String)> {
    let rest = url.strip_prefix("http://").context("only http:// URLs can be asked")?;
    let (authority, path) = rest.split_once('/').unwrap_or((rest, ""));
    let address = authority.parse().with_context(|| format!("{authority} is not an address and a port"))?;
    Ok((address, format!("/{path}")))
}

/// The status of one GET, or nothing when no HTTP answer came.
fn probe(address: SocketAddr, path: &str) -> Option<u16> {
    let mut stream = TcpStream::connect_timeout(&address, PROBE_TIMEOUT).ok()?;
    stream.set_read_timeout(Some(PROBE_TIMEOUT)).ok()?;
    stream.set_write_timeout(Some(PROBE_TIMEOUT)).ok()?;
    let request = format!("GET {path} HTTP/1.1\r\nhost: {address}\r\nconnection: close\r\n\r\n");
    stream.write_all(request.as_bytes()).ok()?;
    // "HTTP/1.1 200" is all that is wanted; the rest of the answer is left unread.
    let mut head = [0_u8; 12];
    stream.read_exact(&mut head).ok()?;
    std::str::from_utf8(&head).ok()?.strip_prefix("HTTP/1.")?.get(2..)?.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_server_is_ready_when_it_answers_200_and_its_end_is_reported() {
        let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
        let url = format!("http://{}/readyz", listener.local_addr().unwrap());
        let answers = std::thread::spawn(move || {
            for status in ["503 Service Unavailable", "200 OK"] {
                let (mut stream, _) = listener.accept().unwrap();
                let mut request = [0_u8; 256];
                assert!(stream.read(&mut request).unwrap() > 0);
                // In one piece: whoever asks is gone when it has read the status.
                stream.write_all(format!("HTTP/1.1 {status}\r\n\r\n").as_bytes()).unwrap();
            }
        });
        let log_file =
            std::env::temp_dir().join(format!("assay-child-{:016x}.log", crate::template::random()));
        let script = "echo started; exec sleep 60";
        let mut server = ChildServer::spawn(Path::new("sh"), &["-c", script], &[], &log_file).unwrap();
        server.wait_ready(&url, Duration::from_secs(10)).unwrap();
        answers.join().unwrap();
        assert_eq!(server.log(), "started\n");
        assert!(!server.terminate(Duration::from_secs(10)).unwrap().success());
        let error = server.wait_ready(&url, Duration::from_secs(10)).unwrap_err();
        assert!(error.to_string().contains("before it was ready: started"), "{error}");
        std::fs::remove_file(log_file).unwrap();
    }
}
