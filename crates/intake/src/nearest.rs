//! The known name that a mistyped one most likely means.

/// Below this likeness a suggestion would only confuse.
const LIKENESS_MIN: f64 = 0.75;
/// Comparing costs the product of the lengths.
const CHARS_MAX: usize = 100;

pub(crate) fn nearest<'a>(typed: &str, known: impl IntoIterator<Item = &'a str>) -> Option<String> {
    if typed.chars().count() > CHARS_MAX {
        return None;
    }
    let typed = typed.to_lowercase();
    let scored = known
        .into_iter()
        .filter(|name| name.len() <= CHARS_MAX)
        .map(|name| (strsim::jaro_winkler(&name.to_lowercase(), &typed), name));
    let best = scored.max_by(|left, right| left.0.total_cmp(&right.0));
    best.filter(|(likeness, _)| *likeness >= LIKENESS_MIN).map(|(_, name)| name.to_owned())
}

/// The end of a message: what was probably meant, if there is such a name.
pub(crate) fn meant(nearest: Option<&str>) -> String {
    nearest.map(|name| format!("; did you mean `{name}`?")).unwrap_or_default()
}
