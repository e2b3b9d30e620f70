//! Rows in PostgreSQL's binary COPY format: the fastest way in for rows that cannot collide with others.

use crate::StoreError;
use chrono::{DateTime, Datelike, NaiveDate, Utc};
use sqlx::postgres::PgConnection;
use uuid::Uuid;

const HEADER: &[u8] = b"PGCOPY\n\xff\r\n\0\0\0\0\0\0\0\0\0";
const TRAILER: [u8; 2] = (-1_i16).to_be_bytes();
const NULL: [u8; 4] = (-1_i32).to_be_bytes();
/// PostgreSQL counts days from 2000-01-01, chrono from the first day of our era.
const POSTGRES_EPOCH_DAYS: i32 = 730_120;
/// And microseconds from the same day, where Unix counts from 1970.
const POSTGRES_EPOCH_MICROS: i64 = 946_684_800_000_000;

/// Rows on their way to one COPY statement.
pub(super) struct CopyRows {
    statement: &'static str,
    bytes: Vec<u8>,
}

impl CopyRows {
    /// `statement` must end in `from stdin (format binary)`.
    pub(super) fn new(statement: &'static str) -> Self {
        Self { statement, bytes: HEADER.to_vec() }
    }

    /// Starts a row; as many values must follow.
    pub(super) fn row(&mut self, values: i16) -> &mut Self {
        self.bytes.extend_from_slice(&values.to_be_bytes());
        self
    }

    pub(super) fn bytes(&mut self, value: &[u8]) -> &mut Self {
        // A value beyond 2 GB is far over the server's own limit, which then refuses the statement.
        self.bytes.extend_from_slice(&i32::try_from(value.len()).unwrap_or(i32::MAX).to_be_bytes());
        self.bytes.extend_from_slice(value);
        self
    }

    pub(super) fn text(&mut self, value: &str) -> &mut Self {
        self.bytes(value.as_bytes())
    }

    pub(super) fn uuid(&mut self, value: Uuid) -> &mut Self {
        self.bytes(value.as_bytes())
    }

    pub(super) fn smallint(&mut self, value: i16) -> &mut Self {
        self.bytes(&value.to_be_bytes())
    }

    pub(super) fn bigint(&mut self, value: i64) -> &mut Self {
        self.bytes(&value.to_be_bytes())
    }

    pub(super) fn date(&mut self, value: NaiveDate) -> &mut Self {
        self.bytes(&value.num_days_from_ce().saturating_sub(POSTGRES_EPOCH_DAYS).to_be_bytes())
    }

    pub(super) fn timestamp(&mut self, value: DateTime<Utc>) -> &mut Self {
        self.bigint(value.timestamp_micros().saturating_sub(POSTGRES_EPOCH_MICROS))
    }

    pub(super) fn maybe<T>(&mut self, value: Option<T>, write: fn(&mut Self, T) -> &mut Self) -> &mut Self {
        match value {
            Some(value) => write(self, value),
            None => {
                self.bytes.extend_from_slice(&NULL);
                self
            }
        }
    }

    /// Sends the rows; without any, nothing is sent.
    pub(super) async fn send(mut self, connection: &mut PgConnection) -> Result<(), StoreError> {
        if self.bytes.len() == HEADER.len() {
            return Ok(());
        }
        self.bytes.extend_from_slice(&TRAILER);
        let mut copy = connection.copy_in_raw(self.statement).await?;
        copy.send(self.bytes).await?;
        copy.finish().await?;
        Ok(())
    }
}
