//! Which job a desk is: the chief at the first, the other chiefs after, then the departments of the sector.

use assay_domain::taxonomy::{Department, Seniority};

use crate::dice::{Aspect, Dice};
use crate::firm::{Base, Firm};

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Role {
    pub(crate) department: Department,
    pub(crate) seniority: Seniority,
    /// At a local business, the number of the post in its trade.
    pub(crate) post: Option<u8>,
}

impl Role {
    pub(crate) const fn new(department: Department, seniority: Seniority) -> Self {
        Self { department, seniority, post: None }
    }
}

impl Default for Role {
    fn default() -> Self {
        Self::new(Department::Other, Seniority::Entry)
    }
}

const SOFTWARE_CHIEFS: [Department; 9] = [
    Department::Engineering,
    Department::Finance,
    Department::Sales,
    Department::Operations,
    Department::Marketing,
    Department::Product,
    Department::Hr,
    Department::Security,
    Department::Legal,
];

const CHIEFS: [Department; 9] = [
    Department::Finance,
    Department::Operations,
    Department::Sales,
    Department::Hr,
    Department::It,
    Department::Marketing,
    Department::Legal,
    Department::Data,
    Department::Product,
];

/// The job at a desk; `who` is the index of the person.
pub(crate) fn role(base: &Base, firm: &Firm<'_>, position: u64, who: u64) -> Role {
    let mut dice = base.dice(Aspect::PersonRole, who);
    if let Some(trade) = firm.trade {
        return trade.role(position, firm.people, &mut dice);
    }
    if position == 0 {
        return chief(base, firm, &mut dice);
    }
    let chiefs = chief_count(firm.people);
    if position <= chiefs {
        return other_chief(firm, position);
    }
    let founded_by_two = firm.sector.name == "software" && firm.people <= 12;
    if position == 1 && founded_by_two && recently_founded(base, firm) && dice.percent(60) {
        return Role::new(Department::Engineering, Seniority::Founder);
    }
    if firm.people > 60 && position <= chiefs + 2 {
        let seniority = if position == chiefs + 1 { Seniority::Entry } else { Seniority::Manager };
        return Role::new(Department::Executive, seniority);
    }
    any_role(firm, &mut dice)
}

/// A job below the chiefs, as they are spread over the departments of the trade.
pub(crate) fn any_role(firm: &Firm<'_>, dice: &mut Dice) -> Role {
    if let Some(trade) = firm.trade {
        return trade.any_staff(dice);
    }
    let department = firm.sector.departments.draw(dice).unwrap_or(Department::Other);
    Role::new(department, seniority(firm.people, dice))
}

/// How far a founder of a small company is still at its top.
fn recently_founded(base: &Base, firm: &Firm<'_>) -> bool {
    firm.founded_year >= chrono::Datelike::year(&base.as_of).saturating_sub(15)
}

fn chief(base: &Base, firm: &Firm<'_>, dice: &mut Dice) -> Role {
    let seniority = match firm.people {
        _ if matches!(firm.sector.name, "public" | "education") => Seniority::CSuite,
        _ if firm.sector.name == "professional" && firm.people <= 120 => Seniority::Partner,
        0..=60 if recently_founded(base, firm) && dice.percent(75) => Seniority::Founder,
        0..=15 => Seniority::Owner,
        _ => Seniority::CSuite,
    };
    let department = match seniority {
        Seniority::Partner => partner_department(firm),
        _ => Department::Executive,
    };
    Role::new(department, seniority)
}

