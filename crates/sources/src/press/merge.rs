//! What the headline and the first sentences tell, put together.

use super::amount::raised;
use super::backers::{backers, names_giver};
use super::deal::{Deal, deal};
use super::funding::{Round, headed, round, speaks_of_round};
use super::language::{any_at, is_in};
use super::name::Run;
use super::naming::{
    body_name, canonical, is_certain, is_in_title, is_place, is_same, prefer, settled_name, stated_name,
};
use super::purchase::acquisition;
use super::scene::Scene;
use super::sense::{fund_like, gives, is_aside, is_equity, is_look_back, is_person, is_substantial};
use super::stage::stage;
use super::topic::meant;
use super::{Announced, Story, UNWEIGHED};
use assay_domain::limits::PRESS_LEAD_SENTENCES;
use assay_domain::taxonomy::FundingStage;

pub(super) fn read(story: &Story<'_>) -> Option<Announced> {
    told(story).or_else(|| unspoken(story))
}

/// A sum and a stage side by side under a name, by a verb that no table has.
fn unspoken(story: &Story<'_>) -> Option<Announced> {
    let language = story.language();
    let first = story.body.first()?;
    let is_clear = |scene: &Scene<'_>| {
        let apart = [
            language.pasts,
            language.funds,
            language.modals,
            language.others,
            language.advises,
            language.invests,
        ];
        !scene.sums.is_empty() && !apart.iter().any(|words| scene.has(words))
    };
    let is_staged = |scene: &Scene<'_>| stage(scene).is_some_and(is_equity);
    let is_told = |scene: &Scene<'_>| is_clear(scene) && is_staged(scene);
    // Or the sum stands in both, and the next sentence tells who led which round.
    let shared = first.sums.iter().any(|sum| story.title.sums.iter().any(|other| other.money == sum.money));
    let is_led =
        |scene: &Scene<'_>| is_staged(scene) && (scene.has(language.led_by) || scene.has(language.leads));
    let is_spread =
        || shared && is_clear(&story.title) && is_clear(first) && story.body.get(1).is_some_and(is_led);
    if story.is_about_else()
        || story.title.has(language.leads)
        || !(is_told(&story.title) || is_told(first) || is_spread())
    {
        return None;
    }
    let run = first.subject(0, first.tokens().len())?;
    let company = body_name(story, first, run)?;
    let is_fund = fund_like(story, &company) || story.title.has(language.funds);
    let is_named = is_in_title(story, &company) && !is_fund && !names_giver(first, run);
    is_named.then(|| merge_round(story, company, 0, None))
}

fn told(story: &Story<'_>) -> Option<Announced> {
    let evident = story.is_evident();
    let of_title = deal(&story.title, story.year);
    let title_round = round(&story.title, evident, story.year).or_else(|| headed(&story.title));
    let first_is_round = match (&of_title, &title_round) {
        (Some(bought), Some(raised)) if bought.is_whole() => {
            let is_money = speaks_of_round(&story.title) || gets_sum(&story.title, raised);
            raised.at < bought.at && raised.investor.is_none() && is_money
        }
        (Some(bought), Some(raised)) => raised.at <= bought.at,
        (None, Some(raised)) => !is_bought(story, raised),
        _ => false,
    };
    if first_is_round {
        return funding(story, title_round, evident).or_else(|| acquisition(story, of_title));
    }
    if title_round.is_none() && of_title.is_none() && body_raises_first(story, evident) {
        return funding(story, None, evident);
    }
    acquisition(story, of_title).or_else(|| funding(story, title_round, evident))
}

/// Whether the sum follows the verb, and the verb means nothing else.
fn gets_sum(title: &Scene<'_>, raised: &Round) -> bool {
    let buys = any_at(title.tokens(), raised.at, title.language.buys).is_some();
    // `strikes $2.7bn deal to take B private`.
    let is_deal = title
        .sums
        .iter()
        .any(|sum| title.tokens().get(sum.to).is_some_and(|next| is_in(next, title.language.paying.prices)));
    !buys && !is_deal && title.sums.iter().any(|sum| sum.from > raised.at && sum.from <= raised.at + 4)
}

