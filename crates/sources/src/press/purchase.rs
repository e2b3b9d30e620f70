//! A purchase, put together from what the headline and the first sentences tell of it.

use super::amount::paid;
use super::deal::{Deal, deal};
use super::language::{find, is_in};
use super::merge::merge_round;
use super::name::{Run, spell};
use super::naming::{body_name, canonical, is_certain, is_in_title, is_same, prefer, settled_name};
use super::scene::Scene;
use super::sense::{is_aside, is_public};
use super::table::is_one_of;
use super::topic::names_nobody;
use super::{Announced, Story, UNWEIGHED};
use assay_domain::limits::PRESS_LEAD_SENTENCES;
use assay_domain::taxonomy::FundingStage;

/// The sides of a purchase as names.
#[derive(Debug, Default, Clone)]
struct Sides {
    acquirer: Option<String>,
    target: Option<String>,
    unit: Option<String>,
    minority: bool,
}

/// What the headline tells of a purchase, and which sentences of the body tell what.
#[derive(Debug)]
struct Tale {
    headline: Sides,
    told: Vec<(usize, Sides)>,
}

impl Tale {
    fn new(story: &Story<'_>, of_title: Option<Deal>) -> Self {
        let headline = of_title.map(|found| title_sides(story, &found)).unwrap_or_default();
        let lead = story.body.iter().take(PRESS_LEAD_SENTENCES).enumerate();
        let told = lead
            .filter_map(|(at, scene)| Some((at, sides(story, scene, &deal(scene, story.year)?))))
            .collect::<Vec<_>>();
        let mut tale = Self { headline, told };
        tale.mend_headline();
        tale
    }

    /// The first sentence that names both sides; else one that names a part of a company.
    fn whole(&self) -> Option<&Sides> {
        let sides = || self.told.iter().map(|(_, sides)| sides);
        let whole = sides().find(|sides| sides.acquirer.is_some() && sides.target.is_some());
        whole.or_else(|| sides().find(|sides| sides.acquirer.is_some() && sides.unit.is_some()))
    }

    /// A headline that names one side is believed only as far as the body does not have it as the other.
    fn mend_headline(&mut self) {
        let same = |one: Option<&String>, two: Option<&String>| {
            one.zip(two).is_some_and(|(one, two)| is_same(one, two))
        };
        let whole = self.whole().cloned().unwrap_or_default();
        let headline = &mut self.headline;
        // `B acquired; founders to stay on`: B does not buy.
        if headline.target.is_none() && same(headline.acquirer.as_ref(), whole.target.as_ref()) {
            headline.acquirer = None;
        }
        // `Purchase gives A a foothold`: A buys.
        if headline.acquirer.is_none() && same(headline.target.as_ref(), whole.acquirer.as_ref()) {
            headline.target = None;
        }
    }

    fn pick(&self, story: &Story<'_>, side: fn(&Sides) -> &Option<String>) -> Option<String> {
        let from_whole = self.whole().and_then(|sides| side(sides).clone());
        let first = prefer(story, side(&self.headline).clone(), from_whole);
        first.or_else(|| self.told.iter().find_map(|(_, sides)| side(sides).clone()))
    }

    fn is_minority(&self, story: &Story<'_>) -> bool {
        let first = self.told.first().is_some_and(|(_, sides)| sides.minority);
        self.headline.minority || first && !story.title.has(story.language().majority)
    }

    fn is_headed(&self) -> bool {
        let headline = &self.headline;
        headline.acquirer.is_some() || headline.target.is_some() || headline.unit.is_some()
    }

    /// Whether a sentence has it the other way round.
    fn is_reversed(&self, acquirer: &String, target: &String) -> bool {
        self.told.iter().any(|(_, sides)| {
            sides.acquirer.as_ref() == Some(target) && sides.target.as_ref() == Some(acquirer)
        })
    }
}

pub(super) fn acquisition(story: &Story<'_>, of_title: Option<Deal>) -> Option<Announced> {
    let tale = Tale::new(story, of_title);
    let unit = || {
        let described = tale.pick(story, |sides| &sides.unit)?;
        let told = tale.told.iter().find_map(|(_, sides)| sides.unit.clone());
        let told = told.filter(|unit| unit.starts_with(char::is_uppercase));
        Some(named_unit(story).or(told).unwrap_or(described))
    };
    let target = tale.pick(story, |sides| &sides.target).or_else(unit);
    let acquirer = tale.pick(story, |sides| &sides.acquirer).or_else(|| {
        let is_meant =
            lead_deals(story).any(|(scene, found)| found.target.is_some() && names_nobody(scene, found.at));
        only_other(story, target.as_ref()?).filter(|_| is_meant)
    })?;
    let is_meant = lead_deals(story).any(|(scene, found)| buys_the_firm(scene, found.at));
    // `The founder of B has bought a stake in a club`: whoever stands before the verb is not bought.
    let acts = |name: &String| {
        lead_deals(story).any(|(scene, found)| scene.passage.slice(0, found.at).contains(name.as_str()))
    };
    let target = target.or_else(|| only_other(story, &acquirer).filter(|name| is_meant && !acts(name)))?;
    if !is_news(story, &tale, &acquirer, &target) {
        return None;
    }
    if tale.is_minority(story) {
        return Some(stake(story, target, acquirer));
    }
    let (acquirer, target) = (canonical(story, acquirer), canonical(story, target));
    let first = tale.told.first().map_or(0, |(at, _)| *at);
    let scenes = story.body.iter().skip(first).collect::<Vec<_>>();
    let price = paid(&story.title, &scenes, story.year);
    Some(Announced::Acquisition { acquirer, target, price, confidence: UNWEIGHED })
}