fn other_chief(firm: &Firm<'_>, position: u64) -> Role {
    if firm.sector.name == "professional" {
        return Role::new(partner_department(firm), Seniority::Partner);
    }
    let chiefs = if firm.sector.name == "software" { SOFTWARE_CHIEFS } else { CHIEFS };
    let at = usize::try_from(position.saturating_sub(1)).unwrap_or(0);
    let department = match chiefs.get(at).copied().unwrap_or(Department::Operations) {
        // Trades whose own work is neither product nor data have a chief of that work instead.
        Department::Product if firm.sector.name == "health" => Department::Health,
        Department::Product if firm.sector.name == "research" => Department::Research,
        Department::Product if firm.sector.name == "education" => Department::Education,
        other => other,
    };
    Role::new(department, Seniority::CSuite)
}

fn partner_department(firm: &Firm<'_>) -> Department {
    let law = firm.branch.industry.is_some_and(|industry| industry.as_str() == "Law Practice");
    if law { Department::Legal } else { Department::Consulting }
}

const fn chief_count(people: u64) -> u64 {
    match people {
        0..=12 => 0,
        13..=30 => 1,
        31..=70 => 3,
        71..=200 => 5,
        201..=600 => 7,
        _ => 9,
    }
}

fn seniority(people: u64, dice: &mut Dice) -> Seniority {
    let drawn = match dice.below(1_000) {
        0..25 => Seniority::Vp,
        25..60 => Seniority::Head,
        60..125 => Seniority::Director,
        125..265 => Seniority::Manager,
        265..560 => Seniority::Senior,
        560..975 => Seniority::Entry,
        _ => Seniority::Intern,
    };
    fit(drawn, people)
}

/// The role as a company of that size has it.
pub(crate) fn fit_role(role: Role, people: u64) -> Role {
    let chief_of_nobody =
        role.seniority == Seniority::CSuite && role.department != Department::Executive && people <= 12;
    let seniority = if chief_of_nobody { Seniority::Manager } else { role.seniority };
    Role { seniority: fit(seniority, people), ..role }
}

/// Small companies have no layers: who would be a vice president elsewhere is the manager.
fn fit(seniority: Seniority, people: u64) -> Seniority {
    match seniority {
        Seniority::Vp if people < 60 => Seniority::Manager,
        Seniority::Director if people < 30 => Seniority::Manager,
        Seniority::Head if people < 15 => Seniority::Manager,
        Seniority::Manager if people < 5 => Seniority::Senior,
        other => other,
    }
}

/// The job before this one: the same trade, as high if they did not rise in between, else a step lower.
pub(crate) fn before(role: Role, rose: bool, dice: &mut Dice) -> Role {
    let stay = !rose;
    let seniority = match role.seniority {
        Seniority::CSuite if stay => Seniority::CSuite,
        Seniority::CSuite => Seniority::Vp,
        Seniority::Founder | Seniority::Owner | Seniority::Partner if stay => Seniority::Manager,
        Seniority::Founder | Seniority::Owner | Seniority::Partner => Seniority::Senior,
        Seniority::Vp if stay => Seniority::Vp,
        Seniority::Vp | Seniority::Head => Seniority::Director,
        Seniority::Director if stay => Seniority::Director,
        Seniority::Director => Seniority::Manager,
        Seniority::Manager if stay => Seniority::Manager,
        Seniority::Manager => Seniority::Senior,
        Seniority::Senior if stay => Seniority::Senior,
        Seniority::Senior | Seniority::Entry => Seniority::Entry,
        Seniority::Intern => Seniority::Intern,
    };
    let department = match role.department {
        // Nobody starts as a chief executive.
        Department::Executive if role.seniority < Seniority::Manager => match dice.below(4) {
            0 => Department::Sales,
            1 => Department::Operations,
            2 => Department::Finance,
            _ => Department::Marketing,
        },
        other => other,
    };
    Role::new(department, seniority)
}

pub(crate) fn title(base: &Base, firm: &Firm<'_>, role: Role, dice: &mut Dice) -> &'static str {
    if let Some(trade) = firm.trade {
        return trade.title(role, dice);
    }
    let craft = base.tables.craft(role.department, firm.sector);
    craft.titles.at(u64::from(role.seniority.index())).draw(dice)
}
