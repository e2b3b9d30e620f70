//! The text of an answer, which is written while the answer is paid for.

use crate::fault::Fault;
use futures_util::future::BoxFuture;

/// What is left to do of an answer when it is known what it costs.
pub type Rest = BoxFuture<'static, Result<Written, Fault>>;

/// An answer as it is sent, but for `cost`.
#[derive(Debug)]
pub struct Written {
    /// A JSON object.
    pub json: Vec<u8>,
    /// Units that were counted and could not be told after all: nobody pays for those.
    pub missing: u32,
}

impl Written {
    /// With all that was counted.
    pub fn whole(json: Vec<u8>) -> Self {
        Self { json, missing: 0 }
    }
}
