//! Replies of mail servers: bytes in, whole replies out, however they are cut into pieces and whatever they hold.

use std::fmt;

use assay_domain::limits::{MAIL_REPLY_LINE_BYTES_MAX, MAIL_REPLY_LINES_MAX, MAIL_REPLY_TEXT_CHARS_MAX};

/// An enhanced status code (RFC 3463): `5.1.1`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct EnhancedCode {
    pub class: u8,
    pub subject: u16,
    pub detail: u16,
}

impl EnhancedCode {
    fn parse(token: &str) -> Option<Self> {
        let mut parts = token.split('.');
        let (class, subject, detail) = (parts.next()?, parts.next()?, parts.next()?);
        let class = matches!(class, "2" | "4" | "5").then(|| class.parse().ok()).flatten()?;
        let is_short = |part: &str| (1..=3).contains(&part.len()) && part.bytes().all(|b| b.is_ascii_digit());
        if parts.next().is_some() || !is_short(subject) || !is_short(detail) {
            return None;
        }
        Some(Self { class, subject: subject.parse().ok()?, detail: detail.parse().ok()? })
    }
}

impl fmt::Display for EnhancedCode {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "{}.{}.{}", self.class, self.subject, self.detail)
    }
}

/// What a server wrote, to be shown to whoever asked. It often holds the address asked for, so that Debug, which may
/// reach a log, shows only how long it is.
#[derive(Clone, PartialEq, Eq, Default)]
pub struct ReplyText(String);

impl ReplyText {
    fn of(text: &str) -> Self {
        Self(text.chars().take(MAIL_REPLY_TEXT_CHARS_MAX).collect())
    }

    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Debug for ReplyText {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "ReplyText({} characters)", self.0.chars().count())
    }
}

/// One whole reply. Its lines hold no control characters, and no enhanced code in front.
#[derive(Clone, PartialEq, Eq)]
pub struct Reply {
    code: u16,
    enhanced: Option<EnhancedCode>,
    lines: Vec<String>,
}

impl Reply {
    pub fn code(&self) -> u16 {
        self.code
    }

    /// The first digit: 2 is yes, 4 is not now, 5 is no.
    pub fn class(&self) -> u16 {
        self.code / 100
    }

    pub fn enhanced(&self) -> Option<EnhancedCode> {
        self.enhanced
    }

    pub fn lines(&self) -> &[String] {
        &self.lines
    }

    /// What is kept of its text.
    pub fn text(&self) -> ReplyText {
        ReplyText::of(&self.lines.join(" "))
    }
}

impl fmt::Debug for Reply {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let enhanced = self.enhanced.map(|it| it.to_string()).unwrap_or_default();
        write!(out, "Reply({} {enhanced}, {} lines)", self.code, self.lines.len())
    }
}

/// Why what a server sent is no reply.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Garbled {
    LineTooLong,
    TooManyLines,
    NoCode,
    /// One line said yes, the next no.
    TwoCodes,
}

/// Puts replies together. Once something was no reply it reads nothing more: there is no telling where the next begins.
#[derive(Default)]
pub struct ReplyReader {
    line: Vec<u8>,
    lines_seen: usize,
    lines: Vec<String>,
    code: Option<u16>,
    garbled: Option<Garbled>,
}

impl ReplyReader {
    /// Takes from the front of `bytes` up to the end of the next reply; `None` when all are taken and it is not whole.
    pub fn read(&mut self, bytes: &mut &[u8]) -> Result<Option<Reply>, Garbled> {
        if let Some(garbled) = self.garbled {
            return Err(garbled);
        }
        self.read_on(bytes).inspect_err(|garbled| self.garbled = Some(*garbled))
    }

    /// Whether a reply has begun.
    pub fn is_inside(&self) -> bool {
        self.lines_seen > 0 || !self.line.is_empty()
    }

    fn read_on(&mut self, bytes: &mut &[u8]) -> Result<Option<Reply>, Garbled> {
        while let Some((byte, rest)) = bytes.split_first() {
            *bytes = rest;
            if *byte != b'\n' {
                if self.line.len() >= MAIL_REPLY_LINE_BYTES_MAX {
                    return Err(Garbled::LineTooLong);
                }
                self.line.push(*byte);
                continue;
            }
            if let Some(reply) = self.end_line()? {
                return Ok(Some(reply));
            }
        }
        Ok(None)
    }

