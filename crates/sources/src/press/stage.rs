//! The stage of a round, as a passage names it.

use super::scene::Scene;
use assay_domain::taxonomy::FundingStage;

const SERIES: &[FundingStage] = &[
    FundingStage::SeriesA,
    FundingStage::SeriesB,
    FundingStage::SeriesC,
    FundingStage::SeriesD,
    FundingStage::SeriesE,
    FundingStage::SeriesF,
    FundingStage::SeriesG,
    FundingStage::SeriesH,
];
const SERIES_WORDS: &[&str] = &["series", "serie", "série", "serien"];
/// Rounds that are named by their letter: `A-Runde`.
const ROUND_ENDINGS: &[&str] =
    &["runde", "ronde", "runda", "rundan", "finanzierung", "round", "financiering", "finanzierungsrunde"];

/// A series is the most telling; then seed; then what the money is, in the order of the table.
pub(super) fn stage(scene: &Scene<'_>) -> Option<FundingStage> {
    let words = words(scene);
    if let Some(series) = series(&words) {
        return Some(series);
    }
    let text = format!(" {} ", words.join(" "));
    let shared = scene.language.stages.iter();
    shared.filter(|(phrase, _)| text.contains(&format!(" {phrase} "))).map(|(_, stage)| *stage).next()
}

/// Words with hyphens taken apart, so that `Series-B-Runde` says `series b runde`.
fn words(scene: &Scene<'_>) -> Vec<String> {
    let tokens = scene.tokens().iter().enumerate().filter(|(at, _)| !scene.is_named(*at));
    tokens
        .flat_map(|(_, token)| token.lower.split(['-', '‑']))
        .filter(|word| !word.is_empty())
        .map(str::to_owned)
        .collect()
}

fn series(words: &[String]) -> Option<FundingStage> {
    let mut found = None;
    for (at, pair) in words.iter().zip(words.iter().skip(1)).enumerate() {
        let (first, second) = (pair.0.as_str(), pair.1.as_str());
        let letter = if SERIES_WORDS.contains(&first) { letter_of(second) } else { None };
        let letter = letter.or_else(|| {
            if ROUND_ENDINGS.contains(&second) && first.len() == 1 && first != "a" {
                letter_of(first)
            } else {
                None
            }
        });
        let Some(letter) = letter else { continue };
        let is_pre = at
            .checked_sub(1)
            .and_then(|at| words.get(at))
            .is_some_and(|word| matches!(word.as_str(), "pre" | "pré" | "prä"));
        found = if is_pre { Some(FundingStage::Other) } else { SERIES.get(letter).copied() };
        break;
    }
    found
}

/// `b`, `b1`, `b-2` as a place in the alphabet.
fn letter_of(word: &str) -> Option<usize> {
    let mut letters = word.bytes();
    let letter = letters.next().filter(u8::is_ascii_lowercase)?;
    let rest_fits = letters.all(|it| it.is_ascii_digit());
    rest_fits.then(|| usize::from(letter - b'a'))
}
