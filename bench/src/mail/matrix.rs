//! The bar `smtp-matrix`: 30 ways a mail domain behaves, 20 addresses each, and what the verifier says of every one.
//!
//! The truth is what the servers are configured to have. A domain counts when all its addresses are right; an address
//! that receives mail and is called invalid, or the other way round, fails the bar by itself. The whole run then asks a
//! public crate the same, which must do worse.

use super::rival::{self, Rival};
use super::score::{Score, is_harmful, is_right};
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
pub(super) const ROUNDS: usize = 4;
/// More than the rig's servers keep a stranger waiting.
pub(super) const PAUSE: Duration = Duration::from_secs(4);
pub(super) const HELO: &str = "verifier.test";
pub(super) const SENDER: &str = "probe@verifier.test";
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
    super::install_servers()?;
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
    drop(rig);
    let rival = if short { None } else { Some(Box::pin(rival::run()).await?) };
    Ok(conclude(&rows, &complaints, rival))
}

/// As the product would ask, but for the network it is in.
fn verifier(rig: &MailRig) -> Result<Verifier> {
    let dns =
        Dns::new(&DnsSettings { nameservers: vec![rig.dns()], ipv6_first: false, private_hosts: true })?;
    let settings = ProbeSettings {
        helo: HELO.to_owned(),
        sender: Some(Email::parse(SENDER)?),
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
        is_right(&self.truth, self.status())
    }

    fn is_harmful(&self) -> bool {
        is_harmful(&self.truth, self.status())
    }
}

/// What came of a domain.
struct Row {
    name: &'static str,
    cases: Vec<Case>,
}

/// How many of so many addresses are asked for at a time.
pub(super) fn count_at_once(behaviour: &Behaviour, addresses: usize) -> usize {
    match behaviour.server {
        Server::DnsOnly => addresses,
        _ if WAITING.contains(&behaviour.name) => AT_ONCE_WAITING,
        _ => AT_ONCE,
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
    let at_once = count_at_once(behaviour, cases.len());
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

fn conclude(rows: &[Row], complaints: &Complaints, rival: Option<Rival>) -> BarVerdict {
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
    let mut score = Score::default();
    for row in rows {
        score.add(row.cases.iter().map(|case| (&case.truth, case.status())));
    }
    let Score { domains, right, false_invalid, false_valid } = score;
    let bar = domains.saturating_sub(WRONG_MAX);
    let beside = rival.map_or_else(String::new, |rival| describe_rival(&rival));
    let is_best = rival.is_none_or(|rival| right > rival.score.right.max(rival.right_by_details));
    BarVerdict {
        figure: format!(
            "smtp-matrix: {right} of {domains} behaviours all right (bar {bar}), {false_invalid} false invalid, \
             {false_valid} false valid (bar 0){beside}",
        ),
        passed: right >= bar && false_invalid == 0 && false_valid == 0 && is_best && complaints.is_empty(),
    }
}

fn describe_rival(rival: &Rival) -> String {
    let Score { domains, right, false_invalid, false_valid } = rival.score;
    format!(
        "; check-if-email-exists: {right} of {domains} right, {false_invalid} false invalid, {false_valid} false valid \
         ({} right by its details)",
        rival.right_by_details,
    )
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
        let wrong = conclude(&[row(invalid(), &["valid"])], &Complaints::default(), None);
        assert!(wrong.passed, "{}", wrong.figure);
        let harmful = conclude(&[row(invalid(), &["invalid"])], &Complaints::default(), None);
        assert!(!harmful.passed, "{}", harmful.figure);
        assert!(
            harmful.figure.contains("0 of 1 behaviours all right (bar 0), 1 false invalid, 0 false valid")
        );
        let two = conclude(&[row(invalid(), &[]), row(invalid(), &[])], &Complaints::default(), None);
        assert!(!two.passed, "{}", two.figure);
    }

    #[test]
    fn a_rival_that_does_as_well_fails_the_matrix() {
        let mut right_row = row(Verdict::of_text("no address"), &[]);
        right_row.cases[0].truth.expected = &["invalid"];
        let score = |right| Score { domains: 1, right, false_invalid: 2, false_valid: 3 };
        let against = |right, right_by_details| {
            let rival = Rival { score: score(right), right_by_details };
            conclude(std::slice::from_ref(&right_row), &Complaints::default(), Some(rival))
        };
        let ahead = against(0, 0);
        assert!(ahead.passed, "{}", ahead.figure);
        let beside =
            "check-if-email-exists: 0 of 1 right, 2 false invalid, 3 false valid (0 right by its details)";
        assert!(ahead.figure.ends_with(beside), "{}", ahead.figure);
        assert!(!against(1, 1).passed);
        assert!(!against(0, 1).passed);
    }

    #[test]
    fn the_short_run_asks_domains_that_are_in_the_catalogue() {
        let known = |name: &&&str| BEHAVIOURS.iter().any(|behaviour| behaviour.name == **name);
        assert_eq!(QUICK.iter().filter(known).count(), QUICK.len());
        assert_eq!(WAITING.iter().filter(known).count(), WAITING.len());
    }
}
