//! What the rules of the title grammar say.

use super::*;

fn read(title: &str) -> (&'static str, &'static str) {
    let reading = read_title(title);
    (reading.seniority.as_str(), reading.department.as_str())
}

#[test]
fn every_text_is_some_title() {
    for title in ["", " ", "—", "🚀", "(", ")", "((()))", "@", "at", "| | |", "...", "????", "\u{0}", "é"]
    {
        assert_eq!(read(title).0, "entry", "{title:?}");
    }
    let long = "Chief ".repeat(10_000);
    read_title(&long);
}

#[test]
fn a_normalised_title_reads_the_same_again() {
    for title in
        ["Sr. Dir., Software Engineering", "Leiter Vertrieb DACH", "VP, CX & Customer Success", "CTO"]
    {
        let once = read_title(title);
        let again = read_title(&once.normalised);
        assert_eq!((once.seniority, once.department), (again.seniority, again.department), "{title}");
    }
    assert_eq!(
        read_title("Sr. Dir., Software Engineering").normalised,
        "senior director, software engineering"
    );
}

#[test]
fn a_chief_officer_decides_and_others_give_way() {
    assert_eq!(read("Head of Product and COO"), ("c_suite", "operations"));
    assert_eq!(read("Co-founder & CTO"), ("founder", "engineering"));
    assert_eq!(read("Founder & CEO"), ("founder", "executive"));
    assert_eq!(read("Chief of Staff to the CEO"), ("head", "executive"));
    assert_eq!(read("Chief Information Security Officer"), ("c_suite", "security"));
}

#[test]
fn words_that_only_look_like_a_rank_claim_none() {
    assert_eq!(read("Product Owner"), ("entry", "product"));
    assert_eq!(read("HR Business Partner"), ("entry", "hr"));
    assert_eq!(read("Principal, Lincoln High School").0, "head");
    assert_eq!(read("Principal Engineer").0, "senior");
    assert_eq!(read("Product Manager Intern").0, "intern");
}

#[test]
fn the_work_beats_whom_it_is_for() {
    assert_eq!(read("Technical Recruiter").1, "hr");
    assert_eq!(read("Sales Engineer").1, "sales");
    assert_eq!(read("Data Analyst, Marketing").1, "data");
    assert_eq!(read("Medical Sales Representative").1, "sales");
    assert_eq!(read("Nurse Educator").1, "health");
    assert_eq!(read("SAP Consultant").1, "it");
}
