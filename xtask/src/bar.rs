//! The bars: what the project promises, each a run that fails when the promise is broken.

use std::collections::VecDeque;
use std::io::{BufRead, BufReader};
use std::path::Path;
use std::process::{Command, ExitCode};
use std::sync::mpsc::{self, RecvTimeoutError};
use std::thread;
use std::time::Duration;

use anyhow::{Context, bail};
use assay_testkit::{Stopwatch, workspace_root};

/// Of a bar that failed, told again below the table.
const LAST_LINES: usize = 12;
const LOOK: Duration = Duration::from_millis(250);

struct Bar {
    name: &'static str,
    promise: &'static str,
}

/// Every bar is a subcommand of the bench crate with the same name.
const BARS: &[Bar] = &[
    Bar { name: "prices", promise: "every endpoint charges what the price list says, to the thousandth" },
    Bar {
        name: "world",
        promise: "the same seed makes the same people, byte for byte, and a person takes at most 3 KB in PostgreSQL",
    },
    Bar {
        name: "enrich-scale",
        promise: "a paid lookup costs as much among ten times as many people, in memory for an eighth of them",
    },
    Bar {
        name: "titles",
        promise: "rank and department are read as people label them, from titles never seen before",
    },
    Bar {
        name: "resolution",
        promise: "records of careless sources are put together as they belong, and others are not",
    },
    Bar {
        name: "resolve",
        promise: "a name and a company written carelessly find who is meant, and how sure it is is true",
    },
    Bar {
        name: "lookalike",
        promise: "companies like one are of its kind, which no record names, and are found within 100 ms among a million",
    },
    Bar {
        name: "reference",
        promise: "the pages show every operation, ask no other host, and no link leads nowhere",
    },
    Bar {
        name: "schemathesis",
        promise: "the API document is valid, and drawn calls are answered as it promises",
    },
    Bar { name: "mutants", promise: "a changed line of the money, the ledger or the keys makes a test fail" },
    Bar { name: "ledger", promise: "balance = sum of postings, never below zero, under concurrent calls" },
    Bar { name: "crash", promise: "a kill at any step of a call neither loses nor repeats a charge" },
    Bar { name: "powercut", promise: "what was answered before a power cut is there after it" },
    Bar {
        name: "failover",
        promise: "the primary of a pair of databases is lost: nothing that was answered is, and calls are paid again within 30 s",
    },
    Bar { name: "idempotency", promise: "a repeated key answers the same bytes and charges once" },
    Bar {
        name: "sandbox",
        promise: "the open sandbox's daily limit is exact, and a flood of it does not slow money down",
    },
    Bar {
        name: "auth",
        promise: "a call without the right to it is told nothing, and a revoked key dies within 5 s",
    },
    Bar {
        name: "limits",
        promise: "an account's request rate and a key's cap hold over four nodes, and Retry-After is true",
    },
    Bar {
        name: "webhook-flaky",
        promise: "messages to failing receivers arrive on schedule under one id; a hanging one delays nobody else",
    },
    Bar { name: "bulk-kill", promise: "bulk jobs end once and are paid for once while workers are killed" },
    Bar { name: "zombie", promise: "a worker stopped past its lease and continued changes nothing" },
    Bar {
        name: "bulk-speed",
        promise: "bulk items a second against single calls, and how soon a job is taken up",
    },
    Bar {
        name: "queue-health",
        promise: "claims stay quick while a snapshot keeps what was done from being cleared away",
    },
    Bar {
        name: "import-rate",
        promise: "an import of people writes at least a quarter of the rows a second that a bare COPY of them does",
    },
    Bar {
        name: "import-kill",
        promise: "an import killed at any moment and started again leaves the graph an undisturbed one leaves",
    },
    Bar {
        name: "search-scale",
        promise: "a search among ten times as many people takes hardly longer, and little longer than the bare index",
    },
    Bar {
        name: "search-exact",
        promise: "searches find the ids and count the totals that SQL over the tables does",
    },
    Bar {
        name: "cursors",
        promise: "pages read over two nodes while people change show nobody twice and miss nobody who stayed the same",
    },
    Bar {
        name: "freshness",
        promise: "a change is found within two seconds of its commit, during an import; none is lost when nodes are killed",
    },
    Bar {
        name: "cold-start",
        promise: "a new node answers within minutes, from a snapshot or from the tables, and the others do not notice",
    },
    Bar {
        name: "restore",
        promise: "a database restored under running nodes: indexes filled anew, old cursors refused, nothing skipped",
    },
    Bar {
        name: "smtp-matrix",
        promise: "real mail servers of 30 kinds: what is said of an address is true, and never harmful",
    },
    Bar {
        name: "smtp-bounds",
        promise: "thousands of mail servers that only keep one waiting end in time, cost little and slow nobody",
    },
    Bar { name: "fuzz", promise: "whatever mail servers, nameservers and people send is read without harm" },
    Bar {
        name: "fuzz-vendors",
        promise: "whatever a vendor sends is read without harm, and a failure says nothing",
    },
    Bar {
        name: "smtp-pace",
        promise: "three processes keep one pace at a mail server, and stop at its first complaint",
    },
    Bar {
        name: "verify-speed",
        promise: "a list of addresses is verified in hardly more time than the pace of its mail servers takes",
    },
    Bar {
        name: "finder",
        promise: "addresses are found at real mail servers by few questions, hardly one is wrong, and how sure it is is true",
    },
    Bar {
        name: "waterfall",
        promise: "vendors asked in the learnt order cost a quarter less for an answer than in the best fixed one",
    },
    Bar {
        name: "provider-outage",
        promise: "a vendor that fails or hangs is left alone at once, asked again soon, and costs nobody anything",
    },
    Bar {
        name: "contacts",
        promise: "phones, private addresses and whose they are: every bill, right and wish not to be found is kept",
    },
    Bar { name: "vendor-size", promise: "a vendor is at most 150 lines of code, or one file without any" },
    Bar {
        name: "signals-extract",
        promise: "rounds and purchases are read from press releases never seen before, and hardly one is wrong",
    },
    Bar {
        name: "feed-cost",
        promise: "a page of the feed costs little more than its bare query, and no more among ten times as many signals",
    },
    Bar {
        name: "streams",
        promise: "thousands of open streams on one node are told within two seconds, each of everything once, in little memory",
    },
    Bar {
        name: "signals-freshness",
        promise: "what is told or published is seen by everybody within seconds and once, also when a node is killed",
    },
    Bar {
        name: "signals-dedupe",
        promise: "what three sources say of rounds and purchases is put together as it belongs, and nothing else is",
    },
    Bar {
        name: "watch-once",
        promise: "whatever happens to those who are watched is told once a list and billed once, also when nodes are killed",
    },
    Bar {
        name: "decision-maker",
        promise: "who is said to decide for a role is who owns its budget, however the role is called",
    },
    Bar {
        name: "committee",
        promise: "who is said to have a say in a purchase has one, and nobody sits in two parts",
    },
    Bar { name: "recipes", promise: "an endpoint is a short file, and no two copy from each other" },
    Bar {
        name: "windows",
        promise: "every time window is exact at its edges, in UTC, wherever the clock stands",
    },
    Bar {
        name: "coverage",
        promise: "every endpoint of the specification answers, bills what it says, and has a twin in the sandbox",
    },
    Bar {
        name: "critical-path",
        promise: "workflows wait for vendors no longer than their longest chain of questions takes, and ask no more when one fails",
    },
    Bar { name: "rolling", promise: "two nodes are restarted one after the other, and no caller notices" },
    Bar { name: "csv", promise: "no exported cell is a formula or changed; a million rows within 64 MB" },
    Bar {
        name: "webhook-interop",
        promise: "signed webhooks are verified by the libraries receivers use, and a changed bit by none",
    },
    Bar { name: "ssrf", promise: "no webhook url and no name that changes leads into a private network" },
    Bar {
        name: "erasure",
        promise: "people erased while everything runs are nowhere any more, and stay out; a million hashes take a minute",
    },
    Bar { name: "billed", promise: "paid calls a second on one server, with their latency" },
    Bar { name: "overload", promise: "three times too many calls cost the answered ones next to nothing" },
    Bar {
        name: "slowloris",
        promise: "thousands of idle and slow connections are not noticed by those who call",
    },
    Bar {
        name: "soak",
        promise: "mixed traffic on two nodes through a fault a minute: all answered or cleanly refused, books right, memory flat",
    },
    // Last: it can search what the others logged.
    Bar {
        name: "canaries",
        promise: "no personal data and no secret in a log, a metric, a refusal or a note",
    },
];

