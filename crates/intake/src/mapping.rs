//! Which column feeds which field.

mod file;

use std::collections::BTreeMap;

use assay_domain::NetworkHosts;

use crate::encoding::Encoding;
use crate::error::Error;
use crate::field::{Field, Kind};
use crate::guess::guess;
use crate::header::{Headers, told_name};
use crate::nearest::nearest;
use crate::value::country::CountryCode;

/// A mapping, guessed from the names of the columns or written by a person.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Mapping {
    pub kind: Kind,
    /// The columns that feed a field. One that takes a single value has the first that is readable.
    pub columns: BTreeMap<Field, Vec<String>>,
    /// Columns that are known and not wanted.
    pub ignore: Vec<String>,
    /// The form of dates that could otherwise be two, as of strftime: `%d/%m/%Y`.
    pub date_format: Option<String>,
    /// What stands between the values of a CSV file. None finds it out.
    pub delimiter: Option<u8>,
    /// Of a CSV file; the others are always in UTF-8.
    pub encoding: Encoding,
    /// The country of rows that name none, and of phones without a country code. None leaves both unread.
    pub country_default: Option<CountryCode>,
}

impl Mapping {
    /// Reads the names of the columns. Columns are also named after the network, whose name is known by its host.
    pub fn guess(kind: Kind, headers: &Headers, hosts: &NetworkHosts) -> Self {
        let columns = guess(kind, &headers.names, hosts);
        Self { columns, encoding: headers.encoding, ..Self::empty(kind) }
    }

    fn empty(kind: Kind) -> Self {
        Self {
            kind,
            columns: BTreeMap::new(),
            ignore: Vec::new(),
            date_format: None,
            delimiter: None,
            encoding: Encoding::Utf8,
            country_default: None,
        }
    }

    /// Whether it fits a file: every column it names is there, and some of them tell whom a row is about.
    pub fn check(&self, headers: &Headers) -> Result<(), Error> {
        let fed =
            self.columns.iter().flat_map(|(field, names)| names.iter().map(|name| (field.name(), name)));
        let ignored = self.ignore.iter().map(|name| ("ignore", name));
        for (key, name) in fed.chain(ignored).filter(|_| headers.are_complete) {
            if !headers.names.contains(name) {
                let nearest = nearest(name, headers.names.iter().map(String::as_str));
                return Err(Error::UnknownColumn {
                    key,
                    column: told_name(name),
                    nearest: nearest.map(|name| told_name(&name)),
                });
            }
        }
        if let Some(name) = self.ignore.iter().find(|name| self.is_mapped(name)) {
            return Err(Error::MappedAndIgnored { column: told_name(name) });
        }
        let names_anybody = self.columns.iter().any(|(field, names)| field.identifies() && !names.is_empty());
        if names_anybody { Ok(()) } else { Err(Error::NobodyNamed) }
    }

    /// The columns of a file that feed nothing and are not ignored.
    pub fn unmapped<'a>(&self, headers: &'a Headers) -> Vec<&'a str> {
        let is_left = |name: &&String| !self.is_mapped(name) && !self.ignore.contains(name);
        headers.names.iter().filter(is_left).map(String::as_str).collect()
    }

    fn is_mapped(&self, name: &str) -> bool {
        self.columns.values().flatten().any(|column| column == name)
    }
}
