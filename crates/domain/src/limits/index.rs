//! What bounds a node's index: following the log, filling it, keeping it and its snapshots.

use std::time::Duration;

/// How long a node without news waits before it looks for changes; the longest that search is behind when nothing else is.
pub const INDEX_FOLLOW_IDLE: Duration = Duration::from_millis(400);
/// After a turn that failed for another reason than the database: a full disk does not become empty by asking.
pub const INDEX_RETRY: Duration = Duration::from_secs(5);
/// So often a filled index looks whether all changes committed meanwhile have their number, a sequencer's pause apart.
pub const INDEX_SETTLE_LOOKS_MAX: u32 = 100;
/// So long an index waits before it is filled while changes wait for their numbers and none gets one: longer than the lease
/// of a node that gave them and is gone.
pub const INDEX_NUMBERING_PATIENCE: Duration = Duration::from_secs(20);
/// So long a page waits for a node that has read less of the log than the one that answered the page before, and so often
/// it looks.
pub const INDEX_CATCH_UP_MAX: Duration = Duration::from_secs(2);
pub const INDEX_CATCH_UP_LOOK: Duration = Duration::from_millis(20);
/// What a caller is told to wait while a node fills its index.
pub const INDEX_FILLING_RETRY_SECONDS: u32 = 5;
pub const INDEX_PARTITIONS_MAX: u32 = 64;
/// Changes an index takes in at once.
pub const INDEX_FOLLOW_BATCH: i64 = 2_000;
/// Records read at once, when an index is filled and however many a change concerns.
pub const INDEX_READ_BATCH: u16 = 5_000;
/// Of the last changes before an index was filled it is known which were when; a cursor from before them has expired.
pub const INDEX_CHANGES_KNOWN: i64 = 200_000;
/// Files of an index from this size on are on the disk before they are used; smaller ones get there when the system writes them.
pub const INDEX_FILE_WAITED_FOR_BYTES: u64 = 1024 * 1024;
/// So often an index is kept as it stands for a machine that fails, and so old is what it then goes on from.
pub const INDEX_KEEP_EVERY: Duration = Duration::from_mins(1);
/// People of one company looked up at once when the company has changed.
pub const INDEX_COLLEAGUES_BATCH: usize = 2_000;
/// Snapshots kept: the newest, and one that a node may be in the middle of reading.
pub const INDEX_SNAPSHOTS_KEPT: usize = 2;
/// How old the newest snapshot may be before a node makes another, and how often nodes look.
pub const INDEX_SNAPSHOT_EVERY: Duration = Duration::from_hours(1);
pub const INDEX_SNAPSHOT_LOOK: Duration = Duration::from_mins(1);
/// Terms that one of so many documents has are kept, in segments with so many documents, and in so much memory for each
/// partition: at ten million people in two partitions one such term takes 600 KB at most, and most take a quarter of it.
pub const INDEX_COMMON_SHARE: u32 = 1024;
pub const INDEX_COMMON_DOCUMENTS_MIN: u32 = 50_000;
pub const INDEX_COMMON_BYTES_MAX: usize = 128 * 1024 * 1024;
/// A snapshot is copied no faster, and in parts of so many bytes, each of which reaches the disk before the next: a gigabyte at once
/// would keep every commit on that disk waiting. S3 takes parts of 5 MiB or more, and 10,000 of one file.
pub const INDEX_COPY_BYTES_PER_SECOND: u64 = 64 * 1024 * 1024;
pub const INDEX_COPY_PART_BYTES: u64 = 8 * 1024 * 1024;