/// Not part of `all`: they take too long for every change, need a nightly compiler, or measure what a busy machine spoils.
const BY_COMMAND: &[&str] = &[
    "mutants",
    "fuzz",
    "fuzz-vendors",
    "smtp-bounds",
    "smtp-pace",
    "verify-speed",
    "schemathesis",
    "limits",
    "overload",
    "slowloris",
    "webhook-flaky",
    "provider-outage",
    "bulk-speed",
    "queue-health",
    "import-rate",
    "search-scale",
    "freshness",
    "cold-start",
    "feed-cost",
    "streams",
    "signals-freshness",
    "critical-path",
    // Installs Patroni and etcd, and waits for leases to end.
    "failover",
    // Four faults, and what comes to its end after them, take longer than a minute.
    "soak",
    // Not reached yet: of what is said of texts never seen before, too much is wrong.
    "signals-extract",
];

pub(crate) fn list() -> anyhow::Result<ExitCode> {
    for bar in BARS {
        println!("{:<12} {}", bar.name, bar.promise);
        println!("{:<12}   cargo xtask bar {} [--short]", "", bar.name);
    }
    Ok(ExitCode::SUCCESS)
}

pub(crate) fn run_one(name: &str, rest: &[&str]) -> anyhow::Result<ExitCode> {
    let Some(bar) = BARS.iter().find(|bar| bar.name == name) else {
        bail!("no bar is called {name:?}; see `cargo xtask bar --list`");
    };
    let code = program(bar, rest)?.status().context("cannot run the bars")?.code();
    // The bar's own code is passed on; a signal has none.
    Ok(code.and_then(|code| u8::try_from(code).ok()).map_or(ExitCode::FAILURE, ExitCode::from))
}

