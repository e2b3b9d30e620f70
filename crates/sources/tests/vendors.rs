//! Every fixture is asked and read: adding one needs no code. And every vendor has the fixtures it needs.

mod vendors_kit;

use assay_domain::Lookup;
use assay_sources::{Credentials, Reading, vendors};
use std::collections::BTreeSet;
use vendors_kit::{Fixture, KEY, fixtures, said, shown};

fn each(mut look: impl FnMut(&dyn assay_sources::Vendor, &Fixture)) {
    let mut looked = 0;
    for vendor in vendors::all() {
        for fixture in fixtures(&vendor.facts().name) {
            look(vendor.as_ref(), &fixture);
            looked += 1;
        }
    }
    assert!(looked > 60, "the fixtures are not where they were: {looked} found");
}

#[test]
fn every_answer_is_read_as_its_fixture_says() {
    each(|vendor, fixture| {
        let reading = fixture.read(vendor);
        assert_eq!(said(&reading), fixture.expect, "{}", fixture.path);
    });
}

#[test]
fn every_question_is_asked_as_its_fixture_says() {
    each(|vendor, fixture| {
        let request = vendor.request(&fixture.question(), &Credentials::new(KEY));
        let request = request.unwrap_or_else(|| panic!("{} cannot be asked", fixture.path));
        if let Some(expected) = &fixture.request {
            assert_eq!(&shown(&request), expected, "{}", fixture.path);
        }
        assert!(request.path.starts_with('/'), "{}", fixture.path);
    });
}

#[test]
fn every_vendor_has_a_hit_a_miss_and_a_failure_for_each_lookup() {
    for vendor in vendors::all() {
        let fixtures = fixtures(&vendor.facts().name);
        for asked in vendor.facts().lookups.iter() {
            let mut of_lookup = fixtures.iter().filter(|fixture| fixture.lookup() == asked.lookup);
            let outcomes: BTreeSet<&str> =
                of_lookup.clone().filter_map(|fixture| fixture.expect["reading"].as_str()).collect();
            for needed in ["found", "not_found", "error"] {
                assert!(
                    outcomes.contains(needed),
                    "{} has no `{needed}` fixture for {}",
                    vendor.facts().name,
                    asked.lookup
                );
            }
            assert!(
                of_lookup.any(|fixture| fixture.request.is_some()),
                "{} {}",
                vendor.facts().name,
                asked.lookup
            );
        }
    }
}

#[test]
fn every_fixture_is_of_a_lookup_its_vendor_takes() {
    each(|vendor, fixture| {
        let takes = vendor.facts().takes(fixture.lookup());
        assert!(takes, "{}", fixture.path);
        assert!(fixture.path.contains(fixture.lookup().as_str()), "{}", fixture.path);
    });
}

#[test]
fn nothing_is_asked_with_nothing_known_or_of_a_lookup_not_taken() {
    for vendor in vendors::all() {
        for lookup in Lookup::ALL {
            let question = assay_sources::Question { lookup, subject: assay_sources::Subject::default() };
            assert_eq!(
                vendor.request(&question, &Credentials::new(KEY)),
                None,
                "{} {lookup}",
                vendor.facts().name
            );
        }
    }
    each(|vendor, fixture| {
        let mut question = fixture.question();
        for lookup in Lookup::ALL {
            question.lookup = lookup;
            let takes = vendor.facts().takes(lookup);
            let asked = vendor.request(&question, &Credentials::new(KEY));
            assert!(takes || asked.is_none(), "{} {lookup}", vendor.facts().name);
        }
    });
}

#[test]
fn a_failure_or_an_unreadable_body_is_never_a_hit_or_a_miss() {
    each(|vendor, fixture| {
        for status in [408, 500, 502, 503, 504, 301, 100] {
            let reading = fixture.read_with(vendor, status, &fixture.body_text());
            assert!(!matches!(reading, Reading::Hit(_) | Reading::Miss), "{} {status}", fixture.path);
        }
        for body in ["", "<html>", "null", "[]", "{}", "\"\"", "{\"data\":", "\u{feff}{}"] {
            let reading = fixture.read_with(vendor, 200, body);
            assert!(!matches!(reading, Reading::Hit(_) | Reading::Miss), "{} {body}", fixture.path);
            let reading = fixture.read_with(vendor, 404, body);
            assert!(!matches!(reading, Reading::Hit(_) | Reading::Miss), "{} 404 {body}", fixture.path);
        }
    });
}

#[test]
fn no_key_and_nobody_shows_in_debug_output() {
    each(|vendor, fixture| {
        let key = Credentials::new("very-secret-key");
        let question = fixture.question();
        let request = vendor.request(&question, &key);
        let reading = fixture.read(vendor);
        let debug = format!("{vendor:?} {question:?} {key:?} {request:?} {reading:?}").to_lowercase();
        for secret in ["secret", "jane", "2025550123"] {
            assert!(!debug.contains(secret), "{}: {debug}", fixture.path);
        }
    });
}

#[test]
fn names_and_addresses_of_vendors_are_well_formed() {
    let mut names = BTreeSet::new();
    for vendor in vendors::all() {
        let name = vendor.facts().name.to_string();
        assert!(name.bytes().all(|b| b.is_ascii_lowercase() || b.is_ascii_digit() || b"_-".contains(&b)));
        assert!(vendor.facts().base_url.starts_with("https://") && !vendor.facts().base_url.ends_with('/'));
        assert!(vendor.facts().lookups.iter().all(|asked| asked.price.micros() > 0));
        assert!(!vendor.facts().rights.shareable && vendor.facts().rights.storable);
        assert!(names.insert(name), "two vendors of one name");
    }
}
