//! A body that stops half-way when a test orders it: the crash a client sees in the middle of an answer.

use assay_service::crash_point;
use axum::body::Body;
use bytes::Bytes;
use futures_util::future::BoxFuture;
use hyper::body::{Body as HttpBody, Frame, SizeHint};
use std::convert::Infallible;
use std::pin::Pin;
use std::task::{Context, Poll, ready};

const POINT: &str = "http-half-reply";

pub(crate) fn write_body(body: Bytes) -> Body {
    if !fail::list().iter().any(|(name, _)| name == POINT) {
        return Body::from(body);
    }
    let mut first = body;
    let second = first.split_off(first.len() / 2);
    Body::new(HalfReply { first: Some(first), strike: None, second: Some(second) })
}

struct HalfReply {
    first: Option<Bytes>,
    strike: Option<BoxFuture<'static, ()>>,
    second: Option<Bytes>,
}

impl HttpBody for HalfReply {
    type Data = Bytes;
    type Error = Infallible;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, Infallible>>> {
        if let Some(first) = self.first.take() {
            self.strike = Some(Box::pin(async {
                // Gives the server the turn in which it sends the first half.
                tokio::task::yield_now().await;
                crash_point(POINT).await;
            }));
            return Poll::Ready(Some(Ok(Frame::data(first))));
        }
        if let Some(strike) = &mut self.strike {
            ready!(strike.as_mut().poll(context));
            self.strike = None;
        }
        Poll::Ready(self.second.take().map(|second| Ok(Frame::data(second))))
    }

    fn size_hint(&self) -> SizeHint {
        let left = [&self.first, &self.second]
            .into_iter()
            .flatten()
            .map(|part| u64::try_from(part.len()).unwrap_or(0));
        SizeHint::with_exact(left.sum())
    }
}