/// Runs every bar, also after one failed, so that one report shows all that is broken.
pub(crate) fn run_all(rest: &[&str]) -> anyhow::Result<ExitCode> {
    let mut rows = Vec::new();
    for bar in BARS.iter().filter(|bar| !BY_COMMAND.contains(&bar.name)) {
        println!("== bar {}", bar.name);
        let watch = Stopwatch::start();
        let (code, last_lines) = run_watched(bar, rest)?;
        rows.push((bar, code == Some(0), watch.elapsed().as_secs(), last_lines));
    }
    println!("\n{:<12} {:<6} {:>7}  promise", "bar", "result", "seconds");
    for (bar, passed, seconds, _) in &rows {
        let result = if *passed { "ok" } else { "FAILED" };
        println!("{:<12} {result:<6} {seconds:>7}  {}", bar.name, bar.promise);
    }
    // Told again at the end, where whoever sees only the end of a long log finds it.
    for (bar, _, _, last_lines) in rows.iter().filter(|(_, passed, ..)| !passed) {
        println!("\n{} ended with:", bar.name);
        last_lines.iter().for_each(|line| println!("  {line}"));
    }
    let all_passed = rows.iter().all(|(_, passed, ..)| *passed);
    Ok(if all_passed { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

/// Passes on what a bar says, and keeps the end of it.
fn run_watched(bar: &Bar, rest: &[&str]) -> anyhow::Result<(Option<i32>, VecDeque<String>)> {
    let (said, says) = std::io::pipe()?;
    let mut command = program(bar, rest)?;
    let mut child = command.stdout(says.try_clone()?).stderr(says).spawn().context("cannot run the bars")?;
    // The command holds the pipe open; so may a server that a bar left behind, which is not waited for.
    drop(command);
    let (sender, lines) = mpsc::channel();
    thread::spawn(move || {
        BufReader::new(said).split(b'\n').map_while(Result::ok).try_for_each(|it| sender.send(it))
    });
    let mut last_lines = VecDeque::new();
    loop {
        match lines.recv_timeout(LOOK) {
            Ok(line) => {
                let line = String::from_utf8_lossy(&line).into_owned();
                println!("{line}");
                last_lines.push_back(line);
                if last_lines.len() > LAST_LINES {
                    last_lines.pop_front();
                }
            }
            Err(RecvTimeoutError::Timeout) if child.try_wait()?.is_none() => {}
            Err(_) => break,
        }
    }
    Ok((child.wait()?.code(), last_lines))
}

/// Built together with the program the bars start, so that what both share is built once.
fn program(bar: &Bar, rest: &[&str]) -> anyhow::Result<Command> {
    let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let root = workspace_root()?;
    let built = Command::new(cargo)
        .current_dir(&root)
        .args([
            "build",
            "--quiet",
            "--release",
            "-p",
            "assay-cli",
            "-p",
            "assay-bench",
            "--bin",
            "assay-bench",
        ])
        .status()
        .context("cannot run cargo")?;
    if !built.success() {
        bail!("the bars do not build");
    }
    let own = std::env::current_exe().context("this program has no place")?;
    let target = own.parent().and_then(Path::parent).context("this program is outside a target folder")?;
    let mut program = Command::new(target.join("release/assay-bench"));
    program.current_dir(&root).arg(bar.name).args(rest);
    Ok(program)
}
