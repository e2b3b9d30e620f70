//! The values of one row, in the order of the wanted columns, before anything is known about them but their bytes.

use std::ops::Range;

use crate::note::Reason;

/// Where a value is in the text of its row.
#[derive(Debug, Clone, Copy)]
struct Span {
    start: usize,
    end: usize,
    /// Which entry of a list it belongs to: what other columns say of the same job has the same number.
    entry: usize,
}

#[derive(Debug, Default)]
struct Slot {
    spans: Vec<Span>,
    /// Whether the file itself says where each value of a list ends.
    is_list: bool,
}

/// One row, filled again and again so that reading a row allocates nothing.
pub(crate) struct Cells {
    pub(crate) text: Vec<u8>,
    slots: Vec<Slot>,
}

impl Cells {
    pub(crate) fn new(slots: usize) -> Self {
        Self { text: Vec::new(), slots: std::iter::repeat_with(Slot::default).take(slots).collect() }
    }

    pub(crate) fn clear(&mut self) {
        self.text.clear();
        for slot in &mut self.slots {
            slot.spans.clear();
            slot.is_list = false;
        }
    }

    /// A value that is in the text already.
    pub(crate) fn place(&mut self, slot: usize, entry: usize, span: Range<usize>) {
        if let Some(slot) = self.slots.get_mut(slot) {
            slot.spans.push(Span { start: span.start, end: span.end, entry });
        }
    }

    /// A value whose text `write` appends.
    pub(crate) fn push(&mut self, slot: usize, entry: usize, write: impl FnOnce(&mut Vec<u8>)) {
        let start = self.text.len();
        write(&mut self.text);
        self.place(slot, entry, start..self.text.len());
    }

    pub(crate) fn mark_list(&mut self, slot: usize) {
        if let Some(slot) = self.slots.get_mut(slot) {
            slot.is_list = true;
        }
    }

    /// The values of a slot as they are in the file.
    pub(crate) fn bytes(&self, slot: usize) -> impl Iterator<Item = &[u8]> {
        let spans = self.slots.get(slot).map(|slot| slot.spans.as_slice()).unwrap_or_default();
        spans.iter().filter_map(|span| self.text.get(span.start..span.end))
    }

    /// Checks the bytes once for the whole row. A value cut out of the middle of a character is found when it is asked for.
    pub(crate) fn view(&self) -> Result<View<'_>, Reason> {
        let text = std::str::from_utf8(&self.text).map_err(|_| NOT_UTF8)?;
        let is_whole = |span: &Span| text.is_char_boundary(span.start) && text.is_char_boundary(span.end);
        if self.slots.iter().flat_map(|slot| &slot.spans).all(is_whole) {
            Ok(View { text, slots: &self.slots })
        } else {
            Err(NOT_UTF8)
        }
    }
}

pub(crate) const NOT_UTF8: Reason = Reason::Plain(
    "is not utf-8: save the file as utf-8, or set encoding = \"latin-1\" in the mapping of a csv file",
);

/// The values of one row as text.
#[derive(Clone, Copy)]
pub(crate) struct View<'a> {
    text: &'a str,
    slots: &'a [Slot],
}

impl<'a> View<'a> {
    pub(crate) fn values(self, slot: usize) -> impl Iterator<Item = &'a str> {
        self.entries(slot).map(|(_, value)| value)
    }

    /// Each value with the number of the list's entry it belongs to.
    pub(crate) fn entries(self, slot: usize) -> impl Iterator<Item = (usize, &'a str)> {
        let spans = self.slots.get(slot).map(|slot| slot.spans.as_slice()).unwrap_or_default();
        spans.iter().filter_map(move |span| Some((span.entry, self.text.get(span.start..span.end)?)))
    }

    pub(crate) fn is_list(self, slot: usize) -> bool {
        self.slots.get(slot).is_some_and(|slot| slot.is_list)
    }
}
