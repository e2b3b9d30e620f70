//! How sure a reading is: how many places of a release, none of which knows of the others, have a party as companies are had.
//!
//! Headline, first sentences, legal forms and tickers, whoever speaks for it, the heading above what it is and the addresses
//! at the end: a company that is party to something has several of these, a place, a person or a description has not.

use super::language::any_at;
use super::name::is_legal_form;
use super::naming::is_same;
use super::owner::owners;
use super::scene::Scene;
use super::table::is_one_of;
use super::text::{Passage, Token};
use super::whole::{name_in_full, whole_name, with_group, without_unit};
use super::{Announced, Story};

/// A shorter release has too few places to ask for several.
pub(super) const LONG_BYTES: usize = 1_000;
/// What somebody has at least whom a release is to be about though it was not read so.
const OTHER_MIN: usize = 3;
/// Sentences in which what is bought is described.
const DESCRIBED: std::ops::Range<usize> = 1..5;

/// A reading with the names as the release has them in full: what is bought and not whose it was.
pub(super) fn named(story: &Story<'_>, found: Announced) -> Option<Announced> {
    match found {
        Announced::Funding { company, amount, stage, investors, lead_investors, confidence } => {
            let company = with_group(story, whole_name(story, company));
            Some(Announced::Funding { company, amount, stage, investors, lead_investors, confidence })
        }
        Announced::Acquisition { acquirer, target, price, confidence } => {
            let (acquirer, target) = (whole_name(story, acquirer), whole_name(story, target));
            let owners = owners(story);
            let is_owner = |name: &str| {
                owners.iter().any(|owner| *owner == name || is_formed(owner, name) || is_formed(name, owner))
            };
            let is_other = |name: &str| !is_owner(name) && !is_same(name, &acquirer);
            let is_described = target.starts_with(char::is_lowercase) && !story.is_brand(&target);
            let target = if is_owner(&target) || is_described {
                let is_short = story.whole.len() < LONG_BYTES;
                described(story, is_other)
                    .or_else(|| Some(target).filter(|it| is_described || is_short || !is_owner(it)))?
            } else {
                target
            };
            let (buyer, bought) = (
                name_in_full(story, acquirer.clone(), &target),
                if target.starts_with(char::is_lowercase) {
                    target
                } else {
                    without_unit(story, name_in_full(story, target, &acquirer))
                },
            );
            Some(Announced::Acquisition { acquirer: buyer, target: bought, price, confidence })
        }
    }
}

/// Whether one is the other with a legal form.
fn is_formed(one: &str, other: &str) -> bool {
    let rest = one.strip_prefix(other).filter(|rest| rest.starts_with([' ', ',']));
    rest.is_some_and(|rest| {
        Passage::new(rest).tokens.iter().filter(|it| !it.is_mark(",.")).all(is_legal_form)
    })
}

/// Whom a later sentence begins to describe, when it was named before: `Agrisonde a contribué à hauteur de`.
pub(super) fn described(story: &Story<'_>, is_other: impl Fn(&str) -> bool) -> Option<String> {
    let named_before = |until: usize, name: &str| {
        story.body.iter().take(until).any(|scene| scene.passage.text.contains(name))
    };
    DESCRIBED.filter_map(|at| Some((at, story.body.get(at)?))).find_map(|(at, scene)| {
        let article = scene
            .tokens()
            .first()
            .is_some_and(|first| scene.language.articles.contains(&first.lower.as_str()));
        let run = scene.run_at(usize::from(article)).or_else(|| scene.run_at(0))?;
        let name = whole_name(story, super::name::spell(scene.passage, run)?);
        let fits = is_other(&name) && named_before(at, &name) && support(story, &name) >= OTHER_MIN;
        fits.then_some(name)
    })
}

