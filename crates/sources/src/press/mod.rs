//! Press releases: which round or which purchase one announces, by a written grammar and by counted weights. Nobody is asked, and the
//! same release is always read the same.
//!
//! A headline and the first sentences are read by tables of words, one for each language, and by machinery that all share:
//! tokens, sums, names, and who stands where around a verb. Beside it everybody who is named is weighed (`choice/`). Whatever is a
//! rumour, a look back or other business says nothing.

mod actors;
mod agreed;
mod amount;
mod backers;
mod bought;
mod buyout;
mod choice;
mod currency;
mod deal;
mod describe;
mod front;
mod funding;
mod granted;
mod home;
mod known;
mod language;
mod looks;
mod merge;
mod money;
mod name;
mod naming;
mod offer;
mod order;
mod other;
mod owner;
mod parts;
mod past;
mod phrase;
mod proof;
mod purchase;
mod retold;
mod roles;
mod sale;
mod scene;
mod sense;
mod share;
mod sheet;
mod signs;
mod stage;
mod subject;
mod sure;
mod table;
mod text;
mod topic;
mod veto;
mod weigh;
mod whole;

use crate::money::Money;
use actors::Actor;
pub use agreed::{is_alike, settle};
use assay_domain::Confidence;
use assay_domain::limits::PRESS_TITLE_BYTES_MAX;
use assay_domain::taxonomy::FundingStage;
pub use choice::{Chosen, Lesson, Side, lesson};
use chrono::{Datelike, Days, NaiveDate};
use describe::Texts;
use known::Known;
use language::{Language, any_at, tell};
use scene::Scene;
use std::cell::OnceCell;
use text::{Kind, Passage, sentences, shorten};

/// A release as it was published.
#[derive(Debug, Clone, Copy)]
pub struct Release<'a> {
    pub title: &'a str,
    pub body: &'a str,
    pub published_on: NaiveDate,
}

/// What a release announces.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Announced {
    Funding {
        company: String,
        amount: Option<Money>,
        stage: Option<FundingStage>,
        investors: Vec<String>,
        lead_investors: Vec<String>,
        confidence: Confidence,
    },
    Acquisition {
        acquirer: String,
        target: String,
        price: Option<Money>,
        confidence: Confidence,
    },
}

/// Reads a release; none when it announces neither a round nor a purchase, or not clearly.
pub fn read(release: &Release<'_>) -> Option<Announced> {
    with_story(release, |story| {
        if story.is_doubtful() || veto::is_barred(story) {
            return None;
        }
        let sheet = sheet::read(story).and_then(|found| proof::named(story, found));
        sheet.or_else(|| agreed::told(story)).map(|found| found.at_home(story))
    })
}

/// What is asked of a release as it is read; none when nobody can tell its language.
fn with_story<T>(release: &Release<'_>, ask: impl FnOnce(&Story<'_>) -> Option<T>) -> Option<T> {
    let title = Passage::new(shorten(release.title, PRESS_TITLE_BYTES_MAX).trim());
    let all = sentences(release.body);
    let language = tell(std::iter::once(&title).chain(&all))?;
    let body = before_boilerplate(all.clone(), language);
    let small = small_words(&title, &body);
    let brands = small_brands(&title, &body, language);
    let known =
        Known { language, small: &small, title: &title, body: &body, brands: &brands, is_titled: false };
    ask(&Story {
        title: Scene::new(&title, known),
        body: body.iter().map(|passage| Scene::new(passage, known)).collect(),
        whole: release.body,
        sentences: &all,
        brands: &brands,
        actors: OnceCell::new(),
        year: release.published_on.checked_sub_days(RECENT).unwrap_or(release.published_on).year(),
    })
}

/// Of a reading whose signs nobody has counted yet.
const UNWEIGHED: Confidence = Confidence::percent(0);

impl Announced {
    fn with_confidence(mut self, sure: Confidence) -> Self {
        match &mut self {
            Self::Funding { confidence, .. } | Self::Acquisition { confidence, .. } => *confidence = sure,
        }
        self
    }

    /// With the sum as those who wrote the release mean it.
    fn at_home(mut self, story: &Story<'_>) -> Self {
        let (Self::Funding { amount: sum, .. } | Self::Acquisition { price: sum, .. }) = &mut self;
        *sum = sum.map(|sum| home::at_home(story, sum));
        self
    }
}

/// A release as it is read: its headline and its sentences.
#[derive(Debug)]
struct Story<'a> {
    title: Scene<'a>,
    body: Vec<Scene<'a>>,
    /// All of the body, with what follows the last sentence that is read.
    whole: &'a str,
    /// The sentences of all of it.
    sentences: &'a [Passage<'a>],
    /// Names that are written small.
    brands: &'a [String],
    /// All who are named in it, asked for once.
    actors: OnceCell<Vec<Actor>>,
    /// Of its publication: earlier years are the past.
    year: i32,
}

