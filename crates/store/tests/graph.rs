//! The graph side against a real PostgreSQL.

#[cfg(test)]
mod support;

#[cfg(test)]
mod graph {
    mod log;
    mod people;
    mod read;
    mod recent;
    mod signals;
    mod suppression;
    mod write;
}
