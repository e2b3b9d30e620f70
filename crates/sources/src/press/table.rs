//! Files of words: a name, a colon and phrases on a line; a line that begins with a space goes on with the last.

/// The lines of a file as names and phrases, in their order.
pub(super) fn lines(file: &'static str) -> Vec<(&'static str, Vec<&'static str>)> {
    let mut found: Vec<(&'static str, Vec<&'static str>)> = Vec::new();
    for line in file.lines().filter(|line| !line.starts_with('#') && !line.trim().is_empty()) {
        let words = |text: &'static str| text.split(',').map(str::trim).filter(|word| !word.is_empty());
        match (line.starts_with(' '), line.split_once(": "), found.last_mut()) {
            (true, _, Some((_, phrases))) => phrases.extend(words(line)),
            (_, Some((name, rest)), _) => found.push((name, words(rest).collect())),
            _ => {}
        }
    }
    found
}

/// All phrases under a name. They are kept for as long as the process lives.
pub(super) fn words_of(lines: &[(&'static str, Vec<&'static str>)], name: &str) -> &'static [&'static str] {
    let named = lines.iter().filter(|(line, _)| *line == name);
    named.flat_map(|(_, phrases)| phrases.iter().copied()).collect::<Vec<_>>().leak()
}

/// Whether the word is one of those in the list, which spaces part.
pub(super) fn is_one_of(word: &str, list: &str) -> bool {
    list.split_ascii_whitespace().any(|known| known == word)
}
