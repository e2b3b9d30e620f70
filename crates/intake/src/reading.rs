//! Reading the values of one row: the first that is readable, or all of a list. What is unreadable becomes a note.

use std::borrow::Cow;
use std::sync::Arc;

use assay_domain::network_url::NetworkUrlKind;
use assay_domain::person::EmailKind;
use assay_domain::{Domain, Email, NetworkHosts, NetworkUrl, Phone};
use chrono::NaiveDate;

use crate::cells::View;
use crate::limits::{EMAILS_MAX, ENTRIES_MAX, NAME_CHARS_MAX, PHONES_MAX, TERM_CHARS_MAX, TERMS_MAX};
use crate::mapping::Mapping;
use crate::note::{Dropped, Notes, Reason};
use crate::person::EmailRow;
use crate::text::{clean, is_broken_over_lines};
use crate::value::country::CountryCode;
use crate::value::date::{is_still, read_date};
use crate::value::list::split_list;
use crate::value::phone::read_phone;
use crate::value::place::{Place, read_place};

/// What is the same for all rows of a file.
#[derive(Debug)]
pub(crate) struct Settings {
    pub(crate) hosts: NetworkHosts,
    pub(crate) date_format: Option<String>,
    pub(crate) country_default: Option<CountryCode>,
    /// The wanted columns, by slot.
    pub(crate) columns: Vec<Arc<str>>,
}

impl Settings {
    pub(crate) fn new(mapping: &Mapping, hosts: NetworkHosts, columns: &[String]) -> Self {
        Self {
            hosts,
            date_format: mapping.date_format.clone(),
            country_default: mapping.country_default,
            columns: columns.iter().map(|name| Arc::from(crate::header::told_name(name))).collect(),
        }
    }
}

/// The place of a column among those of its field, and of a value among the entries of its list.
pub(crate) type EntryKey = (usize, usize);

/// One row being read.
pub(crate) struct Reading<'a> {
    pub(crate) settings: &'a Settings,
    pub(crate) view: View<'a>,
    pub(crate) row: u64,
    pub(crate) line: Option<u64>,
    pub(crate) notes: &'a mut Notes,
    /// The first value of the row that could not be read.
    pub(crate) dropped: Option<Dropped>,
}

