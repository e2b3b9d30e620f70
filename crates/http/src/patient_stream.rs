//! A client's socket with limits to our patience: with heads that trickle in, with silence, and with answers nobody takes.
//!
//! Only heads, silence and stuck answers are timed here. A body has its own deadline where it is read, a call its own where
//! it runs. One timer serves them all; it is set anew only when something is due sooner than it would fire, so that a busy
//! connection hardly ever touches it.

use crate::connections::Pulse;
use assay_domain::limits::{CONNECTION_IDLE_MAX, HEADER_READ_DEADLINE, WRITE_STALL_MAX};
use std::io::{Error, ErrorKind, IoSlice, Result};
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};
use std::time::Duration;
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::net::TcpStream;
use tokio::time::{Sleep, sleep};

/// How long a client may take.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Patience {
    /// From the first byte of a head to its last.
    pub(crate) head: Duration,
    /// From the last byte of anything to the first of the next head.
    pub(crate) silence: Duration,
    /// From one byte of an answer taken to the next.
    pub(crate) answer: Duration,
}

impl Default for Patience {
    fn default() -> Self {
        Self { head: HEADER_READ_DEADLINE, silence: CONNECTION_IDLE_MAX, answer: WRITE_STALL_MAX }
    }
}

/// A socket whose reads and writes fail when they are due.
#[derive(Debug)]
pub(crate) struct PatientStream {
    stream: TcpStream,
    pulse: Arc<Pulse>,
    patience: Patience,
    /// When the head being read began, and which call that would become.
    head: Option<(Duration, u32)>,
    /// Since when nothing could be written.
    stuck: Option<Duration>,
    timer: Pin<Box<Sleep>>,
    fires: Duration,
}

impl PatientStream {
    pub(crate) fn new(stream: TcpStream, pulse: Arc<Pulse>, patience: Patience) -> Self {
        let (timer, fires) = (Box::pin(sleep(patience.head)), pulse.now() + patience.head);
        Self { stream, pulse, patience, head: None, stuck: None, timer, fires }
    }

    /// When the wait for bytes is over; `None` while a call runs, which has deadlines of its own.
    fn read_due(&self) -> Option<Duration> {
        if self.pulse.is_busy() {
            return None;
        }
        match self.head {
            Some((began, call)) if call == self.pulse.calls() => Some(began + self.patience.head),
            _ => Some(self.pulse.active() + self.patience.silence),
        }
    }

    fn note_read(&mut self) {
        self.pulse.beat();
        let call = self.pulse.calls();
        if !self.pulse.is_busy() && self.head.is_none_or(|(_, begun)| begun != call) {
            self.head = Some((self.pulse.now(), call));
        }
    }

    /// Whether `due` has passed; if not, the task is woken then.
    fn is_over(&mut self, due: Duration, context: &mut Context<'_>) -> bool {
        loop {
            let now = self.pulse.now();
            if now >= due {
                return true;
            }
            if self.fires > due {
                self.timer.set(sleep(due.saturating_sub(now)));
                self.fires = due;
            }
            if self.timer.as_mut().poll(context).is_pending() {
                return false;
            }
            // It fired for something that is no longer waited for.
            self.fires = Duration::MAX;
        }
    }

    fn wait_read(&mut self, context: &mut Context<'_>) -> Poll<Result<()>> {
        // While a call runs nothing is due. The timer is set all the same: when the answer is written, nobody asks again.
        let due = self.read_due().unwrap_or_else(|| self.pulse.now() + self.patience.head);
        if self.is_over(due, context) {
            return Poll::Ready(Err(late("no request came in time")));
        }
        Poll::Pending
    }

    fn wait_write<T>(&mut self, written: Poll<Result<T>>, context: &mut Context<'_>) -> Poll<Result<T>> {
        if written.is_ready() {
            self.stuck = None;
            self.pulse.beat();
            return written;
        }
        let now = self.pulse.now();
        let since = *self.stuck.get_or_insert(now);
        if self.is_over(since + self.patience.answer, context) {
            return Poll::Ready(Err(late("the client does not take its answer")));
        }
        Poll::Pending
    }
}

fn late(why: &'static str) -> Error {
    Error::new(ErrorKind::TimedOut, why)
}

impl AsyncRead for PatientStream {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<Result<()>> {
        let before = buffer.filled().len();
        match Pin::new(&mut self.stream).poll_read(context, buffer) {
            Poll::Pending => self.wait_read(context),
            ready => {
                if buffer.filled().len() > before {
                    self.note_read();
                }
                ready
            }
        }
    }
}

