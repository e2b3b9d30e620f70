//! Who a verb is told of: the name before it that is no town, no aside and no description of somebody else.

use super::describe::is_sort;
use super::language::is_in;
use super::name::{Run, is_legal_form};
use super::scene::{Scene, is_break};
use super::sense::is_relative;
use super::text::Kind;

/// What stands between parentheses after a name.
const ASIDE_WORDS_MAX: usize = 16;
/// Before the town of a company.
const OUT_OF: &[&str] = &["from", "aus", "uit", "från", "i", "à"];

impl Scene<'_> {
    /// The name that is the subject of the verb at `until`.
    pub fn subject(&self, from: usize, until: usize) -> Option<Run> {
        let (mut strong, mut weak, mut earlier) = (None, None, None);
        let mut at = from;
        while at < until {
            if let Some(run) = self.run_at(at).filter(|run| run.to <= until) {
                at = run.to;
                if self.tokens().get(at).is_some_and(|it| it.is_mark("'")) {
                    at += 1;
                    weak = None;
                    continue;
                }
                // `Elmsworth lists in London after raising`: what follows a preposition is no subject.
                let is_apart = run.from > from && self.is(run.from - 1, self.language.stops);
                // `the software maker in Tucson` is not called Tucson.
                let is_place = self.is_town(from, run);
                // `Founded in Nantes by two mechanics, Rustine has`: the subject is still to come.
                let is_opening =
                    is_apart && strong.is_none() && weak.is_none() && self.opens_clause(from, run);
                if is_opening {
                    earlier = earlier.or(Some(run));
                } else if !(is_apart && weak.is_some() || is_place) {
                    strong = Some(run);
                }
                at = self.skip_aside(self.skip_legal_form(at));
                continue;
            }
            let Some(token) = self.tokens().get(at) else { break };
            // `The startup, which got $5m from A, has acquired`: whoever is named in between did nothing.
            if let Some(end) = self.relative_end(at, until).filter(|_| strong.is_none()) {
                at = end;
                continue;
            }
            if token.is_mark(":.|") || token.is_mark("–—-") && self.run_at(at + 1).is_some() {
                earlier = strong.or(weak);
                (strong, weak) = (None, None);
            } else if strong.is_some()
                && (is_break(token) || self.is(at, self.language.stops) || self.is(at, self.language.helpers))
            {
                return strong;
            } else if strong.is_some() {
                // `the Leeds company` is not called Leeds.
                // `Moose Jaw grain handler sold`: nor is the handler.
                weak = strong.take().filter(|_| {
                    !self.is(at, self.language.kinds)
                        && !self.is(at, self.language.things)
                        && !self.is_of_doer(at, until)
                });
            }
            at += 1;
        }
        // `Snack maker A is entering the aisle: it has bought B.`
        strong.or(weak).or(earlier)
    }

    /// Behind the comma that closes the relative clause which the comma here opens.
    fn relative_end(&self, comma: usize, until: usize) -> Option<usize> {
        let is_comma = |at: usize| self.tokens().get(at).is_some_and(|it| it.is_mark(","));
        let opens = is_comma(comma) && self.tokens().get(comma + 1).is_some_and(is_relative);
        (comma + 2..until).rev().find(|at| opens && is_comma(*at)).map(|at| at + 1)
    }

    /// Whether the words from here to the verb are a description that ends in whoever does something.
    fn is_of_doer(&self, from: usize, verb: usize) -> bool {
        const DOERS: &[&str] =
            &["er", "ers", "or", "ors", "ist", "firm", "shop", "chain", "company", "startup", "start-up"];
        const DESCRIPTION_WORDS: usize = 4;
        let words = self.tokens().get(from..verb).unwrap_or_default();
        let plain = words.iter().all(|token| token.kind == Kind::Word && !token.is_capital());
        let helper =
            words.iter().position(|token| is_in(token, self.language.helpers)).unwrap_or(words.len());
        let last = helper.checked_sub(1).and_then(|at| words.get(at));
        let does = last.is_some_and(|last| {
            DOERS.iter().any(|ending| last.lower.len() > 4 && last.lower.ends_with(ending))
        });
        self.language.is_english() && plain && words.len() <= DESCRIPTION_WORDS && does
    }

    /// Whether the name is only where the company is: `the software maker in Tucson`, `biotech de Braga`.
    pub fn is_town(&self, from: usize, run: Run) -> bool {
        let Some(kind) = run.from.checked_sub(2).filter(|kind| *kind >= from) else { return false };
        let out_of = self.is(run.from - 1, self.language.inside) || self.is(run.from - 1, OUT_OF);
        let of = self.is(run.from - 1, &["de", "di", "da", "do", "du"]);
        let is_kind = self.tokens().get(kind).is_some_and(|token| {
            let one = token.lower.strip_suffix('s').unwrap_or_default();
            is_in(token, self.language.kinds) || self.language.kinds.contains(&one)
        });
        out_of && is_kind || of && self.tokens().get(kind).is_some_and(is_sort)
    }

    /// Whether a comma and a name with its verb follow the words with which the sentence begins.
    fn opens_clause(&self, from: usize, run: Run) -> bool {
        let tokens = self.tokens();
        let is_comma = |at: &usize| tokens.get(*at).is_some_and(|it| it.is_mark(","));
        let Some(comma) = (run.to..tokens.len()).find(is_comma) else { return false };
        let next = self.runs.iter().find(|next| next.from > comma && next.from <= comma + 4);
        let begins = tokens.get(from).is_some_and(|first| first.is_capital()) && self.run_at(from).is_none();
        begins && next.is_some_and(|next| self.is(next.to, self.language.helpers))
    }

    /// After `Genomics` of `Glasshouse Genomics, Inc. today`, and after the full stop of `Lockridge Corp. has`.
    pub fn skip_legal_form(&self, at: usize) -> usize {
        let is_form = |at: usize| self.tokens().get(at).is_some_and(is_legal_form);
        let comma = self.tokens().get(at).is_some_and(|it| it.is_mark(","));
        let mut after = if comma && is_form(at + 1) { at + 2 } else { at };
        let formed = after.checked_sub(1).is_some_and(is_form);
        while formed && self.tokens().get(after).is_some_and(|it| it.is_mark(".") && !it.spaced) {
            after += 1;
        }
        // The comma that closes `, Inc.,` opens nothing.
        let closes = after > at && comma && self.tokens().get(after).is_some_and(|it| it.is_mark(","));
        let described = self.tokens().get(after + 1).is_some_and(|it| is_in(it, self.language.articles));
        after + usize::from(closes && !described)
    }

    /// Behind `(NYSE: GLS)` after a name.
    pub fn skip_aside(&self, at: usize) -> usize {
        if !self.tokens().get(at).is_some_and(|it| it.is_mark("(")) {
            return at;
        }
        let inside = self.tokens().iter().enumerate().skip(at).take(ASIDE_WORDS_MAX);
        inside.into_iter().find(|(_, it)| it.is_mark(")")).map_or(at, |(end, _)| end + 1)
    }
}
