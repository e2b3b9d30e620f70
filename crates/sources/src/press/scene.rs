//! A passage with what is known of its words: names, sums, verbs; and who stands where.

use super::deal::Deal;
use super::funding::Round;
use super::known::Known;
use super::language::{Hit, Language, any_at, find, has, is_in};
use super::looks::{is_act, is_named_like_verb, is_product, is_series, is_titled, named, tickers};
use super::money::{Sum, sums};
use super::name::{Run, is_legal_form, runs};
use super::text::{Kind, Passage, Token};
use assay_domain::taxonomy::FundingStage;
use std::cell::OnceCell;

#[derive(Debug)]
pub(super) struct Scene<'a> {
    pub passage: &'a Passage<'a>,
    pub language: &'static Language,
    pub sums: Vec<Sum>,
    pub runs: Vec<Run>,
    /// Every word has a capital, so that one says nothing.
    pub is_titled: bool,
    /// Which words belong to what a contract is called.
    contracts: Vec<bool>,
    /// The runs whose first word the headline has too.
    headed: Vec<usize>,
    /// Which words are part of a longer name and mean nothing by themselves: `Payments` of `Arcadine Payments`.
    named: Vec<bool>,
    /// What was read of it once: many ask for it, and all of one year.
    pub deal: OnceCell<Option<Deal>>,
    pub round: OnceCell<Option<Round>>,
}

/// How far after a verb its object may begin.
const OBJECT_WORDS_MAX: usize = 24;
const MODAL_WORDS: usize = 4;
const SHARE_WORDS: usize = 9;

impl<'a> Scene<'a> {
    pub fn new(passage: &'a Passage<'a>, known: Known<'_>) -> Self {
        let language = known.language;
        let sums = sums(&passage.tokens, language.is_english());
        let mut blocked = vec![false; passage.tokens.len()];
        let mut block =
            |from: usize, to: usize| blocked.iter_mut().take(to).skip(from).for_each(|it| *it = true);
        sums.iter().for_each(|sum| block(sum.from, sum.to));
        tickers(passage).into_iter().for_each(|hit| block(hit.from, hit.to));
        let is_titled = is_titled(passage, language);
        let verbs = [
            language.raises,
            language.invests,
            language.buys,
            language.bought,
            language.sells,
            language.sold,
            language.advises,
            language.takes,
            language.leads,
        ];
        let mut contracts = vec![false; passage.tokens.len()];
        for at in 0..passage.tokens.len() {
            if let Some(hit) = any_at(&passage.tokens, at, language.pacts.contracts) {
                contracts.iter_mut().take(hit.to).skip(at).for_each(|it| *it = true);
                block(at, hit.to);
            }
            if let Some(hit) = any_at(&passage.tokens, at, language.pacts.boards) {
                block(at, hit.to);
            }
            let is_verb =
                passage.tokens.get(at).is_some_and(|token| {
                    is_titled || !token.is_capital() || at == 0 && language.is_english()
                }) && !is_named_like_verb(passage, at, &verbs);
            let hits =
                verbs.iter().filter(|_| is_verb).filter_map(|verbs| any_at(&passage.tokens, at, verbs));
            if let Some(to) = hits.map(|hit| hit.to).max() {
                block(at, to);
            }
            if is_titled && is_act(passage, at, known) {
                block(at, at + 1);
            }
            if is_series(&passage.tokens, at) {
                block(at, at + 2);
            }
        }
        let mut runs = runs(passage, Known { is_titled, ..known }, &blocked);
        let is_form = |run: &Run| {
            passage.tokens.get(run.from..run.to).is_some_and(|words| words.iter().all(is_legal_form))
        };
        let is_stage = |run: &Run| {
            let text = passage.slice(run.from, run.to).to_lowercase().replace('-', " ");
            text.contains(' ') && language.stages.iter().any(|(phrase, _)| *phrase == text)
        };
        runs.retain(|run| !is_product(passage, *run) && !is_form(run) && !is_stage(run));
        let named = named(passage, &runs, known, is_titled);
        let word = |run: &Run| passage.tokens.get(run.from).map_or("", |token| token.text);
        let is_headed = |run: &&Run| known.title.tokens.iter().any(|token| token.text == word(run));
        let headed = runs.iter().filter(is_headed).map(|run| run.from).collect();
        let (deal, round) = (OnceCell::new(), OnceCell::new());
        Self { passage, language, sums, runs, is_titled, contracts, headed, named, deal, round }
    }

    pub fn tokens(&self) -> &[Token<'a>] {
        &self.passage.tokens
    }

    pub fn has(&self, phrases: &[&str]) -> bool {
        has(self.tokens(), phrases)
    }

    pub fn find(&self, phrases: &[&str], from: usize) -> Option<Hit> {
        find(self.tokens(), phrases, from, self.tokens().len())
    }

    pub fn run_at(&self, at: usize) -> Option<Run> {
        self.runs.iter().copied().find(|run| run.from == at)
    }

    pub(super) fn is(&self, at: usize, words: &[&str]) -> bool {
        self.tokens().get(at).is_some_and(|token| is_in(token, words))
    }