impl AsyncWrite for PatientStream {
    fn poll_write(mut self: Pin<&mut Self>, context: &mut Context<'_>, bytes: &[u8]) -> Poll<Result<usize>> {
        let written = Pin::new(&mut self.stream).poll_write(context, bytes);
        self.wait_write(written, context)
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        parts: &[IoSlice<'_>],
    ) -> Poll<Result<usize>> {
        let written = Pin::new(&mut self.stream).poll_write_vectored(context, parts);
        self.wait_write(written, context)
    }

    fn is_write_vectored(&self) -> bool {
        self.stream.is_write_vectored()
    }

    fn poll_flush(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Result<()>> {
        Pin::new(&mut self.stream).poll_flush(context)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Result<()>> {
        Pin::new(&mut self.stream).poll_shutdown(context)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use assay_domain::clock::Stopwatch;
    use tokio::io::{AsyncReadExt, AsyncWriteExt};
    use tokio::net::TcpListener;

    const SHORT: Duration = Duration::from_millis(150);
    const LONG: Duration = Duration::from_millis(700);
    const PATIENCE: Patience = Patience { head: SHORT, silence: LONG, answer: LONG };

    async fn pair() -> (TcpStream, PatientStream) {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let client = TcpStream::connect(listener.local_addr().unwrap()).await.unwrap();
        let (server, _) = listener.accept().await.unwrap();
        (client, PatientStream::new(server, Arc::new(Pulse::new(Stopwatch::start())), PATIENCE))
    }

    /// Reads until it fails, and says after how long that was.
    async fn read_until_late(server: &mut PatientStream) -> Duration {
        let watch = Stopwatch::start();
        let mut buffer = [0; 64];
        loop {
            match server.read(&mut buffer).await {
                Ok(count) => assert!(count > 0, "the client hung up"),
                Err(error) => {
                    assert_eq!(error.kind(), ErrorKind::TimedOut);
                    return watch.elapsed();
                }
            }
        }
    }

    #[tokio::test]
    async fn a_head_that_trickles_in_is_cut_off_and_silence_is_borne_longer() {
        let (_client, mut silent) = pair().await;
        let took = read_until_late(&mut silent).await;
        assert!(took >= LONG && took < 2 * LONG, "{took:?}");
        let (mut client, mut slow) = pair().await;
        let trickle = async {
            // Bytes that keep coming do not buy more time.
            while client.write_all(b"x").await.is_ok() {
                sleep(SHORT / 10).await;
            }
        };
        tokio::select! {
            took = read_until_late(&mut slow) => assert!(took >= SHORT && took < LONG, "{took:?}"),
            () = trickle => panic!("the connection broke"),
        }
    }

    #[tokio::test]
    async fn a_call_that_runs_is_not_timed_and_the_next_head_has_its_own_time() {
        let (mut client, mut server) = pair().await;
        client.write_all(b"GET").await.unwrap();
        let mut buffer = [0; 64];
        assert_eq!(server.read(&mut buffer).await.unwrap(), 3);
        let call = server.pulse.start_call();
        let waited = tokio::time::timeout(2 * LONG, server.read(&mut buffer)).await;
        assert!(waited.is_err(), "a running call was cut off");
        drop(call);
        let took = read_until_late(&mut server).await;
        assert!(took >= LONG, "{took:?}");
    }

    #[tokio::test]
    async fn an_answer_nobody_takes_is_given_up_and_a_slow_taker_is_served() {
        let (mut client, mut server) = pair().await;
        let answer = vec![b'x'; 64 * 1024];
        let stuck = async {
            loop {
                if let Err(error) = server.write_all(&answer).await {
                    return error;
                }
            }
        };
        let mut stuck = Box::pin(stuck);
        // Whoever takes something now and then is not given up.
        let taking = async {
            let mut taken = vec![0; 1024 * 1024];
            for _ in 0..20 {
                sleep(LONG / 10).await;
                client.read_exact(&mut taken).await.unwrap();
            }
        };
        tokio::select! {
            error = &mut stuck => panic!("{error}"),
            () = taking => {}
        }
        let watch = Stopwatch::start();
        assert_eq!(stuck.await.kind(), ErrorKind::TimedOut);
        assert!(watch.elapsed() < 3 * LONG);
    }
}
