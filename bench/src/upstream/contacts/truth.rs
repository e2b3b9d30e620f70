//! What is true of a question of the bar `contacts`, and what each account has to be told of it, at which price.

use crate::upstream::stage::named;
use serde_json::Value;
use sha2::{Digest, Sha256};

/// What is asked, in the order in which an account asks it: lists come last, when it has seen who is on them.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Endpoint {
    FindPhone,
    FindPersonalEmail,
    ReverseEmail,
    ReversePhone,
    AdAudience,
}

impl Endpoint {
    pub const ALL: [Self; 5] =
        [Self::FindPhone, Self::FindPersonalEmail, Self::ReverseEmail, Self::ReversePhone, Self::AdAudience];

    pub const fn path(self) -> &'static str {
        match self {
            Self::FindPhone => "/v1/find-phone",
            Self::FindPersonalEmail => "/v1/find-personal-email",
            Self::ReverseEmail => "/v1/reverse-email",
            Self::ReversePhone => "/v1/reverse-phone",
            Self::AdAudience => "/v1/ad-audience",
        }
    }

    /// By the price list, in thousandths of a credit.
    const fn price(self) -> i64 {
        match self {
            Self::FindPhone => 12_000,
            Self::FindPersonalEmail | Self::ReversePhone => 2_000,
            Self::ReverseEmail => 1_000,
            Self::AdAudience => 100,
        }
    }

    /// What a vendor calls the question.
    pub fn asked_as(self, body: &Value) -> String {
        let text = |field: &str| body.get(field).and_then(Value::as_str).unwrap_or_default();
        let by_name = || named(text("firstName"), text("lastName"), text("domain"));
        match self {
            Self::FindPhone => format!("phone {}", by_name()),
            Self::FindPersonalEmail => format!("personal_email {}", by_name()),
            Self::ReverseEmail => format!("person {}", text("email")),
            Self::ReversePhone => format!("person {}", text("phone")),
            Self::AdAudience => String::new(),
        }
    }

    /// What an answer shows: a number, an address, or the words by which one answer about somebody is told from the next.
    pub fn shown(self, answer: &Value, truth: &Truth) -> Option<String> {
        let place = match (self, truth) {
            (Self::FindPhone, _) => "/phone",
            (Self::FindPersonalEmail, _) => "/email",
            (_, Truth::Graph(_)) => "/person/id",
            _ => "/person/headline",
        };
        answer.pointer(place).and_then(Value::as_str).map(str::to_owned)
    }

    const fn is_reverse(self) -> bool {
        matches!(self, Self::ReverseEmail | Self::ReversePhone)
    }
}

/// Vendors that differ in what may be done with what they say.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Teller {
    /// Kept for everybody.
    Shared,
    /// Kept for whoever asked.
    Private,
    /// Never kept.
    Passing,
    /// Asked with an account's own key alone.
    Keyed,
}

impl Teller {
    pub const ALL: [Self; 4] = [Self::Shared, Self::Private, Self::Passing, Self::Keyed];
}

/// Who asks everything, one after the other.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Round {
    First,
    Second,
    /// The account that has a key of its own.
    Keyed,
    KeyedAgain,
    FirstAgain,
    /// An account that never asked before, while every vendor fails: what it is told comes from what is kept.
    Late,
}

impl Round {
    pub const ALL: [Self; 6] =
        [Self::First, Self::Second, Self::Keyed, Self::KeyedAgain, Self::FirstAgain, Self::Late];

    /// The place of the account.
    pub const fn account(self) -> usize {
        match self {
            Self::First | Self::FirstAgain => 0,
            Self::Second => 1,
            Self::Keyed | Self::KeyedAgain => 2,
            Self::Late => 3,
        }
    }
}

#[derive(Debug, Clone)]
pub enum Truth {
    /// The graph has it.
    Graph(String),
    /// One vendor says it, each time in other words.
    Said(Teller, Vec<String>),
    /// There is nothing to find. It is settled where the graph knows them, or where what is kept for everybody says so.
    Nobody {
        is_settled: bool,
    },
    /// Whoever is asked for does not want to be found.
    Erased,
    /// Whoever a vendor answers with does not want to be found.
    ErasedAnswer,
    Malformed,
    Audience {
        graph: usize,
        /// Who knows the strangers on the list.
        tellers: Vec<Teller>,
        distinct: usize,
        invalid: usize,
    },
}

#[derive(Debug, Clone)]
pub struct Question {
    pub endpoint: Endpoint,
    pub body: Value,
    pub truth: Truth,
    /// What vendors are asked.
    pub asked_as: String,
}

/// What an account has to be told.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Expected {
    pub status: u16,
    pub found: bool,
    /// In thousandths.
    pub price: i64,
    pub shown: Option<String>,
}