/// So long the last year is not the past.
const RECENT: Days = Days::new(120);
/// Sentences of the body in which a doubt is one of the whole release.
const DOUBT_SENTENCES: usize = 3;
const EVIDENCE_SENTENCES: usize = 5;

impl Story<'_> {
    fn language(&self) -> &'static Language {
        self.title.language
    }

    fn is_brand(&self, name: &str) -> bool {
        let first = name.split(' ').next().unwrap_or_default();
        self.brands.iter().any(|brand| brand == first) || first.chars().any(char::is_uppercase)
    }

    fn is_doubtful(&self) -> bool {
        let language = self.language();
        if deal::is_unreal(&self.title) {
            return true;
        }
        if self.is_definite() {
            return false;
        }
        if self.body.iter().take(DOUBT_SENTENCES).any(deal::is_undone) {
            return true;
        }
        let is_event = |scene: &Scene<'_>| {
            deal::deal(scene, self.year).is_some() || funding::round(scene, true, self.year).is_some()
        };
        let mut first = self.body.iter().take(DOUBT_SENTENCES);
        let mut denied = std::iter::once(&self.title).chain(self.body.iter().take(DOUBT_SENTENCES));
        denied.any(deal::is_denied)
            || self.title.is_other_business() && !self.begins_with_deal() && !self.begins_with_round()
            || self.title.says(self.title.tokens(), language.doubts)
            || first.any(|scene| scene.says(scene.tokens(), language.doubts) && is_event(scene))
    }

    /// Whether the first sentence tells of a purchase that is agreed or done: then what is doubted is something else.
    fn is_definite(&self) -> bool {
        let Some(first) = self.body.first() else { return false };
        first.has(self.language().pacts.definite)
            && !deal::is_denied(first)
            && !deal::is_denied(&self.title)
            && deal::deal(first, self.year).is_some_and(|found| found.is_whole())
    }

    /// Whether the first sentence tells of a purchase between two whom the headline names: then it is about nothing else.
    fn begins_with_deal(&self) -> bool {
        let Some(first) = self.body.first() else { return false };
        let has = |run: name::Run| {
            let word = first.tokens().get(run.from).map_or("", |token| token.text);
            self.title.tokens().iter().any(|token| token.text == word)
        };
        deal::deal(first, self.year)
            .is_some_and(|found| found.acquirer.is_some_and(has) && found.target.is_some_and(has))
    }

    /// Whether the first sentence tells of a round, with the sum and of the company that the headline names.
    fn begins_with_round(&self) -> bool {
        let Some(first) = self.body.first() else { return false };
        let shares = first.sums.iter().any(|sum| self.title.sums.iter().any(|it| it.money == sum.money));
        let is_headed = |run: name::Run| {
            let word = first.tokens().get(run.from).map_or("", |token| token.text);
            self.title.tokens().iter().any(|token| token.text == word)
        };
        let found = funding::round(first, true, self.year);
        // Or the headline has none, and the first sentence the stage as well.
        let is_staged = self.title.sums.is_empty()
            && !first.sums.is_empty()
            && stage::stage(first).is_some_and(sense::is_equity)
            && found.is_some_and(|found| !sense::is_aside(first, found.at));
        (shares || is_staged)
            && funding::speaks_of_round(first)
            && found.is_some_and(|found| is_headed(found.company))
    }

    /// Whether the headline is about other news; one that a company has another owner is not, though it names no buyer.
    fn is_about_else(&self) -> bool {
        let language = self.language();
        let says = |phrases| self.title.says(self.title.tokens(), phrases);
        says(language.topics)
            && !says(language.passes)
            && !says(language.invests)
            && !merge::is_ours(&self.title)
    }

    fn texts(&self) -> Texts<'_> {
        let body = self.body.iter().map(|scene| scene.passage).collect();
        Texts { title: self.title.passage, title_runs: &self.title.runs, body }
    }

    /// Whether it is about rounds, loans or grants at all.
    fn is_evident(&self) -> bool {
        let first = std::iter::once(&self.title).chain(self.body.iter().take(EVIDENCE_SENTENCES));
        let is_sold = |scene: &Scene<'_>| deal::deal(scene, self.year).is_some_and(|found| found.is_whole());
        let has_sum = |scene: &Scene<'_>| !scene.sums.is_empty() && scene.has(self.language().raises);
        let raises = (has_sum(&self.title) || self.body.first().is_some_and(has_sum))
            && !self.body.iter().take(DOUBT_SENTENCES).any(is_sold);
        let has_giver = |scene: &Scene<'_>| {
            !std::ptr::eq(scene, &self.title)
                && scene.runs.iter().any(|run| backers::names_giver(scene, *run))
        };
        first.into_iter().any(|scene| {
            funding::speaks_of_round(scene)
                || backers::names_investor(scene)
                || self.is_startup(scene)
                || raises && has_giver(scene)
                || self.tells_stake(scene)
        })
    }

    /// `A is investing $5 million in B, a maker of`: B is a company, and the headline has it.
    fn tells_stake(&self, scene: &Scene<'_>) -> bool {
        let language = self.language();
        let Some(hit) = scene.find(language.invests, 0).filter(|_| !scene.sums.is_empty()) else {
            return false;
        };
        let Some(run) = scene.runs.iter().find(|run| run.from >= hit.to) else { return false };
        let word = |at: usize| scene.tokens().get(at);
        let described = word(run.to).is_some_and(|token| token.is_mark(","))
            && word(run.to + 1)
                .is_some_and(|token| language::is_in(token, language.articles) || sense::is_relative(token));
        let of_share = (run.to..scene.tokens().len()).any(|at| scene.share_at(at).is_some());
        let is_headed = word(run.from)
            .is_some_and(|first| self.title.tokens().iter().any(|token| token.text == first.text));
        let is_formed = word(run.to - 1).is_some_and(name::is_legal_form);
        is_headed && (described || of_share) || is_formed
    }

    /// A startup that gets a sum gets it from investors, though nobody calls them so.
    fn is_startup(&self, scene: &Scene<'_>) -> bool {
        const STARTUPS: &[&str] =
            &["startup", "start-up", "scale-up", "scaleup", "pousse", "tech", "jungunternehmen", "spin-off"];
        let is_one = |token: &text::Token<'_>| STARTUPS.iter().any(|ending| token.lower.ends_with(ending));
        !scene.sums.is_empty() && scene.has(self.language().raises) && scene.tokens().iter().any(is_one)
    }
}

