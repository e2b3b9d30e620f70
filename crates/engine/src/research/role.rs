//! Whom somebody means by a role: "VP of Sales", "head of growth", "who runs security".

use assay_domain::taxonomy::{Department, Seniority};
use assay_domain::title::read_title;

/// Who leads others, and so has a budget. The highest are one level: whoever owns, founded or runs a company is at its top.
const LEVELS: [&[Seniority]; 5] = [
    &[Seniority::Owner, Seniority::Founder, Seniority::CSuite, Seniority::Partner],
    &[Seniority::Vp],
    &[Seniority::Head],
    &[Seniority::Director],
    &[Seniority::Manager],
];
/// Who leads a company whatever else they do there.
const OWNERS: &[Seniority] = &[Seniority::Owner, Seniority::Founder, Seniority::Partner];
/// Words of a question that say nothing of whom it is about.
const ASKING: &[&str] = &[
    "a",
    "an",
    "any",
    "anyone",
    "boss",
    "budget",
    "budgets",
    "buyer",
    "buyers",
    "buys",
    "chooses",
    "decider",
    "decides",
    "decision",
    "decisions",
    "department",
    "executive",
    "for",
    "in",
    "is",
    "lead",
    "leader",
    "leaders",
    "leadership",
    "leading",
    "leads",
    "maker",
    "makers",
    "of",
    "on",
    "our",
    "owner",
    "owns",
    "person",
    "responsible",
    "runs",
    "signs",
    "somebody",
    "someone",
    "stakeholder",
    "team",
    "the",
    "top",
    "who",
    "whoever",
];

/// A role, read once for many companies.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Role {
    /// Where among the levels it stands; none where no rank is named, which means whoever leads.
    pub(super) level: Option<usize>,
    /// None where it is any: whoever leads the company.
    pub(super) department: Option<Department>,
    /// What else tells one title from another, folded.
    pub(super) words: Vec<String>,
}

/// Whom to look for next, where those before were not enough.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Tier {
    /// None for any.
    pub department: Option<Department>,
    pub ranks: &'static [Seniority],
}

impl Role {
    pub fn read(text: &str) -> Self {
        let asked = read_title(text);
        // "Sales leader" and "who owns the marketing budget" name no rank: without what asks, the department is left.
        let bare: Vec<&str> = text.split(|letter: char| !letter.is_alphanumeric() && letter != '&').collect();
        let is_asking = |word: &&&str| !word.is_empty() && !ASKING.contains(&word.to_lowercase().as_str());
        let bare = bare.iter().filter(is_asking).copied().collect::<Vec<_>>().join(" ");
        let is_question = is_question(text);
        let read = if is_question { read_title(&bare) } else { asked };
        let department = Some(read.department).filter(|department| *department != Department::Other);
        let department =
            department.or_else(|| Some(read_title(&bare).department).filter(|it| *it != Department::Other));
        let level = if is_question { None } else { level_of(read.seniority) };
        let words = read.normalised.split([' ', ',']).filter(|word| !word.is_empty()).map(str::to_owned);
        Self { level, department, words: words.collect() }
    }

    /// Groups in the order they come into question. Whoever has the rank asked for comes first; then who stands above, the nearest
    /// first, for their budget it is; then who stands below; and at the end who leads the company, and with it what it has no
    /// department for.
    pub fn tiers(&self) -> Vec<Tier> {
        let mut tiers: Vec<Tier> = Vec::new();
        if let Some(department) = self.department {
            let level = self.level.unwrap_or(0);
            let order = (0..=level).rev().chain(level + 1..LEVELS.len());
            tiers.extend(
                order
                    .filter_map(|at| LEVELS.get(at))
                    .map(|ranks| Tier { department: Some(department), ranks }),
            );
        }
        let top = LEVELS.first().map(|ranks| Tier { department: Some(Department::Executive), ranks });
        tiers.extend(top.filter(|top| !tiers.contains(top)));
        // A practice is led by those who do its work.
        tiers.push(Tier { department: None, ranks: OWNERS });
        tiers
    }
}

/// Whether it asks who decides rather than names a title.
fn is_question(text: &str) -> bool {
    let folded = text.to_lowercase();
    let has = |word: &str| folded.split(|letter: char| !letter.is_alphanumeric()).any(|other| other == word);
    [
        "who",
        "whoever",
        "budget",
        "leader",
        "leaders",
        "leadership",
        "boss",
        "decider",
        "buyer",
        "stakeholder",
        "responsible",
    ]
    .into_iter()
    .any(has)
        || (has("decision") && (has("maker") || has("makers")))
}

/// Who leads nobody has no level: asked for by such a title, whoever leads them decides.
pub(super) fn level_of(rank: Seniority) -> Option<usize> {
    LEVELS.iter().position(|ranks| ranks.contains(&rank))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_role_is_read_however_it_is_said() {
        for (text, level, department) in [
            ("VP of Sales", Some(1), Some(Department::Sales)),
            ("vice president, sales", Some(1), Some(Department::Sales)),
            ("CFO", Some(0), Some(Department::Finance)),
            ("Head of Marketing", Some(2), Some(Department::Marketing)),
            ("marketing", None, Some(Department::Marketing)),
            ("sales leader", None, Some(Department::Sales)),
            ("who owns the security budget", None, Some(Department::Security)),
            ("Decision maker for human resources", None, Some(Department::Hr)),
            ("data engineer", None, Some(Department::Data)),
            ("CEO", Some(0), Some(Department::Executive)),
        ] {
            let role = Role::read(text);
            assert_eq!((role.level, role.department), (level, department), "{text}: {role:?}");
        }
        assert_eq!(Role::read("the boss").department, None);
    }

    #[test]
    fn those_above_come_before_those_below_and_who_leads_the_company_last() {
        let tiers = Role::read("Head of Sales").tiers();
        let ranks: Vec<Seniority> = tiers.iter().filter_map(|tier| tier.ranks.first().copied()).collect();
        let right = [
            Seniority::Head,
            Seniority::Vp,
            Seniority::Owner,
            Seniority::Director,
            Seniority::Manager,
            Seniority::Owner,
            Seniority::Owner,
        ];
        assert_eq!(ranks, right);
        assert_eq!(tiers.iter().rev().nth(1).map(|tier| tier.department), Some(Some(Department::Executive)));
        assert_eq!(tiers.last().map(|tier| tier.department), Some(None));
        assert_eq!(Role::read("CEO").tiers().len(), 6);
        assert_eq!(Role::read("the boss").tiers().len(), 2);
    }
}
