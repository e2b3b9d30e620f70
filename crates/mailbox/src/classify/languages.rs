//! What mail servers write of a mailbox in languages other than English.
//!
//! English texts come from a few programs and are known word by word. In other languages operators write sentences of
//! their own, so a sentence is read: a name for the mailbox, then that there is none, and only small words in between.
//! Whatever else stands there may be what is really missing: a host, a certificate, the sender.

mod dutch;
mod french;
mod german;
mod italian;
mod polish;
mod portuguese;
mod spanish;

use super::words::{Phrases, Words};

/// How mailboxes are spoken of in a language.
pub(super) struct Language {
    /// What a mailbox is called that can be closed by whoever runs the server.
    account: Phrases,
    /// What it is called otherwise, or whoever reads it, or its address.
    mailbox: Phrases,
    /// Before a name for it: it is ours, or something is spoken of that only belongs to it, such as its server.
    not_theirs: Phrases,
    /// Small words that may stand between a name for it and what is said of it.
    between: Phrases,
    /// Said after its name: there is none.
    missing: Phrases,
    /// Said before its name: there is none.
    no_such: Phrases,
    /// Sentences that say the same in another order.
    unknown: Phrases,
    /// Plain enough, unless the code says that it is about something else.
    unknown_by_code: Phrases,
    /// Said after its name: it is closed.
    disabled: Phrases,
    full: Phrases,
    /// Not now.
    later: Phrases,
    /// A rule is the reason, or the sender is.
    ruled: Phrases,
}

const LANGUAGES: &[Language] = &[
    german::GERMAN,
    french::FRENCH,
    spanish::SPANISH,
    italian::ITALIAN,
    portuguese::PORTUGUESE,
    dutch::DUTCH,
    polish::POLISH,
];

/// Before a name for a mailbox, in any language: it is something else.
const NO_MAILBOX: Phrases = &["ip", "mx", "dns", "host", "server", "domain"];

/// Behind a name: it is no mailbox, or belongs to a server.
const OF_SERVERS: Phrases =
    &["ip", "du serveur", "del servidor", "del server", "do servidor", "van de server", "serwera"];

impl Language {
    fn names_nobody(&self, words: &Words) -> bool {
        let names = &[self.account, self.mailbox];
        words.have(self.unknown)
            || self.have_of(words, names, self.missing)
            || words.have_before(names, self.no_such, OF_SERVERS)
    }

    /// Whether one of the phrases is said of one of the names.
    fn have_of(&self, words: &Words, names: &[Phrases], phrases: Phrases) -> bool {
        words.have_after(names, self.between, phrases, &[self.not_theirs, NO_MAILBOX])
    }
}

pub(super) fn say_unknown(words: &Words) -> bool {
    LANGUAGES.iter().any(|language| language.names_nobody(words))
}

pub(super) fn say_unknown_by_code(words: &Words) -> bool {
    LANGUAGES.iter().any(|language| words.have(language.unknown_by_code))
}

pub(super) fn say_disabled(words: &Words) -> bool {
    LANGUAGES.iter().any(|language| language.have_of(words, &[language.account], language.disabled))
}

pub(super) fn say_full(words: &Words) -> bool {
    LANGUAGES.iter().any(|language| words.have(language.full))
}

pub(super) fn say_later(words: &Words) -> bool {
    LANGUAGES.iter().any(|language| words.have(language.later))
}

pub(super) fn say_rule(words: &Words) -> bool {
    LANGUAGES.iter().any(|language| words.have(language.ruled))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Others would never be found, or inside of words.
    #[test]
    fn phrases_of_all_languages_are_written_as_words_are_folded() {
        for language in LANGUAGES {
            let lists = [
                language.account,
                language.mailbox,
                language.not_theirs,
                language.between,
                language.missing,
                language.no_such,
                language.unknown,
                language.unknown_by_code,
                language.disabled,
                language.full,
                language.later,
                language.ruled,
            ];
            for phrase in lists.into_iter().flatten() {
                let is_plain = |c: char| c.is_ascii_lowercase() || c == ' ' || c == '+';
                assert!(phrase.chars().all(is_plain), "{phrase}");
            }
        }
    }
}
