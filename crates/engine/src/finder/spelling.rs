//! The ways in which the parts of a name are spelt in mailboxes: double names, particles, nicknames, foreign letters.

use assay_domain::PersonName;
use assay_domain::name::fold_text;

use super::choice::{Choice, Topic, Way};
use super::letters::{Mark, mark_of, plain, spelt, split_han};
use super::probability::Probability;
use crate::likeness::{GivenLikeness, compare_given, given_forms};

/// Words before a family name that belong to it.
const PARTICLES: &[&str] = &[
    "abu", "af", "al", "av", "bin", "d", "da", "das", "de", "del", "della", "den", "der", "di", "do", "dos",
    "du", "e", "el", "ibn", "la", "las", "le", "les", "los", "mac", "mc", "op", "san", "st", "t", "te",
    "ten", "ter", "van", "von", "y", "zu", "zum", "zur",
];
const TITLES: &[&str] = &["dr", "frau", "herr", "ing", "miss", "mr", "mrs", "ms", "prof", "sir"];
const GENERATIONS: &[&str] = &["jr", "sr", "ii", "iii", "iv", "phd", "md", "mba"];

/// Among the other forms of a given name, those that begin alike are so many times likelier: rob rather than bob.
const ALIKE_FORM_WEIGHT: u128 = 3;
/// More forms share too little to be worth a question.
const FORMS_MAX: usize = 8;

/// One way to spell a part of a name.
#[derive(Clone, PartialEq, Eq)]
pub(super) struct Spelling {
    pub(super) text: String,
    /// What was chosen for it; how likely that is, the habits of the company say.
    pub(super) choices: Vec<Choice>,
    /// What is the person's own: which of several other forms of the name.
    pub(super) personal: Probability,
}

impl Spelling {
    fn new(text: String, choices: Vec<Choice>) -> Self {
        Self { text, choices, personal: Probability::CERTAIN }
    }

    /// Its first letter alone.
    pub(super) fn shortened(self) -> Self {
        Self { text: self.text.chars().take(1).collect(), ..self }
    }
}

/// A name with its foreign letters written in one way, and the spellings of its parts.
#[derive(Clone)]
pub(super) struct Writing {
    pub(super) marks: Option<Choice>,
    pub(super) given: Vec<Spelling>,
    pub(super) initials: Vec<Spelling>,
    pub(super) family: Vec<Spelling>,
    pub(super) middle: Option<char>,
}

impl std::fmt::Debug for Spelling {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(out, "Spelling({:?})", self.choices)
    }
}

impl std::fmt::Debug for Writing {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(out, "Writing({:?}, {} given, {} family)", self.marks, self.given.len(), self.family.len())
    }
}

/// The name written in the letters of a mailbox, in each way that differs.
pub(super) fn writings(name: &PersonName) -> Vec<Writing> {
    let (given, family) = parts_of(name);
    let middle = middle_initial(name, &given);
    let words = given.iter().chain(&family).map(|word| word.text.as_str());
    let write = |marks: Option<Choice>, form: fn(&str) -> String| {
        let given: Vec<Word> = given.iter().filter_map(|word| word.written(form)).collect();
        let family: Vec<Word> = family.iter().filter_map(|word| word.written(form)).collect();
        Writing {
            marks,
            initials: initials(&given),
            given: given_spellings(&given),
            family: family_spellings(&family),
            middle,
        }
    };
    let topic = match words.filter_map(mark_of).next() {
        None => return vec![write(None, plain)],
        Some(Mark::Umlaut) => Topic::Umlauts,
        Some(Mark::Nordic) => Topic::Nordic,
        Some(Mark::Script) => Topic::Script,
    };
    vec![write(Some((topic, Way::Plain)), plain), write(Some((topic, Way::Spelt)), spelt)]
}

/// A word of a name, and what joins it to the one before.
#[derive(Clone)]
struct Word {
    text: String,
    is_hyphened: bool,
    has_apostrophe: bool,
}

impl Word {
    fn written(&self, form: fn(&str) -> String) -> Option<Self> {
        let text = form(&self.text);
        (!text.is_empty()).then(|| Self { text, ..self.clone() })
    }
}

