//! Workable. Days are told without an hour, and of a job of several places the first stands beside the list of all.

use super::super::place;
use super::{Job, posted};
use crate::reading::Piece;
use assay_domain::person::Location;

pub(super) fn job(job: Piece<'_>) -> Option<Job> {
    let mut read = Job::new(job.at("shortcode"), job.at("title"), job.either(&["url", "shortlink"]))?;
    read.departments = ["department", "function"].iter().filter_map(|name| job.at(name).owned()).collect();
    read.posted = posted(job, &["published_on", "created_at"]);
    read.places = job.at("locations").items().filter_map(place_of).collect();
    if read.places.is_empty() {
        read.places.extend(place_of(job));
    }
    Some(read)
}

fn place_of(from: Piece<'_>) -> Option<Location> {
    let region = from.either(&["region", "state"]).text();
    place::known(from.at("city").text(), region, from.either(&["countryCode", "country"]).text())
}
