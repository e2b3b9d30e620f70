//! The people of one company: which job each desk is, since when, and how old the one at it is.

use assay_domain::taxonomy::{Department, Seniority};

use crate::calendar::Month;
use crate::dice::{Aspect, Dice};
use crate::firm::{Base, Firm};
use crate::newcomers::{Intake, SETTLED_MONTHS_LEAST, Standing, fresh_months_most};
use crate::role::{Role, role};

/// Somebody who comes after a break had a job before it.
const MONTHS_BEFORE_BREAK: u64 = 30;
/// Who owns a company for longer hands it over.
const OWNED_MONTHS_MOST: u64 = 312;
const OWNED_MONTHS_LEAST: u64 = 36;

#[derive(Debug)]
pub(crate) struct Staff<'a> {
    pub(crate) base: &'a Base,
    pub(crate) firm: &'a Firm<'a>,
    pub(crate) intake: Intake,
}

/// When the present job began, and when working life did.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Span {
    pub(crate) started: Month,
    pub(crate) begun: Month,
}

impl<'a> Staff<'a> {
    pub(crate) fn new(base: &'a Base, firm: &'a Firm<'a>) -> Self {
        Self { base, firm, intake: Intake::new(base, firm.index) }
    }

    /// The index of the person at a desk.
    pub(crate) fn who(&self, position: u64) -> u64 {
        self.firm.first.saturating_add(position)
    }

    pub(crate) fn role(&self, position: u64) -> Role {
        let mut role = role(self.base, self.firm, position, self.who(position));
        // An intern had no job before, so none was left.
        if role.seniority == Seniority::Intern && self.intake.standing(position) == Standing::AfterBreak {
            role.seniority = Seniority::Entry;
        }
        role
    }

    pub(crate) fn span(&self, position: u64, role: Role) -> Span {
        let mut dice = self.base.dice(Aspect::PersonSpan, self.who(position));
        let now = Month::of(self.base.as_of);
        let worked = months_worked(role.seniority, &mut dice);
        if matches!(role.seniority, Seniority::Founder | Seniority::Owner) {
            let started = self.founder_started(now, &mut dice);
            let begun = now.back(worked).min(started.back(dice.between(12, 120)));
            return Span { started, begun };
        }
        let standing = self.intake.standing(position);
        // Nobody comes from school into a post above others.
        let most = worked.saturating_sub(months_learned(role.seniority)).max(SETTLED_MONTHS_LEAST);
        let tenure = self.tenure(role.seniority, standing, worked, &mut dice).min(most);
        let worked = match standing {
            Standing::AfterBreak => worked.max(tenure + MONTHS_BEFORE_BREAK),
            _ if role.seniority == Seniority::Intern => tenure,
            _ => worked.max(tenure),
        };
        // A company is at least a year old, so this never makes a settled job a fresh one.
        let founded = Month::january(self.firm.founded_year);
        let started = now.back(tenure).max(founded.forward(1));
        Span { started, begun: now.back(worked).min(started) }
    }

    fn founder_started(&self, now: Month, dice: &mut Dice) -> Month {
        let founded = Month::january(self.firm.founded_year).forward(dice.below(10));
        let founded = founded.min(now.back(SETTLED_MONTHS_LEAST));
        if now.since(founded) <= OWNED_MONTHS_MOST {
            return founded;
        }
        now.back(dice.between(OWNED_MONTHS_LEAST, OWNED_MONTHS_MOST))
    }

    fn tenure(&self, seniority: Seniority, standing: Standing, worked: u64, dice: &mut Dice) -> u64 {
        if standing != Standing::Settled {
            return dice.between(1, fresh_months_most(self.base.as_of));
        }
        // Whoever has worked for long has mostly been where they are for longer.
        match seniority {
            Seniority::Intern => dice.between(SETTLED_MONTHS_LEAST, SETTLED_MONTHS_LEAST + 3),
            Seniority::Entry => dice.lean(SETTLED_MONTHS_LEAST, 36 + worked / 3),
            _ => dice.lean(SETTLED_MONTHS_LEAST, 80 + worked / 4),
        }
    }

    /// The year in which the person at a desk was born: the first job comes at 21 to 27, after a longer study later.
    pub(crate) fn birth_year(&self, position: u64, role: Role, span: Span) -> i32 {
        let mut dice = self.base.dice(Aspect::PersonBirth, self.who(position));
        let age = match (role.seniority, role.department) {
            (Seniority::Intern, _) => dice.lean(21, 24),
            (_, Department::Health | Department::Legal) => dice.between(24, 27),
            _ => dice.lean(21, 27),
        };
        span.begun.year().saturating_sub(i32::try_from(age).unwrap_or(24))
    }
}

/// How long somebody has worked in all, by how high they stand. Many never lead others and stay for all their life.
fn months_worked(seniority: Seniority, dice: &mut Dice) -> u64 {
    match seniority {
        Seniority::Intern => dice.between(1, 8),
        Seniority::Entry => match dice.below(100) {
            0..52 => dice.lean(3, 120),
            52..84 => dice.between(80, 300),
            _ => dice.between(220, 480),
        },
        Seniority::Senior => dice.between(60, 420),
        Seniority::Manager => dice.between(72, 440),
        Seniority::Head => dice.between(108, 440),
        Seniority::Director => dice.between(120, 450),
        Seniority::Vp => dice.between(150, 460),
        Seniority::Founder => dice.lean(72, 400),
        Seniority::Owner => dice.between(120, 456),
        Seniority::CSuite | Seniority::Partner => dice.between(180, 480),
    }
}

/// How long somebody has worked at least before a post of that rank.
pub(crate) const fn months_learned(seniority: Seniority) -> u64 {
    match seniority {
        Seniority::Intern | Seniority::Entry => 0,
        Seniority::Senior => 30,
        Seniority::Manager => 50,
        Seniority::Head | Seniority::Director => 84,
        Seniority::Vp | Seniority::Partner => 108,
        Seniority::CSuite | Seniority::Founder | Seniority::Owner => 120,
    }
}
