//! A release as sentences, and a sentence as tokens: words, numbers, signs of currencies and marks.

use super::front::without_front;
use super::table::is_one_of;
use assay_domain::limits::{PRESS_BODY_BYTES_MAX, PRESS_SENTENCE_WORDS_MAX, PRESS_SENTENCES_MAX};

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    Word,
    Number,
    /// A sign as `€`, which may follow letters as in `US$`.
    Sign(char),
    Mark(char),
}

#[derive(Debug, Clone)]
pub(super) struct Token<'a> {
    pub text: &'a str,
    pub lower: String,
    pub at: usize,
    pub kind: Kind,
    /// Whether a space stands before it.
    pub spaced: bool,
}

impl Token<'_> {
    pub fn end(&self) -> usize {
        self.at + self.text.len()
    }

    pub fn is_mark(&self, marks: &str) -> bool {
        matches!(self.kind, Kind::Mark(mark) if marks.contains(mark))
    }

    /// Begins with a capital, or has one inside, as brands do.
    pub fn is_capital(&self) -> bool {
        // `mid-2027` is no brand.
        let is_dated = || {
            self.text.rsplit_once('-').is_some_and(|(head, year)| {
                year.len() == 4 && year.parse::<u16>().is_ok() && head.chars().all(char::is_lowercase)
            })
        };
        let has_capital = self.text.chars().any(|it| it.is_uppercase() || it.is_ascii_digit());
        self.kind == Kind::Word && has_capital && !is_dated()
    }

    pub fn is_shouted(&self) -> bool {
        self.text.chars().filter(|it| it.is_alphabetic()).count() >= 3
            && !self.text.chars().any(char::is_lowercase)
    }
}

/// One sentence, or the title.
#[derive(Debug, Clone)]
pub(super) struct Passage<'a> {
    pub text: &'a str,
    pub tokens: Vec<Token<'a>>,
}

impl<'a> Passage<'a> {
    pub fn new(text: &'a str) -> Self {
        Self { text, tokens: tokens(text) }
    }

    pub fn slice(&self, from: usize, to: usize) -> &'a str {
        let start = self.tokens.get(from).map(|token| token.at);
        let end = to.checked_sub(1).and_then(|last| self.tokens.get(last)).map(Token::end);
        start.zip(end).and_then(|(start, end)| self.text.get(start..end)).unwrap_or_default()
    }
}

/// The longest beginning of the text that has at most so many bytes.
pub(super) fn shorten(text: &str, bytes_max: usize) -> &str {
    let mut end = bytes_max.min(text.len());
    while !text.is_char_boundary(end) {
        end -= 1;
    }
    text.get(..end).unwrap_or_default()
}

const SIGNS: &str = "$€£¥₹₩₪₦₺₽฿₱₸₫₴₵¢";
const APOSTROPHES: &str = "'’";
/// Hyphens that hold a word together.
const HYPHENS: &str = "-‑";

fn tokens(text: &str) -> Vec<Token<'_>> {
    let mut found = Vec::new();
    let mut at = 0;
    let mut spaced = true;
    while let Some(first) = text.get(at..).and_then(|rest| rest.chars().next()) {
        if first.is_whitespace() {
            spaced = true;
            at += first.len_utf8();
            continue;
        }
        let rest = text.get(at..).unwrap_or_default();
        let (length, kind) = measure(rest, first);
        let word = rest.get(..length).unwrap_or_default();
        found.push(Token { text: word, lower: word.to_lowercase().replace('’', "'"), at, kind, spaced });
        if found.len() >= PRESS_SENTENCE_WORDS_MAX {
            break;
        }
        spaced = false;
        at += length.max(first.len_utf8());
    }
    found
}

fn measure(rest: &str, first: char) -> (usize, Kind) {
    if first.is_numeric() {
        return digit_name(rest)
            .map_or_else(|| (number_length(rest), Kind::Number), |length| (length, Kind::Word));
    }
    if SIGNS.contains(first) {
        return (first.len_utf8(), Kind::Sign(first));
    }
    if first.is_alphabetic() {
        // `Pedalen A/S`.
        let form =
            rest.strip_prefix("A/S").filter(|after| !after.starts_with(char::is_alphanumeric)).map(|_| 3);
        return (form.or_else(|| prefix_length(rest)).unwrap_or_else(|| word_length(rest)), Kind::Word);
    }
    let genitive = APOSTROPHES.contains(first) && {
        let mut after = rest.chars().skip(1);
        matches!(after.next(), Some('s' | 'S')) && !after.next().is_some_and(char::is_alphanumeric)
    };
    let length = if genitive { first.len_utf8() + 1 } else { first.len_utf8() };
    (length, Kind::Mark(if APOSTROPHES.contains(first) { '\'' } else { first }))
}

