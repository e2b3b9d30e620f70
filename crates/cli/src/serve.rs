//! `assay serve`: the API, the operations port and the background work, until a signal says stop.

use crate::config::Config;
use crate::failure::Failure;
use crate::snapshots::SnapshotsPlace;
use crate::{Session, connect, out, telemetry};
use assay_domain::Clock;
use assay_domain::limits::{CALLS_ACTIVE_LEAST, CALLS_ACTIVE_PER_CORE, CALLS_WAITING_PER_ACTIVE};
use assay_engine::Engine;
use assay_engine::newsroom::Newsroom;
use assay_engine::upstream::Upstreams;
use assay_http::{
    Admission, Bounds, Check, Front, Probe, Readiness, TrustedProxies, connections_that_fit, operations,
    router, serve,
};
use assay_replica::{Replica, ReplicaError};
use assay_service::{BulkDesk, BulkKeys, ListDesk, ListKeys, Service};
use assay_store::ledger::PROVIDER_KEY;
use assay_store::{Graph, Ledger, StoreError, task};
use assay_worker::{
    WebhookTools, Worker, WorkerHandle, WorkerSettings, WorkerTools, follow_index, keep_index, publish_index,
    run_scheduled_icps,
};
use clap::{Args, ValueEnum};
use metrics_exporter_prometheus::PrometheusHandle;
use std::net::SocketAddr;
use std::num::NonZeroU32;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, OnceLock};
use std::time::Duration;
use tokio::net::TcpListener;
use tokio::signal::unix::{Signal, SignalKind, signal};
use tokio::sync::watch;
use tokio::task::JoinHandle;
use uuid::Uuid;

