//! Ashby. Jobs that are only reached by a link are listed too, and say so.

use super::super::place;
use super::{Job, posted};
use crate::reading::Piece;
use assay_domain::person::Location;

pub(super) fn job(job: Piece<'_>) -> Option<Job> {
    if job.at("isListed").flag() == Some(false) {
        return None;
    }
    let mut read = Job::new(job.at("id"), job.at("title"), job.at("jobUrl"))?;
    read.departments = ["department", "team"].iter().filter_map(|name| job.at(name).owned()).collect();
    read.posted = posted(job, &["publishedAt", "publishedDate", "updatedAt"]);
    read.places = places(job);
    for other in job.at("secondaryLocations").items() {
        read.places.extend(places(other));
    }
    Some(read)
}

/// The address where there is one; its name is whatever the company calls the place.
fn places(from: Piece<'_>) -> Vec<Location> {
    let address = from.either(&["address.postalAddress", "address"]);
    let [city, region, country] =
        ["addressLocality", "addressRegion", "addressCountry"].map(|name| address.at(name).text());
    let known = place::known(city, region, country).filter(|it| it.city.is_some() || it.country.is_some());
    known.map_or_else(|| place::read_places(from.at("location").text().unwrap_or_default()), |it| vec![it])
}
