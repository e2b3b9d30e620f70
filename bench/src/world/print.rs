//! The fingerprint of a world: hashes of all its rows, in pieces that can be made in any order.

use anyhow::Result;
use assay_world::{SyntheticPerson, World};
use serde::Serialize;
use sha2::{Digest, Sha256};
use std::fmt;
use std::ops::Range;

/// Rows hashed as one piece.
const PIECE: u64 = 1_000;

type Hash = [u8; 32];

/// In which order a world is made.
#[derive(Debug, Clone, Copy)]
pub enum Direction {
    Forward,
    /// The last piece first, and each person alone.
    Backward,
}

/// The hashes of the pieces of each kind of row.
#[derive(Debug, PartialEq, Eq)]
pub struct Print {
    parts: Vec<(&'static str, Vec<Hash>)>,
}

impl Print {
    pub fn of(world: &World, direction: Direction) -> Result<Self> {
        let people = pieces(world.people_count(), direction, |indexes| match direction {
            Direction::Forward => hash_people(world.people(indexes)),
            Direction::Backward => hash_people(indexes.map(|index| world.person(index))),
        })?;
        let companies = pieces(world.company_count(), direction, |indexes| {
            let mut hasher = Sha256::new();
            for company in indexes.map(|index| world.company(index)) {
                let (id, refreshed_at) = (company.id, company.refreshed_at);
                feed(&mut hasher, &(id, company.facts, company.provenance, refreshed_at))?;
            }
            Ok(hasher.finalize().into())
        })?;
        let takeovers =
            events(world.acquisition_count(), direction, |index| format!("{:?}", world.acquisition(index)))?;
        let postings =
            events(world.job_posting_count(), direction, |index| format!("{:?}", world.job_posting(index)))?;
        let changes =
            events(world.job_change_count(), direction, |index| format!("{:?}", world.job_change(index)))?;
        let posts = events(world.announcement_count(), direction, |index| {
            format!("{:?}", world.announcement(index))
        })?;
        let parts = vec![
            ("people", people),
            ("companies", companies),
            ("acquisitions", takeovers),
            ("job postings", postings),
            ("job changes", changes),
            ("announcements", posts),
        ];
        Ok(Self { parts })
    }

    pub fn differing_parts<'a>(&'a self, other: &'a Self) -> impl Iterator<Item = &'static str> {
        let both = self.parts.iter().zip(&other.parts);
        both.filter(|(one, other)| one != other).map(|((name, _), _)| *name)
    }

    /// Whether the first people are the same.
    pub fn starts_like(&self, other: &Self) -> bool {
        let first = |print: &Self| print.parts.first().and_then(|(_, hashes)| hashes.first()).copied();
        first(self) == first(other)
    }
}

impl fmt::Display for Print {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut hasher = Sha256::new();
        self.parts.iter().flat_map(|(_, hashes)| hashes).for_each(|hash| hasher.update(hash));
        f.write_str("sha256 ")?;
        hasher.finalize().iter().take(8).try_for_each(|byte| write!(f, "{byte:02x}"))
    }
}

/// The hashes of all pieces in their order, however they were made.
fn pieces(
    count: u64,
    direction: Direction,
    mut hash: impl FnMut(Range<u64>) -> Result<Hash>,
) -> Result<Vec<Hash>> {
    let piece = |number: u64| number * PIECE..count.min((number + 1) * PIECE);
    let numbers = 0..count.div_ceil(PIECE);
    match direction {
        Direction::Forward => numbers.map(|number| hash(piece(number))).collect(),
        Direction::Backward => {
            let hashes: Result<Vec<Hash>> = numbers.rev().map(|number| hash(piece(number))).collect();
            hashes.map(|mut hashes| {
                hashes.reverse();
                hashes
            })
        }
    }
}

fn hash_people(people: impl Iterator<Item = SyntheticPerson>) -> Result<Hash> {
    let mut hasher = Sha256::new();
    for SyntheticPerson { id, facts, experience, provenance, refreshed_at } in people {
        feed(&mut hasher, &(id, facts, provenance, refreshed_at))?;
        for job in experience {
            let (kind, times) = ((job.seniority, job.department), (job.started_on, job.ended_on));
            feed(&mut hasher, &(job.company_id, job.company_name, job.title, kind, times))?;
        }
    }
    Ok(hasher.finalize().into())
}

fn feed(hasher: &mut Sha256, row: &impl Serialize) -> Result<()> {
    hasher.update(serde_json::to_vec(row)?);
    hasher.update(b"\n");
    Ok(())
}

fn events(count: u64, direction: Direction, row: impl Fn(u64) -> String) -> Result<Vec<Hash>> {
    pieces(count, direction, |indexes| {
        let mut hasher = Sha256::new();
        indexes.for_each(|index| hasher.update(row(index)));
        Ok(hasher.finalize().into())
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use assay_world::DEMO_AS_OF;

    #[test]
    fn a_world_has_one_print_in_both_directions_and_no_other_seed_has_it() {
        let forward = Print::of(&World::new(1, 2_500, DEMO_AS_OF), Direction::Forward).unwrap();
        let backward = Print::of(&World::new(1, 2_500, DEMO_AS_OF), Direction::Backward).unwrap();
        assert_eq!(forward, backward);
        assert_eq!(forward.differing_parts(&backward).count(), 0);
        let other = Print::of(&World::new(2, 2_500, DEMO_AS_OF), Direction::Forward).unwrap();
        assert!(!other.starts_like(&forward));
        assert_eq!(forward.differing_parts(&other).count(), 6);
        assert_ne!(forward.to_string(), other.to_string());
    }
}
