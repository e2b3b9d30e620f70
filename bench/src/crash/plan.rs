//! The map of blows: where a call is struck, and who dies of it.

use std::time::Duration;

/// Who is killed with `kill -9`, or which connection is cut.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Victim {
    Server,
    Postgres,
    /// Nobody dies: only the acknowledgement of a commit is lost.
    Connection,
}

impl Victim {
    pub const fn name(self) -> &'static str {
        match self {
            Self::Server => "server",
            Self::Postgres => "postgres",
            Self::Connection => "connection",
        }
    }
}

/// How a blow is dealt.
#[derive(Debug, Clone, Copy)]
pub enum Means {
    /// Orders to the crash points inside the server; `{victim}` is filled in.
    Points(&'static str),
    /// A proxy lets PostgreSQL commit and then keeps its answer back.
    LostAnswer,
}

/// One kind of blow.
#[derive(Debug, Clone, Copy)]
pub struct Blow {
    pub place: &'static str,
    pub means: Means,
    pub victim: Victim,
    pub hold_seconds: u32,
    /// How long a killed PostgreSQL stays away.
    pub outage: Duration,
}

impl Blow {
    /// The orders as the server's environment carries them.
    pub fn orders(&self) -> String {
        match self.means {
            Means::Points(orders) => orders.replace("{victim}", self.victim.name()),
            Means::LostAnswer => String::new(),
        }
    }

    pub fn name(&self) -> String {
        format!("{} {}", self.place, self.victim.name())
    }
}

/// Long enough that a hold is still there when its call settles, short enough that a bar can wait for its end.
const HOLD_SECONDS: u32 = 6;
/// More than the ledger's tries with their waits for a connection take together.
const LONG_OUTAGE: Duration = Duration::from_secs(60);
/// Shorter than the pause of C7, so that the sweeper and the capture race.
const SHORT_HOLD_SECONDS: u32 = 1;

/// The percentages make a blow fall after about a hundred calls; `1*` lets each server strike once.
const PLACES: &[(&str, Means, &[Victim])] = &[
    ("C1 claimed", Means::Points("call-claimed=1%1*return({victim})"), BOTH),
    ("C2 held", Means::Points("call-held=1%1*return({victim})"), BOTH),
    ("C3 ran", Means::Points("call-ran=1%1*return({victim})"), BOTH),
    ("C4 commit unacknowledged", Means::LostAnswer, &[Victim::Server, Victim::Postgres, Victim::Connection]),
    ("C5 settled", Means::Points("call-settled=1%1*return({victim})"), BOTH),
    ("C5 before the reply", Means::Points("http-before-reply=1%1*return({victim})"), BOTH),
    ("C6 half a reply", Means::Points("http-half-reply=1%1*return({victim})"), BOTH),
    ("C7 sweeper against capture", Means::Points(RACE), BOTH),
    ("C8 inside the transaction", Means::Points("ledger-before-commit=1%1*return({victim})"), BOTH),
];

const BOTH: &[Victim] = &[Victim::Server, Victim::Postgres];
/// The first commits are let through, so that the blow falls while holds run out.
const RACE: &str = "call-ran=30%return(wait:2500);ledger-before-commit=60*off->5%1*return({victim})";

/// Every kind of blow, in the order they are dealt over and over.
pub fn blows() -> Vec<Blow> {
    let of_place = |(place, means, victims): &(&'static str, Means, &'static [Victim])| {
        let (place, means) = (*place, *means);
        let hold_seconds = if place.starts_with("C7") { SHORT_HOLD_SECONDS } else { HOLD_SECONDS };
        victims.iter().map(move |victim| Blow {
            place,
            means,
            victim: *victim,
            hold_seconds,
            outage: Duration::ZERO,
        })
    };
    PLACES.iter().flat_map(of_place).collect()
}

/// A commit whose fate the server cannot learn before it has to answer: PostgreSQL stays away longer than the ledger
/// keeps trying. The call fails for its client, and what was booked has to be given back later.
pub fn long_outage() -> Blow {
    Blow {
        place: "C4 commit unacknowledged, long outage",
        means: Means::LostAnswer,
        victim: Victim::Postgres,
        hold_seconds: HOLD_SECONDS,
        outage: LONG_OUTAGE,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_place_is_struck_with_both_kinds_of_death() {
        let blows = blows();
        for place in ["C1", "C2", "C3", "C4", "C5", "C6", "C7", "C8"] {
            for victim in BOTH {
                assert!(
                    blows.iter().any(|blow| blow.place.starts_with(place) && blow.victim == *victim),
                    "{place}"
                );
            }
        }
        assert!(blows.iter().all(|blow| !blow.orders().contains('{')));
    }
}