fn words_of(part: &str) -> Vec<Word> {
    let mut words = Vec::new();
    for spaced in part.split([' ', ',', '\u{a0}']).filter(|word| !word.is_empty()) {
        let pieces =
            spaced.split(['-', '\u{2010}', '\u{2011}', '\u{2013}']).filter(|piece| !piece.is_empty());
        for (at, piece) in pieces.enumerate() {
            let has_apostrophe = piece.trim_end_matches(['\'', '\u{2019}']).contains(['\'', '\u{2019}']);
            words.push(Word { text: piece.to_owned(), is_hyphened: at > 0, has_apostrophe });
        }
    }
    while words.len() > 1
        && words.first().is_some_and(|word| TITLES.contains(&fold_text(&word.text).as_str()))
    {
        words.remove(0);
    }
    words
}

/// Given and family name as written. Where they were not told apart, the last word is the family name, with its particles.
fn parts_of(name: &PersonName) -> (Vec<Word>, Vec<Word>) {
    let (mut given, mut family) = if let (Some(first), Some(last)) = (name.first(), name.last()) {
        (words_of(first), words_of(last))
    } else if let Some((given, family)) = split_han(name.full()) {
        (words_of(&given), words_of(&family))
    } else {
        let mut words = words_of(name.full());
        drop_generation(&mut words);
        let mut cut = words.len().saturating_sub(1);
        while cut > 1
            && words.get(cut).is_some_and(|word| word.is_hyphened)
                | words.get(cut - 1).is_some_and(|word| is_particle(&word.text))
        {
            cut -= 1;
        }
        let family = words.split_off(cut.max(1).min(words.len()));
        (words, family)
    };
    drop_generation(&mut family);
    // An initial behind a name is a middle name; a name of initials alone stays.
    if given.first().is_some_and(|word| plain(&word.text).len() > 1) {
        let mut at = 0;
        given.retain(|word| {
            at += 1;
            at == 1 || plain(&word.text).len() > 1
        });
    }
    (given, family)
}

fn drop_generation(words: &mut Vec<Word>) {
    while words.len() > 1
        && words.last().is_some_and(|word| GENERATIONS.contains(&fold_text(&word.text).as_str()))
    {
        words.pop();
    }
}

fn is_particle(word: &str) -> bool {
    PARTICLES.contains(&fold_text(word).as_str())
}

/// The letter of a second given name, where one is written.
fn middle_initial(name: &PersonName, given: &[Word]) -> Option<char> {
    let second = given.get(1).filter(|word| !word.is_hyphened).map(|word| plain(&word.text));
    let lone = || fold_text(name.full()).split(' ').skip(1).find(|word| word.len() == 1).map(str::to_owned);
    second.or_else(lone)?.chars().next().filter(char::is_ascii_alphabetic)
}

fn given_spellings(words: &[Word]) -> Vec<Spelling> {
    let [first, rest @ ..] = words else { return Vec::new() };
    if rest.is_empty() {
        return forms_of(&first.text);
    }
    let topic =
        if rest.iter().all(|word| word.is_hyphened) { Topic::GivenHyphened } else { Topic::GivenSpaced };
    double_spellings(words, topic)
}

/// A given name as written, and the other forms of it.
fn forms_of(name: &str) -> Vec<Spelling> {
    let mut forms: Vec<String> = given_forms(name).into_iter().skip(1).map(|form| plain(&form)).collect();
    forms.retain(|form| form.len() > 1 && form != name);
    let is_short = forms
        .iter()
        .any(|form| form.len() > name.len() && compare_given(name, form) == GivenLikeness::Nickname);
    let topic = if is_short { Topic::ShortGiven } else { Topic::LongGiven };
    let weight = |form: &str| if begin_alike(form, name) { ALIKE_FORM_WEIGHT } else { 1 };
    // Stable, so that what the name is short for stays before its other short forms.
    forms.sort_by_key(|form| std::cmp::Reverse(weight(form)));
    forms.truncate(FORMS_MAX);
    let total: u128 = forms.iter().map(|form| weight(form)).sum();
    let mut spellings = vec![Spelling::new(name.to_owned(), vec![(topic, Way::AsWritten)])];
    spellings.extend(forms.iter().map(|form| Spelling {
        text: form.clone(),
        choices: vec![(topic, Way::OtherForm)],
        personal: Probability::of(weight(form), total),
    }));
    if total == 0 {
        // Who has no other form is not doubted.
        spellings.iter_mut().for_each(|spelling| spelling.choices.clear());
    }
    spellings
}

