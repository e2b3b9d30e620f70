//! Places, as boards and filings write them.

use super::line;
use assay_domain::country::find_country;
use assay_domain::limits::FEED_PLACES_MAX;
use assay_domain::person::Location;

const STATES: &[(&str, &str)] = &[
    ("AL", "Alabama"),
    ("AK", "Alaska"),
    ("AZ", "Arizona"),
    ("AR", "Arkansas"),
    ("CA", "California"),
    ("CO", "Colorado"),
    ("CT", "Connecticut"),
    ("DE", "Delaware"),
    ("DC", "District of Columbia"),
    ("FL", "Florida"),
    ("GA", "Georgia"),
    ("HI", "Hawaii"),
    ("ID", "Idaho"),
    ("IL", "Illinois"),
    ("IN", "Indiana"),
    ("IA", "Iowa"),
    ("KS", "Kansas"),
    ("KY", "Kentucky"),
    ("LA", "Louisiana"),
    ("ME", "Maine"),
    ("MD", "Maryland"),
    ("MA", "Massachusetts"),
    ("MI", "Michigan"),
    ("MN", "Minnesota"),
    ("MS", "Mississippi"),
    ("MO", "Missouri"),
    ("MT", "Montana"),
    ("NE", "Nebraska"),
    ("NV", "Nevada"),
    ("NH", "New Hampshire"),
    ("NJ", "New Jersey"),
    ("NM", "New Mexico"),
    ("NY", "New York"),
    ("NC", "North Carolina"),
    ("ND", "North Dakota"),
    ("OH", "Ohio"),
    ("OK", "Oklahoma"),
    ("OR", "Oregon"),
    ("PA", "Pennsylvania"),
    ("RI", "Rhode Island"),
    ("SC", "South Carolina"),
    ("SD", "South Dakota"),
    ("TN", "Tennessee"),
    ("TX", "Texas"),
    ("UT", "Utah"),
    ("VT", "Vermont"),
    ("VA", "Virginia"),
    ("WA", "Washington"),
    ("WV", "West Virginia"),
    ("WI", "Wisconsin"),
    ("WY", "Wyoming"),
];
const PROVINCES: &[(&str, &str)] = &[
    ("AB", "Alberta"),
    ("BC", "British Columbia"),
    ("MB", "Manitoba"),
    ("NB", "New Brunswick"),
    ("NL", "Newfoundland and Labrador"),
    ("NS", "Nova Scotia"),
    ("ON", "Ontario"),
    ("PE", "Prince Edward Island"),
    ("QC", "Quebec"),
    ("SK", "Saskatchewan"),
];
/// Two letters after a town are nearly always a state. These towns are large, and in the country of the same letters.
const ABROAD: &[(&str, &[&str])] = &[
    (
        "CA",
        &[
            "toronto",
            "vancouver",
            "montreal",
            "montréal",
            "ottawa",
            "calgary",
            "edmonton",
            "waterloo",
            "winnipeg",
        ],
    ),
    ("CO", &["bogota", "bogotá", "medellin", "medellín", "cali"]),
    (
        "DE",
        &["berlin", "munich", "münchen", "hamburg", "frankfurt", "cologne", "köln", "stuttgart", "leipzig"],
    ),
    ("IL", &["tel aviv", "tel aviv-yafo", "jerusalem", "haifa", "herzliya", "ramat gan", "petah tikva"]),
    (
        "IN",
        &[
            "bangalore",
            "bengaluru",
            "mumbai",
            "delhi",
            "new delhi",
            "hyderabad",
            "pune",
            "chennai",
            "gurgaon",
            "gurugram",
            "noida",
            "kolkata",
            "ahmedabad",
        ],
    ),
    ("AR", &["buenos aires"]),
    ("GE", &["tbilisi", "batumi"]),
];
/// How work is done, not where.
const NOT_PLACES: &[&str] = &[
    "remote",
    "fully remote",
    "100% remote",
    "remotely",
    "hybrid",
    "onsite",
    "on-site",
    "on site",
    "in office",
    "in-office",
    "office",
    "anywhere",
    "flexible",
    "worldwide",
    "global",
    "multiple locations",
    "various",
    "headquarters",
    "hq",
    "distributed",
    "home office",
    "work from home",
    "emea",
    "apac",
    "latam",
    "amer",
    "europe",
    "north america",
    "n/a",
];

