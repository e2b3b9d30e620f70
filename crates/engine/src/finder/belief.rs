//! What to do next in search of somebody's address: ask for another, answer, or give up.
//!
//! There is one hypothesis for each candidate (it is theirs), one for each candidate whose mailbox is a namesake's while theirs
//! is none of the candidates, and one for everything else. Answers of the server weigh them against each other.

use std::rc::Rc;

use assay_domain::Confidence;
use assay_domain::limits::FINDER_PROBES_MAX;

use super::candidates::Candidate;
use super::probability::Probability;

/// Whether a domain takes mail for whatever stands before the @.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CatchAll {
    No,
    Yes,
    Unknown,
}

/// What is known of the server before it is asked.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct MailServer {
    pub catch_all: CatchAll,
    /// Whether its answer to RCPT says if a mailbox exists.
    pub settles: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Answer {
    Exists,
    Absent,
    /// Put off, refused for another reason, or not reached.
    Unknown,
}

/// What the server said of a mailbox.
#[derive(Clone, PartialEq, Eq)]
pub struct Heard {
    pub local: String,
    pub answer: Answer,
}

#[derive(Clone, PartialEq, Eq)]
pub enum Next {
    /// Ask the server for this mailbox.
    Probe(String),
    Answer {
        local: String,
        /// That the address is the one of the person who is asked for.
        confidence: Confidence,
        /// That a server which tells mailboxes apart has it, and that it is hardly a namesake's.
        verified: bool,
    },
    GiveUp,
}

impl std::fmt::Debug for Heard {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(out, "Heard(***, {:?})", self.answer)
    }
}

impl std::fmt::Debug for Next {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Probe(_) => out.write_str("Probe(***)"),
            Self::Answer { confidence, verified, .. } => {
                write!(out, "Answer(***, {confidence}, verified: {verified})")
            }
            Self::GiveUp => out.write_str("GiveUp"),
        }
    }
}

/// Below this, nothing is answered.
const ANSWER_ENOUGH: Confidence = Confidence::percent(80);
/// Below this, a mailbox that exists is not called verified: too likely it is somebody else's.
const VERIFIED_ENOUGH: Confidence = Confidence::percent(90);
/// Of domains nobody has asked yet, so many take everything.
const CATCH_ALL_USUAL: Probability = Probability::per_mille(150);
/// And so little of that may be left for an answer to count as verified.
const CATCH_ALL_DOUBT_MAX: Probability = Probability::per_mille(20);
/// A server that settles says so little that is not so.
const SLIP: Probability = Probability::per_mille(4);
/// A mailbox that somebody nobody thinks of may have.
const STRANGER: Probability = Probability::per_mille(1);
/// Who comes second has somebody before them, unless that one has left.
const PREDECESSOR_STAYS: Probability = Probability::per_mille(950);
/// What a probe costs: it must make an answer so much likelier.
const PROBE_COST: Probability = Probability::per_mille(9);
/// A wrong answer does as much harm as so many right ones do good: what is less than 80 % sure is worth nothing.
const WRONG_COSTS: u64 = 4;
/// A server that twice said nothing of use will not the third time.
const UNKNOWN_ANSWERS_MAX: usize = 2;
/// How many probes ahead are thought through, and of how many candidates each.
const DEPTH: u32 = 2;
const BREADTH: usize = 6;
/// Masses of hypotheses, together: fine enough for any of them to be told from nothing.
const MASS: u64 = 10_000_000_000;

