//! The canaries: values that must never be seen again outside of an answer to the one who asked, and all the ways they
//! could be written.

use assay_domain::{Email, ListHash, MasterKey, Phone};
use assay_world::{SyntheticPerson, World};
use base64::Engine as _;
use base64::engine::general_purpose::{STANDARD, STANDARD_NO_PAD, URL_SAFE_NO_PAD};
use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, utf8_percent_encode};
use rand::RngExt;

/// What browsers and clients leave as it is in a path or a query.
const UNRESERVED: &AsciiSet = &NON_ALPHANUMERIC.remove(b'-').remove(b'.').remove(b'_').remove(b'~');
/// A part shorter than this may stand in a log by chance.
const PART_BYTES_MIN: usize = 9;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    Email,
    Phone,
    Name,
    NetworkUrl,
    ApiKey,
    Password,
    MasterKey,
    Webhook,
}

impl Kind {
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Email => "email",
            Self::Phone => "phone",
            Self::Name => "name",
            Self::NetworkUrl => "network url",
            Self::ApiKey => "API key",
            Self::Password => "database password",
            Self::MasterKey => "master key",
            Self::Webhook => "webhook secret",
        }
    }
}

/// A value that must not leak.
#[derive(Debug, Clone)]
pub struct Canary {
    pub kind: Kind,
    pub text: String,
}

impl Canary {
    pub fn new(kind: Kind, text: impl Into<String>) -> Self {
        Self { kind, text: text.into() }
    }

    /// All the texts that would give it away. Letter case is the searcher's business.
    pub fn forms(&self) -> Vec<String> {
        let mut whole = vec![self.text.clone()];
        match self.kind {
            Kind::Email => whole.extend(self.email_forms()),
            Kind::Phone => whole.extend(self.phone_forms()),
            Kind::NetworkUrl => whole.extend(self.text.split("/in/").nth(1).map(str::to_owned)),
            // The id in the middle of a key is public.
            Kind::ApiKey => whole.extend(self.text.rsplit('_').next().map(|secret| secret[..32].to_owned())),
            Kind::MasterKey => whole.extend(self.master_key_forms()),
            Kind::Name | Kind::Password | Kind::Webhook => {}
        }
        let mut forms: Vec<String> = whole.iter().flat_map(|text| encodings(text)).collect();
        forms.retain(|form| form.len() >= PART_BYTES_MIN);
        forms.sort_unstable();
        forms.dedup();
        forms
    }

    fn email_forms(&self) -> Vec<String> {
        let mut forms = vec![self.text.split('@').next().unwrap_or_default().to_owned()];
        if let Ok(email) = Email::parse(&self.text) {
            forms.extend(hash_forms(ListHash::of_email(&email)));
        }
        forms
    }

    fn phone_forms(&self) -> Vec<String> {
        let digits: String = self.text.chars().filter(char::is_ascii_digit).collect();
        let mut forms = vec![digits[digits.len().saturating_sub(10)..].to_owned()];
        if let Ok(phone) = Phone::parse(&self.text) {
            forms.extend(hash_forms(ListHash::of_phone(&phone)));
        }
        forms
    }

    /// The keys made from it are as secret as itself.
    fn master_key_forms(&self) -> Vec<String> {
        let Ok(key) = MasterKey::parse(&self.text) else { return Vec::new() };
        let derived = ["api-key", "identity", "idempotency", "seal:reply"].map(|label| key.derive(label));
        derived.iter().flat_map(|key| [hex(key), STANDARD_NO_PAD.encode(key)]).collect()
    }
}

fn hash_forms(hash: ListHash) -> [String; 2] {
    [hash.to_base64().trim_end_matches('=').to_owned(), hex(hash.as_bytes())]
}

