//! How sure a weight makes us: tables of how often such a decision is right.
//!
//! The lines of `query` were written by the bar `resolve` (`ASSAY_BAR_TRAIN`), which ran with another seed than the one it
//! measures with: who changes a weight lets it write them anew. Those of `link` and `company` are set by hand.

use super::weights::Weight;
use assay_domain::Confidence;
use std::sync::LazyLock;

/// Steps from low to high; below the first nothing is known.
type Steps = Vec<(Weight, u32)>;

/// How often a decision of a weight was right when no other candidate came near, and how much of that is left when one did.
#[derive(Debug, Default)]
struct Table {
    by_weight: Steps,
    by_margin: Steps,
}

#[derive(Debug, Default)]
struct Tables {
    link: Table,
    query: Table,
    company: Table,
}

static TABLES: LazyLock<Tables> = LazyLock::new(|| read(include_str!("../../data/calibration.txt")));

/// How sure it is that a record belongs to the person it was linked to.
pub fn link_confidence(weight: Weight, margin: Weight) -> Confidence {
    TABLES.link.confidence(weight, margin)
}

/// How sure it is that a question means this person.
pub fn query_confidence(weight: Weight, margin: Weight) -> Confidence {
    TABLES.query.confidence(weight, margin)
}

/// How sure it is that a name or a site means this company.
pub fn company_confidence(weight: Weight, margin: Weight) -> Confidence {
    TABLES.company.confidence(weight, margin)
}

impl Table {
    fn confidence(&self, weight: Weight, margin: Weight) -> Confidence {
        let thousandths = step(&self.by_weight, weight) * step(&self.by_margin, margin) / 1_000;
        // Rounded down: an answer at the limit is not given.
        Confidence::percent(u8::try_from(thousandths / 10).unwrap_or(0))
    }
}

fn step(steps: &Steps, at: Weight) -> u32 {
    let known = steps.partition_point(|(from, _)| *from <= at);
    known.checked_sub(1).and_then(|place| steps.get(place)).map_or(0, |(_, thousandths)| *thousandths)
}

/// A line is a table, what it goes by, from where on, and thousandths. A line that is none of that is skipped; a test
/// sees that there is none.
fn read(text: &str) -> Tables {
    let mut tables = Tables::default();
    for line in text.lines() {
        let words: Vec<&str> = line.split_whitespace().collect();
        let [table, by, from, thousandths] = words.as_slice() else { continue };
        let table = match *table {
            "link" => &mut tables.link,
            "query" => &mut tables.query,
            "company" => &mut tables.company,
            _ => continue,
        };
        let steps = if *by == "margin" { &mut table.by_margin } else { &mut table.by_weight };
        if let (Ok(from), Ok(thousandths)) = (from.parse(), thousandths.parse()) {
            steps.push((from, thousandths));
        }
    }
    tables
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_tables_are_there_and_rise() {
        let tables = read(include_str!("../../data/calibration.txt"));
        for table in [&tables.link, &tables.query, &tables.company] {
            for steps in [&table.by_weight, &table.by_margin] {
                assert!(!steps.is_empty());
                assert!(steps.windows(2).all(|pair| pair[0].0 < pair[1].0 && pair[0].1 <= pair[1].1));
                assert!(steps.iter().all(|(_, thousandths)| *thousandths <= 1_000));
            }
        }
    }

    #[test]
    fn a_rival_takes_away_confidence_and_weight_gives_it() {
        let sure = query_confidence(2_000, Weight::MAX);
        assert!(sure >= Confidence::percent(90), "{sure}");
        assert!(query_confidence(2_000, 0) < Confidence::ENOUGH);
        assert!(query_confidence(300, Weight::MAX) < Confidence::ENOUGH);
        assert!(query_confidence(Weight::MIN, Weight::MIN) <= query_confidence(0, 0));
    }
}
