//! PostgreSQL for development and for test runs: started, left running, stopped.

use std::fs;
use std::io::Read;
use std::os::unix::fs::PermissionsExt;
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};

use anyhow::Context;
use assay_testkit::{Postgres, PostgresOptions, workspace_root};

const DATABASES: [&str; 2] = ["assay_ledger", "assay_graph"];

/// Waits in a shell, which can catch Ctrl-C without a signal library, and then asks this program to stop the
/// server. `$0` is this program, `$1` the server's process.
const WAIT_FOR_INTERRUPT: &str = r#"
stop() { trap '' INT TERM HUP; "$0" dev --stop; exit 0; }
trap stop INT TERM HUP
while kill -0 "$1" 2>/dev/null; do sleep 1; done
"#;

pub(crate) fn foreground() -> anyhow::Result<ExitCode> {
    let server = start()?;
    println!("\nCtrl-C stops it (`cargo xtask dev --detach` leaves it running).");
    let pid = server.postmaster_pid()?.to_string();
    let this = std::env::current_exe()?;
    let error = Command::new("sh").args(["-c", WAIT_FOR_INTERRUPT]).arg(this).arg(pid).exec();
    Err(error).context("cannot wait in sh")
}

pub(crate) fn detach() -> anyhow::Result<ExitCode> {
    start()?;
    println!("\nIt keeps running; `cargo xtask dev --stop` stops it.");
    Ok(ExitCode::SUCCESS)
}

pub(crate) fn stop() -> anyhow::Result<ExitCode> {
    let folder = dev_folder()?;
    let stopped = stop_on(&folder.join("postgres"))?;
    // Tests then say what to run, instead of that nobody answers.
    drop(fs::remove_file(folder.join("postgres.url")));
    Ok(stopped)
}

pub(crate) fn start_for_tests(folder: &str) -> anyhow::Result<ExitCode> {
    let server = start_on(&std::path::absolute(folder)?)?;
    println!("export ASSAY_TEST_POSTGRES={}", server.url("postgres"));
    Ok(ExitCode::SUCCESS)
}

pub(crate) fn stop_for_tests(folder: &str) -> anyhow::Result<ExitCode> {
    stop_on(&std::path::absolute(folder)?)
}

fn dev_folder() -> anyhow::Result<PathBuf> {
    Ok(workspace_root()?.join(".dev"))
}

fn start() -> anyhow::Result<Postgres> {
    let folder = dev_folder()?;
    fs::create_dir_all(&folder).with_context(|| format!("cannot create {}", folder.display()))?;
    let server = start_on(&folder.join("postgres"))?;
    fs::write(folder.join("postgres.url"), format!("{}\n", server.url("postgres")))?;
    let config = folder.join("assay.toml");
    if !config.exists() {
        write_config(&config, &server)?;
    }
    println!("PostgreSQL answers at {} (data in .dev/postgres).", server.url("postgres"));
    println!("Tests find it by themselves. To run the service:");
    println!("  export ASSAY_CONFIG=.dev/assay.toml");
    println!("  cargo run -p assay-cli -- migrate");
    println!("  cargo run -p assay-cli -- world load");
    println!("  cargo run -p assay-cli -- serve");
    Ok(server)
}

/// The server on this folder: the running one, or a new one that survives this program.
fn start_on(data_dir: &Path) -> anyhow::Result<Postgres> {
    let server = match Postgres::attach(data_dir)? {
        Some(server) => server,
        None => {
            let data_dir = Some(data_dir.to_owned());
            let server = Postgres::start(PostgresOptions { data_dir, keep: true, ..Default::default() })?;
            drop_leftovers(&server)?;
            server
        }
    };
    let known = server.psql("postgres", "select datname from pg_database")?;
    for name in DATABASES.iter().filter(|name| !known.lines().any(|known| known == **name)) {
        server.create_database(name)?;
    }
    Ok(server)
}

/// Killed tests leave databases behind. A server that has just started serves no test, so they can go now.
fn drop_leftovers(server: &Postgres) -> anyhow::Result<()> {
    let found = "select format('drop database %I', datname) from pg_database
        where datname ~ '^(t_[0-9a-f]{16}|scratch_[0-9a-f]{16}|tmpl_.*)$' \\gexec";
    server.psql("postgres", found).map(drop)
}

fn stop_on(data_dir: &Path) -> anyhow::Result<ExitCode> {
    match Postgres::attach(data_dir)? {
        Some(mut server) => {
            server.stop_fast()?;
            println!("stopped PostgreSQL on {}", data_dir.display());
        }
        None => println!("no PostgreSQL runs on {}", data_dir.display()),
    }
    Ok(ExitCode::SUCCESS)
}

fn write_config(path: &Path, server: &Postgres) -> anyhow::Result<()> {
    let [ledger, graph] = DATABASES.map(|name| server.url(name));
    let master_key = random_hex()?;
    let text = format!(
        "# Made by `cargo xtask dev` for this machine only.\n\n[ledger]\nurl = \"{ledger}\"\n\n\
         [graph]\nurl = \"{graph}\"\n\n[index]\nfolder = \".dev/index\"\n\n[secrets]\nmaster_key = \"{master_key}\"\n"
    );
    fs::write(path, text).with_context(|| format!("cannot write {}", path.display()))?;
    // It holds a secret.
    Ok(fs::set_permissions(path, fs::Permissions::from_mode(0o600))?)
}

/// 32 bytes from the operating system, as 64 hexadecimal digits.
fn random_hex() -> anyhow::Result<String> {
    let mut bytes = [0_u8; 32];
    fs::File::open("/dev/urandom")?.read_exact(&mut bytes).context("cannot read /dev/urandom")?;
    Ok(bytes.iter().map(|byte| format!("{byte:02x}")).collect())
}
