//! Floor 0: the words of the service. Records, identifiers, taxonomies, credits, prices and limits; no I/O, no async.

pub mod api_key;
pub mod clock;
pub mod company;
pub mod confidence;
pub mod content_hash;
pub mod country;
pub mod credits;
pub mod email;
pub mod identity;
pub mod ids;
pub mod ip_range;
pub mod keyed_hash;
pub mod limits;
pub mod lookup;
mod masked;
pub mod name;
pub mod network_url;
pub mod parse_error;
pub mod person;
pub mod phone;
pub mod plan;
pub mod price;
pub mod provenance;
mod public_address;
pub mod rate;
pub mod seal;
pub mod signal;
pub mod similarity;
pub mod site;
pub mod suppression;
pub mod taxonomy;
pub mod title;
pub mod token_bucket;
pub mod watch;

pub use clock::Clock;
pub use company::Company;
pub use confidence::Confidence;
pub use credits::Credits;
pub use email::Email;
pub use identity::{Digest, IdentityKey, MasterKey};
pub use ids::{
    AccountId, BulkId, CompanyId, DeliveryId, HoldId, IcpId, JobId, KeyId, LotId, OrganisationId, PersonId,
    RequestId, SignalId, SuppressionId, UserId, WatchListId, WebhookId,
};
pub use ip_range::IpRange;
pub use lookup::Lookup;
pub use name::PersonName;
pub use network_url::{NetworkHosts, NetworkUrl};
pub use parse_error::ParseError;
pub use person::Person;
pub use phone::Phone;
pub use plan::Plan;
pub use price::Price;
pub use provenance::Provenance;
pub use public_address::{judge_address, why_not_public};
pub use seal::{SealError, Sealed, Sealer};
pub use signal::{Notice, Signal, SignalKind};
pub use similarity::Similarity;
pub use site::Domain;
pub use suppression::ListHash;