fn begin_alike(one: &str, other: &str) -> bool {
    one.bytes().zip(other.bytes()).take(3).filter(|(one, other)| one == other).count() == 3
}

/// The first letter, and of a double name both.
fn initials(words: &[Word]) -> Vec<Spelling> {
    let letter = |word: &Word| word.text.chars().next();
    match words {
        [] => Vec::new(),
        [_] => given_spellings(words).into_iter().map(Spelling::shortened).collect(),
        [first, ..] => {
            let both: String = words.iter().filter_map(letter).collect();
            let one: String = letter(first).into_iter().collect();
            vec![
                Spelling::new(one, vec![(Topic::GivenInitials, Way::FirstOnly)]),
                Spelling::new(both, vec![(Topic::GivenInitials, Way::Joined)]),
            ]
        }
    }
}

fn family_spellings(words: &[Word]) -> Vec<Spelling> {
    let lead =
        words.iter().take_while(|word| is_particle(&word.text)).count().min(words.len().saturating_sub(1));
    let (particles, names) = words.split_at_checked(lead).unwrap_or((&[], words));
    let names = join_inner_particles(names);
    let core = match names.as_slice() {
        [] => return Vec::new(),
        [name] => single_spellings(name),
        [_, rest @ ..] if rest.iter().all(|word| word.is_hyphened) => {
            double_spellings(&names, Topic::FamilyHyphened)
        }
        _ => double_spellings(&names, Topic::FamilySpaced),
    };
    if particles.is_empty() {
        return core;
    }
    let texts: Vec<&str> = particles.iter().map(|word| word.text.as_str()).collect();
    let letters: String = texts.iter().filter_map(|text| text.chars().next()).collect();
    let ways = [
        (Way::Joined, texts.concat()),
        (Way::LastOnly, String::new()),
        (Way::Shortened, letters),
        (Way::Hyphened, [texts.join("-").as_str(), "-"].concat()),
        (Way::Dotted, [texts.join(".").as_str(), "."].concat()),
    ];
    let each = |spelling: &Spelling| {
        ways.each_ref().map(|(way, before)| {
            let mut choices = spelling.choices.clone();
            choices.push((Topic::Particles, *way));
            Spelling::new([before.as_str(), &spelling.text].concat(), choices)
        })
    };
    core.iter().flat_map(each).collect()
}

/// Silva dos Santos has two family names, Silva and dos Santos.
fn join_inner_particles(words: &[Word]) -> Vec<Word> {
    let mut joined: Vec<Word> = Vec::new();
    let mut before = String::new();
    for (at, word) in words.iter().enumerate() {
        if at > 0 && at + 1 < words.len() && is_particle(&word.text) {
            before.push_str(&word.text);
            continue;
        }
        joined.push(Word { text: [before.as_str(), &word.text].concat(), ..word.clone() });
        before.clear();
    }
    joined
}

fn single_spellings(word: &Word) -> Vec<Spelling> {
    // The letter before an apostrophe is one: o'neil, d'souza.
    let cut = word.text.split_at_checked(1).filter(|_| word.has_apostrophe);
    match cut {
        None => vec![Spelling::new(word.text.clone(), Vec::new())],
        Some((letter, rest)) => vec![
            Spelling::new(word.text.clone(), vec![(Topic::Apostrophe, Way::Plain)]),
            Spelling::new([letter, "'", rest].concat(), vec![(Topic::Apostrophe, Way::Kept)]),
        ],
    }
}

fn double_spellings(words: &[Word], topic: Topic) -> Vec<Spelling> {
    let texts: Vec<&str> = words.iter().map(|word| word.text.as_str()).collect();
    let one = |text: Option<&&str>| text.map(|text| (*text).to_owned()).unwrap_or_default();
    [
        (Way::Joined, texts.concat()),
        (Way::Hyphened, texts.join("-")),
        (Way::Dotted, texts.join(".")),
        (Way::FirstOnly, one(texts.first())),
        (Way::LastOnly, one(texts.last())),
    ]
    .into_iter()
    .map(|(way, text)| Spelling::new(text, vec![(topic, way)]))
    .collect()
}
