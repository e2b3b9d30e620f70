//! Why a file cannot be read, or a mapping not be used. No text holds a value of the file: an error may be logged.

use std::io;

use crate::nearest::meant;

/// What goes wrong with a file as a whole. What is wrong with one row or value is a [`crate::Reject`] or a [`crate::Note`].
#[derive(Debug, thiserror::Error)]
pub enum Error {
    #[error("the file cannot be opened: {0}")]
    Open(#[source] io::Error),
    #[error("the file cannot be read: {0}")]
    Read(#[source] io::Error),
    #[error("the format cannot be told from the file's name: name one of csv, jsonl and parquet")]
    FormatUnknown,
    #[error("the file has no rows and no header")]
    Empty,
    #[error("the file is in utf-16: save it as utf-8")]
    Utf16,
    #[error("the header is not utf-8: save the file as utf-8, or set encoding = \"latin-1\" in the mapping")]
    HeaderNotUtf8,
    #[error("the header is larger than {0} bytes, or a quote in it is never closed")]
    HeaderTooLarge(usize),
    #[error(
        "the first row is no header, since it holds an email address: add a row with the names of the columns"
    )]
    HeaderMissing,
    #[error("there are more than {0} columns")]
    TooManyColumns(usize),
    #[error("the file is one json array: write one object a line")]
    JsonArray,
    #[error("the parquet file cannot be read: {0}")]
    Parquet(String),
    #[error("the position is not of the form rows:lines:bytes")]
    PositionUnreadable,
    #[error("the position is past the end of the file")]
    PositionPastEnd,
    #[error("the position cannot be one of this file, which has rows without a place of their own")]
    PositionOfOtherFormat,
    #[error("the mapping cannot be read: {0}")]
    MappingUnreadable(String),
    #[error("a mapping has one table, [people] or [companies]")]
    MappingTables,
    #[error("unknown key `{key}` in the mapping{}", meant(nearest.as_deref()))]
    UnknownKey { key: String, nearest: Option<String> },
    #[error("`{key}` in the mapping {problem}")]
    BadSetting { key: &'static str, problem: &'static str },
    #[error("there is no column `{column}`, which the mapping names for `{key}`{}", meant(nearest.as_deref()))]
    UnknownColumn { key: &'static str, column: String, nearest: Option<String> },
    #[error("column `{column}` is both mapped and ignored")]
    MappedAndIgnored { column: String },
    #[error("the mapping names no column that tells whom a row is about: every row would be rejected")]
    NobodyNamed,
}
