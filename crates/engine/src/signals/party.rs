//! Who is meant by what sources call a company: a legal name in capitals, the first word of its name, or its address on the web.

use crate::likeness::{CompanyLikeness, CompanyWords, compare_companies, is_slip, skeleton};
use assay_domain::name::{fold_company, fold_text};
use assay_domain::signal::Party;
use assay_domain::{CompanyId, Domain};

/// Evidence, in steps of about a halving of the doubt.
pub(super) type Weight = i32;

/// What two names of one company at least weigh.
pub(super) const ONE_COMPANY: Weight = 2;

const SAME_COMPANY: Weight = 8;
const OTHER_DOMAIN: Weight = -12;
/// Companies move from one to the other, and so do those who want the name of somebody else.
const ALIKE_DOMAIN: Weight = -3;
const OTHER_COUNTRY: Weight = -3;
const SAME_COUNTRY: Weight = 1;
/// What a name alone is taken for is a guess.
const OTHER_KNOWN: Weight = -2;

/// Endings that say nothing of who it is, beyond those that every folding of a company's name leaves out. They stand together,
/// as in `Private Limited` and `sp. z o.o.`, so usual ones are among them.
const ENDINGS: &[&str] = &[
    "asa", "ev", "eg", "gk", "inc", "kg", "kgaa", "lda", "limited", "llp", "lp", "ltd", "ltda", "oo", "oyj",
    "pbc", "private", "pte", "pvt", "sca", "se", "sl", "sp", "spzoo", "ug", "uk", "us", "usa", "z", "zoo",
];
/// Before a name, or after it, in an address whose plain form somebody else had.
const PREFIXES: &[&str] = &["get", "try", "use", "join", "go", "my", "the"];
const SUFFIXES: &[&str] = &["app", "hq", "inc", "online", "group"];
/// Shorter words are the beginning of too many names.
const START_CHARS_MIN: usize = 4;
const STARTS_MAX: usize = 3;
/// Between them is where a slip of the finger is not seen.
const EDGE_CHARS: usize = 4;
/// Second to last in addresses of countries: `acme.co.uk`.
const SECOND_LEVEL: &[&str] = &["ac", "co", "com", "gov", "net", "or", "org"];

/// A company as a notice names it, read once for many comparisons.
#[derive(Debug)]
pub(super) struct Side<'a> {
    party: &'a Party,
    words: CompanyWords,
    /// The name up to each of its first words, written as one.
    starts: Vec<String>,
    label: Option<Label>,
}

/// What of an address tells whose it is.
#[derive(Debug)]
struct Label {
    whole: String,
    /// Without what is put before or after a name that is taken.
    bare: String,
}

impl<'a> Side<'a> {
    pub(super) fn of(party: &'a Party) -> Self {
        let web_name = address_in(&party.name);
        let label = party.told_domain().or(web_name.as_ref()).and_then(Label::of);
        let spelled = match web_name.as_ref().and_then(label_of) {
            Some(label) => label.replace('-', " "),
            None => without_endings(&apart(&party.name)),
        };
        let folded = fold_company(&spelled);
        let words: Vec<&str> = folded.split(' ').collect();
        let most = words.len().min(STARTS_MAX);
        let starts = (1..=most).filter_map(|count| words.get(..count).map(|words| words.join(" ")));
        let starts = starts.map(|start| CompanyWords::of(&start).whole().to_owned()).collect();
        Self { party, words: CompanyWords::of(&spelled), starts, label }
    }

    fn id(&self) -> Option<CompanyId> {
        self.party.id
    }

    /// Under these it meets the same company named in another way.
    pub(super) fn keys(&self) -> Vec<String> {
        let core = self.words.core();
        let mut keys: Vec<String> = Vec::new();
        let long = self.starts.iter().filter(|start| start.len() >= START_CHARS_MIN);
        let labels = self.label.iter().flat_map(|label| [&label.whole, &label.bare]);
        for text in long.chain(labels).map(String::as_str).chain([core, self.words.whole()]) {
            keys.push(["p:", text].concat());
        }
        let bones = skeleton(core);
        // Few bones are shared by too many.
        if bones.len() >= START_CHARS_MIN {
            keys.push(["b:", &bones].concat());
        }
        if core.is_ascii()
            && let (Some(start), Some(end)) = (
                core.get(..EDGE_CHARS),
                core.len()
                    .checked_sub(EDGE_CHARS)
                    .filter(|at| *at >= EDGE_CHARS)
                    .and_then(|at| core.get(at..)),
            )
        {
            keys.push(["e:", start, end].concat());
        }
        keys.extend(self.words.slipped());
        keys.extend(self.id().map(|id| ["i:", &id.to_string()].concat()));
        keys.sort_unstable();
        keys.dedup();
        keys
    }
}

impl Label {
    fn of(domain: &Domain) -> Option<Self> {
        let label = label_of(domain)?.replace('-', "");
        let whole = CompanyWords::of(&label).whole().to_owned();
        let bare = PREFIXES.iter().find_map(|start| label.strip_prefix(start));
        let bare = bare.or_else(|| SUFFIXES.iter().find_map(|end| label.strip_suffix(end)));
        let bare = bare.filter(|bare| bare.len() >= START_CHARS_MIN);
        let bare = bare.map_or_else(|| whole.clone(), |bare| CompanyWords::of(bare).whole().to_owned());
        Some(Self { whole, bare })
    }
}

/// Of `www.acme.co.uk` it is `acme`.
fn label_of(domain: &Domain) -> Option<&str> {
    let mut parts: Vec<&str> = domain.as_str().split('.').collect();
    parts.pop().filter(|_| !parts.is_empty())?;
    if parts.len() > 1 && parts.last().is_some_and(|part| SECOND_LEVEL.contains(part)) {
        parts.pop();
    }
    parts.pop()
}

