//! The known name a mistyped one most likely means.

/// Below this likeness a suggestion would only confuse.
const LIKENESS_MIN: f64 = 0.75;

pub fn nearest<'a>(typed: &str, known: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let scored = known.into_iter().map(|name| (strsim::jaro_winkler(name, typed), name));
    let best = scored.max_by(|left, right| left.0.total_cmp(&right.0));
    best.filter(|(likeness, _)| *likeness >= LIKENESS_MIN).map(|(_, name)| name)
}
