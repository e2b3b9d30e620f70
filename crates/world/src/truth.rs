//! What is true of the world and in none of its records.
//!
//! Only for judging: the code that is measured must not use this, directly or through anything it is given.

use assay_domain::taxonomy::{Department, Seniority};

use crate::dice::{Aspect, hash};
use crate::firm::{Base, Firm};
use crate::role::Role;
use crate::staff::Staff;

/// The truth of a world, from [`crate::World::truth`]. Only for judging: code under measurement must not use it.
///
/// Two records of people are of the same person when they were made from the same index.
#[derive(Debug, Clone, Copy)]
pub struct Truth<'a> {
    base: &'a Base,
}

impl<'a> Truth<'a> {
    pub(crate) fn new(base: &'a Base) -> Self {
        Self { base }
    }

    /// Which hidden kind of company a company is. Companies of one kind resemble each other in industry, keywords,
    /// technologies, size and growth.
    pub fn segment_of(&self, company: u64) -> u16 {
        self.base.firm(company).segment.number
    }

    /// Segments are numbered from 0.
    pub fn segment_count(&self) -> u16 {
        let tables = &self.base.tables;
        u16::try_from(tables.segments.len() + tables.trades.len()).unwrap_or(u16::MAX)
    }

    /// In what year somebody was born. Their first job came at 21 to 27.
    pub fn birth_year(&self, person: u64) -> i32 {
        let desk = self.base.roster.desk(person);
        let firm = self.base.firm(desk.company);
        let staff = Staff::new(self.base, &firm);
        let role = staff.role(desk.position);
        staff.birth_year(desk.position, role, staff.span(desk.position, role))
    }

    /// Whom somebody reports to, at the same company; nobody above the one at the top. Takes time in proportion to the
    /// size of the company: for many people of one, see [`Truth::org_chart`].
    pub fn manager_of(&self, person: u64) -> Option<u64> {
        let desk = self.base.roster.desk(person);
        let firm = self.base.firm(desk.company);
        let chart = Chart::new(self.base, &firm);
        chart.manager(desk.position)
    }

    /// What somebody does, and how high they stand, whatever their title says.
    pub fn role_of(&self, person: u64) -> (Department, Seniority) {
        let desk = self.base.roster.desk(person);
        let firm = self.base.firm(desk.company);
        let role = Staff::new(self.base, &firm).role(desk.position);
        (role.department, role.seniority)
    }

    /// Whose budget a department's is: whoever leads it at this rank, or the nearest above, or else whoever leads it at all; the
    /// one at the top where nobody does. Without a rank, the highest. Several where they share it.
    pub fn budget_owners(&self, company: u64, department: Department, rank: Option<Seniority>) -> Vec<u64> {
        let firm = self.base.firm(company);
        let chart = Chart::new(self.base, &firm);
        // Who leads the company leads what it has no head for, and is of a department as others are.
        let mut leaders: Vec<(Seniority, u64)> = chart.of(department);
        if chart.roles.first().is_some_and(|top| top.department == department) {
            leaders.insert(0, (Seniority::Owner, 0));
        }
        let level = |rank: Seniority| if rank <= Seniority::Partner { Seniority::Partner } else { rank };
        let asked = rank.map(level);
        let above = leaders.iter().filter(|(has, _)| asked.is_some_and(|asked| level(*has) <= asked));
        let nearest = above.map(|(has, _)| level(*has)).max();
        let chosen = nearest.or_else(|| leaders.iter().map(|(has, _)| level(*has)).min());
        let owners = leaders.iter().filter(|(has, _)| Some(level(*has)) == chosen).map(|(_, desk)| *desk);
        let mut owners: Vec<u64> = owners.collect();
        if owners.is_empty() {
            owners.push(0);
        }
        owners.into_iter().map(|position| chart.staff.who(position)).collect()
    }

    /// Everybody at a company with whom they report to, the one at the top first.
    pub fn org_chart(&self, company: u64) -> Vec<(u64, Option<u64>)> {
        let firm = self.base.firm(company);
        let chart = Chart::new(self.base, &firm);
        (0..firm.people).map(|position| (chart.staff.who(position), chart.manager(position))).collect()
    }
}

/// The jobs of a company, and who can be reported to.
struct Chart<'a> {
    staff: Staff<'a>,
    roles: Vec<Role>,
    /// The desks of those who lead others, by department and then rank, the highest first.
    leaders: Vec<(Role, u64)>,
}

impl<'a> Chart<'a> {
    fn new(base: &'a Base, firm: &'a Firm<'a>) -> Self {
        let staff = Staff::new(base, firm);
        let roles: Vec<Role> = (0..firm.people).map(|position| staff.role(position)).collect();
        let desks = roles.iter().copied().zip(0..).skip(1);
        let mut leaders: Vec<(Role, u64)> =
            desks.filter(|(role, _)| role.seniority <= Seniority::Manager).collect();
        leaders.sort_by_key(|(role, position)| (role.department, role.seniority, *position));
        Self { staff, roles, leaders }
    }

    /// Who leads others in a department, but for the one at the top.
    fn of(&self, department: Department) -> Vec<(Seniority, u64)> {
        let those = self.leaders.iter().filter(|(role, _)| role.department == department);
        those.map(|(role, position)| (role.seniority, *position)).collect()
    }

    /// The nearest rank above in the department leads; its people share those below. Without one, the top does.
    fn manager(&self, position: u64) -> Option<u64> {
        if position == 0 {
            return None;
        }
        let role = usize::try_from(position).ok().and_then(|at| self.roles.get(at)).copied()?;
        let from = self.leaders.partition_point(|(leader, _)| leader.department < role.department);
        let until = self.leaders.partition_point(|(leader, _)| {
            (leader.department, leader.seniority) < (role.department, role.seniority)
        });
        let above = self.leaders.get(from..until).unwrap_or_default();
        let nearest = above.last().map(|(leader, _)| leader.seniority);
        let peers = above.partition_point(|(leader, _)| Some(leader.seniority) < nearest);
        let peers = above.get(peers..).unwrap_or_default();
        let who = self.staff.who(position);
        let random = hash(self.staff.base.seed, Aspect::PersonManager, who);
        let chosen = random.checked_rem(u64::try_from(peers.len()).unwrap_or(0)).unwrap_or(0);
        let leader = usize::try_from(chosen).ok().and_then(|at| peers.get(at));
        Some(self.staff.who(leader.map_or(0, |(_, position)| *position)))
    }
}
