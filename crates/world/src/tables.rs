//! The data files, read once into tables when a world is made.

use std::ops::RangeInclusive;

use assay_domain::person::Location;
use assay_domain::taxonomy::{Department, Industry, Seniority};

use crate::names::Names;
use crate::rows::{Rows, columns, list, number, range};
use crate::segments::{Catalog, Segment, read_categories, read_segments};
use crate::trades::{Trade, read_trades};

#[derive(Debug, Default)]
pub(crate) struct Country {
    /// The place in the table.
    pub(crate) number: u64,
    pub(crate) code: &'static str,
    pub(crate) currency: &'static str,
    /// The native one first.
    pub(crate) languages: Rows<&'static str>,
    /// Those of small companies first.
    pub(crate) legal_forms: Rows<&'static str>,
    pub(crate) schools: Rows<&'static str>,
    pub(crate) names: Names,
    pub(crate) places: Rows<Place>,
}

#[derive(Debug, Default)]
pub(crate) struct Place {
    /// The line in the file, one number for each place of the world.
    pub(crate) number: u64,
    pub(crate) country: &'static str,
    pub(crate) city: &'static str,
    pub(crate) region: &'static str,
    /// How the reserved telephone numbers of the place begin.
    pub(crate) stems: Vec<&'static str>,
    /// The number of the first place whose telephone numbers begin alike: they draw from one stock.
    pub(crate) stock: u64,
}

impl Place {
    pub(crate) fn location(&self) -> Location {
        Location {
            city: Some(self.city.to_owned()),
            region: Some(self.region.to_owned()),
            country: Some(self.country.to_owned()),
        }
    }
}

#[derive(Debug, Default)]
pub(crate) struct Branch {
    pub(crate) industry: Option<Industry>,
    /// How many people such companies have, where that matters.
    pub(crate) people: Option<RangeInclusive<u64>>,
    pub(crate) sector: u64,
    pub(crate) words: Rows<&'static str>,
    pub(crate) keywords: Rows<&'static str>,
}

impl Branch {
    pub(crate) fn suits(&self, people: u64) -> bool {
        self.people.as_ref().is_none_or(|range| range.contains(&people))
    }
}

#[derive(Debug, Default)]
pub(crate) struct Sector {
    pub(crate) name: &'static str,
    pub(crate) revenue_thousand: u64,
    pub(crate) funded_percent: u64,
    pub(crate) departments: Rows<Option<Department>>,
    pub(crate) technologies: Rows<Category>,
    /// By the index of the department: the craft it practises here, and whether it exists.
    crafts: Rows<(u64, bool)>,
}

impl Sector {
    pub(crate) fn employs(&self, department: Department) -> bool {
        self.crafts.at(u64::from(department.index())).1
    }

    pub(crate) fn craft_number(&self, department: Department) -> u64 {
        self.crafts.at(u64::from(department.index())).0
    }
}

/// Which craft a department practises in a sector. Engineers do not all write software, and to operate a hotel, a
/// factory and an office are three trades.
fn craft_number(department: Department, sector: &str) -> u64 {
    let machines = matches!(sector, "manufacturing" | "energy" | "construction" | "logistics" | "research");
    match department {
        Department::Engineering if machines => variant(0),
        Department::Operations if sector == "hospitality" => variant(2),
        Department::Operations if !machines && sector != "retail" => variant(1),
        Department::Research if !matches!(sector, "research" | "health") => variant(4),
        _ => u64::from(department.index()),
    }
}

/// The number of a craft of [`VARIANTS`].
fn variant(at: u64) -> u64 {
    u64::try_from(Department::ALL.len()).unwrap_or(0) + at
}

#[derive(Debug, Default)]
pub(crate) struct Category {
    pub(crate) name: &'static str,
    pub(crate) products: Rows<&'static str>,
}

/// What people of one department know.
#[derive(Debug, Default)]
pub(crate) struct Craft {
    pub(crate) skills: Rows<&'static str>,
    pub(crate) fields: Rows<&'static str>,
    pub(crate) certificates: Rows<&'static str>,
    /// By the index of the seniority.
    pub(crate) titles: Rows<Rows<&'static str>>,
}