    fn end_line(&mut self) -> Result<Option<Reply>, Garbled> {
        let line = decode(&std::mem::take(&mut self.line));
        self.lines_seen = self.lines_seen.saturating_add(1);
        if self.lines_seen > MAIL_REPLY_LINES_MAX {
            return Err(Garbled::TooManyLines);
        }
        // Some servers write an empty line between two others.
        if line.is_empty() {
            return Ok(None);
        }
        let (code, goes_on, text) = split_line(&line).ok_or(Garbled::NoCode)?;
        if self.code.is_some_and(|before| before / 100 != code / 100) {
            return Err(Garbled::TwoCodes);
        }
        self.code = Some(code);
        self.lines.push(text.to_owned());
        if goes_on {
            return Ok(None);
        }
        let done = std::mem::take(self);
        Ok(Some(compose(code, &done.lines)))
    }
}

impl fmt::Debug for ReplyReader {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "ReplyReader({} lines, {:?})", self.lines_seen, self.garbled)
    }
}

/// UTF-8, else Latin-1, which any bytes are. Controls become spaces, so that nothing shown can move a cursor.
fn decode(line: &[u8]) -> String {
    let text = match std::str::from_utf8(line) {
        Ok(text) => text.to_owned(),
        Err(_) => line.iter().map(|byte| char::from(*byte)).collect(),
    };
    let text: String = text.chars().map(|c| if c.is_control() { ' ' } else { c }).collect();
    text.trim_end().to_owned()
}

/// Code, whether another line follows, text.
fn split_line(line: &str) -> Option<(u16, bool, &str)> {
    let (digits, rest) = line.split_at_checked(3)?;
    if !digits.bytes().all(|byte| byte.is_ascii_digit()) {
        return None;
    }
    let code = digits.parse().ok().filter(|code| (200..600).contains(code))?;
    match rest.split_at_checked(1) {
        None => Some((code, false, "")),
        Some(("-", text)) => Some((code, true, text)),
        Some((" ", text)) => Some((code, false, text)),
        Some(_) => None,
    }
}

fn compose(code: u16, lines: &[String]) -> Reply {
    let enhanced = find_enhanced(lines);
    let lines = lines.iter().map(|line| without_enhanced(line.trim()).to_owned()).collect();
    Reply { code, enhanced, lines }
}

/// In front of the first line that has one; else where qmail (`(#5.1.1)`) and gateways that put their own mark first
/// write it.
fn find_enhanced(lines: &[String]) -> Option<EnhancedCode> {
    let in_front = lines.iter().find_map(|line| EnhancedCode::parse(line.split_whitespace().next()?));
    let second = || EnhancedCode::parse(lines.first()?.split_whitespace().nth(1)?);
    let marked = || {
        let mut marks = lines.iter().flat_map(|line| line.split_whitespace()).filter_map(|word| {
            let word = word.trim_start_matches(['(', '[']).strip_prefix('#')?;
            EnhancedCode::parse(word.trim_end_matches([')', ']', '.', ',', ':']))
        });
        marks.next()
    };
    in_front.or_else(marked).or_else(second)
}

