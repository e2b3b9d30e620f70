//! An order: the items of one bulk job, with what must become of each of them.

use super::{JobView, ResultView};
use crate::bar::Complaints;
use crate::rig::{Known, Rig};
use assay_domain::{Credits, PersonId};
use rand::seq::IndexedRandom;
use serde_json::json;

/// What an item must come to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum End {
    /// Only the first of those that ask for the same is paid for.
    Resolved {
        person: PersonId,
        paid: bool,
    },
    NotFound,
    Invalid,
}

#[derive(Debug, Clone)]
pub struct Item {
    pub email: String,
    pub end: End,
}

/// The items of one bulk job of one account.
#[derive(Debug, Clone)]
pub struct Order {
    /// Among the rig's accounts.
    pub account: usize,
    pub items: Vec<Item>,
}

impl Order {
    /// Known people, unknown ones, duplicates and texts that are no address. `first` is the first person of the world that
    /// may be asked for; orders of one account whose people do not overlap find nobody twice.
    pub fn mixed(rig: &Rig, account: usize, first: usize, size: usize) -> Option<Self> {
        let mut items: Vec<Item> = Vec::with_capacity(size);
        for index in 0..size {
            let item = match rand::random_range(0..100_u32) {
                0..10 if index > 0 => same_again(&items),
                10..25 => {
                    let email = format!("nobody-{account}-{first}-{index}@unknown.example");
                    Some(Item { email, end: End::NotFound })
                }
                25..30 => Some(Item { email: format!("no address {index}"), end: End::Invalid }),
                _ => None,
            };
            items.push(match item {
                Some(item) => item,
                None => known(&rig.known(u64::try_from(first + index).ok()?)?),
            });
        }
        Some(Self { account, items })
    }

    /// Nothing but known people, by their numbers in the world.
    pub fn known(rig: &Rig, account: usize, people: &[u64]) -> Option<Self> {
        let items = people.iter().map(|index| Some(known(&rig.known(*index)?)));
        Some(Self { account, items: items.collect::<Option<_>>()? })
    }

    pub fn body(&self) -> String {
        let items = self.items.iter().enumerate();
        let items = items.map(|(index, item)| json!({ "id": index.to_string(), "email": item.email }));
        json!({ "items": items.collect::<Vec<_>>() }).to_string()
    }

    /// How many of its items are paid for.
    pub fn paid(&self) -> usize {
        self.items.iter().filter(|item| matches!(item.end, End::Resolved { paid: true, .. })).count()
    }
}

fn known(known: &Known) -> Item {
    Item { email: known.email.clone(), end: End::Resolved { person: known.id, paid: true } }
}

/// Asks once more for what an item before it asks for, in other letters.
fn same_again(items: &[Item]) -> Option<Item> {
    let valid: Vec<&Item> = items.iter().filter(|item| item.end != End::Invalid).collect();
    let Item { email, end } = *valid.choose(&mut rand::rng())?;
    let end = match *end {
        End::Resolved { person, .. } => End::Resolved { person, paid: false },
        other => other,
    };
    Some(Item { email: email.to_uppercase(), end })
}

/// Lays what was read beside what was ordered, and says how many items came to their end exactly once, and rightly.
pub fn compare(order: &Order, job: &JobView, results: &[ResultView], complaints: &mut Complaints) -> usize {
    let id = &job.id;
    let mut seen = vec![0_u32; order.items.len()];
    let mut right = 0;
    let mut cost = Credits::ZERO;
    for result in results {
        cost = cost.plus(result.cost.credits);
        let (Some(item), Some(times)) = (order.items.get(result.index), seen.get_mut(result.index)) else {
            complaints.add(format!("{id} has an item {} that nobody sent", result.index));
            continue;
        };
        *times += 1;
        if *times > 1 {
            complaints.add(format!("{id} shows item {} {times} times", result.index));
        } else if fits(item.end, result) {
            right += 1;
        } else {
            complaints.add(format!("{id}, item {}: {:?} became {result:?}", result.index, item.end));
        }
    }
    for (index, _) in seen.iter().enumerate().filter(|(_, times)| **times == 0) {
        complaints.add(format!("{id} does not show item {index}"));
    }
    let wanted = Credits::whole(i64::try_from(order.paid()).unwrap_or(i64::MAX));
    if job.charged != wanted || cost != wanted {
        complaints.add(format!(
            "{id} charged {}, its items cost {cost} together, {wanted} would be right",
            job.charged
        ));
    }
    if !job.is_over() || job.counts.pending != 0 || job.counts.total != order.items.len() {
        complaints.add(format!("{id} is {} with {:?}", job.status, job.counts));
    }
    right
}

fn fits(end: End, result: &ResultView) -> bool {
    let (status, person, paid) = match end {
        End::Resolved { person, paid } => ("resolved", Some(person.to_string()), paid),
        End::NotFound => ("not_found", None, false),
        End::Invalid => ("invalid", None, false),
    };
    let cost = if paid { Credits::whole(1) } else { Credits::ZERO };
    let shown = result.person.as_ref().map(|person| person.id.clone());
    result.status == status && shown == person && result.cost.credits == cost
}

#[cfg(test)]
mod tests {
    use super::*;
    use uuid::Uuid;

    fn order() -> Order {
        let person = PersonId::from_uuid(Uuid::from_u128(7));
        let ends = [
            End::Resolved { person, paid: true },
            End::NotFound,
            End::Invalid,
            End::Resolved { person, paid: false },
        ];
        let items = ends.map(|end| Item { email: "ada@example.com".into(), end });
        Order { account: 0, items: items.to_vec() }
    }

    /// What is wrong with these results, and how many are right.
    fn found(charged: u32, results: &serde_json::Value) -> (usize, usize) {
        let job = json!({ "id": "blk_1", "status": "completed_with_errors", "charged": charged,
            "counts": { "total": 4, "pending": 0, "resolved": 2, "not_found": 1, "invalid": 1, "failed": 0, "skipped": 0 } });
        let job = serde_json::from_value(job).unwrap();
        let results: Vec<ResultView> = serde_json::from_value(results.clone()).unwrap();
        let mut complaints = Complaints::default();
        let right = compare(&order(), &job, &results, &mut complaints);
        (complaints.count(), right)
    }

    fn results() -> serde_json::Value {
        let person = json!({ "id": PersonId::from_uuid(Uuid::from_u128(7)).to_string() });
        json!([
            { "index": 0, "status": "resolved", "person": person, "cost": { "credits": 1 } },
            { "index": 1, "status": "not_found", "person": null, "cost": { "credits": 0 } },
            { "index": 2, "status": "invalid", "person": null, "cost": { "credits": 0 } },
            { "index": 3, "status": "resolved", "person": person, "cost": { "credits": 0 } },
        ])
    }

    #[test]
    fn what_became_of_every_item_is_held_against_the_order() {
        assert_eq!(found(1, &results()), (0, 4));
        assert_eq!(found(2, &results()), (1, 4));
        for (index, field, value, wrong) in [
            (1_usize, "status", json!("failed"), 1),
            (0, "person", json!(null), 1),
            // Charged twice: the item, and the sum.
            (3, "cost", json!({ "credits": 1 }), 2),
            // Shown twice, and another one not at all.
            (1, "index", json!(0), 2),
            (2, "index", json!(4), 2),
        ] {
            let mut results = results();
            results[index][field] = value;
            let (complaints, right) = found(1, &results);
            assert_eq!((complaints, right), (wrong, 3), "{index} {field}");
        }
    }
}
