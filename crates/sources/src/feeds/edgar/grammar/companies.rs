//! Which companies a sentence names, in full or by a term the report has given them.

use super::people::LEGAL_FORMS;
use super::words::Word;
use assay_domain::name::fold_company;

/// Words of a company's name, and of what is said between it and its term, at most.
const NAME_WORDS_MAX: usize = 10;
const BETWEEN_WORDS_MAX: usize = 20;
/// Terms, which name nobody unless the report says whom.
const TERMS: &[&str] = &[
    "parent",
    "buyer",
    "purchaser",
    "acquiror",
    "acquirer",
    "seller",
    "sellers",
    "target",
    "sub",
    "merger",
    "company",
    "registrant",
    "transaction",
    "transactions",
    "agreement",
    "closing",
    "acquisition",
    "sale",
    "purchase",
    "business",
    "effective",
    "time",
    "date",
    "common",
    "stock",
    "shares",
    "share",
    "on",
    "pursuant",
    "as",
    "at",
    "in",
    "under",
    "upon",
    "item",
    "the",
    "assets",
    "units",
    "interests",
    "membership",
    "all",
    "surviving",
    "corporation",
    "board",
    "series",
    "a",
    "an",
    "nasdaq",
    "nyse",
    "securities",
    "exchange",
    "it",
    "this",
    "such",
    "we",
    "its",
    "property",
    "properties",
    "real",
    "estate",
];

/// How terms end that stand for something else than a company.
const NO_PARTY: &[&str] = &[
    "agreement",
    "transaction",
    "transactions",
    "closing",
    "acquisition",
    "sale",
    "purchase",
    "merger",
    "mergers",
    "date",
    "time",
    "business",
    "assets",
    "shares",
    "stock",
    "interests",
    "plan",
    "board",
    "price",
    "consideration",
    "property",
];

/// A company named in a sentence.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Named {
    /// The one that files.
    Filer,
    Other {
        name: String,
        is_legal: bool,
    },
}

/// The terms of a report, and what they stand for.
#[derive(Debug)]
pub(super) struct Glossary {
    filer: String,
    /// Other names the filer has in the report.
    aliases: Vec<String>,
    terms: Vec<(String, Named)>,
}

impl Glossary {
    pub(super) fn read(sentences: &[Vec<Word>], filer: &str) -> Self {
        let mut glossary = Self { filer: fold_company(filer), aliases: Vec::new(), terms: Vec::new() };
        for words in sentences {
            glossary.gather(words);
        }
        glossary
    }

    /// `Contoso Labs, Inc., a Delaware corporation (“Contoso”)`.
    fn gather(&mut self, words: &[Word]) {
        let mut last: Option<(Named, usize)> = None;
        let mut at = 0;
        let mut in_brackets = false;
        while let Some(word) = words.get(at) {
            in_brackets |= word.opens_bracket();
            if in_brackets {
                if word.opens_quote()
                    && let Some((named, end)) = &last
                    && at - end <= BETWEEN_WORDS_MAX
                {
                    let term = quoted(words, at);
                    let free = !self.terms.iter().any(|(known, _)| *known == term);
                    if let Named::Other { name, .. } = named
                        && ["company", "registrant"].contains(&term.as_str())
                    {
                        self.aliases.push(fold_company(name));
                    }
                    let is_party = !NO_PARTY.iter().any(|it| term.ends_with(it));
                    if free && is_party && is_described(words.get(*end..at).unwrap_or_default()) {
                        self.terms.push((term, named.clone()));
                    }
                }
                in_brackets = !word.closes_bracket();
                at += 1;
                continue;
            }
            match self.full_name_at(words, at) {
                Some((named, end)) => {
                    // `Delaware` is named between a company and its term.
                    let is_sure = !matches!(named, Named::Other { is_legal: false, .. });
                    if is_sure || words.get(end).is_some_and(Word::opens_bracket) {
                        last = Some((named, end));
                    }
                    at = end;
                }
                None => at += 1,
            }
        }
    }

