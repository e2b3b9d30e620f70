//! The bars of the email verifier, against mail servers on loopback addresses.

pub mod matrix;
