//! The records of a file, read on a thread of their own while earlier ones are being written, with all that can be said of
//! them before their turn.

use super::unreadable;
use crate::failure::Failure;
use assay_engine::import::rows::{company_record, person_record};
use assay_engine::import::{CompanyRecord, PersonReading, RecordReader};
use assay_intake::{Batch, BatchRows, Note, Position, Reader, Reject};
use chrono::NaiveDate;
use std::path::Path;
use tokio::sync::mpsc;

/// Portions read ahead of the writer: enough that it never waits, few enough to bound the memory.
const AHEAD: usize = 2;

/// What one transaction writes.
pub struct Portion {
    pub records: Records,
    pub rejects: Vec<Reject>,
    pub notes: Vec<Note>,
    pub notes_unkept: u64,
    /// Where to go on once all of it is written.
    pub position: Position,
    /// Bytes of the file that are read by then.
    pub done_bytes: u64,
}

pub enum Records {
    People(Vec<PersonReading>),
    Companies(Vec<CompanyRecord>),
}

/// The portions still to come.
pub struct Feed(mpsc::Receiver<Result<Portion, Failure>>);

impl Feed {
    /// Reads portions of at most `rows_max` rows. A row that does not say when it was true was true `today`.
    pub fn start(
        path: &Path,
        reader: Reader,
        records: RecordReader,
        rows_max: usize,
        today: NaiveDate,
    ) -> Self {
        let (sender, receiver) = mpsc::channel(AHEAD);
        let path = path.to_owned();
        tokio::task::spawn_blocking(move || send_all(&path, reader, (rows_max, today), &records, &sender));
        Self(receiver)
    }

    pub async fn next(&mut self) -> Option<Result<Portion, Failure>> {
        self.0.recv().await
    }
}

fn send_all(
    path: &Path,
    mut reader: Reader,
    (rows_max, today): (usize, NaiveDate),
    records: &RecordReader,
    sender: &mpsc::Sender<Result<Portion, Failure>>,
) {
    loop {
        let portion = match reader.next_batch(rows_max) {
            Ok(None) => return,
            Ok(Some(batch)) => Ok(portion(batch, reader.done_bytes(), records, today)),
            Err(error) => Err(unreadable(path, &error)),
        };
        let is_last = portion.is_err();
        // Nobody waits any more when a write failed.
        if sender.blocking_send(portion).is_err() || is_last {
            return;
        }
    }
}

fn portion(batch: Batch, done_bytes: u64, reader: &RecordReader, today: NaiveDate) -> Portion {
    let Batch { rows, rejects, notes, notes_unkept, position } = batch;
    let records = match rows {
        BatchRows::People(rows) => {
            let read = |row| reader.read(person_record(row, today));
            Records::People(rows.into_iter().map(|(_, row)| read(row)).collect())
        }
        BatchRows::Companies(rows) => {
            Records::Companies(rows.into_iter().map(|(_, row)| company_record(row, today)).collect())
        }
    };
    Portion { records, rejects, notes, notes_unkept, position, done_bytes }
}