    /// Whether the word belongs to what a contract or its price is called: `purchase agreement`.
    pub fn is_contract(&self, at: usize) -> bool {
        self.contracts.get(at).copied().unwrap_or(false)
    }

    /// Whether the headline has the first word of the name.
    pub fn is_headed(&self, run: Run) -> bool {
        self.headed.contains(&run.from)
    }

    /// Part of a name of several words: `Seed` of `Bodensee Seed` is no stage.
    pub fn is_named(&self, at: usize) -> bool {
        self.named.get(at).copied().unwrap_or(false)
    }

    /// Whether a part of the passage has one of the phrases outside of names.
    pub fn says(&self, part: &[Token<'_>], phrases: &[&str]) -> bool {
        let start = part.first().map_or(0, |first| self.tokens().partition_point(|it| it.at < first.at));
        (0..part.len()).any(|at| any_at(part, at, phrases).is_some() && !self.is_named(start + at))
    }

    pub fn find_said(&self, phrases: &[&str], from: usize, until: usize) -> Option<Hit> {
        let hits = (from..until.min(self.tokens().len())).filter(|at| !self.is_named(*at));
        hits.filter_map(|at| any_at(self.tokens(), at, phrases)).next()
    }

    /// Other business named in a part of it, unless it names a stage too.
    pub fn is_other(&self, from: usize, until: usize) -> bool {
        let is_equity = super::stage::stage(self).is_some_and(|stage| {
            !matches!(stage, FundingStage::Debt | FundingStage::Grant | FundingStage::Other)
        });
        // `contrat de prêt`, `contract for a loan`: of money after all.
        let of_round = |hit: Hit| find(self.tokens(), self.language.rounds, hit.to + 1, hit.to + 3).is_some();
        self.find_said(self.language.others, from, until).is_some_and(|hit| !of_round(hit)) && !is_equity
    }

    pub fn is_other_business(&self) -> bool {
        self.is_other(0, self.tokens().len())
    }

    pub fn is_sum(&self, at: usize) -> bool {
        self.sums.iter().any(|sum| sum.from == at)
    }

    /// Where the clause of a verb begins: after a colon or `that`, when a name stands between the two.
    pub fn clause_start(&self, verb: usize) -> usize {
        // `that it has agreed with A to acquire`: whoever comes after `with` is not who acts.
        let is_with = |run: &Run| {
            let word =
                |back: usize, words: &[&str]| run.from.checked_sub(back).is_some_and(|at| self.is(at, words));
            word(1, WITH) || word(1, self.language.articles) && word(2, WITH)
        };
        let named =
            |from: usize| self.runs.iter().any(|run| run.from >= from && run.to <= verb && !is_with(run));
        let after_comma = |at: usize| {
            at.checked_sub(1).and_then(|at| self.tokens().get(at)).is_some_and(|it| it.is_mark(","))
        };
        let start = |at: usize| {
            let marked = self.tokens().get(at).is_some_and(|token| token.is_mark(":;")).then_some(at + 1);
            let joined = any_at(self.tokens(), at, self.language.clauses)
                .filter(|_| !after_comma(at) && !self.is_relative_that(at))
                .map(|hit| hit.to);
            marked.or(joined).filter(|from| named(*from))
        };
        (0..verb).rev().find_map(start).unwrap_or(0)
    }

    /// `the business that began on a stall`: no clause of its own, but what is told of the business.
    fn is_relative_that(&self, at: usize) -> bool {
        let last = at.checked_sub(1).and_then(|at| self.tokens().get(at));
        self.language.is_english()
            && last.is_some_and(|last| {
                let shared = [self.language.kinds, self.language.units, self.language.shares];
                shared.iter().any(|words| is_in(last, words))
            })
    }

    /// The name that is the object of a verb that ends at `from`.
    pub fn object(&self, from: usize, until: usize) -> Option<Run> {
        let mut found: Option<Run> = None;
        let mut at = from;
        let until = until.min(from + OBJECT_WORDS_MAX).min(self.tokens().len());
        while at < until {
            if let Some(run) = self.run_at(at) {
                at = run.to;
                if self.tokens().get(at).is_some_and(|it| it.is_mark("'")) {
                    at += 1;
                    found = None;
                    continue;
                }
                found = Some(run);
                continue;
            }
            let Some(token) = self.tokens().get(at) else { break };
            if self.is_genitive(found, at) {
                found = None;
            }
            if found.is_some() && (is_break(token) || self.is_small(at)) {
                return found;
            }
            // `sells the B brand to A`: who has the brand has the company.
            if found.is_some() && is_in(token, &["brand", "brands", "assets"]) && self.language.is_english() {
                return found;
            }
            if found.is_some() && token.kind == Kind::Word {
                // A name before another noun describes it: `Lithuanian rival`.
                found = None;
            }
            if token.is_mark(";:(") || self.is_end(at) || self.is_sum(at) || token.is_mark("–—") {
                return found;
            }
            at += 1;
        }
        found
    }

    /// `Teile des Konkurrenten B`: a noun of which something is told, where nouns look like names.
    fn is_genitive(&self, found: Option<Run>, at: usize) -> bool {
        let lone = found.is_some_and(|run| run.to - run.from == 1 && run.to == at);
        let near = self.runs.iter().any(|run| run.from > at && run.from <= at + 6);
        lone && near && self.language.code == "de" && self.is(at, &["des", "der"])
    }

    /// A small word, before which a name ends.
    fn is_small(&self, at: usize) -> bool {
        let language = self.language;
        [language.stops, language.helpers, language.articles].iter().any(|words| self.is(at, words))
    }

    /// A word after which something else than the object comes; a number only measures it: `Mehrheit von 75 Prozent`.
    fn is_end(&self, at: usize) -> bool {
        let measured =
            self.tokens().get(at + 1).is_some_and(|next| next.kind == Kind::Number) && !self.is_sum(at + 1);
        self.is(at, self.language.ends) && !measured
    }

    /// The part of a company that is sold, as it is written: `activité colorants de Teintalys`.
    pub fn unit(&self, from: usize) -> Option<Run> {
        let start = (from..from + 3).find(|at| !self.is(*at, self.language.articles))?;
        let unit = find(self.tokens(), self.language.units, start, start + 5)?;
        let mut to = unit.to;
        while to < start + 8 && to < self.tokens().len() {
            let token = self.tokens().get(to)?;
            let owned = self.run_at(to).map(|run| run.to);
            if is_break(token)
                || self.is_sum(to)
                || self.is(to, self.language.ends)
                || self.is(to, self.language.to)
                || self.is(to, self.language.helpers)
            {
                break;
            }
            if let Some(end) = owned {
                return Some(Run { from: start, to: end });
            }
            to += 1;
        }
        // `división de carga` is told by what follows, `valve business` by what stands before.
        let follows = unit.from == start && !self.language.joints.is_empty();
        Some(Run { from: start, to: if follows { to } else { unit.to } })
    }

    /// Whether a plan, a wish or a denial stands right before the verb.
    pub fn is_modal(&self, verb: usize) -> bool {
        let near = verb.saturating_sub(MODAL_WORDS)..verb;
        near.filter(|at| self.is(*at, self.language.modals) && !self.is_named(*at)).any(|at| {
            let breaks = (at..verb).any(|between| self.tokens().get(between).is_some_and(is_break));
            !breaks && self.tokens().get(at).is_none_or(|token| token.text != "May") && !self.is_reported(at)
        })
    }

    /// `A said it would acquire B` is no wish.
    fn is_reported(&self, modal: usize) -> bool {
        let said = self.tokens().get(modal.saturating_sub(6)..modal).unwrap_or_default();
        self.is(modal, &["would"])
            && said.iter().any(|token| is_in(token, &["said", "says", "announced", "confirmed"]))
    }

    /// The share named near a verb, in percent.
    pub fn share(&self, from: usize, until: usize) -> Option<u32> {
        let until = until.min(from + SHARE_WORDS);
        (from..until).find_map(|at| self.share_at(at))
    }

    pub fn share_at(&self, at: usize) -> Option<u32> {
        let token = self.tokens().get(at).filter(|token| token.kind == Kind::Number)?;
        let next = self.tokens().get(at + 1)?;
        let is_percent = next.is_mark("%")
            || PERCENT.contains(&next.lower.as_str())
            || is_in(next, &["per", "por", "pour"]) && self.is(at + 2, &["cent", "ciento", "cento"]);
        let whole = token.text.split(['.', ',']).next().and_then(|whole| whole.parse().ok())?;
        is_percent.then_some(whole)
    }

    /// The last words before `at` of a part, back to a mark that parts clauses.
    pub fn before(&self, at: usize, words_max: usize) -> &[Token<'a>] {
        let mut from = at;
        while from > 0 && at - from < words_max {
            let Some(token) = self.tokens().get(from - 1) else { break };
            if token.is_mark(";:()") || token.is_mark(",") && at - from > 0 && !self.in_number(from - 1) {
                break;
            }
            from -= 1;
        }
        self.tokens().get(from..at).unwrap_or_default()
    }

    /// The first words after `at`, up to such a mark.
    pub fn after(&self, at: usize, words_max: usize) -> &[Token<'a>] {
        let end = (at..self.tokens().len().min(at + words_max))
            .find(|at| self.tokens().get(*at).is_some_and(is_break));
        let end = end.unwrap_or(self.tokens().len().min(at + words_max));
        self.tokens().get(at..end).unwrap_or_default()
    }

    fn in_number(&self, at: usize) -> bool {
        self.sums.iter().any(|sum| sum.from <= at && at < sum.to)
    }
}

/// Before whoever something is agreed with.
const WITH: &[&str] = &["with", "mit", "avec", "con", "met", "com", "med"];
const PERCENT: &[&str] = &["percent", "prozent", "procent", "pct"];

pub(super) fn is_break(token: &Token<'_>) -> bool {
    token.is_mark(",;:()[]–—!?\"”“")
}
