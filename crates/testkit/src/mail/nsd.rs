//! Runs nsd, a real DNS server, on the zones of the rig.

use std::net::{SocketAddr, UdpSocket};
use std::path::Path;
use std::process::Command;
use std::time::Duration;

use anyhow::{Context, bail};

use super::network::Network;
use super::{MailRigOptions, hosted, zones};
use crate::binaries::run;
use crate::clock::{Deadline, POLL};

/// The last number of its address.
pub(super) const HOST: u8 = 2;
const ANSWER_WAIT: Duration = Duration::from_secs(20);
const ASK_WAIT: Duration = Duration::from_millis(200);
/// Asks for the SOA record of `test`.
const QUESTION: &[u8] = b"\x12\x34\x00\x00\x00\x01\x00\x00\x00\x00\x00\x00\x04test\x00\x00\x06\x00\x01";

pub(super) fn start(folder: &Path, network: &Network, options: &MailRigOptions) -> anyhow::Result<()> {
    let home = folder.join("nsd");
    std::fs::create_dir_all(&home)?;
    std::fs::write(home.join("test.zone"), zones::forward(network, &options.records)?)?;
    let example = [options.example_records.clone(), hosted::records(&options.hosted)].concat();
    std::fs::write(home.join("example.zone"), zones::example(network, &example)?)?;
    std::fs::write(home.join("reverse.zone"), zones::reverse(network)?)?;
    let config = home.join("nsd.conf");
    std::fs::write(&config, settings(&home, network))?;
    run(Command::new("nsd").arg("-c").arg(&config).current_dir(&home)).context("nsd did not start")?;
    wait_answering(network.dns(HOST)).with_context(|| {
        let log = std::fs::read_to_string(home.join("nsd.log")).unwrap_or_default();
        format!("last in its log: {:?}", log.lines().rev().take(5).collect::<Vec<_>>())
    })
}

fn settings(home: &Path, network: &Network) -> String {
    let home = home.display();
    let address = network.address(HOST);
    // An empty user name: the server stays who started it, so that the folder need not be given away.
    format!(
        "server:
  ip-address: {address}
  do-ip6: no
  server-count: 1
  username: \"\"
  database: \"\"
  zonesdir: \"{home}\"
  pidfile: \"{home}/nsd.pid\"
  logfile: \"{home}/nsd.log\"
  xfrdfile: \"{home}/xfrd.state\"
  zonelistfile: \"{home}/zone.list\"
  xfrdir: \"{home}\"
  rrl-ratelimit: 0
remote-control:
  control-enable: no
zone:
  name: \"test\"
  zonefile: \"test.zone\"
zone:
  name: \"example\"
  zonefile: \"example.zone\"
zone:
  name: \"127.in-addr.arpa\"
  zonefile: \"reverse.zone\"
"
    )
}

fn wait_answering(server: SocketAddr) -> anyhow::Result<()> {
    let socket = UdpSocket::bind(("127.0.0.1", 0)).context("cannot bind a loopback port")?;
    socket.set_read_timeout(Some(ASK_WAIT))?;
    let deadline = Deadline::after(ANSWER_WAIT);
    let mut answer = [0; 512];
    while !deadline.passed() {
        let asked = socket.send_to(QUESTION, server).and_then(|_| socket.recv_from(&mut answer));
        // The low half of the fourth byte is the result: anything but zero means the zone is not loaded.
        if asked.is_ok() && answer.get(3).is_some_and(|byte| byte & 0x0f == 0) {
            return Ok(());
        }
        std::thread::sleep(POLL);
    }
    bail!("nsd runs but does not answer")
}
