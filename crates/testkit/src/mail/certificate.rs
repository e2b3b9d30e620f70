//! A certificate nobody should trust: self-signed, for another name, and expired years ago.

use std::path::Path;
use std::process::Command;

use crate::binaries::run;

const KEY: &str = "key.pem";
const REQUEST: &str = "request.pem";
const CERTIFICATE: &str = "certificate.pem";
const NAME: &str = "/CN=mx.elsewhere.test";
/// Only `openssl ca` can date a certificate into the past, and it wants this much of an authority.
const AUTHORITY: &str = "[ca]
default_ca = self
[self]
database = index.txt
serial = serial
new_certs_dir = .
default_md = sha256
policy = names
[names]
commonName = supplied
";

/// Writes `key.pem` and `certificate.pem` into the folder.
pub(super) fn write_expired(folder: &Path) -> anyhow::Result<()> {
    std::fs::create_dir_all(folder)?;
    for (name, text) in [("authority.cnf", AUTHORITY), ("index.txt", ""), ("serial", "01\n")] {
        std::fs::write(folder.join(name), text)?;
    }
    let openssl = || {
        let mut command = Command::new("openssl");
        command.current_dir(folder).stdin(std::process::Stdio::null());
        command
    };
    let curve = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1"];
    let files = ["-keyout", KEY, "-out", REQUEST];
    run(openssl().args(["req", "-new", "-nodes", "-subj", NAME]).args(curve).args(files))?;
    let dates = ["-startdate", "20200101000000Z", "-enddate", "20210101000000Z"];
    let files = ["-keyfile", KEY, "-in", REQUEST, "-out", CERTIFICATE];
    let how = ["ca", "-batch", "-selfsign", "-notext", "-config", "authority.cnf"];
    run(openssl().args(how).args(dates).args(files)).map(drop)
}
