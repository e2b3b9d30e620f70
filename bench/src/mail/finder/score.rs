//! What the answers of the bar are worth: found, wrong, how often servers were asked, and whether the confidence is true.

use super::asking::Answer;
use super::cast::{Asked, Known};
use crate::bar::{Verdict, grouped, progress};
use assay_testkit::mail::Hosting;
use std::collections::BTreeMap;

/// The bars.
const FOUND_LEAST: f64 = 0.95;
const VERIFIED_WRONG_MOST: f64 = 0.01;
const WRONG_MOST: f64 = 0.03;
const SESSIONS_MOST: f64 = 2.5;
const ERROR_MOST: f64 = 0.05;
const BINS: usize = 10;
/// Mistakes that are told one by one.
const TOLD_MAX: usize = 60;

/// How one search ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum End {
    Right,
    Wrong,
    Nothing,
    /// Still put off when the bar ended.
    PutOff,
}

fn end_of(asked: &Asked, answer: &Answer) -> End {
    match &answer.email {
        Some(email) if answer.found => {
            if *email == asked.address {
                End::Right
            } else {
                End::Wrong
            }
        }
        _ if answer.retry_at.is_some() => End::PutOff,
        _ => End::Nothing,
    }
}

/// What all searches came to.
#[derive(Debug, Default)]
pub struct Score {
    asked: usize,
    findable: usize,
    found_findable: usize,
    billed: usize,
    wrong: usize,
    verified: usize,
    verified_wrong: usize,
    /// By confidence: answers, the sum of their confidences in hundredths, right ones.
    bins: [(usize, usize, usize); BINS],
}

impl Score {
    pub fn of(asked: &[Asked], answers: &[Answer]) -> Self {
        let mut score = Self::default();
        for (asked, answer) in asked.iter().zip(answers) {
            score.add(asked, answer);
        }
        score
    }

    fn add(&mut self, asked: &Asked, answer: &Answer) {
        let end = end_of(asked, answer);
        let (is_right, is_wrong) = (end == End::Right, end == End::Wrong);
        self.asked += 1;
        self.findable += usize::from(asked.is_findable());
        self.found_findable += usize::from(asked.is_findable() && is_right);
        self.billed += usize::from(is_right || is_wrong);
        self.wrong += usize::from(is_wrong);
        let is_verified = answer.email_verified == Some(true);
        self.verified += usize::from(is_verified);
        self.verified_wrong += usize::from(is_verified && is_wrong);
        if let Some(confidence) = answer.confidence {
            let said = usize::from(confidence.as_percent());
            let (count, sum, right) = &mut self.bins[(said / BINS).min(BINS - 1)];
            (*count, *sum, *right) = (*count + 1, *sum + said, *right + usize::from(is_right));
        }
    }

    /// By how much what is said differs from what is, over ten steps of confidence.
    fn calibration_error(&self) -> f64 {
        let apart = |(_, sum, right): &(usize, usize, usize)| sum.abs_diff(right * 100);
        share(self.bins.iter().map(apart).sum(), self.billed * 100)
    }

    fn tell_bins(&self) {
        for (count, sum, right) in self.bins.iter().filter(|(count, ..)| *count > 0) {
            progress(format!(
                "said {:.3}, right {:.3}, of {count}",
                share(*sum, count * 100),
                share(*right, *count)
            ));
        }
    }

    /// `sessions` is how many the mail servers counted.
    pub fn verdict(&self, sessions: usize) -> Verdict {
        self.tell_bins();
        let found = share(self.found_findable, self.findable);
        let verified_wrong = share(self.verified_wrong, self.verified);
        let wrong = share(self.wrong, self.billed);
        let each = share(sessions, self.asked);
        let error = self.calibration_error();
        let passed = found >= FOUND_LEAST
            && verified_wrong <= VERIFIED_WRONG_MOST
            && wrong <= WRONG_MOST
            && each <= SESSIONS_MOST
            && error <= ERROR_MOST;
        let figure = format!(
            "finder: {} people of the made-up world at real mail servers: {found:.4} of {} findable found (bar \
             {FOUND_LEAST}), wrong {verified_wrong:.4} of {} verified (bar {VERIFIED_WRONG_MOST}), {wrong:.4} of {} billed \
             (bar {WRONG_MOST}), {each:.2} SMTP sessions a person by the servers' log (bar {SESSIONS_MOST}), calibration \
             error {error:.4} (bar {ERROR_MOST})",
            grouped(self.asked),
            grouped(self.findable),
            grouped(self.verified),
            grouped(self.billed),
        );
        Verdict { figure, passed }
    }
}