/// How many places have it.
pub(super) fn support(story: &Story<'_>, name: &str) -> usize {
    const PLACES_MAX: usize = 3;
    let whole = Passage::new(name);
    let words = whole.tokens.as_slice();
    let Some(first) = words.first() else { return 0 };
    // Later on it is called by its first word.
    let short =
        words.get(..1).filter(|_| first.text.chars().count() > 3 && !is_plain(story, first)).unwrap_or(words);
    let body = story.sentences;
    let places = body
        .iter()
        .flat_map(|text| places(text, words).chain(places(text, short)).map(move |hit| (text, hit)));
    let mut ends = places.map(|(text, (at, to))| (text, at, to)).collect::<Vec<_>>();
    ends.sort_unstable_by_key(|(text, at, _)| (text.text.as_ptr(), *at));
    ends.dedup_by_key(|(text, at, _)| (text.text.as_ptr(), *at));
    let has = |is_one: &dyn Fn(&Passage<'_>, usize, usize) -> bool| {
        usize::from(ends.iter().any(|(text, at, to)| is_one(text, *at, *to)))
    };
    let formed = |text: &Passage<'_>, _: usize, to: usize| {
        let next = |at: usize| text.tokens.get(at);
        next(to).is_some_and(|it| is_legal_form(it) || it.is_mark("("))
            || next(to + 1).is_some_and(is_legal_form)
    };
    let begins = |_: &Passage<'_>, at: usize, _: usize| at <= 1;
    let heads = |text: &Passage<'_>, at: usize, _: usize| {
        any_at(&text.tokens, 0, story.language().boilerplate)
            .is_some_and(|hit| at >= hit.to && at <= hit.to + 1)
    };
    let title = usize::from(is_headed(&story.title, words));
    let address = usize::from(is_address(story.whole, name, first.text));
    title
        + ends.len().min(PLACES_MAX)
        + has(&formed)
        + has(&begins)
        + has(&heads)
        + has(&is_spoken_for)
        + address
}

/// A first word that says little by itself: `Grupo`, `New`.
fn is_plain(story: &Story<'_>, first: &Token<'_>) -> bool {
    story.language().is_known(first)
}

fn is_headed(title: &Scene<'_>, words: &[Token<'_>]) -> bool {
    title.tokens().windows(words.len().max(1)).any(|window| is_alike(window, words))
}

fn is_alike(one: &[Token<'_>], two: &[Token<'_>]) -> bool {
    one.len() == two.len() && one.iter().zip(two).all(|(one, two)| one.lower == two.lower)
}

/// Where the words stand, from and to.
fn places<'a>(text: &'a Passage<'_>, words: &'a [Token<'_>]) -> impl Iterator<Item = (usize, usize)> + 'a {
    let windows = text.tokens.windows(words.len().max(1)).enumerate();
    windows.filter(|(_, window)| is_alike(window, words)).map(|(at, window)| (at, at + window.len()))
}

/// `said Maria Berg, CEO of Acme`, `Acme's founder`.
fn is_spoken_for(text: &Passage<'_>, at: usize, to: usize) -> bool {
    const ROLES: &str = "ceo cfo cto coo chief executive officer founder co-founder founders chair chairman chairwoman president \
        director head partner manager vorstand vorstandschef vorstandschefin chef chefin gründer gründerin geschäftsführer \
        geschäftsführerin pdg directeur directrice général générale président présidente fondateur fondatrice cofondateur \
        cofondatrice consejero consejera delegado delegada fundador fundadora director directora presidente presidenta \
        amministratore amministratrice delegato fondatore fondatrice direttore direttrice bestuurder directeur oprichter \
        oprichtster topman topvrouw diretor diretora fundador sócio sócia vd grundare grundaren styrelseordförande";
    const NEAR_WORDS: usize = 4;
    let is_role = |token: &Token<'_>| is_one_of(&token.lower, ROLES);
    let before = text.tokens.get(at.saturating_sub(NEAR_WORDS)..at).unwrap_or_default();
    let after = text.tokens.get(to..(to + 2).min(text.tokens.len())).unwrap_or_default();
    before.iter().any(is_role) || after.iter().any(is_role)
}

/// Whether a page or an address is called after it: `presse@lumivrac.example`.
fn is_address(text: &str, name: &str, first: &str) -> bool {
    const LETTERS_MIN: usize = 5;
    let (name, first) = (folded(name), folded(first));
    let is_one = |word: &&str| word.contains('@') || word.starts_with("www.") || word.contains("://");
    text.split(|it: char| it.is_whitespace() || ",;()".contains(it)).filter(is_one).any(|word| {
        let word = folded(word);
        word.contains(&name) || first.len() >= LETTERS_MIN && word.contains(&first)
    })
}

/// Letters as addresses have them.
fn folded(text: &str) -> String {
    let plain = |letter: char| match letter {
        'à' | 'á' | 'â' | 'ã' | 'ä' | 'å' => 'a',
        'è' | 'é' | 'ê' | 'ë' => 'e',
        'ì' | 'í' | 'î' | 'ï' => 'i',
        'ò' | 'ó' | 'ô' | 'õ' | 'ö' | 'ø' => 'o',
        'ù' | 'ú' | 'û' | 'ü' => 'u',
        'ç' => 'c',
        'ñ' => 'n',
        other => other,
    };
    text.to_lowercase().chars().filter(|it| it.is_alphanumeric()).map(plain).collect()
}
