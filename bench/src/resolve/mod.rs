//! The bar `resolve`: who is meant by a name and a company that are written down carelessly, and how sure that is.
//!
//! Four of five people of the made-up world are imported. The questions are about all of them, with the dirt of the
//! records of the bar `resolution`; a fifth of them is about somebody who is not there, though their colleagues and
//! namesakes are. The world gives figures that can be compared from one version to the next, and says nothing about
//! anybody's real data.

mod questions;
mod train;

use crate::bar::{Verdict, grouped, number_in, progress};
use crate::dirt::DirtyRow;
use crate::import_files::{person_lines, write_companies};
use crate::resolution::{empty_rig, entities, import, write_pages};
use crate::rig::{Folder, MASTER_KEY, Rig};
use anyhow::{Context, Result, ensure};
use assay_domain::{AccountId, Clock, Confidence, IdentityKey, MasterKey, NetworkHosts};
use assay_engine::Engine;
use assay_store::{Database, Graph, Ledger};
use assay_world::{DEMO_AS_OF, World};
use questions::{Question, is_there};
use std::collections::HashMap;
use uuid::Uuid;

/// How large a run is.
struct Size {
    people: u64,
    questions: usize,
}

const FULL: Size = Size { people: 200_000, questions: 10_000 };
const SHORT: Size = Size { people: 10_000, questions: 2_000 };
const WORLD_SEED: u64 = 20_261_119;
/// For whoever trains: what is trained on must not be what is measured.
const OTHER_SEED: &str = "ASSAY_BAR_SEED";
const OTHER_QUESTIONS: &str = "ASSAY_BAR_QUESTIONS";
/// Names a file into which a table of confidences is written that would have been right.
const TRAIN: &str = "ASSAY_BAR_TRAIN";
const SOURCE: &str = "pages";
const BINS: usize = 10;

/// The bars.
const PRECISION_LEAST: f64 = 0.98;
const RECALL_LEAST: f64 = 0.90;
const ERROR_MOST: f64 = 0.05;

/// What was answered to one question, however unsure.
#[derive(Debug, Clone, Copy)]
pub struct Answer {
    weight: i32,
    margin: i32,
    confidence: Confidence,
    is_right: bool,
}

pub async fn run(short: bool) -> Result<Verdict> {
    let size = if short { SHORT } else { FULL };
    let seed = number_in(OTHER_SEED)?.unwrap_or(0);
    let count = number_in(OTHER_QUESTIONS)?.map_or(Ok(size.questions), usize::try_from)?;
    let world = World::new(WORLD_SEED + seed, size.people, DEMO_AS_OF);
    let rig = empty_rig()?;
    let known = load(&rig, &world).await?;
    let engine = engine(&rig).await?;
    let questions = questions::draw(&world, count, seed);
    progress(format!("asking {} questions", grouped(questions.len())));
    let mut answers = Vec::with_capacity(questions.len());
    for question in &questions {
        answers.push(ask(&engine, question, &known).await?);
    }
    if let Ok(path) = std::env::var(TRAIN) {
        std::fs::write(path, train::table(&answers.iter().flatten().copied().collect::<Vec<_>>()))?;
    }
    let there = questions.iter().filter(|question| is_there(question.who)).count();
    Ok(Figures::of(&answers, there).verdict(questions.len()))
}

/// Imports whoever is there; returns whose person each record became.
async fn load(rig: &Rig, world: &World) -> Result<HashMap<u64, Uuid>> {
    let folder = Folder::make("resolve")?;
    let (companies, pages) = (folder.path.join("companies.csv"), folder.path.join("pages.jsonl"));
    write_companies(&companies, world)?;
    let people = 0..world.people_count();
    let lines = person_lines(world, people.clone()).zip(people.clone().zip(world.people(people)));
    let rows: Vec<DirtyRow> = lines
        .filter(|(_, (who, _))| is_there(*who))
        .map(|(line, (who, person))| DirtyRow {
            who,
            line,
            past: person.experience.into_iter().skip(1).collect(),
        })
        .collect();
    write_pages(&pages, &rows)?;
    rig.cli(&["source", "add", SOURCE, "--licence", "made up"])?;
    import(rig, "companies", SOURCE, &companies)?;
    progress(format!("importing {} people", grouped(rows.len())));
    let told = import(rig, "people", SOURCE, &pages)?;
    ensure!(told["rejected"] == 0, "{} rows were rejected", told["rejected"]);
    let entities = entities(&rig.graph_url()).await?;
    rows.iter()
        .map(|row| Ok((row.who, *entities.get(&row.line.id).context("a record that is nobody's")?)))
        .collect()
}

