//! Limits of research workflows.

/// People of one group who are compared for a role.
pub const BUYER_CANDIDATES_MAX: usize = 100;
/// People read for a part of a committee beyond those it wants: some sit already.
pub const COMMITTEE_CANDIDATES_MIN: usize = 8;
/// People for each part of a committee: the most, and what is meant where nothing is said.
pub const COMMITTEE_PER_ROLE_MAX: u32 = 10;
pub const COMMITTEE_PER_ROLE_DEFAULT: u32 = 3;
/// Jobs of a company that are read, and those that are shown.
pub const HIRING_JOBS_READ_MAX: i64 = 500;
pub const HIRING_JOBS_SHOWN_MAX: usize = 10;
/// Signals of a company that are looked through for a newer one of the same kind: with more between, it would be told twice.
pub const NEWER_SIGNALS_READ_MAX: i64 = 500;
/// Pages of companies that are looked through for one page of those that have what is promised, and how many are completed at once.
pub const FIRM_PAGES_MAX: u32 = 20;
pub const FIRMS_COMPLETED_AT_ONCE: usize = 16;
/// A business with more people is not a small one.
pub const SMALL_BUSINESS_EMPLOYEES_MAX: u32 = 50;
/// Roles in one department that make a company hire fast.
pub const VELOCITY_ROLES_MIN: u32 = 5;
/// People shown in a bundle: peers, similar candidates, leaders, moves, coworkers.
pub const PEERS_SHOWN_MAX: usize = 3;
pub const CANDIDATES_SHOWN_MAX: usize = 8;
pub const LEADERS_SHOWN_MAX: usize = 10;
pub const MOVES_SHOWN_MAX: usize = 10;
/// Rounds of one company that the feed tells of and that are read.
pub const ROUNDS_READ_MAX: i64 = 100;
pub const COWORKERS_SHOWN_MAX: usize = 25;
/// People at a former company who are compared for a time in common.
pub const COWORKERS_READ_MAX: usize = 200;
/// Companies shown beside another.
pub const LOOKALIKES_SHOWN_MAX: usize = 3;
/// People who decide, shown for one company.
pub const BUYERS_SHOWN_MAX: usize = 3;
