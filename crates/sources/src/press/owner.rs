//! Who sells, and whose the part of a company was that is sold.

use super::Story;
use super::language::{Hit, any_at, is_in};
use super::name::spell;
use super::scene::Scene;
use super::table::is_one_of;

/// Sentences that tell of the sale.
const SENTENCES: usize = 2;
const UNIT_WORDS: usize = 5;
const OF: &str = "of from de du des d' von der vom des di da do del della dell' van";
/// Of these only the verbs that nobody says of what is sold itself.
const SALES: &str = "sell sells sold selling divests divest divested divestiture disposal sale cession cede cession cède cédé \
    verkauft verkauf veräußert veräußern vende venta vendita cede cessione verkoopt verkoop vende venda aliena säljer avyttrar avyttra \
 sälja försäljning avyttring vendre céder vender vendere verkopen verkaufen";

/// The names of those who sell a part of what they have.
pub(super) fn owners(story: &Story<'_>) -> Vec<String> {
    let scenes = std::iter::once(&story.title).chain(story.body.iter().take(SENTENCES));
    scenes.flat_map(of_scene).collect()
}

fn of_scene(scene: &Scene<'_>) -> Vec<String> {
    let tokens = scene.tokens();
    let language = scene.language;
    let unit_at = |at: usize| any_at(tokens, at, language.units).filter(|_| !scene.is_named(at));
    // `the business and assets of B` is all that B has.
    let is_all = |hit: Hit, owner: usize| {
        let last = hit.from.checked_sub(1).and_then(|at| tokens.get(at));
        let is_whole = hit.to + 1 == owner || tokens.get(hit.to).is_some_and(|next| is_in(next, &["and"]));
        is_whole && last.is_none_or(|last| is_in(last, language.articles) || is_in(last, language.buys))
    };
    let is_own =
        |at: usize| tokens.get(at).is_some_and(|token| is_one_of(&token.lower, super::purchase::OWN));
    let has_unit = |from: usize, to: usize| (from..to).any(|at| unit_at(at).is_some());
    let mut found = Vec::new();
    for run in &scene.runs {
        let last = run.from.checked_sub(1).and_then(|at| tokens.get(at));
        let is_of = |back: usize| {
            run.from
                .checked_sub(back)
                .and_then(|at| tokens.get(at))
                .is_some_and(|it| is_one_of(&it.lower, OF))
        };
        let is_of = is_of(1) || is_of(2) && last.is_some_and(|last| is_in(last, language.kinds));
        // `the dyes business of B`.
        let mut units = (run.from.saturating_sub(UNIT_WORDS)..run.from).filter_map(unit_at);
        let of_unit = is_of && !is_own(run.to) && units.any(|hit| !is_all(hit, run.from));
        // `B sells its dyes business`, `Cession par B de son activité`.
        let near = run.to..(run.to + 3 * UNIT_WORDS).min(tokens.len());
        let sells = near.clone().any(|at| tokens.get(at).is_some_and(|it| is_one_of(&it.lower, SALES)))
            || tokens.get(..run.from).unwrap_or_default().iter().any(|it| is_one_of(&it.lower, SALES))
                && last.is_some_and(|last| is_in(last, language.by) || is_in(last, language.kinds));
        let owns = near.clone().any(|at| is_own(at) && has_unit(at, at + UNIT_WORDS));
        if of_unit || sells && owns {
            found.extend(spell(scene.passage, *run));
        }
    }
    found
}
