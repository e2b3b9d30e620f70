//! Managers buy the company they run: whoever backs them is its owner.

use super::deal::Deal;
use super::language::{Hit, find, is_in};
use super::name::Run;
use super::scene::Scene;

const BUYOUTS: &[&str] = &[
    "management buyout",
    "management buy-out",
    "management-buy-out",
    "management-buyout",
    "management buy-in",
    "mbo",
];
/// They buy it when a purchase is told of as well.
const MANAGERS: &[&str] = &[
    "management team of",
    "managers of",
    "directors of",
    "management von",
    "dirigeants de",
    "geschäftsführung der",
];
const BACKED: &[&str] = &[
    "backed by",
    "supported by",
    "financed by",
    "funded by",
    "backing from",
    "backing of",
    "support from",
    "support of",
    "unterstützung von",
    "unterstützung der",
    "begleitet von",
    "finanziert von",
    "soutenu par",
    "soutenus par",
    "accompagné par",
    "accompagnés par",
    "apoyo de",
    "respaldo de",
    "respaldado por",
    "supporto di",
    "sostegno di",
    "affiancato da",
    "affiancati da",
    "steun van",
    "gesteund door",
    "apoio da",
    "apoio do",
    "apoio de",
    "stöd av",
    "stöd från",
];
const OF: &[&str] =
    &["of", "at", "bei", "der", "von", "de", "du", "chez", "di", "del", "da", "do", "van", "bij", "av", "på"];
const NEAR_WORDS: usize = 5;

pub(super) fn is_buyout(scene: &Scene<'_>) -> bool {
    scene.has(BUYOUTS) || scene.has(MANAGERS) && scene.has(scene.language.buys) && scene.has(BACKED)
}

/// `The management team of B, backed by A, has bought the business`.
pub(super) fn buyout(scene: &Scene<'_>) -> Option<Deal> {
    let hit = scene.find(MANAGERS, 0).or_else(|| scene.find(BUYOUTS, 0))?;
    let target = near(scene, hit.to, |run| {
        let last = run.from.checked_sub(1).and_then(|at| scene.tokens().get(at));
        run.from <= hit.to || last.is_some_and(|last| is_in(last, OF))
    })?;
    let backed = find(scene.tokens(), BACKED, 0, scene.tokens().len());
    let named = backed.and_then(|Hit { to, .. }| near(scene, to, |run| *run != target));
    // `A backs management buyout of B`.
    let acquirer = named.or_else(|| scene.subject(0, hit.from)).filter(|acquirer| *acquirer != target);
    Some(Deal { acquirer, target: Some(target), at: hit.from, ..Deal::default() })
}

fn near(scene: &Scene<'_>, from: usize, fits: impl Fn(&Run) -> bool) -> Option<Run> {
    let run = scene.runs.iter().copied().find(|run| run.from >= from)?;
    (run.from <= from + NEAR_WORDS && fits(&run)).then_some(run)
}
