//! XML as a small tree. Feeds in the wild are cut short, wrongly declared and badly escaped: what is whole is read.

use assay_domain::limits::{FEED_XML_DEPTH_MAX, FEED_XML_ELEMENTS_MAX};
use quick_xml::escape::resolve_html5_entity;
use quick_xml::events::{BytesRef, BytesStart, Event};
use quick_xml::reader::Reader;

/// How far into a page its encoding is declared.
const DECLARATION_BYTES_MAX: usize = 200;

#[derive(Debug, Default)]
pub(super) struct Element {
    /// As written, with its prefix.
    pub(super) name: String,
    attributes: Vec<(String, String)>,
    nodes: Vec<Node>,
    /// Whether its end was seen.
    pub(super) whole: bool,
}

#[derive(Debug)]
enum Node {
    Text(String),
    Element(Element),
}

impl Element {
    /// Those of one name, in their order.
    pub(super) fn all<'a>(&'a self, name: &'a str) -> impl Iterator<Item = &'a Self> {
        self.children().filter(move |child| child.name == name)
    }

    pub(super) fn children(&self) -> impl Iterator<Item = &Self> {
        self.nodes.iter().filter_map(|node| match node {
            Node::Element(element) => Some(element),
            Node::Text(_) => None,
        })
    }

    /// The first one below, by names with slashes between them.
    pub(super) fn at(&self, path: &str) -> Option<&Self> {
        path.split('/').try_fold(self, |element, name| element.children().find(|child| child.name == name))
    }

    pub(super) fn attribute(&self, name: &str) -> Option<&str> {
        self.attributes.iter().find(|(key, _)| key == name).map(|(_, value)| value.as_str())
    }

    /// All text within, markup apart. Elements inside (XHTML) are kept apart by spaces.
    pub(super) fn text(&self) -> String {
        let mut text = String::new();
        self.gather(&mut text);
        text
    }

    /// As deep as the tree, which is bounded.
    fn gather(&self, text: &mut String) {
        for node in &self.nodes {
            match node {
                Node::Text(part) => text.push_str(part),
                Node::Element(element) => {
                    text.push(' ');
                    element.gather(text);
                    text.push(' ');
                }
            }
        }
    }

    /// The trimmed text below, if there is some.
    pub(super) fn value(&self, path: &str) -> Option<String> {
        let text = self.at(path)?.text();
        Some(text.trim().to_owned()).filter(|text| !text.is_empty())
    }

    fn push_text(&mut self, part: &str) {
        if let Some(Node::Text(text)) = self.nodes.last_mut() {
            text.push_str(part);
        } else if !part.is_empty() {
            self.nodes.push(Node::Text(part.to_owned()));
        }
    }
}

/// The first element of a page, as far as it goes. None when there is none, or when it is no sane XML.
pub(super) fn read(body: &[u8]) -> Option<Element> {
    let text = decode(body);
    let mut reader = Reader::from_str(&text);
    reader.config_mut().allow_dangling_amp = true;
    let mut open: Vec<Element> = Vec::new();
    let mut count = 0_usize;
    loop {
        match reader.read_event() {
            Ok(Event::Start(start)) => {
                count += 1;
                open.push(element(&start));
            }
            Ok(Event::Empty(start)) => {
                count += 1;
                let mut element = element(&start);
                element.whole = true;
                match open.last_mut() {
                    Some(parent) => parent.nodes.push(Node::Element(element)),
                    None => return Some(element),
                }
            }
            Ok(Event::End(_)) => {
                let mut element = open.pop()?;
                element.whole = true;
                match open.last_mut() {
                    Some(parent) => parent.nodes.push(Node::Element(element)),
                    None => return Some(element),
                }
            }
            Ok(Event::Text(part)) => push(&mut open, &part.xml10_content()),
            Ok(Event::CData(part)) => push(&mut open, &part.xml10_content()),
            Ok(Event::GeneralRef(name)) => push_reference(&mut open, &name),
            Ok(Event::Decl(_) | Event::PI(_) | Event::DocType(_) | Event::Comment(_)) => {}
            // What comes after a mistake cannot be told from what belongs before it.
            Ok(Event::Eof) | Err(_) => break,
        }
        if open.len() > FEED_XML_DEPTH_MAX || count > FEED_XML_ELEMENTS_MAX {
            return None;
        }
    }
    while let Some(element) = open.pop() {
        match open.last_mut() {
            Some(parent) => parent.nodes.push(Node::Element(element)),
            None => return Some(element),
        }
    }
    None
}

fn element(start: &BytesStart<'_>) -> Element {
    let attributes = start.attributes().flatten().map(|attribute| {
        let value = quick_xml::escape::unescape(&attribute.value);
        let value = value.map_or_else(|_| attribute.value.to_string(), |value| value.into_owned());
        (attribute.key.as_ref().to_owned(), value)
    });
    Element { name: start.name().as_ref().to_owned(), attributes: attributes.collect(), ..Element::default() }
}

