//! Letters beyond ASCII: the ways in which they are written in a mailbox.

use assay_domain::name::fold_text;

/// How a letter outside ASCII came into a name, which decides how else it is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Mark {
    /// ä, ö and ü: with an e behind it in German, without in most other languages.
    Umlaut,
    /// ø and å.
    Nordic,
    /// Another alphabet: letter by letter, or as it is spoken.
    Script,
}

const UMLAUTS: &[(&str, &str)] = &[("ä", "ae"), ("ö", "oe"), ("ü", "ue")];
const NORDIC: &[(&str, &str)] = &[("ø", "oe"), ("å", "aa")];

/// A letter and the mark behind it are one letter.
const COMPOSED: &[(&str, &str)] =
    &[("a\u{308}", "ä"), ("o\u{308}", "ö"), ("u\u{308}", "ü"), ("a\u{30a}", "å")];

/// As Russian, Ukrainian and Bulgarian names are mostly written by those who have them; longer groups first.
const CYRILLIC: &[(&str, &str)] = &[
    ("ий", "y"),
    ("ый", "y"),
    ("ия", "ia"),
    ("ья", "ya"),
    ("ье", "ie"),
    ("а", "a"),
    ("б", "b"),
    ("в", "v"),
    ("г", "g"),
    ("ґ", "g"),
    ("д", "d"),
    ("е", "e"),
    ("ё", "e"),
    ("є", "ie"),
    ("ж", "zh"),
    ("з", "z"),
    ("и", "i"),
    ("і", "i"),
    ("ї", "i"),
    ("й", "y"),
    ("к", "k"),
    ("л", "l"),
    ("м", "m"),
    ("н", "n"),
    ("о", "o"),
    ("п", "p"),
    ("р", "r"),
    ("с", "s"),
    ("т", "t"),
    ("у", "u"),
    ("ф", "f"),
    ("х", "kh"),
    ("ц", "ts"),
    ("ч", "ch"),
    ("ш", "sh"),
    ("щ", "shch"),
    ("ъ", ""),
    ("ы", "y"),
    ("ь", ""),
    ("э", "e"),
    ("ю", "yu"),
    ("я", "ya"),
];

/// By sound, as passports of Greece have it; longer groups first, accents are gone by then.
const GREEK: &[(&str, &str)] = &[
    ("ου", "ou"),
    ("αυ", "av"),
    ("ευ", "ev"),
    ("μπ", "b"),
    ("γγ", "ng"),
    ("γκ", "gk"),
    ("α", "a"),
    ("β", "v"),
    ("γ", "g"),
    ("δ", "d"),
    ("ε", "e"),
    ("ζ", "z"),
    ("η", "i"),
    ("θ", "th"),
    ("ι", "i"),
    ("κ", "k"),
    ("λ", "l"),
    ("μ", "m"),
    ("ν", "n"),
    ("ξ", "x"),
    ("ο", "o"),
    ("π", "p"),
    ("ρ", "r"),
    ("σ", "s"),
    ("ς", "s"),
    ("τ", "t"),
    ("υ", "y"),
    ("φ", "f"),
    ("χ", "ch"),
    ("ψ", "ps"),
    ("ω", "o"),
];

const GREEK_ACCENTS: &[(&str, &str)] = &[
    ("ά", "α"),
    ("έ", "ε"),
    ("ή", "η"),
    ("ί", "ι"),
    ("ϊ", "ι"),
    ("ΐ", "ι"),
    ("ό", "ο"),
    ("ύ", "υ"),
    ("ϋ", "υ"),
    ("ώ", "ω"),
];

/// Arabic is written without its vowels, which no rule brings back: names that many have.
const ARABIC: &[(&str, &str)] = &[
    ("محمد", "mohamed"),
    ("أحمد", "ahmed"),
    ("احمد", "ahmed"),
    ("محمود", "mahmoud"),
    ("علي", "ali"),
    ("حسن", "hassan"),
    ("حسين", "hussein"),
    ("عمر", "omar"),
    ("خالد", "khaled"),
    ("يوسف", "youssef"),
    ("إبراهيم", "ibrahim"),
    ("مصطفى", "mostafa"),
    ("سعيد", "saeed"),
    ("فاطمة", "fatima"),
    ("مريم", "mariam"),
    ("سارة", "sara"),
    ("نور", "nour"),
];

