//! Lever. It tells moments in milliseconds, and the country of the first place apart from its name.

use super::super::{moment, place};
use super::Job;
use crate::reading::Piece;

pub(super) fn job(job: Piece<'_>) -> Option<Job> {
    let mut read = Job::new(job.at("id"), job.at("text"), job.at("hostedUrl"))?;
    let categories = job.at("categories");
    read.departments = ["team", "department"].iter().filter_map(|name| categories.at(name).owned()).collect();
    read.posted = job.at("createdAt").whole().and_then(moment::from_millis).map(|at| at.fixed_offset());
    let country = job.at("country").text().and_then(place::country);
    read.places = place::read_places(categories.at("location").text().unwrap_or_default());
    match read.places.first_mut() {
        Some(first) if first.country.is_none() => first.country = country,
        Some(_) => {}
        None => read.places.extend(place::known(None, None, country.as_deref())),
    }
    for other in categories.at("allLocations").items().filter_map(Piece::text).flat_map(place::read_places) {
        let same = |it: &assay_domain::person::Location| it.city.is_some() && it.city == other.city;
        if !read.places.iter().any(same) {
            read.places.push(other);
        }
    }
    Some(read)
}
