//! Prints made-up people, companies and events for reading: `--people 60`, `--companies 30`, `--events 10`, `--local`,
//! `--seed 7`, `--from 0`. `--counts` sums up a world of 200,000 people, `--bench` measures how fast they are made.

use std::collections::{BTreeMap, HashMap};
use std::hint::black_box;
use std::io::{ErrorKind, Result, Write};
use std::time::{Duration, Instant};

use assay_domain::person::{Employment, Location};
use assay_world::{DEMO_AS_OF, DEMO_SEED, World};
use chrono::{Datelike, NaiveDate};

/// Large enough to have every kind of company.
const PEOPLE: u64 = 200_000;
const BENCH_ROUNDS: u32 = 4;

fn main() -> Result<()> {
    let flags: Vec<String> = std::env::args().skip(1).collect();
    match show(&flags, &mut std::io::stdout().lock()) {
        // Whoever reads has seen enough.
        Err(error) if error.kind() == ErrorKind::BrokenPipe => Ok(()),
        other => other,
    }
}

fn show(flags: &[String], out: &mut impl Write) -> Result<()> {
    let has = |flag: &str| flags.iter().any(|given| given == flag);
    let number = |flag: &str, otherwise: u64| {
        let at = flags.iter().position(|given| given == flag);
        at.and_then(|at| flags.get(at + 1)).and_then(|text| text.parse().ok()).unwrap_or(otherwise)
    };
    let seed = number("--seed", DEMO_SEED);
    if has("--bench") {
        return measure(seed, out);
    }
    let world = World::new(seed, PEOPLE, DEMO_AS_OF);
    if has("--counts") {
        return show_counts(&world, out);
    }
    let from = number("--from", 0);
    let companies =
        (from..world.company_count()).filter(|at| !has("--local") || world.is_local_business(*at));
    for at in companies.take(count(number("--companies", 6))) {
        show_company(&world, at, out)?;
    }
    // Every so many, so that they come from many companies.
    let people = (from..world.people_count()).step_by(37);
    let people = people.filter(|at| !has("--local") || world.is_local_business(world.employer_index(*at)));
    for at in people.take(count(number("--people", 12))) {
        show_person(&world, at, out)?;
    }
    show_events(&world, number("--events", 4), out)
}

fn count(number: u64) -> usize {
    usize::try_from(number).unwrap_or(usize::MAX)
}

fn show_company(world: &World, index: u64, out: &mut impl Write) -> Result<()> {
    let facts = world.company(index).facts;
    let text = |value: Option<String>| value.unwrap_or_default();
    let kind = if world.is_local_business(index) { " (local)" } else { "" };
    let legal = text(facts.legal_name);
    writeln!(out, "company {index}{kind}: {} | {legal} | {}", facts.name, text(facts.description))?;
    writeln!(
        out,
        "  {} | {:?} | {} | founded {} | {} people, {:+} % | {} | {} open roles",
        facts.industry.map_or("", |industry| industry.as_str()),
        facts.kind,
        facts.headquarters.as_ref().map_or_else(String::new, place),
        facts.founded_year.unwrap_or(0),
        facts.employee_count.unwrap_or(0),
        facts.employee_growth_percent.unwrap_or(0),
        text(facts.revenue_range),
        facts.open_roles.unwrap_or(0),
    )?;
    let names: Vec<&str> = facts.technologies.iter().map(|known| known.name.as_str()).collect();
    writeln!(out, "  {} | {}", facts.keywords.join(", "), names.join(", "))?;
    let pattern = text(facts.mail.and_then(|mail| mail.pattern));
    writeln!(out, "  {} | {pattern}", facts.domain.map_or_else(String::new, |domain| domain.to_string()))?;
    for round in facts.funding_rounds {
        let amount =
            round.amount.map_or_else(|| "undisclosed".to_owned(), |amount| (amount / 100).to_string());
        writeln!(out, "  {} {amount} {} on {}", round.stage, text(round.currency), round.announced_on)?;
    }
    Ok(())
}

fn show_person(world: &World, index: u64, out: &mut impl Write) -> Result<()> {
    let person = world.person(index);
    let (facts, truth) = (person.facts, world.truth());
    writeln!(out, "person {index}: {} | born {}", facts.full_name, truth.birth_year(index))?;
    writeln!(
        out,
        "  {} | {} | {} | {}",
        facts.headline.unwrap_or_default(),
        facts.location.as_ref().map_or_else(String::new, place),
        facts.emails.first().map_or("", |known| known.address.as_str()),
        facts.phones.first().map_or("", |known| known.number.as_str()),
    )?;
    for job in &person.experience {
        writeln!(out, "    {}", line(job))?;
    }
    for school in facts.education {
        let of = |text: Option<String>| text.unwrap_or_default();
        let (degree, field) = (of(school.degree), of(school.field));
        writeln!(out, "    {degree}, {field}, {} {:?}", school.school, school.ended_year)?;
    }
    writeln!(out, "  {} | {}", facts.skills.join(", "), facts.certifications.join(", "))?;
    if let Some(manager) = truth.manager_of(index) {
        let manager = world.person(manager);
        let title = manager.experience.first().map_or("", |job| job.title.as_str());
        writeln!(out, "  reports to {}, {title}", manager.facts.full_name)?;
    }
    Ok(())
}

