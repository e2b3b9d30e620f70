//! One lesson a fault: what it means, a call that meets it, and the call that does not. A test runs them as they stand.

mod bounds;
mod keys;
mod money;
mod ours;
mod requests;

use super::calls::Calls;
use crate::fault::{Code, Fault};

/// What there is to learn from one fault.
#[derive(Debug)]
pub struct Lesson {
    pub code: Code,
    /// In a few sentences.
    pub meaning: &'static str,
    /// What has to be so for the failing call to fail; empty when nothing has.
    pub given: &'static str,
    pub failing: Calls,
    /// What it is answered.
    pub fault: fn() -> Fault,
    /// What is different the second time.
    pub mended: &'static str,
    pub corrected: Calls,
}

static LESSONS: &[&[Lesson]] =
    &[keys::LESSONS, money::LESSONS, bounds::LESSONS, requests::LESSONS, ours::LESSONS];

/// Somebody to ask for.
const ADA: &str = r#"{"email":"ada.okafor@northwind-robotics.example"}"#;

/// The lesson of a code. Every row of the fault table has one, which a test checks.
pub fn of(code: Code) -> Option<&'static Lesson> {
    LESSONS.iter().copied().flatten().find(|lesson| lesson.code == code)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fault::FAULTS;

    #[test]
    fn every_fault_has_one_lesson_and_no_lesson_is_left_over() {
        let taught: Vec<Code> = LESSONS.iter().copied().flatten().map(|lesson| lesson.code).collect();
        for row in FAULTS {
            let count = taught.iter().filter(|code| **code == row.code).count();
            assert_eq!(count, 1, "{} needs one entry in service/src/reference/lessons", row.name);
        }
        assert_eq!(taught.len(), FAULTS.len());
    }

    #[test]
    fn a_lesson_shows_the_fault_it_is_about_and_two_different_ways() {
        for lesson in LESSONS.iter().copied().flatten() {
            let name = lesson.code.name();
            assert_eq!((lesson.fault)().code, lesson.code, "{name}");
            assert!(!lesson.meaning.is_empty() && !lesson.mended.is_empty(), "{name}");
            let same = lesson.failing.shell() == lesson.corrected.shell();
            assert!(!same || !lesson.given.is_empty(), "{name}: nothing tells the calls apart");
        }
    }
}
