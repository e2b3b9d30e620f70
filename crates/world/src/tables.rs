//! The data files, read once into tables when a world is made.

use std::collections::HashSet;

use assay_domain::person::Location;
use assay_domain::taxonomy::{Department, Industry, Seniority};

use crate::fold;
use crate::rows::{Rows, columns, list, number};

/// A given name or surname, with the forms that are needed for each person worked out beforehand.
#[derive(Debug, Default)]
pub(crate) struct Name {
    pub(crate) text: &'static str,
    pub(crate) mailbox: String,
    pub(crate) slug: String,
}

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
    pub(crate) given: Rows<Name>,
    pub(crate) family: Rows<Name>,
    pub(crate) places: Rows<Place>,
}

#[derive(Debug, Default)]
pub(crate) struct Place {
    /// The line in the file, one number for each place of the world.
    pub(crate) number: u64,
    pub(crate) country: &'static str,
    pub(crate) city: &'static str,
    pub(crate) region: &'static str,
    pub(crate) area_codes: Vec<&'static str>,
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
    people_least: u64,
    people_most: u64,
    pub(crate) sector: u64,
    pub(crate) words: Rows<&'static str>,
    pub(crate) keywords: Rows<&'static str>,
    pub(crate) offers: Rows<&'static str>,
}

impl Branch {
    pub(crate) fn suits(&self, people: u64) -> bool {
        (self.people_least..=self.people_most).contains(&people)
    }
}

#[derive(Debug, Default)]
pub(crate) struct Sector {
    pub(crate) name: &'static str,
    pub(crate) revenue_thousand: u64,
    pub(crate) funded_percent: u64,
    pub(crate) departments: Rows<Option<Department>>,
    pub(crate) technologies: Rows<Category>,
}

impl Sector {
    pub(crate) fn employs(&self, department: Department) -> bool {
        department == Department::Executive || self.departments.iter().any(|known| *known == Some(department))
    }

    /// Which craft a department practises in this sector. Engineers do not all write software, and to operate a hotel,
    /// a factory and an office are three trades.
    pub(crate) fn craft_number(&self, department: Department) -> u64 {
        let variant = match (department, self.name) {
            (
                Department::Engineering,
                "manufacturing" | "energy" | "construction" | "logistics" | "research",
            ) => 0,
            (
                Department::Operations,
                "manufacturing" | "energy" | "construction" | "logistics" | "research" | "retail",
            ) => {
                return u64::from(department.index());
            }
            (Department::Operations, "hospitality") => 2,
            (Department::Operations, _) => 1,
            _ => return u64::from(department.index()),
        };
        u64::try_from(Department::ALL.len()).unwrap_or(0) + variant
    }
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
    pub(crate) sectors: Rows<Sector>,
    /// By the index of the department, then those of [`VARIANTS`].
    crafts: Rows<Craft>,
    pub(crate) first_halves: Rows<&'static str>,
    pub(crate) second_halves: Rows<&'static str>,
    pub(crate) epithets: Rows<&'static str>,
    pub(crate) investors: Rows<&'static str>,
}

/// Crafts of a department that some sectors practise in their own way: engineering with machines, operations of offices
/// and of places with guests.
const VARIANTS: [&str; 3] = ["plant", "office", "guest"];

const NAMES: &str = include_str!("../data/names.txt");
const PLACES: &str = include_str!("../data/places.txt");
const COUNTRIES: &str = include_str!("../data/countries.txt");
const COMPANIES: &str = include_str!("../data/companies.txt");
const INDUSTRIES: &str = include_str!("../data/industries.txt");
const SECTORS: &str = include_str!("../data/sectors.txt");
const TECHNOLOGIES: &str = include_str!("../data/technologies.txt");
const TITLES: &str = include_str!("../data/titles.txt");
const CRAFTS: &str = include_str!("../data/crafts.txt");

