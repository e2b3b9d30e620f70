//! One file an endpoint. Each answers; none knows HTTP, keys or money.

pub mod account;
pub mod bulk;
pub mod bundles;
pub mod combos;
pub mod find;
pub mod icps;
pub mod keys;
pub mod lists;
pub mod niche;
pub mod operator;
pub mod resolve;
pub mod search;
pub mod signals;
pub mod webhooks;
