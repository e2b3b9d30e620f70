//! Two snapshots of one source: people who are written down twice, rows that cannot be read, and other jobs later.

use crate::import_files::{PersonLine, person_lines, write_people};
use anyhow::Result;
use assay_world::World;
use chrono::{Days, NaiveDate};
use std::collections::VecDeque;
use std::path::Path;

pub const FILES: [&str; 2] = ["first.csv", "second.csv"];
/// Whoever is written down again is so this many people later: mostly in another batch.
const LATER: usize = 1_700;
const SECOND_AFTER: Days = Days::new(90);

/// Writes both files, together about as many rows as asked for, and says how many.
pub fn write(folder: &Path, world: &World, rows: u64) -> Result<u64> {
    std::fs::create_dir(folder)?;
    // The first file has about five rows for four people, the second one row for two.
    let people = (rows * 4 / 7).min(world.people_count());
    let mut count = 0;
    let [first, second] = FILES.map(|file| folder.join(file));
    write_people(&first, first_lines(world, people).inspect(|_| count += 1))?;
    write_people(&second, second_lines(world, people).inspect(|_| count += 1))?;
    Ok(count)
}

/// Some who must not come back.
pub fn erased(world: &World) -> Vec<String> {
    let known = person_lines(world, 0..100).map(|line| line.email);
    known.filter(|email| !email.is_empty()).step_by(30).collect()
}

fn first_lines(world: &World, people: u64) -> impl Iterator<Item = PersonLine> {
    let mut waiting: VecDeque<(usize, PersonLine)> = VecDeque::new();
    let mut lines = person_lines(world, 0..people).enumerate();
    std::iter::from_fn(move || {
        let next = lines.next();
        match next {
            Some((place, line)) => {
                let due = std::iter::from_fn(|| {
                    let is_due = waiting.front().is_some_and(|(due, _)| *due <= place);
                    is_due.then(|| waiting.pop_front()).flatten()
                });
                let mut out: Vec<PersonLine> = due.map(|(_, line)| line).collect();
                waiting.extend(again(place, &line).map(|line| (place + LATER, line)));
                out.push(if place % 13 == 4 { without_email(line) } else { line });
                Some(out)
            }
            None if waiting.is_empty() => None,
            None => Some(waiting.drain(..).map(|(_, line)| line).collect()),
        }
    })
    .flatten()
}

/// Those with a phone alone come a second time with the address alone, and a third time with both, which makes them one.
fn without_email(line: PersonLine) -> PersonLine {
    PersonLine { email: String::new(), profile_url: String::new(), ..line }
}

/// How the same person is written down later on.
fn again(place: usize, line: &PersonLine) -> impl Iterator<Item = PersonLine> {
    let mut lines = Vec::new();
    let other = |mark: &str| PersonLine { id: format!("{}-{mark}", line.id), ..line.clone() };
    if place % 10 == 3 {
        let first_name = line.first_name.chars().take(1).collect();
        lines.push(PersonLine {
            first_name,
            phone: String::new(),
            headline: String::new(),
            ..other("initial")
        });
    }
    if place % 13 == 4 {
        let mut nameless_job = other("address");
        nameless_job.phone.clear();
        nameless_job.profile_url.clear();
        nameless_job.company = "Somewhere else entirely".to_owned();
        nameless_job.company_domain.clear();
        lines.push(nameless_job);
        lines.push(other("both"));
    }
    if place % 40 == 7 {
        lines.push(PersonLine { title: "Head of Corrections".to_owned(), ..line.clone() });
    }
    if place % 150 == 9 {
        lines.push(PersonLine {
            id: format!("{}-broken", line.id),
            email: "nobody".to_owned(),
            ..PersonLine::default()
        });
    }
    lines.into_iter()
}

/// Every second person once more, later: some work elsewhere, some rose, some left.
fn second_lines(world: &World, people: u64) -> impl Iterator<Item = PersonLine> {
    let lines = person_lines(world, 0..people).enumerate().filter(|(place, _)| place % 2 == 1);
    let mut last_company: Option<(String, String)> = None;
    lines.map(move |(place, mut line)| {
        let company = (line.company.clone(), line.company_domain.clone());
        let day: Option<NaiveDate> = line.last_updated.parse().ok();
        let day = day.and_then(|day| day.checked_add_days(SECOND_AFTER)).map(|day| day.to_string());
        line.last_updated = day.unwrap_or_default();
        match (place % 24, last_company.take()) {
            (1 | 9, Some((company, domain))) => {
                (line.company, line.company_domain) = (company, domain);
                line.started_on.clone_from(&line.last_updated);
            }
            (5, _) => line.title = "Chief Operating Officer".to_owned(),
            (13, _) => line.ended_on.clone_from(&line.last_updated),
            (21, _) if place % 7 == 0 => {
                line = PersonLine { id: format!("{}-x", line.id), ..PersonLine::default() }
            }
            _ => {}
        }
        if last_company.is_none() {
            last_company = Some(company);
        }
        line
    })
}
