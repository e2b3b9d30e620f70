//! Starts the processes tests and bars need: PostgreSQL servers, databases, the service itself. Never shipped.

mod binaries;
mod child_server;
mod clock;
mod debian;
pub mod mail;
mod ports;
mod postgres;
mod processes;
mod psql;
pub mod public_hosts;
mod root;
mod shared;
mod template;
pub mod vendor;

pub use child_server::ChildServer;
pub use clock::{Deadline, Stopwatch};
pub use debian::install_packages;
pub use ports::free_port;
pub use postgres::{Postgres, PostgresOptions};
pub use psql::psql;
pub use root::workspace_root;
pub use shared::{SharedPostgres, shared};
pub use template::TestDatabase;