impl Reading<'_> {
    fn note(&mut self, slot: usize, reason: Reason) {
        if let Some(column) = self.settings.columns.get(slot) {
            let dropped = Dropped { column: Arc::clone(column), reason };
            self.dropped.get_or_insert_with(|| dropped.clone());
            self.notes.add(self.row, self.line, dropped);
        }
    }

    /// The first value, in the order of the columns, that `read` can make something of.
    pub(crate) fn first<T>(
        &mut self,
        slots: &[usize],
        read: impl Fn(&str) -> Result<T, Reason>,
    ) -> Option<T> {
        self.first_of(slots, |_, text| read(text))
    }

    /// `read` is told the cell as it is, and its text, which is a copy where spaces were changed.
    fn first_of<T>(
        &mut self,
        slots: &[usize],
        read: impl Fn(&str, &Cow<'_, str>) -> Result<T, Reason>,
    ) -> Option<T> {
        for slot in slots {
            for cell in self.view.values(*slot) {
                let found = match clean(cell) {
                    Ok(None) => continue,
                    Ok(Some(text)) => read(cell, &text),
                    Err(reason) => Err(reason),
                };
                match found {
                    Ok(value) => return Some(value),
                    Err(reason) => self.note(*slot, reason),
                }
            }
        }
        None
    }

    /// All different values that `read` can make something of, at most so many.
    pub(crate) fn all<T: PartialEq>(
        &mut self,
        slots: &[usize],
        most: usize,
        read: impl Fn(&str) -> Result<T, Reason>,
    ) -> Vec<T> {
        let mut found: Vec<T> = Vec::new();
        for slot in slots {
            let is_list = self.view.is_list(*slot);
            for cell in self.view.values(*slot) {
                if is_list {
                    self.add(&mut found, *slot, most, cell, &read);
                    continue;
                }
                split_list(cell, |value| self.add(&mut found, *slot, most, value, &read));
            }
        }
        found
    }

    fn add<T: PartialEq>(
        &mut self,
        found: &mut Vec<T>,
        slot: usize,
        most: usize,
        cell: &str,
        read: impl Fn(&str) -> Result<T, Reason>,
    ) {
        let value = match clean(cell) {
            Ok(None) => return,
            Ok(Some(_)) if found.len() >= most => Err(Reason::TooMany(most)),
            Ok(Some(text)) => read(&text),
            Err(reason) => Err(reason),
        };
        match value {
            Ok(value) if found.contains(&value) => {}
            Ok(value) => found.push(value),
            Err(reason) => self.note(slot, reason),
        }
    }

    /// For each entry of a list of objects, the first value that `read` can make something of. Where several columns feed
    /// the field, as in a table with `Job 1` and `Job 2`, each of them is an entry.
    pub(crate) fn entries<T>(
        &mut self,
        slots: &[usize],
        read: impl Fn(&str) -> Result<T, Reason>,
    ) -> Vec<(EntryKey, T)> {
        let mut found: Vec<(EntryKey, T)> = Vec::new();
        for (column, slot) in slots.iter().enumerate() {
            for (entry, cell) in self.view.entries(*slot) {
                let key = (column, entry);
                // Values come in the order of their entries.
                if found.last().is_some_and(|(last, _)| *last == key) {
                    continue;
                }
                let value = match clean(cell) {
                    Ok(None) => continue,
                    Ok(Some(_)) if found.len() >= ENTRIES_MAX => Err(Reason::TooMany(ENTRIES_MAX)),
                    Ok(Some(text)) => read(&text),
                    Err(reason) => Err(reason),
                };
                match value {
                    Ok(value) => found.push((key, value)),
                    Err(reason) => self.note(*slot, reason),
                }
            }
        }
        found
    }

    pub(crate) fn entry_dates(&mut self, slots: &[usize]) -> Vec<(EntryKey, NaiveDate)> {
        let format = self.settings.date_format.as_deref();
        let dates = self.entries(slots, |text| read_open_date(text, format));
        dates.into_iter().filter_map(|(key, date)| Some((key, date?))).collect()
    }

    pub(crate) fn text(&mut self, slots: &[usize], chars_max: usize) -> Option<String> {
        self.first(slots, |text| limited(text, chars_max))
    }

    /// A name has a letter, and is on one line.
    pub(crate) fn name(&mut self, slots: &[usize]) -> Option<String> {
        self.first_of(slots, |cell, text| {
            if matches!(text, Cow::Owned(_)) && is_broken_over_lines(cell) {
                return Err(Reason::Plain(
                    "has a line break: look for a quote too few or too many in the file",
                ));
            }
            read_name(text)
        })
    }

    pub(crate) fn terms(&mut self, slots: &[usize]) -> Vec<String> {
        self.all(slots, TERMS_MAX, |text| limited(text, TERM_CHARS_MAX))
    }

    /// An address that is known from columns that say what it is for is not added again.
    pub(crate) fn emails(&mut self, slots: &[usize], kind: Option<EmailKind>, known: &mut Vec<EmailRow>) {
        let room = EMAILS_MAX.saturating_sub(known.len());
        for address in self.all(slots, room, |text| Ok(Email::parse(text)?)) {
            if !known.iter().any(|email| email.address == address) {
                known.push(EmailRow { address, kind });
            }
        }
    }

    /// Numbers without a country code are read only if the operator has named a country for them; then that of the row
    /// goes before it.
    pub(crate) fn phones(&mut self, slots: &[usize], country: Option<CountryCode>) -> Vec<Phone> {
        let country = self.settings.country_default.map(|default| country.unwrap_or(default));
        self.all(slots, PHONES_MAX, |text| read_phone(text, country))
    }

    /// A domain that was read with an email is not read again.
    pub(crate) fn domain(&mut self, slots: &[usize], emails: &[EmailRow]) -> Option<Domain> {
        self.first(slots, |text| {
            let domains = emails.iter().map(|email| email.address.domain());
            let known = domains.into_iter().find(|domain| domain.as_str() == text);
            Ok(known.map_or_else(|| Domain::parse(text), Ok)?)
        })
    }

    pub(crate) fn network_url(&mut self, slots: &[usize], kind: NetworkUrlKind) -> Option<NetworkUrl> {
        let settings = self.settings;
        self.first(slots, |text| {
            let url = NetworkUrl::parse(text, &settings.hosts)?;
            match url.kind() {
                found if found == kind => Ok(url),
                NetworkUrlKind::Person => Err(Reason::Plain("is the page of a person, not of a company")),
                NetworkUrlKind::Company => Err(Reason::Plain("is the page of a company, not of a person")),
            }
        })
    }

    pub(crate) fn country(&mut self, slots: &[usize]) -> Option<CountryCode> {
        self.first(slots, CountryCode::parse)
    }

    /// A place in one text, as far as it can be told apart.
    pub(crate) fn place(&mut self, slots: &[usize]) -> Place {
        let found = self.first(slots, |text| {
            let place = read_place(text);
            if place == Place::default() {
                Err(Reason::Plain("is no city, region and country: write `Austin, Texas, United States`"))
            } else {
                Ok(place)
            }
        });
        found.unwrap_or_default()
    }

    pub(crate) fn date(&mut self, slots: &[usize]) -> Option<NaiveDate> {
        let format = self.settings.date_format.as_deref();
        self.first(slots, |text| read_open_date(text, format)).flatten()
    }
}

/// None for a text that says that something has not ended.
fn read_open_date(text: &str, format: Option<&str>) -> Result<Option<NaiveDate>, Reason> {
    // A date has a digit, and most of what is read here is one.
    if !text.bytes().any(|byte| byte.is_ascii_digit()) && is_still(text) {
        return Ok(None);
    }
    read_date(text, format).map(Some)
}

/// A name has a letter.
pub(crate) fn read_name(text: &str) -> Result<String, Reason> {
    if !text.chars().any(char::is_alphabetic) {
        return Err(Reason::Plain("has no letter, so it is no name"));
    }
    limited(text, NAME_CHARS_MAX)
}

pub(crate) fn limited(text: &str, chars_max: usize) -> Result<String, Reason> {
    if text.len() > chars_max && text.chars().count() > chars_max {
        return Err(Reason::TooLong(chars_max));
    }
    Ok(text.to_owned())
}