fn show_events(world: &World, wanted: u64, out: &mut impl Write) -> Result<()> {
    let every = |all: u64| (0..all).step_by(count((all / wanted.max(1)).max(1))).take(count(wanted));
    let name = |company| world.company(company).facts.name;
    for found in every(world.acquisition_count()).filter_map(|at| world.acquisition(at)) {
        let (target, acquirer) = (name(found.target), name(found.acquirer));
        writeln!(out, "acquisition: {target} by {acquirer} {:?} {}", found.price, found.announced_on)?;
    }
    for found in every(world.job_posting_count()).filter_map(|at| world.job_posting(at)) {
        let (company, place) = (name(found.company), place(&found.location));
        let dates = (found.posted_on, found.closed_on);
        writeln!(out, "posting: {} at {company}, {place} {dates:?} {:?}", found.title, found.applicants)?;
    }
    for found in every(world.job_change_count()).filter_map(|at| world.job_change(at)) {
        let person = world.person(found.person).facts.full_name;
        let [from, to] = [found.from, found.to].map(|job| job.as_ref().map_or_else(|| "-".to_owned(), line));
        writeln!(out, "change: {person} {} {}\n    {from}\n    {to}", found.kind.as_str(), found.on)?;
    }
    for found in every(world.announcement_count()).filter_map(|at| world.announcement(at)) {
        writeln!(out, "post: {} {} {}", found.posted_on, found.path, found.text)?;
    }
    Ok(())
}

fn line(job: &Employment) -> String {
    let day = |day: Option<NaiveDate>| day.map_or_else(|| "now".to_owned(), |day| day.to_string());
    let rank = job.seniority.map_or("", |seniority| seniority.as_str());
    let department = job.department.map_or("", |department| department.as_str());
    let (from, to) = (day(job.started_on), day(job.ended_on));
    format!("{} at {} ({rank}, {department}) {from} to {to}", job.title, job.company_name)
}

fn place(location: &Location) -> String {
    let parts = [location.city.as_deref(), location.country.as_deref()];
    parts.into_iter().flatten().collect::<Vec<_>>().join(", ")
}

fn show_counts(world: &World, out: &mut impl Write) -> Result<()> {
    let companies = world.company_count();
    let local = (0..companies).filter(|at| world.is_local_business(*at)).count();
    writeln!(out, "{} people, {companies} companies, {local} of them local", world.people_count())?;
    let (acquisitions, postings) = (world.acquisition_count(), world.job_posting_count());
    writeln!(out, "{acquisitions} acquisitions, {postings} job postings")?;
    let (changes, posts) = (world.job_change_count(), world.announcement_count());
    writeln!(out, "{changes} job changes, {posts} announcements")?;
    let truth = world.truth();
    let (mut names, mut decades) = (HashMap::<String, u64>::new(), BTreeMap::<i32, u64>::new());
    let (mut jobs, mut late) = (0, 0);
    for index in 0..world.people_count() {
        let person = world.person(index);
        let born = truth.birth_year(index);
        *names.entry(person.facts.full_name).or_default() += 1;
        *decades.entry(born.div_euclid(10) * 10).or_default() += 1;
        jobs += person.experience.len();
        let first = person.experience.last().and_then(|job| job.started_on);
        late += u64::from(first.is_some_and(|day| day.year() - born > 29));
    }
    let sharing: u64 = names.values().filter(|count| **count > 1).sum();
    writeln!(out, "{} full names, {sharing} people share theirs with somebody", names.len())?;
    writeln!(out, "born in the decade from: {decades:?}")?;
    writeln!(out, "{jobs} jobs; the first known one came after 29 for {late} people")?;
    let mut kinds = BTreeMap::<&str, u64>::new();
    for change in (0..changes).filter_map(|at| world.job_change(at)) {
        *kinds.entry(change.kind.as_str()).or_default() += 1;
    }
    writeln!(out, "job changes: {kinds:?}")
}

fn measure(seed: u64, out: &mut impl Write) -> Result<()> {
    for _ in 0..BENCH_ROUNDS {
        let (making, world) = timed(|| World::new(seed, PEOPLE, DEMO_AS_OF));
        let (people, ()) = timed(|| world.people(0..PEOPLE).for_each(|person| drop(black_box(person))));
        let (alone, ()) = timed(|| (0..PEOPLE).for_each(|at| drop(black_box(world.person(at)))));
        let indexes = 0..world.company_count();
        let (companies, ()) = timed(|| indexes.for_each(|at| drop(black_box(world.company(at)))));
        let count = world.company_count();
        writeln!(
            out,
            "world {making:?}, {PEOPLE} people in order {people:?}, one by one {alone:?}, {count} companies {companies:?}"
        )?;
    }
    Ok(())
}

#[expect(clippy::disallowed_methods, reason = "it measures itself, and no test needs to set its clock")]
fn timed<T>(work: impl FnOnce() -> T) -> (Duration, T) {
    let begun = Instant::now();
    let made = work();
    (begun.elapsed(), made)
}
