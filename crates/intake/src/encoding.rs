//! How the letters of a CSV file are written.

use std::str::FromStr;

/// Bytes 0x80 to 0x9f of Windows-1252, which is what files that call themselves Latin-1 are. Those without a meaning are
/// the control characters of Latin-1, which no value may have.
const HIGH: [char; 32] = [
    '€', '\u{81}', '‚', 'ƒ', '„', '…', '†', '‡', 'ˆ', '‰', 'Š', '‹', 'Œ', '\u{8d}', 'Ž', '\u{8f}', '\u{90}',
    '‘', '’', '“', '”', '•', '–', '—', '˜', '™', 'š', '›', 'œ', '\u{9d}', 'ž', 'Ÿ',
];
const HIGH_BEGIN: u8 = 0x80;

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Encoding {
    #[default]
    Utf8,
    /// ISO 8859-1 as spreadsheets write it, which is Windows-1252.
    Latin1,
}

impl Encoding {
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Utf8 => "utf-8",
            Self::Latin1 => "latin-1",
        }
    }

    /// By the beginning of a file, which may end inside of a character. In Latin-1, letters beyond ASCII next to never look
    /// like UTF-8; a file with more that do is in UTF-8 and broken here and there.
    pub(crate) fn guess(sample: &[u8]) -> Self {
        let (mut fine, mut broken) = (0_usize, 0_usize);
        for chunk in sample.utf8_chunks() {
            fine += chunk.valid().chars().filter(|c| !c.is_ascii()).count();
            broken += usize::from(!chunk.invalid().is_empty());
        }
        let ends_inside = std::str::from_utf8(sample).is_err_and(|error| error.error_len().is_none());
        if broken > fine && !(ends_inside && broken == 1) { Self::Latin1 } else { Self::Utf8 }
    }
}

impl FromStr for Encoding {
    type Err = ();

    fn from_str(text: &str) -> Result<Self, ()> {
        [Self::Utf8, Self::Latin1].into_iter().find(|it| it.as_str() == text).ok_or(())
    }
}

/// Appends what the bytes say in Latin-1, as UTF-8.
pub(crate) fn decode_latin1(bytes: &[u8], out: &mut Vec<u8>) {
    for byte in bytes {
        let index = byte.checked_sub(HIGH_BEGIN).map(usize::from);
        let letter = index.and_then(|index| HIGH.get(index)).copied().unwrap_or(char::from(*byte));
        out.extend_from_slice(letter.encode_utf8(&mut [0; 4]).as_bytes());
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn latin_1_is_read_as_spreadsheets_write_it() {
        let mut out = Vec::new();
        decode_latin1(b"M\xfcller \x80 \x93x\x94 \xff", &mut out);
        assert_eq!(String::from_utf8(out).unwrap(), "Müller € “x” ÿ");
    }

    #[test]
    fn a_sample_that_ends_inside_of_a_character_is_still_utf_8() {
        assert_eq!(Encoding::guess("aé".as_bytes()), Encoding::Utf8);
        assert_eq!(Encoding::guess(b"a\xc3"), Encoding::Utf8);
        assert_eq!(Encoding::guess(b"M\xfcller"), Encoding::Latin1);
        assert_eq!(Encoding::guess(b"M\xc3\xbcller, Z\xc3\xbcrich, M\xfcller"), Encoding::Utf8);
    }
}
