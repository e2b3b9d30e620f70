//! Vendors for a bar: servers on loopback sockets, made known to the program by its own commands.

use crate::rig::{Folder, Rig, Server};
use anyhow::{Context, Result, ensure};
use assay_domain::AccountId;
use assay_testkit::vendor::VendorRequest;
use serde_json::Value;
use std::io::Write;
use std::net::{SocketAddr, UdpSocket};
use std::process::Stdio;
use std::time::Duration;

/// Longer than a node takes to notice what was set about vendors.
pub const NOTICED: Duration = Duration::from_millis(2_600);
/// The header its key comes in.
pub const KEY_HEADER: &str = "x-bar-key";

/// What a vendor can be asked for, and what may be done with what it says.
#[derive(Debug, Clone, Copy)]
pub struct Terms {
    pub name: &'static str,
    pub lookups: &'static [&'static str],
    pub storable: bool,
    pub shareable: bool,
    pub price_micros: u32,
}

impl Terms {
    /// Its file: all that is known of somebody goes out, and what comes back is the answer already.
    fn declaration(&self, base_url: &str) -> String {
        let Self { name, storable, shareable, price_micros, .. } = self;
        let mut text = format!(
            "name = \"{name}\"\nbase_url = \"{base_url}\"\n\n[auth]\nkind = \"header\"\nname = \"{KEY_HEADER}\"\n\n\
             [rights]\nstorable = {storable}\nshareable = {shareable}\n"
        );
        for lookup in self.lookups {
            text.push_str(&format!(
                "\n[lookups.{lookup}]\nmethod = \"POST\"\npath = \"/{lookup}\"\nprice_per_hit_micros = {price_micros}\n\
                 miss_statuses = [404]\nanswer = '.'\n\n[lookups.{lookup}.body]\n"
            ));
            for field in ["first_name", "last_name", "domain", "email", "phone", "network_url"] {
                text.push_str(&format!(
                    "{field} = \"{{% if {field} is defined %}}{{{{ {field} }}}}{{% endif %}}\"\n"
                ));
            }
        }
        text
    }

    /// Makes it known. It is asked once it has a key, and the operator enables it or the key is an account's own.
    pub fn add(&self, rig: &Rig, base_url: &str) -> Result<()> {
        let folder = Folder::make("vendor")?;
        let file = folder.path.join(format!("{}.toml", self.name));
        std::fs::write(&file, self.declaration(base_url))?;
        rig.cli(&["provider", "add", file.to_str().context("a path that is no text")?]).map(drop)
    }
}

/// Keeps a key as an operator would: through standard input, for all or for one account.
pub fn give_key(rig: &Rig, vendor: &str, account: Option<AccountId>, key: &str) -> Result<()> {
    let account = account.map(|account| account.to_string());
    let mut args = vec!["provider", "key", vendor];
    args.extend(account.as_deref().into_iter().flat_map(|account| ["--account", account]));
    let mut running = rig.command(&args).stdin(Stdio::piped()).stderr(Stdio::null()).spawn()?;
    running.stdin.take().context("no standard input")?.write_all(key.as_bytes())?;
    ensure!(running.wait()?.success(), "the key to {vendor} is not taken");
    Ok(())
}

pub fn enable(rig: &Rig, vendor: &str, base_url: Option<&str>) -> Result<()> {
    let mut args = vec!["provider", "enable", vendor];
    args.extend(base_url.into_iter().flat_map(|url| ["--base-url", url]));
    rig.cli(&args).map(drop)
}

/// A node that may ask vendors on this machine. Mail servers it does not ask: whatever a vendor says of an address holds.
pub fn serve(rig: &Rig) -> Result<Server> {
    let nameserver = serve_names()?.to_string();
    rig.serve(&settings(&nameserver))
}

/// What lets a node ask vendors on this machine, and this nameserver for mail exchanges.
pub fn settings(nameserver: &str) -> [(&str, &str); 3] {
    [
        ("ASSAY_UPSTREAMS_ALLOWED_RANGES", "127.0.0.1/32"),
        ("ASSAY_UPSTREAMS_ALLOW_HTTP", "true"),
        ("ASSAY_MAIL_NAMESERVERS", nameserver),
    ]
}

/// What a vendor made by [`Terms`] is asked: the lookup, and by what.
pub fn question_of(request: &VendorRequest) -> String {
    let body: Value = serde_json::from_str(&request.body).unwrap_or_default();
    let text = |field: &str| body.get(field).and_then(Value::as_str).unwrap_or_default().to_lowercase();
    let by = match (text("email"), text("phone")) {
        (email, _) if !email.is_empty() => email,
        (_, phone) if !phone.is_empty() => phone,
        _ => named(&text("first_name"), &text("last_name"), &text("domain")),
    };
    format!("{} {by}", request.path.trim_start_matches('/'))
}

/// How somebody is asked for by name.
pub fn named(first: &str, last: &str, domain: &str) -> String {
    format!("{first} {last} at {domain}").to_lowercase()
}

const HEAD: usize = 12;
const MX: u16 = 15;

/// A nameserver at which every domain has a mail server, until the bar ends: nothing of a run depends on the names of the world
/// outside, and domains for examples are none there.
pub fn serve_names() -> Result<SocketAddr> {
    let socket = UdpSocket::bind("127.0.0.1:0").context("no port for a nameserver")?;
    let address = socket.local_addr()?;
    std::thread::spawn(move || {
        let mut question = [0; 512];
        while let Ok((length, asker)) = socket.recv_from(&mut question) {
            if let Some(answer) = question.get(..length).and_then(name_answer) {
                // Whoever has gone does not need it.
                drop(socket.send_to(&answer, asker));
            }
        }
    });
    Ok(address)
}

/// One mail exchange for whoever asks for it, and of everything else nothing.
fn name_answer(message: &[u8]) -> Option<Vec<u8>> {
    let labels = message.get(HEAD..)?.iter().position(|byte| *byte == 0)?;
    let question = message.get(HEAD..HEAD + labels + 5)?;
    let kind = u16::from_be_bytes(question.get(labels + 1..labels + 3)?.try_into().ok()?);
    let count = u8::from(kind == MX);
    let mut answer = message.get(..2)?.to_vec();
    answer.extend([0x81, 0x80, 0, 1, 0, count, 0, 0, 0, 0]);
    answer.extend(question);
    if kind == MX {
        // Of the name asked for: MX, IN, for an hour; ten, and `mx` before the same name.
        answer.extend([0xc0, 12, 0, 15, 0, 1, 0, 0, 14, 16, 0, 7, 0, 10, 2, b'm', b'x', 0xc0, 12]);
    }
    Some(answer)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_domain_has_a_mail_exchange_and_nothing_else() {
        let question =
            |kind: u8| [&[7, 7, 1, 0, 0, 1, 0, 0, 0, 0, 0, 0, 1, b'a', 0, 0][..], &[kind, 0, 1]].concat();
        let answer = name_answer(&question(15)).unwrap();
        assert_eq!((&answer[..8], answer.len()), (&[7, 7, 0x81, 0x80, 0, 1, 0, 1][..], 19 + 19));
        assert_eq!(name_answer(&question(1)).unwrap().len(), 19);
        assert_eq!(name_answer(&[0; 12]), None);
    }
}