#[derive(Debug, Args)]
pub struct Serve {
    /// What this process does; several nodes may share the work.
    #[arg(long, value_enum, value_delimiter = ',', default_value = "api,worker")]
    roles: Vec<Role>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Role {
    Api,
    Worker,
}

impl Serve {
    pub async fn run(self, session: &Session) -> Result<(), Failure> {
        let config = session.settings()?.config;
        telemetry::start_logs(&config)?;
        let metrics = telemetry::start_metrics()?;
        let (ledger, graph) = (connect::ledger(&config).await?, connect::graph(&config).await?);
        connect::check_key(&config, &ledger, Some(&graph)).await?;
        let engine = engine(&config, &ledger, &graph)?;
        let mut signals = Signals::listen()?;
        let draining = Arc::new(AtomicBool::new(false));
        // The operations port outlives the rest, so that a draining node can still be watched.
        let (stop_api, api_stopped) = watch::channel(false);
        let (stop_worker, worker_stopped) = watch::channel(false);
        let (stop_rest, rest_stopped) = watch::channel(false);
        let standing = Standing { draining: Arc::clone(&draining), index: Arc::default() };
        let probe = probe(ledger.clone(), graph.clone(), standing.clone());
        let operations = start_operations(&config, (probe, metrics), rest_stopped.clone());
        let (operations_address, watching) = operations.await?;
        // Nobody is answered, and no work is done, with people in the graph who were erased before it was restored.
        tokio::select! {
            settled = connect::settle(&engine) => drop(settled?),
            _ = signals.next() => return Ok(()),
        }
        let api = if self.roles.contains(&Role::Api) {
            let parts = (&ledger, &graph, &engine);
            Some(start_api(&config, parts, &draining, (api_stopped, &worker_stopped)).await?)
        } else {
            None
        };
        let index = api.as_ref().map(|api| Arc::clone(&api.replica));
        standing.index.get_or_init(|| index.clone());
        let following = index.map(|index| tend_index(&index, &rest_stopped));
        let worker = if self.roles.contains(&Role::Worker) {
            Some(start_worker(&config, (ledger, graph, engine), &worker_stopped)?)
        } else {
            None
        };

        let calls = api.as_ref().map_or("no API".to_owned(), |api| format!("API http://{}", api.address));
        out::note(&format!("assay is up: {calls}, operations http://{operations_address}"));
        let haste = signals.next().await == Heard::Interrupt;
        tracing::info!("stopping: calls that run may finish");
        draining.store(true, Ordering::Relaxed);
        // A node that drains takes up no more work; what it is at may finish.
        stop_worker.send_replace(true);
        let finish = async {
            if let Some(Api { serving, schedules, .. }) = api {
                // Whoever sends calls here needs a moment to hear that it should not.
                let notice = if haste { Duration::ZERO } else { config.stop_notice };
                tokio::time::sleep(notice).await;
                stop_api.send_replace(true);
                drop((serving.await, schedules.await));
            }
            if let Some(worker) = worker {
                worker.join().await;
            }
            stop_rest.send_replace(true);
            drop(watching.await);
            if let Some(following) = following {
                drop(following.await);
            }
        };
        tokio::select! {
            () = finish => tracing::info!("stopped"),
            _ = signals.next() => tracing::warn!("stopped at once by a second signal"),
        }
        Ok(())
    }
}

async fn start_operations(
    config: &Config,
    (probe, metrics): (Probe, PrometheusHandle),
    stopped: watch::Receiver<bool>,
) -> Result<(SocketAddr, JoinHandle<()>), Failure> {
    let listener = bind(config.operations_listen, "server.operations_listen").await?;
    let address = local_address(&listener)?;
    let watch = serve(listener, operations(probe, metrics), Bounds::operations(), stopped);
    Ok((address, task::spawn("operations", watch)))
}

/// The part of a node that answers calls.
struct Api {
    address: SocketAddr,
    serving: JoinHandle<()>,
    replica: Arc<Replica>,
    /// Saved ICPs are searches, and run where those are answered.
    schedules: JoinHandle<()>,
}

async fn start_api(
    config: &Config,
    (ledger, graph, engine): (&Ledger, &Graph, &Engine),
    draining: &Arc<AtomicBool>,
    (stopped, worker_stopped): (watch::Receiver<bool>, &watch::Receiver<bool>),
) -> Result<Api, Failure> {
    let listener = bind(config.listen, "server.listen").await?;
    let address = local_address(&listener)?;
    let replica = open_replica(config, graph)?;
    let service = service(config, ledger, engine, Arc::clone(&replica))?;
    let front = Front {
        proxies: TrustedProxies::new(&config.trusted_proxies),
        sandbox: connect::sandbox(config, &service).await?,
    };
    let bounds = bounds(config, &service, draining);
    let schedules = run_scheduled_icps(Arc::clone(&service), worker_stopped);
    let serving = task::spawn("api", serve(listener, router(service, front), bounds, stopped));
    Ok(Api { address, serving, replica, schedules })
}

fn service(
    config: &Config,
    ledger: &Ledger,
    engine: &Engine,
    replica: Arc<Replica>,
) -> Result<Arc<Service>, Failure> {
    Ok(Arc::new(Service::new(ledger.clone(), engine.clone(), replica, Clock::system(), config.settings()?)))
}

/// The node's index, as an earlier run left it. It is filled in the background.
fn open_replica(config: &Config, graph: &Graph) -> Result<Arc<Replica>, Failure> {
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    let partitions = match config.index_partitions {
        0 => cores,
        set => usize::try_from(set).unwrap_or(cores),
    };
    let snapshots = config.index_snapshots.as_ref().map(SnapshotsPlace::open).transpose()?;
    let opened = Replica::open(graph.clone(), &config.index_folder, partitions);
    opened.map(|replica| Arc::new(replica.with_snapshots(snapshots))).map_err(|error| {
        let fix = match error {
            ReplicaError::InUse => "give each node a folder of its own as index.folder",
            _ => "set index.folder to a folder that this program may write to",
        };
        Failure::new(format!("{}: {error}", config.index_folder.display()), fix)
    })
}

/// What is done to an index while it answers. It is followed to the last call: a page may wait for entries that another node
/// has read.
fn tend_index(index: &Arc<Replica>, stopped: &watch::Receiver<bool>) -> JoinHandle<()> {
    // Nobody waits for their ends: what is cut short is not called whole, and is nobody's.
    drop(keep_index(Arc::clone(index), Clock::system(), stopped));
    drop(publish_index(Arc::clone(index), Clock::system(), stopped));
    follow_index(Arc::clone(index), stopped)
}

fn start_worker(
    config: &Config,
    (ledger, graph, engine): (Ledger, Graph, Engine),
    stopped: &watch::Receiver<bool>,
) -> Result<WorkerHandle, Failure> {
    let clock = Clock::system();
    let keys = BulkKeys::new(config.master_key()?);
    let bulk = BulkDesk::new(ledger.clone(), engine.clone(), clock.clone(), keys);
    let keys = ListKeys::new(config.master_key()?);
    let lists = ListDesk::new(ledger.clone(), engine.clone(), clock.clone(), keys, config.hold_lifetime);
    let webhooks = Arc::new(webhook_tools(config, &clock)?);
    let pages = config.feeds.pages(&config.upstreams)?;
    let newsroom = pages.map(|pages| Newsroom::new(engine.clone(), pages, clock.clone()));
    let node = Uuid::from_bytes(rand::random());
    let settings = WorkerSettings { history_months: config.history_retention_months };
    let tools = WorkerTools { graph, ledger, engine, bulk, lists, webhooks, newsroom, clock, node };
    Ok(Worker::start(tools, settings, stopped))
}

fn engine(config: &Config, ledger: &Ledger, graph: &Graph) -> Result<Engine, Failure> {
    let mailroom = config.mail.mailroom(graph, ledger, config.identity_key()?)?;
    let engine = Engine::new(graph.clone(), ledger.clone(), config.identity_key()?, config.hosts.clone());
    let sealer = config.master_key()?.sealer(PROVIDER_KEY);
    let client = config.upstreams.client(&config.hosts)?;
    let upstreams = Upstreams::new(graph.clone(), ledger.clone(), sealer, client);
    upstreams.watch();
    Ok(engine.with_mailroom(mailroom).with_upstreams(upstreams))
}

fn webhook_tools(config: &Config, clock: &Clock) -> Result<WebhookTools, Failure> {
    let roots = match &config.webhook_roots {
        None => Vec::new(),
        Some(path) => std::fs::read(path).map_err(|error| {
            Failure::new(
                format!("cannot read {}: {error}", path.display()),
                "name a readable file for webhooks.extra_roots",
            )
        })?,
    };
    let scale = NonZeroU32::new(config.webhook_time_scale).unwrap_or(NonZeroU32::MIN);
    WebhookTools::new(config.webhook_rules()?, roots, scale, clock.clone()).map_err(|error| {
        Failure::new(
            format!("webhooks cannot be sent: {error}"),
            "put certificates in PEM into the file of webhooks.extra_roots",
        )
    })
}

/// What the API's listener puts up with.
fn bounds(config: &Config, service: &Service, leaving: &Arc<AtomicBool>) -> Bounds {
    let count = |number: u32| usize::try_from(number).unwrap_or(usize::MAX);
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    let active_max = match config.calls_active_max {
        0 => (cores * CALLS_ACTIVE_PER_CORE).max(CALLS_ACTIVE_LEAST),
        set => count(set),
    };
    Bounds {
        connections_max: connections_that_fit(count(config.connections_max)),
        admission: Some(Admission::new(
            |fault| service.refuse(fault),
            (active_max, active_max.saturating_mul(CALLS_WAITING_PER_ACTIVE)),
            Clock::system(),
        )),
        leaving: Arc::clone(leaving),
    }
}

async fn bind(address: SocketAddr, key: &str) -> Result<TcpListener, Failure> {
    TcpListener::bind(address).await.map_err(|error| {
        Failure::new(
            format!("cannot listen on {address}: {error}"),
            format!("choose another address for {key}"),
        )
    })
}

fn local_address(listener: &TcpListener) -> Result<SocketAddr, Failure> {
    listener
        .local_addr()
        .map_err(|error| Failure::new(format!("a listener has no address: {error}"), "try again"))
}

/// How far a node has come.
#[derive(Clone)]
struct Standing {
    draining: Arc<AtomicBool>,
    /// Set when calls may be answered: the index they are answered from, if this node has one.
    index: Arc<OnceLock<Option<Arc<Replica>>>>,
}

/// What `/readyz` looks at.
fn probe(ledger: Ledger, graph: Graph, standing: Standing) -> Probe {
    Arc::new(move || {
        let (ledger, graph) = (ledger.clone(), graph.clone());
        let draining = standing.draining.load(Ordering::Relaxed);
        let settling = standing.index.get().is_none();
        let index = standing.index.get().and_then(Option::as_ref);
        let filling = index.is_some_and(|index| index.indexes().is_none());
        Box::pin(async move {
            let (ledger, graph) = tokio::join!(ledger.schema_versions(), graph.schema_versions());
            let stopping =
                Check { name: "serving", trouble: draining.then(|| "this node is stopping".to_owned()) };
            let trouble = filling.then(|| "the index is still being filled".to_owned());
            let index = Check { name: "index", trouble };
            let trouble = settling.then(|| "whoever was erased is being looked for in the graph".to_owned());
            let settled = Check { name: "suppressions", trouble };
            let (ledger, graph) = (schema_check("ledger", ledger), schema_check("graph", graph));
            let checks = vec![ledger, graph, settled, index, stopping];
            Readiness { checks }
        })
    })
}

/// Reading the schema's version needs a connection and an answer, so it is the ping too.
fn schema_check(name: &'static str, versions: Result<(i64, Option<i64>), StoreError>) -> Check {
    let trouble = match versions {
        Err(error) => Some(error.to_string()),
        // A newer schema is what a node sees while its successor is being rolled out: it goes on.
        Ok((needed, Some(found))) if found >= needed => None,
        Ok(versions) => connect::schema_trouble(name, versions)
            .and_then(|failure| failure.reasons.into_iter().next())
            .map(|reason| reason.what),
    };
    Check { name, trouble }
}

/// Which of the signals that mean stop was heard.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Heard {
    Terminate,
    /// Somebody at a terminal, whom nobody balances.
    Interrupt,
}

/// The signals that mean stop.
struct Signals {
    terminate: Signal,
    interrupt: Signal,
}

impl Signals {
    fn listen() -> Result<Self, Failure> {
        let listen = |kind| {
            signal(kind)
                .map_err(|error| Failure::new(format!("signals cannot be heard: {error}"), "report it"))
        };
        Ok(Self { terminate: listen(SignalKind::terminate())?, interrupt: listen(SignalKind::interrupt())? })
    }

    async fn next(&mut self) -> Heard {
        tokio::select! {
            _ = self.terminate.recv() => Heard::Terminate,
            _ = self.interrupt.recv() => Heard::Interrupt,
        }
    }
}
