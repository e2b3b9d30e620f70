//! Runs Exim with three domains: its own mailboxes, mailboxes it asks another server for, and a broken database.

use std::fmt::Write;

use anyhow::Context;

use super::behaviours::behaviour;
use super::jail::{EXIM_USER, Jail};
use super::network::Network;
use super::postfix_instances::BACKEND_HOST;

pub(super) fn start(jail: &Jail, network: &Network) -> anyhow::Result<()> {
    for folder in ["var/spool/exim4", "var/log/exim4", "run/exim4"] {
        jail.create_folder(folder, EXIM_USER, "750")?;
    }
    let plain = behaviour("exim-plain")?;
    let mut names = String::new();
    for mailbox in plain.mailboxes.iter().filter(|mailbox| mailbox.state.is_mailbox()) {
        writeln!(names, "{}:", mailbox.kept_name())?;
    }
    jail.write("etc/exim4/mailboxes", &names)?;
    let mut full_disk = String::new();
    for mailbox in behaviour("exim-defer")?.mailboxes.iter().step_by(2) {
        writeln!(full_disk, "{}:", mailbox.local.to_lowercase())?;
    }
    jail.write("etc/exim4/full-disk", &full_disk)?;
    jail.write("etc/exim4/exim4.conf", &settings(network))?;
    jail.start("/usr/sbin/exim4", &["-bd"]).with_context(|| {
        let log = std::fs::read_to_string(jail.path("var/log/exim4/paniclog")).unwrap_or_default();
        format!("exim did not start; its log: {}", log.trim())
    })
}

fn settings(network: &Network) -> String {
    let port = network.smtp_port();
    let [plain, callout, defer] = [30, 31, 32].map(|host| network.address(host));
    let backend = network.address(BACKEND_HOST);
    // Every second address of the last domain finds the disk full, the others the database away.
    format!(
        "primary_hostname = mail.exim.test
local_interfaces = <; {plain} ; {callout} ; {defer}
daemon_smtp_ports = {port}
domainlist here = exim-plain.test : exim-callout.test : exim-defer.test
acl_smtp_rcpt = recipient
acl_smtp_data = refuse
tls_advertise_hosts =
host_lookup =
rfc1413_query_timeout = 0s
keep_environment =
log_file_path = /var/log/exim4/%slog
smtp_accept_max = 500
smtp_accept_reserve = 0
smtp_connect_backlog = 500
never_users = root

begin acl
recipient:
  deny domains = ! +here
       message = relay not permitted
  defer domains = exim-defer.test
        local_parts = lsearch;/etc/exim4/full-disk
        message = 452 4.3.1 Insufficient system storage
  require verify = recipient/callout=20s
  accept
refuse:
  deny

begin routers
broken:
  driver = redirect
  domains = exim-defer.test
  allow_defer
  data = :defer: the database of users is away
asked:
  driver = manualroute
  domains = exim-callout.test
  transport = backend
  route_list = * {backend}
  self = send
mailboxes:
  driver = accept
  domains = exim-plain.test
  local_part_suffix = +*
  local_part_suffix_optional
  local_parts = lsearch;/etc/exim4/mailboxes
  transport = nowhere

begin transports
backend:
  driver = smtp
  port = {port}
nowhere:
  driver = appendfile
  file = /dev/null
  user = vmail
"
    )
}