/// The letters of a state of the United States, or its name.
pub(super) fn is_state(text: &str) -> bool {
    in_table(STATES, text)
}

fn in_table(table: &[(&str, &str)], text: &str) -> bool {
    // Letters are written large: `in` and `or` are words.
    table.iter().any(|(code, name)| *code == text || name.eq_ignore_ascii_case(text))
}

/// A country, by its code or name.
pub(super) fn country(text: &str) -> Option<String> {
    find_country(text).map(|country| country.code.to_owned())
}

/// A place whose parts are told apart already. Nothing when nothing is told.
pub(super) fn known(city: Option<&str>, region: Option<&str>, land: Option<&str>) -> Option<Location> {
    let own = |text: Option<&str>| text.and_then(line).filter(|text| !is_no_place(text));
    let place = Location { city: own(city), region: own(region), country: land.and_then(country) };
    (place != Location::default()).then_some(place)
}

/// The places in a text: `Berlin, Germany; Remote - US`. One with a comma or a country in it is cut at what parts places, but a
/// name is not.
pub(super) fn read_places(text: &str) -> Vec<Location> {
    let Some(text) = line(text) else { return Vec::new() };
    let parts = text
        .split([';', '|', '•', '\u{b7}'])
        .flat_map(|part| part.split(" or "))
        .flat_map(|part| part.split(" / "));
    let mut places = Vec::new();
    for place in parts.filter_map(read_place).take(FEED_PLACES_MAX) {
        if !places.contains(&place) {
            places.push(place);
        }
    }
    places
}

fn read_place(text: &str) -> Option<Location> {
    let text = text.replace([')', ']'], "").replace(['(', '['], ",").replace(" - ", ",").replace(" – ", ",");
    let parts: Vec<&str> =
        text.split(',').map(|part| without_manner(part.trim())).filter(|part| !is_no_place(part)).collect();
    // `US, CA, San Francisco`: the largest comes first.
    if let [land, region, city] = parts.as_slice()
        && is_country(land)
        && (is_state(region) || in_table(PROVINCES, region))
    {
        return known(Some(city), Some(region), Some(land));
    }
    match parts.as_slice() {
        [] => None,
        [only] => read_single(only),
        [land, city] if is_country(land) && !is_country(city) && !is_state(city) => {
            known(Some(city), None, Some(land))
        }
        [city, last] => Some(read_pair(city, last)),
        [.., region, last] if is_country(last) || find_country(last).is_some_and(|_| last.len() == 2) => {
            // Streets and districts before them are left out: which is the town would be a guess.
            let city = parts.first().filter(|_| parts.len() == 3);
            known(city.copied(), Some(region), Some(last))
        }
        [city, .., last] => Some(read_pair(city, last)),
    }
}

/// `Remote US`, `US Remote`: without the word for how it is done.
fn without_manner(part: &str) -> &str {
    let is_manner =
        |word: &str| ["remote", "hybrid", "onsite", "on-site"].contains(&word.to_lowercase().as_str());
    match (part.split_once(' '), part.rsplit_once(' ')) {
        (Some((first, rest)), _) if is_manner(first) => rest.trim_start_matches(['-', '–', ':', ' ']),
        (_, Some((rest, last))) if is_manner(last) => rest.trim_end_matches(['-', '–', ':', ' ']),
        _ => part,
    }
}

