//! The `search-exact` bar: searches drawn from the world's own rows find the same ids, and count the same totals, as SQL
//! over the tables does.

use super::{COMPANIES, PEOPLE, rig, walk};
use crate::bar::{Complaints, Verdict, grouped, progress};
use crate::rig::Rig;
use anyhow::{Context, Result};
use rand::seq::IndexedRandom;
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use serde_json::{Value, json};
use std::collections::BTreeSet;

const QUERIES: usize = 300;
const QUERIES_SHORT: usize = 100;
const WORLD: u64 = 20_000;
const WORLD_SHORT: u64 = 1_000;
const ACCOUNTS: usize = 4;
const SEED: u64 = 16;
const PAGE: u32 = 100;

/// People as filters see them, made by SQL alone.
const PEOPLE_TABLE: &str = "create table bar_people as
    select 'per_' || replace(p.id::text, '-', '') as id, job->>'s' as seniority, job->>'d' as department,
        regexp_split_to_array(lower(job->>'t'), '[^a-z0-9]+') as title,
        array (select lower(s) from json_array_elements_text(p.facts->'skills') s) as skills,
        array (select lower(s) from json_array_elements_text(p.facts->'certifications') s) as certifications,
        array (select s from json_array_elements_text(p.facts->'languages') s) as language,
        p.facts->'location'->>'country' as country, p.facts->'location'->>'city' as city,
        c.facts->>'industry' as industry, c.facts->>'domain' as company_domain,
        (c.facts->>'employee_count')::bigint as employees,
        (select min((j->>'a')::date) from json_array_elements(p.experience) j) as began,
        (p.facts->>'last_job_change_on')::date as changed
    from person p
    left join lateral (select j as job from json_array_elements(p.experience) with ordinality as e (j, n)
                       where j->>'z' is null order by n limit 1) as current on true
    left join company c on replace(c.id::text, '-', '') = right(replace(job->>'c', '-', ''), 32)";

/// And companies.
const COMPANIES_TABLE: &str = "create table bar_companies as
    select 'com_' || replace(c.id::text, '-', '') as id, facts->>'industry' as industry,
        (facts->>'employee_count')::bigint as employees, (facts->>'founded_year')::int as founded,
        coalesce((facts->>'open_roles')::int, 0) as open_roles,
        array (select lower(t->>'name') from json_array_elements(facts->'technologies') t) as technologies,
        array (select l->>'country' from (select facts->'headquarters' as l
               union all select json_array_elements(facts->'locations')) as places) as countries,
        round->>'stage' as stage, (round->>'amount')::bigint as amount, round->>'currency' as currency,
        (round->>'announced_on')::date as funded
    from company c
    left join lateral (select r as round from json_array_elements(facts->'funding_rounds') with ordinality as e (r, n)
                       order by (r->>'announced_on')::date desc, n desc limit 1) as latest on true";

pub async fn run(short: bool) -> Result<Verdict> {
    let (world, queries) = if short { (WORLD_SHORT, QUERIES_SHORT) } else { (WORLD, QUERIES) };
    let rig = rig(world, ACCOUNTS)?;
    let server = rig.serve(&[])?;
    let mut clients = [server.client()];
    for table in [PEOPLE_TABLE, COMPANIES_TABLE] {
        rig.postgres.psql(rig.graph_name(), table)?;
    }
    let people = rows(&rig, "bar_people")?;
    let companies = rows(&rig, "bar_companies")?;
    let mut dice = ChaCha8Rng::seed_from_u64(SEED);
    let (mut complaints, mut found, mut empty) = (Complaints::default(), 0_usize, 0_usize);
    progress(format!("{queries} searches over {} people", grouped(people.len())));
    for number in 0..queries {
        let of_people = number % 3 != 0;
        let (path, table) = if of_people { (PEOPLE, "bar_people") } else { (COMPANIES, "bar_companies") };
        let drawn = if of_people {
            draw(&mut dice, &people, PERSON_FILTERS)
        } else {
            draw(&mut dice, &companies, COMPANY_FILTERS)
        };
        let Drawn { mut body, condition } = drawn.context("there is nobody to draw from")?;
        let asked_exact = number % 2 == 0;
        if asked_exact {
            body["count"] = json!("exact");
        }
        let api_key = &rig.accounts[number % ACCOUNTS].api_key;
        let walked = walk(&mut clients, api_key, path, &body, PAGE).await?;
        let select = format!("select coalesce(json_agg(id), '[]') from {table} where {condition}");
        let expected: BTreeSet<String> =
            serde_json::from_str(&rig.postgres.psql(rig.graph_name(), &select)?)?;
        let shown: BTreeSet<String> = walked.ids.iter().cloned().collect();
        found += walked.ids.len();
        empty += usize::from(expected.is_empty());
        let is_counted = walked.counts(u64::try_from(expected.len())?, asked_exact);
        if shown != expected || shown.len() != walked.ids.len() || !is_counted {
            complaints.add(format!(
                "{body}: {} rows, {} distinct, total {}; SQL has {} where {condition}",
                walked.ids.len(),
                shown.len(),
                walked.total,
                expected.len()
            ));
        }
    }
    let figure = format!(
        "search-exact: {queries} searches, {} rows shown, {empty} without any, {} wrong",
        grouped(found),
        complaints.count()
    );
    // Searches that find nothing prove little.
    Ok(Verdict { figure, passed: complaints.is_empty() && empty < queries / 2 })
}

fn rows(rig: &Rig, table: &str) -> Result<Vec<Value>> {
    let all = rig.postgres.psql(rig.graph_name(), &format!("select json_agg({table}) from {table}"))?;
    serde_json::from_str(&all).with_context(|| format!("{table} does not read back"))
}