/// `A steps in at B`, and the first sentence tells that A buys B.
fn is_bought(story: &Story<'_>, of_title: &Round) -> bool {
    let Some(company) = settled_name(story, of_title.company) else { return false };
    let first = story.body.first().and_then(|scene| Some((scene, deal(scene, story.year)?)));
    first.is_some_and(|(scene, found)| {
        let target = found.target.and_then(|run| body_name(story, scene, run));
        let same = target.is_some_and(|target| is_same(&target, &company));
        same && found.acquirer.is_some() && !found.minority && of_title.investor.is_some()
    })
}

/// Whether the body tells of a round before it tells of a purchase.
fn body_raises_first(story: &Story<'_>, evident: bool) -> bool {
    for scene in story.body.iter().take(PRESS_LEAD_SENTENCES) {
        let bought = deal(scene, story.year).filter(Deal::is_told);
        let raised = round(scene, evident, story.year);
        match (bought, raised) {
            (Some(bought), Some(raised)) => {
                let is_told = !is_aside(scene, raised.at) || is_aside(scene, bought.at);
                return is_told && raised.at < bought.at && speaks_of_round(scene);
            }
            (Some(_), None) => return false,
            (None, Some(_)) => return true,
            (None, None) => {}
        }
    }
    false
}

fn funding(story: &Story<'_>, of_title: Option<Round>, evident: bool) -> Option<Announced> {
    let headline = of_title.and_then(|found| settled_name(story, found.company));
    let lead = story.body.iter().take(PRESS_LEAD_SENTENCES).enumerate();
    let told = lead.filter_map(|(at, scene)| Some((at, scene, round(scene, evident, story.year)?))).next();
    let body_company = told.as_ref().and_then(|(_, scene, found)| company_name(story, scene, found));
    // Where one of the two says who gave, the other cannot have that one as whoever is given something.
    let giver = |run: Option<Run>, scene: &Scene<'_>| run.and_then(|run| body_name(story, scene, run));
    let title_giver = of_title.and_then(|found| settled_name(story, found.investor?));
    let body_giver = told.as_ref().and_then(|(_, scene, found)| giver(found.investor, scene));
    let is_giver = |name: &String, giver: &Option<String>| giver.as_ref().is_some_and(|it| is_same(it, name));
    let body_company = body_company.filter(|name| headline.is_none() || !is_giver(name, &title_giver));
    let headline = headline.filter(|name| body_company.is_none() || !is_giver(name, &body_giver));
    let is_headed = headline.is_some();
    let shared = told.as_ref().is_some_and(|(at, ..)| shares_sum(story, *at));
    // `took the $250,000 grand prize`: the body tells that the sum of the headline is something else.
    if told.is_none() && shares_sum(story, 0) && story.body.first().is_some_and(Scene::is_other_business) {
        return None;
    }
    let is_headline = shared || speaks_of_round(&story.title) || is_ours(&story.title);
    let is_main = told.as_ref().is_some_and(|(at, scene, found)| *at == 0 && !is_aside(scene, found.at));
    let is_spoken = is_main
        && story.title.has(story.language().raises)
        && story.body.first().is_some_and(|first| !first.sums.is_empty() && speaks_of_round(first));
    let is_told = is_headed || is_headline || is_spoken;
    let stated = of_title.and_then(|found| stated_name(story, found.company)).filter(|_| headline.is_none());
    // A name that the headline has not, while it has another in its place, is somebody else's.
    let body_company = body_company.filter(|name| stated.is_none() || is_in_title(story, name));
    let Some(company) = prefer(story, headline, body_company).or(stated) else {
        return meant_round(story);
    };
    let is_named = is_in_title(story, &company);
    if !is_named && !is_certain(story, &company) {
        return None;
    }
    // Under a headline about something else only the main clause of the first sentence is news, unless they share the sum.
    let is_shared = shared && told.as_ref().is_some_and(|(_, scene, found)| !is_aside(scene, found.at));
    let is_other = !is_headed && story.is_about_else() && !(is_main && is_named || is_shared);
    let is_passing = !is_headed
        && !is_headline
        && told.as_ref().is_some_and(|(_, scene, found)| is_aside(scene, found.at));
    if !is_told && !is_named || is_other || is_passing {
        return None;
    }
    let is_invested = of_title.is_some_and(|found| found.investor.is_some()) && story.title.sums.is_empty();
    let is_giver = gives(story, &company);
    if is_giver
        || fund_like(story, &company)
        || is_person(story, &company)
        || is_invested && is_place(story, &company)
    {
        return None;
    }
    let title_investor = of_title.and_then(|found| found.investor).and_then(|run| settled_name(story, run));
    let investor = title_investor.or_else(|| {
        let (_, scene, found) = told.as_ref()?;
        body_name(story, scene, found.investor?)
    });
    let first = told.as_ref().map_or(0, |(at, _, _)| *at);
    let found = merge_round(story, company, first, investor);
    is_substantial(story, &found).then_some(found)
}

