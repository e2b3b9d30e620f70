//! Industries, by the names of the domain's list and by newer names for the same.

use std::collections::HashMap;
use std::sync::LazyLock;

use assay_domain::taxonomy::Industry;

use crate::note::Reason;
use crate::text::fold;

/// Names that files use, and the industry of the list they mean.
const ALIASES: &[(&str, &str)] = &[
    ("Software", "Computer Software"),
    ("Software Development", "Computer Software"),
    ("SaaS", "Computer Software"),
    ("IT Services and IT Consulting", "Information Technology and Services"),
    ("IT Services", "Information Technology and Services"),
    ("Information Technology", "Information Technology and Services"),
    ("Technology, Information and Internet", "Internet"),
    ("Technology, Information and Media", "Internet"),
    ("Hospitals and Health Care", "Hospital & Health Care"),
    ("Healthcare", "Hospital & Health Care"),
    ("Health Care", "Hospital & Health Care"),
    ("Advertising Services", "Marketing and Advertising"),
    ("Marketing Services", "Marketing and Advertising"),
    ("Motor Vehicle Manufacturing", "Automotive"),
    ("Business Consulting and Services", "Management Consulting"),
    ("Consulting", "Management Consulting"),
    ("Staffing and Recruiting Services", "Staffing and Recruiting"),
    ("Human Resources Services", "Human Resources"),
    ("Pharmaceutical Manufacturing", "Pharmaceuticals"),
    ("Biotechnology Research", "Biotechnology"),
    ("Computer and Network Security Services", "Computer & Network Security"),
    ("Semiconductor Manufacturing", "Semiconductors"),
    ("Chemical Manufacturing", "Chemicals"),
    ("Higher Education Institutions", "Higher Education"),
    ("Non-profit Organizations", "Nonprofit Organization Management"),
    ("Legal", "Legal Services"),
    ("Telecommunication", "Telecommunications"),
    ("Bank", "Banking"),
    ("Finance", "Financial Services"),
];

static INDUSTRIES: LazyLock<HashMap<String, Industry>> = LazyLock::new(|| {
    let aliases = ALIASES.iter().filter_map(|(name, meant)| Some((fold(name), Industry::parse(meant).ok()?)));
    // The list's own names come last, so that no alias takes one of them over.
    aliases.chain(Industry::all().map(|industry| (fold(industry.as_str()), industry))).collect()
});

pub(crate) fn read_industry(text: &str) -> Result<Industry, Reason> {
    INDUSTRIES
        .get(&fold(text))
        .copied()
        .ok_or(Reason::Plain("is no known industry: write one of the taxonomy"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_industry_is_read_however_it_is_punctuated() {
        for industry in Industry::all() {
            for text in [
                industry.as_str().to_owned(),
                industry.as_str().to_uppercase(),
                industry.as_str().replace('&', "and"),
                industry.as_str().replace(['/', ' '], "_"),
            ] {
                assert_eq!(read_industry(&text), Ok(industry), "{text}");
            }
        }
    }

    #[test]
    fn every_alias_means_an_industry_of_the_list() {
        for (name, meant) in ALIASES {
            assert_eq!(read_industry(name), Ok(Industry::parse(meant).unwrap()), "{name}");
        }
        assert!(read_industry("alchemy").is_err());
    }
}
