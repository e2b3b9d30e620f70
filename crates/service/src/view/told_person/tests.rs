//! What is told from the text is what the view of the same person says.

use super::*;
use crate::example;
use assay_domain::person::{EmailKind, Employment, KnownEmail, LineType, Location};
use assay_domain::taxonomy::{Department, Industry, Seniority};
use serde_json::{Value, json};

fn text(value: &Value) -> Box<str> {
    value.to_string().into_boxed_str()
}

/// As the store writes it.
fn employer(person: &Person) -> Option<EmployerText> {
    let employer = person.company.as_ref()?;
    let card = json!({
        "name": employer.name,
        "domain": employer.domain,
        "network_url": employer.network_url,
        "employee_count": employer.employee_count,
        "industry": employer.industry,
    });
    Some(EmployerText { id: employer.id, card: text(&card) })
}

fn kept(person: &Person) -> PersonText {
    let jobs = person.experience.iter().map(|job| {
        json!({ "c": job.company_id, "n": job.company_name, "t": job.title, "s": job.seniority,
                "d": job.department, "a": job.started_on, "z": job.ended_on })
    });
    PersonText {
        id: person.id,
        refreshed_at: person.refreshed_at,
        owner: None,
        facts: serde_json::to_string(&person.facts).unwrap().into(),
        provenance: serde_json::to_string(&person.provenance).unwrap().into(),
        experience: text(&jobs.collect()),
    }
}

/// One with all there is to tell, some with less of it, and one for each word of a list.
fn people() -> Vec<Person> {
    let whole = example::person();
    let with = |change: &dyn Fn(&mut Person)| {
        let mut person = whole.clone();
        change(&mut person);
        person
    };
    let mut all = vec![
        whole.clone(),
        with(&|person| person.facts.full_name = "\"Zoë\" \\ \u{7} O'Neil \u{1f600}".to_owned()),
        with(&|person| person.company = None),
        with(&|person| person.experience.clear()),
        with(&|person| person.experience.iter_mut().for_each(|job| job.ended_on = job.started_on)),
        with(&|person| person.experience.iter_mut().for_each(strip)),
        with(&|person| person.facts.location = Some(Location::default())),
        with(&|person| person.facts.emails.iter_mut().for_each(|known| known.verified_at = None)),
        with(&|person| person.provenance.0.clear()),
        with(&|person| person.provenance.0[0].url = Some("https://a.example/\"b\"".to_owned())),
        with(&bare),
    ];
    let mail =
        |change: &dyn Fn(&mut KnownEmail)| with(&|person| person.facts.emails.iter_mut().for_each(change));
    let job =
        |change: &dyn Fn(&mut Employment)| with(&|person| person.experience.iter_mut().for_each(change));
    all.extend(EmailStatus::ALL.iter().map(|status| mail(&|known| known.status = Some(*status))));
    all.extend([EmailKind::Business, EmailKind::Personal].map(|kind| mail(&|known| known.kind = kind)));
    all.extend(Seniority::ALL.iter().map(|seniority| job(&|job| job.seniority = Some(*seniority))));
    all.extend(Department::ALL.iter().map(|department| job(&|job| job.department = Some(*department))));
    let lines = [LineType::Mobile, LineType::Landline, LineType::Voip, LineType::Unknown];
    all.extend(
        lines.map(|line| with(&|person| person.facts.phones.iter_mut().for_each(|known| known.line = line))),
    );
    all.extend(Industry::all().map(|industry| {
        with(&|person| person.company.iter_mut().for_each(|company| company.industry = Some(industry)))
    }));
    all
}

fn strip(job: &mut Employment) {
    (job.company_id, job.seniority, job.department) = (None, None, None);
    (job.started_on, job.ended_on) = (None, None);
}

fn bare(person: &mut Person) {
    let facts = &mut person.facts;
    (facts.first_name, facts.last_name, facts.headline) = (None, None, None);
    (facts.network_url, facts.location, facts.last_job_change_on) = (None, None, None);
    facts.emails.clear();
    facts.phones.clear();
    facts.education.clear();
    facts.skills.clear();
    facts.languages.clear();
    facts.certifications.clear();
    person.company = None;
    person.experience.clear();
}

#[test]
fn what_is_kept_is_told_as_the_view_of_the_same_person_tells_it() {
    let people = people();
    assert!(people.len() > 50);
    for person in people {
        let mut told = ToldPerson::from(kept(&person));
        assert!(serde_json::to_string(&told).is_err());
        assert!(told.tell(employer(&person).as_ref()));
        assert_eq!(told.id, person.id);
        // As texts: members are in the order of the view as well.
        let view = serde_json::to_string(&PersonView::from(person)).unwrap();
        assert_eq!(serde_json::to_string(&told).unwrap(), view);
    }
}

#[test]
fn one_that_cannot_be_read_is_left_out_and_an_employer_that_cannot_be_is_not_told() {
    let whole = kept(&example::person());
    let facts = PersonText { facts: "{}".into(), ..whole.clone() };
    let jobs = PersonText { experience: "[{}]".into(), ..whole.clone() };
    let sources = PersonText { provenance: "{".into(), ..whole.clone() };
    assert!([facts, jobs, sources].into_iter().all(|kept| !ToldPerson::from(kept).tell(None)));
    let mut orphan = ToldPerson::from(whole);
    let unreadable =
        employer(&example::person()).map(|employer| EmployerText { card: "[]".into(), ..employer });
    assert!(orphan.tell(unreadable.as_ref()));
    let told = serde_json::to_value(&orphan).unwrap();
    assert_eq!(told["company"]["name"], "Northwind Robotics");
    assert_eq!(told["company"].get("domain"), None);
}