#[derive(Debug)]
pub(crate) struct Tables {
    pub(crate) countries: Rows<Country>,
    pub(crate) branches: Rows<Branch>,
    /// The hidden kinds of ordinary companies.
    pub(crate) segments: Rows<Segment>,
    /// What local businesses do; each trade is a hidden kind of its own.
    pub(crate) trades: Rows<Trade>,
    pub(crate) sectors: Rows<Sector>,
    /// By the index of the department, then those of [`VARIANTS`].
    crafts: Rows<Craft>,
    pub(crate) first_halves: Rows<&'static str>,
    pub(crate) second_halves: Rows<&'static str>,
    pub(crate) epithets: Rows<&'static str>,
    pub(crate) investors: Rows<&'static str>,
}

/// Crafts of a department that some sectors practise in their own way: engineering with machines, operations of offices
/// and of places with guests, what is done at the desk of a local business, and research without patients.
const VARIANTS: [&str; 5] = ["plant", "office", "guest", "desk", "development"];
const DESK: u64 = 3;

const PLACES: &str = include_str!("../data/places.txt");
const COUNTRIES: &str = include_str!("../data/countries.txt");
const COMPANIES: &str = include_str!("../data/companies.txt");
const INDUSTRIES: &str = include_str!("../data/industries.txt");
const SECTORS: &str = include_str!("../data/sectors.txt");
const TITLES: &str = include_str!("../data/titles.txt");
const CRAFTS: &str = include_str!("../data/crafts.txt");

impl Tables {
    pub(crate) fn read() -> Self {
        let sectors: Vec<Sector> = columns(SECTORS).map(read_sector).collect();
        let branches = Rows::even(columns(INDUSTRIES).map(|cells| read_branch(cells, &sectors)).collect());
        let catalog = Catalog::read();
        let segments = read_segments(&branches, &catalog);
        Self {
            trades: read_trades(&sectors, &catalog, segments.len()),
            segments,
            branches,
            countries: Rows::weighted(
                (0..).zip(columns(COUNTRIES)).map(|(number, cells)| read_country(number, cells)),
            ),
            sectors: Rows::even(sectors),
            crafts: Rows::even(
                Department::ALL.iter().map(|known| known.as_str()).chain(VARIANTS).map(read_craft).collect(),
            ),
            first_halves: words_of("first"),
            second_halves: words_of("second"),
            epithets: words_of("epithet"),
            investors: words_of("investor"),
        }
    }

    pub(crate) fn craft(&self, department: Department, sector: &Sector) -> &Craft {
        self.crafts.at(sector.craft_number(department))
    }

    /// What those at the desk of a local business know.
    pub(crate) fn desk_craft(&self) -> &Craft {
        self.crafts.at(variant(DESK))
    }
}

fn words_of(kind: &str) -> Rows<&'static str> {
    let lines = columns::<2>(COMPANIES).filter(|[of, _]| *of == kind);
    Rows::even(lines.flat_map(|[_, words]| words.split(',').map(str::trim)).collect())
}

