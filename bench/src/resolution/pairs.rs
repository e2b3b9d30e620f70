//! Pairs of records: which belong together, and which were put together.

use crate::dirt::DirtyRow;
use anyhow::Result;
use std::collections::HashMap;
use std::hash::Hash;
use std::io::Write;
use std::path::Path;
use uuid::Uuid;

/// Told of each kind of mistake.
const TOLD_MAX: usize = 200;

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Pairs {
    pub records: usize,
    /// Of one person.
    belong: u64,
    /// Put together.
    joined: u64,
    /// Both.
    right: u64,
}

impl Pairs {
    /// Of records, each by whose it is and to whom it was taken to belong.
    pub fn count<W: Hash + Eq + Copy>(records: impl Iterator<Item = (W, Uuid)>) -> Self {
        let (mut people, mut entities, mut both) = (HashMap::new(), HashMap::new(), HashMap::new());
        let mut count = 0;
        for (who, entity) in records {
            count += 1;
            *people.entry(who).or_insert(0_u64) += 1;
            *entities.entry(entity).or_insert(0_u64) += 1;
            *both.entry((who, entity)).or_insert(0_u64) += 1;
        }
        let pairs =
            |counts: &mut dyn Iterator<Item = &u64>| counts.map(|count| count * (count - 1) / 2).sum();
        Self {
            records: count,
            belong: pairs(&mut people.values()),
            joined: pairs(&mut entities.values()),
            right: pairs(&mut both.values()),
        }
    }

    pub fn precision(&self) -> f64 {
        share(self.right, self.joined)
    }

    pub fn recall(&self) -> f64 {
        share(self.right, self.belong)
    }
}

fn share(part: u64, whole: u64) -> f64 {
    let number = |count: u64| f64::from(u32::try_from(count).unwrap_or(u32::MAX));
    if whole == 0 { 1.0 } else { number(part) / number(whole) }
}

/// For whoever tunes: records that were put together wrongly, and people who are in several pieces.
pub fn write_mistakes(path: &Path, rows: &[DirtyRow], entities: &HashMap<String, Uuid>) -> Result<()> {
    let mut by_entity: HashMap<Uuid, Vec<&DirtyRow>> = HashMap::new();
    let mut by_person: HashMap<u64, Vec<(&DirtyRow, Uuid)>> = HashMap::new();
    for row in rows {
        let Some(entity) = entities.get(&row.line.id) else { continue };
        by_entity.entry(*entity).or_default().push(row);
        by_person.entry(row.who).or_default().push((row, *entity));
    }
    let mut out = std::fs::File::create(path)?;
    let mixed = by_entity
        .values()
        .filter(|rows| rows.iter().any(|row| Some(row.who) != rows.first().map(|one| one.who)));
    for rows in mixed.take(TOLD_MAX) {
        writeln!(out, "MIXED")?;
        for row in rows {
            writeln!(out, "  {} {}", row.who, tell(row))?;
        }
    }
    let split = by_person
        .values()
        .filter(|rows| rows.iter().any(|(_, one)| Some(*one) != rows.first().map(|(_, one)| *one)));
    for rows in split.take(TOLD_MAX) {
        writeln!(out, "SPLIT")?;
        for (row, entity) in rows {
            writeln!(out, "  {} {}", &entity.to_string()[28..], tell(row))?;
        }
    }
    Ok(())
}

fn tell(row: &DirtyRow) -> String {
    let line = &row.line;
    let past: Vec<&str> = row.past.iter().map(|job| job.company_name.as_str()).collect();
    [
        line.id.as_str(),
        &line.first_name,
        &line.last_name,
        &line.company,
        &line.company_domain,
        &line.title,
        &line.city,
        &line.country,
        &line.email,
        &line.phone,
        &line.profile_url,
        &past.join("; "),
        &line.school,
    ]
    .join(" | ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pairs_are_counted_over_all_records() {
        let entity = |number| Uuid::from_u128(number);
        // Three records of 1, one of them in another piece together with 2.
        let records = [(1, entity(1)), (1, entity(1)), (1, entity(2)), (2, entity(2)), (3, entity(3))];
        let pairs = Pairs::count(records.into_iter());
        assert_eq!(pairs, Pairs { records: 5, belong: 3, joined: 2, right: 1 });
        assert!((pairs.precision() - 0.5).abs() < 1e-9 && (pairs.recall() - 1.0 / 3.0).abs() < 1e-9);
    }
}
