//! Names whose addresses change or are not what they seem: nothing but a judged address is ever dialled.

use super::receiver::{LOOPBACK, PUBLIC, Receiver, answer_with, deliver_with, guard, settings};
use assay_domain::limits::WEBHOOK_ADDRESSES_MAX;
use assay_notify::{Guard, Lookup, Refusal, Resolver, Sender, SenderSettings, Target, Trouble, Verdict};
use bytes::Bytes;
use std::net::{IpAddr, Ipv4Addr};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

const OK: &str = "HTTP/1.1 200 OK\r\ncontent-length: 0\r\n\r\n";
const FORBIDDEN: Verdict = Verdict::Forbidden(Refusal::Address("this host itself"));

/// Gives its answers in turn, again and again, and counts how often it is asked.
#[derive(Debug)]
pub struct Scripted {
    answers: Vec<Vec<IpAddr>>,
    asked: AtomicUsize,
    delay: Duration,
}

impl Scripted {
    pub fn in_turn(answers: &[&[Ipv4Addr]]) -> Arc<Self> {
        let answers = answers.iter().map(|all| all.iter().copied().map(IpAddr::V4).collect()).collect();
        Arc::new(Self { answers, asked: AtomicUsize::new(0), delay: Duration::ZERO })
    }

    pub fn always(answer: &[Ipv4Addr]) -> Arc<Self> {
        Self::in_turn(&[answer])
    }

    fn asked(&self) -> usize {
        self.asked.load(Ordering::SeqCst)
    }
}

impl Resolver for Scripted {
    fn resolve<'a>(&'a self, _: &'a str) -> Lookup<'a> {
        let number = self.asked.fetch_add(1, Ordering::SeqCst);
        Box::pin(async move {
            tokio::time::sleep(self.delay).await;
            Ok(self.answers[number % self.answers.len()].clone())
        })
    }
}

/// A receiver at the address that may be reached, and a canary at the same port of the one that may not.
async fn pair() -> (Receiver, Receiver, Guard) {
    let canary = Receiver::answering(OK).await;
    let receiver = Receiver::start_at((PUBLIC, canary.port()).into(), answer_with(OK)).await;
    let guard = guard(&PUBLIC.to_string(), &[canary.port()]);
    (receiver, canary, guard)
}

fn asking(guard: &Guard, resolver: Arc<Scripted>) -> SenderSettings {
    SenderSettings { resolver, ..settings(guard.clone()) }
}

#[tokio::test]
async fn a_name_that_changes_between_two_looks_is_judged_at_the_one_that_is_dialled() {
    let (receiver, canary, guard) = pair().await;
    let resolver = Scripted::in_turn(&[&[PUBLIC], &[LOOPBACK]]);
    let url = format!("http://rebind.test:{}/", canary.port());
    let target = Target::parse(&url, &guard).unwrap();
    let sender = Sender::new(asking(&guard, Arc::clone(&resolver))).unwrap();
    for round in 1..=20 {
        let verdict = sender.send(&target, &[], Bytes::new()).await.verdict;
        assert_eq!(verdict, if round % 2 == 1 { Verdict::Delivered } else { FORBIDDEN }, "{round}");
        assert_eq!(resolver.asked(), round, "asked once for each attempt");
    }
    assert_eq!((receiver.calls().await, canary.calls().await), (10, 0));
}

#[tokio::test]
async fn of_mixed_answers_only_what_is_let_through_is_dialled() {
    let (receiver, canary, guard) = pair().await;
    let metadata = Ipv4Addr::new(169, 254, 169, 254);
    let url = format!("http://mixed.test:{}/", canary.port());
    let answers: [&[Ipv4Addr]; 4] =
        [&[LOOPBACK, PUBLIC], &[PUBLIC, LOOPBACK], &[LOOPBACK, PUBLIC, LOOPBACK], &[metadata, PUBLIC]];
    for answer in answers {
        let outcome = deliver_with(asking(&guard, Scripted::always(answer)), &url).await;
        assert_eq!(outcome.verdict, Verdict::Delivered, "{answer:?}");
    }
    drop(receiver);
    // Nor is a refused one fallen back to when the other is not there.
    for answer in answers {
        let outcome = deliver_with(asking(&guard, Scripted::always(answer)), &url).await;
        assert_eq!(outcome.verdict, Verdict::Unreachable(Trouble::Connect), "{answer:?}");
    }
    assert_eq!(canary.calls().await, 0);
}

#[tokio::test]
async fn an_address_that_was_allowed_when_the_target_was_read_is_judged_again() {
    let (_receiver, canary, strict) = pair().await;
    let lax = guard("127.0.0.0/8", &[canary.port()]);
    let target = Target::parse(&canary.url(), &lax).unwrap();
    let sender = Sender::new(settings(strict)).unwrap();
    assert_eq!(sender.send(&target, &[], Bytes::new()).await.verdict, FORBIDDEN);
    assert_eq!(canary.calls().await, 0);
    let allowed = Sender::new(settings(lax)).unwrap();
    assert_eq!(allowed.send(&target, &[], Bytes::new()).await.verdict, Verdict::Delivered);
    assert_eq!(canary.calls().await, 1, "the canary sees whoever comes");
}

#[tokio::test]
async fn a_name_without_an_address_is_not_reached() {
    let (_receiver, canary, guard) = pair().await;
    let url = format!("http://nowhere.test:{}/", canary.port());
    let outcome = deliver_with(asking(&guard, Scripted::always(&[])), &url).await;
    assert_eq!(outcome.verdict, Verdict::Unreachable(Trouble::Name));
}

#[tokio::test]
async fn looking_up_counts_as_connecting() {
    let (_receiver, canary, guard) = pair().await;
    let slow = Scripted {
        answers: vec![vec![IpAddr::V4(PUBLIC)]],
        asked: AtomicUsize::new(0),
        delay: Duration::from_secs(30),
    };
    let url = format!("http://slow.test:{}/", canary.port());
    let outcome = deliver_with(asking(&guard, Arc::new(slow)), &url).await;
    assert_eq!(outcome.verdict, Verdict::TimedOut);
    assert!(outcome.took < Duration::from_secs(5), "{:?}", outcome.took);
}

#[tokio::test]
async fn the_next_address_is_tried_up_to_a_limit() {
    let receiver = Receiver::start_at((PUBLIC, 0).into(), answer_with(OK)).await;
    let guard = guard("127.0.0.0/8", &[receiver.port()]);
    let url = format!("http://many.test:{}/", receiver.port());
    // Nobody listens at these.
    let dead = |count: usize| (0..count).map(|at| Ipv4Addr::new(127, 0, 1, u8::try_from(at).unwrap()));
    let then_alive = |count: usize| dead(count).chain([PUBLIC]).collect::<Vec<_>>();
    let within = Scripted::always(&then_alive(WEBHOOK_ADDRESSES_MAX - 1));
    assert_eq!(deliver_with(asking(&guard, within), &url).await.verdict, Verdict::Delivered);
    let beyond = Scripted::always(&then_alive(WEBHOOK_ADDRESSES_MAX));
    let outcome = deliver_with(asking(&guard, beyond), &url).await;
    assert_eq!(outcome.verdict, Verdict::Unreachable(Trouble::Connect));
    assert_eq!(receiver.calls().await, 1);
}
