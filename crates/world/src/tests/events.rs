//! What holds for every event: who it is about exists, it lies in the past, and it agrees with the records.

use std::collections::{HashMap, HashSet};

use assay_domain::taxonomy::Seniority;
use chrono::Days;

use super::{SEEDS_PEOPLE, worlds};
use crate::{DEMO_AS_OF, JobChangeKind, World};

#[test]
fn acquirers_are_larger_and_nobody_is_bought_twice() {
    for world in worlds() {
        let mut targets = HashSet::new();
        assert!(world.acquisition_count() >= 8, "{}", world.acquisition_count());
        for index in 0..world.acquisition_count() {
            let found = world.acquisition(index).unwrap();
            assert!(found.acquirer < world.company_count() && found.target < world.company_count());
            assert!(targets.insert(found.target) && !world.is_local_business(found.target));
            let size = |company| world.company(company).facts.employee_count.unwrap();
            assert!(size(found.acquirer) > size(found.target), "{index}");
            assert!(found.announced_on < DEMO_AS_OF);
            for company in [found.acquirer, found.target] {
                let founded = world.company(company).facts.founded_year.unwrap();
                assert!(chrono::Datelike::year(&found.announced_on) >= founded, "{index}");
            }
            assert!(found.price.is_none_or(|price| price.minor_units > 0 && price.currency.len() == 3));
        }
        assert_eq!(world.acquisition(world.acquisition_count()), None);
    }
}

#[test]
fn open_postings_are_as_many_as_the_companys_record_says() {
    for world in worlds() {
        let mut open: HashMap<u64, u32> = HashMap::new();
        let (mut known, mut few) = (0, 0);
        for index in 0..world.job_posting_count() {
            let found = world.job_posting(index).unwrap();
            assert!(!found.title.is_empty() && found.posted_on <= DEMO_AS_OF, "{index}");
            assert!(found.seniority > Seniority::Partner);
            match found.closed_on {
                None => *open.entry(found.company).or_default() += 1,
                Some(day) => assert!(found.posted_on < day && day <= DEMO_AS_OF, "{index}"),
            }
            known += u64::from(found.applicants.is_some());
            few += u64::from(found.applicants.is_some_and(|count| count < 25));
            assert!(world.company(found.company).facts.locations.contains(&found.location), "{index}");
        }
        let unknown = world.job_posting_count() - known;
        assert!((25..42).contains(&(unknown * 100 / world.job_posting_count())), "{unknown} unknown");
        assert!(few * 2 > known && few < known, "{few} of {known}");
        for company in 0..world.company_count() {
            let wanted = world.company(company).facts.open_roles.unwrap();
            assert_eq!(open.get(&company).copied().unwrap_or(0), wanted, "{company}");
        }
        assert_eq!(world.job_posting(world.job_posting_count()), None);
    }
}

#[test]
fn job_changes_are_the_newest_steps_of_careers() {
    for world in worlds() {
        let mut kinds: HashMap<JobChangeKind, u64> = HashMap::new();
        let mut changed = HashSet::new();
        for index in 0..world.job_change_count() {
            let change = world.job_change(index).unwrap();
            assert!(change.person < SEEDS_PEOPLE && change.on < DEMO_AS_OF, "{index}");
            let jobs = world.person(change.person).experience;
            *kinds.entry(change.kind).or_default() += 1;
            if change.kind == JobChangeKind::Left {
                assert_eq!(change.from.as_ref(), jobs.get(1), "{index}");
                assert_eq!(Some(change.on), change.from.unwrap().ended_on, "{index}");
                assert_eq!(change.to, None);
                continue;
            }
            assert!(changed.insert(change.person), "{index}");
            assert_eq!(change.to.as_ref(), jobs.first(), "{index}");
            assert_eq!(change.from.as_ref(), jobs.get(1), "{index}");
            let (to, from) = (change.to.unwrap(), change.from);
            assert_eq!(to.started_on, Some(change.on));
            let same = from.as_ref().is_some_and(|from| from.company_id == to.company_id);
            assert_eq!(same, change.kind != JobChangeKind::NewCompany, "{index}");
            let rose = from.is_some_and(|from| from.seniority > to.seniority);
            assert!(change.kind != JobChangeKind::Promotion || rose, "{index}");
        }
        for kind in JobChangeKind::ALL {
            assert!(kinds[kind] >= SEEDS_PEOPLE / 400, "{kinds:?}");
        }
        for index in 0..SEEDS_PEOPLE {
            let since = world.person(index).facts.last_job_change_on.unwrap();
            let recent = DEMO_AS_OF.checked_sub_days(Days::new(120)).unwrap() <= since;
            assert_eq!(recent, changed.contains(&index), "{index}: {since}");
        }
        assert_eq!(world.job_change(world.job_change_count()), None);
    }
}

#[test]
fn announcements_are_of_people_in_new_jobs_and_name_them() {
    for world in worlds() {
        let (mut people, mut paths, mut texts) = (HashSet::new(), HashSet::new(), HashSet::new());
        for index in 0..world.announcement_count() {
            let post = world.announcement(index).unwrap();
            let person = world.person(post.person);
            let job = person.experience.first().unwrap();
            assert!(people.insert(post.person) && paths.insert(post.path.clone()), "{index}");
            assert!(post.path.starts_with("/posts/"), "{}", post.path);
            assert!(post.text.contains(&job.title) && post.text.contains(&job.company_name), "{}", post.text);
            assert!(!post.text.contains(['{', '}']) && !post.text.contains("  "), "{}", post.text);
            assert!(job.started_on.unwrap() <= post.posted_on && post.posted_on <= DEMO_AS_OF);
            let plain = post.text.replace(&job.title, "").replace(&job.company_name, "");
            texts.insert(plain.chars().take(12).collect::<String>());
        }
        let count = u64::try_from(people.len()).unwrap();
        assert!((SEEDS_PEOPLE / 40..SEEDS_PEOPLE / 12).contains(&count), "{count}");
        assert!(texts.len() >= 10, "{texts:?}");
        assert_eq!(world.announcement(world.announcement_count()), None);
    }
}

#[test]
fn worlds_of_odd_sizes_have_events_that_can_be_asked_for() {
    for people in [0, 1, 19, 801] {
        let world = World::new(3, people, DEMO_AS_OF);
        assert!((0..world.acquisition_count()).all(|index| world.acquisition(index).is_some()));
        assert!((0..world.job_posting_count()).all(|index| world.job_posting(index).is_some()));
        assert!((0..world.job_change_count()).all(|index| world.job_change(index).is_some()));
        assert!((0..world.announcement_count()).all(|index| world.announcement(index).is_some()));
    }
}
