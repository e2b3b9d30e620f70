//! What can go wrong with an index.

use std::path::PathBuf;

#[derive(Debug, thiserror::Error)]
pub enum IndexError {
    #[error("the index failed: {0}")]
    Engine(#[from] tantivy::TantivyError),
    #[error("the index cannot be read or written: {0}")]
    Io(#[from] std::io::Error),
    /// Made by another version, or not by us: it is built anew.
    #[error("{} holds no index that this version can read: {why}", path.display())]
    Unreadable { path: PathBuf, why: String },
}
