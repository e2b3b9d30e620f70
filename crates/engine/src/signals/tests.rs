//! What is one event, and what all who tell of it say together.

use super::fuse::fuse;
use super::group::group;
use super::keys::keys_of;
use super::same::is_same;
use assay_domain::company::Round;
use assay_domain::person::Location;
use assay_domain::signal::{Content, Deal, Move, MoveKind, Party, PersonNamed, Post, Posting};
use assay_domain::taxonomy::FundingStage;
use assay_domain::{Confidence, Domain, IdentityKey, Notice};
use assay_store::graph::HeldNotice;
use chrono::{DateTime, TimeDelta, Utc};
use proptest::prelude::*;

fn day(number: i64) -> DateTime<Utc> {
    DateTime::from_timestamp(1_790_000_000, 0).unwrap() + TimeDelta::days(number)
}

fn notice(company: &str, on: i64, content: Content) -> Notice {
    Notice {
        reference: format!("{company}-{on}"),
        url: None,
        occurred_at: day(on),
        company: Party::named(company),
        person: None,
        confidence: Confidence::percent(80),
        content,
    }
}

fn round(company: &str, on: i64, stage: FundingStage, amount: Option<i64>) -> Notice {
    let round = Round {
        stage,
        amount,
        currency: amount.map(|_| "USD".to_owned()),
        announced_on: day(on).date_naive(),
        investors: Vec::new(),
        lead_investors: Vec::new(),
    };
    notice(company, on, Content::Funding(round))
}

fn deal(acquirer: &str, target: &str, on: i64) -> Notice {
    let deal = Deal {
        acquirer: Party::named(acquirer),
        target: Party::named(target),
        price: None,
        currency: None,
        announced_on: day(on).date_naive(),
    };
    notice(target, on, Content::Acquisition(deal))
}

fn job(company: &str, title: &str, city: Option<&str>, on: i64) -> Notice {
    let place = |city: &str| Location { city: Some(city.to_owned()), ..Location::default() };
    let posting = Posting {
        id: on.to_string(),
        title: title.to_owned(),
        department: None,
        seniority: None,
        locations: city.map(place).into_iter().collect(),
        posted_at: day(on),
        closed_at: None,
        applicants: None,
        url: None,
    };
    notice(company, on, Content::Hiring(posting))
}

fn move_to(person: &str, company: &str, on: i64) -> Notice {
    let post = Post { title: "CFO".to_owned(), company: Party::named(company), on: None };
    let change = Move {
        kind: MoveKind::NewCompany,
        from: None,
        to: Some(post),
        announcement_post_url: None,
        announcement_text: None,
    };
    let person = PersonNamed { full_name: person.to_owned(), ..PersonNamed::default() };
    Notice { person: Some(person), ..notice(company, on, Content::JobChange(change)) }
}

/// As two sources tell it.
fn is_one(one: &Notice, other: &Notice) -> bool {
    match one.content {
        Content::Funding(_) | Content::Acquisition(_) => {
            group(&[held("a", 0, one.clone()), held("b", 0, other.clone())]).len() == 1
        }
        _ => is_same(one, other),
    }
}

/// Two notices, and whether they are one event; those that are must also meet.
#[track_caller]
fn check(one: &Notice, other: &Notice, same: bool) {
    assert_eq!((is_one(one, other), is_one(other, one)), (same, same));
    let key = IdentityKey::new([3; 32]);
    let (keys, others) = (keys_of(one, &key), keys_of(other, &key));
    let meet = keys.iter().any(|key| others.contains(key));
    assert!(meet || !same, "one event that nobody would find");
}

