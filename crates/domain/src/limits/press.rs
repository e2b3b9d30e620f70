//! What bounds the reading of press releases.

/// Of a release: what is announced stands at its beginning, and what follows is boilerplate.
pub const PRESS_TITLE_BYTES_MAX: usize = 1024;
pub const PRESS_BODY_BYTES_MAX: usize = 32 * 1024;
/// Sentences of the body that are looked at, and words of one of them. Tables of numbers make long ones.
pub const PRESS_SENTENCES_MAX: usize = 24;
pub const PRESS_SENTENCE_WORDS_MAX: usize = 120;
/// Sentences at the beginning in which a round or a purchase may be told that the title does not tell.
pub const PRESS_LEAD_SENTENCES: usize = 3;
/// A longer name is a misread sentence.
pub const PRESS_NAME_WORDS_MAX: usize = 8;
pub const PRESS_NAME_BYTES_MAX: usize = 120;
pub const PRESS_INVESTORS_MAX: usize = 40;