/// `8fold`, `23andUs`: digits with a word right after them that is neither a power of ten nor a unit.
fn digit_name(rest: &str) -> Option<usize> {
    const UNITS: &str = "mila mio mln mrd mld mds million millions millionen milioni miljoen mkr mnkr mdkr tkr eur usd gbp \
        chf sek nok dkk teur keur kwh mwh gwh twh mwp kwp ghz mhz fach mal mal tägig jährig köpfig year day week month hour \
        min sqm mbit gbit ton tons crore lakh";
    let digits = rest.find(|it: char| !it.is_ascii_digit()).filter(|digits| *digits <= 3)?;
    let letters = rest.get(digits..)?;
    let length = letters.find(|it: char| !it.is_alphabetic()).unwrap_or(letters.len());
    let word = letters.get(..length)?.to_lowercase();
    (word.chars().count() >= 3 && !is_one_of(&word, UNITS)).then_some(digits + length)
}

/// Digits, and what separates digits from digits.
fn number_length(rest: &str) -> usize {
    let mut end = 0;
    let mut pending = 0;
    for letter in rest.chars() {
        if letter.is_numeric() {
            end += pending + letter.len_utf8();
            pending = 0;
        } else if pending == 0 && ".,'’".contains(letter) {
            pending = letter.len_utf8();
        } else {
            break;
        }
    }
    end
}

/// Currencies that are written right before their number, as `EUR5m` and `R95 million`.
const PREFIXES: &str = "Rs RM KSh Ksh Sh Tk kr Kr Fr SFr NIS Rp Ft";
const POWERS: &[&str] = &["m", "mn", "mln", "bn", "b", "k", "million", "billion", "crore", "lakh"];

/// The letters of a currency before the digits they are glued to.
fn prefix_length(rest: &str) -> Option<usize> {
    let digits = rest.find(|it: char| !it.is_alphabetic())?;
    let letters = rest.get(..digits)?;
    let after = rest.get(digits..)?;
    if !after.starts_with(|it: char| it.is_ascii_digit()) {
        return None;
    }
    let power = after.trim_start_matches(|it: char| it.is_ascii_digit() || ".,".contains(it));
    let power = power.trim_start_matches([' ', '-', '\u{a0}']).split(|it: char| !it.is_alphabetic()).next();
    let is_sum = power.is_some_and(|power| POWERS.contains(&power.to_lowercase().as_str()));
    let is_code = letters.len() == 3 && super::currency::is_code(letters);
    let is_prefix = is_one_of(letters, PREFIXES) || matches!(letters, "R" | "N" | "P");
    (is_code || is_prefix && is_sum).then_some(digits)
}

/// Letters and digits, held together by hyphens. An elided word (`d'`, `l'`) ends with its apostrophe.
fn word_length(rest: &str) -> usize {
    let mut end = 0;
    let mut letters = rest.char_indices().peekable();
    while let Some((at, letter)) = letters.next() {
        let next = letters.peek().map(|(_, next)| *next);
        // `Plumb.io`, `S.p.A`.
        let dots = letter == '.' && next.is_some_and(char::is_alphabetic);
        let joins = dots || HYPHENS.contains(letter) && next.is_some_and(char::is_alphanumeric);
        if letter.is_alphanumeric() || joins {
            end = at + letter.len_utf8();
            continue;
        }
        let genitive = rest.get(at + letter.len_utf8()..).is_some_and(|after| {
            let mut after = after.chars();
            matches!(after.next(), Some('s' | 'S')) && !after.next().is_some_and(char::is_alphanumeric)
        });
        if APOSTROPHES.contains(letter) && !genitive && next.is_some_and(char::is_alphabetic) {
            return at + letter.len_utf8();
        }
        break;
    }
    end
}

/// Words whose full stop ends no sentence, unless a word that begins sentences follows.
const ABBREVIATIONS: &str = "\
    mio mrd mln mld tsd inc corp ltd co llc plc jan feb mar apr jun jul aug sep sept oct nov dec dr mr \
    mrs ms st no nr approx ca vs calif mass la conn fla rs u.s bzw etc prof sr jr resp zzgl inkl incl \
    sra dott ing bn d.h z.b ggf kl art env aprox cia s.a s.p.a s.r.l b.v n.v a.g pty fr sfr";
const FORMS: &str = "\
    inc corp ltd co llc plc mio mrd mln bn pty s.a s.p.a s.r.l b.v n.v";
const MONTHS: &str = "\
    januar jänner februar feber märz april mai juni juli august september oktober november dezember january february march \
    may june july october december jan feb mar apr jun jul aug sep sept okt oct nov dez dec";