fn read_country(index: u64, cells: [&'static str; 6]) -> (u64, Country) {
    let [code, weight, currency, languages, legal_forms, schools] = cells;
    let places = (0..).zip(columns::<5>(PLACES)).filter(|(_, [country, ..])| *country == code);
    let country = Country {
        number: index,
        code,
        currency,
        languages: list(languages, ' '),
        legal_forms: list(legal_forms, ';'),
        schools: list(schools, ';'),
        names: Names::read(code),
        places: Rows::weighted(places.map(|(at, [country, city, region, weight, stems])| {
            let alike =
                |[of, _, _, _, other]: [&str; 5]| of == country && !stems.is_empty() && other == stems;
            let stock =
                (0..).zip(columns::<5>(PLACES)).find(|(_, cells)| alike(*cells)).map_or(at, |(at, _)| at);
            let stems = stems.split_whitespace().collect();
            (number(weight), Place { number: at, country, city, region, stems, stock })
        })),
    };
    (number(weight), country)
}

fn read_branch(cells: [&'static str; 5], sectors: &[Sector]) -> Branch {
    let [industry, people, sector, words, keywords] = cells;
    Branch {
        industry: Industry::parse(industry).ok(),
        people: Some(range(people)),
        sector: sectors.iter().zip(0..).find(|(known, _)| known.name == sector).map_or(0, |(_, at)| at),
        words: list(words, ';'),
        keywords: list(keywords, ';'),
    }
}

fn read_sector(cells: [&'static str; 4]) -> Sector {
    let [name, revenue, funded, departments] = cells;
    let departments = departments.split(',').filter_map(|share| share.trim().split_once(' '));
    let exists = |department: Department| {
        let mut known = departments.clone().filter_map(|(known, _)| Department::parse(known).ok());
        department == Department::Executive || known.any(|known| known == department)
    };
    let craft = |department: &Department| (craft_number(*department, name), exists(*department));
    Sector {
        name,
        revenue_thousand: number(revenue),
        funded_percent: number(funded),
        crafts: Rows::even(Department::ALL.iter().map(craft).collect()),
        departments: Rows::weighted(
            departments.map(|(department, share)| (number(share), Department::parse(department).ok())),
        ),
        technologies: Rows::even(
            read_categories(name)
                .into_iter()
                .map(|(name, products)| Category { name, products: list(products, ';') })
                .collect(),
        ),
    }
}

fn read_craft(department: &'static str) -> Craft {
    let titles = |seniority: &str| {
        columns::<3>(TITLES)
            .find(|[of, at, _]| *of == department && *at == seniority)
            .map_or_else(Rows::default, |[_, _, titles]| list(titles, ';'))
    };
    let [_, skills, fields, certificates] =
        columns::<4>(CRAFTS).find(|[of, ..]| *of == department).unwrap_or_default();
    Craft {
        skills: list(skills, ';'),
        fields: list(fields, ';'),
        certificates: list(certificates, ';'),
        titles: Rows::even(Seniority::ALL.iter().map(|seniority| titles(seniority.as_str())).collect()),
    }
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::*;

    #[test]
    fn every_line_of_the_data_files_is_understood() {
        let lines = |text: &'static str| text.lines().filter(|line| !line.starts_with('#')).count();
        assert_eq!(columns::<5>(PLACES).count(), lines(PLACES));
        assert_eq!(columns::<6>(COUNTRIES).count(), lines(COUNTRIES));
        assert_eq!(columns::<2>(COMPANIES).count(), lines(COMPANIES));
        assert_eq!(columns::<5>(INDUSTRIES).count(), lines(INDUSTRIES));
        assert_eq!(columns::<4>(SECTORS).count(), lines(SECTORS));
        assert_eq!(columns::<3>(TITLES).count(), lines(TITLES));
        assert_eq!(columns::<4>(CRAFTS).count(), lines(CRAFTS));
        for [department, seniority, _] in columns::<3>(TITLES) {
            assert!(VARIANTS.contains(&department) || Department::parse(department).is_ok(), "{department}");
            assert!(Seniority::parse(seniority).is_ok(), "{seniority}");
        }
        for [industry, _, sector, ..] in columns::<5>(INDUSTRIES) {
            assert!(Industry::parse(industry).is_ok(), "{industry}");
            assert!(columns::<4>(SECTORS).any(|[name, ..]| name == sector), "{sector}");
        }
        for [sector, _, _, departments] in columns::<4>(SECTORS) {
            let known = departments.split(',').filter_map(|share| share.trim().split_once(' '));
            for (department, share) in known {
                assert!(Department::parse(department).is_ok() && number(share) > 0, "{sector}: {department}");
            }
        }
    }

    #[test]
    fn every_root_of_a_company_name_is_made_in_one_way() {
        let tables = Tables::read();
        assert!(tables.countries.iter().all(|country| country.places.len() >= 5));
        let mut roots = HashSet::new();
        for first in tables.first_halves.iter() {
            for second in tables.second_halves.iter() {
                assert!(roots.insert(format!("{first}{second}")), "{first}{second}");
            }
        }
        assert!(roots.len() > 10_000);
    }

    #[test]
    fn every_industry_belongs_to_a_segment_and_there_are_some_sixty_segments() {
        let tables = Tables::read();
        let used: HashSet<u64> =
            tables.segments.iter().flat_map(|segment| segment.branches.iter().copied()).collect();
        assert_eq!(u64::try_from(used.len()).unwrap(), tables.branches.len());
        assert!((50..80).contains(&(tables.segments.len() + tables.trades.len())));
    }
}