/// The word in the letters of a mailbox, marks left out; empty if it has none of them.
pub(super) fn plain(word: &str) -> String {
    fold_text(word).chars().filter(char::is_ascii_alphanumeric).collect()
}

/// The word with its marks written out or its alphabet by sound, where that can differ from the plain form.
pub(super) fn spelt(word: &str) -> String {
    let mut text = compose(word);
    if let Some((_, known)) = ARABIC.iter().find(|(written, _)| *written == text) {
        return (*known).to_owned();
    }
    for table in [UMLAUTS, NORDIC, GREEK_ACCENTS, GREEK, CYRILLIC] {
        text = replace(text, table);
    }
    plain(&text)
}

/// What kind of letters make the two forms differ.
pub(super) fn mark_of(word: &str) -> Option<Mark> {
    if plain(word) == spelt(word) {
        return None;
    }
    let text = compose(word);
    let has = |table: &[(&str, &str)]| table.iter().any(|(letter, _)| text.contains(letter));
    Some(match () {
        () if has(UMLAUTS) => Mark::Umlaut,
        () if has(NORDIC) => Mark::Nordic,
        () => Mark::Script,
    })
}

/// Names of two to four signs are a family name of one sign and a given name: 王小明.
pub(super) fn split_han(word: &str) -> Option<(String, String)> {
    let is_han = |letter: char| ('\u{4e00}'..='\u{9fff}').contains(&letter);
    let mut letters = word.chars();
    let family = letters.next()?;
    let given: String = letters.collect();
    let fits = is_han(family) && given.chars().all(is_han) && (1..=3).contains(&given.chars().count());
    fits.then(|| (given, family.to_string()))
}

fn compose(word: &str) -> String {
    replace(word.to_lowercase(), COMPOSED)
}

fn replace(text: String, table: &[(&str, &str)]) -> String {
    if text.is_ascii() {
        return text;
    }
    table
        .iter()
        .fold(text, |text, (from, to)| if text.contains(from) { text.replace(from, to) } else { text })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn letters_outside_ascii_have_a_plain_and_a_spelt_form() {
        for (word, without, with) in [
            ("Müller", "muller", "mueller"),
            ("Mu\u{308}ller", "muller", "mueller"),
            ("Strauß", "strauss", "strauss"),
            ("Søren", "soren", "soeren"),
            ("Muñoz", "munoz", "munoz"),
            ("Åberg", "aberg", "aaberg"),
            ("Łukasz", "lukasz", "lukasz"),
            ("O’Neil", "oneil", "oneil"),
        ] {
            assert_eq!((plain(word).as_str(), spelt(word).as_str()), (without, with), "{word}");
        }
    }

    #[test]
    fn other_alphabets_are_written_by_sound() {
        assert_eq!(spelt("Дмитрий"), "dmitry");
        assert_eq!(spelt("Юлия"), "yulia");
        assert_eq!(spelt("Παπαδόπουλος"), "papadopoulos");
        assert_eq!(spelt("محمد"), "mohamed");
        assert_eq!(plain("小明"), "xiaoming");
        assert_eq!(split_han("王小明"), Some(("小明".to_owned(), "王".to_owned())));
        assert_eq!(split_han("Wang"), None);
    }

    #[test]
    fn only_letters_that_can_be_written_in_two_ways_are_marks() {
        assert_eq!(mark_of("Jürgen"), Some(Mark::Umlaut));
        assert_eq!(mark_of("Bjørn"), Some(Mark::Nordic));
        assert_eq!(mark_of("Дмитрий"), Some(Mark::Script));
        assert_eq!(mark_of("José"), None);
    }
}