/// The next step in search of an address, from the candidates (best first) and what was heard of them so far.
pub fn next_step(candidates: &[Candidate], server: MailServer, heard: &[Heard]) -> Next {
    let mut belief = Belief::new(candidates, server.catch_all);
    for heard in heard {
        if let Some(at) = candidates.iter().position(|candidate| candidate.local == heard.local) {
            belief.hear(at, heard.answer);
        }
    }
    let unknown = heard.iter().filter(|heard| heard.answer == Answer::Unknown).count();
    let can_ask = server.settles && server.catch_all != CatchAll::Yes && unknown < UNKNOWN_ANSWERS_MAX;
    let left = FINDER_PROBES_MAX.saturating_sub(heard.len());
    if can_ask && left > 0 {
        let depth = DEPTH.min(u32::try_from(left).unwrap_or(DEPTH));
        if let Some(candidate) = belief.best_probe(depth).and_then(|at| candidates.get(at)) {
            return Next::Probe(candidate.local.clone());
        }
    }
    belief.conclude()
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Hypothesis {
    Theirs(usize),
    /// The stem of this candidate is a namesake's, and theirs is no candidate.
    Displaced(usize),
    Other,
}

#[derive(Clone)]
struct Belief<'a> {
    candidates: &'a [Candidate],
    hypotheses: Rc<[Hypothesis]>,
    /// For each hypothesis, if the server tells mailboxes apart, and if it takes everything.
    telling: Vec<u64>,
    taking: Vec<u64>,
    answers: Vec<Option<Answer>>,
}

impl<'a> Belief<'a> {
    fn new(candidates: &'a [Candidate], catch_all: CatchAll) -> Self {
        let taking = match catch_all {
            CatchAll::No => Probability::NEVER,
            CatchAll::Yes => Probability::CERTAIN,
            CatchAll::Unknown => CATCH_ALL_USUAL,
        };
        let mut hypotheses = Vec::new();
        let mut shares = Vec::new();
        for (at, candidate) in candidates.iter().enumerate() {
            hypotheses.push(Hypothesis::Theirs(at));
            shares.push(candidate.probability);
            if candidate.displaced > Probability::NEVER {
                hypotheses.push(Hypothesis::Displaced(at));
                shares.push(candidate.displaced);
            }
        }
        let known = shares.iter().fold(Probability::NEVER, |sum, share| sum.plus(*share));
        hypotheses.push(Hypothesis::Other);
        shares.push(known.complement());
        let masses = |of: Probability| {
            let whole = of.of_mass(MASS);
            shares.iter().map(|share| share.of_mass(whole)).collect::<Vec<u64>>()
        };
        Self {
            candidates,
            telling: masses(taking.complement()),
            taking: masses(taking),
            hypotheses: hypotheses.into(),
            answers: vec![None; candidates.len()],
        }
    }

    fn hear(&mut self, at: usize, answer: Answer) {
        if let Some(known) = self.answers.get_mut(at) {
            *known = Some(answer);
        }
        if answer == Answer::Unknown {
            return;
        }
        let Self { candidates, hypotheses, telling, taking, .. } = self;
        for (hypothesis, mass) in hypotheses.iter().zip(telling) {
            let exists = exists_if(candidates, at, *hypothesis);
            *mass = if answer == Answer::Exists { exists } else { exists.complement() }.of_mass(*mass);
        }
        if answer == Answer::Absent {
            taking.fill(0);
        }
    }

    fn total(&self) -> u64 {
        self.telling.iter().chain(&self.taking).sum()
    }

