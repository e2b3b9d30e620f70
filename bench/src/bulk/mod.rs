//! What the bars about bulk jobs share: orders whose end is known beforehand, and the calls that submit and read them.

mod desk;
mod order;

pub use desk::{JobView, ResultView, read_job, read_results, submit, wait_finished};
pub use order::{Order, compare};
