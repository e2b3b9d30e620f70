//! Greenhouse. Its places are what the company typed.

use super::super::place;
use super::{Job, posted};
use crate::reading::Piece;
use serde_json::Value;

pub(super) fn job(value: &Value, job: Piece<'_>) -> Option<Job> {
    // A post to collect people who might be interested in some job, some day.
    if value.get("internal_job_id").is_some_and(Value::is_null) {
        return None;
    }
    let mut read = Job::new(job.at("id"), job.at("title"), job.at("absolute_url"))?;
    read.departments = job.at("departments").items().filter_map(|it| it.at("name").owned()).collect();
    read.posted = posted(job, &["first_published", "updated_at"]);
    read.places = place::read_places(job.at("location.name").text().unwrap_or_default());
    let offices =
        job.at("offices").items().filter_map(|it| it.at("location").text()).flat_map(place::read_places);
    let offices: Vec<_> = offices.collect();
    if read.places.is_empty() {
        read.places = offices;
        return Some(read);
    }
    // An office in the same town tells which one it is.
    for place in read.places.iter_mut().filter(|place| place.country.is_none() && place.region.is_none()) {
        let same =
            offices.iter().find(|it| it.city.is_some() && it.city == place.city && it.country.is_some());
        if let Some(office) = same {
            *place = office.clone();
        }
    }
    Some(read)
}
