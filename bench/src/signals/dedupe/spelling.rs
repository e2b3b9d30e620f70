//! How sources write a company down.

use super::truth::{Firm, chance};
use crate::dirt::with_slip;
use assay_domain::Domain;
use assay_domain::signal::Party;
use rand::RngExt;
use rand_chacha::ChaCha8Rng;

/// Words of names that people cut short.
const SHORT_FORMS: &[(&str, &str)] = &[
    ("Technologies", "Tech"),
    ("Technology", "Tech"),
    ("International", "Intl"),
    ("Manufacturing", "Mfg"),
    ("Engineering", "Eng"),
    ("Solutions", "Sol."),
    ("Systems", "Sys"),
    ("Services", "Svcs"),
    ("Logistics", "Log."),
    ("Management", "Mgmt"),
    ("Laboratories", "Labs"),
    ("Group", "Grp"),
    ("Analytics", "Analyt."),
    ("Software", "SW"),
];

/// A register has the legal name; some clerks type it in capitals and leave out what is not on their keyboard, and a few
/// companies go by another name than they trade under.
pub fn in_filing(firm: &Firm, others: &[Firm], dice: &mut ChaCha8Rng) -> Party {
    let mut name = firm.legal_name.clone();
    match dice.random_range(0..100) {
        // A mother of the company raises the money.
        0..3 => name = with_word(firm, ["Holdings", "US", "Group"][dice.random_range(0..3)]),
        // What it was called before it was called anything that anybody knows.
        3 => {
            let former = &others[dice.random_range(0..others.len())].name;
            name = format!("{} {}", former.split(' ').next().unwrap_or("NewCo"), form_of(firm));
        }
        4..6 => name = format!("{name} /{}/", ["DE", "NV", "CA"][dice.random_range(0..3)]),
        _ => {}
    }
    if chance(dice, 50) {
        name = name.replace(['.', ','], "");
    }
    if chance(dice, 15) {
        name = without_accents(&name);
    }
    if chance(dice, 45) {
        name = name.to_uppercase();
    }
    Party { country: Some(firm.country.clone()), ..Party::named(name) }
}

/// A release has the name the company likes to be called by, and no address that is read from it.
pub fn in_release(firm: &Firm, dice: &mut ChaCha8Rng) -> Party {
    let name = match dice.random_range(0..100) {
        0..14 => firm.legal_name.clone(),
        14..20 => firm.name.to_uppercase(),
        // The first word is what everybody says.
        20..28 => first_word(&firm.name),
        28..31 => firm.name.replace(' ', ""),
        31..36 => cut_short(&firm.name),
        36..38 => with_slip(&firm.name, dice),
        38..43 => without_accents(&firm.name),
        43 => firm.domain.to_string(),
        _ => firm.name.clone(),
    };
    Party::named(name)
}

/// A database is kept by its rows' addresses on the web; the name beside is somebody's typing, or missing.
pub fn in_database(firm: &Firm, dice: &mut ChaCha8Rng) -> Party {
    let name = match dice.random_range(0..100) {
        0..8 => firm.legal_name.clone(),
        8..12 => cut_short(&firm.name),
        12..16 => with_slip(&firm.name, dice),
        16..24 => without_accents(&firm.name),
        24..28 => first_word(&firm.name),
        28..31 => firm.name.to_lowercase(),
        _ => firm.name.clone(),
    };
    let mut party = match dice.random_range(0..100) {
        0..20 => Party { domain: Some(firm.domain.clone()), ..Party::named(firm.domain.to_string()) },
        20..35 => Party::named(name),
        _ => Party { domain: Some(firm.domain.clone()), ..Party::named(name) },
    };
    // Companies move to another address, and rows stay behind.
    if chance(dice, 2)
        && let (Some(domain), Ok(old)) = (&mut party.domain, Domain::parse(&format!("get{}", firm.domain)))
    {
        *domain = old;
    }
    if chance(dice, 60) {
        party.country = Some(firm.country.clone());
    }
    party
}

fn form_of(firm: &Firm) -> &str {
    firm.legal_name.strip_prefix(&firm.name).map_or("Inc.", str::trim)
}

fn with_word(firm: &Firm, word: &str) -> String {
    format!("{} {word} {}", firm.name, form_of(firm)).trim().to_owned()
}

/// And the next, where it is too short to be said alone.
fn first_word(name: &str) -> String {
    let mut words = name.split(' ');
    let first = words.next().unwrap_or(name).to_owned();
    if first.chars().count() > 3 { first } else { [&first, " ", words.next().unwrap_or_default()].concat() }
}

fn cut_short(name: &str) -> String {
    SHORT_FORMS.iter().fold(name.to_owned(), |name, (long, short)| name.replace(long, short))
}

fn without_accents(name: &str) -> String {
    let plain = |letter: char| match letter {
        'á' | 'à' | 'â' | 'ã' | 'ä' | 'å' | 'ą' => 'a',
        'é' | 'è' | 'ê' | 'ë' | 'ę' => 'e',
        'í' | 'ì' | 'î' | 'ï' => 'i',
        'ó' | 'ò' | 'ô' | 'õ' | 'ö' | 'ø' => 'o',
        'ú' | 'ù' | 'û' | 'ü' => 'u',
        'ç' | 'ć' => 'c',
        'ñ' | 'ń' => 'n',
        'ł' => 'l',
        'ś' => 's',
        'ż' | 'ź' => 'z',
        'Á' | 'À' | 'Â' | 'Ä' => 'A',
        'É' | 'È' | 'Ê' => 'E',
        'Ö' | 'Ó' | 'Ø' => 'O',
        'Ü' | 'Ú' => 'U',
        'Ł' => 'L',
        letter => letter,
    };
    name.chars().map(plain).collect()
}
