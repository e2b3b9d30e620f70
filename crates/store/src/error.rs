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
                Self::Corrupt(place(&error))
            }
            other => Self::Unavailable(Arc::new(other)),
        }
    }
}

/// Where reading stopped. What stood there is not told: a decoder's own message quotes it, and it may be personal data.
fn place(error: &sqlx::Error) -> String {
    match error {
        sqlx::Error::ColumnDecode { index, source } => match source.downcast_ref::<serde_json::Error>() {
            Some(json) => format!("column {index}, at line {} column {} of it", json.line(), json.column()),
            None => format!("column {index}"),
        },
        sqlx::Error::ColumnNotFound(name) => format!("there is no column {name}"),
        _ => "a value".to_owned(),
    }
}

impl From<sqlx::migrate::MigrateError> for StoreError {
    fn from(error: sqlx::migrate::MigrateError) -> Self {
        Self::Schema(error.to_string())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_does_not_read_back_is_told_by_its_place_alone() {
        let json = serde_json::from_str::<Vec<u8>>("\"secret\"").unwrap_err();
        assert!(json.to_string().contains("secret"));
        let error = sqlx::Error::ColumnDecode { index: "4".into(), source: Box::new(json) };
        let told = StoreError::from(error).to_string();
        assert_eq!(told, "a stored row does not read back: column 4, at line 1 column 8 of it");
        let told = StoreError::from(sqlx::Error::Decode("secret".into())).to_string();
        assert_eq!(told, "a stored row does not read back: a value");
    }
}
