//! The trades of local businesses: what they do, and who works in them.

use assay_domain::taxonomy::{Department, Industry, Seniority};

use crate::dice::Dice;
use crate::role::Role;
use crate::rows::{Rows, columns, list, number};
use crate::segments::{Catalog, Segment, SegmentCells};
use crate::tables::{Branch, Craft, Sector};

const TRADES: &str = include_str!("../data/trades.txt");
const POSTS: &str = include_str!("../data/posts.txt");

/// The sector that all local businesses are in.
pub(crate) const SECTOR: &str = "local";

/// From how many people on somebody answers the telephone, runs the days and leads the others.
const DESK_PEOPLE_MIN: u64 = 4;
const BOSS_PEOPLE_MIN: u64 = 6;
const LEAD_PEOPLE_MIN: u64 = 12;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum PostKind {
    Owner,
    Desk,
    Manager,
    Lead,
    Staff,
}

#[derive(Debug)]
struct Post {
    kind: PostKind,
    role: Role,
    titles: Rows<&'static str>,
}

#[derive(Debug, Default)]
pub(crate) struct Trade {
    pub(crate) segment: Segment,
    pub(crate) branch: Branch,
    pub(crate) revenue_thousand: u64,
    pub(crate) degree_percent: u64,
    /// What those know who do the work itself.
    pub(crate) craft: Craft,
    posts: Vec<Post>,
    owners: Rows<Role>,
    staff: Rows<Role>,
}

impl Trade {
    /// The job at a desk of a business with so many people.
    pub(crate) fn role(&self, position: u64, people: u64, dice: &mut Dice) -> Role {
        let fixed = match position {
            0 => return *self.owners.draw(dice),
            1 if people >= DESK_PEOPLE_MIN => self.first(PostKind::Desk),
            2 if people >= BOSS_PEOPLE_MIN => self.first(PostKind::Manager),
            3 if people >= LEAD_PEOPLE_MIN => self.first(PostKind::Lead),
            _ => None,
        };
        fixed.unwrap_or_else(|| self.any_staff(dice))
    }

    pub(crate) fn any_staff(&self, dice: &mut Dice) -> Role {
        *self.staff.draw(dice)
    }

    pub(crate) fn title(&self, role: Role, dice: &mut Dice) -> &'static str {
        self.post(role).map_or("", |post| post.titles.draw(dice))
    }

    /// Whether somebody does the work of the trade, rather than answers, plans and writes bills.
    pub(crate) fn is_craft(&self, role: Role) -> bool {
        !self.post(role).is_some_and(|post| matches!(post.kind, PostKind::Desk | PostKind::Manager))
    }

    /// What somebody did in the same trade before.
    pub(crate) fn before(&self, role: Role) -> Role {
        let earlier = match self.post(role).map(|post| post.kind) {
            Some(PostKind::Manager) => self.first(PostKind::Desk),
            Some(PostKind::Owner | PostKind::Lead) => self.first(PostKind::Staff),
            Some(PostKind::Staff) => self.junior(role),
            Some(PostKind::Desk) | None => None,
        };
        earlier.unwrap_or(role)
    }

    fn junior(&self, role: Role) -> Option<Role> {
        let junior = |post: &&Post| {
            post.kind == PostKind::Staff
                && post.role.department == role.department
                && post.role.seniority == Seniority::Entry
        };
        self.posts.iter().find(junior).filter(|_| role.seniority < Seniority::Entry).map(|post| post.role)
    }

    fn first(&self, kind: PostKind) -> Option<Role> {
        self.posts.iter().find(|post| post.kind == kind).map(|post| post.role)
    }

    fn post(&self, role: Role) -> Option<&Post> {
        role.post.and_then(|at| self.posts.get(usize::from(at)))
    }
}

