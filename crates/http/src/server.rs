//! The accept loop: HTTP/1.1 with keep-alive on one listener, until it is told to stop; then what runs may finish.

use crate::admission::Admission;
use crate::connections::{Admitted, Busy, Connections, Pulse};
use crate::patient_stream::{Patience, PatientStream};
use crate::request::Peer;
use assay_domain::limits::{
    CONNECTIONS_BACKLOG, HEAD_BYTES_MAX, OPERATIONS_CONNECTIONS_MAX, READ_AHEAD_BYTES_MAX, SHUTDOWN_DRAIN,
};
use assay_service::Slot;
use axum::Router;
use axum::body::Body;
use axum::http::header::CONNECTION;
use axum::http::{HeaderValue, StatusCode};
use axum::response::{IntoResponse, Response};
use bytes::Bytes;
use futures_util::FutureExt;
use hyper::body::{Body as HttpBody, Frame, Incoming, SizeHint};
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper_util::rt::TokioIo;
use std::convert::Infallible;
use std::net::SocketAddr;
use std::panic::AssertUnwindSafe;
use std::pin::{Pin, pin};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::task::{Context, Poll};
use std::time::Duration;
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::watch;
use tokio::task::{JoinError, JoinSet};
use tower::Service;

/// The pause after an accept that failed, most likely for want of file descriptors: trying again at once would spin.
const ACCEPT_PAUSE: Duration = Duration::from_millis(50);

/// Whoever has connected when the order to stop comes is let in and may still ask: the request is on its way.
const LAST_WORDS: Duration = Duration::from_millis(100);

/// What a listener puts up with.
#[derive(Debug)]
pub struct Bounds {
    pub connections_max: usize,
    /// None where every request is let in.
    pub admission: Option<Admission>,
    /// True when the node is about to stop: every answer then says that its connection ends with it, so that a client takes
    /// its next request elsewhere instead of sending it to a connection that is being closed.
    pub leaving: Arc<AtomicBool>,
}

impl Bounds {
    /// For the operations port: whoever watches a node must be heard when nobody else is.
    pub fn operations() -> Self {
        Self { connections_max: OPERATIONS_CONNECTIONS_MAX, admission: None, leaving: Arc::default() }
    }
}

/// What all connections of a listener share.
struct House {
    router: Router,
    admission: Option<Admission>,
    patience: Patience,
    leaving: Arc<AtomicBool>,
}

/// Serves until `shutdown` turns true or its sender is gone; returns when every connection is closed.
pub async fn serve(listener: TcpListener, router: Router, bounds: Bounds, shutdown: watch::Receiver<bool>) {
    let Bounds { connections_max, admission, leaving } = bounds;
    lengthen_queue(&listener);
    let house = House { router, admission, patience: Patience::default(), leaving };
    receive(listener, Arc::new(house), connections_max, shutdown).await;
}

/// A second `listen` on a socket that listens only changes how many connections may wait to be accepted.
fn lengthen_queue(listener: &TcpListener) {
    if let Err(error) = rustix::net::listen(listener, CONNECTIONS_BACKLOG) {
        tracing::warn!(%error, "the queue of connections keeps the length it has");
    }
}

async fn receive(
    listener: TcpListener,
    house: Arc<House>,
    connections_max: usize,
    mut shutdown: watch::Receiver<bool>,
) {
    let open = Connections::new(connections_max);
    let mut connections = JoinSet::new();
    let stop = shutdown.clone();
    let mut over = pin!(told_a_while_ago(&mut shutdown));
    loop {
        tokio::select! {
            accepted = listener.accept() => match accepted {
                Ok((stream, peer)) => match open.admit() {
                    Some(admitted) => {
                        connections.spawn(converse(stream, peer, admitted, Arc::clone(&house), stop.clone()));
                    }
                    None => metrics::counter!("assay_connections_refused_total").increment(1),
                },
                Err(error) => {
                    tracing::warn!(%error, "a connection could not be accepted");
                    tokio::time::sleep(ACCEPT_PAUSE).await;
                }
            },
            Some(ended) = connections.join_next(), if !connections.is_empty() => note_panic(&ended),
            () = &mut over => break,
        }
    }
    drop(listener);
    let drained = tokio::time::timeout(SHUTDOWN_DRAIN, async {
        while let Some(ended) = connections.join_next().await {
            note_panic(&ended);
        }
    });
    if drained.await.is_err() {
        tracing::warn!(connections = connections.len(), "calls still ran when the time to finish was over");
        connections.shutdown().await;
    }
}

/// Waits for the order to stop. A sender that is gone can give none, which counts as one.
async fn told(shutdown: &mut watch::Receiver<bool>) {
    drop(shutdown.wait_for(|stop| *stop).await);
}

