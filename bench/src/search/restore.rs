//! The bar `restore`: a database restored from a dump under running nodes. The log begins anew, indexes are filled again,
//! cursors from before answer 410, and what is found is what the restored tables have.

use super::updates::{Made, Updates};
use super::{PEOPLE, ask, rig, walk};
use crate::bar::{Complaints, Verdict, grouped, progress};
use crate::http_client::{Client, Exchange, Post};
use crate::rig::{Folder, Rig, Server, run_command};
use anyhow::{Context, Result, bail};
use assay_domain::clock::Stopwatch;
use serde_json::{Value, json};
use std::collections::BTreeSet;
use std::time::Duration;

const WORLD: u64 = 100_000;
const WORLD_SHORT: u64 = 2_000;
const CHANGES_A_SECOND: usize = 200;
const CHANGING: Duration = Duration::from_secs(4);
/// Nodes notice, and fill their indexes again, within this.
const NOTICED_WITHIN: Duration = Duration::from_mins(10);
const LOOK: Duration = Duration::from_millis(250);
const PAGE: u32 = 100;
/// Two from the beginning and one that comes later; each is asked by an account of its own.
const NODES: usize = 3;
/// Words looked up of each time: before the dump, after it, and after the restore.
const WORDS: usize = 50;

pub async fn run(short: bool) -> Result<Verdict> {
    let rig = rig(if short { WORLD_SHORT } else { WORLD }, NODES)?;
    let folder = Folder::make("restore")?;
    let snapshots = folder.path.join("snapshots").display().to_string();
    let settings = [("ASSAY_INDEX_SNAPSHOTS", snapshots.as_str())];
    let nodes = [rig.serve(&settings)?, rig.serve(&settings)?];
    let mut desk = Desk { api_key: rig.accounts[0].api_key.clone(), complaints: Complaints::default() };
    let mut kept = change(&rig, 1).await?;
    desk.wait_found(&nodes[0], &kept).await?;
    let mut cursors = vec![desk.cursor(&nodes[0]).await?];
    let before = epoch(&rig)?;
    let dump = folder.path.join("graph.dump").display().to_string();
    run_command("pg_dump", &["-Fc", "-f", &dump, &rig.graph_url()])?;
    let lost = change(&rig, 2).await?;
    desk.wait_found(&nodes[1], &lost).await?;
    cursors.push(desk.cursor(&nodes[1]).await?);
    progress("restoring the dump under two running nodes");
    let watch = Stopwatch::start();
    restore(&rig, &dump)?;
    // As many as were lost: the restored log soon has the numbers that cursors name.
    let after = change(&rig, 3).await?;
    desk.wait_restored(&nodes, &cursors).await?;
    let noticed = watch.elapsed();
    if epoch(&rig)? == before {
        desk.complaints.add("the log goes on as if nothing had been restored");
    }
    let late = rig.serve(&settings)?;
    // Whoever changed again has another word by now.
    let again: BTreeSet<_> = after.iter().map(|one| one.person.uuid()).collect();
    kept.retain(|one| !again.contains(&one.person.uuid()));
    for (node, account) in nodes.iter().chain([&late]).zip(&rig.accounts) {
        desk.api_key.clone_from(&account.api_key);
        // The newest may be on their way still; whoever changed before them is not waited for.
        desk.wait_found(node, &after).await?;
        desk.check(&rig, node, &cursors, [(&kept, true), (&lost, false), (&after, true)]).await?;
    }
    let figure = format!(
        "restore: {} people restored from a dump under two nodes and a third that came later; new log, indexes filled and \
         cursors refused after {:.0} s; {} changes before the dump, {} lost with it, {} after; {} wrong",
        grouped(usize::try_from(rig.world().people_count())?),
        noticed.as_secs_f64(),
        kept.len(),
        lost.len(),
        after.len(),
        desk.complaints.count()
    );
    Ok(Verdict { figure, passed: desk.complaints.is_empty() })
}

/// People change for a while; the last change of each of them.
async fn change(rig: &Rig, seed: u64) -> Result<Vec<Made>> {
    let updates = Updates::start(rig, CHANGES_A_SECOND, seed).await?;
    tokio::time::sleep(CHANGING).await;
    let (_, mut made) = updates.stop().await?;
    made.reverse();
    let mut seen = BTreeSet::new();
    made.retain(|one| seen.insert(one.person.uuid()));
    Ok(made)
}

