//! Titles of officers, as reports name them. Directors are no officers: their seats are no jobs.

use super::words::{Word, says};
use assay_domain::limits::FEED_LINE_BYTES_MAX;
use assay_domain::name::fold_company;

/// Words of a title, at most: some hold four posts.
const TITLE_WORDS_MAX: usize = 20;
/// Words titles are made of, apart from names of what is headed.
const TITLE_WORDS: &[&str] = &[
    "accounting",
    "acting",
    "administrative",
    "affairs",
    "america",
    "americas",
    "analytics",
    "assistant",
    "associate",
    "banking",
    "brand",
    "business",
    "ceo",
    "cfo",
    "chain",
    "chair",
    "chairman",
    "chairperson",
    "chairwoman",
    "chief",
    "cio",
    "client",
    "clinical",
    "cmo",
    "co-chief",
    "co-president",
    "commercial",
    "communications",
    "compliance",
    "coo",
    "controller",
    "corporate",
    "counsel",
    "credit",
    "cto",
    "customer",
    "data",
    "deputy",
    "development",
    "digital",
    "director",
    "engineering",
    "evp",
    "executive",
    "experience",
    "finance",
    "financial",
    "general",
    "global",
    "group",
    "growth",
    "head",
    "human",
    "information",
    "innovation",
    "interim",
    "international",
    "investment",
    "investor",
    "legal",
    "lending",
    "loan",
    "manager",
    "managing",
    "manufacturing",
    "market",
    "marketing",
    "medical",
    "merchandising",
    "north",
    "nuclear",
    "officer",
    "operating",
    "operations",
    "people",
    "permanent",
    "planning",
    "president",
    "principal",
    "procurement",
    "product",
    "regional",
    "regulatory",
    "relations",
    "research",
    "resources",
    "retail",
    "revenue",
    "risk",
    "safety",
    "sales",
    "science",
    "scientific",
    "secretary",
    "security",
    "senior",
    "services",
    "strategic",
    "strategy",
    "supply",
    "sustainability",
    "svp",
    "talent",
    "tax",
    "technical",
    "technology",
    "transformation",
    "treasurer",
    "treasury",
    "underwriting",
    "vice",
    "vp",
    "worldwide",
];
/// One of these makes an officer.
const OFFICERS: &[&str] = &[
    "ceo",
    "cfo",
    "cio",
    "cmo",
    "controller",
    "coo",
    "co-president",
    "counsel",
    "cto",
    "evp",
    "head",
    "manager",
    "officer",
    "president",
    "secretary",
    "svp",
    "treasurer",
    "vp",
];
const CHAIRS: &[&str] = &["chair", "chairman", "chairperson", "chairwoman"];

/// An officer's title at a place, after `the Company's` and the like; with the place after it.
pub(super) fn title_at(words: &[Word], at: usize, company: &str) -> Option<(String, usize)> {
    let start = after_owner(words, at, company);
    let mut end = start;
    // The place after the last word a title can end with.
    let mut whole = start;
    let mut named = false;
    while let Some(word) = words.get(end).filter(|_| end - start < TITLE_WORDS_MAX) {
        let next = words.get(end + 1);
        let is_title = word.is(TITLE_WORDS);
        if word.opens_bracket() && end > start {
            break;
        }
        if is_title || (named && word.is_capital() && !word.is(&["company", "board"])) {
            whole = end + 1;
            // A comma is followed by a further post, or by something else.
            let further = word.has_comma()
                && !word.closes_bracket()
                && next.is_some_and(|next| next.is(TITLE_WORDS) || next.is(&["and", "&"]));
            if !word.goes_on() && !further {
                break;
            }
            named = named && !is_title;
        } else if word.is(&["and", "&"]) && end > start {
            named = false;
            if !next.is_some_and(|next| next.is(TITLE_WORDS)) {
                break;
            }
        } else if word.is(&["of", "for"]) && end > start {
            let part = next.is_some_and(|next| next.is(TITLE_WORDS) && !is_company(words, end + 1, company));
            named = next.is_some_and(Word::is_capital)
                && !is_company(words, end + 1, company)
                && (part || heads_parts(words, start, end));
            if !named {
                break;
            }
        } else {
            break;
        }
        end += 1;
    }
    let title: Vec<&Word> = words.get(start..whole)?.iter().collect();
    is_officer(&title).then(|| (shown(&title), whole)).filter(|(title, _)| title.len() <= FEED_LINE_BYTES_MAX)
}

