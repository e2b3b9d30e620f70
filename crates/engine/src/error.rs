//! What can keep a question from being answered. Not found is an answer, so it is not here.

use assay_store::StoreError;

#[derive(Debug, Clone, thiserror::Error)]
pub enum EngineError {
    #[error(transparent)]
    Store(#[from] StoreError),
}