/// A search, and the same in SQL.
struct Drawn {
    body: Value,
    condition: String,
}

/// What a row would be found by: a filter's name, its value, and the condition; none where the row has no such value.
type Filter = fn(&Value, &mut ChaCha8Rng) -> Option<(&'static str, Value, String)>;

const PERSON_FILTERS: &[Filter] = &[
    |row, _| term(row, "seniority", "seniority"),
    |row, _| term(row, "department", "department"),
    |row, _| term(row, "industry", "industry"),
    |row, _| term(row, "company_domain", "company_domain"),
    |row, dice| one_of(row, "skills", dice),
    |row, dice| one_of(row, "certifications", dice),
    |row, dice| one_of(row, "language", dice),
    |row, dice| {
        let words = row["title"].as_array()?;
        let word = words.iter().filter_map(Value::as_str).filter(|word| word.len() > 1).collect::<Vec<_>>();
        let word = word.choose(dice)?;
        Some(("title", json!(word), format!("{} = any (title)", quoted(word))))
    },
    |row, _| {
        let country = row["country"].as_str()?;
        Some(("location", json!({ "country": country }), format!("country = {}", quoted(country))))
    },
    |row, _| {
        let (country, city) = (row["country"].as_str()?, row["city"].as_str()?);
        let condition = format!("country = {} and city = {}", quoted(country), quoted(city));
        Some(("location", json!({ "country": country, "city": city }), condition))
    },
    |_, dice| {
        let (band, least, most) = *BANDS.choose(dice)?;
        Some(("company_size", json!(band), format!("employees between {least} and {most}")))
    },
    |_, dice| {
        let (least, more) = (dice.random_range(0..20), dice.random_range(0..10));
        let years = "extract(year from age((now() at time zone 'utc')::date, began))";
        let range = json!({ "min": least, "max": least + more });
        Some(("years_experience", range, format!("{years} between {least} and {}", least + more)))
    },
    |_, dice| {
        let days = dice.random_range(1..=365);
        let condition = format!("changed >= (now() at time zone 'utc')::date - {days}");
        Some(("changed_jobs_within_days", json!(days), condition))
    },
];

const BANDS: &[(&str, u32, u32)] = &[
    ("1-10", 1, 10),
    ("11-50", 11, 50),
    ("51-200", 51, 200),
    ("201-500", 201, 500),
    ("501-1000", 501, 1_000),
];

const COMPANY_FILTERS: &[Filter] = &[
    |row, _| term(row, "industry", "industry"),
    |row, dice| one_of(row, "technologies", dice),
    |row, dice| {
        let countries = row["countries"].as_array()?;
        let country = countries.iter().filter_map(Value::as_str).collect::<Vec<_>>();
        let country = country.choose(dice)?;
        let condition = format!("{} = any (countries)", quoted(country));
        Some(("location", json!({ "country": country }), condition))
    },
    |row, _| {
        let employees = row["employees"].as_u64()?;
        let (least, most) = (employees / 2, employees * 2);
        let range = json!({ "min": least, "max": most });
        Some(("employee_count", range, format!("employees between {least} and {most}")))
    },
    |row, _| {
        let founded = row["founded"].as_u64()?;
        let range = json!({ "min": founded.saturating_sub(3) });
        Some(("founded", range, format!("founded >= {}", founded.saturating_sub(3))))
    },
    |row, _| {
        let (stage, funded) = (row["stage"].as_str()?, row["funded"].as_str()?);
        let condition = format!("stage = {} and funded >= {}", quoted(stage), quoted(funded));
        Some(("funding", json!({ "stage": stage, "since": funded }), condition))
    },
    |row, _| {
        let (amount, currency) = (row["amount"].as_i64()?, row["currency"].as_str()?);
        let condition = format!("amount >= {amount} and currency = {}", quoted(currency));
        Some(("funding", json!({ "min_amount": amount, "currency": currency }), condition))
    },
    |_, dice| {
        let is_hiring = dice.random_bool(0.5);
        Some(("hiring", json!(is_hiring), format!("(open_roles > 0) = {is_hiring}")))
    },
];

/// One to three filters that somebody meets, and in a third of all cases what somebody else has is left out.
fn draw(dice: &mut ChaCha8Rng, rows: &[Value], filters: &[Filter]) -> Option<Drawn> {
    let (mut body, mut conditions) = (json!({}), vec!["true".to_owned()]);
    let row = rows.choose(dice)?;
    for _ in 0..dice.random_range(1..=3) {
        let Some((name, value, condition)) = filters.choose(dice)?(row, dice) else { continue };
        if body.get(name).is_none() {
            body[name] = value;
            conditions.push(format!("({condition})"));
        }
    }
    if dice.random_range(0..3) == 0
        && let Some((name, value, condition)) = filters.choose(dice)?(rows.choose(dice)?, dice)
    {
        body["exclude"] = json!({ name: value });
        conditions.push(format!("not coalesce(({condition}), false)"));
    }
    Some(Drawn { body, condition: conditions.join(" and ") })
}

fn term(row: &Value, column: &str, name: &'static str) -> Option<(&'static str, Value, String)> {
    let value = row[column].as_str()?;
    Some((name, json!(value), format!("{column} = {}", quoted(value))))
}

fn one_of(row: &Value, name: &'static str, dice: &mut ChaCha8Rng) -> Option<(&'static str, Value, String)> {
    let all = row[name].as_array()?;
    // The same one twice is as good as one.
    let values = [all.choose(dice)?.as_str()?, all.choose(dice)?.as_str()?];
    let each = values.iter().map(|value| quoted(value)).collect::<Vec<_>>().join(", ");
    Some((name, json!(values), format!("{name} && array[{each}]")))
}

fn quoted(text: &str) -> String {
    format!("'{}'", text.replace('\'', "''"))
}
