//! What one of the first sentences tells in full of parties that are surely companies, whatever headline the release has.

use super::amount::paid;
use super::deal::{Deal, deal};
use super::funding::{round, speaks_of_round};
use super::merge::{TOLD_ONCE, merge_round};
use super::naming::{body_name, canonical, is_same};
use super::owner::owners;
use super::proof::{described, support};
use super::scene::Scene;
use super::sense::{fund_like, gives, is_aside, is_look_back, is_person, is_public, is_substantial};
use super::{Announced, Story};

/// Sentences in which news is told.
const SENTENCES: usize = 2;
/// What somebody has at least who needs no other proof.
const SUPPORT_MIN: usize = 4;
/// The same of what is bought: of that less is said.
const TARGET_MIN: usize = 3;

/// What the first sentences tell, when nothing could be read of headline and body together.
pub(super) fn read(story: &Story<'_>) -> Option<Announced> {
    purchase(story).or_else(|| funding(story))
}

/// A purchase that a sentence tells in its main clause, of two who are there otherwise as well.
pub(super) fn purchase(story: &Story<'_>) -> Option<Announced> {
    let told = |scene: &Scene<'_>| {
        let found = deal(scene, story.year)?;
        (!found.minority && !is_aside(scene, found.at)).then_some(found)
    };
    let mut lead = story.body.iter().take(SENTENCES).enumerate();
    let (at, scene, found) =
        lead.find_map(|(at, scene)| Some((at, scene, told(scene).filter(Deal::is_told)?)))?;
    let named = |name: Option<String>, least: usize| name.filter(|name| support(story, name) >= least);
    let acquirer = named(body_name(story, scene, found.acquirer?), SUPPORT_MIN)?;
    let owners = owners(story);
    let is_other = |name: &str| !owners.iter().any(|owner| owner == name) && !is_same(name, &acquirer);
    let target = found.target.and_then(|run| body_name(story, scene, run)).filter(|name| is_other(name));
    let target =
        named(target, TARGET_MIN).or_else(|| described(story, is_other).filter(|_| found.unit.is_some()))?;
    if is_public(story, &acquirer) || is_person(story, &target) || is_person(story, &acquirer) {
        return None;
    }
    let scenes = story.body.iter().skip(at).collect::<Vec<_>>();
    let price = paid(&story.title, &scenes, story.year);
    let (acquirer, target) = (canonical(story, acquirer), canonical(story, target));
    Some(Announced::Acquisition { acquirer, target, price, confidence: TOLD_ONCE })
}

/// A round with its sum that a sentence tells in its main clause.
fn funding(story: &Story<'_>) -> Option<Announced> {
    let (at, scene) = story
        .body
        .iter()
        .take(SENTENCES)
        .enumerate()
        .find(|(_, scene)| !scene.sums.is_empty() && speaks_of_round(scene) && !is_look_back(scene))?;
    let found = round(scene, true, story.year).filter(|found| !is_aside(scene, found.at))?;
    let company = body_name(story, scene, found.company)?;
    let is_other = fund_like(story, &company) || gives(story, &company) || is_person(story, &company);
    if is_other || support(story, &company) < SUPPORT_MIN {
        return None;
    }
    let investor = found.investor.and_then(|run| body_name(story, scene, run));
    let found = merge_round(story, company, at, investor, TOLD_ONCE);
    is_substantial(story, &found).then_some(found)
}
