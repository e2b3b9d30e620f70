//! A mapping as a TOML file that a person can edit.

use std::fmt::Write;

use toml::{Table, Value};

use super::Mapping;
use crate::error::Error;
use crate::external_ref;
use crate::field::{CompanyField, Field, Kind, PersonField};
use crate::header::{Headers, told_name};
use crate::limits::{COLUMN_NAME_CHARS_MAX, COLUMNS_MAX, MAPPING_BYTES_MAX};
use crate::nearest::nearest;
use crate::value::country::CountryCode;
use crate::value::date::is_format;

const IGNORE: &str = "ignore";
const DATE_FORMAT: &str = "date_format";
const DELIMITER: &str = "delimiter";
const ENCODING: &str = "encoding";
const COUNTRY_DEFAULT: &str = "country_default";
const SETTINGS: [&str; 5] = [IGNORE, DATE_FORMAT, DELIMITER, ENCODING, COUNTRY_DEFAULT];
const HEAD: &str = "\
# Which column feeds which field. A field with several columns takes all of their values if it is a list, else the first
# that is readable; of employment_ and education_ fields, the first columns together are one entry, the second another.
# Columns of nested files are paths: experience.company.name.
";

impl Mapping {
    /// Reads a file with one table, `[people]` or `[companies]`.
    pub fn from_toml(text: &str) -> Result<Self, Error> {
        if text.len() > MAPPING_BYTES_MAX {
            return Err(Error::MappingUnreadable(format!("it is larger than {MAPPING_BYTES_MAX} bytes")));
        }
        let tables: Table = text.parse().map_err(|error| unreadable(text, &error))?;
        let mut tables = tables.into_iter();
        let (Some((name, table)), None) = (tables.next(), tables.next()) else {
            return Err(Error::MappingTables);
        };
        let kind = Kind::ALL.into_iter().find(|kind| kind.as_str() == name).ok_or(Error::MappingTables)?;
        let Value::Table(table) = table else {
            return Err(Error::MappingTables);
        };
        let mut mapping = Self::empty(kind);
        for (key, value) in table {
            mapping.set(&key, &value)?;
        }
        Ok(mapping)
    }

    fn set(&mut self, key: &str, value: &Value) -> Result<(), Error> {
        match key {
            IGNORE => self.ignore = read_columns(IGNORE, value)?,
            DATE_FORMAT => {
                let format = value.as_str().filter(|format| is_format(format));
                self.date_format =
                    Some(format.ok_or(bad(DATE_FORMAT, "is no form of a date such as %d/%m/%Y"))?.to_owned());
            }
            DELIMITER => {
                let delimiter = value.as_str().and_then(read_delimiter);
                self.delimiter = Some(delimiter.ok_or(bad(DELIMITER, "is no single sign such as ; or tab"))?);
            }
            ENCODING => {
                let encoding = value.as_str().and_then(|text| text.parse().ok());
                self.encoding = encoding.ok_or(bad(ENCODING, "is neither utf-8 nor latin-1"))?;
            }
            COUNTRY_DEFAULT => {
                let country = value.as_str().and_then(|text| CountryCode::parse(text).ok());
                self.country_default = Some(country.ok_or(bad(COUNTRY_DEFAULT, "is no known country"))?);
            }
            _ => {
                let field = Field::find(self.kind, key).ok_or_else(|| self.unknown(key))?;
                let columns = read_columns(field.name(), value)?;
                if !columns.is_empty() {
                    self.columns.insert(field, columns);
                }
            }
        }
        Ok(())
    }

    fn unknown(&self, key: &str) -> Error {
        let known = Field::all(self.kind).map(Field::name).chain(SETTINGS);
        Error::UnknownKey { key: told_name(key), nearest: nearest(key, known) }
    }

