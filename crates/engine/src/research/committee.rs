//! Who has a say in what a company buys: which departments and ranks, by a table of what is bought.

use assay_domain::taxonomy::{Department, Seniority};
use std::sync::LazyLock;

const TABLE: &str = include_str!("../../data/committees.txt");
/// What small businesses buy is decided by the same few, whatever it is.
const SMALL: &str = "small";

/// What is bought.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum DealType {
    Security,
    DataInfra,
    SalesOps,
    Exec,
    Marketing,
    Engineering,
}

impl DealType {
    pub const ALL: [Self; 6] =
        [Self::Security, Self::DataInfra, Self::SalesOps, Self::Exec, Self::Marketing, Self::Engineering];

    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Security => "security",
            Self::DataInfra => "data_infra",
            Self::SalesOps => "sales_ops",
            Self::Exec => "exec",
            Self::Marketing => "marketing",
            Self::Engineering => "engineering",
        }
    }
}

/// One part in a committee, and who may have it: the first of these first.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Seat {
    pub role: &'static str,
    pub wanted: Vec<Wanted>,
}

/// Whoever has one of each; an empty list asks for nothing.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Wanted {
    pub departments: Vec<Department>,
    pub ranks: Vec<Seniority>,
    pub words: Vec<&'static str>,
}

static SEATS: LazyLock<Vec<(&'static str, Seat)>> = LazyLock::new(read);

/// The parts of a committee, in the order they are filled.
pub fn committee_of(deal: DealType) -> Vec<Seat> {
    seats(deal.as_str())
}

/// Those of a small business.
pub fn small_committee() -> Vec<Seat> {
    seats(SMALL)
}

fn seats(deal: &str) -> Vec<Seat> {
    SEATS.iter().filter(|(of, _)| *of == deal).map(|(_, seat)| seat.clone()).collect()
}

fn read() -> Vec<(&'static str, Seat)> {
    let mut seats: Vec<(&'static str, Seat)> = Vec::new();
    for line in TABLE.lines().filter(|line| !line.starts_with('#')) {
        let Some((deal, role, wanted)) = read_line(line) else { continue };
        match seats.last_mut() {
            Some((of, seat)) if *of == deal && seat.role == role => seat.wanted.push(wanted),
            _ => seats.push((deal, Seat { role, wanted: vec![wanted] })),
        }
    }
    seats
}

fn read_line(line: &'static str) -> Option<(&'static str, &'static str, Wanted)> {
    let mut cells = line.split('|').map(str::trim);
    let (deal, role) = (cells.next()?, cells.next()?);
    let mut list = || cells.next().unwrap_or_default().split(',').filter(|word| !word.is_empty());
    let departments = list().filter_map(|word| Department::parse(word).ok()).collect();
    let ranks = list().filter_map(|word| Seniority::parse(word).ok()).collect();
    let words = list().collect();
    Some((deal, role, Wanted { departments, ranks, words }))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_deal_has_who_decides_who_is_heard_and_who_uses_it() {
        for deal in DealType::ALL {
            let roles: Vec<&str> = committee_of(deal).iter().map(|seat| seat.role).collect();
            assert_eq!(roles, ["decision_maker", "influencer", "user"], "{}", deal.as_str());
        }
        let roles: Vec<&str> = small_committee().iter().map(|seat| seat.role).collect();
        assert_eq!(roles, ["owner", "manager", "dispatcher", "ops_lead"]);
    }

    #[test]
    fn every_word_of_the_table_is_understood_and_no_line_asks_for_everybody() {
        for line in TABLE.lines().filter(|line| !line.starts_with('#')) {
            let cells: Vec<&str> = line.split('|').collect();
            let (_, _, wanted) = read_line(line).unwrap();
            let count = |cell: &str| cell.split(',').filter(|word| !word.is_empty()).count();
            assert_eq!(
                (wanted.departments.len(), wanted.ranks.len()),
                (count(cells[2]), count(cells[3])),
                "{line}"
            );
            assert!(wanted.departments.len() + wanted.ranks.len() + wanted.words.len() > 0, "{line}");
        }
    }
}
