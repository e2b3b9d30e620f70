//! Calls to try: with identifiers of people that were just loaded.

use assay_world::{SyntheticPerson, World};
use serde_json::{Value, json};
use std::net::SocketAddr;

/// How many people are looked through for one with an email, one with a phone and one with a page.
const LOOKED_AT: u64 = 1_000;

/// One request body for each kind of identifier.
pub fn identifiers(world: &World) -> Vec<Value> {
    let count = world.people_count().min(LOOKED_AT);
    let people: Vec<SyntheticPerson> = (0..count).map(|index| world.person(index)).collect();
    let facts = || people.iter().map(|person| &person.facts);
    let email = facts().find_map(|facts| facts.emails.first());
    let phone = facts().rev().find_map(|facts| facts.phones.first());
    let page = facts().skip(people.len() / 2).find_map(|facts| facts.network_url.as_ref());
    let email = email.map(|email| json!({"email": email.address.as_str()}));
    let phone = phone.map(|phone| json!({"phone": phone.number.as_str()}));
    let page = page.map(|page| json!({"networkUrl": page.to_string()}));
    [email, phone, page].into_iter().flatten().collect()
}

/// The same as commands to paste.
pub fn calls(world: &World, address: SocketAddr) -> Vec<String> {
    let call = |body: Value| {
        format!(
            "curl -s http://{address}/v1/enrich -H \"Authorization: Bearer $ASSAY_KEY\" \
             -H 'Content-Type: application/json' -d '{body}'"
        )
    };
    identifiers(world).into_iter().map(call).collect()
}
