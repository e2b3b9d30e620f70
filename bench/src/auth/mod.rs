//! The bar `auth`: every row of the catalog, called in every way that must be refused, tells and does nothing.

mod cases;
mod revocation;
mod scene;
mod wire;

use crate::bar::{Complaints, Verdict, grouped, progress};
use assay_service::sandbox::{INFO_PATH, twin_path};
use assay_service::{CATALOG, Entry};
use cases::{CASES, Case, names_something};
use scene::Scene;
use serde_json::{Value, json};
use std::collections::BTreeSet;
use wire::{Ask, Told};

const ROUNDS: usize = 10;
const ROUNDS_SHORT: usize = 1;
const REVOCATIONS: usize = 50;
const REVOCATIONS_SHORT: usize = 10;
/// What a problem document may have, and no more.
const MEMBERS: [&str; 10] =
    ["type", "title", "status", "detail", "code", "request_id", "retryable", "errors", "fix", "cost"];

/// What was counted.
#[derive(Default)]
struct Count {
    refusals: usize,
    /// Ways that no row of the catalog can be refused in.
    idle: Vec<&'static str>,
    /// Rows on which a foreign and an absent id were compared.
    compared: BTreeSet<&'static str>,
    twins: usize,
}

pub async fn run(short: bool) -> anyhow::Result<Verdict> {
    let (rounds, revocations) = if short { (ROUNDS_SHORT, REVOCATIONS_SHORT) } else { (ROUNDS, REVOCATIONS) };
    let mut scene = Scene::set().await?;
    let (mut count, mut complaints) = (Count::default(), Complaints::default());
    let before = scene.state().await?;
    for round in 0..rounds {
        refuse_all(&mut scene, round, &mut count, &mut complaints).await?;
        compare_ids(&mut scene, &mut count, &mut complaints).await?;
        progress(format!("round {}: {} refusals", round + 1, grouped(count.refusals)));
    }
    refuse_findable(&mut scene, &mut count, &mut complaints).await?;
    for ((table, before), (_, after)) in before.iter().zip(scene.state().await?) {
        if *before != after {
            complaints.add(format!("refused calls changed {table}"));
        }
    }
    rehearse_all(&mut scene, &mut count, &mut complaints).await?;
    progress(format!("revoking {revocations} keys"));
    let revoked = revocation::measure(&mut scene, revocations).await?;
    if revoked.longest > revocation::ALIVE_MAX {
        complaints.add(format!("a revoked key lived for {:?} on another node", revoked.longest));
    }
    if revoked.undead > 0 {
        complaints.add(format!("a revoked key was taken again {} times", revoked.undead));
    }
    if let Some(secret) = scene.secret_in_log()? {
        complaints
            .add(format!("the log holds the secret of a key, {}…", secret.get(..4).unwrap_or_default()));
    }
    for violation in scene.audit().await? {
        complaints.add(violation);
    }
    Ok(verdict(&count, revocations, revoked.longest.as_secs_f64(), &complaints))
}

fn verdict(count: &Count, revocations: usize, longest: f64, complaints: &Complaints) -> Verdict {
    for way in &count.idle {
        progress(format!("not applicable yet: {way} (no row of the catalog can be refused so)"));
    }
    let figure = format!(
        "auth: {} routes x {} ways, {} refusals, {} leaks; foreign = absent id on {} routes; {} sandbox twins open; \
         revoked keys dead on a second node after at most {longest:.2} s in {revocations} rounds; not applicable: {}",
        CATALOG.len(),
        CASES.len(),
        grouped(count.refusals),
        complaints.count(),
        count.compared.len(),
        count.twins,
        if count.idle.is_empty() { "none".to_owned() } else { count.idle.join(", ") },
    );
    Verdict { figure, passed: complaints.is_empty() && count.refusals > 0 && !count.compared.is_empty() }
}

async fn refuse_all(
    scene: &mut Scene,
    round: usize,
    count: &mut Count,
    complaints: &mut Complaints,
) -> anyhow::Result<()> {
    count.idle.clear();
    for case in CASES {
        let mut tried = 0;
        for (number, entry) in CATALOG.iter().enumerate() {
            let Some(ask) = (case.ask)(scene, entry) else { continue };
            let node = match case.code {
                "spend_cap_reached" => scene.holding.address,
                _ => scene.nodes[(number + round) % 2].address,
            };
            let told = scene.ask(node, &ask).await?;
            check(scene, entry, case, &told, complaints);
            tried += 1;
        }
        count.refusals += tried;
        if tried == 0 {
            count.idle.push(case.name);
        }
    }
    Ok(())
}

