//! The bar `powercut`: pulls the plug under PostgreSQL while the service is being paid, and looks for what was answered.
//!
//! The data lives on a file system in an image file. What only the kernel's memory holds is not in the image: a copy of
//! it taken while PostgreSQL is stopped is the disk after a power cut.

use crate::bar::{Verdict, grouped, progress};
use crate::http_client::{Client, Exchange, Post};
use crate::rig::{Account, Folder, Known, Rig, RigOptions, run_command};
use anyhow::{Context, bail};
use assay_domain::{Credits, RequestId};
use assay_store::Ledger;
use assay_testkit::{Postgres, PostgresOptions};
use std::collections::HashMap;
use std::net::SocketAddr;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;
use tokio::task::JoinSet;
use uuid::Uuid;

const RUNS: usize = 5;
const CONTROL_TRIES: usize = 3;
const CLIENTS: usize = 16;
const LOAD: Duration = Duration::from_secs(6);
const PEOPLE: u64 = 2_000;
const IMAGE_SIZE: &str = "1500M";
/// In memory: the test is about what reaches the image, not about how fast.
const IMAGE_FOLDER: &str = "/dev/shm";

/// A charge a client was told of.
#[derive(Debug, Clone, Copy)]
struct Acknowledged {
    request: RequestId,
    credits: Credits,
}

/// What one cut left.
#[derive(Debug, Clone, Copy)]
struct Outcome {
    acknowledged: usize,
    lost: usize,
}

pub async fn run(short: bool) -> anyhow::Result<Verdict> {
    // /proc/self belongs to the effective user.
    if std::fs::metadata("/proc/self").map(|it| it.uid()).ok() != Some(0) {
        bail!("this bar mounts disk images, which needs root: run it with sudo");
    }
    let runs = if short { 1 } else { RUNS };
    let (mut acknowledged, mut clean) = (0, 0);
    for number in 1..=runs {
        let outcome = cut("on").await?;
        progress(format!(
            "run {number}: {} charges acknowledged, {} lost",
            outcome.acknowledged, outcome.lost
        ));
        acknowledged += outcome.acknowledged;
        clean += usize::from(outcome.lost == 0 && outcome.acknowledged > 0);
    }
    let mut control = Outcome { acknowledged: 0, lost: 0 };
    for number in 1..=CONTROL_TRIES {
        control = cut("off").await?;
        progress(format!(
            "control {number} without synchronous_commit: {} charges acknowledged, {} lost",
            control.acknowledged, control.lost
        ));
        if control.lost > 0 {
            break;
        }
    }
    let figure = format!(
        "powercut: {clean} of {runs} runs lost none of {} acknowledged charges; the control without \
         synchronous_commit lost {} of {}",
        grouped(acknowledged),
        grouped(control.lost),
        grouped(control.acknowledged)
    );
    Ok(Verdict { figure, passed: clean == runs && control.lost > 0 })
}

/// One life of the service on an image, up to the cut, and what the copy of the image knows of it.
async fn cut(synchronous_commit: &str) -> anyhow::Result<Outcome> {
    // Dropped in reverse order: first the servers, then the file systems they are on.
    let disk = Disk::mount(Image::make()?)?;
    let mut after = None;
    let options = |disk: &Disk| PostgresOptions {
        data_dir: Some(disk.data_folder()),
        ..PostgresOptions::with_settings(&[
            ("synchronous_commit", synchronous_commit),
            ("max_wal_size", "400MB"),
            // In the data folder: what a killed server has in /dev/shm nobody would remove.
            ("dynamic_shared_memory_type", "mmap"),
        ])
    };
    let postgres = options(&disk);
    let mut rig = Rig::start(RigOptions {
        failpoints: false,
        accounts: CLIENTS,
        people: PEOPLE,
        postgres,
        one_database: false,
    })?;
    // The world and the accounts are not what is looked for, but without them nothing could be looked for.
    run_command("sync", &["--file-system", &disk.data_folder().to_string_lossy()])?;
    let server = rig.serve(&[])?;
    let load = Load::start(server.address, &rig);
    tokio::time::sleep(LOAD).await;
    let copy = tokio::task::block_in_place(|| {
        rig.postgres.freeze()?;
        disk.image.copy()
    })?;
    server.kill_dash_nine()?;
    let acknowledged = load.end().await;
    let memory = shared_memory(&rig.postgres);
    rig.postgres.kill_dash_nine()?;
    free_shared_memory(memory);
    let after = after.insert(Disk::mount(copy)?);
    let postgres = Postgres::start(options(after)).context("PostgreSQL does not start after the cut")?;
    drop(rig.moved_to(postgres));
    let ledger = rig.ledger().await?;
    let lost = missing(&ledger, &rig.accounts, &acknowledged).await?;
    ledger.pool().close().await;
    if let Some(violation) = rig.audit().await?.first() {
        bail!("after the cut the ledger breaks an invariant: {violation}");
    }
    Ok(Outcome { acknowledged: acknowledged.len(), lost })
}

/// The id of the memory a killed server leaves behind; it is the seventh line of its pid file.
fn shared_memory(postgres: &Postgres) -> Option<String> {
    let text = std::fs::read_to_string(postgres.data_dir().join("postmaster.pid")).ok()?;
    text.lines().nth(6)?.split_whitespace().nth(1).map(str::to_owned)
}

