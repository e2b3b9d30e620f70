//! The graph side against a real PostgreSQL.

#[cfg(test)]
mod support;

#[cfg(test)]
mod graph {
    mod log;
    mod people;
    mod read;
    mod suppression;
    mod write;
}
