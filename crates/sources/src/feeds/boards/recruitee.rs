//! Recruitee.

use super::super::place;
use super::{Job, posted};
use crate::reading::Piece;
use assay_domain::person::Location;

pub(super) fn job(job: Piece<'_>) -> Option<Job> {
    // Only what is published is listed; should that change, it says so.
    if job.at("status").text().is_some_and(|status| status != "published") {
        return None;
    }
    let mut read = Job::new(job.at("id"), job.either(&["title", "position"]), job.at("careers_url"))?;
    read.departments = job.at("department").owned().into_iter().collect();
    read.posted = posted(job, &["published_at", "created_at"]);
    read.places = job.at("locations").items().filter_map(place_of).collect();
    if read.places.is_empty() {
        read.places.extend(place_of(job));
    }
    if read.places.is_empty() {
        read.places = place::read_places(job.at("location").text().unwrap_or_default());
    }
    Some(read)
}

fn place_of(from: Piece<'_>) -> Option<Location> {
    let region = from.either(&["state_name", "state", "state_code"]).text();
    place::known(from.at("city").text(), region, from.either(&["country_code", "country"]).text())
}
