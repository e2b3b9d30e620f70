//! The ledger side against a real PostgreSQL.

#[cfg(test)]
mod support;

#[cfg(test)]
mod ledger {
    mod money;
}
