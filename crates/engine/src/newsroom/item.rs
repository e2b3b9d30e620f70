//! By what it is told whether a source says the same as before.

use assay_domain::Notice;
use assay_domain::signal::Content;
use assay_sources::feeds::Release;
use chrono::{DateTime, Utc};
use sha2::{Digest as _, Sha256};

/// Of what a notice says. What is dated only by when it was seen would be new at every look.
pub(super) fn digest_of_notice(notice: &Notice, seen_at: DateTime<Utc>) -> i64 {
    let mut notice = notice.clone();
    if notice.occurred_at == seen_at {
        notice.occurred_at = DateTime::UNIX_EPOCH;
        if let Content::Hiring(posting) = &mut notice.content {
            posting.posted_at = DateTime::UNIX_EPOCH;
        }
    }
    // A notice that cannot be written is new each time, and refused where it is kept.
    let text = serde_json::to_vec(&notice).unwrap_or_default();
    digest(&[&text])
}

pub(super) fn digest_of_release(release: &Release) -> i64 {
    digest(&[release.title.as_bytes(), b"\n", release.body.as_bytes()])
}

fn digest(parts: &[&[u8]]) -> i64 {
    let mut hash = Sha256::new();
    for part in parts {
        hash.update(part);
    }
    let bytes: [u8; 32] = hash.finalize().into();
    let mut first = [0; 8];
    first.copy_from_slice(&bytes[..8]);
    i64::from_le_bytes(first)
}