/// Whether a title is followed by a part of the company. After others `of` is followed by a company.
fn heads_parts(words: &[Word], start: usize, end: usize) -> bool {
    let before = words.get(start..end).unwrap_or_default();
    let has = |list: &[&str]| before.iter().any(|word| word.is(list));
    before.last().is_some_and(|word| {
        word.is(&["head", "manager", "director", "vp", "svp", "evp"])
            || (word.low == "president" && has(&["vice"]))
    })
}

fn is_officer(title: &[&Word]) -> bool {
    let has = |list: &[&str]| title.iter().any(|word| word.is(list));
    has(OFFICERS)
        || (has(CHAIRS) && has(&["executive"]) && !has(&["non-executive"]))
        || (has(&["managing"]) && has(&["director"]))
}

fn shown(title: &[&Word]) -> String {
    let mut text = String::new();
    for (at, word) in title.iter().enumerate() {
        text.push_str(word.bare());
        if at + 1 < title.len() {
            text.push_str(if word.has_comma() { ", " } else { " " });
        }
    }
    text
}

/// Whether what a title is followed by makes it one of another company: `of Contoso, Inc.`
pub(super) fn is_elsewhere(words: &[Word], end: usize, company: &str) -> bool {
    let ends = end.checked_sub(1).and_then(|at| words.get(at)).is_some_and(|word| !word.goes_on());
    let links = words.get(end).is_some_and(|word| word.is(&["of", "at", "for", "with"]));
    let named = words.get(end + 1);
    !ends && links && named.is_some_and(Word::is_capital) && !is_company(words, end + 1, company)
}

/// Whether the company itself is named at a place.
pub(super) fn is_company(words: &[Word], at: usize, company: &str) -> bool {
    if says(words, at, &["the", "company"])
        || words.get(at).is_some_and(|word| word.is(&["company", "company's"]))
    {
        return true;
    }
    let first = fold_company(company);
    let first = first.split(' ').next().unwrap_or_default();
    words.get(at).is_some_and(|word| !first.is_empty() && fold_company(word.bare()) == first)
}

/// Past `the Company's`, `its`, `Northwind's new`.
fn after_owner(words: &[Word], at: usize, company: &str) -> usize {
    let mut at = at;
    for _ in 0..6 {
        let Some(word) = words.get(at) else { break };
        let small = word.is(&[
            "the",
            "its",
            "our",
            "a",
            "an",
            "new",
            "next",
            "current",
            "company's",
            "registrant's",
            "then-current",
        ]);
        let owner = word.text.ends_with("'s") && is_company(words, at, company);
        if !(small || owner || word.is(&["bank's", "corporation's", "firm's"])) {
            break;
        }
        at += 1;
    }
    at
}

/// Whether a title is said to be one of the company: it comes after `the Company's`, or before `of the Company`.
pub(super) fn is_owned(words: &[Word], at: usize, end: usize, company: &str) -> bool {
    let start = after_owner(words, at, company);
    let owners = words.get(at..start).unwrap_or_default();
    let before = owners.iter().any(|word| word.is(&["its", "our"]) || word.low.ends_with("'s"));
    before
        || (words.get(end).is_some_and(|word| word.is(&["of", "at", "for"]))
            && is_company(words, end + 1, company))
}

#[cfg(test)]
mod tests {
    use super::super::words::sentences;
    use super::*;

    fn title(text: &str) -> Option<String> {
        title_at(&sentences(&[text])[0], 0, "Northwind Robotics, Inc.").map(|(title, _)| title)
    }

    #[test]
    fn a_title_ends_where_it_does() {
        for (text, found) in [
            ("Chief Financial Officer of the Company, effective", Some("Chief Financial Officer")),
            (
                "the Company's President and Chief Executive Officer.",
                Some("President and Chief Executive Officer"),
            ),
            (
                "its Executive Vice President, Chief Legal Officer and Secretary and as",
                Some("Executive Vice President, Chief Legal Officer and Secretary"),
            ),
            ("interim chief financial officer following", Some("interim chief financial officer")),
            ("Vice President of Robot Arms, effective", Some("Vice President of Robot Arms")),
            ("President of Northwind, effective", Some("President")),
            ("Chief Executive Officer of Contoso Labs", Some("Chief Executive Officer")),
            ("Chief Operating Officer (the", Some("Chief Operating Officer")),
            ("Executive Chairman of the Board", Some("Executive Chairman")),
            ("a director of the Company", None),
            ("Chairman of the Board", None),
            ("a member of the Board", None),
            ("an advisor", None),
        ] {
            assert_eq!(title(text).as_deref(), found, "{text}");
        }
    }
}
