//! The jobs of a person, the present one first.

use assay_domain::person::Employment;
use assay_domain::taxonomy::{Department, Seniority};
use chrono::NaiveDate;

use crate::calendar::Month;
use crate::company::company_id;
use crate::dice::{Aspect, Dice};
use crate::firm::{Base, Brand, Firm};
use crate::newcomers::Standing;
use crate::role::{Role, before, fit_role, title};
use crate::roster::is_local;
use crate::staff::{Span, Staff, months_learned};

const JOBS_MOST: u64 = 4;
/// A time shorter than this before a job is not worth a line in a career.
const JOB_MONTHS_LEAST: u64 = 8;
const JOB_MONTHS_MOST: u64 = 180;
/// The first job of all may be longer than others, so that few years are left unaccounted for.
const FIRST_JOB_MONTHS_MOST: u64 = 240;
/// How long somebody stays in a job before the promotion to the present one.
const PROMOTED_MONTHS_MOST: u64 = 60;

/// How often an employer is drawn for. The first draws must fit in all, the next need not have existed all the time or
/// practise the same craft. Where one must be found, further ones may be in another country, and the last may be of
/// another trade.
const TRIES_STRICT: u64 = 5;
const TRIES: u64 = 9;
const TRIES_NEAR: u64 = 30;
const TRIES_SAME_TRADE: u64 = 80;
const TRIES_SURE: u64 = 140;
const TRIES_LOCAL: u64 = 6;

#[derive(Debug)]
pub(crate) struct Career {
    pub(crate) jobs: Vec<Employment>,
    pub(crate) title: &'static str,
    pub(crate) started_on: NaiveDate,
    /// The year in which working life began, and school ended.
    pub(crate) first_year: i32,
}

/// The present job, and what it takes to reckon back from it.
struct Course<'a> {
    base: &'a Base,
    firm: &'a Firm<'a>,
    brand: &'a Brand,
    standing: Standing,
    title: &'static str,
    dice: Dice,
    /// The month in which working life began.
    begun: Month,
    /// The company of the job found last.
    last: u64,
}

/// A job that was found, what it was and when it began.
type Found = (Employment, Role, Month);

pub(crate) fn career(staff: &Staff<'_>, brand: &Brand, position: u64, role: Role, span: Span) -> Career {
    let (base, firm) = (staff.base, staff.firm);
    let mut dice = base.dice(Aspect::PersonCareer, staff.who(position));
    let title = title(base, firm, role, &mut dice);
    let present = employment(base, firm, brand.name.clone(), (role, title), (span.started, None));
    let standing = staff.intake.standing(position);
    let mut course = Course { base, firm, brand, standing, title, dice, begun: span.begun, last: firm.index };
    let mut jobs = vec![present];
    course.reckon_back(role, span.started, &mut jobs);
    Career { title, started_on: span.started.first_day(), first_year: span.begun.year(), jobs }
}

