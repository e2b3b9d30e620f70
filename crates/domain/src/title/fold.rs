//! Folding: letters and digits in lower-case ASCII, whatever the script.

use deunicode::deunicode_char;

/// The words of a text. Dots vanish inside abbreviations (S.V.P. is svp), `&` and `+` are read as "and".
pub(super) fn fold_words(text: &str) -> Vec<String> {
    let mut folded = String::with_capacity(text.len());
    let mut letters = text.chars().peekable();
    let mut run = 0_usize;
    while let Some(letter) = letters.next() {
        match letter {
            '&' | '+' => folded.push_str(" and "),
            // After a single letter, and before another one.
            '.' if run == 1 && letters.peek().is_some_and(|next| next.is_alphabetic()) => {
                run = 0;
                continue;
            }
            // Symbols have names, which are no words of the title.
            letter if letter.is_alphanumeric() => {
                folded.push_str(&deunicode_char(letter).unwrap_or_default().to_ascii_lowercase());
                run += 1;
                continue;
            }
            _ => folded.push(' '),
        }
        run = 0;
    }
    folded.split_whitespace().map(str::to_owned).collect()
}

#[cfg(test)]
mod tests {
    use super::fold_words;

    #[test]
    fn words_are_ascii_and_symbols_say_nothing() {
        assert_eq!(fold_words("S.V.P., Human Resources"), ["svp", "human", "resources"]);
        assert_eq!(fold_words("Geschäftsführer 🚀 R&D"), ["geschaftsfuhrer", "r", "and", "d"]);
        assert_eq!(fold_words("Sr. Dir. Księgowa"), ["sr", "dir", "ksiegowa"]);
        assert!(fold_words("—").is_empty());
    }
}
