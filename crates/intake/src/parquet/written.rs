//! Values of Parquet columns as the text that a CSV file would have for them.

use std::io::Write;

use chrono::{DateTime, Days, NaiveDate};
use parquet::basic::{ConvertedType, LogicalType, TimeUnit};
use parquet::data_type::{ByteArray, FixedLenByteArray, Int96};
use parquet::schema::types::ColumnDescriptor;

use crate::limits::ROW_BYTES_MAX;

/// What the values of a column mean beyond their physical type.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Form {
    Plain,
    /// Days since 1970.
    Date,
    /// So many to a second, since 1970.
    Timestamp(i64),
    /// So many digits behind the point.
    Decimal(usize),
    Unsigned,
    Uuid,
    /// Nothing that has a text.
    Silent,
}

impl Form {
    pub(super) fn of(column: &ColumnDescriptor) -> Self {
        let of_logical = column.logical_type_ref().and_then(|logical| match logical {
            LogicalType::Date => Some(Self::Date),
            LogicalType::Timestamp(timestamp) => Some(Self::Timestamp(match timestamp.unit {
                TimeUnit::MILLIS => 1_000,
                TimeUnit::MICROS => 1_000_000,
                TimeUnit::NANOS => 1_000_000_000,
            })),
            LogicalType::Decimal(decimal) => Some(Self::decimal(decimal.scale)),
            LogicalType::Integer(integer) if !integer.is_signed => Some(Self::Unsigned),
            LogicalType::Uuid => Some(Self::Uuid),
            LogicalType::Bson | LogicalType::Float16 | LogicalType::Unknown => Some(Self::Silent),
            _ => None,
        });
        of_logical.unwrap_or_else(|| match column.converted_type() {
            ConvertedType::DATE => Self::Date,
            ConvertedType::TIMESTAMP_MILLIS => Self::Timestamp(1_000),
            ConvertedType::TIMESTAMP_MICROS => Self::Timestamp(1_000_000),
            ConvertedType::DECIMAL => Self::decimal(column.type_scale()),
            ConvertedType::UINT_8
            | ConvertedType::UINT_16
            | ConvertedType::UINT_32
            | ConvertedType::UINT_64 => Self::Unsigned,
            ConvertedType::BSON | ConvertedType::INTERVAL => Self::Silent,
            _ => Self::Plain,
        })
    }

    /// More digits than any number has are a broken file.
    fn decimal(scale: i32) -> Self {
        usize::try_from(scale)
            .ok()
            .filter(|scale| *scale <= DECIMAL_DIGITS_MAX)
            .map_or(Self::Silent, Self::Decimal)
    }
}

/// Of a number of 16 bytes.
const DECIMAL_DIGITS_MAX: usize = 38;

/// A value that can be written as text.
pub(super) trait Written {
    fn write(&self, form: &Form, out: &mut Vec<u8>);
}

/// Writing to memory does not fail.
fn put(out: &mut Vec<u8>, text: std::fmt::Arguments<'_>) {
    out.write_fmt(text).unwrap_or_default();
}

fn put_decimal(out: &mut Vec<u8>, value: i128, scale: usize) {
    let sign = if value < 0 { "-" } else { "" };
    let digits = format!("{:0width$}", value.unsigned_abs(), width = scale + 1);
    let (whole, part) = digits.split_at_checked(digits.len() - scale).unwrap_or((&digits, ""));
    if part.is_empty() {
        put(out, format_args!("{sign}{whole}"));
    } else {
        put(out, format_args!("{sign}{whole}.{part}"));
    }
}

fn put_time(out: &mut Vec<u8>, seconds: i64) {
    if let Some(at) = DateTime::from_timestamp(seconds, 0) {
        put(out, format_args!("{}T{}Z", at.date_naive(), at.time()));
    }
}

fn put_bytes(out: &mut Vec<u8>, bytes: &[u8], form: &Form) {
    match form {
        Form::Silent => {}
        Form::Decimal(scale) => {
            if let Some(value) = read_big_endian(bytes) {
                put_decimal(out, value, *scale);
            }
        }
        Form::Uuid if bytes.len() == 16 => {
            for (index, byte) in bytes.iter().enumerate() {
                let dash = if matches!(index, 4 | 6 | 8 | 10) { "-" } else { "" };
                put(out, format_args!("{dash}{byte:02x}"));
            }
        }
        // One byte more than a row may have is enough for it to be refused.
        _ => out.extend_from_slice(bytes.get(..=ROW_BYTES_MAX).unwrap_or(bytes)),
    }
}