/// The trades, weighted. Their segments are numbered after those of ordinary companies.
pub(crate) fn read_trades(sectors: &[Sector], catalog: &Catalog, segments: u64) -> Rows<Trade> {
    let sector = sectors.iter().zip(0..).find(|(known, _)| known.name == SECTOR).map_or(0, |(_, at)| at);
    Rows::weighted((segments..).zip(columns::<14>(TRADES)).map(|(at, cells)| {
        let [trade, weight, people, growth, industry, revenue, degree, fields, words, rest @ ..] = cells;
        let [keywords, technologies, skills, certificates, offers] = rest;
        let segment_cells = SegmentCells { people, growth, keywords, technologies, offers };
        let posts = read_posts(trade);
        let of_kind = |kind: PostKind| {
            let posts = posts.iter().filter(move |(_, post)| post.kind == kind);
            Rows::weighted(posts.map(|(share, post)| (*share, post.role)))
        };
        let trade = Trade {
            segment: Segment::new(
                &segment_cells,
                u16::try_from(at).unwrap_or(u16::MAX),
                Rows::default(),
                catalog,
            ),
            branch: Branch {
                industry: Industry::parse(industry).ok(),
                sector,
                words: list(words, ';'),
                ..Branch::default()
            },
            revenue_thousand: number(revenue),
            degree_percent: number(degree),
            craft: Craft {
                skills: list(skills, ';'),
                fields: list(fields, ';'),
                certificates: list(certificates, ';'),
                ..Craft::default()
            },
            owners: of_kind(PostKind::Owner),
            staff: of_kind(PostKind::Staff),
            posts: posts.into_iter().map(|(_, post)| post).collect(),
        };
        (number(weight), trade)
    }))
}

/// The posts of a trade with their shares, in the order of the file.
fn read_posts(trade: &str) -> Vec<(u64, Post)> {
    let lines = columns::<6>(POSTS).filter(|[of, ..]| *of == trade);
    let posts = (0..).zip(lines).filter_map(|(at, [_, kind, department, seniority, share, titles])| {
        let role = Role {
            department: Department::parse(department).ok()?,
            seniority: Seniority::parse(seniority).ok()?,
            post: Some(at),
        };
        Some((number(share), Post { kind: post_kind(kind)?, role, titles: list(titles, ';') }))
    });
    posts.collect()
}

fn post_kind(text: &str) -> Option<PostKind> {
    Some(match text {
        "owner" => PostKind::Owner,
        "desk" => PostKind::Desk,
        "manager" => PostKind::Manager,
        "lead" => PostKind::Lead,
        "staff" => PostKind::Staff,
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_trade_has_an_owner_a_desk_a_manager_a_lead_and_staff() {
        let lines = |text: &'static str| text.lines().filter(|line| !line.starts_with('#')).count();
        assert_eq!(columns::<14>(TRADES).count(), lines(TRADES));
        assert_eq!(columns::<6>(POSTS).count(), lines(POSTS));
        for [trade, _, people, _, industry, ..] in columns::<14>(TRADES) {
            assert!(Industry::parse(industry).is_ok(), "{trade}: {industry}");
            assert!(people.ends_with(|c: char| c.is_ascii_digit()), "{trade}");
            let posts = read_posts(trade);
            assert_eq!(posts.len(), columns::<6>(POSTS).filter(|[of, ..]| *of == trade).count(), "{trade}");
            for kind in [PostKind::Owner, PostKind::Desk, PostKind::Manager, PostKind::Lead, PostKind::Staff]
            {
                assert!(
                    posts.iter().any(|(share, post)| post.kind == kind && *share > 0),
                    "{trade}: {kind:?}"
                );
            }
            for (_, post) in posts {
                assert_eq!(post.kind == PostKind::Owner, post.role.seniority == Seniority::Owner, "{trade}");
            }
        }
        for [trade, ..] in columns::<6>(POSTS) {
            assert!(columns::<14>(TRADES).any(|[known, ..]| known == trade), "{trade}");
        }
    }
}
