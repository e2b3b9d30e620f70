//! Request rates as pure functions of time: what was admitted in the last minute, here and on other nodes.

mod tally;
mod window;

pub use tally::Tally;
pub use window::{Allowance, Heard, Told, Verdict, Window, slack};

/// The seconds of every rate: `q` requests in any 60 of them.
pub const WINDOW_SECONDS: u32 = 60;
/// The longest wait a node that is alone tells: a minute and what was left of the slot, in whole seconds. Beside others it
/// may be longer, by how far their clocks are ahead and by what they claimed last.
pub const WAIT_SECONDS_MAX: u32 = WINDOW_SECONDS + 1;
/// Requests are counted by quarters of a second. Finer counts would give back a little more of the quota (a whole slot
/// is kept until its last instant is a minute ago) for more memory.
pub const SLOT_MS: i64 = 250;
/// The slot that is running and all that began within the minute before it.
pub const SLOTS: usize = 241;

/// The slot that holds an instant.
pub fn slot_of(now_ms: i64) -> i64 {
    now_ms.div_euclid(SLOT_MS)
}