fn read_big_endian(bytes: &[u8]) -> Option<i128> {
    let first = *bytes.first()?;
    let mut whole = [if first >= 0x80 { 0xff } else { 0 }; 16];
    let begin = whole.len().checked_sub(bytes.len())?;
    whole.get_mut(begin..)?.copy_from_slice(bytes);
    Some(i128::from_be_bytes(whole))
}

impl Written for bool {
    fn write(&self, _form: &Form, out: &mut Vec<u8>) {
        put(out, format_args!("{self}"));
    }
}

impl Written for i32 {
    fn write(&self, form: &Form, out: &mut Vec<u8>) {
        match form {
            Form::Date => {
                let days = Days::new(u64::from(self.unsigned_abs()));
                let epoch = NaiveDate::default();
                let day = if *self < 0 { epoch.checked_sub_days(days) } else { epoch.checked_add_days(days) };
                if let Some(day) = day {
                    put(out, format_args!("{day}"));
                }
            }
            Form::Decimal(scale) => put_decimal(out, i128::from(*self), *scale),
            Form::Unsigned => put(out, format_args!("{}", self.cast_unsigned())),
            _ => put(out, format_args!("{self}")),
        }
    }
}

impl Written for i64 {
    fn write(&self, form: &Form, out: &mut Vec<u8>) {
        match form {
            Form::Timestamp(per_second) => put_time(out, self.div_euclid(*per_second)),
            Form::Decimal(scale) => put_decimal(out, i128::from(*self), *scale),
            Form::Unsigned => put(out, format_args!("{}", self.cast_unsigned())),
            _ => put(out, format_args!("{self}")),
        }
    }
}

impl Written for Int96 {
    fn write(&self, _form: &Form, out: &mut Vec<u8>) {
        put_time(out, self.to_seconds());
    }
}

impl Written for f32 {
    fn write(&self, _form: &Form, out: &mut Vec<u8>) {
        if self.is_finite() {
            put(out, format_args!("{self}"));
        }
    }
}

impl Written for f64 {
    fn write(&self, _form: &Form, out: &mut Vec<u8>) {
        if self.is_finite() {
            put(out, format_args!("{self}"));
        }
    }
}

impl Written for ByteArray {
    fn write(&self, form: &Form, out: &mut Vec<u8>) {
        put_bytes(out, self.data(), form);
    }
}

impl Written for FixedLenByteArray {
    fn write(&self, form: &Form, out: &mut Vec<u8>) {
        put_bytes(out, self.data(), form);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text<T: Written>(value: T, form: Form) -> String {
        let mut out = Vec::new();
        value.write(&form, &mut out);
        String::from_utf8(out).unwrap()
    }

    #[test]
    fn values_are_written_as_a_person_would() {
        assert_eq!(text(true, Form::Plain), "true");
        assert_eq!(text(-7, Form::Plain), "-7");
        assert_eq!(text(-7, Form::Unsigned), "4294967289");
        assert_eq!(text(18_292, Form::Date), "2020-01-31");
        assert_eq!(text(-1, Form::Date), "1969-12-31");
        assert_eq!(text(i32::MIN, Form::Date), "");
        assert_eq!(text(1_580_428_800_123_i64, Form::Timestamp(1_000)), "2020-01-31T00:00:00Z");
        assert_eq!(text(-1_i64, Form::Timestamp(1_000_000)), "1969-12-31T23:59:59Z");
        assert_eq!(text(i64::MAX, Form::Timestamp(1_000)), "");
        assert_eq!(text(12_345, Form::Decimal(2)), "123.45");
        assert_eq!(text(-5_i64, Form::Decimal(2)), "-0.05");
        assert_eq!(text(1_200.0_f64, Form::Plain), "1200");
        assert_eq!(text(f64::NAN, Form::Plain), "");
        assert_eq!(text(ByteArray::from(vec![0xff, 0xfe]), Form::Decimal(0)), "-2");
        assert_eq!(text(ByteArray::from("Jane"), Form::Plain), "Jane");
        let id = FixedLenByteArray::from(ByteArray::from((0..16).collect::<Vec<u8>>()));
        assert_eq!(text(id, Form::Uuid), "00010203-0405-0607-0809-0a0b0c0d0e0f");
    }
}
