//! The limits of reading a file. Whatever is in it, memory stays within them.

/// One row as it is in the file: a record of a CSV file with its quotes, a line of JSON, the mapped cells of a Parquet row.
pub const ROW_BYTES_MAX: usize = 1024 * 1024;
/// What a rejected row that was too large to be kept shows of itself.
pub const RAW_BYTES_KEPT: usize = 4 * 1024;
/// A batch ends after this much of the file, however few rows it has: rows and rejects are in memory until it is written.
pub const BATCH_BYTES_MAX: u64 = 16 * 1024 * 1024;
/// What is read from the file at once.
pub const CHUNK_BYTES: usize = 256 * 1024;
/// Notes kept of a batch; the rest is only counted.
pub const NOTES_MAX: usize = 100;
pub const COLUMNS_MAX: usize = 4_096;
pub const COLUMN_NAME_CHARS_MAX: usize = 200;
/// What an error or a table shows of a column's name: a value may have got where a name should be.
pub const COLUMN_NAME_TOLD_CHARS_MAX: usize = 40;
pub const MAPPING_BYTES_MAX: usize = 1024 * 1024;

// JSON lines have no header: it is made from the first ones.
pub const SAMPLE_ROWS_MAX: u64 = 10_000;
pub const SAMPLE_BYTES_MAX: u64 = 16 * 1024 * 1024;

// Parquet.
/// Rows decoded at once: at most so many, and fewer where rows are large.
pub const DECODED_ROWS_MAX: usize = 1_024;
pub const DECODED_BYTES_GOAL: u64 = 8 * 1024 * 1024;
pub const SCHEMA_DEPTH_MAX: usize = 32;
/// Cells of one row, the entries of its lists counted one by one.
pub const CELLS_PER_ROW_MAX: usize = 100_000;

// Values.
pub use assay_domain::limits::NAME_CHARS_MAX;
pub const EXTERNAL_REF_CHARS_MAX: usize = 200;
pub const HEADLINE_CHARS_MAX: usize = 500;
pub const TITLE_CHARS_MAX: usize = 300;
pub const PLACE_CHARS_MAX: usize = 120;
pub const SCHOOL_CHARS_MAX: usize = 200;
pub const DESCRIPTION_CHARS_MAX: usize = 5_000;
pub const REVENUE_CHARS_MAX: usize = 60;
/// One skill, keyword, technology or certification.
pub const TERM_CHARS_MAX: usize = 120;
pub const TERMS_MAX: usize = 100;
pub const EMAILS_MAX: usize = 20;
pub const PHONES_MAX: usize = 20;
pub const DOMAINS_MAX: usize = 50;
pub const LANGUAGES_MAX: usize = 30;
/// Employments, and entries of education.
pub const ENTRIES_MAX: usize = 50;
pub const FOUNDED_YEAR_MIN: i32 = 500;
pub const YEAR_MIN: i32 = 1900;
pub const YEAR_MAX: i32 = 2100;