/// Words with which a sentence begins, even after an abbreviation.
const BEGINNINGS: &str = "\
    The It Its This That Terms Financial With In As Under Both A An Der Die Das Ein Eine Mit Zu Zum Über \
    Le La Les L Cette Ce El Los Las Il Lo I Gli De Het O Os Det Den Bolaget Lead-Investor Angeführt Led \
    Hinzu Auch Ook También Anche";

/// The sentences of a body, after the lines that tell place and date.
pub(super) fn sentences(body: &str) -> Vec<Passage<'_>> {
    let mut found = Vec::new();
    let body = shorten(body, PRESS_BODY_BYTES_MAX);
    let is_wrapped = is_wrapped(body);
    let mut rest = without_front(body);
    while found.len() < PRESS_SENTENCES_MAX && !rest.trim().is_empty() {
        let end = sentence_end(rest, is_wrapped);
        let (sentence, after) = rest.split_at_checked(end).unwrap_or((rest, ""));
        let sentence = sentence.trim();
        if !sentence.is_empty() {
            found.push(Passage::new(sentence));
        }
        rest = after;
    }
    found
}

/// Lines as long as those of a letter are broken where they are full, and not where a sentence ends.
fn is_wrapped(body: &str) -> bool {
    const LINE_BYTES: std::ops::RangeInclusive<usize> = 50..=110;
    let is_full =
        |line: &str| LINE_BYTES.contains(&line.len()) && !line.trim_end().ends_with(['.', '!', '?']);
    let lines = body.lines().filter(|line| !line.trim().is_empty());
    let (full, all) = lines.fold((0, 0), |(full, all), line| (full + usize::from(is_full(line)), all + 1));
    all >= 3 && full * 2 >= all
}

/// Whether a line ends here: at an empty one, and where lines are paragraphs always, but before a small letter.
fn ends_at_break(before: &str, rest: &str, is_wrapped: bool) -> bool {
    let next = rest.trim_start_matches([' ', '\t', '\r']);
    let goes_on = next.starts_with(char::is_lowercase)
        && !before.trim_end().ends_with(['.', '!', '?', '"', '”', '“', '»']);
    next.starts_with('\n') || !is_wrapped && !goes_on
}

fn sentence_end(text: &str, is_wrapped: bool) -> usize {
    for (at, letter) in text.char_indices() {
        let after = at + letter.len_utf8();
        let rest = text.get(after..).unwrap_or_default();
        let ends = match letter {
            '\n' => ends_at_break(text.get(..at).unwrap_or_default(), rest, is_wrapped),
            '!' | '?' | '…' => rest.starts_with(char::is_whitespace),
            '.' => ends_at_stop(text.get(..at).unwrap_or_default(), rest),
            _ => false,
        };
        if ends {
            return after;
        }
    }
    text.len()
}

fn ends_at_stop(before: &str, rest: &str) -> bool {
    let quoted = rest.trim_start_matches(['"', '”', '“', '»', '’', ')']);
    if !quoted.starts_with(char::is_whitespace) {
        return quoted.is_empty();
    }
    let next = quoted.trim_start();
    if next.starts_with(char::is_lowercase) {
        return false;
    }
    let start = shorten_back(before, 12);
    let last = start
        .rsplit(|it: char| it.is_whitespace() || "(,".contains(it))
        .next()
        .unwrap_or_default()
        .to_lowercase();
    let follower = next.split(|it: char| !it.is_alphanumeric() && it != '-').next().unwrap_or_default();
    let begins = is_one_of(follower, BEGINNINGS);
    if last.ends_with(|it: char| it.is_numeric()) && last.chars().all(char::is_numeric) && last.len() <= 2 {
        // `16. Dezember` and `1. April`.
        if is_one_of(&follower.to_lowercase(), MONTHS) {
            return false;
        }
        return begins
            || next.split_whitespace().nth(1).is_some_and(|word| !word.starts_with(char::is_numeric));
    }
    // `Series B.` ends a sentence, the initial of a person does not.
    let before_last = start.trim_end_matches(|it: char| !it.is_whitespace()).trim_end().to_lowercase();
    let is_series = ["series", "serie", "série", "serien"].iter().any(|word| before_last.ends_with(word));
    let single = last.chars().count() == 1 && !is_series;
    if is_one_of(&last, FORMS) || single {
        return begins;
    }
    !is_one_of(&last, ABBREVIATIONS)
}

fn shorten_back(text: &str, bytes_max: usize) -> &str {
    let mut start = text.len().saturating_sub(bytes_max);
    while !text.is_char_boundary(start) {
        start += 1;
    }
    text.get(start..).unwrap_or_default()
}