/// Whether a sentence of the body has a sum of the headline.
fn shares_sum(story: &Story<'_>, at: usize) -> bool {
    let sums = story.body.get(at).map(|scene| scene.sums.as_slice()).unwrap_or_default();
    sums.iter().any(|sum| story.title.sums.iter().any(|other| other.money == sum.money))
}

/// Who gets the money; where the sentence has another name before the verb, and only that is in the headline, it is that one.
fn company_name(story: &Story<'_>, scene: &Scene<'_>, found: &Round) -> Option<String> {
    let name = body_name(story, scene, found.company);
    if found.investor.is_some() || name.as_ref().is_some_and(|name| is_in_title(story, name)) {
        return name;
    }
    let before = scene.runs.iter().filter(|run| run.to <= found.at && **run != found.company);
    let before = before.filter(|run| !scene.is_town(0, **run));
    let mut headed =
        before.filter_map(|run| body_name(story, scene, *run)).filter(|it| is_in_title(story, it));
    let other = headed.next().filter(|_| headed.next().is_none());
    other.or(name)
}

fn meant_round(story: &Story<'_>) -> Option<Announced> {
    let (first, company) = meant(story)?;
    let is_told = is_in_title(story, &company) || speaks_of_round(&story.title) || shares_sum(story, first);
    if !is_told || story.is_about_else() || fund_like(story, &company) {
        return None;
    }
    let found = merge_round(story, company, first, None);
    is_substantial(story, &found).then_some(found)
}

/// `We raised a little money`: whose headline it is, the body tells.
pub(super) fn is_ours(title: &Scene<'_>) -> bool {
    title.tokens().iter().take(4).any(|token| {
        is_in(
            token,
            &[
                "we", "we'", "our", "wir", "unser", "unsere", "nous", "notre", "wij", "ons", "onze", "vi",
                "vår",
            ],
        )
    })
}

/// The round of a company: its sum, stage and investors from all that is told of it.
pub(super) fn merge_round(
    story: &Story<'_>,
    company: String,
    first: usize,
    investor: Option<String>,
) -> Announced {
    let told =
        story.body.iter().skip(first).enumerate().filter(|(at, scene)| *at == 0 || !is_look_back(scene));
    let told = told.map(|(_, scene)| scene).collect::<Vec<_>>();
    let company = canonical(story, company);
    let amount = raised(&story.title, &told, story.year);
    let named = std::iter::once(&story.title).chain(told.iter().copied().take(3));
    let stages = named.filter_map(stage).collect::<Vec<_>>();
    let is_telling = |stage: &&FundingStage| {
        !matches!(stage, FundingStage::Debt | FundingStage::PrivateEquity | FundingStage::Grant)
    };
    let stage = match stages.first() {
        Some(FundingStage::Debt) if !story.title.has(&["and", "und", "et", "y", "e", "en", "och"]) => {
            Some(FundingStage::Debt)
        }
        _ => stages.iter().find(is_telling).or(stages.first()).copied(),
    };
    let mut backers = backers(&told, &company, &story.texts());
    if stage == Some(FundingStage::Ipo) {
        backers = super::backers::Backers::default();
    }
    if let Some(investor) = investor.filter(|investor| !backers.investors.contains(investor)) {
        backers.investors.insert(0, investor);
    }
    Announced::Funding {
        company,
        amount,
        stage,
        investors: backers.investors,
        lead_investors: backers.leads,
        confidence: UNWEIGHED,
    }
}