    /// Writes a file that reads back as this mapping, for a person to look at and edit. Fields without a column and, of
    /// the columns of the file, those that feed nothing are in it as comments, ready to be filled in.
    pub fn to_toml(&self, headers: &Headers) -> String {
        let mut text = String::from(HEAD);
        line(&mut text, format_args!("[{}]", self.kind.as_str()));
        for field in Field::all(self.kind) {
            match self.columns.get(&field).map(Vec::as_slice) {
                None | Some([]) => match rule(field) {
                    Some(rule) => line(&mut text, format_args!("# {} = (no column: {rule})", field.name())),
                    None => line(&mut text, format_args!("# {} =", field.name())),
                },
                Some([one]) => line(&mut text, format_args!("{} = {}", field.name(), quoted(one))),
                Some(several) => line(&mut text, format_args!("{} = {}", field.name(), quoted_list(several))),
            }
        }
        text.push('\n');
        let unmapped = self.unmapped(headers);
        if !unmapped.is_empty() {
            line(&mut text, format_args!("# Columns that feed nothing: {}", quoted_list(&unmapped)));
        }
        self.write_settings(&mut text);
        text
    }

    fn write_settings(&self, text: &mut String) {
        line(text, format_args!("{IGNORE} = {}", quoted_list(&self.ignore)));
        match &self.date_format {
            Some(format) => line(text, format_args!("{DATE_FORMAT} = {}", quoted(format))),
            None => line(text, format_args!("# {DATE_FORMAT} = \"%d/%m/%Y\"")),
        }
        match self.delimiter {
            Some(delimiter) => {
                line(text, format_args!("{DELIMITER} = {}", quoted(&char::from(delimiter).to_string())));
            }
            None => line(text, format_args!("# {DELIMITER} = \";\"")),
        }
        line(text, format_args!("{ENCODING} = {}", quoted(self.encoding.as_str())));
        match self.country_default {
            Some(country) => line(text, format_args!("{COUNTRY_DEFAULT} = {}", quoted(country.as_str()))),
            None => line(text, format_args!("# {COUNTRY_DEFAULT} = \"US\"")),
        }
    }
}

/// What happens to a field that has no column, where that is not nothing.
fn rule(field: Field) -> Option<&'static str> {
    match field {
        Field::Person(PersonField::ExternalRef) => Some(external_ref::PERSON_RULE),
        Field::Company(CompanyField::ExternalRef) => Some(external_ref::COMPANY_RULE),
        _ => None,
    }
}

fn line(text: &mut String, line: std::fmt::Arguments<'_>) {
    // Writing to a string does not fail.
    writeln!(text, "{line}").unwrap_or_default();
}

/// On one line, whatever is in it.
fn quoted(text: &str) -> String {
    let mut out = String::from('"');
    for c in text.chars() {
        match c {
            '"' | '\\' => out.extend(['\\', c]),
            '\t' => out.push_str("\\t"),
            c if c.is_control() => out.push_str(&format!("\\u{:04X}", u32::from(c))),
            c => out.push(c),
        }
    }
    out.push('"');
    out
}

fn quoted_list<T: AsRef<str>>(texts: &[T]) -> String {
    let texts: Vec<String> = texts.iter().map(|text| quoted(text.as_ref())).collect();
    format!("[{}]", texts.join(", "))
}

/// One column or a list of them.
fn read_columns(key: &'static str, value: &Value) -> Result<Vec<String>, Error> {
    let wrong = || bad(key, "is neither the name of a column nor a list of names");
    let values = match value {
        Value::Array(values) => values.as_slice(),
        one => std::slice::from_ref(one),
    };
    if values.len() > COLUMNS_MAX {
        return Err(Error::TooManyColumns(COLUMNS_MAX));
    }
    let names = values.iter().map(|value| {
        let name = value.as_str().filter(|name| !name.is_empty());
        name.filter(|name| name.chars().count() <= COLUMN_NAME_CHARS_MAX).map(str::to_owned).ok_or_else(wrong)
    });
    names.collect()
}

fn read_delimiter(text: &str) -> Option<u8> {
    match text.as_bytes() {
        [one] if is_delimiter(*one) => Some(*one),
        b"tab" | b"\\t" => Some(b'\t'),
        _ => None,
    }
}

fn is_delimiter(byte: u8) -> bool {
    byte == b'\t' || (byte.is_ascii_punctuation() && !matches!(byte, b'"' | b'\''))
}

fn bad(key: &'static str, problem: &'static str) -> Error {
    Error::BadSetting { key, problem }
}

fn unreadable(text: &str, error: &toml::de::Error) -> Error {
    let before = error.span().and_then(|span| text.get(..span.start)).unwrap_or_default();
    Error::MappingUnreadable(format!("line {}: {}", before.matches('\n').count() + 1, error.message()))
}