/// `found a taker for Ostrander Pay, its card division`: what the part is called that the headline only describes.
fn named_unit(story: &Story<'_>) -> Option<String> {
    const UNIT_WORDS: usize = 6;
    let language = story.language();
    story.body.iter().take(PRESS_LEAD_SENTENCES).find_map(|scene| {
        let run = scene.runs.iter().copied().find(|run| {
            let tokens = scene.tokens();
            let parted = tokens.get(run.to).is_some_and(|token| token.is_mark(","));
            let owned = tokens.get(run.to + 1).is_some_and(|token| is_one_of(&token.lower, OWN));
            parted && owned && find(tokens, language.units, run.to + 2, run.to + 2 + UNIT_WORDS).is_some()
        })?;
        body_name(story, scene, run)
    })
}

/// Before what belongs to whoever is spoken of.
pub(super) const OWN: &str = "its their seine ihre seiner ihrer sa son leur su sua suo zijn haar sin sitt";

/// Whether the release is about it, and the names are names.
fn is_news(story: &Story<'_>, tale: &Tale, acquirer: &String, target: &String) -> bool {
    let is_known = [acquirer, target].iter().filter(|name| is_in_title(story, name)).count();
    // The first sentence tells it in its main clause.
    let is_main = lead_deals(story).next().is_some_and(|(scene, found)| {
        story.body.first().is_some_and(|first| std::ptr::eq(first, scene))
            && found.is_whole()
            && !is_aside(scene, found.at)
    });
    let language = story.language();
    // `Sheffield steel firm sold`: the headline tells it of somebody whom it does not name.
    let sells = [language.passes, language.buys, language.sells].iter().any(|words| story.title.has(words));
    let is_unnamed = is_main && sells && story.title.has(language.kinds);
    let needed = match (tale.is_headed() || is_unnamed, story.is_about_else() && !is_main) {
        (true, _) => 0,
        (false, false) => 1,
        (false, true) => 2,
    };
    let is_doubtful = |name: &String| !is_in_title(story, name) && !is_certain(story, name);
    is_known >= needed
        && !is_public(story, acquirer)
        && !tale.is_reversed(acquirer, target)
        && !is_same(acquirer, target)
        && !is_doubtful(acquirer)
        && !is_doubtful(target)
}

fn lead_deals<'a>(story: &'a Story<'_>) -> impl Iterator<Item = (&'a Scene<'a>, Deal)> {
    story.body.iter().take(PRESS_LEAD_SENTENCES).filter_map(|scene| Some((scene, deal(scene, story.year)?)))
}

/// Whether what is bought is called `the publisher` and the like.
fn buys_the_firm(scene: &Scene<'_>, verb: usize) -> bool {
    const THEM: &[&str] = &["it", "them", "ihn", "es", "haar", "hem", "den", "det"];
    let language = scene.language;
    let is_meant = scene.tokens().get(verb + 1).is_some_and(|token| is_in(token, THEM));
    let after = scene.tokens().iter().skip(verb + 1).take(4);
    is_meant || after.into_iter().any(|token| is_in(token, language.kinds) || is_in(token, language.shares))
}

/// `A has acquired the publisher`: the only other name of the headline.
fn only_other(story: &Story<'_>, acquirer: &str) -> Option<String> {
    let names = story.title.runs.iter().filter_map(|run| settled_name(story, *run));
    let mut others = names.filter(|name| !is_same(name, acquirer));
    others.next().filter(|_| others.next().is_none())
}

/// A share that gives no control is a round of private equity.
fn stake(story: &Story<'_>, company: String, investor: String) -> Announced {
    let mut found = merge_round(story, company, 0, Some(investor));
    if let Announced::Funding { stage, .. } = &mut found {
        *stage = stage.or(Some(FundingStage::PrivateEquity));
    }
    found
}

fn title_sides(story: &Story<'_>, found: &Deal) -> Sides {
    let settled = |run: Option<Run>| run.and_then(|run| settled_name(story, run));
    let unit = found.unit.and_then(|run| spell(story.title.passage, run));
    Sides { acquirer: settled(found.acquirer), target: settled(found.target), unit, minority: found.minority }
}

fn sides(story: &Story<'_>, scene: &Scene<'_>, found: &Deal) -> Sides {
    let named = |run: Option<Run>| run.and_then(|run| body_name(story, scene, run));
    let unit = found.unit.and_then(|run| spell(scene.passage, run));
    Sides { acquirer: named(found.acquirer), target: named(found.target), unit, minority: found.minority }
}
