//! The bar `smtp-matrix`: 30 ways a mail domain behaves, 20 addresses each, and what the verifier says of every one.
//!
//! The truth is what the servers are configured to have. A domain counts when all its addresses are right; an address
//! that receives mail and is called invalid, or the other way round, fails the bar by itself.

use crate::bar::{Complaints, Verdict as BarVerdict, progress};
use anyhow::{Context, Result, ensure};
use assay_domain::clock::Stopwatch;
use assay_domain::{Email, IpRange};
use assay_mailbox::{
    Checked, Dns, DnsSettings, DomainKnowledge, Patience, ProbeSettings, Retry, Verdict, Verifier, check,
};
use assay_testkit::mail::{BEHAVIOURS, Behaviour, MailRig, MailRigOptions, Server, Truth};
use futures_util::StreamExt;
use futures_util::future::join_all;
use futures_util::stream;
use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::SeedableRng;
use std::time::Duration;

/// So many domains may have an address that is neither right nor harmful.
const WRONG_MAX: usize = 1;
/// What is promised to a server: no more connections at a time.
const AT_ONCE: usize = 2;
/// At servers that only keep one waiting, which take thousands at a time: two at once would make the run a quarter of
/// an hour, and show nothing more.
const AT_ONCE_WAITING: usize = 10;
const WAITING: &[&str] = &["tarpit", "slow-bytes"];
/// How often an address is asked for. The product's queue has as many tries, but minutes apart.
const ROUNDS: usize = 4;
/// More than the rig's servers keep a stranger waiting.
const PAUSE: Duration = Duration::from_secs(4);
const SEED: u64 = 22;

/// Of every kind one that does not take its time.
const QUICK: &[&str] = &[
    "postfix-plain",
    "postfix-catch-all",
    "postfix-states",
    "postfix-starttls",
    "postfix-smtputf8",
    "postfix-greylist",
    "postfix-dnsbl",
    "exim-plain",
    "opensmtpd-plain",
    "exchange-denied",
    "drops-at-rcpt",
    "too-fast",
    "second-mx-german",
    "no-mail",
];

pub async fn run(short: bool) -> Result<BarVerdict> {
    let missing = MailRig::missing_packages();
    if !missing.is_empty() {
        progress(format!("installs {}", missing.join(", ")));
        MailRig::install()?;
    }
    let rig = MailRig::start(&MailRigOptions::default())?;
    let verifier = verifier(&rig)?;
    let chosen: Vec<&Behaviour> =
        BEHAVIOURS.iter().filter(|behaviour| !short || QUICK.contains(&behaviour.name)).collect();
    progress(format!("asks for the addresses of {} domains", chosen.len()));
    let rows = join_all(chosen.iter().map(|behaviour| Box::pin(try_behaviour(&verifier, behaviour)))).await;
    let rows: Vec<Row> = rows.into_iter().collect::<Result<_>>()?;
    let mut complaints = Complaints::default();
    for behaviour in &chosen {
        let sent =
            behaviour.hosts.iter().filter_map(|host| rig.tally(*host)).map(|tally| tally.data_commands);
        if sent.sum::<u64>() > 0 {
            complaints.add(format!("{} was sent a message", behaviour.name));
        }
    }
    Ok(conclude(&rows, &complaints))
}

/// As the product would ask, but for the network it is in.
fn verifier(rig: &MailRig) -> Result<Verifier> {
    let dns =
        Dns::new(&DnsSettings { nameservers: vec![rig.dns()], ipv6_first: false, private_hosts: true })?;
    let settings = ProbeSettings {
        helo: "verifier.test".to_owned(),
        sender: Some(Email::parse("probe@verifier.test")?),
        source: None,
        port: rig.smtp_port(),
        allowed: vec![IpRange::parse("127.0.0.0/8")?],
        patience: Patience::default(),
    };
    Ok(Verifier::new(dns, settings)?)
}

/// An address, what is true of it, and what was said of it so far.
struct Case {
    truth: Truth,
    checked: Checked,
    /// For the strangers, which are the same in every round.
    seed: u64,
    said: Option<Verdict>,
}

impl Case {
    fn is_open(&self) -> bool {
        self.said.as_ref().is_none_or(|verdict| verdict.retry.is_some())
    }

    fn status(&self) -> &'static str {
        self.said.as_ref().map_or("nothing", |verdict| verdict.status.as_str())
    }

    fn is_right(&self) -> bool {
        self.truth.expected.contains(&self.status())
    }

    fn is_harmful(&self) -> bool {
        self.truth.never.contains(&self.status())
    }
}

/// What came of a domain.
struct Row {
    name: &'static str,
    cases: Vec<Case>,
}

impl Row {
    fn is_all_right(&self) -> bool {
        self.cases.iter().all(Case::is_right)
    }

    /// Harmful words, the one that says the address receives nothing or the others.
    fn count_false(&self, is_invalid: bool) -> usize {
        let harmful = self.cases.iter().filter(|case| case.is_harmful());
        harmful.filter(|case| (case.status() == "invalid") == is_invalid).count()
    }
}

