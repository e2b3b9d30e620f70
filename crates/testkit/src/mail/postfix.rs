//! Writes a Postfix instance of its own (settings, queue, data, log) and starts it.

use std::fmt::Write;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::Context;

use crate::binaries::run;

/// The services behind every listener. None of them leaves the folder, and nothing delivers mail: verifiers send none.
const SERVICES: &str = "\
cleanup unix n - n - 0 cleanup
qmgr unix n - n 300 1 qmgr
tlsmgr unix - - n 1000? 1 tlsmgr
rewrite unix - - n - - trivial-rewrite
bounce unix - - n - 0 bounce
defer unix - - n - 0 bounce
trace unix - - n - 0 bounce
verify unix - - n - 1 verify
proxymap unix - - n - - proxymap
smtp unix - - n - - smtp
error unix - - n - - error
discard unix - - n - - discard
dnsblog unix - - n - 0 dnsblog
anvil unix - - n - 1 anvil
postlog unix-dgram n - n - 1 postlogd
";

/// Holds for every instance; a listener may say otherwise.
const SETTINGS: &[(&str, &str)] = &[
    ("compatibility_level", "3.6"),
    ("maillog_file_prefixes", "/"),
    ("mydestination", ""),
    // Nobody is trusted: loopback, the usual network of friends, is where the verifier comes from.
    ("mynetworks", "192.0.2.1/32"),
    ("inet_interfaces", "127.0.0.1"),
    ("inet_protocols", "ipv4"),
    ("virtual_transport", "discard:"),
    ("local_transport", "discard:"),
    ("recipient_delimiter", "+"),
    ("smtpd_relay_restrictions", "reject_unauth_destination"),
    ("smtpd_recipient_restrictions", "reject_unauth_destination"),
    // A bar may open more sessions at once than the 100 processes of the default.
    ("default_process_limit", "500"),
    // Only listeners that say so count what a client does.
    ("smtpd_client_connection_count_limit", "0"),
    ("smtpd_error_sleep_time", "0"),
];

/// What one address of an instance does.
#[derive(Debug)]
pub(super) struct Listener {
    /// Address and port.
    pub(super) address: String,
    /// The rest of its line in master.cf up to the settings, such as `inet n - n - - smtpd`.
    pub(super) service: &'static str,
    pub(super) settings: Vec<(&'static str, String)>,
}

/// One Postfix.
#[derive(Debug)]
pub(super) struct Instance {
    pub(super) name: &'static str,
    pub(super) settings: Vec<(&'static str, String)>,
    /// Names and lines of its lookup tables.
    pub(super) tables: Vec<(&'static str, Vec<String>)>,
    pub(super) listeners: Vec<Listener>,
    /// The name server of its listeners that run with the queue as their root.
    pub(super) name_server: String,
}

/// Where an instance keeps its settings and tables.
pub(super) fn config_folder(folder: &Path, instance: &str) -> PathBuf {
    folder.join(instance).join("config")
}

impl Instance {
    pub(super) fn start(&self, folder: &Path) -> anyhow::Result<()> {
        let home = folder.join(self.name);
        let config = config_folder(folder, self.name);
        let (queue, data) = (home.join("queue"), home.join("data"));
        for made in [&config, &data, &queue.join("etc")] {
            std::fs::create_dir_all(made)?;
        }
        run(Command::new("chown").arg("postfix").arg(&data)).context("is there a user `postfix`?")?;
        // Read by services whose root is the queue, which makes the rig's DNS theirs without touching the system's.
        std::fs::write(queue.join("etc/resolv.conf"), format!("nameserver {}\n", self.name_server))?;
        std::fs::write(config.join("main.cf"), self.main_cf(&home)?)?;
        std::fs::write(config.join("master.cf"), self.master_cf()?)?;
        for (table, lines) in &self.tables {
            let path = config.join(table);
            std::fs::write(&path, lines.join("\n") + "\n")?;
            run(Command::new("postmap").arg("-c").arg(&config).arg(format!("hash:{}", path.display())))?;
        }
        run(Command::new("postfix").arg("-c").arg(&config).arg("start").current_dir("/")).map_err(
            |error| {
                let log = std::fs::read_to_string(home.join("mail.log")).unwrap_or_default();
                let last = log.lines().rev().take(5).collect::<Vec<_>>();
                error.context(format!("postfix {} did not start; last in its log: {last:?}", self.name))
            },
        )?;
        Ok(())
    }

    fn main_cf(&self, home: &Path) -> Result<String, std::fmt::Error> {
        let home = home.display();
        let mut text = format!("queue_directory = {home}/queue\ndata_directory = {home}/data\n");
        writeln!(text, "maillog_file = {home}/mail.log")?;
        let own = self.settings.iter().map(|(name, value)| (*name, value.as_str()));
        // The last line for a name wins, but Postfix warns of the others.
        let general = SETTINGS.iter().filter(|(name, _)| !self.settings.iter().any(|(own, _)| own == name));
        for (name, value) in general.copied().chain(own) {
            writeln!(text, "{name} = {value}")?;
        }
        Ok(text)
    }

    fn master_cf(&self) -> Result<String, std::fmt::Error> {
        let mut text = String::from(SERVICES);
        for listener in &self.listeners {
            writeln!(text, "{} {}", listener.address, listener.service)?;
            for (name, value) in &listener.settings {
                writeln!(text, "  -o {{ {name} = {value} }}")?;
            }
        }
        Ok(text)
    }
}