async fn told_a_while_ago(shutdown: &mut watch::Receiver<bool>) {
    told(shutdown).await;
    tokio::time::sleep(LAST_WORDS).await;
}

fn note_panic(ended: &Result<(), JoinError>) {
    if ended.as_ref().is_err_and(JoinError::is_panic) {
        metrics::counter!("assay_task_panics_total", "task" => "connection").increment(1);
        tracing::error!("a connection's task panicked");
    }
}

async fn converse(
    stream: TcpStream,
    peer: SocketAddr,
    admitted: Admitted,
    house: Arc<House>,
    mut shutdown: watch::Receiver<bool>,
) {
    // Until the first byte comes, a connection is hardly more than its socket.
    let spoken = tokio::select! {
        readable = stream.readable() => readable.and_then(|()| stream.set_nodelay(true)).is_ok(),
        () = tokio::time::sleep(house.patience.silence) => false,
        () = admitted.pulse.closed() => false,
        () = told_a_while_ago(&mut shutdown) => false,
    };
    if spoken {
        Box::pin(exchange(stream, peer, &admitted.pulse, house, shutdown)).await;
    }
}

async fn exchange(
    stream: TcpStream,
    peer: SocketAddr,
    pulse: &Arc<Pulse>,
    house: Arc<House>,
    mut shutdown: watch::Receiver<bool>,
) {
    let peer = Peer(peer.ip().to_canonical());
    let stream = PatientStream::new(stream, Arc::clone(pulse), house.patience);
    let answer = service_fn(|request: hyper::Request<Incoming>| {
        let (house, busy) = (Arc::clone(&house), pulse.start_call());
        let mut request = request.map(Body::new);
        request.extensions_mut().insert(peer);
        async move { Ok::<_, Infallible>(house.answer(request, busy).await) }
    });
    let mut builder = http1::Builder::new();
    builder
        // Heads are timed by the stream, which tells a slow head from a silent connection.
        .header_read_timeout(None::<Duration>)
        .max_header_size(HEAD_BYTES_MAX)
        .max_buf_size(READ_AHEAD_BYTES_MAX);
    let mut connection = pin!(builder.serve_connection(TokioIo::new(stream), answer));
    let ended = tokio::select! {
        biased;
        ended = &mut connection => ended,
        // It has to make room. Half a head, or an answer nobody takes, is not waited for.
        () = pulse.closed() => {
            if !pulse.is_busy() {
                return;
            }
            connection.as_mut().graceful_shutdown();
            connection.await
        }
        () = told(&mut shutdown) => {
            connection.as_mut().graceful_shutdown();
            connection.await
        }
    };
    if let Err(error) = ended {
        tracing::debug!(%error, "a connection ended early");
    }
}

impl House {
    async fn answer(&self, request: hyper::Request<Body>, busy: Busy) -> Response {
        let mut response = self.work_out(request).await;
        if response.status() == StatusCode::REQUEST_TIMEOUT || self.leaving.load(Ordering::Relaxed) {
            response.headers_mut().insert(CONNECTION, HeaderValue::from_static("close"));
        }
        if HttpBody::size_hint(response.body()).exact().is_none() {
            return response.map(|body| Body::new(Streamed { body, _busy: busy }));
        }
        response
    }

    async fn work_out(&self, mut request: hyper::Request<Body>) -> Response {
        let slot = match &self.admission {
            None => Slot::default(),
            Some(admission) => match admission.enter(&request).await {
                Some(slot) => slot,
                None => return admission.refuse(request).await,
            },
        };
        request.extensions_mut().insert(slot.clone());
        let mut router = self.router.clone();
        // A panic anywhere ends this request with an answer instead of ending the connection, which others may share.
        let answered = AssertUnwindSafe(async move { router.call(request).await }).catch_unwind().await;
        let response = match answered {
            Ok(Ok(response)) => response,
            Ok(Err(never)) => match never {},
            Err(_) => self.apologise(),
        };
        // What is left is to write the answer: a long one must not keep others out.
        slot.leave();
        response
    }

    fn apologise(&self) -> Response {
        metrics::counter!("assay_task_panics_total", "task" => "request").increment(1);
        tracing::error!("the answer to a request panicked");
        match &self.admission {
            Some(admission) => admission.apologise(),
            None => StatusCode::INTERNAL_SERVER_ERROR.into_response(),
        }
    }
}

/// An answer written piece by piece. While it lasts the connection is busy, however long the pauses.
struct Streamed {
    body: Body,
    _busy: Busy,
}

impl HttpBody for Streamed {
    type Data = Bytes;
    type Error = axum::Error;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, axum::Error>>> {
        Pin::new(&mut self.body).poll_frame(context)
    }

    fn is_end_stream(&self) -> bool {
        self.body.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        HttpBody::size_hint(&self.body)
    }
}

#[cfg(test)]
mod tests;
