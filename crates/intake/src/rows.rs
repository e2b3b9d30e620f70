//! What the readers of all formats have in common.

use crate::cells::Cells;
use crate::error::Error;
use crate::note::Reason;
use crate::position::Position;

/// What was found where the next row should be.
pub(crate) enum Found {
    Row,
    /// A row without a single value, as spreadsheets append them. It counts as a row and says nothing.
    Blank,
    Bad(Reason),
    End,
}

pub(crate) trait Rows: Send {
    /// Reads the next row into `cells`.
    fn next(&mut self, cells: &mut Cells) -> Result<Found, Error>;

    /// The row that was read last, as it is in the file.
    fn raw(&self, cells: &Cells) -> Vec<u8>;

    /// The number of the row that was read last.
    fn row(&self) -> u64;

    /// The line that it begins at, if the file has lines.
    fn line(&self) -> Option<u64>;

    /// Bytes of the file up to its end.
    fn byte(&self) -> u64;

    /// After the row that was read last. Costs a look at the row, so it is asked for once a batch.
    fn position(&self) -> Position;

    fn total_bytes(&self) -> u64;

    fn done_bytes(&self) -> u64;
}