impl Tables {
    pub(crate) fn read() -> Self {
        let sectors: Vec<Sector> = columns(SECTORS).map(read_sector).collect();
        Self {
            countries: Rows::weighted(
                (0..).zip(columns(COUNTRIES)).map(|(number, cells)| read_country(number, cells)),
            ),
            branches: Rows::weighted(columns(INDUSTRIES).map(|cells| read_branch(cells, &sectors))),
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
        given: read_names(code, "given"),
        family: read_names(code, "family"),
        places: Rows::weighted(places.map(|(at, [country, city, region, weight, area_codes])| {
            let area_codes = area_codes.split_whitespace().collect();
            (number(weight), Place { number: at, country, city, region, area_codes })
        })),
    };
    (number(weight), country)
}

/// The names of a country. Of two that are one in a mailbox, the first stays: mailboxes are told apart by names.
fn read_names(country: &str, kind: &str) -> Rows<Name> {
    let lines = columns::<3>(NAMES).filter(|[of, what, _]| *of == country && *what == kind);
    let mut seen = HashSet::new();
    let names = lines.flat_map(|[_, _, names]| names.split(',').map(str::trim)).map(|text| Name {
        text,
        mailbox: fold::mailbox(text, country == "DE"),
        slug: fold::slug(text),
    });
    Rows::even(names.filter(|name| seen.insert(name.mailbox.clone())).collect())
}

fn read_branch(cells: [&'static str; 7], sectors: &[Sector]) -> (u64, Branch) {
    let [industry, weight, people, sector, words, keywords, offers] = cells;
    let (least, most) = people.split_once("..").unwrap_or_default();
    let branch = Branch {
        industry: Industry::parse(industry).ok(),
        people_least: number(least),
        people_most: if most.is_empty() { u64::MAX } else { number(most) },
        sector: sectors.iter().zip(0..).find(|(known, _)| known.name == sector).map_or(0, |(_, at)| at),
        words: list(words, ';'),
        keywords: list(keywords, ';'),
        offers: list(offers, ';'),
    };
    (number(weight), branch)
}

fn read_sector(cells: [&'static str; 4]) -> Sector {
    let [name, revenue, funded, departments] = cells;
    let departments = departments.split(',').filter_map(|share| share.trim().split_once(' '));
    let technologies = columns::<3>(TECHNOLOGIES)
        .filter(|[_, sectors, _]| sectors.split(' ').any(|of| of == name || of == "all"));
    Sector {
        name,
        revenue_thousand: number(revenue),
        funded_percent: number(funded),
        departments: Rows::weighted(
            departments.map(|(department, share)| (number(share), Department::parse(department).ok())),
        ),
        technologies: Rows::even(
            technologies
                .map(|[name, _, products]| Category { name, products: list(products, ';') })
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
    use super::*;

    #[test]
    fn every_line_of_the_data_files_is_understood() {
        let lines = |text: &'static str| text.lines().filter(|line| !line.starts_with('#')).count();
        assert_eq!(columns::<3>(NAMES).count(), lines(NAMES));
        assert_eq!(columns::<5>(PLACES).count(), lines(PLACES));
        assert_eq!(columns::<6>(COUNTRIES).count(), lines(COUNTRIES));
        assert_eq!(columns::<2>(COMPANIES).count(), lines(COMPANIES));
        assert_eq!(columns::<7>(INDUSTRIES).count(), lines(INDUSTRIES));
        assert_eq!(columns::<4>(SECTORS).count(), lines(SECTORS));
        assert_eq!(columns::<3>(TECHNOLOGIES).count(), lines(TECHNOLOGIES));
        assert_eq!(columns::<3>(TITLES).count(), lines(TITLES));
        assert_eq!(columns::<4>(CRAFTS).count(), lines(CRAFTS));
        for [department, seniority, _] in columns::<3>(TITLES) {
            assert!(VARIANTS.contains(&department) || Department::parse(department).is_ok(), "{department}");
            assert!(Seniority::parse(seniority).is_ok(), "{seniority}");
        }
        for [industry, _, _, sector, ..] in columns::<7>(INDUSTRIES) {
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
    fn every_country_has_names_and_every_root_of_a_company_name_is_made_in_one_way() {
        let tables = Tables::read();
        for country in tables.countries.iter() {
            let (given, family) = (country.given.len(), country.family.len());
            assert!(
                given >= 40 && family >= 60 && country.places.len() >= 5,
                "{}: {given} {family}",
                country.code
            );
            for name in country.given.iter().chain(country.family.iter()) {
                assert!(!name.slug.is_empty() && name.mailbox.starts_with(|c: char| c.is_ascii_lowercase()));
            }
        }
        let mut roots = HashSet::new();
        for first in tables.first_halves.iter() {
            for second in tables.second_halves.iter() {
                assert!(roots.insert(format!("{first}{second}")), "{first}{second}");
            }
        }
        assert!(roots.len() > 10_000);
    }
}
