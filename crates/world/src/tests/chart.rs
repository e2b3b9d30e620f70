//! What holds for who reports to whom.

use std::collections::HashMap;

use assay_domain::taxonomy::Seniority;

use super::worlds;

#[test]
fn every_company_has_one_top_and_everybody_else_one_manager_of_higher_rank() {
    for world in worlds() {
        let truth = world.truth();
        for company in 0..world.company_count() {
            let chart = truth.org_chart(company);
            let ranks: HashMap<u64, Seniority> =
                chart.iter().map(|(person, _)| (*person, rank(&world, *person))).collect();
            let tops: Vec<u64> =
                chart.iter().filter(|(_, above)| above.is_none()).map(|(person, _)| *person).collect();
            assert_eq!(tops.len(), usize::from(!chart.is_empty()), "{company}");
            for (person, above) in &chart {
                assert_eq!(world.employer_index(*person), company);
                let Some(above) = above else { continue };
                // Chiefs and partners have the rank of the one at the top, and report to nobody else.
                let higher = ranks[above] < ranks[person];
                assert!(
                    higher || (tops.contains(above) && ranks[above] == ranks[person]),
                    "{person}: {above}"
                );
                assert_ne!(person, above);
            }
        }
    }
}

fn rank(world: &crate::World, person: u64) -> Seniority {
    world.person(person).experience[0].seniority.unwrap()
}

#[test]
fn going_up_from_anybody_ends_at_the_top() {
    for world in worlds() {
        let truth = world.truth();
        for company in 0..world.company_count() {
            let above: HashMap<u64, Option<u64>> = truth.org_chart(company).into_iter().collect();
            for person in above.keys() {
                let mut steps = 0;
                let mut at = *person;
                while let Some(manager) = above[&at] {
                    at = manager;
                    steps += 1;
                    assert!(steps <= 8, "{person} goes round in circles");
                }
            }
        }
    }
}

#[test]
fn the_chart_and_the_single_question_agree() {
    let world = crate::World::new(7, 4_000, crate::DEMO_AS_OF);
    let truth = world.truth();
    for company in 0..world.company_count() {
        for (person, above) in truth.org_chart(company) {
            assert_eq!(truth.manager_of(person), above);
        }
    }
}
