//! Runs OpenSMTPD with three domains: a list of recipients, a catch-all, and virtual users.

use std::net::TcpStream;
use std::time::Duration;

use anyhow::{Context, bail};

use super::behaviours::{Behaviour, behaviour};
use super::jail::{Jail, MAIL_USER};
use super::network::Network;
use crate::clock::{Deadline, POLL};

const LISTEN_WAIT: Duration = Duration::from_secs(20);

pub(super) fn start(jail: &Jail, network: &Network) -> anyhow::Result<()> {
    jail.create_folder("var/spool/smtpd", "0:0", "711")?;
    jail.write("etc/users", &format!("{MAIL_USER}\n"))?;
    // A list of recipients holds whole addresses: a tag must be in it, or is refused.
    let recipients = mailbox_lines(behaviour("opensmtpd-plain")?, |name, local| {
        if name == local { vec![local.to_owned()] } else { vec![name.to_owned(), local.to_owned()] }
    });
    jail.write("etc/recipients", &recipients)?;
    let virtual_users = mailbox_lines(behaviour("implicit-mx")?, |name, _| vec![name.to_owned()]);
    jail.write("etc/addressees", &virtual_users.replace('\n', " vmail\n"))?;
    jail.write("etc/smtpd.conf", &settings(network))?;
    jail.start("/usr/sbin/smtpd", &[]).context("opensmtpd did not start")?;
    let deadline = Deadline::after(LISTEN_WAIT);
    while TcpStream::connect(network.smtp(42)).is_err() {
        if deadline.passed() {
            bail!("opensmtpd runs but does not listen");
        }
        std::thread::sleep(POLL);
    }
    Ok(())
}

/// One address a line, for the names that are made of the name the server keeps and the local part asked for.
fn mailbox_lines(behaviour: &Behaviour, names: impl Fn(&str, &str) -> Vec<String>) -> String {
    let mailboxes = behaviour.mailboxes.iter().filter(|mailbox| mailbox.state.is_mailbox());
    let names = mailboxes.flat_map(|it| names(&it.kept_name(), &it.local.to_lowercase()));
    names.map(|name| format!("{name}@{}\n", behaviour.domain)).collect()
}

fn settings(network: &Network) -> String {
    let port = network.smtp_port();
    let [plain, catch_all, implicit] = [40, 41, 42].map(|host| network.address(host));
    format!(
        "table users file:/etc/users
table recipients file:/etc/recipients
table addressees file:/etc/addressees
table everybody {{ \"@\" = \"vmail\" }}
listen on {plain} port {port} hostname mx1.opensmtpd-plain.test
listen on {catch_all} port {port} hostname mx1.opensmtpd-catch-all.test
listen on {implicit} port {port} hostname implicit-mx.test
action \"everybody\" maildir \"/tmp/mail\" userbase <users> virtual <everybody>
action \"addressees\" maildir \"/tmp/mail\" userbase <users> virtual <addressees>
match from any for domain \"opensmtpd-plain.test\" rcpt-to <recipients> action \"everybody\"
match from any for domain \"opensmtpd-catch-all.test\" action \"everybody\"
match from any for domain \"implicit-mx.test\" action \"addressees\"
"
    )
}
