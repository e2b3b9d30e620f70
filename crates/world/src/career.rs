//! The jobs of a person, the present one first.

use assay_domain::person::Employment;
use assay_domain::taxonomy::Seniority;
use chrono::NaiveDate;

use crate::calendar::Month;
use crate::company::company_id;
use crate::dice::{Aspect, Dice};
use crate::firm::{Base, Brand, Firm};
use crate::role::{Role, before, fit, title};

const JOBS_MOST: u64 = 4;
/// A time shorter than this before a job is not worth a line in a career.
const JOB_MONTHS_LEAST: u64 = 8;
const JOB_MONTHS_MOST: u64 = 130;
/// How long somebody stays in a job before the promotion to the present one.
const PROMOTED_MONTHS_MOST: u64 = 60;

#[derive(Debug)]
pub(crate) struct Career {
    pub(crate) jobs: Vec<Employment>,
    pub(crate) title: &'static str,
    pub(crate) started_on: NaiveDate,
    /// The year of the first job, before which school ended.
    pub(crate) first_year: i32,
}

/// The present job, and what it takes to reckon back from it.
struct Course<'a> {
    base: &'a Base,
    firm: &'a Firm<'a>,
    brand: &'a Brand,
    dice: Dice,
    /// The month in which working life began.
    begun: Month,
    /// The company of the job found last.
    last: u64,
}

pub(crate) fn career(base: &Base, firm: &Firm<'_>, brand: &Brand, role: Role, who: u64) -> Career {
    let mut dice = base.dice(Aspect::PersonCareer, who);
    let now = Month::of(base.as_of);
    let worked = months_worked(role.seniority, &mut dice);
    let founded = Month::january(firm.founded_year);
    let founder = matches!(role.seniority, Seniority::Founder | Seniority::Owner);
    let started = if founder {
        founded.forward(dice.below(10)).min(now.back(1))
    } else {
        let tenure = match role.seniority {
            Seniority::Intern => dice.between(1, 7),
            Seniority::Entry => dice.lean(1, 48),
            _ => dice.lean(1, 110),
        };
        now.back(tenure.min(worked)).max(founded.forward(1)).min(now.back(1))
    };
    let begun = now.back(worked).min(if founder { started.back(dice.between(12, 120)) } else { started });
    let title = title(base, firm, role, &mut dice);
    let present = employment(base, firm, brand.name.clone(), (role, title), (started, None));
    let mut course = Course { base, firm, brand, dice, begun, last: firm.index };
    let mut jobs = vec![present];
    course.reckon_back(role, started, &mut jobs);
    let first_year = if jobs.len() == 1 { started.year() } else { first_year(&jobs, started) };
    Career { title, started_on: started.first_day(), first_year: first_year.min(begun.year()), jobs }
}

fn first_year(jobs: &[Employment], started: Month) -> i32 {
    let first = jobs.last().and_then(|job| job.started_on);
    first.map_or(started, Month::of).year()
}

/// How long somebody has worked in all, by how high they stand.
fn months_worked(seniority: Seniority, dice: &mut Dice) -> u64 {
    let (least, most) = match seniority {
        Seniority::Intern => (1, 8),
        Seniority::Entry => (3, 72),
        Seniority::Senior => (60, 220),
        Seniority::Manager => (72, 270),
        Seniority::Head => (108, 270),
        Seniority::Director => (120, 310),
        Seniority::Vp => (150, 330),
        Seniority::Founder => (72, 300),
        Seniority::Owner => (120, 400),
        Seniority::CSuite | Seniority::Partner => (170, 390),
    };
    dice.lean(least, most)
}

impl Course<'_> {
    fn reckon_back(&mut self, role: Role, started: Month, jobs: &mut Vec<Employment>) {
        let (mut role, mut next) = (role, started);
        let wanted = match started.since(self.begun) {
            0..36 => 1,
            36..90 => self.dice.between(1, 2),
            _ => self.dice.between(2, JOBS_MOST - 1),
        };
        for left in (0..wanted).rev() {
            let rest = next.since(self.begun);
            if rest < JOB_MONTHS_LEAST || role.seniority == Seniority::Intern {
                return;
            }
            // The first job of all reaches back to the beginning, so that no years are left unaccounted for.
            let length = if left == 0 { rest } else { self.dice.between(JOB_MONTHS_LEAST, 6 + rest * 2 / 3) };
            let length = length.min(JOB_MONTHS_MOST);
            let rose = left == 0 || self.dice.percent(65);
            let earlier = before(role, rose, &mut self.dice);
            let promoted = jobs.len() == 1 && self.dice.percent(22);
            let here = if promoted { self.earlier_here(role, earlier, (next, length)) } else { None };
            let Some((job, earlier, start)) = here.or_else(|| self.elsewhere(earlier, (next, length))) else {
                return;
            };
            jobs.push(job);
            (role, next) = (earlier, start);
        }
    }

    /// A lower job at the present company, up to the promotion.
    fn earlier_here(
        &mut self,
        role: Role,
        mut earlier: Role,
        (next, length): (Month, u64),
    ) -> Option<(Employment, Role, Month)> {
        earlier.seniority = fit(earlier.seniority, self.firm.people);
        let begun = self.begun.max(Month::january(self.firm.founded_year));
        let rest = next.since(begun);
        if earlier.seniority <= role.seniority || rest < JOB_MONTHS_LEAST {
            return None;
        }
        let start = next.back(length.min(PROMOTED_MONTHS_MOST).min(rest));
        let title = title(self.base, self.firm, earlier, &mut self.dice);
        let span = (start, Some(next.back(1)));
        Some((
            employment(self.base, self.firm, self.brand.name.clone(), (earlier, title), span),
            earlier,
            start,
        ))
    }

    /// A job at another company of the country that existed then and has such jobs.
    fn elsewhere(
        &mut self,
        mut earlier: Role,
        (next, length): (Month, u64),
    ) -> Option<(Employment, Role, Month)> {
        let last = next.back(1 + self.dice.lean(0, 3));
        let start = last.back(length.min(last.since(self.begun).max(1)));
        let base = self.base;
        let other = (0..6).find_map(|_| {
            let index = base.roster.draw_company(self.firm.country, &mut self.dice)?;
            if index == self.firm.index
                || index == self.last
                || Month::january(base.founded_year(index)) >= start
            {
                return None;
            }
            let other = base.firm(index);
            let same_craft = other.sector.craft_number(earlier.department)
                == self.firm.sector.craft_number(earlier.department);
            (same_craft && other.sector.employs(earlier.department)).then_some(other)
        })?;
        self.last = other.index;
        earlier.seniority = fit(earlier.seniority, other.people);
        let title = title(base, &other, earlier, &mut self.dice);
        let name = base.company_name(&other);
        Some((employment(base, &other, name, (earlier, title), (start, Some(last))), earlier, start))
    }
}

fn employment(
    base: &Base,
    firm: &Firm<'_>,
    company_name: String,
    (role, title): (Role, &'static str),
    (first, last): (Month, Option<Month>),
) -> Employment {
    Employment {
        company_id: Some(company_id(base.seed, firm.index)),
        company_name,
        title: title.to_owned(),
        seniority: Some(role.seniority),
        department: Some(role.department),
        started_on: Some(first.first_day()),
        ended_on: last.map(Month::last_day),
    }
}
