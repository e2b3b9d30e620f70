//! Receivers that do not answer, or not as they should: every attempt ends, in time, and reads little.

use super::receiver::{Receiver, deliver, deliver_with, guard, read_request, settings};
use assay_domain::clock::Stopwatch;
use assay_notify::{SenderSettings, Trouble, Verdict};
use std::future::pending;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;
use tokio::io::AsyncWriteExt;
use tokio::net::TcpListener;
use tokio::time::sleep;

const DRIP: Duration = Duration::from_millis(20);
/// A busy machine may be late, but nothing here waits for anything but the deadline.
const LATE_MAX: Duration = Duration::from_secs(3);

#[tokio::test]
async fn a_receiver_that_hangs_is_left_at_the_deadline() {
    let receiver = Receiver::start(|mut stream| async move {
        read_request(&mut stream).await;
        pending::<()>().await;
    })
    .await;
    let settings = settings(guard("127.0.0.1", &[receiver.port()]));
    let deadline = settings.deadline;
    let outcome = deliver_with(settings, &receiver.url()).await;
    assert_eq!((outcome.verdict, outcome.status), (Verdict::TimedOut, None));
    assert!(outcome.took >= deadline && outcome.took < deadline + LATE_MAX, "{:?}", outcome.took);
    assert_eq!(receiver.calls().await, 1);
}

#[tokio::test]
async fn a_head_that_trickles_in_is_no_answer() {
    let receiver = Receiver::start(|mut stream| async move {
        read_request(&mut stream).await;
        for byte in b"HTTP/1.1 200 OK\r\nx-slow: ".iter().chain(std::iter::repeat(&b'x')) {
            sleep(DRIP).await;
            if stream.write_all(&[*byte]).await.is_err() {
                return;
            }
        }
    })
    .await;
    assert_eq!(deliver(&receiver).await.verdict, Verdict::TimedOut);
}

#[tokio::test]
async fn a_body_that_trickles_in_is_left_at_the_deadline_and_was_a_delivery() {
    let receiver = Receiver::start(|mut stream| async move {
        read_request(&mut stream).await;
        stream.write_all(b"HTTP/1.1 200 OK\r\n\r\n").await.ok();
        while stream.write_all(b"x").await.is_ok() {
            sleep(DRIP).await;
        }
    })
    .await;
    let outcome = deliver(&receiver).await;
    assert_eq!((outcome.verdict, outcome.status), (Verdict::Delivered, Some(200)));
    let deadline = Duration::from_millis(600);
    assert!(outcome.took >= deadline && outcome.took < deadline + LATE_MAX, "{:?}", outcome.took);
    assert!(outcome.excerpt.starts_with("xx"), "{}", outcome.excerpt);
}

#[tokio::test]
async fn a_huge_body_stays_mostly_unread() {
    let written = Arc::new(AtomicUsize::new(0));
    let counting = Arc::clone(&written);
    let receiver = Receiver::start(move |mut stream| {
        let counting = Arc::clone(&counting);
        async move {
            read_request(&mut stream).await;
            stream.write_all(b"HTTP/1.1 200 OK\r\ncontent-length: 1000000000\r\n\r\n").await.ok();
            let piece = vec![b'x'; 64 * 1024];
            while stream.write_all(&piece).await.is_ok() {
                counting.fetch_add(piece.len(), Ordering::SeqCst);
            }
        }
    })
    .await;
    let watch = Stopwatch::start();
    let settings = SenderSettings {
        deadline: Duration::from_secs(10),
        ..settings(guard("127.0.0.1", &[receiver.port()]))
    };
    let outcome = deliver_with(settings, &receiver.url()).await;
    assert_eq!((outcome.verdict, outcome.excerpt), (Verdict::Delivered, "x".repeat(1_024)));
    assert!(watch.elapsed() < LATE_MAX, "it did not wait for the rest");
    receiver.calls().await;
    // What the two sockets hold on top of what was read.
    let written = written.load(Ordering::SeqCst);
    assert!(written < 32 * 1024 * 1024, "{written}");
}

#[tokio::test]
async fn what_is_no_answer_in_http_is_not_one() {
    let huge_head = format!("HTTP/1.1 200 OK\r\nx-large: {}\r\n\r\n", "x".repeat(200_000));
    let many_headers = format!("HTTP/1.1 200 OK\r\n{}\r\n", "a: b\r\n".repeat(1_000));
    for answer in
        ["SSH-2.0-OpenSSH_9.2\r\n", "", "HTTP/1.1 200", "HTTP/2.0 200 OK\r\n\r\n", &huge_head, &many_headers]
    {
        let receiver = Receiver::answering(answer).await;
        let outcome = deliver(&receiver).await;
        let told = answer.get(..20).unwrap_or(answer);
        assert_eq!(outcome.verdict, Verdict::Unreachable(Trouble::Answer), "{told}");
        assert_eq!((outcome.status, outcome.excerpt.as_str()), (None, ""));
    }
}

#[tokio::test]
async fn a_connection_that_is_reset_is_not_answered() {
    let receiver = Receiver::start(|stream| async move {
        // Closed with something unread, which resets it.
        stream.readable().await.ok();
    })
    .await;
    let outcome = deliver(&receiver).await;
    assert_eq!((outcome.verdict, outcome.status), (Verdict::Unreachable(Trouble::Answer), None));
}

#[tokio::test]
async fn nobody_at_the_port_is_not_reached() {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let port = listener.local_addr().unwrap().port();
    drop(listener);
    let settings = settings(guard("127.0.0.1", &[port]));
    let outcome = deliver_with(settings, &format!("http://127.0.0.1:{port}/")).await;
    assert_eq!(outcome.verdict, Verdict::Unreachable(Trouble::Connect));
    assert!(outcome.took < LATE_MAX);
}

#[tokio::test]
async fn a_connection_that_never_stands_is_given_up_early() {
    // A listener whose queue is full drops the packets of whoever comes next.
    let socket = tokio::net::TcpSocket::new_v4().unwrap();
    socket.bind("127.0.0.1:0".parse().unwrap()).unwrap();
    let listener = socket.listen(1).unwrap();
    let address = listener.local_addr().unwrap();
    let mut waiting = Vec::new();
    while let Ok(Ok(stream)) = tokio::time::timeout(DRIP * 10, tokio::net::TcpStream::connect(address)).await
    {
        waiting.push(stream);
    }
    let settings = SenderSettings {
        deadline: Duration::from_secs(60),
        ..settings(guard("127.0.0.1", &[address.port()]))
    };
    let outcome = deliver_with(settings, &format!("http://{address}/")).await;
    assert_eq!(outcome.verdict, Verdict::TimedOut);
    assert!(outcome.took >= Duration::from_millis(300) && outcome.took < LATE_MAX, "{:?}", outcome.took);
}