    /// Of each candidate that is asked about: its place and its mass.
    fn theirs(&self) -> impl Iterator<Item = (usize, u64)> + '_ {
        let masses = self.telling.iter().zip(&self.taking).map(|(telling, taking)| telling + taking);
        self.hypotheses.iter().zip(masses).filter_map(|(hypothesis, mass)| match hypothesis {
            Hypothesis::Theirs(at) => Some((*at, mass)),
            Hypothesis::Displaced(_) | Hypothesis::Other => None,
        })
    }

    fn answer_of(&self, at: usize) -> Option<Answer> {
        self.answers.get(at).copied().flatten()
    }

    /// What it is worth to stop here, in masses: only a mailbox that exists counts, since the server can be asked.
    fn worth_now(&self) -> u64 {
        let confirmed = self.theirs().filter(|(at, _)| self.answer_of(*at) == Some(Answer::Exists));
        let best = confirmed.map(|(_, mass)| mass).max().unwrap_or(0);
        (best * (WRONG_COSTS + 1)).saturating_sub(self.total() * WRONG_COSTS)
    }

    /// The candidates worth thinking about: the likeliest of those nobody asked for.
    fn open(&self) -> Vec<usize> {
        let mut open: Vec<(usize, u64)> =
            self.theirs().filter(|(at, _)| self.answer_of(*at).is_none()).collect();
        open.sort_by_key(|(at, mass)| (std::cmp::Reverse(*mass), *at));
        open.into_iter().take(BREADTH).map(|(at, _)| at).collect()
    }

    fn worth_of_asking(&self, at: usize, depth: u32) -> u64 {
        let after = [Answer::Exists, Answer::Absent].map(|answer| {
            let mut after = self.clone();
            after.hear(at, answer);
            after.worth(depth - 1)
        });
        let cost = PROBE_COST.of_mass(self.total());
        after.iter().sum::<u64>().saturating_sub(cost)
    }

    /// What the best way to go on is worth, with so many probes at most.
    fn worth(&self, depth: u32) -> u64 {
        let now = self.worth_now();
        if depth == 0 {
            return now;
        }
        self.open().into_iter().map(|at| self.worth_of_asking(at, depth)).fold(now, u64::max)
    }

    fn best_probe(&self, depth: u32) -> Option<usize> {
        let now = self.worth_now();
        let worths = self.open().into_iter().map(|at| (self.worth_of_asking(at, depth), at));
        // Of two that are worth the same, the likelier one, which comes first.
        let best = worths
            .fold((now, None), |best, (worth, at)| if worth > best.0 { (worth, Some(at)) } else { best });
        best.1
    }

    fn conclude(&self) -> Next {
        let total = self.total();
        let is_possible = |at: usize| self.answer_of(at) != Some(Answer::Absent);
        let best = self
            .theirs()
            .filter(|(at, _)| is_possible(*at))
            .max_by_key(|(at, mass)| (*mass, std::cmp::Reverse(*at)));
        let Some((at, mass)) = best else { return Next::GiveUp };
        let confidence = Probability::of(u128::from(mass), u128::from(total)).confidence();
        let Some(candidate) = self.candidates.get(at).filter(|_| confidence >= ANSWER_ENOUGH) else {
            return Next::GiveUp;
        };
        let doubt = Probability::of(u128::from(self.taking.iter().sum::<u64>()), u128::from(total));
        let exists = self.answer_of(at) == Some(Answer::Exists) && doubt <= CATCH_ALL_DOUBT_MAX;
        let verified = exists && confidence >= VERIFIED_ENOUGH;
        Next::Answer { local: candidate.local.clone(), confidence, verified }
    }
}

/// That a mailbox exists at a server that tells them apart, if a hypothesis holds.
fn exists_if(candidates: &[Candidate], at: usize, hypothesis: Hypothesis) -> Probability {
    let Some(candidate) = candidates.get(at) else { return Probability::NEVER };
    let [foreign_same, foreign_other] = candidate.foreign.map(|share| share.max(STRANGER));
    let (owner, is_displaced) = match hypothesis {
        Hypothesis::Theirs(theirs) if theirs == at => return SLIP.complement(),
        Hypothesis::Other => return foreign_other,
        Hypothesis::Theirs(theirs) => (candidates.get(theirs), false),
        Hypothesis::Displaced(theirs) => (candidates.get(theirs), true),
    };
    let Some(owner) = owner else { return foreign_other };
    if owner.stem != candidate.stem {
        return if owner.place == candidate.place { foreign_same } else { foreign_other };
    }
    match (is_displaced, candidate.rank) {
        (true, 1) => PREDECESSOR_STAYS,
        (false, rank) if rank < owner.rank => PREDECESSOR_STAYS.times(candidate.shown),
        (_, rank) => {
            let behind = candidate.rivals.behind(owner.rank, rank, is_displaced);
            behind.times(candidate.shown).max(STRANGER)
        }
    }
}
