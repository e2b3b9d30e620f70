//! Which identifiers lead to a record: the digests a writer stores and a question looks up.

use crate::matching::{CompanyProfile, MatchKey, Profile, company_stored_keys, stored_keys};
use assay_domain::company::CompanyFacts;
use assay_domain::identity::IdentityKind;
use assay_domain::name::fold_company;
use assay_domain::person::{Employment, PersonFacts};
use assay_domain::suppression::HashList;
use assay_domain::{Digest, Domain, IdentityKey, ListHash, PersonName};

/// The digests of everything that identifies a person. `employer` is where they work now.
pub fn of_person(
    key: &IdentityKey,
    facts: &PersonFacts,
    employer: Option<(&str, Option<&Domain>)>,
) -> Vec<(Digest, IdentityKind)> {
    let emails = facts.emails.iter().flat_map(|known| ListHash::spellings_of_email(&known.address));
    let emails = emails.map(|hash| (key.digest_hash(HashList::Email, hash), IdentityKind::Email));
    let phones = facts.phones.iter().map(|known| (key.digest_phone(&known.number), IdentityKind::Phone));
    let url = facts.network_url.iter().map(|url| (key.digest_network_url(url), IdentityKind::PersonUrl));
    let mut identities: Vec<_> = emails.chain(phones).chain(url).collect();
    if let (Ok(name), Some((company, domain))) = (PersonName::parse(&facts.full_name), employer) {
        let folded = fold_company(company);
        identities.push((key.digest_name_at_company(&name, &folded), IdentityKind::NameAtCompany));
        if let Some(domain) = domain {
            identities.push((key.digest_name_at_domain(&name, domain), IdentityKind::NameAtDomain));
        }
    }
    identities
}

/// The keys under which somebody is met who is written down in another way.
pub fn keys_of_person(key: &IdentityKey, facts: &PersonFacts, experience: &[Employment]) -> Vec<i64> {
    // Keys are made of names and companies; to read the titles as well would be most of the work.
    let untitled: Vec<Employment> =
        experience.iter().map(|job| Employment { title: String::new(), ..job.clone() }).collect();
    stored_keys(&Profile::of(facts, &untitled), key).into_iter().map(|MatchKey(key)| key).collect()
}

/// The keys under which a company is met whose name is written in another way.
pub fn keys_of_company(key: &IdentityKey, facts: &CompanyFacts) -> Vec<i64> {
    let profile = CompanyProfile::of(facts);
    let mut keys: Vec<i64> = profile
        .all_names()
        .flat_map(|words| company_stored_keys(words, key))
        .map(|MatchKey(key)| key)
        .collect();
    keys.sort_unstable();
    keys.dedup();
    keys
}

/// The digests of everything that identifies a company.
pub fn of_company(key: &IdentityKey, facts: &CompanyFacts) -> Vec<(Digest, IdentityKind)> {
    let domains = facts.domain.iter().chain(&facts.domains);
    let domains = domains.map(|domain| (key.digest_domain(domain), IdentityKind::Domain));
    let url = facts.network_url.iter().map(|url| (key.digest_network_url(url), IdentityKind::CompanyUrl));
    let names = std::iter::once(&facts.name).chain(&facts.legal_name);
    let names = names.map(|name| (key.digest_company_name(&fold_company(name)), IdentityKind::CompanyName));
    let mut identities: Vec<_> = domains.chain(url).chain(names).collect();
    // A legal name often folds to the name itself.
    identities.sort_unstable_by_key(|(digest, _)| *digest.as_bytes());
    identities.dedup();
    identities
}
