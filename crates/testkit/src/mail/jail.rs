//! A folder that Exim and OpenSMTPD see as the root of the system: their users, paths and DNS are the rig's own.
//!
//! Both have paths and user names compiled in, so that two rigs, or a rig and an installed server, would clash.

use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, bail};

use super::network::Network;
use super::{nsd, packages};
use crate::binaries::run;

/// Users of the jail with the number of each, which is also that of its group.
pub(super) const EXIM_USER: &str = "65101:65101";
pub(super) const MAIL_USER: &str = "vmail 65104:65104:/tmp";
const USERS: &str = "\
root:x:0:0::/:/bin/sh
Debian-exim:x:65101:65101::/:/bin/false
opensmtpd:x:65102:65102::/var/lib/opensmtpd/empty:/bin/false
opensmtpq:x:65103:65103::/var/lib/opensmtpd/empty:/bin/false
vmail:x:65104:65104::/tmp:/bin/false
";
const GROUPS: &str =
    "root:x:0:\nDebian-exim:x:65101:\nopensmtpd:x:65102:\nopensmtpq:x:65103:\nvmail:x:65104:\n";
const FOLDERS: &[&str] = &["dev", "etc/exim4", "run/exim4", "usr/sbin", "var/lib/opensmtpd/empty", "tmp"];
const NAMES: &str = "passwd: files\ngroup: files\nhosts: files dns\n";

#[derive(Debug, Clone)]
pub(super) struct Jail {
    root: PathBuf,
}

impl Jail {
    pub(super) fn build(folder: &Path, network: &Network) -> anyhow::Result<Self> {
        let jail = Self { root: folder.join("jail") };
        for made in FOLDERS {
            std::fs::create_dir_all(jail.root.join(made))?;
        }
        symlink("../run", jail.root.join("var/run"))?;
        jail.write("etc/passwd", USERS)?;
        jail.write("etc/group", GROUPS)?;
        jail.write("etc/nsswitch.conf", NAMES)?;
        jail.write("etc/mailname", "mail.jail.test\n")?;
        jail.write("etc/resolv.conf", &format!("nameserver {}\n", network.address(nsd::HOST)))?;
        jail.make_null_device()?;
        for program in [packages::exim(), packages::opensmtpd()] {
            jail.bring(&program)?;
        }
        Ok(jail)
    }

    pub(super) fn path(&self, inside: &str) -> PathBuf {
        self.root.join(inside)
    }

    pub(super) fn write(&self, inside: &str, text: &str) -> anyhow::Result<()> {
        let path = self.root.join(inside);
        std::fs::write(&path, text).with_context(|| format!("cannot write {}", path.display()))
    }

    /// Makes a folder that belongs to a user of the jail.
    pub(super) fn create_folder(&self, inside: &str, owner: &str, mode: &str) -> anyhow::Result<()> {
        let path = self.root.join(inside);
        std::fs::create_dir_all(&path)?;
        run(Command::new("chown").arg(owner).arg(&path))?;
        run(Command::new("chmod").arg(mode).arg(&path)).map(drop)
    }

    /// Runs a program of the jail that goes to the background by itself.
    pub(super) fn start(&self, program: &str, arguments: &[&str]) -> anyhow::Result<()> {
        let mut command = Command::new("chroot");
        command.arg(&self.root).arg(program).args(arguments).current_dir(&self.root);
        run(command.env_clear().env("PATH", "/usr/sbin:/usr/bin:/sbin:/bin")).map(drop)
    }

    /// Servers want /dev/null. Where no device may be made, or none is obeyed, an empty file does for them.
    fn make_null_device(&self) -> anyhow::Result<()> {
        let path = self.root.join("dev/null");
        let made = run(Command::new("mknod").args(["-m", "666"]).arg(&path).args(["c", "1", "3"]));
        if made.is_err() || std::fs::File::open(&path).is_err() {
            drop(std::fs::remove_file(&path));
            self.write("dev/null", "")?;
            run(Command::new("chmod").arg("666").arg(&path))?;
        }
        Ok(())
    }

    /// Brings a program in, with the libraries it needs.
    fn bring(&self, program: &Path) -> anyhow::Result<()> {
        let libraries = packages::libraries_of(program)?;
        if !libraries.missing.is_empty() {
            bail!("{} lacks {}", program.display(), libraries.missing.join(", "));
        }
        for library in libraries.found {
            let inside = self.root.join(library.strip_prefix("/")?);
            if let Some(folder) = inside.parent() {
                std::fs::create_dir_all(folder)?;
            }
            if !inside.exists() {
                std::fs::copy(&library, &inside)
                    .with_context(|| format!("cannot copy {}", library.display()))?;
            }
        }
        let name = program.file_name().with_context(|| format!("{} has no name", program.display()))?;
        std::fs::copy(program, self.root.join("usr/sbin").join(name))
            .with_context(|| format!("cannot copy {}", program.display()))?;
        Ok(())
    }
}
