//! A company in numbers: how many work there, whether it grows, what it takes in and how many it looks for.

use assay_domain::company::CompanyKind;
use chrono::Datelike;

use crate::dice::{Aspect, Dice};
use crate::firm::{Base, Firm};
use crate::funding;

#[derive(Debug, Clone, Copy)]
pub(crate) struct Pulse {
    pub(crate) employees: u64,
    pub(crate) kind: CompanyKind,
    pub(crate) growth_percent: i32,
    pub(crate) open_roles: u64,
    pub(crate) revenue_thousand: u64,
}

pub(crate) fn pulse(base: &Base, firm: &Firm<'_>) -> Pulse {
    let mut dice = base.dice(Aspect::CompanyPulse, firm.index);
    let employees = employee_count(firm, &mut dice);
    let kind = kind(firm, employees, &mut dice);
    let growth_percent = in_heads(growth_percent(base, firm, kind, &mut dice), employees, &mut dice);
    Pulse {
        employees,
        kind,
        growth_percent,
        open_roles: open_roles(employees, growth_percent, &mut dice),
        revenue_thousand: revenue_thousand(firm, employees, &mut dice),
    }
}

/// Of a small company the world knows everybody; of a large one only a part, as any source of contacts does.
fn employee_count(firm: &Firm<'_>, dice: &mut Dice) -> u64 {
    let percent = match firm.people {
        _ if firm.trade.is_some() => 100,
        0..=10 => 100,
        11..=100 => dice.between(100, 150),
        101..=400 => dice.between(110, 250),
        _ => dice.between(180, 700),
    };
    (firm.people * percent / 100).max(1)
}

fn kind(firm: &Firm<'_>, employees: u64, dice: &mut Dice) -> CompanyKind {
    let industry = firm.branch.industry.map_or("", |industry| industry.as_str());
    match (firm.sector.name, industry) {
        (_, "Nonprofit Organization Management") => CompanyKind::Nonprofit,
        ("public", _) => CompanyKind::Government,
        (_, "Higher Education" | "Primary / Secondary Education") => CompanyKind::Education,
        ("professional" | "media" | "local", _) if employees == 1 => CompanyKind::SelfEmployed,
        _ if employees > 800 && dice.percent(55) => CompanyKind::Public,
        _ => CompanyKind::Private,
    }
}

/// Around what is usual for the segment; young companies and those with investors grow faster.
fn growth_percent(base: &Base, firm: &Firm<'_>, kind: CompanyKind, dice: &mut Dice) -> i32 {
    let (least, most) = (*firm.segment.growth.start(), *firm.segment.growth.end());
    let width = u64::try_from(most.saturating_sub(least)).unwrap_or(0);
    // The middle of two throws: extremes are rare.
    let usual = dice.between(0, width).midpoint(dice.between(0, width));
    let young = base.as_of.year().saturating_sub(firm.founded_year) < 8;
    let more = if funding::is_funded(base, firm, kind) {
        dice.between(0, 24)
    } else if young && firm.trade.is_none() {
        dice.between(0, 10)
    } else {
        0
    };
    least.saturating_add(i32::try_from(usual + more).unwrap_or(0))
}

/// The growth that whole heads make: of four people, one more is a third more.
fn in_heads(percent: i32, employees: u64, dice: &mut Dice) -> i32 {
    let heads = dice.share(employees, u64::from(percent.unsigned_abs()));
    let before = if percent < 0 { employees + heads } else { employees.saturating_sub(heads).max(1) };
    let change = i64::try_from(employees.abs_diff(before) * 100 / before).unwrap_or(0);
    i32::try_from(if percent < 0 { -change } else { change }).unwrap_or(0)
}

fn open_roles(employees: u64, growth: i32, dice: &mut Dice) -> u64 {
    if employees < 10 {
        return u64::from(dice.percent(employees * 5));
    }
    let percent = if growth > 15 { 12 } else { 5 };
    dice.below(employees * percent / 100 + 2)
}

fn revenue_thousand(firm: &Firm<'_>, employees: u64, dice: &mut Dice) -> u64 {
    let per_head = firm.trade.map_or(firm.sector.revenue_thousand, |trade| trade.revenue_thousand);
    employees * per_head * dice.between(60, 150) / 100
}