#[test]
fn a_round_is_one_whatever_its_sources_call_it() {
    use FundingStage::{Other, SeriesA, SeriesB};
    let release = round("Nimbus Robotics, Inc.", 0, SeriesA, Some(1_200_000_000));
    check(&release, &round("NIMBUS ROBOTICS INC", 12, Other, Some(1_150_000_000)), true);
    check(&release, &round("Nimbus Robotics", -9, SeriesA, None), true);
    check(&release, &round("Nimbus Robotcs", 3, SeriesA, Some(1_200_000_000)), true);
    // Told of in another currency.
    let mut abroad = round("Nimbus Robotics", 1, SeriesA, Some(1_100_000_000));
    if let Content::Funding(round) = &mut abroad.content {
        round.currency = Some("EUR".to_owned());
    }
    check(&release, &abroad, true);
    // The next round, another amount without a stage, another company, another year.
    check(&release, &round("Nimbus Robotics", 20, SeriesB, Some(3_000_000_000)), false);
    check(&release, &round("Nimbus Robotics", 20, Other, Some(5_000_000_000)), false);
    check(&release, &round("Cumulus Robotics", 0, SeriesA, Some(1_200_000_000)), false);
    check(&release, &round("Nimbus Robotics", 200, SeriesA, Some(1_200_000_000)), false);
}

#[test]
fn a_company_is_one_by_its_address_its_first_word_or_its_legal_name() {
    use FundingStage::{Other, Seed};
    let mut row = round("nimbus-robotics.example", 0, Seed, Some(300_000_000));
    row.company.domain = Domain::parse("nimbus-robotics.example").ok();
    for name in [
        "NIMBUS ROBOTICS INC /DE/",
        "Nimbus",
        "NimbusRobotics",
        "Nimbus Robotics sp. z o.o.",
        "Nimbus Rbotics",
    ] {
        check(&row, &round(name, 5, Seed, Some(301_000_000)), true);
    }
    // The first closing, months before anybody heard of it.
    check(&row, &round("Nimbus Robotics LLC", -70, Other, Some(160_000_000)), true);
    check(&row, &round("Cumulus Robotics", 0, Seed, Some(300_000_000)), false);
}

/// An extension some months later, and a loan beside: each source has both, in whatever order they come.
#[test]
fn rounds_close_together_stay_apart_in_every_order() {
    use FundingStage::{Debt, Other, SeriesB};
    let all = [
        held("filings", 0, round("NIMBUS INC", -20, Other, Some(1_990_000_000))),
        held("wire", 0, round("Nimbus", 0, SeriesB, None)),
        held("rows", 0, round("Nimbus", 1, SeriesB, Some(2_000_000_000))),
        held("wire", 0, round("Nimbus", 30, Debt, Some(500_000_000))),
        held("rows", 0, round("Nimbus", 31, Debt, Some(500_000_000))),
        held("filings", 0, round("Nimbus, Inc.", 105, Other, Some(700_000_000))),
        held("wire", 0, round("Nimbus", 120, SeriesB, Some(700_000_000))),
        held("rows", 0, round("Nimbus", 119, SeriesB, None)),
    ];
    for turn in 0..all.len() {
        let mut turned = all.to_vec();
        turned.rotate_left(turn);
        let days = |place: usize| (turned[place].notice.occurred_at - day(0)).num_days();
        let mut groups: Vec<Vec<i64>> = group(&turned)
            .into_iter()
            .map(|members| {
                let mut days: Vec<i64> = members.into_iter().map(days).collect();
                days.sort_unstable();
                days
            })
            .collect();
        groups.sort();
        assert_eq!(groups, [vec![-20, 0, 1], vec![30, 31], vec![105, 119, 120]], "turned by {turn}");
    }
}

#[test]
fn companies_with_domains_are_told_apart_by_them() {
    let mut one = round("Apex", 0, FundingStage::Seed, None);
    let mut other = one.clone();
    one.company.domain = Domain::parse("apex.example").ok();
    other.company.domain = Domain::parse("apex-health.example").ok();
    check(&one, &other, false);
    other.company.domain = one.company.domain.clone();
    check(&one, &other, true);
}

