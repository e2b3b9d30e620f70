//! The vendors the program knows by itself: a file, a fixture folder and a line of the table each.

mod apollo;
mod findymail;
mod hunter;
mod leadmagic;
mod pdl;
mod prospeo;
mod twilio;

use crate::Vendor;
use std::sync::Arc;

/// Every built-in vendor.
pub fn all() -> Vec<Arc<dyn Vendor>> {
    vec![
        Arc::new(apollo::Apollo),
        Arc::new(findymail::Findymail),
        Arc::new(hunter::Hunter),
        Arc::new(leadmagic::Leadmagic),
        Arc::new(pdl::Pdl),
        Arc::new(prospeo::Prospeo),
        Arc::new(twilio::Twilio),
    ]
}
