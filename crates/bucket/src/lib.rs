//! Floor 1: a bucket of an object store that speaks S3. It is set up by the variables that other programs know it by (`AWS_…`), and asked
//! over our own client, so that certificates, deadlines and what is told of a failure are ours.

mod address;
mod client;
mod open;

pub use address::BucketAddress;
pub use open::{BucketError, open};
