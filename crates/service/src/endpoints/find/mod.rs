//! Find: somebody in, the way to reach them out; and the way back.

mod ad_audience;
mod find_email;
mod find_personal_email;
mod find_phone;
mod multi_source_phone;
mod reverse;
mod reverse_email;
mod reverse_phone;
mod somebody;
mod telephone;

pub use ad_audience::AdAudience;
pub use find_email::FindEmail;
pub use find_personal_email::FindPersonalEmail;
pub use find_phone::FindPhone;
pub use multi_source_phone::MultiSourcePhone;
pub use reverse_email::ReverseEmail;
pub use reverse_phone::ReversePhone;
