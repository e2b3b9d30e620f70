//! The project's own commands, run as `cargo xtask NAME`: tidy, dev, ci-postgres, mail-servers, bar.
#![expect(
    clippy::print_stdout,
    clippy::print_stderr,
    reason = "a command line tool talks through its output"
)]

mod bar;
mod dev;
mod tidy;

use assay_testkit::mail::MailRig;
use std::process::ExitCode;

const USAGE: &str = "\
cargo xtask tidy                          check the house rules that the compiler cannot check
cargo xtask dev [--detach | --stop]       a PostgreSQL for development and tests, kept in .dev/
cargo xtask ci-postgres start --dir DIR   the same in another folder; prints the variable tests read
cargo xtask ci-postgres stop --dir DIR
cargo xtask mail-servers                  install the mail and name servers that tests ask (as root; starts none)
cargo xtask bar --list                    what the project promises to reach, and proves by a run
cargo xtask bar NAME|all [--short]        run one bar, or all with a summary";

fn main() -> ExitCode {
    let args = std::env::args().skip(1).collect::<Vec<_>>();
    let args = args.iter().map(String::as_str).collect::<Vec<_>>();
    let outcome = match args.as_slice() {
        ["tidy"] => tidy::run(),
        ["dev"] => dev::foreground(),
        ["dev", "--detach"] => dev::detach(),
        ["dev", "--stop"] => dev::stop(),
        ["ci-postgres", "start", "--dir", folder] => dev::start_for_tests(folder),
        ["ci-postgres", "stop", "--dir", folder] => dev::stop_for_tests(folder),
        ["mail-servers"] => MailRig::install().map(|()| ExitCode::SUCCESS),
        ["bar", "--list"] => bar::list(),
        ["bar", "all", rest @ ..] => bar::run_all(rest),
        ["bar", name, rest @ ..] => bar::run_one(name, rest),
        _ => {
            eprintln!("{USAGE}");
            return ExitCode::from(2);
        }
    };
    outcome.unwrap_or_else(|error| {
        eprintln!("error: {error:#}");
        ExitCode::FAILURE
    })
}
