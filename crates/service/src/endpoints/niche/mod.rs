//! Niche combos: research workflows for one trade or one moment.

mod buyer_budget_window;
mod competitor_talent_leaving;
mod funded_and_using_tech;
mod hiring_velocity;
mod just_acquired_buyers;
mod just_funded_smb_leaders;
mod local_business_owners;
mod local_service_by_revenue;
mod quiet_power_users;
mod silent_promoter_radar;
mod smb_buying_committee;

pub use buyer_budget_window::BuyerBudgetWindow;
pub use competitor_talent_leaving::CompetitorTalentLeaving;
pub use funded_and_using_tech::FundedAndUsingTech;
pub use hiring_velocity::HiringVelocity;
pub use just_acquired_buyers::JustAcquiredBuyers;
pub use just_funded_smb_leaders::JustFundedSmbLeaders;
pub use local_business_owners::LocalBusinessOwners;
pub use local_service_by_revenue::LocalServiceByRevenue;
pub use quiet_power_users::QuietPowerUsers;
pub use silent_promoter_radar::SilentPromoterRadar;
pub use smb_buying_committee::SmbBuyingCommittee;
