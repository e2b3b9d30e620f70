//! Combos: several questions behind one call, one answer.

mod buying_committee;
mod champion_just_moved;
mod congrats_trigger;
mod find_decision_maker;
mod find_similar_people;
mod funded_and_hiring;
mod funding_radar;
mod hiring_intent;
mod job_change_radar;
mod lookalike_accounts;
mod low_competition_hires;
mod moves;
mod prospect_package;
mod tech_stack_targets;

pub use buying_committee::BuyingCommittee;
pub use champion_just_moved::ChampionJustMoved;
pub use congrats_trigger::CongratsTrigger;
pub use find_decision_maker::FindDecisionMaker;
pub use find_similar_people::{FindSimilarPeople, SimilarPerson};
pub use funded_and_hiring::FundedAndHiring;
pub use funding_radar::FundingRadar;
pub use hiring_intent::HiringIntent;
pub use job_change_radar::JobChangeRadar;
pub use lookalike_accounts::{LookalikeAccount, LookalikeAccounts};
pub use low_competition_hires::LowCompetitionHires;
pub use prospect_package::ProspectPackage;
pub use tech_stack_targets::TechStackTargets;
