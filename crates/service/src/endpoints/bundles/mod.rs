//! Bundles: everything about one company or one person, at one price.

mod competitive_intel;
mod founder_research;
mod recruiter_pack;
mod relationship_graph;
mod sales_deck;

pub use competitive_intel::CompetitiveIntel;
pub use founder_research::FounderResearch;
pub use recruiter_pack::RecruiterPack;
pub use relationship_graph::RelationshipGraph;
pub use sales_deck::SalesDeck;
