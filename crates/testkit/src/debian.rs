//! Debian's packages, installed without starting what they bring.

use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::process::Command;

use anyhow::Context;

use crate::binaries::run;

/// Stops `apt-get install` from starting what it installs; written only while there is no such file already.
const START_POLICY: &str = "/usr/sbin/policy-rc.d";
const DENY_STARTS: &str = "#!/bin/sh\nexit 101\n";

/// Installs the packages, and nothing that is merely recommended with them.
pub fn install_packages(packages: &[&str]) -> anyhow::Result<()> {
    run(&mut apt("update")).context("cannot read the package lists")?;
    without_starting(|| {
        run(apt("install").args(["--yes", "--no-install-recommends"]).args(packages)).map(drop)
    })
}

/// While this runs, no package starts a service.
pub(crate) fn without_starting(install: impl FnOnce() -> anyhow::Result<()>) -> anyhow::Result<()> {
    let policy = Path::new(START_POLICY);
    let ours = !policy.exists();
    if ours {
        std::fs::write(policy, DENY_STARTS).with_context(|| format!("cannot write {START_POLICY}"))?;
        std::fs::set_permissions(policy, std::fs::Permissions::from_mode(0o755))?;
    }
    let done = install();
    if ours {
        std::fs::remove_file(policy).with_context(|| format!("cannot remove {START_POLICY}"))?;
    }
    done
}

pub(crate) fn apt(action: &str) -> Command {
    let mut command = Command::new("apt-get");
    command.args(["--quiet", "--quiet", action]).stdin(std::process::Stdio::null());
    // The policy stops services that ask it; the run level stops the others.
    command.env("DEBIAN_FRONTEND", "noninteractive").env("RUNLEVEL", "1").env("LC_ALL", "C.UTF-8");
    command
}