impl Expected {
    fn found(price: i64, shown: &str) -> Self {
        Self { status: 200, found: true, price, shown: Some(shown.to_owned()) }
    }

    const fn nothing(status: u16) -> Self {
        Self { status, found: false, price: 0, shown: None }
    }
}

impl Question {
    pub fn expected(&self, round: Round) -> Expected {
        let price = self.endpoint.price();
        // Nobody could be asked, so nobody knows.
        let silence = Expected::nothing(if round == Round::Late { 502 } else { 200 });
        match &self.truth {
            Truth::Graph(shown) => Expected::found(price, shown),
            Truth::Said(teller, said) => match self.said_at(*teller, round) {
                Some((answer, percent)) => {
                    Expected::found(price * percent / 100, said.get(answer).map_or("", |it| it))
                }
                None => silence,
            },
            Truth::Nobody { is_settled: true } | Truth::Erased => Expected::nothing(200),
            Truth::Nobody { is_settled: false } | Truth::ErasedAnswer => silence,
            Truth::Malformed => Expected::nothing(422),
            Truth::Audience { distinct, .. } => {
                let units = i64::try_from(*distinct).unwrap_or(i64::MAX);
                Expected { status: 200, found: true, price: price * units, shown: None }
            }
        }
    }

    /// Which of a vendor's answers the account sees, and what part of the price it pays; none where it sees nothing.
    fn said_at(&self, teller: Teller, round: Round) -> Option<(usize, i64)> {
        match (teller, round) {
            (Teller::Shared, _) => Some((0, 100)),
            // A person that may not be kept cannot be put together.
            (Teller::Passing, _) if self.endpoint.is_reverse() => None,
            (_, Round::Late) => None,
            (Teller::Private, Round::First | Round::FirstAgain) => Some((0, 100)),
            (Teller::Private, Round::Second) => Some((1, 100)),
            (Teller::Private, Round::Keyed | Round::KeyedAgain) => Some((2, 100)),
            (Teller::Passing, round) => Some((Round::ALL.iter().position(|it| *it == round)?, 100)),
            // Whom the key has brought is in the graph from then on, and that has its normal price.
            (Teller::Keyed, Round::KeyedAgain) if self.endpoint.is_reverse() => Some((0, 100)),
            // Their own key was paid for it, also where it is kept by now.
            (Teller::Keyed, Round::Keyed | Round::KeyedAgain) => Some((0, 20)),
            (Teller::Keyed, _) => None,
        }
    }

    /// How often the vendor that knows the answer has been asked in the end.
    pub fn asks(&self) -> Option<(Teller, u64)> {
        let Truth::Said(teller, _) = &self.truth else { return None };
        let asks = match teller {
            Teller::Shared | Teller::Keyed => 1,
            Teller::Private => 3,
            // It is of no use: that is remembered as a miss, by each of three accounts.
            Teller::Passing if self.endpoint.is_reverse() => 3,
            Teller::Passing => 5,
        };
        Some((*teller, asks))
    }

    /// What is wrong with a list's answer, if anything.
    pub fn audience_fault(&self, round: Round, answer: &Value) -> Option<String> {
        let Truth::Audience { graph, tellers, distinct, invalid } = &self.truth else { return None };
        let known = tellers.iter().filter(|teller| match teller {
            Teller::Shared => true,
            Teller::Private => round != Round::Late,
            Teller::Keyed => round.account() == Round::Keyed.account(),
            Teller::Passing => false,
        });
        let matched = graph + known.count();
        let stat = |name: &str| answer["stats"][name].as_u64().and_then(|it| usize::try_from(it).ok());
        let wanted = [("matched", matched), ("valid", *distinct), ("invalid", *invalid)];
        if let Some((name, number)) = wanted.into_iter().find(|(name, number)| stat(name) != Some(*number)) {
            return Some(format!("{name} is {:?}, not {number}", stat(name)));
        }
        let hash = |email: &Value| {
            let text = email.as_str().unwrap_or_default().trim().to_lowercase();
            let digest: String =
                Sha256::digest(text.as_bytes()).iter().map(|byte| format!("{byte:02x}")).collect();
            text.contains('@').then_some(digest).filter(|_| *distinct > 0)
        };
        let hashes: Vec<Option<String>> =
            self.body["emails"].as_array().into_iter().flatten().map(hash).collect();
        let told: Vec<Option<String>> = answer["hashes"]
            .as_array()
            .into_iter()
            .flatten()
            .map(|it| it.as_str().map(str::to_owned))
            .collect();
        (hashes != told).then(|| "the hashes differ".to_owned())
    }
}
