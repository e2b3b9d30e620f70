//! One question and its raw answer, for an operator who sets a vendor up. Nothing is tried again, and nothing is learnt from it.

use super::transport::Sent;
use super::{Client, NotAsked, VendorPlace};
use crate::{Question, Reading, Vendor};
use assay_domain::clock::Stopwatch;
use assay_domain::limits::SOURCE_DEADLINE_MAX;
use bytes::Bytes;
use std::time::Duration;

/// An answer as it came and as it is read.
#[derive(Debug, Clone)]
pub struct Shown {
    /// None when nothing came back.
    pub status: Option<u16>,
    pub body: Bytes,
    pub reading: Reading,
    pub latency: Duration,
}

impl Client {
    pub async fn show(
        &self,
        vendor: &dyn Vendor,
        place: &VendorPlace,
        question: &Question,
    ) -> Result<Shown, NotAsked> {
        let watch = Stopwatch::start();
        let call = self.call(vendor, place, question)?;
        let sent = self.0.transport.send(&call.prepared, SOURCE_DEADLINE_MAX).await;
        let (status, body) = match &sent {
            Sent::Answered { status, body, .. } => (Some(status.as_u16()), body.clone()),
            _ => (None, Bytes::new()),
        };
        let reading = self.read(&call, sent).reading;
        Ok(Shown { status, body, reading, latency: watch.elapsed() })
    }
}