/// `NorthwindITServices` is Northwind IT Services: a word begins with a capital after a small letter, or before one.
fn apart(name: &str) -> String {
    if name.contains(char::is_whitespace) {
        return name.to_owned();
    }
    let letters: Vec<char> = name.chars().collect();
    let is = |at: usize, test: fn(char) -> bool| letters.get(at).copied().is_some_and(test);
    let mut spaced = String::with_capacity(name.len() + 4);
    for (at, letter) in letters.iter().enumerate() {
        let before = at.checked_sub(1);
        let begins = letter.is_uppercase()
            && before.is_some_and(|before| {
                is(before, char::is_lowercase)
                    || (is(before, char::is_uppercase) && is(at + 1, char::is_lowercase))
            });
        if begins {
            spaced.push(' ');
        }
        spaced.push(*letter);
    }
    spaced
}

/// A name that is an address on the web.
fn address_in(name: &str) -> Option<Domain> {
    if name.contains(char::is_whitespace) || !name.contains('.') {
        return None;
    }
    // A name of one word with a point at its end or initials is none.
    let start = name.split('.').next().unwrap_or_default();
    Domain::parse(name).ok().filter(|_| start.chars().count() >= START_CHARS_MIN)
}

/// `ACME INC /DE/` is how registers tell two of one name apart.
fn without_endings(name: &str) -> String {
    let mut words: Vec<&str> = name.split_whitespace().collect();
    while words.len() > 1
        && words.last().is_some_and(|word| {
            (word.starts_with('/') && word.ends_with('/'))
                || ENDINGS.contains(&fold_text(word).replace(' ', "").as_str())
        })
    {
        words.pop();
    }
    words.join(" ")
}

/// How much speaks for two being one company; nothing where nothing does.
pub(super) fn weigh(one: &Side<'_>, other: &Side<'_>) -> Option<Weight> {
    let is_same_id = one.id().is_some() && one.id() == other.id();
    let domains = one.party.told_domain().zip(other.party.told_domain());
    let is_same_domain = domains.is_some_and(|(one, other)| one == other);
    let by_name = weigh_names(one, other);
    if by_name == 0 && !is_same_id && !is_same_domain {
        return None;
    }
    let country = elsewhere(one, other);
    if is_same_id || is_same_domain {
        // An address is told; that a name means a company we know is our own guess, and a namesake's country speaks against it.
        let country = if is_same_domain && !is_same_id { country.max(-1) } else { country };
        return Some(by_name.max(SAME_COMPANY) + country);
    }
    let labels = one.label.as_ref().zip(other.label.as_ref());
    let domain = match (domains, labels) {
        // Of one name, and not the company we guessed: which of the two is meant is then open.
        (None, _) if is_another_known(one, other) => OTHER_KNOWN,
        (None, _) => 0,
        (Some(_), Some((one, other))) if one.bare == other.bare => ALIKE_DOMAIN,
        (Some(_), _) => OTHER_DOMAIN,
    };
    Some(by_name + domain + country)
}

/// What their countries say.
pub(super) fn elsewhere(one: &Side<'_>, other: &Side<'_>) -> Weight {
    match one.party.country.as_ref().zip(other.party.country.as_ref()) {
        Some((one, other)) if one != other => OTHER_COUNTRY,
        Some(_) => SAME_COUNTRY,
        None => 0,
    }
}

/// Whether the graph knows both, as two companies.
fn is_another_known(one: &Side<'_>, other: &Side<'_>) -> bool {
    one.id().zip(other.id()).is_some_and(|(one, other)| one != other)
        || one.party.domain.as_ref().zip(other.party.domain.as_ref()).is_some_and(|(one, other)| one != other)
}

fn weigh_names(one: &Side<'_>, other: &Side<'_>) -> Weight {
    let by_words = match compare_companies(&one.words, &other.words) {
        CompanyLikeness::Same => 7,
        CompanyLikeness::Core => 6,
        CompanyLikeness::Abbreviated => 5,
        CompanyLikeness::Slip => 4,
        CompanyLikeness::Contained => 2,
        CompanyLikeness::Acronym => 1,
        CompanyLikeness::Different => Weight::from(is_first_slipped(one, other)),
    };
    by_words.max(weigh_label(one, other)).max(weigh_label(other, one))
}

/// The first word of one with a slip is that of the other, which says little of the rest.
fn is_first_slipped(one: &Side<'_>, other: &Side<'_>) -> bool {
    let firsts = one.starts.first().zip(other.starts.first());
    firsts.is_some_and(|(one, other)| one.len() > START_CHARS_MIN && is_slip(one, other))
}

/// The address of the one against the name of the other.
fn weigh_label(one: &Side<'_>, other: &Side<'_>) -> Weight {
    let Some(label) = &one.label else { return 0 };
    let (whole, core) = (other.words.whole(), other.words.core());
    let is_name = |label: &str| label == whole || label == core;
    let is_start =
        |label: &str| label.len() >= START_CHARS_MIN && other.starts.iter().any(|start| start == label);
    // "Nimbus" at nimbusrobotics.example.
    let is_longer = || whole.len() > START_CHARS_MIN && label.whole.starts_with(whole);
    if is_name(&label.whole) {
        6
    } else if is_name(&label.bare) || is_start(&label.whole) {
        4
    } else if is_start(&label.bare) || is_longer() {
        2
    } else {
        0
    }
}

pub(super) fn is_same_party(one: &Party, other: &Party) -> bool {
    weigh(&Side::of(one), &Side::of(other)).is_some_and(|weight| weight >= ONE_COMPANY)
}
