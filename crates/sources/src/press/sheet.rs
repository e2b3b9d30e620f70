//! Releases that are a sheet of facts: `Target: Corella Wines. Acquirer: Bunyip Beverages.`

use super::amount::{paid, raised};
use super::describe::clean;
use super::language::find;
use super::merge::merge_round;
use super::name::spell;
use super::scene::Scene;
use super::stage::stage;
use super::{Announced, Story};
use assay_domain::Confidence;

/// Facts under their names leave little to misread.
const SURE: Confidence = Confidence::percent(85);

pub(super) fn read(story: &Story<'_>) -> Option<Announced> {
    let [buyers, targets, companies] = story.language().labels;
    if let Some((acquirer, target)) = labelled(story, buyers).zip(labelled(story, targets)) {
        let told = story.body.iter().collect::<Vec<_>>();
        let price = paid(&story.title, &told, story.year);
        return Some(Announced::Acquisition { acquirer, target, price, confidence: SURE });
    }
    let company = labelled(story, companies).or_else(|| headed(story))?;
    let told = story.body.iter().collect::<Vec<_>>();
    raised(&story.title, &told, story.year)?;
    Some(merge_round(story, company, 0, None).with_confidence(SURE))
}

/// The name after a label and a colon.
fn labelled(story: &Story<'_>, labels: &[&str]) -> Option<String> {
    story.body.iter().find_map(|scene| {
        let tokens = scene.tokens();
        let hit = (0..tokens.len()).find_map(|at| {
            let hit = find(tokens, labels, at, at + 1)?;
            tokens.get(hit.to).filter(|next| next.is_mark(":")).map(|_| hit)
        })?;
        let run = scene.run_at(hit.to + 1)?;
        spell(scene.passage, clean(scene.passage, run, &story.texts(), scene.language))
    })
}

/// `Rounds of the week: Plumbago`, and a body that begins with the name and tells the round without a verb.
fn headed(story: &Story<'_>) -> Option<String> {
    let title = &story.title;
    let colon = title.tokens().iter().position(|token| token.is_mark(":"))?;
    let run = title.run_at(colon + 1).filter(|run| run.to == title.tokens().len())?;
    let name = spell(title.passage, run)?;
    let first = story.body.first()?;
    let is_verbless = |scene: &Scene<'_>| !scene.has(scene.language.helpers);
    let told = story.body.iter().find(|scene| !scene.sums.is_empty())?;
    let starts = first.passage.text.starts_with(&name);
    (starts && is_verbless(first) && is_verbless(told) && stage(told).is_some()).then_some(name)
}
