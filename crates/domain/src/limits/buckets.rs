//! How long a bucket has to answer, and how often it is asked again.

use std::time::Duration;

/// To take a connection. Where no credentials are set, a machine's role is asked for at an address that may lead nowhere.
pub const BUCKET_CONNECT_DEADLINE: Duration = Duration::from_secs(3);
/// To answer one request, bodies included: no request carries more than one part of a file.
pub const BUCKET_REQUEST_DEADLINE: Duration = Duration::from_secs(30);
/// A request that failed is sent again so often, and not later than this after the first: a new node waits for it before it
/// fills its index without a snapshot.
pub const BUCKET_RETRIES_MAX: usize = 3;
pub const BUCKET_RETRY_WITHIN: Duration = Duration::from_secs(20);
/// Connections that nobody used for so long are closed; servers close them after longer.
pub const BUCKET_CONNECTION_IDLE_MAX: Duration = Duration::from_secs(15);
/// What is read of an answer that says no, to find its code.
pub const BUCKET_REFUSAL_BYTES_MAX: usize = 64 * 1024;
/// A longer code is no code.
pub const BUCKET_CODE_CHARS_MAX: usize = 64;
