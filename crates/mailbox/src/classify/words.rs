//! The words of a reply, and how phrases are looked for among them.
//!
//! A phrase is whole words in a row, lower-case, without accents and punctuation; `a + b` wants both, in any order.
//! Where a sentence is wanted, its parts are phrases too, and nothing but the small words named may stand between them.
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

    /// Whether one of the phrases follows one of the names, unless `barred` stands before that name.
    pub(super) fn have_after(
        &self,
        names: &[Phrases],
        between: Phrases,
        phrases: Phrases,
        barred: &[Phrases],
    ) -> bool {
        self.places(phrases).any(|(before, _)| {
            let near = cut_all_from_end(before, between);
            let rest = shortest(names.iter().copied().flatten().filter_map(|name| cut_end(near, name)));
            let is_barred = |rest| barred.iter().copied().flatten().any(|it| cut_end(rest, it).is_some());
            rest.is_some_and(|rest| !is_barred(rest))
        })
    }

    /// Whether one of the names follows one of the phrases, unless `barred` stands behind that name.
    pub(super) fn have_before(&self, names: &[Phrases], phrases: Phrases, barred: Phrases) -> bool {
        self.places(phrases).any(|(_, after)| {
            let rest = shortest(names.iter().copied().flatten().filter_map(|name| cut_start(after, name)));
            rest.is_some_and(|rest| !barred.iter().any(|it| cut_start(rest, it).is_some()))
        })
    }

    fn holds(&self, part: &str) -> bool {
        if !part.is_ascii() {
            return self.0.contains(part);
        }
        self.split_at(part).next().is_some()
    }

    /// What stands before and behind each of the phrases, wherever it is.
    fn places(&self, phrases: Phrases) -> impl Iterator<Item = (&str, &str)> {
        phrases.iter().flat_map(|phrase| self.split_at(phrase))
    }

    fn split_at<'words>(&'words self, part: &'words str) -> impl Iterator<Item = (&'words str, &'words str)> {
        self.0.match_indices(part).filter_map(|(at, found)| {
            let before = self.0.get(..at)?;
            let after = self.0.get(at.saturating_add(found.len())..)?;
            (before.ends_with(' ') && after.starts_with(' ')).then_some((before, after))
        })
    }
}

/// Without the phrase it ends in.
fn cut_end<'text>(text: &'text str, phrase: &str) -> Option<&'text str> {
    text.strip_suffix(' ')?.strip_suffix(phrase).filter(|rest| rest.ends_with(' '))
}

/// Without the phrase it starts with.
fn cut_start<'text>(text: &'text str, phrase: &str) -> Option<&'text str> {
    text.strip_prefix(' ')?.strip_prefix(phrase).filter(|rest| rest.starts_with(' '))
}

/// What is left when the longest name is gone, of those that end alike.
fn shortest<'text>(rests: impl Iterator<Item = &'text str>) -> Option<&'text str> {
    rests.min_by_key(|rest| rest.len())
}

/// Without all of the phrases in a row that it ends in.
fn cut_all_from_end(mut text: &str, phrases: Phrases) -> &str {
    while let Some(rest) = phrases.iter().find_map(|phrase| cut_end(text, phrase)) {
        text = rest;
    }
    text
}

/// Letters of western Europe and of Poland without their accents. Nothing is left of an apostrophe: "doesn't" is one word.
fn fold(c: char) -> Option<&'static str> {
    Some(match c {
        'à' | 'á' | 'â' | 'ã' | 'å' | 'ą' => "a",
        'ä' | 'æ' => "ae",
        'ö' | 'œ' => "oe",
        'ü' => "ue",
        'ß' => "ss",
        'é' | 'è' | 'ê' | 'ë' | 'ę' => "e",
        'í' | 'î' | 'ï' | 'ì' => "i",
        'ó' | 'ô' | 'õ' | 'ò' => "o",
        'ú' | 'û' | 'ù' => "u",
        'ç' | 'ć' => "c",
        'ñ' | 'ń' => "n",
        'ł' => "l",
        'ś' => "s",
        'ź' | 'ż' => "z",
        '\'' | '’' => "",
        _ => return None,
    })
}
