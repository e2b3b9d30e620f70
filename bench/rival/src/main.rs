//! Asks `check-if-email-exists` for the addresses on standard input, and prints one line of JSON for each.
//!
//! The crate asks whatever DNS server the system names and cannot be told another. So this program takes a folder for
//! the root of the system before it asks: there `etc/resolv.conf` names the rig's. All else it needs is loaded by then.

use std::collections::BTreeMap;
use std::io::{BufRead, Write};
use std::time::Duration;

use anyhow::{Context, Result, bail};
use check_if_email_exists::smtp::verif_method::{
    EverythingElseVerifMethod, VerifMethod, VerifMethodSmtpConfig,
};
use check_if_email_exists::{CheckEmailInputBuilder, check_email};
use futures_util::StreamExt;
use futures_util::stream;
use serde_json::{Value, json};

/// The crate itself waits for ever.
const TIMEOUT: Duration = Duration::from_secs(45);
const USAGE: &str = "rival --root FOLDER --port PORT --helo NAME --from ADDRESS --at-once NUMBER";

fn main() -> Result<()> {
    let options = read_options(std::env::args().skip(1))?;
    let option = |name: &str| options.get(name).with_context(|| format!("--{name} is missing: {USAGE}"));
    let smtp = VerifMethodSmtpConfig {
        from_email: option("from")?.clone(),
        hello_name: option("helo")?.clone(),
        smtp_port: option("port")?.parse()?,
        ..VerifMethodSmtpConfig::default()
    };
    let at_once = option("at-once")?.parse()?;
    let root = option("root")?;
    std::os::unix::fs::chroot(root)
        .with_context(|| format!("cannot make {root} the root, which only root may"))?;
    std::env::set_current_dir("/")?;
    let addresses = std::io::stdin().lock().lines().collect::<Result<Vec<_>, _>>()?;
    // None of the servers is one that the crate asks in another way.
    let method =
        VerifMethod { everything_else: EverythingElseVerifMethod::Smtp(smtp), ..VerifMethod::default() };
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    runtime.block_on(async {
        let mut answers =
            stream::iter(addresses).map(|address| ask(address, method.clone())).buffer_unordered(at_once);
        while let Some(answer) = answers.next().await {
            writeln!(std::io::stdout(), "{}", answer?)?;
        }
        Ok(())
    })
}

fn read_options(mut words: impl Iterator<Item = String>) -> Result<BTreeMap<String, String>> {
    let mut options = BTreeMap::new();
    while let Some(word) = words.next() {
        let (Some(name), Some(value)) = (word.strip_prefix("--"), words.next()) else {
            bail!("{word} is no option, or has no value: {USAGE}");
        };
        options.insert(name.to_owned(), value);
    }
    Ok(options)
}

/// What the crate says, in its own words.
async fn ask(address: String, method: VerifMethod) -> Result<Value> {
    let input = CheckEmailInputBuilder::default().to_email(address.clone()).verif_method(method).build()?;
    match tokio::time::timeout(TIMEOUT, check_email(&input)).await {
        Ok(output) => Ok(serde_json::to_value(&output)?),
        Err(_) => Ok(json!({ "input": address, "is_reachable": "unknown", "timed_out": true })),
    }
}
