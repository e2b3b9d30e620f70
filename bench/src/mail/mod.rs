//! The bars of the email verifier, against mail servers on loopback addresses.

mod asking;
pub mod bounds;
pub mod finder;
pub mod matrix;
pub mod pace;
mod rival;
mod score;
pub mod speed;

use crate::bar::progress;
use assay_testkit::mail::MailRig;

/// Puts the mail servers on this machine that are not there yet.
fn install_servers() -> anyhow::Result<()> {
    let missing = MailRig::missing_packages();
    if missing.is_empty() {
        return Ok(());
    }
    progress(format!("installs {}", missing.join(", ")));
    MailRig::install()
}