    /// The company named at a place, with the place after it: past an article, in full, or by its term.
    pub(super) fn named_at(&self, words: &[Word], at: usize) -> Option<(Named, usize)> {
        let start = at + usize::from(words.get(at)?.is(&["the", "its"]));
        let word = words.get(start)?;
        if word.is(&["we", "us"]) || (word.is(&["company", "registrant"]) && word.is_capital()) {
            return Some((Named::Filer, start + 1));
        }
        // The longest term first: `Merger Sub` before `Merger`.
        for length in (1..=4).rev() {
            let Some(part) = words.get(start..start + length) else { continue };
            let term = folded(part);
            if let Some((_, named)) = self.terms.iter().find(|(known, _)| *known == term)
                && part.iter().all(Word::is_capital)
            {
                return Some((named.clone(), start + length));
            }
        }
        self.full_name_at(words, start)
    }

    fn full_name_at(&self, words: &[Word], at: usize) -> Option<(Named, usize)> {
        let before = at.checked_sub(1).and_then(|at| words.get(at));
        if before.is_some_and(|word| word.is_capital() && word.goes_on() && !word.is(TERMS)) {
            return None;
        }
        let mut parts: Vec<String> = Vec::new();
        let mut name = String::new();
        let mut end = at;
        let mut is_legal = false;
        while let Some(word) = words.get(end).filter(|_| end - at < NAME_WORDS_MAX) {
            if word.opens_bracket() && end > at {
                break;
            }
            let joins = end > at
                && word.is(&["&", "and", "of"])
                && words.get(end + 1).is_some_and(Word::is_capital)
                && !is_legal;
            if !(word.is_capital() || joins)
                || word.is(&["mr", "ms", "mrs", "dr"])
                || is_month_day(words, end)
            {
                break;
            }
            is_legal |= end > at && word.is(LEGAL_FORMS);
            name.push_str(if parts.is_empty() { "" } else { " " });
            name.push_str(&word.in_name());
            parts.push(word.low.clone());
            end += 1;
            // `Contoso Labs, Inc.`
            let legal_next = words.get(end).is_some_and(|next| next.is(LEGAL_FORMS) && next.is_capital());
            if (!word.goes_on() || word.text != word.bare()) && !(word.has_comma() && legal_next) {
                break;
            }
            name.push_str(if word.has_comma() { "," } else { "" });
        }
        let only_terms = parts.iter().all(|part| TERMS.contains(&part.as_str()));
        if parts.is_empty() || only_terms || parts.join("").chars().count() < 3 {
            return None;
        }
        let folded = fold_company(&name);
        // Its name may be written without its legal form, never with more.
        if folded == self.filer
            || self.aliases.contains(&folded)
            || (is_legal && self.filer.starts_with(&format!("{folded} ")))
        {
            return Some((Named::Filer, end));
        }
        Some((Named::Other { name, is_legal }, end))
    }
}

fn is_month_day(words: &[Word], at: usize) -> bool {
    super::words::date_at(words, at).is_some()
}

/// What may stand between a company and its term: nothing, or what kind of company it is.
fn is_described(between: &[Word]) -> bool {
    between.first().is_none_or(|word| word.is(&["a", "an", "together"]) || word.opens_bracket())
}

/// The words from one that opens a quotation to its end.
fn quoted(words: &[Word], at: usize) -> String {
    let rest = words.get(at..).unwrap_or_default();
    let end = rest.iter().take(6).position(Word::closes_quote).map_or(1, |end| end + 1);
    folded(rest.get(..end).unwrap_or_default())
}

fn folded(words: &[Word]) -> String {
    words.iter().map(|word| word.bare().to_lowercase()).collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use super::super::words::sentences;
    use super::*;

    #[test]
    fn a_term_leads_to_its_company() {
        let all = sentences(&[
            "On May 1, 2026, Northwind Robotics, Inc. (the “Company”) and Fabrikam Holdings, LLC, a Delaware limited \
             liability company (“Parent”), closed the Agreement (the “Merger Agreement”) with Contoso Labs, Inc. (“Contoso”).",
            "Parent paid.",
            "Contoso paid.",
            "The Company paid.",
            "Buyer paid.",
        ]);
        let glossary = Glossary::read(&all, "NORTHWIND ROBOTICS, INC.");
        let named = |at: usize| glossary.named_at(&all[at], 0).map(|(named, _)| named);
        let other = |name: &str| Some(Named::Other { name: name.to_owned(), is_legal: true });
        assert_eq!(named(1), other("Fabrikam Holdings, LLC"));
        assert_eq!(named(2), other("Contoso Labs, Inc."));
        assert_eq!(named(3), Some(Named::Filer));
        assert_eq!(named(4), None);
    }
}
