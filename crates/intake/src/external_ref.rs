//! What a record is called by its source: the id that the file has for it, else one made from what it says.

use std::fmt::Write;

use sha2::{Digest, Sha256};

use crate::company::CompanyRow;
use crate::person::PersonRow;
use crate::text::fold;

/// Of SHA-256. Two records of a hundred million with one ref are as unlikely as 1 in 10²².
const DIGEST_BYTES: usize = 16;

/// As a mapping without a column for it tells.
pub(crate) const PERSON_RULE: &str = "made from the network url, else the first email, else the first phone, else the \
                                      full name with the company (or the place, where there is none)";
pub(crate) const COMPANY_RULE: &str =
    "made from the network url, else the domain, else the name with the country";

/// Hashed, so that a ref can be logged. The name of the rule in front keeps refs of different rules apart.
fn digest(rule: &str, parts: &[&str]) -> String {
    let mut hash = Sha256::new();
    for part in parts {
        hash.update(part.as_bytes());
        // Without an end, "ab" and "c" would be "a" and "bc".
        hash.update([0]);
    }
    let mut text = format!("{rule}-");
    for byte in hash.finalize().iter().take(DIGEST_BYTES) {
        // Writing to a string does not fail.
        write!(text, "{byte:02x}").unwrap_or_default();
    }
    text
}

/// The same for the same identifiers, in whatever file and row they are.
pub(crate) fn of_person(row: &PersonRow) -> String {
    if let Some(url) = &row.network_url {
        return digest("network", &[url.identity()]);
    }
    if let Some(email) = row.emails.first() {
        return digest("email", &[email.address.as_str()]);
    }
    if let Some(phone) = row.phones.first() {
        return digest("phone", &[phone.as_str()]);
    }
    let name = fold(row.full_name.as_deref().unwrap_or_default());
    let company = row.company_domain.as_ref().map(|domain| domain.as_str().to_owned());
    let company = company.or_else(|| row.company_name.as_deref().map(fold));
    match company {
        Some(company) => digest("name", &[&name, &company]),
        None => {
            digest("name", &[&name, &place(row.city.as_deref(), row.region.as_deref()), country(row.country)])
        }
    }
}

pub(crate) fn of_company(row: &CompanyRow) -> String {
    if let Some(url) = &row.network_url {
        return digest("network", &[url.identity()]);
    }
    if let Some(domain) = &row.domain {
        return digest("domain", &[domain.as_str()]);
    }
    let name = fold(row.name.as_deref().unwrap_or_default());
    digest("name", &[&name, country(row.country)])
}

fn place(city: Option<&str>, region: Option<&str>) -> String {
    format!("{}/{}", fold(city.unwrap_or_default()), fold(region.unwrap_or_default()))
}

fn country(code: Option<crate::CountryCode>) -> &'static str {
    code.map_or("", crate::CountryCode::as_str)
}

#[cfg(test)]
mod tests {
    use super::*;
    use assay_domain::{Email, Phone};

    use crate::person::EmailRow;

    #[test]
    fn a_ref_is_made_from_the_surest_identifier() {
        let email = |text| EmailRow { address: Email::parse(text).unwrap(), kind: None };
        let mut row = PersonRow { full_name: Some("Zoë Müller".into()), ..PersonRow::default() };
        let nowhere = of_person(&row);
        assert!(nowhere.starts_with("name-") && nowhere.len() == 5 + 2 * DIGEST_BYTES);
        row.city = Some("Berlin".into());
        assert_ne!(of_person(&row), nowhere);
        row.company_name = Some("Acme GmbH".into());
        let named = of_person(&row);
        let respelled = PersonRow {
            full_name: Some("ZOE MULLER".into()),
            company_name: Some("ACME gmbh".into()),
            ..PersonRow::default()
        };
        assert_eq!(of_person(&respelled), named);
        row.phones = vec![Phone::parse("+12025550123").unwrap()];
        assert!(of_person(&row).starts_with("phone-"));
        row.emails = vec![email("Zoe@acme.example"), email("z@acme.example")];
        let known = PersonRow { emails: vec![email("zoe@acme.example")], ..PersonRow::default() };
        assert_eq!(of_person(&row), of_person(&known));
    }
}
