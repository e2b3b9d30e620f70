//! The words of a reply, and how phrases are looked for among them.
//!
//! A phrase is whole words in a row, lower-case, without accents and punctuation; `a + b` wants both, in any order.
//! What holds letters of no alphabet is looked for inside of words, since such texts have no spaces.

/// What servers write when they mean one thing.
pub(super) type Phrases = &'static [&'static str];

/// The words of a reply, without anything that is an address: `spam.full@…` says nothing of spam.
pub(super) struct Words(String);

impl Words {
    pub(super) fn of(lines: &[String]) -> Self {
        let mut words = String::from(" ");
        for token in
            lines.iter().flat_map(|line| line.split_whitespace()).filter(|token| !token.contains('@'))
        {
            for c in token.chars().flat_map(char::to_lowercase) {
                match fold(c) {
                    Some(plain) => words.push_str(plain),
                    None if c.is_alphanumeric() => words.push(c),
                    None if words.ends_with(' ') => {}
                    None => words.push(' '),
                }
            }
            if !words.ends_with(' ') {
                words.push(' ');
            }
        }
        Self(words)
    }

    pub(super) fn have(&self, phrases: Phrases) -> bool {
        phrases.iter().any(|phrase| phrase.split(" + ").all(|part| self.holds(part)))
    }

    fn holds(&self, part: &str) -> bool {
        if !part.is_ascii() {
            return self.0.contains(part);
        }
        self.0.match_indices(part).any(|(at, found)| {
            let before = self.0.get(..at).unwrap_or_default();
            let after = self.0.get(at.saturating_add(found.len())..).unwrap_or_default();
            before.ends_with(' ') && after.starts_with(' ')
        })
    }
}

/// Letters of western Europe without their accents. Nothing is left of an apostrophe: "doesn't" is one word.
fn fold(c: char) -> Option<&'static str> {
    Some(match c {
        'à' | 'á' | 'â' | 'ã' | 'å' => "a",
        'ä' => "ae",
        'ö' => "oe",
        'ü' => "ue",
        'ß' => "ss",
        'é' | 'è' | 'ê' | 'ë' => "e",
        'í' | 'î' | 'ï' | 'ì' => "i",
        'ó' | 'ô' | 'õ' | 'ò' => "o",
        'ú' | 'û' | 'ù' => "u",
        'ç' => "c",
        'ñ' => "n",
        '\'' | '’' => "",
        _ => return None,
    })
}