async fn try_behaviour(verifier: &Verifier, behaviour: &'static Behaviour) -> Result<Row> {
    let watch = Stopwatch::start();
    let mut cases = behaviour
        .truths()
        .into_iter()
        .zip(SEED..)
        .map(|(truth, seed)| {
            let checked = check(&truth.address).with_context(|| format!("{} is none", truth.address))?;
            Ok(Case { truth, checked, seed, said: None })
        })
        .collect::<Result<Vec<_>>>()?;
    let at_once = match behaviour.server {
        Server::DnsOnly => cases.len(),
        _ if WAITING.contains(&behaviour.name) => AT_ONCE_WAITING,
        _ => AT_ONCE,
    };
    let mut rounds = 0;
    for round in 1..=ROUNDS {
        let open: Vec<&mut Case> = cases.iter_mut().filter(|case| case.is_open()).collect();
        if open.is_empty() {
            break;
        }
        if round > 1 {
            tokio::time::sleep(PAUSE).await;
        }
        rounds = round;
        stream::iter(open)
            .for_each_concurrent(at_once, |case| async {
                let mut random = ChaCha8Rng::seed_from_u64(case.seed);
                let verdict = verifier.verify(&case.checked, DomainKnowledge::default(), &mut random);
                case.said = Some(Box::pin(verdict).await);
            })
            .await;
    }
    let right = cases.iter().filter(|case| case.is_right()).count();
    ensure!(!cases.is_empty(), "{} has no addresses", behaviour.name);
    let seconds = watch.elapsed().as_secs();
    progress(format!("{}: {right} of {} in {rounds} rounds and {seconds} s", behaviour.name, cases.len()));
    Ok(Row { name: behaviour.name, cases })
}

fn conclude(rows: &[Row], complaints: &Complaints) -> BarVerdict {
    let wrong: Vec<(&Row, &Case)> = rows
        .iter()
        .flat_map(|row| row.cases.iter().filter(|case| !case.is_right()).map(move |case| (row, case)))
        .collect();
    if !wrong.is_empty() {
        progress(format!("{:<22} {:<40} {:<28} right", "wrong", "address", "said"));
    }
    for (row, case) in wrong {
        progress(format!(
            "{:<22} {:<40} {:<28} {}{}",
            row.name,
            case.truth.address,
            case.said.as_ref().map_or_else(String::new, describe),
            case.truth.expected.join(" or "),
            if case.is_harmful() { ": HARMFUL" } else { "" },
        ));
    }
    let right = rows.iter().filter(|row| row.is_all_right()).count();
    let bar = rows.len().saturating_sub(WRONG_MAX);
    let false_invalid: usize = rows.iter().map(|row| row.count_false(true)).sum();
    let false_valid: usize = rows.iter().map(|row| row.count_false(false)).sum();
    BarVerdict {
        figure: format!(
            "smtp-matrix: {right} of {} behaviours all right (bar {bar}), {false_invalid} false invalid, {false_valid} \
             false valid (bar 0)",
            rows.len(),
        ),
        passed: right >= bar && false_invalid == 0 && false_valid == 0 && complaints.is_empty(),
    }
}

/// Status, reason, and what the last round would still have waited for.
fn describe(verdict: &Verdict) -> String {
    let retry = match verdict.retry {
        Some(Retry::Greylisted) => ", greylisted",
        Some(Retry::Deferred) => ", deferred",
        None => "",
    };
    format!("{} ({}{retry})", verdict.status.as_str(), verdict.reason.as_str())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A row with one address that two words are right for, of which this was said.
    fn row(said: Verdict, never: &'static [&'static str]) -> Row {
        let truth = Truth { address: "anna@acme.test".to_owned(), expected: &["unknown"], never };
        let checked = check(&truth.address).unwrap();
        Row { name: "acme", cases: vec![Case { truth, checked, seed: 0, said: Some(said) }] }
    }

    #[test]
    fn one_harmful_word_fails_the_matrix_and_one_wrong_word_does_not() {
        let invalid = || Verdict::of_text("no address");
        let wrong = conclude(&[row(invalid(), &["valid"])], &Complaints::default());
        assert!(wrong.passed, "{}", wrong.figure);
        let harmful = conclude(&[row(invalid(), &["invalid"])], &Complaints::default());
        assert!(!harmful.passed, "{}", harmful.figure);
        assert!(
            harmful.figure.contains("0 of 1 behaviours all right (bar 0), 1 false invalid, 0 false valid")
        );
        let two = conclude(&[row(invalid(), &[]), row(invalid(), &[])], &Complaints::default());
        assert!(!two.passed, "{}", two.figure);
    }

    #[test]
    fn the_short_run_asks_domains_that_are_in_the_catalogue() {
        let known = |name: &&&str| BEHAVIOURS.iter().any(|behaviour| behaviour.name == **name);
        assert_eq!(QUICK.iter().filter(known).count(), QUICK.len());
        assert_eq!(WAITING.iter().filter(known).count(), WAITING.len());
    }
}
