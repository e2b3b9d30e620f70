//! The hidden kinds of companies, which decide what a company's visible facts have in common with others.

use std::collections::HashMap;
use std::ops::RangeInclusive;

use crate::rows::{Rows, columns, list, number, range};
use crate::tables::Branch;

const SEGMENTS: &str = include_str!("../data/segments.txt");
const TECHNOLOGIES: &str = include_str!("../data/technologies.txt");

/// A technology and its category.
#[derive(Debug, Default, Clone, Copy)]
pub(crate) struct Product {
    pub(crate) name: &'static str,
    pub(crate) category: &'static str,
}

#[derive(Debug)]
pub(crate) struct Segment {
    pub(crate) number: u16,
    people: RangeInclusive<u64>,
    /// The usual change of the head count over twelve months, in percent.
    pub(crate) growth: RangeInclusive<i32>,
    /// The numbers of the branches its companies are in.
    pub(crate) branches: Rows<u64>,
    pub(crate) keywords: Rows<&'static str>,
    pub(crate) products: Vec<Product>,
    pub(crate) offers: Rows<&'static str>,
}

impl Default for Segment {
    fn default() -> Self {
        Self {
            number: 0,
            people: 0..=u64::MAX,
            growth: 0..=0,
            branches: Rows::default(),
            keywords: Rows::default(),
            products: Vec::new(),
            offers: Rows::default(),
        }
    }
}

/// The cells that the lines of ordinary companies and those of local trades share.
#[derive(Debug)]
pub(crate) struct SegmentCells {
    pub(crate) people: &'static str,
    pub(crate) growth: &'static str,
    pub(crate) keywords: &'static str,
    pub(crate) technologies: &'static str,
    pub(crate) offers: &'static str,
}

impl Segment {
    pub(crate) fn suits(&self, people: u64) -> bool {
        self.people.contains(&people)
    }

    pub(crate) fn new(cells: &SegmentCells, number: u16, branches: Rows<u64>, catalog: &Catalog) -> Self {
        let (least, most) = cells.growth.split_once("..").unwrap_or_default();
        let percent = |text: &str| text.parse().unwrap_or(0);
        Self {
            number,
            people: range(cells.people),
            growth: percent(least)..=percent(most),
            branches,
            keywords: list(cells.keywords, ';'),
            products: cells.technologies.split(';').filter_map(|name| catalog.product(name.trim())).collect(),
            offers: list(cells.offers, ';'),
        }
    }
}

/// Which category a technology is in.
#[derive(Debug)]
pub(crate) struct Catalog(HashMap<&'static str, &'static str>);

impl Catalog {
    pub(crate) fn read() -> Self {
        let lines = columns::<3>(TECHNOLOGIES);
        Self(
            lines
                .flat_map(|[category, _, names]| names.split(';').map(move |name| (name, category)))
                .collect(),
        )
    }

    fn product(&self, name: &'static str) -> Option<Product> {
        self.0.get(name).map(|category| Product { name, category })
    }
}

/// The segments of ordinary companies, weighted. The first industry of a line is twice as common as the others.
pub(crate) fn read_segments(branches: &Rows<Branch>, catalog: &Catalog) -> Rows<Segment> {
    let number_of = |industry: &str| {
        let known = |branch: &Branch| branch.industry.is_some_and(|known| known.as_str() == industry);
        branches.iter().zip(0..).find(|(branch, _)| known(branch)).map(|(_, at)| at)
    };
    Rows::weighted((0..).zip(columns::<7>(SEGMENTS)).map(|(at, cells)| {
        let [weight, people, growth, industries, keywords, technologies, offers] = cells;
        let industries = industries.split(';').filter_map(number_of);
        let branches = Rows::weighted(
            (0..).zip(industries).map(|(rank, branch)| (if rank == 0 { 2 } else { 1 }, branch)),
        );
        let cells = SegmentCells { people, growth, keywords, technologies, offers };
        (number(weight), Segment::new(&cells, at, branches, catalog))
    }))
}

/// The categories that companies of a sector choose from, whatever their segment.
pub(crate) fn read_categories(sector: &str) -> Vec<(&'static str, &'static str)> {
    let chosen = |of: &str| of == sector || (of == "all" && sector != crate::trades::SECTOR);
    let lines = columns::<3>(TECHNOLOGIES).filter(|[_, sectors, _]| sectors.split(' ').any(chosen));
    lines.map(|[category, _, names]| (category, names)).collect()
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use assay_domain::taxonomy::Industry;

    use super::*;

    #[test]
    fn every_line_of_segments_and_technologies_is_understood() {
        let lines = |text: &'static str| text.lines().filter(|line| !line.starts_with('#')).count();
        assert_eq!(columns::<7>(SEGMENTS).count(), lines(SEGMENTS));
        assert_eq!(columns::<3>(TECHNOLOGIES).count(), lines(TECHNOLOGIES));
        let catalog = Catalog::read();
        let names: usize = columns::<3>(TECHNOLOGIES).map(|[_, _, names]| names.split(';').count()).sum();
        assert_eq!(catalog.0.len(), names, "a technology is in two categories");
        for [weight, _, growth, industries, keywords, technologies, offers] in columns::<7>(SEGMENTS) {
            assert!(number(weight) > 0 && growth.contains(".."), "{industries}");
            for industry in industries.split(';') {
                assert!(Industry::parse(industry).is_ok(), "{industry}");
            }
            for name in technologies.split(';') {
                assert!(catalog.product(name).is_some(), "{name}");
            }
            let distinct: HashSet<&str> = keywords.split(';').collect();
            assert!(distinct.len() >= 8 && technologies.split(';').count() >= 6, "{industries}");
            assert!(offers.split(';').count() >= 2, "{industries}");
        }
    }
}