/// The sentences up to the one that begins to tell what the company is, or whom to ask.
fn before_boilerplate<'a>(mut body: Vec<Passage<'a>>, language: &Language) -> Vec<Passage<'a>> {
    const HEADING_WORDS: usize = 8;
    const LABEL_WORDS: usize = 7;
    let is_labelled = |passage: &Passage<'_>, from: usize| {
        passage.tokens.iter().skip(from).take(LABEL_WORDS).any(|token| token.is_mark(":"))
    };
    let is_about = |passage: &Passage<'_>| {
        let Some(hit) = any_at(&passage.tokens, 0, language.boilerplate) else { return false };
        let named = passage.tokens.get(hit.to).is_some_and(text::Token::is_capital);
        let is_heading = passage.tokens.len() <= HEADING_WORDS
            && passage.tokens.last().is_some_and(|last| !last.is_mark(".!?"));
        named && (is_heading || is_labelled(passage, hit.to) || passage.text.contains('\n'))
    };
    let is_contact = |passage: &Passage<'_>| {
        any_at(&passage.tokens, 0, language.contacts)
            .is_some_and(|hit| passage.tokens.get(hit.to).is_none_or(|next| next.is_mark(":")))
    };
    let ends = |passage: &Passage<'_>| is_about(passage) || is_contact(passage);
    if let Some(end) = body.iter().position(ends).filter(|end| *end > 0) {
        body.truncate(end);
    }
    body
}

/// `thermion`: a word in small letters with which a paragraph begins, that the headline has, and that is in no table.
fn small_brands(title: &Passage<'_>, body: &[Passage<'_>], language: &Language) -> Vec<String> {
    const LETTERS_MIN: usize = 4;
    let first = body.iter().filter_map(|passage| passage.tokens.first());
    let is_brand = |token: &&text::Token<'_>| {
        token.kind == Kind::Word
            && token.text.starts_with(char::is_lowercase)
            && token.text.chars().count() >= LETTERS_MIN
            && title.tokens.iter().any(|other| other.text == token.text)
            && !language.is_known(token)
    };
    first.filter(is_brand).map(|token| token.text.to_owned()).collect()
}

/// Words in small letters anywhere, by which the first word of a sentence is known to be an ordinary one.
fn small_words(title: &Passage<'_>, body: &[Passage<'_>]) -> Vec<String> {
    let is_at = |token: Option<&text::Token<'_>>| token.is_some_and(|token| token.is_mark("@/"));
    let small = |passage: &Passage<'_>| {
        let tokens = passage.tokens.iter().enumerate();
        let small = tokens.filter(|(at, token)| {
            // Of an address nothing is known: `presse@lumivrac.example`.
            let near = |at: Option<usize>| is_at(at.and_then(|at| passage.tokens.get(at)));
            token.kind == Kind::Word && !token.is_capital() && !near(at.checked_sub(1)) && !near(Some(at + 1))
        });
        small.map(|(_, token)| token.lower.clone()).collect::<Vec<_>>()
    };
    let mut words = std::iter::once(title).chain(body).flat_map(small).collect::<Vec<_>>();
    words.sort_unstable();
    words.dedup();
    words
}
