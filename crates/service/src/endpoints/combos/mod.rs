//! Combos: several questions behind one call, one answer.

mod congrats_trigger;
mod find_similar_people;
mod job_change_radar;
mod lookalike_accounts;
mod low_competition_hires;
mod moves;
mod recent;
mod similarity;

pub use congrats_trigger::CongratsTrigger;
pub use find_similar_people::FindSimilarPeople;
pub use job_change_radar::JobChangeRadar;
pub use lookalike_accounts::LookalikeAccounts;
pub use low_competition_hires::LowCompetitionHires;
