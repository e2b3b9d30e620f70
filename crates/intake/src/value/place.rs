//! A place written as one text: `Berlin, Germany`, `Austin, Texas, United States`.

use crate::limits::PLACE_CHARS_MAX;
use crate::value::country::CountryCode;

/// The parts of a place that are told apart without a guess.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct Place {
    pub(crate) city: Option<String>,
    pub(crate) region: Option<String>,
    pub(crate) country: Option<CountryCode>,
}

/// Cut at commas: the country is last, the city first, the region between them.
pub(crate) fn read_place(text: &str) -> Place {
    let mut parts: Vec<&str> = text.split(',').map(str::trim).filter(|part| !part.is_empty()).collect();
    // Two letters at the end may be a state as well as a country (CA, DE, IN); only a name is believed.
    let country = parts.last().filter(|last| last.len() > 2).and_then(|last| CountryCode::parse(last).ok());
    if country.is_some() {
        parts.pop();
    }
    let own = |part: &str| Some(part.to_owned()).filter(|part| part.chars().count() <= PLACE_CHARS_MAX);
    match parts.as_slice() {
        [city] => Place { city: own(city), region: None, country },
        [city, region] => Place { city: own(city), region: own(region), country },
        // Streets, districts, post codes: which is which would be a guess.
        _ => Place { city: None, region: None, country },
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_place_is_cut_where_that_is_no_guess() {
        for (text, city, region, country) in [
            ("Berlin, Germany", Some("Berlin"), None, Some("DE")),
            ("Austin, Texas, United States", Some("Austin"), Some("Texas"), Some("US")),
            ("Austin, TX", Some("Austin"), Some("TX"), None),
            ("San Jose, CA, USA", Some("San Jose"), Some("CA"), Some("US")),
            ("Deutschland", None, None, Some("DE")),
            ("Greater Boston", Some("Greater Boston"), None, None),
            ("1 Main St, Suite 5, Austin, Texas, USA", None, None, Some("US")),
            (",,", None, None, None),
        ] {
            let place = read_place(text);
            assert_eq!(
                (place.city.as_deref(), place.region.as_deref(), place.country.map(CountryCode::as_str)),
                (city, region, country),
                "{text}"
            );
        }
    }
}
