//! What stands before the first sentence of a release: headings, who may read it, place and date.

use super::table::is_one_of;
use super::text::shorten;

/// More lines than these are no heading.
const LINES_MAX: usize = 16;
/// A sentence has at least so many words.
const SENTENCE_WORDS: usize = 8;

/// The body from its first sentence on.
pub(super) fn without_front(body: &str) -> &str {
    undated(without_headings(body.trim_start()))
}

/// The body without the lines before its first sentence: `NOT FOR RELEASE`, `4 March 2026`, `Disposal of the division`.
fn without_headings(body: &str) -> &str {
    let mut rest = body;
    for _ in 0..LINES_MAX {
        let (line, after) = rest.split_once('\n').unwrap_or((rest, ""));
        if is_sentence(line) {
            return rest;
        }
        rest = after.trim_start();
    }
    body
}

fn is_sentence(line: &str) -> bool {
    let ended = line.trim_end().trim_end_matches(['"', '”', '“', '»', '\'', ')']);
    let is_loud = !line.chars().any(char::is_lowercase);
    ended.ends_with(['.', '!', '?', ':']) && !is_loud && line.split_whitespace().count() >= SENTENCE_WORDS
}

const DASHES: &[&str] = &[" -- ", " – ", " — ", " - ", ".- ", ".— ", "/ -", ") -", ")--", "/--"];
const DATELINE_BYTES_MAX: usize = 140;
/// Those who carry releases write their name into the line.
const WIRES: &[&str] =
    &["(ots", "newswire", "business wire", "globenewswire", "globe newswire", "accesswire", "cision"];

/// The body without `PARIS, le 16 avril 2026 – ` and the like before its first sentence.
fn undated(body: &str) -> &str {
    let head = shorten(body, DATELINE_BYTES_MAX);
    let cut = DASHES.iter().filter_map(|dash| head.find(dash).map(|at| (at, at + dash.len()))).min();
    let Some((at, end)) = cut else { return after_date(body) };
    let line = head.get(..at).unwrap_or_default();
    let place = line.split([',', ' ', '(', '/']).next().unwrap_or_default();
    let shouted = place.chars().count() >= 3 && !place.chars().any(char::is_lowercase);
    let dated = line.chars().filter(char::is_ascii_digit).count() >= 5 && line.contains(',');
    let small = line.to_lowercase();
    if shouted || dated || WIRES.iter().any(|wire| small.contains(wire)) {
        let rest = body.get(end..).unwrap_or_default().trim_start_matches(['-', '–', '—', ' ']);
        // `4 March 2026 – 17.45 – `: what parts place and date may stand there twice.
        return after_date(rest);
    }
    after_date(body)
}

/// Small words and months between a place and a year.
const DATE_WORDS: &str = "le den del de di do am of the el em op i januari januar january janvier enero gennaio janeiro \
    februari februar february février febrero febbraio fevereiro mars märz march marzo maart março april avril abril aprile \
    maj mai may mayo maggio mei maio juni june juin junio giugno junho juli july juillet julio luglio julho augusti august \
    août agosto augustus september septembre septiembre settembre setembro oktober october octobre octubre ottobre outubro \
    november novembre noviembre novembro december dezember décembre diciembre dicembre dezembro";
const DATE_WORDS_MAX: usize = 9;

/// The rest after a place and a date that no dash parts from it: `WARSAW, 2 October 2025. `.
fn after_date(body: &str) -> &str {
    let head = shorten(body, DATELINE_BYTES_MAX);
    let mut at = 0;
    for word in head.split_inclusive(char::is_whitespace).take(DATE_WORDS_MAX) {
        at += word.len();
        let bare = word.trim_matches(|it: char| !it.is_alphanumeric());
        let is_year = bare.len() == 4 && bare.parse::<u16>().is_ok_and(|year| (1990..2100).contains(&year));
        let is_parted = word.trim_end().ends_with(['.', ':', '-', '–', '—']);
        if is_year && is_parted {
            return body.get(at..).unwrap_or_default();
        }
        let is_small = bare.starts_with(char::is_lowercase) && !is_one_of(&bare.to_lowercase(), DATE_WORDS);
        if is_small || is_year {
            break;
        }
    }
    body
}
