//! Tables of a language that belong together: when something was, what is paid, and how purchases are told by notices.

use super::language::Words;

/// When something was, as a sentence tells it.
#[derive(Debug)]
pub(super) struct Past {
    /// Words for the past that only say that it was known before: `completes its previously announced purchase`.
    pub announced: Words,
    /// When it was, after the verb of a look back.
    pub ago: Words,
    /// A month in which money was raised is over; one in which a purchase closes may come.
    pub months: Words,
}

/// Purchases in the words of notices and contracts.
#[derive(Debug)]
pub(super) struct Pacts {
    /// Nouns for it around which both sides stand: `offer by A for B`.
    pub offers: Words,
    /// The same of whoever sells: `sale of B to A`.
    pub sales: Words,
    /// That it is agreed or done.
    pub definite: Words,
    /// What a contract and its price are called: their words buy and sell nothing.
    pub contracts: Words,
    /// Before the name of a company whose board or owners act.
    pub boards: Words,
}

impl Pacts {
    pub(super) fn new(words: &impl Fn(&str) -> Words) -> Self {
        Self {
            offers: words("offers"),
            sales: words("sales"),
            definite: words("definite"),
            contracts: words("contracts"),
            boards: words("boards"),
        }
    }
}

#[derive(Debug)]
pub(super) struct Paying {
    /// Buying when a sum follows, and then what it is paid for.
    pub pays: Words,
    pub pays_for: Words,
    pub prices: Words,
    /// What a sale of shares brings in.
    pub proceeds: Words,
}

impl Paying {
    pub(super) fn new(words: &impl Fn(&str) -> Words) -> Self {
        Self {
            pays: words("pays"),
            pays_for: words("pays_for"),
            prices: words("prices"),
            proceeds: words("proceeds"),
        }
    }
}

#[derive(Debug)]
pub(super) struct Bonds {
    /// That a debt is a security on the market, or replaces another debt: no new money.
    pub bonds: Words,
    /// That somebody who is named took it all: it is not sold on the market.
    pub subscribed: Words,
}

impl Bonds {
    pub(super) fn new(words: &impl Fn(&str) -> Words) -> Self {
        Self { bonds: words("bonds"), subscribed: words("subscribed") }
    }
}