async fn engine(rig: &Rig) -> Result<Engine> {
    let identity = IdentityKey::new(MasterKey::parse(MASTER_KEY)?.derive("identity"));
    let graph = Graph::connect(&Database::at(&rig.graph_url())).await?;
    let ledger = Ledger::connect(&Database::at(&rig.ledger_url()), Clock::system()).await?;
    Ok(Engine::new(graph, ledger, identity, NetworkHosts::default()))
}

async fn ask(engine: &Engine, question: &Question, known: &HashMap<u64, Uuid>) -> Result<Option<Answer>> {
    let meant = known.get(&question.who).copied();
    let people = engine.people_named(&question.query, AccountId::from_uuid(Uuid::nil())).await?;
    Ok(people.first().map(|(person, ranked)| Answer {
        weight: ranked.evidence.weight,
        margin: ranked.margin,
        confidence: ranked.confidence,
        is_right: Some(person.id.uuid()) == meant,
    }))
}

struct Figures {
    precision: f64,
    recall: f64,
    /// Expected calibration error.
    error: f64,
}

impl Figures {
    /// Of the answers to all questions, of which so many were about somebody who is there.
    fn of(answers: &[Option<Answer>], there: usize) -> Self {
        let told: Vec<Answer> = answers.iter().flatten().copied().collect();
        let given: Vec<&Answer> =
            told.iter().filter(|answer| answer.confidence >= Confidence::ENOUGH).collect();
        let right = given.iter().filter(|answer| answer.is_right).count();
        Self {
            precision: share(right, given.len()),
            recall: share(right, there),
            error: calibration_error(&told),
        }
    }

    fn verdict(&self, questions: usize) -> Verdict {
        let Self { precision, recall, error } = self;
        let figure = format!(
            "resolve: {} questions by name and company about the made-up world, a fifth about nobody there: precision \
             {precision:.4} (bar {PRECISION_LEAST}), recall {recall:.4} (bar {RECALL_LEAST}), calibration error {error:.4} \
             (bar {ERROR_MOST})",
            grouped(questions),
        );
        let passed = *precision >= PRECISION_LEAST && *recall >= RECALL_LEAST && *error <= ERROR_MOST;
        Verdict { figure, passed }
    }
}

/// By how much what is said differs from what is, over ten steps of confidence.
fn calibration_error(answers: &[Answer]) -> f64 {
    let mut bins = [(0_usize, 0.0, 0_usize); BINS];
    for answer in answers {
        let said = usize::from(answer.confidence.as_percent());
        let (count, sum, right) = &mut bins[(said / BINS).min(BINS - 1)];
        *count += 1;
        *sum += f64::from(answer.confidence.as_percent()) / 100.0;
        *right += usize::from(answer.is_right);
    }
    let mut error = 0.0;
    for (at, (count, sum, right)) in bins.into_iter().enumerate().filter(|(_, (count, ..))| *count > 0) {
        let said = sum / decimal(count);
        progress(format!("said {said:.2}, right {:.2}, of {count} ({at})", share(right, count)));
        error += share(count, answers.len()) * (said - share(right, count)).abs();
    }
    error
}

fn share(part: usize, whole: usize) -> f64 {
    if whole == 0 { 1.0 } else { decimal(part) / decimal(whole) }
}

fn decimal(count: usize) -> f64 {
    f64::from(u32::try_from(count).unwrap_or(u32::MAX))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn answer(percent: u8, is_right: bool) -> Answer {
        Answer { weight: 0, margin: 0, confidence: Confidence::percent(percent), is_right }
    }

    #[test]
    fn figures_count_what_is_sure_enough_and_weigh_what_is_said() {
        let answers = [Some(answer(95, true)), Some(answer(95, false)), Some(answer(20, false)), None];
        let figures = Figures::of(&answers, 2);
        assert!((figures.precision - 0.5).abs() < 1e-9 && (figures.recall - 0.5).abs() < 1e-9);
        // Two of three are said to be 0.95 and are 0.5; one is said to be 0.2 and is 0.
        assert!((figures.error - (2.0 / 3.0 * 0.45 + 1.0 / 3.0 * 0.2)).abs() < 1e-9, "{}", figures.error);
    }
}