/// On a node as it is by default, calls that would find something and whose key's cap is spent.
async fn refuse_findable(
    scene: &mut Scene,
    count: &mut Count,
    complaints: &mut Complaints,
) -> anyhow::Result<()> {
    let Some(case) = CASES.iter().find(|case| case.code == "spend_cap_reached") else { return Ok(()) };
    for (path, body) in scene.findable.clone() {
        let Some(entry) = CATALOG.iter().find(|entry| entry.spec.path == path) else { continue };
        let ask = Ask::with(entry, &body, None, Some(&scene.keys.spent));
        let told = scene.ask(scene.nodes[0].address, &ask).await?;
        check(scene, entry, case, &told, complaints);
        count.refusals += 1;
    }
    Ok(())
}

/// A foreign id and one that never was must be answered alike, to the byte.
async fn compare_ids(
    scene: &mut Scene,
    count: &mut Count,
    complaints: &mut Complaints,
) -> anyhow::Result<()> {
    let case = |name: &str| CASES.iter().find(|case| case.name == name);
    let (Some(foreign), Some(absent)) = (case("foreign id"), case("absent id")) else { return Ok(()) };
    for entry in CATALOG {
        let (Some(foreign), Some(absent)) = ((foreign.ask)(scene, entry), (absent.ask)(scene, entry)) else {
            if names_something(entry) {
                complaints.add(format!("{}: the bar knows no id of another account", entry.spec.path));
            }
            continue;
        };
        let node = scene.nodes[0].address;
        let (foreign, absent) = (scene.ask(node, &foreign).await?, scene.ask(node, &absent).await?);
        if foreign.masked() != absent.masked() {
            complaints.add(format!(
                "{} tells a foreign id from an absent one:\n{}\n{}",
                entry.spec.name,
                foreign.masked(),
                absent.masked()
            ));
        }
        count.compared.insert(entry.spec.name);
    }
    Ok(())
}

/// The exact refusal, and nothing of anybody in it.
fn check(scene: &Scene, entry: &Entry, case: &Case, told: &Told, complaints: &mut Complaints) {
    let mut wrong = Vec::new();
    let problem: Value = told.json().unwrap_or_default();
    if (told.status, problem["code"].as_str()) != (case.status, Some(case.code)) {
        wrong.push(format!("{} {} instead of {} {}", told.status, problem["code"], case.status, case.code));
    }
    if told.header("content-type") != Some("application/problem+json") {
        wrong.push("no problem document".to_owned());
    }
    let members = problem.as_object().map(|fields| fields.keys().cloned().collect::<Vec<_>>());
    if members.is_none_or(|members| members.iter().any(|name| !MEMBERS.contains(&&**name))) {
        wrong.push("a problem with other members than it has".to_owned());
    }
    // Who may call is told what is left to them, also where nothing is there; nobody else is.
    let left = matches!(case.status, 402 | 404).then_some(&scene.left);
    let cost = left.map_or(json!({"credits": 0}), |left| json!({"credits": 0, "balance_remaining": left}));
    if problem["cost"] != cost || told.header("x-credits-charged") != Some("0") {
        wrong.push(format!("a cost of {}", problem["cost"]));
    }
    if told.header("x-credits-remaining") != left.map(Value::to_string).as_deref() {
        wrong.push(format!("{:?} left in a header", told.header("x-credits-remaining")));
    }
    if problem["errors"] != json!([]) {
        wrong.push(format!("details about the request: {}", problem["errors"]));
    }
    let unknown = told.status == 401;
    if told.header("www-authenticate").is_some() != unknown {
        wrong.push("a challenge at the wrong time".to_owned());
    }
    if unknown && told.header("ratelimit").is_some() {
        wrong.push("the account's rate for a stranger".to_owned());
    }
    let headers: String = told.headers.iter().map(|(name, value)| format!("{name}: {value}\n")).collect();
    if let Some(mark) = scene.mark_in(&told.text()).or_else(|| scene.mark_in(&headers)) {
        wrong.push(format!("{mark:?} in the answer"));
    }
    for what in wrong {
        complaints.add(format!("{} with {}: {what}", entry.spec.name, case.name));
    }
}

/// The twins of the sandbox ask for no key, and know nobody.
async fn rehearse_all(
    scene: &mut Scene,
    count: &mut Count,
    complaints: &mut Complaints,
) -> anyhow::Result<()> {
    let node = scene.nodes[0].address;
    let info = Ask { method: "GET", path: INFO_PATH.to_owned(), key: None, body: None };
    if scene.ask(node, &info).await?.status == 404 {
        return Ok(());
    }
    for entry in CATALOG {
        let mut ask = Ask::of(entry, None, None);
        let own = entry.spec.path.split('{').next().unwrap_or_default();
        let twin = twin_path(&entry.spec);
        let twin = twin.split('{').next().unwrap_or_default();
        ask.path = ask.path.replacen(own, twin, 1);
        let told = scene.ask(node, &ask).await?;
        if told.status != entry.spec.status {
            complaints.add(format!("the twin of {} answers {}", entry.spec.name, told.status));
        }
        if let Some(mark) = scene.mark_in(&told.text()) {
            complaints.add(format!("{mark:?} in the answer of the twin of {}", entry.spec.name));
        }
        count.twins += 1;
    }
    Ok(())
}
