//! Names of companies and people in a passage: where they are, and what of them is no name.

use super::known::{Known, has_pair};
use super::language::{Language, any_at, is_in};
use super::table::is_one_of;
use super::text::{Kind, Passage, Token};
use assay_domain::limits::{PRESS_NAME_BYTES_MAX, PRESS_NAME_WORDS_MAX};

/// Words in a row that may be a name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Run {
    pub from: usize,
    pub to: usize,
}

const LEGAL_FORMS: &str = "\
    inc corp corporation ltd limited llc llp plc gmbh ag se kg kgaa ug sa sas sarl sca spa srl bv nv ab \
    oy oyj as asa aps a/s sl slu sau lda ltda pty fz-llc co kk s.a s.p.a s.r.l b.v n.v s.l s.a.s publ \
    pte jsc pjsc pvt bhd sdn kft zrt tbk oü uab sia ehf k.k";
/// Roles and titles of people: they end a name, and are none.
const ROLES: &[&str] = &[
    "ceo",
    "cfo",
    "cto",
    "coo",
    "cmo",
    "dr",
    "mr",
    "mrs",
    "ms",
    "prof",
    "vp",
    "md",
    "chairman",
    "president",
    "geschäftsführer",
];
/// Words with which no name begins but many go on.
const NAMED_INSIDE: &str = "capital management investment investments financial strategic news seed stock first new kapital gruppe funds invest";
/// Heads after which `of` goes on with the name.
const HEADS_OF: &[&str] =
    &["bank", "university", "institute", "house", "port", "college", "ministry", "department"];

pub(super) fn is_legal_form(token: &Token<'_>) -> bool {
    token.kind == Kind::Word && is_one_of(&token.lower, LEGAL_FORMS) && token.is_capital()
        || matches!(token.lower.as_str(), "gmbh" | "publ" | "plc" | "s.p.a")
}

/// The runs of a passage. What is blocked (sums, verbs, stages) is in none.
pub(super) fn runs(passage: &Passage<'_>, known: Known<'_>, blocked: &[bool]) -> Vec<Run> {
    let tokens = &passage.tokens;
    let is_free = |at: usize| !blocked.get(at).copied().unwrap_or(true);
    let mut found = Vec::new();
    let mut at = 0;
    while at < tokens.len() {
        if is_free(at) && is_small_brand(tokens, at, known) {
            found.push(Run { from: at, to: at + 1 });
        }
        let is_numbered = is_free(at) && is_free(at + 1) && known.is_numbered(tokens, at);
        let leads = is_numbered && tokens.get(at).is_some_and(|token| token.kind == Kind::Number);
        if !(leads || is_free(at) && is_part(tokens, at, known)) {
            at += 1;
            continue;
        }
        let mut to = at + 1;
        while to < tokens.len() && to - at < PRESS_NAME_WORDS_MAX {
            let Some(next) = joined(tokens, at, to, known, &is_free) else { break };
            to = next;
        }
        found.push(Run { from: at, to });
        at = to;
    }
    found
}