fn free_shared_memory(id: Option<String>) {
    if let Some(id) = id {
        // What cannot be freed is a few bytes until the next start of the machine.
        drop(run_command("ipcrm", &["-m", &id]));
    }
}

/// How many acknowledged charges are not in history, or not in the postings, as they were told.
async fn missing(
    ledger: &Ledger,
    accounts: &[Account],
    acknowledged: &[Acknowledged],
) -> anyhow::Result<usize> {
    let booked: Vec<(Uuid, i64, i64)> = sqlx::query_as(
        "select h.id, h.credits, coalesce(sum(p.amount), 0)::bigint from history h
         left join posting p on p.account_id = h.account_id and p.request_id = h.id and p.kind in (2, 4)
         where h.account_id = any($1) group by h.id, h.credits",
    )
    .bind(accounts.iter().map(|account| account.id.uuid()).collect::<Vec<_>>())
    .fetch_all(ledger.pool())
    .await?;
    let booked = booked.into_iter().map(|(id, said, moved)| (id, (said, moved))).collect::<HashMap<_, _>>();
    let is_there = |told: &Acknowledged| {
        let credits = told.credits.thousandths();
        booked.get(&told.request.uuid()) == Some(&(credits, credits))
    };
    Ok(acknowledged.iter().filter(|told| !is_there(told)).count())
}

/// Clients that pay as fast as they can and write down what they were told.
struct Load {
    clients: JoinSet<Vec<Acknowledged>>,
    stop: Arc<AtomicBool>,
}

impl Load {
    fn start(address: SocketAddr, rig: &Rig) -> Self {
        let stop = Arc::new(AtomicBool::new(false));
        let people = Arc::new((0..PEOPLE).filter_map(|index| rig.known(index)).collect::<Vec<_>>());
        let mut clients = JoinSet::new();
        for account in rig.accounts.clone() {
            let (people, stop) = (Arc::clone(&people), Arc::clone(&stop));
            clients.spawn(async move { pay(Client::new(address), &account, &people, &stop).await });
        }
        Self { clients, stop }
    }

    async fn end(mut self) -> Vec<Acknowledged> {
        self.stop.store(true, Ordering::SeqCst);
        let mut all = Vec::new();
        while let Some(told) = self.clients.join_next().await {
            all.extend(told.unwrap_or_default());
        }
        all
    }
}

/// Every second call carries a key, so that stored replies are in the commits too.
async fn pay(
    mut client: Client,
    account: &Account,
    people: &[Known],
    stop: &AtomicBool,
) -> Vec<Acknowledged> {
    let mut told = Vec::new();
    for (number, known) in people.iter().cycle().enumerate() {
        if stop.load(Ordering::SeqCst) {
            break;
        }
        let body = format!("{{\"email\":\"{}\"}}", known.email);
        let key = (number % 2 == 0).then(|| format!("cut-{number}"));
        let post = Post {
            path: "/v1/enrich",
            api_key: &account.api_key,
            idempotency_key: key.as_deref(),
            body: body.as_bytes(),
        };
        match client.post(&post).await {
            Exchange::Whole(reply) if reply.status == 200 => {
                let cost = reply.cost().map(|cost| cost.credits).filter(|credits| credits.is_positive());
                if let (Some(request), Some(credits)) = (reply.request(), cost) {
                    told.push(Acknowledged { request, credits });
                }
            }
            Exchange::Whole(_) => {}
            Exchange::Half | Exchange::Nothing => break,
        }
    }
    told
}

/// A disk as a file; removed when dropped.
struct Image {
    path: PathBuf,
}

impl Image {
    fn empty() -> Self {
        Self { path: Path::new(IMAGE_FOLDER).join(format!("assay-bar-{:016x}.img", rand::random::<u64>())) }
    }

    fn make() -> anyhow::Result<Self> {
        let image = Self::empty();
        let path = image.path.to_string_lossy();
        run_command("truncate", &["--size", IMAGE_SIZE, &path])?;
        run_command("mkfs.ext4", &["-q", "-F", &path]).context("is e2fsprogs installed?")?;
        Ok(image)
    }

    fn copy(&self) -> anyhow::Result<Self> {
        let copy = Self::empty();
        run_command("cp", &["--sparse=always", &self.path.to_string_lossy(), &copy.path.to_string_lossy()])?;
        Ok(copy)
    }
}

impl Drop for Image {
    fn drop(&mut self) {
        drop(std::fs::remove_file(&self.path));
    }
}

/// A mounted image; unmounted and removed when dropped. The fields are dropped in their order, after the unmount.
struct Disk {
    folder: Folder,
    image: Image,
}

impl Disk {
    fn mount(image: Image) -> anyhow::Result<Self> {
        let disk = Self { folder: Folder::make("disk")?, image };
        let (image, folder) = (disk.image.path.to_string_lossy(), disk.folder.path.to_string_lossy());
        run_command("mount", &["-o", "loop", &image, &folder])
            .context("the image cannot be mounted: does this machine allow loop mounts?")?;
        Ok(disk)
    }

    fn data_folder(&self) -> PathBuf {
        self.folder.path.join("data")
    }
}

impl Drop for Disk {
    fn drop(&mut self) {
        let folder = self.folder.path.to_string_lossy();
        if run_command("umount", &[&folder]).is_err() {
            // Somebody still looks at it, or it never was mounted: it goes when the last one has left.
            drop(run_command("umount", &["--lazy", &folder]));
        }
    }
}
