//! What can go wrong between us and PostgreSQL.

use std::sync::Arc;

/// A storage failure. Cheap to clone, because one failed batch answers many callers.
#[derive(Debug, Clone, thiserror::Error)]
pub enum StoreError {
    #[error("the database is not available")]
    Unavailable(#[source] Arc<sqlx::Error>),
    /// A named constraint refused the write.
    #[error("the constraint {0} refused the write")]
    Conflict(String),
    #[error("a stored row does not read back: {0}")]
    Corrupt(String),
    #[error("too much work is waiting for the database")]
    Overloaded,
    #[error("the database schema is not the one this program needs: {0}")]
    Schema(String),
}

impl From<sqlx::Error> for StoreError {
    fn from(error: sqlx::Error) -> Self {
        if let sqlx::Error::Database(database) = &error
            && let Some(constraint) = database.constraint()
        {
            return Self::Conflict(constraint.to_owned());
        }
        match error {
            sqlx::Error::ColumnDecode { .. } | sqlx::Error::Decode(_) | sqlx::Error::ColumnNotFound(_) => {
                Self::Corrupt(error.to_string())
            }
            other => Self::Unavailable(Arc::new(other)),
        }
    }
}

impl From<sqlx::migrate::MigrateError> for StoreError {
    fn from(error: sqlx::migrate::MigrateError) -> Self {
        Self::Schema(error.to_string())
    }
}
