//! The accept loop: HTTP/1.1 with keep-alive on one listener, until it is told to stop; then what runs may finish.

use crate::request::Peer;
use assay_domain::limits::{HEADER_READ_DEADLINE, SHUTDOWN_DRAIN};
use axum::Router;
use axum::body::Body;
use hyper::Request;
use hyper::body::Incoming;
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper_util::rt::{TokioIo, TokioTimer};
use std::net::SocketAddr;
use std::pin::pin;
use std::time::Duration;
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::watch;
use tokio::task::{JoinError, JoinSet};
use tower::Service;

/// The pause after an accept that failed, most likely for want of file descriptors: trying again at once would spin.
const ACCEPT_PAUSE: Duration = Duration::from_millis(50);

/// Serves until `shutdown` turns true or its sender is gone; returns when every connection is closed.
pub async fn serve(listener: TcpListener, router: Router, mut shutdown: watch::Receiver<bool>) {
    let mut connections = JoinSet::new();
    let stop = shutdown.clone();
    loop {
        tokio::select! {
            accepted = listener.accept() => match accepted {
                Ok((stream, peer)) => {
                    connections.spawn(converse(stream, peer, router.clone(), stop.clone()));
                }
                Err(error) => {
                    tracing::warn!(%error, "a connection could not be accepted");
                    tokio::time::sleep(ACCEPT_PAUSE).await;
                }
            },
            Some(ended) = connections.join_next(), if !connections.is_empty() => note_panic(&ended),
            () = told(&mut shutdown) => break,
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

fn note_panic(ended: &Result<(), JoinError>) {
    if ended.as_ref().is_err_and(JoinError::is_panic) {
        metrics::counter!("assay_task_panics_total", "task" => "connection").increment(1);
        tracing::error!("a connection's task panicked");
    }
}

async fn converse(stream: TcpStream, peer: SocketAddr, router: Router, mut shutdown: watch::Receiver<bool>) {
    if let Err(error) = stream.set_nodelay(true) {
        tracing::debug!(%error, "a connection was gone before its first request");
        return;
    }
    let peer = Peer(peer.ip().to_canonical());
    let answer = service_fn(move |request: Request<Incoming>| {
        let mut router = router.clone();
        let mut request = request.map(Body::new);
        request.extensions_mut().insert(peer);
        async move { router.call(request).await }
    });
    let mut builder = http1::Builder::new();
    builder.timer(TokioTimer::new()).header_read_timeout(HEADER_READ_DEADLINE).pipeline_flush(true);
    let mut connection = pin!(builder.serve_connection(TokioIo::new(stream), answer));
    let ended = tokio::select! {
        biased;
        ended = &mut connection => ended,
        () = told(&mut shutdown) => {
            connection.as_mut().graceful_shutdown();
            connection.await
        }
    };
    if let Err(error) = ended {
        tracing::debug!(%error, "a connection ended early");
    }
}
