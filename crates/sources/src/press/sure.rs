//! What one of the first sentences tells in full in its main clause, whatever headline the release has.

use super::amount::paid;
use super::deal::{Deal, deal};
use super::funding::{round, speaks_of_round};
use super::merge::merge_round;
use super::naming::{body_name, canonical, is_same};
use super::owner::owners;
use super::proof::{described, support};
use super::scene::Scene;
use super::sense::{fund_like, gives, is_aside, is_look_back, is_person, is_public, is_substantial};
use super::{Announced, Story, UNWEIGHED};

/// Sentences in which news is told.
const SENTENCES: usize = 2;
/// What somebody has at least whom nothing but one sentence makes a buyer; of what is bought less is said.
const SUPPORT_MIN: usize = 4;
const TARGET_MIN: usize = 3;

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
    Some(Announced::Acquisition { acquirer, target, price, confidence: UNWEIGHED })
}

/// A round with its sum that a sentence tells in its main clause.
pub(super) fn funding(story: &Story<'_>) -> Option<Announced> {
    let (at, scene) = story
        .body
        .iter()
        .take(SENTENCES)
        .enumerate()
        .find(|(_, scene)| !scene.sums.is_empty() && speaks_of_round(scene) && !is_look_back(scene))?;
    let found = round(scene, true, story.year).filter(|found| !is_aside(scene, found.at))?;
    let company = body_name(story, scene, found.company)?;
    let is_other = fund_like(story, &company) || gives(story, &company) || is_person(story, &company);
    if is_other {
        return None;
    }
    let investor = found.investor.and_then(|run| body_name(story, scene, run));
    let found = merge_round(story, company, at, investor);
    is_substantial(story, &found).then_some(found)
}