/// Tells how the searches ended, by kind of server and number of known addresses, and the first mistakes one by one.
pub fn tell(asked: &[Asked], answers: &[Answer]) {
    let mut rows: BTreeMap<(Hosting, Known, bool), [usize; 4]> = BTreeMap::new();
    let mut told = 0;
    for (asked, answer) in asked.iter().zip(answers) {
        let end = end_of(asked, answer);
        let row = rows.entry((asked.hosting, asked.known, asked.is_findable())).or_default();
        row[match end {
            End::Right => 0,
            End::Wrong => 1,
            End::Nothing => 2,
            End::PutOff => 3,
        }] += 1;
        if end != End::Right && (asked.is_findable() || end == End::Wrong) && told < TOLD_MAX {
            told += 1;
            progress(describe(asked, answer, end));
        }
    }
    for ((hosting, known, is_findable), [right, wrong, nothing, put_off]) in rows {
        let note = if is_findable { "" } else { " (not findable)" };
        progress(format!(
            "{hosting:?}, known {known:?}{note}: {right} right, {wrong} wrong, {nothing} not found, {put_off} put off"
        ));
    }
}

/// People of the made-up world, whom anybody may read of.
fn describe(asked: &Asked, answer: &Answer, end: End) -> String {
    format!(
        "{end:?} at {:?}, known {:?}{}: {} {}, {}; said {} ({}{})",
        asked.hosting,
        asked.known,
        if asked.has_double { ", has a double" } else { "" },
        asked.first_name,
        asked.last_name,
        asked.address,
        answer.email.as_deref().unwrap_or("nothing"),
        answer.confidence.map_or_else(|| "-".to_owned(), |sure| sure.to_string()),
        if answer.email_verified == Some(true) { ", verified" } else { "" },
    )
}

fn share(part: usize, whole: usize) -> f64 {
    let decimal = |count: usize| f64::from(u32::try_from(count).unwrap_or(u32::MAX));
    if whole == 0 { 0.0 } else { decimal(part) / decimal(whole) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn asked(hosting: Hosting, known: Known) -> Asked {
        Asked {
            first_name: "Anna".to_owned(),
            last_name: "Bauer".to_owned(),
            domain: "acme.example".to_owned(),
            address: "anna.bauer@acme.example".to_owned(),
            hosting,
            known,
            has_double: false,
        }
    }

    fn answer(email: Option<&str>, verified: bool) -> Answer {
        let confidence = email.map(|_| 0.9);
        let body = json!({ "found": email.is_some(), "email": email, "email_verified": email.map(|_| verified),
            "confidence": confidence, "retry_at": null, "cost": { "credits": 0 } });
        serde_json::from_value(body).unwrap()
    }

    #[test]
    fn a_score_counts_what_could_be_found_and_everything_that_was_answered() {
        let people = [
            asked(Hosting::Plain, Known::Nothing),
            asked(Hosting::Plain, Known::One),
            asked(Hosting::CatchAll, Known::Nothing),
            asked(Hosting::CatchAll, Known::One),
        ];
        let answers = [
            answer(Some("anna.bauer@acme.example"), true),
            answer(Some("abauer@acme.example"), true),
            answer(None, false),
            answer(Some("anna.bauer@acme.example"), false),
        ];
        let score = Score::of(&people, &answers);
        assert_eq!((score.asked, score.findable, score.found_findable), (4, 3, 2));
        assert_eq!((score.billed, score.wrong, score.verified, score.verified_wrong), (3, 1, 2, 1));
        // Three are said to be 0.9 and two are right.
        assert!((score.calibration_error() - 0.7 / 3.0).abs() < 1e-9, "{}", score.calibration_error());
        assert!(!score.verdict(4).passed);
    }
}
