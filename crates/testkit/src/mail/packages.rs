//! What must be installed for the mail rig, and installs it.
//!
//! Debian lets only one mail server be installed at a time. Postfix is, since it wants users and folders of its
//! own; Exim and OpenSMTPD are unpacked beside the system, and run in a folder of the rig as their root.

use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, bail};

use crate::binaries::run;
use crate::debian::{apt, without_starting};

/// Where packages are unpacked that cannot be installed beside Postfix.
const UNPACKED: &str = "/opt/assay-mail-rig";
const EXIM: &str = "exim4-daemon-light";
const OPENSMTPD: &str = "opensmtpd";

/// Package and the program that shows it is there.
const INSTALLED: &[(&str, &str)] = &[
    ("postfix", "/usr/sbin/postfix"),
    ("postgrey", "/usr/sbin/postgrey"),
    ("nsd", "/usr/sbin/nsd"),
    ("openssl", "/usr/bin/openssl"),
];
const BESIDE: &[(&str, &str)] = &[(EXIM, "usr/sbin/exim4"), (OPENSMTPD, "usr/sbin/smtpd")];

pub(super) fn exim() -> PathBuf {
    Path::new(UNPACKED).join(EXIM).join("usr/sbin/exim4")
}

pub(super) fn opensmtpd() -> PathBuf {
    Path::new(UNPACKED).join(OPENSMTPD).join("usr/sbin/smtpd")
}

pub(super) fn missing() -> Vec<&'static str> {
    let installed = INSTALLED.iter().filter(|(_, program)| !Path::new(program).is_file());
    let beside = BESIDE.iter().filter(|(package, program)| {
        let program = Path::new(UNPACKED).join(package).join(program);
        !program.is_file() || !libraries_of(&program).is_ok_and(|found| found.missing.is_empty())
    });
    installed.chain(beside).map(|(package, _)| *package).collect()
}

pub(super) fn install() -> anyhow::Result<()> {
    let missing = missing();
    if missing.is_empty() {
        return Ok(());
    }
    run(&mut apt("update")).context("cannot read the package lists")?;
    without_starting(|| install_missing(&missing))?;
    let still = self::missing();
    if !still.is_empty() {
        bail!("still missing after the installation: {}", still.join(", "));
    }
    Ok(())
}

fn install_missing(missing: &[&str]) -> anyhow::Result<()> {
    let wanted = |list: &[(&'static str, &str)]| {
        list.iter().map(|(package, _)| *package).filter(|it| missing.contains(it)).collect::<Vec<_>>()
    };
    let mut packages = wanted(INSTALLED).into_iter().map(str::to_owned).collect::<Vec<_>>();
    let beside = wanted(BESIDE);
    for package in &beside {
        packages.extend(needed_libraries(package)?);
    }
    if !packages.is_empty() {
        let mut install = apt("install");
        run(install.args(["--yes", "--no-install-recommends"]).args(packages))?;
    }
    beside.into_iter().try_for_each(unpack)
}

/// What a package depends on that can only be a library: another mail server's own parts stay out.
fn needed_libraries(package: &str) -> anyhow::Result<Vec<String>> {
    let said = run(Command::new("apt-cache").args(["show", "--no-all-versions", package]))?;
    let line = said.lines().find_map(|line| line.strip_prefix("Depends: ")).unwrap_or_default();
    let names = line.split(", ").filter_map(|dependency| dependency.split(' ').next());
    Ok(names.filter(|name| name.starts_with("lib")).map(str::to_owned).collect())
}

fn unpack(package: &str) -> anyhow::Result<()> {
    let downloads = Path::new(UNPACKED).join("downloads");
    std::fs::create_dir_all(&downloads)?;
    run(apt("download").arg(package).current_dir(&downloads))?;
    for entry in std::fs::read_dir(&downloads)? {
        let entry = entry?;
        let is_it = entry.file_name().to_str().is_some_and(|name| name.starts_with(&format!("{package}_")));
        if is_it {
            let folder = Path::new(UNPACKED).join(package);
            run(Command::new("dpkg-deb").arg("--extract").arg(entry.path()).arg(folder))?;
        }
    }
    Ok(std::fs::remove_dir_all(&downloads)?)
}

/// The shared libraries of a program, and the names of those that are not on this system.
#[derive(Debug, Default)]
pub(super) struct Libraries {
    pub(super) found: Vec<PathBuf>,
    pub(super) missing: Vec<String>,
}

pub(super) fn libraries_of(program: &Path) -> anyhow::Result<Libraries> {
    let said = run(Command::new("ldd").arg(program).env("LC_ALL", "C"))?;
    let mut libraries = Libraries::default();
    for line in said.lines() {
        let mut words = line.split_whitespace();
        if line.contains("not found") {
            libraries.missing.extend(words.next().map(str::to_owned));
        } else if let Some(path) = words.find(|word| word.starts_with('/')) {
            libraries.found.push(PathBuf::from(path));
        }
    }
    Ok(libraries)
}