/// As an operator does it, but for stopping the nodes.
fn restore(rig: &Rig, dump: &str) -> Result<()> {
    let name = rig.graph_name();
    rig.postgres.psql("postgres", &format!("drop database {name} with (force)"))?;
    rig.postgres.create_database(name)?;
    run_command("pg_restore", &["--exit-on-error", "-d", &rig.graph_url(), dump])
}

fn epoch(rig: &Rig) -> Result<String> {
    rig.postgres.psql(rig.graph_name(), "select log_epoch from graph_meta")
}

struct Desk {
    api_key: String,
    complaints: Complaints,
}

impl Desk {
    async fn cursor(&self, node: &Server) -> Result<String> {
        let page = ask(&mut node.client(), &self.api_key, PEOPLE, &json!({ "limit": 1 })).await?;
        Ok(page["next_cursor"].as_str().context("everybody fits on one page")?.to_owned())
    }

    async fn finds(&self, client: &mut Client, made: &Made) -> Result<bool> {
        let page = ask(client, &self.api_key, PEOPLE, &json!({ "keywords": made.word, "limit": 1 })).await?;
        let id = format!("per_{}", made.person.uuid().simple());
        Ok(page["results"][0]["id"].as_str() == Some(&id))
    }

    async fn wait_found(&self, node: &Server, made: &[Made]) -> Result<()> {
        let newest = made.first().context("nobody changed")?;
        let watch = Stopwatch::start();
        while !self.finds(&mut node.client(), newest).await? {
            anyhow::ensure!(watch.elapsed() < NOTICED_WITHIN, "what changed is not found");
            tokio::time::sleep(LOOK).await;
        }
        Ok(())
    }

    /// Waits until every node refuses every cursor: then it has noticed.
    async fn wait_restored(&self, nodes: &[Server], cursors: &[String]) -> Result<()> {
        let watch = Stopwatch::start();
        for node in nodes {
            for cursor in cursors {
                // A node whose connections were cut may answer 503 for a moment.
                while self.status_of(node, cursor).await? != 410 {
                    anyhow::ensure!(watch.elapsed() < NOTICED_WITHIN, "a node goes on with an old cursor");
                    tokio::time::sleep(LOOK).await;
                }
            }
        }
        Ok(())
    }

    async fn status_of(&self, node: &Server, cursor: &str) -> Result<u16> {
        let body: Value = json!({ "limit": 1, "cursor": cursor });
        let body = body.to_string();
        let post =
            Post { path: PEOPLE, api_key: &self.api_key, idempotency_key: None, body: body.as_bytes() };
        match node.client().post(&post).await {
            Exchange::Whole(reply) => Ok(reply.status),
            Exchange::Half | Exchange::Nothing => bail!("no whole answer"),
        }
    }

    /// Everybody is found who is in the tables, with what the tables say; and nothing that was lost.
    async fn check(
        &mut self,
        rig: &Rig,
        node: &Server,
        cursors: &[String],
        times: [(&Vec<Made>, bool); 3],
    ) -> Result<()> {
        for cursor in cursors {
            let status = self.status_of(node, cursor).await?;
            if status != 410 {
                self.complaints.add(format!("an old cursor answers {status}"));
            }
        }
        for (made, is_kept) in times {
            for one in made.iter().take(WORDS) {
                if self.finds(&mut node.client(), one).await? != is_kept {
                    let what = if is_kept { "is not found" } else { "is found, and was lost" };
                    self.complaints.add(format!("{}: a change {what}", one.person));
                }
            }
        }
        let walked = walk(&mut [node.client()], &self.api_key, PEOPLE, &json!({}), PAGE).await?;
        let select =
            "select json_agg('per_' || replace(id::text, '-', '')) from person where merged_into is null";
        let there: BTreeSet<String> = serde_json::from_str(&rig.postgres.psql(rig.graph_name(), select)?)?;
        let distinct: BTreeSet<String> = walked.ids.iter().cloned().collect();
        let is_counted = walked.counts(u64::try_from(there.len())?, false);
        if distinct != there || walked.ids.len() != there.len() || !is_counted {
            self.complaints.add(format!(
                "{} rows, {} people, total {}; the tables have {}",
                walked.ids.len(),
                distinct.len(),
                walked.total,
                there.len()
            ));
        }
        Ok(())
    }
}