fn is_no_place(part: &str) -> bool {
    part.is_empty() || NOT_PLACES.contains(&part.to_lowercase().as_str())
}

/// By its name. Of codes only those that everybody writes for it: others are states, or words.
fn is_country(part: &str) -> bool {
    match part.len() {
        0..=3 => ["US", "USA", "UK", "UAE"].contains(&part),
        _ => find_country(part).is_some(),
    }
}

fn read_single(part: &str) -> Option<Location> {
    // A country and a state.
    if part.eq_ignore_ascii_case("georgia") {
        return None;
    }
    if is_country(part) {
        return known(None, None, Some(part));
    }
    // A city and a state: more jobs are in the city.
    let is_city = ["new york", "washington"].contains(&part.to_lowercase().as_str());
    if !is_city && part.len() > 2 && is_state(part) {
        return known(None, Some(part), Some("US"));
    }
    known(Some(part), None, None)
}

fn read_pair(city: &str, last: &str) -> Location {
    let low = city.to_lowercase();
    let abroad = ABROAD.iter().find(|(code, towns)| {
        towns.contains(&low.as_str())
            && (*code == last || find_country(last).is_some_and(|land| land.code == *code))
    });
    let place = if let Some((code, _)) = abroad {
        known(Some(city), None, Some(code))
    } else if is_state(last) {
        known(Some(city), Some(last), Some("US"))
    } else if in_table(PROVINCES, last) {
        known(Some(city), Some(last), Some("CA"))
    } else if is_country(last) {
        // `California, United States` has no town.
        let region = in_table(STATES, city) && !city.eq_ignore_ascii_case("new york");
        if region { known(None, Some(city), Some(last)) } else { known(Some(city), None, Some(last)) }
    } else {
        known(Some(city), Some(last), None)
    };
    place.unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(text: &str) -> String {
        let part = |part: Option<String>| part.unwrap_or_else(|| "-".to_owned());
        let places = read_places(text).into_iter();
        places
            .map(|it| format!("{}/{}/{}", part(it.city), part(it.region), part(it.country)))
            .collect::<Vec<_>>()
            .join(" ")
    }

    #[test]
    fn a_place_is_read_as_far_as_it_is_told() {
        for (text, places) in [
            ("San Francisco, CA", "San Francisco/CA/US"),
            ("Toronto, CA", "Toronto/-/CA"),
            ("Toronto, ON", "Toronto/ON/CA"),
            ("Berlin, DE", "Berlin/-/DE"),
            ("Berlin, Germany", "Berlin/-/DE"),
            ("Austin, Texas, United States", "Austin/Texas/US"),
            ("New York, NY, US", "New York/NY/US"),
            ("US, CA, San Francisco", "San Francisco/CA/US"),
            ("Germany, Munich", "Munich/-/DE"),
            ("Remote - US", "-/-/US"),
            ("Remote (United Kingdom)", "-/-/GB"),
            ("US Remote", "-/-/US"),
            ("Remote", ""),
            ("London", "London/-/-"),
            ("New York", "New York/-/-"),
            ("California", "-/California/US"),
            ("Georgia", ""),
            ("Atlanta, Georgia", "Atlanta/Georgia/US"),
            ("Tbilisi, Georgia", "Tbilisi/-/GE"),
            ("Paris, France; Remote - Spain", "Paris/-/FR -/-/ES"),
            ("Boston, MA or Denver, CO", "Boston/MA/US Denver/CO/US"),
            ("Lyon / Paris", "Lyon/-/- Paris/-/-"),
            ("Boston, MA | Boston, MA", "Boston/MA/US"),
            ("", ""),
            (",,", ""),
        ] {
            assert_eq!(shown(text), places, "{text}");
        }
    }

    #[test]
    fn places_are_bounded() {
        let many: String = (0..1_000).map(|n| format!("T{n};")).collect();
        assert!(read_places(&many).len() <= FEED_PLACES_MAX);
    }
}