/// As it is, percent-encoded, in JSON, in base64 and in hexadecimal digits, as PostgreSQL shows bytes.
fn encodings(text: &str) -> Vec<String> {
    let json = serde_json::Value::String(text.to_owned()).to_string();
    let ascii_json: String = text.chars().map(json_escape).collect();
    vec![
        text.to_owned(),
        utf8_percent_encode(text, UNRESERVED).to_string(),
        utf8_percent_encode(text, NON_ALPHANUMERIC).to_string(),
        json.trim_matches('"').to_owned(),
        ascii_json,
        STANDARD_NO_PAD.encode(text),
        URL_SAFE_NO_PAD.encode(text),
        hex(text.as_bytes()),
    ]
}

fn json_escape(it: char) -> String {
    if it.is_ascii() { it.to_string() } else { format!("\\u{:04x}", u32::from(it)) }
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

/// Letters nobody would write by chance.
pub fn letters(count: usize) -> String {
    let mut random = rand::rng();
    (0..count).map(|_| char::from(random.random_range(b'a'..=b'z'))).collect()
}

/// A random value of each kind a client may send, all of them well-formed.
pub fn sent_by_clients() -> Vec<Canary> {
    let mut random = rand::rng();
    let number = random.random_range(100..200);
    let area = random.random_range(201..990);
    let capital = |text: String| format!("{}{}", text[..1].to_uppercase(), &text[1..]);
    vec![
        Canary::new(Kind::Email, format!("{}.{}@{}.example", letters(6), letters(7), letters(9))),
        Canary::new(Kind::Email, format!("{}+tag@{}.example", letters(10), letters(9))),
        Canary::new(Kind::Email, format!("{}ü@{}.example", letters(9), letters(9))),
        Canary::new(Kind::Phone, format!("+1{area}5550{number}")),
        Canary::new(Kind::Name, format!("{} {}", capital(letters(7)), capital(letters(8)))),
        Canary::new(Kind::Name, format!("Zoë O'{}", capital(letters(8)))),
        Canary::new(Kind::NetworkUrl, format!("https://network.example/in/{}-{}", letters(6), letters(8))),
        Canary::new(Kind::Webhook, format!("whsec_{}", STANDARD.encode(random.random::<[u8; 24]>()))),
        Canary::new(Kind::ApiKey, format!("assay_live_{}_{}", letters(12), letters(38))),
    ]
}

/// The number that our own texts give as an example; somebody in the world may have it too.
const EXAMPLE_PHONE: &str = "+12025550100";

/// All that the loaded world knows of its people.
pub fn of_world(world: &World) -> Vec<Canary> {
    let people = (0..world.people_count()).flat_map(|index| of_person(&world.person(index)));
    people.filter(|canary| canary.text != EXAMPLE_PHONE).collect()
}

fn of_person(person: &SyntheticPerson) -> Vec<Canary> {
    let facts = &person.facts;
    let emails = facts.emails.iter().map(|known| Canary::new(Kind::Email, known.address.as_str()));
    let phones = facts.phones.iter().map(|known| Canary::new(Kind::Phone, known.number.as_str()));
    let url = facts.network_url.iter().map(|url| Canary::new(Kind::NetworkUrl, url.to_string()));
    let name = [Canary::new(Kind::Name, facts.full_name.clone())];
    emails.chain(phones).chain(url).chain(name).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_canary_is_known_in_every_writing() {
        let email = Canary::new(Kind::Email, "jane.döe+x@acme-corp.example");
        let forms = email.forms();
        for form in [
            "jane.döe+x@acme-corp.example",
            "jane.d%C3%B6e%2Bx%40acme-corp.example",
            "jane.d\\u00f6e+x@acme-corp.example",
            "jane.döe+x",
            "amFuZS5kw7ZlK3hAYWNtZS1jb3JwLmV4YW1wbGU",
        ] {
            assert!(forms.iter().any(|known| known == form), "{form}");
        }
        let phone = Canary::new(Kind::Phone, "+12025550123").forms();
        assert!(phone.contains(&"2025550123".to_owned()) && phone.contains(&"%2B12025550123".to_owned()));
        let key = Canary::new(Kind::ApiKey, format!("assay_live_{}_{}", "a".repeat(12), "b".repeat(38)));
        assert!(key.forms().contains(&"b".repeat(32)));
        assert!(!key.forms().contains(&"a".repeat(12)), "the id of a key is public");
    }
}
