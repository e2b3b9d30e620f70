//! Where somebody studied and what.

use assay_domain::person::Education;
use assay_domain::taxonomy::{Department, Seniority};

use crate::career::Career;
use crate::dice::Dice;
use crate::firm::Firm;
use crate::role::Role;
use crate::tables::Craft;

/// Titles that nobody has without one certain study: a word of the title, the degree and the field.
const CALLINGS: [(&str, &str, &str); 10] = [
    ("Physician", "Doctor of Medicine", "Medicine"),
    ("Medical Officer", "Doctor of Medicine", "Medicine"),
    ("Medical Director", "Doctor of Medicine", "Medicine"),
    ("Dentist", "Doctor of Dental Surgery", "Dentistry"),
    ("Optometrist", "Doctor of Optometry", "Optometry"),
    ("Veterinarian", "Doctor of Veterinary Medicine", "Veterinary Medicine"),
    ("Attorney", "Bachelor of Laws", "Law"),
    ("Legal Counsel", "Bachelor of Laws", "Law"),
    ("Nurs", "Bachelor of Science", "Nursing"),
    ("Physiotherap", "Bachelor of Science", "Physiotherapy"),
];

const DEGREE_PERCENT: u64 = 88;
const MASTER_PERCENT: u64 = 45;
const MASTER_AGE_LEAST: i32 = 24;
const DESK_DEGREE_PERCENT: u64 = 30;

/// The highest degree first.
pub(crate) fn education(
    firm: &Firm<'_>,
    craft: &Craft,
    role: Role,
    career: &Career,
    (birth_year, dice): (i32, &mut Dice),
) -> Vec<Education> {
    let percent = match firm.trade {
        None => DEGREE_PERCENT,
        Some(trade) if trade.is_craft(role) => trade.degree_percent,
        Some(_) => DESK_DEGREE_PERCENT,
    };
    let studied = dice.percent(percent);
    let schools = &firm.country.schools;
    let ended = (role.seniority != Seniority::Intern).then_some(career.first_year);
    // Asked for few, since it is slow for each of millions.
    let called = matches!(role.department, Department::Health | Department::Legal);
    let mut callings = CALLINGS.iter().filter(|_| called);
    if let Some((_, name, field)) = callings.find(|(word, ..)| career.title.contains(word)) {
        return vec![degree(schools.draw(dice), name, field, ended)];
    }
    if !studied {
        return Vec::new();
    }
    let (field, school) = (*craft.fields.draw(dice), *schools.draw(dice));
    let percent = if firm.trade.is_some() { 8 } else { MASTER_PERCENT };
    let old_enough = career.first_year.saturating_sub(birth_year) >= MASTER_AGE_LEAST;
    if role.seniority == Seniority::Intern || !dice.percent(percent) || !old_enough {
        return vec![degree(school, bachelor(field), field, ended)];
    }
    let master = match field {
        "Business Administration" => "Master of Business Administration",
        "Law" | "Business Law" => "Master of Laws",
        _ if bachelor(field) == "Bachelor of Arts" => "Master of Arts",
        _ => "Master of Science",
    };
    vec![
        degree(schools.draw(dice), master, field, ended),
        degree(school, bachelor(field), field, ended.map(|year| year.saturating_sub(2))),
    ]
}

fn bachelor(field: &str) -> &'static str {
    match field {
        "Law" | "Business Law" => "Bachelor of Laws",
        "Communication"
        | "Journalism"
        | "Languages"
        | "History"
        | "Social Sciences"
        | "Graphic Design"
        | "Landscape Design"
        | "Education"
        | "Public Administration"
        | "Business Administration"
        | "Hospitality Management"
        | "Marketing" => "Bachelor of Arts",
        _ => "Bachelor of Science",
    }
}

fn degree(school: &str, degree: &str, field: &str, ended_year: Option<i32>) -> Education {
    Education {
        school: school.to_owned(),
        degree: Some(degree.to_owned()),
        field: Some(field.to_owned()),
        ended_year,
    }
}
