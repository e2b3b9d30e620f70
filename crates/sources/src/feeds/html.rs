//! Markup taken away: what is left is text, with a line for each block.

use quick_xml::escape::resolve_html5_entity;

/// What these hold is not shown. The last one is what inline XBRL hides in filings.
const UNSEEN: &[&str] = &["script", "style", "head", "title", "ix:header"];
/// Tags that only change how a word looks; all others part words.
const INLINE: &[&str] = &[
    "a", "abbr", "b", "big", "cite", "code", "em", "font", "i", "ins", "mark", "s", "small", "span",
    "strong", "sub", "sup", "tt", "u", "time",
];
/// Tags that part words, but not lines.
const CELLS: &[&str] = &["td", "th", "img"];
/// The longest name of an entity, with room to spare.
const ENTITY_BYTES_MAX: usize = 40;

/// The text of some HTML, in lines without space around. Entities are decoded once; spaces are single.
pub(super) fn plain(html: &str) -> String {
    let mut out = Lines::default();
    let mut rest = html;
    while let Some(at) = rest.find(['<', '&']) {
        let (before, mark) = rest.split_at(at);
        out.push(before);
        rest = if mark.starts_with('<') { tag(mark, &mut out) } else { entity(mark, &mut out) };
    }
    out.push(rest);
    out.finish()
}

/// Reads what begins with `<`, and returns what comes after it.
fn tag<'a>(mark: &'a str, out: &mut Lines) -> &'a str {
    if let Some(comment) = mark.strip_prefix("<!--") {
        return comment.split_once("-->").map_or("", |(_, rest)| rest);
    }
    let inner = mark.get(1..).unwrap_or_default();
    let name_at = inner.strip_prefix('/').unwrap_or(inner);
    if !name_at.starts_with(|c: char| c.is_ascii_alphabetic() || c == '!' || c == '?') {
        out.push("<");
        return inner;
    }
    let length = name_at.find(|c: char| !(c.is_ascii_alphanumeric() || c == ':')).unwrap_or(name_at.len());
    let name = name_at.get(..length).unwrap_or_default().to_ascii_lowercase();
    let rest = inner.split_once('>').map_or("", |(_, rest)| rest);
    let is_opening = name_at.len() == inner.len();
    if is_opening && UNSEEN.contains(&name.as_str()) {
        return after_end(rest, &name);
    }
    if CELLS.contains(&name.as_str()) {
        out.push(" ");
    } else if !INLINE.contains(&name.as_str()) && !name.starts_with("ix:") {
        out.end_line();
    }
    rest
}

/// What follows the end of an element whose content is not shown; nothing when it has no end.
fn after_end<'a>(text: &'a str, name: &str) -> &'a str {
    let mut rest = text;
    while let Some((_, after)) = rest.split_once("</") {
        let is_it = after.get(..name.len()).is_some_and(|start| start.eq_ignore_ascii_case(name));
        if is_it {
            return after.split_once('>').map_or("", |(_, rest)| rest);
        }
        rest = after;
    }
    ""
}

/// Reads what begins with `&`, and returns what comes after it.
fn entity<'a>(mark: &'a str, out: &mut Lines) -> &'a str {
    let inner = mark.get(1..).unwrap_or_default();
    let near = inner.get(..inner.floor_char_boundary(ENTITY_BYTES_MAX)).unwrap_or_default();
    let Some((name, _)) = near.split_once(';') else {
        out.push("&");
        return inner;
    };
    let number = name.strip_prefix('#').and_then(|digits| {
        let hex = digits.strip_prefix(['x', 'X']);
        let code = hex.map_or_else(|| digits.parse().ok(), |hex| u32::from_str_radix(hex, 16).ok());
        code.and_then(char::from_u32)
    });
    match (number, resolve_html5_entity(name)) {
        (Some(letter), _) => out.push(letter.encode_utf8(&mut [0; 4])),
        (None, Some(text)) => out.push(text),
        (None, None) => {
            out.push("&");
            return inner;
        }
    }
    inner.get(name.len() + 1..).unwrap_or_default()
}

/// Text with single spaces and no empty lines.
#[derive(Default)]
struct Lines {
    text: String,
    space: bool,
    line: bool,
}

impl Lines {
    fn push(&mut self, part: &str) {
        for letter in part.chars() {
            if letter.is_whitespace() {
                self.space = true;
            } else if !letter.is_control() && !matches!(letter, '\u{200b}' | '\u{feff}' | '\u{ad}') {
                if !self.text.is_empty() && (self.line || self.space) {
                    self.text.push(if self.line { '\n' } else { ' ' });
                }
                (self.space, self.line) = (false, false);
                self.text.push(letter);
            }
        }
    }

    fn end_line(&mut self) {
        self.line = true;
    }

    fn finish(self) -> String {
        self.text
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn markup_goes_and_words_stay_apart() {
        for (html, text) in [
            ("<p>One <b>tw</b>o</p><p>three&nbsp;&amp; four</p>", "One two\nthree & four"),
            ("a<br/>b<BR>c", "a\nb\nc"),
            ("<style>p {}</style>x<script>if (a < b) {}</SCRIPT >y", "xy"),
            ("1 < 2 && AT&T; &#233;&#x2019;&bogus;", "1 < 2 && AT&T; é’&bogus;"),
            ("<!-- <p>no</p> -->yes<!-- open", "yes"),
            ("<tr><td>Item 5.02</td><td>Departure</td></tr>", "Item 5.02 Departure"),
            ("<ix:header><x>hid</x></ix:header><ix:nonNumeric n=\"1\">8-K</ix:nonNumeric>/A", "8-K/A"),
            ("cut <a href=\"x", "cut"),
            ("", ""),
        ] {
            assert_eq!(plain(html), text, "{html}");
        }
    }
}
