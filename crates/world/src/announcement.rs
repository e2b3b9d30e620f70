//! What people post about their new jobs.

use chrono::{Days, NaiveDate};

use crate::dice::{Aspect, Dice, hash};
use crate::firm::Base;
use crate::job_change::{JobChange, JobChangeKind, arrival};
use crate::naming::Naming;
use crate::person::address;
use crate::staff::Staff;

/// A post in which somebody tells of a new job.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Announcement {
    /// The index of the person.
    pub person: u64,
    pub posted_on: NaiveDate,
    pub text: String,
    /// The address of the post on the network, without its host.
    pub path: String,
}

const POSTED_DAYS_MOST: u64 = 24;

/// `{title}`, `{company}`, `{former}` and `{city}` are filled in.
const JOINED: [&str; 8] = [
    "I'm happy to share that I'm starting a new position as {title} at {company}!",
    "Some news: I have joined {company} as {title}. Looking forward to working with the team in {city}.",
    "After my time at {former}, I was ready for something new. I started as {title} at {company} this month.",
    "New chapter: {title} at {company}. Thank you to everyone at {former} for everything I learned from you.",
    "Thrilled to announce that I've joined {company} as their new {title}. The first weeks have been great!",
    "It's official. I'm now {title} at {company}. Goodbye {former}, and thank you for the good years.",
    "First week at {company} done! I joined as {title}, and my notebook is already full of names.",
    "I left {former} with a heavy heart and a full box. Today I begin at {company} as {title}.",
];

/// For those whose former employer is not known.
const BEGUN: [&str; 4] = [
    "I'm excited to start at {company} as {title}!",
    "My first day at {company} in {city}. Very happy to begin here as {title}.",
    "Happy to share that I have accepted a position as {title} at {company}.",
    "New job, new city map: I'm now {title} at {company} in {city}.",
];

const PROMOTED: [&str; 4] = [
    "I'm pleased to share that I've been promoted to {title} at {company}.",
    "A new role in a familiar place: I'm now {title} at {company}. Thank you to the team that made it possible.",
    "Grateful for the trust: as of this month I am {title} at {company}.",
    "From today on my badge at {company} says {title}. Same coffee, more meetings.",
];

const MOVED: [&str; 3] = [
    "I'm changing desks at {company}: my new role is {title}.",
    "Same company, new task. I'm taking over as {title} at {company}.",
    "Happy to share that I'm starting a new role as {title} at {company}.",
];

/// The post at a place among those of a company.
pub(crate) fn announcement(base: &Base, company: u64, place: u64) -> Option<Announcement> {
    let firm = base.firm(company);
    let staff = Staff::new(base, &firm);
    let brand = base.brand(&firm);
    let position = staff.intake.announcer(place);
    let (change, career) = arrival(&staff, &brand, position)?;
    let mut dice = base.dice(Aspect::PersonPost, change.person);
    let posted_on = career.started_on.checked_add_days(Days::new(dice.below(POSTED_DAYS_MOST)))?;
    let former = change.from.as_ref().map_or("", |job| job.company_name.as_str());
    let text = template(&change, &mut dice)
        .replace("{title}", career.title)
        .replace("{company}", &brand.name)
        .replace("{former}", former)
        .replace("{city}", firm.place.city);
    let name = Naming::new(&staff, base.mail(&firm).pattern).name(position);
    let number = hash(base.seed, Aspect::PersonPost, change.person);
    Some(Announcement {
        person: change.person,
        posted_on: posted_on.min(base.as_of),
        text,
        path: address("/posts/", &name, number),
    })
}

fn template(change: &JobChange, dice: &mut Dice) -> &'static str {
    let templates: &[&'static str] = match (change.kind, &change.from) {
        (JobChangeKind::Promotion, _) => &PROMOTED,
        (JobChangeKind::NewRole, _) => &MOVED,
        (_, Some(_)) => &JOINED,
        (_, None) => &BEGUN,
    };
    let at = dice.below(u64::try_from(templates.len()).unwrap_or(1));
    usize::try_from(at).ok().and_then(|at| templates.get(at)).copied().unwrap_or_default()
}