fn push(open: &mut [Element], part: &str) {
    if let Some(element) = open.last_mut() {
        element.push_text(part);
    }
}

/// One that nobody knows stays as it is written.
fn push_reference(open: &mut [Element], name: &BytesRef<'_>) {
    match name.resolve_char_ref() {
        Ok(Some(letter)) => push(open, letter.encode_utf8(&mut [0; 4])),
        Ok(None) => match resolve_html5_entity(name) {
            Some(text) => push(open, text),
            None => push(open, &format!("&{};", &**name)),
        },
        Err(_) => {}
    }
}

/// The page as text: UTF-8 where it is that, whatever it declares; else as it declares.
pub(super) fn decode(body: &[u8]) -> String {
    match body {
        [0xff, 0xfe, rest @ ..] => return wide(rest, u16::from_le_bytes),
        [0xfe, 0xff, rest @ ..] => return wide(rest, u16::from_be_bytes),
        _ => {}
    }
    let body = body.strip_prefix(b"\xef\xbb\xbf").unwrap_or(body);
    match str::from_utf8(body) {
        Ok(text) => text.to_owned(),
        Err(error) if error.error_len().is_some() && is_western(body) => {
            body.iter().map(|byte| western(*byte)).collect()
        }
        Err(_) => String::from_utf8_lossy(body).into_owned(),
    }
}

fn wide(body: &[u8], unit: fn([u8; 2]) -> u16) -> String {
    let units = body.as_chunks().0.iter().map(|pair| unit(*pair));
    char::decode_utf16(units).map(|letter| letter.unwrap_or(char::REPLACEMENT_CHARACTER)).collect()
}

fn is_western(body: &[u8]) -> bool {
    let head = body.get(..DECLARATION_BYTES_MAX.min(body.len())).unwrap_or_default();
    let head = String::from_utf8_lossy(head).to_ascii_lowercase();
    ["iso-8859-1", "windows-1252", "us-ascii", "iso-8859-15"].iter().any(|name| head.contains(name))
        || !head.contains("encoding")
}

/// Windows-1252, which is what pages that declare ISO 8859-1 are written in.
fn western(byte: u8) -> char {
    const HIGH: &[char] = &[
        '€', '\u{81}', '‚', 'ƒ', '„', '…', '†', '‡', 'ˆ', '‰', 'Š', '‹', 'Œ', '\u{8d}', 'Ž', '\u{8f}',
        '\u{90}', '‘', '’', '“', '”', '•', '–', '—', '˜', '™', 'š', '›', 'œ', '\u{9d}', 'ž', 'Ÿ',
    ];
    let high = byte.checked_sub(0x80).and_then(|at| HIGH.get(usize::from(at)));
    high.copied().unwrap_or(char::from(byte))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_cut_off_is_read_as_far_as_it_goes_and_says_so() {
        let root = read(b"<feed><entry><id>1</id></entry><entry><id>2</i").unwrap();
        let entries: Vec<_> =
            root.all("entry").map(|entry| (entry.value("id").unwrap(), entry.whole)).collect();
        assert_eq!(entries, [("1".to_owned(), true), ("2".to_owned(), false)]);
        assert!(!root.whole);
        assert!(read(b"<a><b/></a>").unwrap().whole);
        assert!(read(b"").is_none() && read(b"plain words").is_none() && read(b"</a>").is_none());
    }

    #[test]
    fn entities_and_encodings_are_understood() {
        let read = |body: &[u8]| read(body).unwrap().text();
        assert_eq!(read(b"<a>R&amp;D &nbsp;&#233;&#x2014; AT&T &nosuch;</a>"), "R&D \u{a0}é— AT&T &nosuch;");
        assert_eq!(read(b"<a><![CDATA[<b>1 & 2</b>]]></a>"), "<b>1 & 2</b>");
        assert_eq!(read("\u{feff}<a>é</a>".as_bytes()), "é");
        assert_eq!(read(b"<?xml version=\"1.0\" encoding=\"ISO-8859-1\"?><a>\xe9 \x93\x94</a>"), "é “”");
        let utf16: Vec<u8> = "\u{feff}<a>é</a>".encode_utf16().flat_map(u16::to_le_bytes).collect();
        assert_eq!(read(&utf16), "é");
    }

    #[test]
    fn a_page_of_opening_tags_is_refused() {
        assert!(read("<a>".repeat(FEED_XML_DEPTH_MAX + 1).as_bytes()).is_none());
        let wide = format!("<r>{}</r>", "<a/>".repeat(FEED_XML_ELEMENTS_MAX));
        assert!(read(wide.as_bytes()).is_none());
    }
}
