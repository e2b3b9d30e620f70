//! Taxonomies: every term survives JSON, text and its compact index, and a near miss is told what was meant.
#![allow(clippy::unwrap_used, reason = "a test stops where it fails, also in a function it calls")]

use std::collections::HashSet;
use std::fmt::{Debug, Display};
use std::hash::Hash;
use std::str::FromStr;

use assay_domain::ParseError;
use assay_domain::taxonomy::{Department, EmailStatus, FundingStage, Industry, Seniority, SizeBand};
use serde::Serialize;
use serde::de::DeserializeOwned;

fn round_trip<T>(all: &[T], names: &[&str], index: fn(T) -> u8, from_index: fn(u8) -> Option<T>)
where
    T: Copy + Eq + Ord + Hash + Debug + Display + FromStr<Err = ParseError> + Serialize + DeserializeOwned,
{
    assert_eq!(all.len(), names.len());
    assert_eq!(all.iter().collect::<HashSet<_>>().len(), all.len());
    assert!(all.len() < 255 && all.is_sorted());
    for (position, (term, name)) in all.iter().zip(names).enumerate() {
        assert_eq!(term.to_string(), *name);
        assert_eq!(name.parse::<T>().unwrap(), *term);
        let json = serde_json::to_string(term).unwrap();
        assert_eq!(json, serde_json::to_string(name).unwrap());
        assert_eq!(serde_json::from_str::<T>(&json).unwrap(), *term);
        assert_eq!(usize::from(index(*term)), position);
        assert_eq!(from_index(index(*term)), Some(*term));
        // One wrong letter at the end still finds a term to suggest.
        let error = format!("{name}q").parse::<T>().unwrap_err();
        assert!(
            matches!(error, ParseError::Term { nearest: Some(near), .. } if near == *name),
            "{name}: {error}"
        );
    }
    for beyond in all.len()..=255 {
        assert_eq!(from_index(u8::try_from(beyond).unwrap()), None);
    }
    for text in ["", " ", "zzzzzzzzzzzzzzzz", "🙂", &"a".repeat(100_000)] {
        let error = text.parse::<T>().unwrap_err();
        assert_eq!(error.code(), "unknown_value");
        assert!(matches!(error, ParseError::Term { nearest: None, .. }), "{error}");
    }
}

fn words(text: &str) -> Vec<&str> {
    text.split(", ").collect()
}

#[test]
fn every_term_of_every_closed_list_round_trips() {
    round_trip(
        Seniority::ALL,
        &words("owner, founder, c_suite, partner, vp, head, director, manager, senior, entry, intern"),
        Seniority::index,
        Seniority::from_index,
    );
    round_trip(
        Department::ALL,
        &words(
            "executive, engineering, it, data, security, product, design, sales, customer_success, marketing, finance, hr, legal, \
             operations, support, education, health, consulting, research, other",
        ),
        Department::index,
        Department::from_index,
    );
    round_trip(
        SizeBand::ALL,
        &words("1-10, 11-50, 51-200, 201-500, 501-1000, 1001-5000, 5001-10000, 10001+"),
        SizeBand::index,
        SizeBand::from_index,
    );
    round_trip(
        FundingStage::ALL,
        &words(
            "pre_seed, seed, series_a, series_b, series_c, series_d, series_e, series_f, series_g, series_h, private_equity, debt, \
             grant, ipo, other",
        ),
        FundingStage::index,
        FundingStage::from_index,
    );
    round_trip(
        EmailStatus::ALL,
        &words("valid, catch_all, catch_all_valid, invalid, disposable, risky, unknown"),
        EmailStatus::index,
        EmailStatus::from_index,
    );
}

#[test]
fn every_industry_round_trips_in_any_case() {
    let all: Vec<Industry> = Industry::all().collect();
    let names: Vec<&str> = all.iter().map(|industry| industry.as_str()).collect();
    assert_eq!(names.len(), 147);
    let folded: HashSet<String> = names.iter().map(|name| name.to_lowercase()).collect();
    assert_eq!(folded.len(), 147);
    assert!(names.iter().all(|name| !name.is_empty() && name.trim() == *name));
    round_trip(&all, &names, Industry::index, Industry::from_index);
    for industry in all {
        for spelling in
            [industry.as_str().to_lowercase(), industry.as_str().to_uppercase(), format!(" {industry} ")]
        {
            assert_eq!(Industry::parse(&spelling).unwrap(), industry);
        }
    }
}

#[test]
fn a_near_miss_is_told_what_was_probably_meant() {
    for (text, want) in [
        ("C-Suite", "c_suite"),
        ("VP", "vp"),
        ("directer", "director"),
        ("Manager", "manager"),
        ("interm", "intern"),
    ] {
        let error = Seniority::parse(text).unwrap_err();
        assert_eq!(error, ParseError::Term { kind: "seniority", nearest: Some(want) });
    }
    let error = Industry::parse("Transportationg / Trucking / Railroad").unwrap_err();
    assert!(error.to_string().contains("Transportation / Trucking / Railroad"));
}

#[test]
fn a_head_count_falls_into_the_band_whose_ends_its_name_states() {
    assert_eq!(SizeBand::of_count(0), None);
    assert_eq!(SizeBand::of_count(u32::MAX).unwrap().as_str(), "10001+");
    let mut next = 1;
    for band in SizeBand::ALL {
        let (low, high) = match band.as_str().split_once('-') {
            Some((low, high)) => (low.parse::<u32>().unwrap(), high.parse::<u32>().unwrap()),
            None => (10_001, 10_001),
        };
        assert_eq!(low, next);
        for count in [low, high, low + (high - low) / 2] {
            assert_eq!(SizeBand::of_count(count), Some(*band));
        }
        next = high + 1;
    }
}