fn without_enhanced(line: &str) -> &str {
    match line.split_once(char::is_whitespace) {
        Some((first, rest)) if EnhancedCode::parse(first).is_some() => rest.trim_start(),
        None if EnhancedCode::parse(line).is_some() => "",
        _ => line,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// All replies in the bytes, fed in pieces of these lengths by turns, and how it ended.
    fn read_all(bytes: &[u8], pieces: &[usize]) -> (Vec<Reply>, Option<Garbled>) {
        let mut reader = ReplyReader::default();
        let mut replies = Vec::new();
        let mut rest = bytes;
        let mut lengths = pieces.iter().cycle();
        while !rest.is_empty() {
            let length = (*lengths.next().unwrap()).clamp(1, rest.len());
            let (mut piece, after) = rest.split_at(length);
            rest = after;
            while !piece.is_empty() {
                match reader.read(&mut piece) {
                    Ok(Some(reply)) => replies.push(reply),
                    Ok(None) => assert!(piece.is_empty()),
                    Err(garbled) => return (replies, Some(garbled)),
                }
            }
        }
        (replies, None)
    }

    fn read_one(text: &str) -> Reply {
        let (mut replies, garbled) = read_all(text.as_bytes(), &[usize::MAX]);
        assert_eq!((replies.len(), garbled), (1, None), "{text}");
        replies.remove(0)
    }

    #[test]
    fn lines_are_joined_and_their_codes_taken_off() {
        let reply = read_one("550-5.1.1 No such\r\n550-5.1.1  user here.\r\n550 5.1.1 Bye - mx\r\n");
        assert_eq!(reply.code(), 550);
        assert_eq!(reply.enhanced().unwrap().to_string(), "5.1.1");
        assert_eq!(reply.text().as_str(), "No such user here. Bye - mx");
    }

    #[test]
    fn short_and_sloppy_replies_are_read() {
        assert_eq!(read_one("250\r\n").text().as_str(), "");
        assert_eq!(read_one("250 ok\n").text().as_str(), "ok");
        assert_eq!(read_one("\r\n250-a\n\n250 b\r\r\n").text().as_str(), "a b");
        assert_eq!(read_one("250-\r\n250 \r\n").lines().len(), 2);
        assert_eq!(read_one("550-first\r\n551 last\r\n").code(), 551);
    }

    #[test]
    fn an_enhanced_code_is_found_where_servers_put_it() {
        for (text, found) in [
            ("550 5.7.606 banned", "5.7.606"),
            ("553 sorry, not in my list of allowed rcpthosts (#5.7.1)", "5.7.1"),
            ("550 #5.1.0 Address rejected.", "5.1.0"),
            ("550 cuda_nsu 5.1.1 <a@b.example>... User unknown", "5.1.1"),
            ("550-Sorry\r\n550 5.1.1 unknown", "5.1.1"),
        ] {
            assert_eq!(read_one(&format!("{text}\r\n")).enhanced().unwrap().to_string(), found, "{text}");
        }
        for text in ["550 5.1.1.2 is blocked", "550 see 5.1.1", "550 6.1.1 x", "550 5.1234.1 x", "550 5..1 x"]
        {
            let text = text.replace("see", "see also");
            assert_eq!(read_one(&format!("{text}\r\n")).enhanced(), None, "{text}");
        }
    }

    #[test]
    fn bytes_that_are_not_utf8_are_read_as_latin1_and_controls_as_spaces() {
        let (replies, _) = read_all(b"550 Empf\xe4nger\x1b[2J unbekannt\r\n", &[1]);
        assert_eq!(replies[0].text().as_str(), "Empfänger [2J unbekannt");
    }

    #[test]
    fn what_is_no_reply_ends_the_reading() {
        for (text, why) in [
            ("hello\r\n", Garbled::NoCode),
            ("25\r\n", Garbled::NoCode),
            ("2500 x\r\n", Garbled::NoCode),
            ("099 x\r\n", Garbled::NoCode),
            ("999 x\r\n", Garbled::NoCode),
            ("äöü\r\n", Garbled::NoCode),
            ("250-x\r\n550 y\r\n", Garbled::TwoCodes),
            (&"250-x\r\n".repeat(65), Garbled::TooManyLines),
            (&"\n".repeat(65), Garbled::TooManyLines),
            (&"2".repeat(2049), Garbled::LineTooLong),
        ] {
            assert_eq!(read_all(text.as_bytes(), &[7]).1, Some(why), "{text:.20}");
        }
        let mut reader = ReplyReader::default();
        assert!(reader.read(&mut &b"oops\n"[..]).is_err());
        assert_eq!(reader.read(&mut &b"250 ok\n"[..]), Err(Garbled::NoCode));
    }

    #[test]
    fn debug_output_holds_nothing_of_the_text() {
        let reply = read_one("550 5.1.1 <jane.roe@acme.test> unknown\r\n");
        let shown = format!("{reply:?} {:?}", reply.text());
        assert!(!shown.contains("jane") && !shown.contains("acme"), "{shown}");
    }

    #[test]
    fn a_long_text_is_cut() {
        let line = format!("550 {}\r\n", "ü".repeat(900));
        assert_eq!(read_one(&line).text().as_str().chars().count(), MAIL_REPLY_TEXT_CHARS_MAX);
    }

    /// Mostly replies, with what may go wrong in them.
    fn bytes() -> impl Strategy<Value = Vec<u8>> {
        let piece = prop_oneof![
            Just(b"250-".to_vec()),
            Just(b"250 ".to_vec()),
            Just(b"550 5.1.1 ".to_vec()),
            Just(b"\r\n".to_vec()),
            Just(b"\n".to_vec()),
            Just(b"\r".to_vec()),
            prop::collection::vec(any::<u8>(), 0..12),
            Just(vec![b'x'; 1000]),
        ];
        prop::collection::vec(piece, 0..60).prop_map(|pieces| pieces.concat())
    }

    proptest! {
        #[test]
        fn replies_are_the_same_however_the_bytes_are_cut(
            bytes in bytes(), pieces in prop::collection::vec(1usize..40, 1..10),
        ) {
            prop_assert_eq!(read_all(&bytes, &pieces), read_all(&bytes, &[usize::MAX]));
        }

        #[test]
        fn any_bytes_are_read_without_harm(bytes in prop::collection::vec(any::<u8>(), 0..4000)) {
            for reply in read_all(&bytes, &[97]).0 {
                prop_assert!(reply.lines().len() <= MAIL_REPLY_LINES_MAX);
                prop_assert!(!reply.text().as_str().chars().any(char::is_control));
            }
        }
    }
}
