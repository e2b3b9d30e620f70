//! Searches as people describe whom they sell to, drawn from somebody of the world, by how many they find.

use super::{PEOPLE, ask};
use crate::bar::progress;
use crate::http_client::Client;
use crate::rig::Rig;
use anyhow::{Context, Result, bail};
use assay_domain::name::fold_text;
use assay_domain::taxonomy::SizeBand;
use assay_index::fold_term;
use rand::seq::{IndexedRandom, SliceRandom};
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use serde_json::{Value, json};

/// So many are drawn at most to fill all classes.
const DRAWS_MAX: usize = 20_000;
const FILTERS_MAX: usize = 5;

/// How many a search finds.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Class {
    Few,
    Some,
    Many,
}

impl Class {
    pub const ALL: [Self; 3] = [Self::Few, Self::Some, Self::Many];

    fn of(hits: u64) -> Option<Self> {
        match hits {
            1..=100 => Some(Self::Few),
            101..=10_000 => Some(Self::Some),
            10_001..=1_000_000 => Some(Self::Many),
            _ => None,
        }
    }

    pub fn name(self) -> &'static str {
        match self {
            Self::Few => "up to 100",
            Self::Some => "up to 10,000",
            Self::Many => "up to 1 M",
        }
    }
}

/// A search, and the same as the index has it: fields with values that must all be met.
#[derive(Debug, Clone)]
pub struct Icp {
    pub body: Value,
    pub terms: Vec<(&'static str, String)>,
    pub class: Class,
}

/// Draws so many searches of each class. Where the world is too small for a class there are none of it.
pub async fn draw(rig: &Rig, client: &mut Client, of_each: usize, seed: u64) -> Result<Vec<Icp>> {
    let mut dice = ChaCha8Rng::seed_from_u64(seed);
    let mut drawn: Vec<Icp> = Vec::new();
    let has_many = rig.world().people_count() > 100_000;
    let classes: &[Class] = if has_many { &Class::ALL } else { &[Class::Few, Class::Some] };
    for number in 0..DRAWS_MAX {
        let Some((body, terms)) = one(rig, &mut dice) else { continue };
        let account = &rig.accounts[number % rig.accounts.len()];
        let mut asked = body.clone();
        asked["count"] = json!("exact");
        asked["limit"] = json!(1);
        let page = ask(client, &account.api_key, PEOPLE, &asked).await?;
        let hits = page["total"].as_u64().context("an answer without a total")?;
        let Some(class) = Class::of(hits).filter(|class| classes.contains(class)) else { continue };
        let has_room = drawn.iter().filter(|one| one.class == class).count() < of_each;
        if has_room && drawn.iter().all(|one| one.body != body) {
            drawn.push(Icp { body, terms, class });
        }
        if drawn.len() == of_each * classes.len() {
            progress(format!("{} searches of {number} drawn", drawn.len()));
            drawn.shuffle(&mut dice);
            return Ok(drawn);
        }
    }
    bail!("{DRAWS_MAX} draws did not fill all classes")
}

type Filter = (&'static str, Value, Vec<(&'static str, String)>);

/// One to five filters that somebody meets.
fn one(rig: &Rig, dice: &mut ChaCha8Rng) -> Option<(Value, Vec<(&'static str, String)>)> {
    let index = dice.random_range(0..rig.world().people_count());
    let mut filters = filters_of(rig, index, dice);
    filters.shuffle(dice);
    filters.truncate(dice.random_range(1..=FILTERS_MAX));
    let mut body = json!({});
    let mut terms = Vec::new();
    for (name, value, met) in filters {
        body[name] = value;
        terms.extend(met);
    }
    (!terms.is_empty()).then_some((body, terms))
}

fn filters_of(rig: &Rig, index: u64, dice: &mut ChaCha8Rng) -> Vec<Filter> {
    let person = rig.world().person(index);
    let company = rig.world().company(rig.world().employer_index(index)).facts;
    let job = person.experience.first();
    let mut filters: Vec<Filter> = Vec::new();
    let mut whole = |name: &'static str, field: &'static str, value: Option<String>| {
        filters.extend(value.map(|value| (name, json!(value), vec![(field, value)])));
    };
    whole("seniority", "seniority", job.and_then(|job| job.seniority).map(|it| it.to_string()));
    whole("department", "department", job.and_then(|job| job.department).map(|it| it.to_string()));
    whole("industry", "industry", company.industry.map(|it| it.to_string()));
    let band = company.employee_count.and_then(SizeBand::of_count);
    whole("company_size", "company_size", band.map(|band| band.to_string()));
    if let Some(skill) = person.facts.skills.choose(dice) {
        filters.push(("skills", json!(skill), vec![("skill", fold_term(skill))]));
    }
    if let Some(place) = &person.facts.location
        && let Some(country) = &place.country
    {
        let mut value = json!({ "country": country });
        let mut met = vec![("country", country.to_uppercase())];
        if let Some(city) = place.city.as_ref().filter(|_| dice.random_bool(0.5)) {
            value["city"] = json!(city);
            met.push(("city", fold_text(city)));
        }
        filters.push(("location", value, met));
    }
    if let Some(job) = job {
        let words: Vec<String> = fold_text(&job.title).split(' ').map(str::to_owned).collect();
        if let Some(word) = words.choose(dice).filter(|word| word.len() > 1) {
            filters.push(("title", json!(word), vec![("title", word.clone())]));
        }
    }
    filters
}