/// `tinyledger has raised`: a word nobody knows that begins a clause without a capital, and what follows is its verb.
fn is_small_brand(tokens: &[Token<'_>], at: usize, known: Known<'_>) -> bool {
    let Some((token, next)) = tokens.get(at).zip(tokens.get(at + 1)) else { return false };
    let language = known.language;
    let last = at.checked_sub(1).and_then(|at| tokens.get(at));
    let begins = last.is_none_or(|last| last.is_mark(":“\"–—"));
    let verbs = [language.raises, language.buys];
    let is_verb = |at: usize| verbs.iter().any(|words| any_at(tokens, at, words).is_some());
    let acts = is_verb(at + 1) || is_in(next, &["has", "hat", "a", "ha", "heeft", "har"]) && is_verb(at + 2);
    if known.brands.iter().any(|brand| brand == token.text) {
        return true;
    }
    let is_known = language.is_known(token) || is_verb(at);
    let is_word = token.kind == Kind::Word && !token.is_capital() && token.text.chars().count() > 3;
    // Several of a kind are no brand.
    let is_one = language.is_english() && !token.lower.ends_with('s') || token.text.contains('.');
    // No headline begins small but with a brand: `knot ties down its round`.
    let heads = known.title.tokens.first().is_some_and(|first| first.text == token.text)
        && known.body.iter().any(|text| text.tokens.iter().any(|it| it.text == token.text))
        && last.is_none_or(|last| last.is_mark(":;,.") || is_in(last, &["that", "and", "of", "in", "for"]));
    begins && acts && is_word && is_one && !is_known || heads && is_word && !is_known
}

/// `Lockhart's acquires`: what owns nothing is called so.
fn ends_in_genitive(tokens: &[Token<'_>], at: usize, known: Known<'_>) -> bool {
    let is_genitive = tokens.get(at).is_some_and(|token| token.is_mark("'") && token.lower.ends_with('s'));
    let language = known.language;
    let verbs = [language.raises, language.buys, language.sells, language.invests];
    let owns_nothing = tokens.get(at + 1).is_none_or(|next| {
        let acts = next.lower.ends_with('s') && verbs.iter().any(|it| any_at(tokens, at + 1, it).is_some());
        let is_small = !is_in(next, &["and", "or", "own", "been", "now", "just", "also", "private"])
            && !next.is_capital()
            && (is_in(next, language.helpers) || is_in(next, language.stops));
        acts || is_small || next.is_mark(",.;)")
    });
    language.is_english() && is_genitive && owns_nothing
}

/// Where the run ends when it goes on at this token.
fn joined(
    tokens: &[Token<'_>],
    from: usize,
    at: usize,
    known: Known<'_>,
    is_free: &impl Fn(usize) -> bool,
) -> Option<usize> {
    let token = tokens.get(at)?;
    let is_part_at = |at: usize| is_free(at) && is_part(tokens, at, known);
    // `Portuale Uno`, `Corpo São`: a capital inside a name makes a name of a small word. Not where headlines have them all.
    let language = known.language;
    let is_small = is_in(token, language.articles) || language.code != "en" && is_in(token, language.helpers);
    let article = is_small && token.is_capital() && is_free(at) && token.lower.chars().count() > 1;
    if article || is_part_at(at) || is_free(at) && token.is_capital() && is_one_of(&token.lower, NAMED_INSIDE)
    {
        return Some(at + 1);
    }
    let last = tokens.get(at.checked_sub(1)?)?;
    // `Gantry Nine`: an ordinary word with a capital that headline and body both have after the same name.
    if is_free(at) && token.is_capital() && !is_in(token, ROLES) && known.is_pair(last, token) {
        return Some(at + 1);
    }
    if token.is_mark("'")
        && token.lower.ends_with('s')
        && is_part_at(at + 1)
        && known.is_always_owner(tokens, from, at)
    {
        return Some(at + 2);
    }
    // `Suvarna Cables Private Limited`.
    if token.text == "Private" && tokens.get(at + 1).is_some_and(is_legal_form) {
        return Some(at + 2);
    }
    if ends_in_genitive(tokens, at, known) {
        return Some(at + 1);
    }
    if is_free(at) && token.kind == Kind::Number && known.is_numbered(tokens, at - 1) {
        return Some(at + 1);
    }
    linked(tokens, from, at, known, is_free)
}

/// The same over a small word or a mark: `Van der Meulen`, `GmbH & Co. KG`, `Labor am Rheinknie AG`.
fn linked(
    tokens: &[Token<'_>],
    from: usize,
    at: usize,
    known: Known<'_>,
    is_free: &impl Fn(usize) -> bool,
) -> Option<usize> {
    let (token, last) = (tokens.get(at)?, tokens.get(at.checked_sub(1)?)?);
    let is_part_at = |at: usize| is_free(at) && is_part(tokens, at, known);
    // `Van der Meulen`.
    let particle =
        is_one_of(last.text, "Van Von De Da Vom Zu") && is_one_of(&token.lower, "der den de het la 't dem");
    if particle && is_part_at(at + 1) {
        return Some(at + 2);
    }
    if token.is_mark("&") && is_part_at(at + 1) {
        return Some(at + 2);
    }
    // `Lockridge Corp.`, `St. Gallen`.
    if token.is_mark(".")
        && !token.spaced
        && (last.text.len() <= 2 || is_legal_form(last))
        && is_part_at(at + 1)
        && is_in(last, &["st", "dr"])
    {
        return Some(at + 2);
    }
    // `Labor am Rheinknie AG`.
    let is_closed = (at + 2..at + 4).any(|at| tokens.get(at).is_some_and(is_legal_form));
    if known.language.has_capital_nouns()
        && is_in(token, &["am", "zum", "zur", "im"])
        && is_part_at(at + 1)
        && is_closed
    {
        return Some(at + 2);
    }
    // `GmbH & Co. KG`.
    let is_company =
        token.is_mark(".") && last.lower == "co" && tokens.get(at + 1).is_some_and(is_legal_form);
    if is_company && from + 1 < at {
        return Some(at + 2);
    }
    if is_part_at(at + 1) && known.is_phrase(tokens, at) {
        return Some(at + 2);
    }
    // `Boulange d'Or` in a Dutch text.
    let elided = token.lower == "d'" && token.spaced && tokens.get(at + 1).is_some_and(|next| !next.spaced);
    let joint = elided || is_in(token, known.language.joints) || token.lower == "of" && is_in(last, HEADS_OF);
    if joint && at > from {
        let second = tokens
            .get(at + 1)
            .filter(|next| is_in(next, known.language.articles) && is_in(next, &["la", "l'", "los", "las"]));
        let next = at + 1 + usize::from(second.is_some());
        return is_part_at(next).then_some(next + 1);
    }
    None
}

fn is_opener(token: &Token<'_>, language: &Language) -> bool {
    is_in(token, language.openers)
}

/// Whether the word may be part of a name.
fn is_part(tokens: &[Token<'_>], at: usize, known: Known<'_>) -> bool {
    let Some(token) = tokens.get(at) else { return false };
    let language = known.language;
    if !token.is_capital() || is_in(token, ROLES) {
        return false;
    }
    let is_first = at == 0
        || at.checked_sub(1).and_then(|at| tokens.get(at)).is_some_and(|last| last.is_mark(":.“\"–—-(«„"));
    if is_first && is_hyphenated(token, tokens.get(at + 1)) {
        return false;
    }
    let is_small = is_in(token, language.articles)
        || is_in(token, language.stops) && (is_first || token.text.chars().count() <= 4)
        || is_in(token, language.helpers);
    // `Van Dijk`, `La Rinconada`: in the middle of a sentence only names begin so.
    let next = tokens.get(at + 1);
    let goes_on = next.is_some_and(|next| {
        next.is_capital()
            || token.lower == "van"
                && is_in(next, &["der", "den", "de"])
                && tokens.get(at + 2).is_some_and(Token::is_capital)
    });
    let begins_name = !is_first && language.code != "en" && goes_on;
    // `Van Oorschot Bouwgroep`, with which headline and body begin.
    let is_van = matches!(token.text, "Van" | "Von" | "Vander" | "Ter")
        && next.is_some_and(|next| {
            next.is_capital()
                && has_pair(known.title, token.text, next.text)
                && known.body.iter().any(|text| has_pair(text, token.text, next.text))
        });
    let begins_name = begins_name || is_van;
    if is_small && !token.is_shouted() && !begins_name {
        return false;
    }
    let is_begun = is_small && begins_name && (!known.is_titled || is_van);
    let is_begun =
        is_begun || known.begins_name(tokens, at, is_first) || is_first && known.is_bare_subject(token);
    if is_opener(token, language) && !is_begun {
        return false;
    }
    let formed = tokens.get(at + 1).is_some_and(is_legal_form);
    let is_ordinary = is_first && known.small.binary_search(&token.lower).is_ok();
    formed
        || !is_ordinary
        || known.has_inside(tokens, at)
        || known.is_bare_subject(token)
        || known.is_always_paired(tokens, at)
}

/// `Ex-airline engineers`, `Family-owned maker`: a word of which only the beginning of the sentence makes a capital.
fn is_hyphenated(token: &Token<'_>, next: Option<&Token<'_>>) -> bool {
    let small = |part: &str| part.chars().count() > 2 && part.chars().all(char::is_lowercase);
    let rest = token.text.split_once(['-', '‑']).map_or("", |(_, rest)| rest);
    let goes_on = next.is_some_and(|next| next.kind == Kind::Word && !next.is_capital());
    small(rest) && goes_on && !token.text.contains('.')
}

/// Legal forms that are no part of a name wherever it is told: `Gao Gao JSC`, `Czujnik-Tech Sp. z o.o.`
const FOREIGN_FORMS: &str =
    "K.K Pte JSC PJSC OJSC Sp Pvt Kft Zrt Tbk OÜ UAB SIA ehf hf hf. d.o.o z.o.o s.r.o a.s eG SAOG SAC LP";

pub(super) fn without_form(name: String) -> String {
    // `PT Nusantara Tbk`.
    let name = name.strip_prefix("PT ").map(str::to_owned).unwrap_or(name);
    let (mut name, mut cut) = (name, true);
    for form in [" Private Limited", " Public Company Limited", " Public Limited Company"] {
        name = name.strip_suffix(form).map(str::to_owned).unwrap_or(name);
    }
    while cut {
        let last = name.rsplit_once(' ').filter(|(_, last)| is_one_of(last, FOREIGN_FORMS));
        let head = last.map(|(head, _)| head.trim_end_matches(',').to_owned());
        cut = head.is_some();
        name = head.unwrap_or(name);
    }
    name
}

/// The name as text; none when it is too long to be one.
pub(super) fn spell(passage: &Passage<'_>, run: Run) -> Option<String> {
    let text = passage.slice(run.from, run.to).split_whitespace().collect::<Vec<_>>().join(" ");
    let text = without_form(text);
    (!text.is_empty() && text.len() <= PRESS_NAME_BYTES_MAX).then_some(text)
}