impl<'a> Course<'a> {
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
            let length = if left == 0 {
                rest.min(FIRST_JOB_MONTHS_MOST)
            } else {
                self.dice.between(JOB_MONTHS_LEAST, 6 + rest * 2 / 3).min(JOB_MONTHS_MOST)
            };
            let rose = left == 0 || self.dice.percent(65);
            let earlier = match self.firm.trade {
                Some(trade) => trade.before(role),
                None => self.earlier(role, rose, rest),
            };
            // Years of learning are left out rather than spent in a high post.
            let length =
                length.min(rest.saturating_sub(months_learned(earlier.seniority)).max(JOB_MONTHS_LEAST));
            let here = if jobs.len() == 1 { self.here(role, earlier, (next, length)) } else { None };
            let first = jobs.len() == 1;
            let Some((job, earlier, start)) = here.or_else(|| self.elsewhere(earlier, (next, length), first))
            else {
                return;
            };
            jobs.push(job);
            (role, next) = (earlier, start);
        }
    }

    /// The job before one, as high as the months since working life began allow.
    fn earlier(&mut self, role: Role, rose: bool, months: u64) -> Role {
        let mut earlier = before(role, rose, &mut self.dice);
        while earlier.seniority < Seniority::Entry
            && months < months_learned(earlier.seniority) + JOB_MONTHS_LEAST
        {
            earlier = before(earlier, true, &mut self.dice);
        }
        earlier
    }

    /// An earlier job at the present company, for some.
    fn here(&mut self, role: Role, earlier: Role, times: (Month, u64)) -> Option<Found> {
        let founder = matches!(role.seniority, Seniority::Founder | Seniority::Owner);
        let roll = self.dice.below(100);
        match (self.standing, roll) {
            _ if founder => None,
            (Standing::Settled, 0..22) | (Standing::Fresh, 0..38) => {
                let earlier = fit_role(earlier, self.firm.people);
                // A step up, else it was no promotion; and from so far down nobody is made the chief of all.
                let chief = role == Role::new(Department::Executive, Seniority::CSuite);
                let lower =
                    earlier.seniority > role.seniority && !(chief && earlier.seniority > Seniority::Director);
                if lower { self.earlier_here(earlier, times) } else { None }
            }
            (Standing::Settled, 22..26) | (Standing::Fresh, 38..46) => self.earlier_here(role, times),
            _ => None,
        }
    }

    /// A job at the present company up to the present one, under another title.
    fn earlier_here(&mut self, role: Role, (next, length): (Month, u64)) -> Option<Found> {
        let begun = self.begun.max(Month::january(self.firm.founded_year));
        let rest = next.since(begun);
        if rest < JOB_MONTHS_LEAST {
            return None;
        }
        let mut titles = (0..4).map(|_| title(self.base, self.firm, role, &mut self.dice));
        let title = titles.find(|title| *title != self.title)?;
        let start = next.back(length.min(PROMOTED_MONTHS_MOST).min(rest));
        let times = (start, Some(next.back(1)));
        let job = employment(self.base, self.firm, self.brand.name.clone(), (role, title), times);
        Some((job, role, start))
    }

    /// A job at another company.
    fn elsewhere(&mut self, earlier: Role, (next, length): (Month, u64), first: bool) -> Option<Found> {
        // Whoever is new without a break went from one job to the other.
        let idle = match self.standing {
            Standing::AfterBreak if first => self.dice.between(1, 3),
            Standing::Fresh if first => 0,
            _ => self.dice.lean(0, 3),
        };
        let last = next.back(1 + idle);
        let start = last.back(length.min(last.since(self.begun).max(1)));
        let sure = first && self.standing == Standing::AfterBreak;
        let (other, earlier, start) = if self.firm.trade.is_some() {
            (self.find_local(start)?, earlier, start)
        } else {
            self.find(earlier, (start, last), sure)?
        };
        self.last = other.index;
        let earlier = if other.trade.is_some() { earlier } else { fit_role(earlier, other.people) };
        let title = title(self.base, &other, earlier, &mut self.dice);
        let name = self.base.company_name(&other);
        let job = employment(self.base, &other, name, (earlier, title), (start, Some(last)));
        Some((job, earlier, start))
    }

    /// A company that existed then and has such jobs, the job, and since when somebody was there.
    fn find(
        &mut self,
        role: Role,
        (asked, last): (Month, Month),
        sure: bool,
    ) -> Option<(Firm<'a>, Role, Month)> {
        let base = self.base;
        let tries = if sure { TRIES_SURE } else { TRIES };
        (0..tries).find_map(|attempt| {
            let index = match attempt {
                // Most stay in their sector.
                0 | 1 | 4 | 7 => base.peers.draw(self.firm, &mut self.dice)?,
                _ if attempt < TRIES_NEAR => base.roster.draw_company(self.firm.country, &mut self.dice)?,
                _ => self.dice.below(base.roster.companies()),
            };
            let strict = attempt < TRIES_STRICT;
            let founded = Month::january(base.founded_year(index));
            let start = if strict { asked } else { asked.max(founded.forward(1)) };
            if index == self.firm.index || index == self.last || founded >= start {
                return None;
            }
            if last.since(start) < JOB_MONTHS_LEAST.min(last.since(asked)) {
                return None;
            }
            if attempt >= TRIES_NEAR && is_local(base.seed, index) {
                return None;
            }
            let other = base.firm(index);
            let craft = |firm: &Firm<'_>| firm.sector.craft_number(role.department);
            // Engineers of machines and of software do not change places.
            let fits = (!strict && role.department != Department::Engineering)
                || attempt >= TRIES
                || craft(&other) == craft(self.firm);
            if fits && other.sector.employs(role.department) {
                return Some((other, role, start));
            }
            let department = other.sector.departments.at(0).filter(|_| attempt >= TRIES_SAME_TRADE)?;
            Some((other, Role::new(department, role.seniority), start))
        })
    }

    /// Another local business of the same trade.
    fn find_local(&mut self, start: Month) -> Option<Firm<'a>> {
        let base = self.base;
        (0..TRIES_LOCAL).find_map(|_| {
            let index = base.peers.draw(self.firm, &mut self.dice)?;
            let known = index == self.firm.index || index == self.last;
            let founded = Month::january(base.founded_year(index));
            (!known && founded < start).then(|| base.firm(index))
        })
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
