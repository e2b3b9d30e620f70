//! The wanted values of a JSON object, written into cells while it is parsed: nothing else of it is kept.

use std::collections::HashMap;
use std::fmt;

use serde::de::{DeserializeSeed, Deserializer, Error, IgnoredAny, MapAccess, SeqAccess, Visitor};

use crate::cells::{Cells, NOT_UTF8};
use crate::limits::CELLS_PER_ROW_MAX;
use crate::note::Reason;

/// The slot of each wanted path; none for the paths of what is around them.
pub(super) struct Wanted(HashMap<String, Option<usize>>);

impl Wanted {
    pub(super) fn new(paths: &[String]) -> Self {
        let mut wanted = HashMap::new();
        for (slot, path) in paths.iter().enumerate() {
            wanted.insert(path.clone(), Some(slot));
        }
        for path in paths {
            for (at, _) in path.match_indices('.') {
                wanted.entry(path.get(..at).unwrap_or_default().to_owned()).or_insert(None);
            }
        }
        Self(wanted)
    }

    /// Reads a line. Why it cannot be read is said in our own words: the parser's may hold a piece of it.
    pub(super) fn fill(&self, line: &[u8], cells: &mut Cells) -> Result<(), Reason> {
        if !line.starts_with(b"{") {
            let is_json = serde_json::from_slice::<IgnoredAny>(line).is_ok();
            return Err(if is_json { NO_OBJECT } else { name_fault(line) });
        }
        let mut filling =
            Filling { wanted: &self.0, cells, path: String::new(), slot: None, entry: None, count: 0 };
        let mut parser = serde_json::Deserializer::from_slice(line);
        let parsed = filling.deserialize(&mut parser).and_then(|()| parser.end());
        if filling.count > CELLS_PER_ROW_MAX {
            return Err(Reason::TooMany(CELLS_PER_ROW_MAX));
        }
        parsed.map_err(|_| name_fault(line))
    }
}

const NO_OBJECT: Reason = Reason::Plain("is not a json object: write one object a line");

fn name_fault(line: &[u8]) -> Reason {
    match std::str::from_utf8(line) {
        Ok(_) => Reason::Plain("is not json: write one whole object a line"),
        Err(_) => NOT_UTF8,
    }
}

struct Filling<'a> {
    wanted: &'a HashMap<String, Option<usize>>,
    cells: &'a mut Cells,
    /// Where the parser is: names with dots between them, lists left out.
    path: String,
    /// What is wanted of that place.
    slot: Option<usize>,
    /// The entry of the outermost list.
    entry: Option<usize>,
    count: usize,
}

impl Filling<'_> {
    fn put<E: Error>(&mut self, write: impl FnOnce(&mut Vec<u8>)) -> Result<(), E> {
        let Some(slot) = self.slot else { return Ok(()) };
        self.count += 1;
        if self.count > CELLS_PER_ROW_MAX {
            return Err(E::custom("too many values"));
        }
        if self.entry.is_some() {
            self.cells.mark_list(slot);
        }
        self.cells.push(slot, self.entry.unwrap_or_default(), write);
        Ok(())
    }
}

impl<'de> DeserializeSeed<'de> for &mut Filling<'_> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, parser: D) -> Result<(), D::Error> {
        parser.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for &mut Filling<'_> {
    type Value = ();

    fn expecting(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str("any json")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<(), A::Error> {
        let (length, around) = (self.path.len(), self.slot);
        while map.next_key_seed(Name(&mut self.path))?.is_some() {
            match self.wanted.get(&self.path) {
                Some(slot) => {
                    self.slot = *slot;
                    map.next_value_seed(&mut *self)?;
                }
                None => {
                    map.next_value::<IgnoredAny>()?;
                }
            }
            self.path.truncate(length);
        }
        self.slot = around;
        Ok(())
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<(), A::Error> {
        let around = self.entry;
        let mut index = 0;
        self.entry = around.or(Some(index));
        while list.next_element_seed(&mut *self)?.is_some() {
            index += 1;
            self.entry = around.or(Some(index));
        }
        self.entry = around;
        Ok(())
    }

    fn visit_str<E: Error>(self, text: &str) -> Result<(), E> {
        self.put(|out| out.extend_from_slice(text.as_bytes()))
    }

    fn visit_bool<E: Error>(self, truth: bool) -> Result<(), E> {
        self.put(|out| out.extend(truth.to_string().bytes()))
    }

    fn visit_u64<E: Error>(self, number: u64) -> Result<(), E> {
        self.put(|out| out.extend(number.to_string().bytes()))
    }

    fn visit_i64<E: Error>(self, number: i64) -> Result<(), E> {
        self.put(|out| out.extend(number.to_string().bytes()))
    }

    fn visit_f64<E: Error>(self, number: f64) -> Result<(), E> {
        self.put(|out| out.extend(number.to_string().bytes()))
    }

    fn visit_unit<E: Error>(self) -> Result<(), E> {
        Ok(())
    }
}

/// Appends the name of a value to the path.
struct Name<'a>(&'a mut String);

impl<'de> DeserializeSeed<'de> for Name<'_> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, parser: D) -> Result<(), D::Error> {
        parser.deserialize_str(self)
    }
}

impl Visitor<'_> for Name<'_> {
    type Value = ();

    fn expecting(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str("a name")
    }

    fn visit_str<E: Error>(self, name: &str) -> Result<(), E> {
        if !self.0.is_empty() {
            self.0.push('.');
        }
        self.0.push_str(name);
        Ok(())
    }
}
