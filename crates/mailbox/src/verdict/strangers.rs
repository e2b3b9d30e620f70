//! Strangers: recipients that nobody has, to see whether a server accepts everyone.

use assay_domain::Email;
use rand::{Rng, RngExt};

/// One could exist after all, or be let through by chance.
const COUNT: usize = 2;
/// Long enough that nobody has such a name; of no one length, so that they are harder to tell from people.
const LENGTHS: std::ops::RangeInclusive<usize> = 12..=16;
const LETTERS: &[u8] = b"abcdefghijklmnopqrstuvwxyz0123456789";

/// Two recipients at a host that do not exist; fewer where no name fits before the host.
///
/// A generator seeded alike draws the same ones, which a server that makes everyone wait has to be told of again.
pub fn draw_strangers(host: &str, random: &mut impl Rng) -> Vec<Email> {
    let names: Vec<String> = (0..COUNT).map(|_| draw_name(random)).collect();
    names.iter().filter_map(|name| Email::parse(&format!("{name}@{host}")).ok()).collect()
}

fn draw_name(random: &mut impl Rng) -> String {
    let length = random.random_range(LENGTHS);
    let letter = |_| LETTERS.get(random.random_range(0..LETTERS.len())).map(|byte| char::from(*byte));
    (0..length).filter_map(letter).collect()
}
