//! The ledger side against a real PostgreSQL.

#[cfg(test)]
mod support;

#[cfg(test)]
mod ledger {
    mod ahead;
    mod grants;
    mod history;
    mod keys;
    mod money;
    mod privacy;
    mod rates;
    mod remembered;
    mod webhooks;
}
