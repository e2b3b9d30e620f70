//! Asking the person at the terminal, if there is one.

use std::io::{IsTerminal, Write, stderr, stdin};

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Answer {
    Yes,
    No,
    /// The command runs in a script: there is nobody to ask.
    Nobody,
}

/// Asks a question whose answer is yes or no; what is neither means no.
pub fn ask(question: &str) -> Answer {
    if !stdin().is_terminal() || !stderr().is_terminal() {
        return Answer::Nobody;
    }
    // A question that cannot be shown is not confirmed by what is typed after it.
    let mut terminal = stderr().lock();
    if write!(terminal, "{question} [y/N] ").and_then(|()| terminal.flush()).is_err() {
        return Answer::No;
    }
    let mut line = String::new();
    match stdin().read_line(&mut line) {
        Ok(_) if is_yes(&line) => Answer::Yes,
        _ => Answer::No,
    }
}

fn is_yes(line: &str) -> bool {
    ["y", "yes"].iter().any(|yes| line.trim().eq_ignore_ascii_case(yes))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_clear_yes_is_one() {
        assert!(is_yes("y\n") && is_yes(" YES \r\n"));
        assert!(!is_yes("\n") && !is_yes("yep\n") && !is_yes("no\n"));
    }
}
