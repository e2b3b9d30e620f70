//! A place in a file between two rows, at which reading can go on.

use std::fmt;
use std::str::FromStr;

use crate::error::Error;

/// Written as `rows:lines:bytes`. What is read through and what is read from here on are the rows of the whole file.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct Position {
    /// Rows before this place, read or rejected; the next one has this number plus one.
    pub rows: u64,
    /// Lines before it, by which rows are told. Zero in a Parquet file, which has none.
    pub lines: u64,
    /// Bytes before it, counted after unpacking. Zero in a Parquet file, whose rows have no place of their own.
    pub bytes: u64,
}

impl Position {
    pub const START: Self = Self { rows: 0, lines: 0, bytes: 0 };
}

impl fmt::Display for Position {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "{}:{}:{}", self.rows, self.lines, self.bytes)
    }
}

impl FromStr for Position {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self, Error> {
        let read =
            |part: &str| part.bytes().all(|byte| byte.is_ascii_digit()).then(|| part.parse().ok()).flatten();
        let numbers: Option<Vec<u64>> = text.split(':').map(read).collect();
        match numbers.as_deref() {
            Some(&[rows, lines, bytes]) => Ok(Self { rows, lines, bytes }),
            _ => Err(Error::PositionUnreadable),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn a_position_reads_back_as_itself(rows: u64, lines: u64, bytes: u64) {
            let position = Position { rows, lines, bytes };
            prop_assert_eq!(position.to_string().parse::<Position>().unwrap(), position);
        }
    }

    #[test]
    fn what_is_no_position_is_refused() {
        for text in [
            "",
            ":",
            "1",
            "1:1",
            "1:1:",
            "::1",
            "1:1:-1",
            "+1:1:1",
            "1:1:1:1",
            "1:1:18446744073709551616",
            " 1:1:1",
        ] {
            assert!(matches!(text.parse::<Position>(), Err(Error::PositionUnreadable)), "{text}");
        }
    }
}
