//! Signals: what many sources say of one event becomes one signal, and the feed shows each of its revisions once.

mod decide;
mod fuse;
mod group;
mod keys;
mod learnt;
mod money;
mod party;
mod recent;
mod same;
mod seed;
mod take;
mod unmatched;
mod watching;

pub use fuse::Fused;
pub use learnt::Learning;
pub use recent::{Recent, is_open, rank_of};
pub use seed::personalization_seed;
pub use take::{Told, signal_of};
pub use watching::{Happened, Watched};

pub use assay_store::graph::{
    FeedFilter, FeedHead, FeedPage, FeedRow, FeedStart, Moment, Part, RecentFilter,
};

#[cfg(test)]
mod tests;