#[test]
fn deals_jobs_and_moves_are_one_where_all_sides_are() {
    check(&deal("Harbour AG", "Lumen Labs", 0), &deal("Harbour", "Lumen Labs GmbH", 40), true);
    check(&deal("Harbour AG", "Lumen Labs", 0), &deal("Anchor SE", "Lumen Labs", 1), false);
    check(
        &job("Acme", "Data Engineer", Some("Oslo"), 0),
        &job("ACME Inc", "data engineer", Some("Oslo"), 9),
        true,
    );
    check(&job("Acme", "Data Engineer", None, 0), &job("Acme", "Data Engineer", Some("Oslo"), 9), true);
    check(
        &job("Acme", "Data Engineer", Some("Bern"), 0),
        &job("Acme", "Data Engineer", Some("Oslo"), 9),
        false,
    );
    check(&job("Acme", "Data Engineer", None, 0), &job("Acme", "Data Analyst", None, 0), false);
    check(&move_to("Jane Doe", "Acme", 0), &move_to("Jane Doe", "Acme Inc.", 30), true);
    check(&move_to("Jane Doe", "Acme", 0), &move_to("Jane Doe", "Beta", 3), false);
    check(&move_to("Jane Doe", "Acme", 0), &move_to("John Roe", "Acme", 3), false);
}

fn held(source: &str, seen: i64, notice: Notice) -> HeldNotice {
    HeldNotice { source: source.to_owned(), notice, seen_at: day(seen) }
}

#[test]
fn together_they_say_more_and_more_surely() {
    let mut filing = round("NIMBUS ROBOTICS INC", 4, FundingStage::Other, Some(1_150_000_000));
    filing.confidence = Confidence::percent(70);
    filing.company.country = Some("US".to_owned());
    let mut release = round("Nimbus Robotics", 0, FundingStage::SeriesA, None);
    if let Content::Funding(round) = &mut release.content {
        round.investors = vec!["Cedar Hill".to_owned(), "CEDAR HILL".to_owned()];
    }
    let fused = fuse(held("filings", 5, filing), vec![held("wire", 1, release)]);
    let Content::Funding(round) = &fused.content else { panic!() };
    assert_eq!((round.stage, round.amount), (FundingStage::SeriesA, Some(1_150_000_000)));
    assert_eq!(round.investors, ["Cedar Hill"]);
    assert_eq!(
        (fused.company.name.as_str(), fused.company.country.as_deref()),
        ("Nimbus Robotics", Some("US"))
    );
    assert_eq!((fused.occurred_at, fused.detected_at), (day(0), day(1)));
    assert_eq!(fused.confidence, Confidence::percent(94));
    assert_eq!(
        fused.sources.iter().map(|source| source.name.as_str()).collect::<Vec<_>>(),
        ["wire", "filings"]
    );
}

#[test]
fn a_job_is_open_while_one_board_has_it() {
    let close = |mut notice: Notice, on: i64| {
        if let Content::Hiring(posting) = &mut notice.content {
            posting.closed_at = Some(day(on));
        }
        notice
    };
    let (one, other) = (job("Acme", "Chef", None, 0), job("Acme", "Chef", None, 2));
    let closed_at = |one: HeldNotice, other: HeldNotice| match fuse(one, vec![other]).content {
        Content::Hiring(posting) => posting.closed_at,
        _ => panic!(),
    };
    assert_eq!(closed_at(held("a", 0, close(one.clone(), 5)), held("b", 1, other.clone())), None);
    assert_eq!(closed_at(held("a", 0, close(one, 5)), held("b", 1, close(other, 9))), Some(day(9)));
}

proptest! {
    /// Whoever comes first, the signal is the same: a node that sees them in another order says the same.
    #[test]
    fn the_order_they_came_in_does_not_matter(
        said in prop::collection::vec((0..4_usize, 0..30_i64, prop::option::of(1..9_i64), 50..99_u8), 1..6),
        turn in 0..6_usize,
    ) {
        let notices: Vec<HeldNotice> = said
            .iter()
            .enumerate()
            .map(|(place, (source, on, amount, sure))| {
                let mut notice = round("Nimbus", *on, FundingStage::ALL[place % 5], *amount);
                notice.reference = place.to_string();
                notice.confidence = Confidence::percent(*sure);
                held(&format!("source-{source}"), *on, notice)
            })
            .collect();
        let mut turned = notices.clone();
        let by = turn % turned.len();
        turned.rotate_left(by);
        let fuse_all = |mut all: Vec<HeldNotice>| fuse(all.remove(0), all);
        let (one, other) = (fuse_all(notices), fuse_all(turned));
        prop_assert_eq!(serde_json::to_string(&one).unwrap(), serde_json::to_string(&other).unwrap());
    }
}
