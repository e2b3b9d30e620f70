//! Where filers are, in the codes EDGAR has of its own: states by their letters, countries by a letter and a digit.

use crate::feeds::place;

/// Territories of the United States that are countries of their own in ISO 3166-1, with the same letters.
const TERRITORIES: &[&str] = &["AS", "GU", "MP", "PR", "VI"];

/// EDGAR's code, then the country's. Provinces of Canada come first.
const CODES: &str = "A0CA A1CA A2CA A3CA A4CA A5CA A6CA A7CA A8CA A9CA B0CA Z4CA \
    B1BW B2AF B3AL B4DZ B5AS B6AD B7AO B8AQ B9AG C0AE C1AR C3AU C4AT C5BS C6BH C7BD C8BB C9BE \
    D0BM D1BZ D2BT D3BO D4BV D5BR D6IO D7SB D8VG D9BN E0BG E1MM E2BI E3KH E4CM E8CV E9KY \
    F0CF F1LK F2TD F3CL F4CN F5TW F6CX F7CC F8CO F9KM G0CG G1CK G2CR G3CU G4CY G6BJ G7DK G8DO G9DM \
    H1EC H2EG H3SV H4GQ H5ET H6FO H7FK H8FJ H9FI I0FR I3GF I4PF I5GA I6GM \
    J0GH J1GI J2KI J3GR J4GL J5GD J6GP J8GT J9GN K0GY K1HT K2HN K3HK K4HM K5HU K6IS K7IN K8ID K9IR \
    L0IQ L2IE L3IL L6IT L7CI L8JM L9SJ M0JP M2JO M3KE M4KP M5KR M6KW M7LA M8LB M9LS \
    N0LR N1LY N2LI N4LU N5MO N6MG N7MW N8MY N9MV O0ML O1MT O2MQ O3MR O4MU O5MX O9MC \
    P0MN P1MS P2MA P3MZ P4OM P5NR P6NP P7NL Q1VN Q2NZ Q3NI Q4NE Q5NG Q6NU Q7NF Q8NO \
    R0PK R1PA R2PG R4PY R5PE R6PH R8PN R9PL S0GW S1PT S3QA S4RE S5RO S6RW S8SM S9ST \
    T0SA T1SN T2SC T3ZA T6NA T7YE T8SL U0SG U1SO U3ES U7KN U8SH U9LC V0PM V1VC V2SD V3SR V6SZ V7SE V8CH V9SY \
    W0TZ W1TH W2TG W3TK W4TO W5TT W6TN W7TC W8TR W9UG X0GB X1US X2BF X3UY X4VA X5VE X8WF \
    Y0WS Y3CD Y4ZM Y5ZW Y6AX Y7GG Y8IM Y9JE Z0BL Z1MF Z2RS Z3TL Z5ME \
    1AAI 1BAM 1CAW 1DAZ 1EBA 1FBY 1GDJ 1HEE 1JER 1KFM 1LGS 1MHR 1NKG 1PKZ 1QLT 1RLV 1SMD 1TMH 1UMK 1VMP 1WNC 1XPS \
    1YPW 1ZRU 2ASI 2BSK 2CTF 2DTJ 2ETM 2GTV 2HUA 2JUM 2KUZ 2LVU 2MDE 2NCZ 2PYT 2QGE";

/// The country of an address, from its code, or from the name beside it where the code is not known.
pub(super) fn country_of(code: Option<&str>, name: Option<&str>) -> Option<String> {
    let code = code.unwrap_or_default().trim().to_ascii_uppercase();
    if TERRITORIES.contains(&code.as_str()) {
        return Some(code);
    }
    // Two letters are a state, never a country: DE is Delaware.
    if code.len() == 2 && place::is_state(&code) {
        return Some("US".to_owned());
    }
    let known = CODES.split_whitespace().filter_map(|row| row.split_at_checked(2));
    let found = known.filter(|(its, _)| *its == code).map(|(_, country)| country.to_owned()).next();
    found.or_else(|| {
        let name = name?.trim();
        let last = name.rsplit(',').next()?.trim();
        if place::is_state(name) && !name.eq_ignore_ascii_case("georgia") {
            return Some("US".to_owned());
        }
        place::country(last).filter(|_| last.len() > 2)
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use assay_domain::country::find_country;
    use std::collections::BTreeSet;

    #[test]
    fn states_and_countries_are_told_apart() {
        for (code, name, country) in [
            (Some("DE"), Some("DELAWARE"), Some("US")),
            (Some("CA"), None, Some("US")),
            (Some("GA"), Some("GEORGIA"), Some("US")),
            (Some("2Q"), Some("GEORGIA"), Some("GE")),
            (Some("2M"), Some("GERMANY"), Some("DE")),
            (Some("A6"), Some("ONTARIO, CANADA"), Some("CA")),
            (Some("X0"), None, Some("GB")),
            (Some("PR"), Some("PUERTO RICO"), Some("PR")),
            (Some("99"), Some("UNITED KINGDOM"), Some("GB")),
            (None, Some("ONTARIO, CANADA"), Some("CA")),
            (Some("XX"), Some("UNKNOWN"), None),
            (None, None, None),
        ] {
            assert_eq!(country_of(code, name).as_deref(), country, "{code:?} {name:?}");
        }
    }

    #[test]
    fn every_code_is_there_once_and_leads_to_a_country() {
        let mut seen = BTreeSet::new();
        for row in CODES.split_whitespace() {
            let (code, country) = row.split_at(2);
            assert!(seen.insert(code), "{code} is there twice");
            assert_eq!(find_country(country).map(|it| it.code), Some(country), "{row}");
        }
    }
}
