//! What research workflows are made of, as far as records alone decide it: whom a role means, who fits it best, who belongs to
//! a committee, who worked with whom, and what there is to say to somebody.

mod buyer;
mod committee;
mod coworkers;
mod hooks;
mod role;

pub use buyer::{Buyer, rank_buyers};
pub use committee::{DealType, Seat, Wanted, committee_of, small_committee};
pub use coworkers::{Overlap, overlaps};
pub use hooks::{Occasion, hooks};
pub use role::{Role, Tier};
