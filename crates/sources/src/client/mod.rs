//! One HTTP client for all vendors: where questions may go, how long they may take, when they are tried again, and when a
//! vendor is left alone. What a vendor is asked and what its answer means is the vendor's own.

mod asked;
mod breaker;
mod budget;
mod deadline;
mod guard;
mod kept;
mod pages;
mod resets;
mod scope;
mod show;
mod transport;
mod uptime;
mod window;

pub use asked::{Asked, NotAsked};
pub use guard::SourceGuard;
pub use pages::{Got, NoPages, Pages, Validators};
pub use resets::Rest;
pub use show::Shown;
pub use transport::SetupError;
pub use uptime::Uptime;

use crate::{Credentials, HttpAnswer, Price, Question, Reading, Vendor};
use asked::cost_micros;
use assay_domain::NetworkHosts;
use assay_domain::clock::Stopwatch;
use assay_domain::limits::{
    SOURCE_DEADLINE_MAX, SOURCE_IN_FLIGHT_MAX, SOURCE_PENDING_WAIT, SOURCE_RETRY_WAIT, SOURCE_SCOPES_KEPT,
    SOURCE_SLOW_MIN, SOURCE_TIME_LEFT_MIN, SOURCE_TRIES_MAX, SOURCE_VENDORS_KEPT,
};
use budget::Budget;
use deadline::Latencies;
use http::StatusCode;
use kept::Kept;
use scope::{Scope, Turn};
use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;
use tokio::sync::Semaphore;
use transport::{Prepared, Sent, Transport};

/// What a client is made of.
#[derive(Debug, Clone)]
pub struct ClientSettings {
    pub guard: SourceGuard,
    /// The hosts whose profile addresses vendors' answers may name.
    pub hosts: NetworkHosts,
    /// Certificates to trust beside the public ones; empty for none.
    pub extra_roots_pem: Vec<u8>,
    pub uptime: Uptime,
}

/// Where a vendor is asked, and as whom.
#[derive(Debug, Clone)]
pub struct VendorPlace {
    pub base_url: String,
    pub key: Credentials,
    /// Whose key it is: breakers and rests are kept apart by it. It may be logged, so it is never the key itself.
    pub scope: String,
    /// How often the key may be used, where the vendor or the operator says.
    pub requests_per_minute: Option<u32>,
    /// What a question costs, where the operator knows better than the vendor's list.
    pub price: Option<Price>,
}

/// Asks vendors. Clones share everything: connections, breakers, limits.
#[derive(Debug, Clone)]
pub struct Client(Arc<Shared>);

#[derive(Debug)]
struct Shared {
    transport: Transport,
    hosts: NetworkHosts,
    uptime: Uptime,
    vendors: Mutex<Kept<String, VendorState>>,
    scopes: Mutex<Kept<ScopeKey, Scope>>,
}

/// Vendor and scope.
type ScopeKey = (String, String);

/// What is remembered of a vendor, whoever's key is used.
#[derive(Debug)]
struct VendorState {
    places: Semaphore,
    latencies: Mutex<Latencies>,
    budget: Mutex<Budget>,
}

impl Default for VendorState {
    fn default() -> Self {
        Self {
            places: Semaphore::new(SOURCE_IN_FLIGHT_MAX),
            latencies: Mutex::default(),
            budget: Mutex::default(),
        }
    }
}

/// One question on its way.
struct Call<'a> {
    vendor: &'a dyn Vendor,
    question: &'a Question,
    prepared: Prepared,
    state: Arc<VendorState>,
    scope: Arc<Scope>,
    price: Option<Price>,
}

/// How one try ended.
struct Tried {
    reading: Reading,
    again: Again,
    /// It may have been answered, and nobody read it.
    lost: bool,
}

/// Whether to try again. A paid question is never asked twice when the first may have been answered.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Again {
    Never,
    AfterFailure,
    AfterWork,
}

impl Client {
    pub fn new(settings: ClientSettings) -> Result<Self, SetupError> {
        let ClientSettings { guard, hosts, extra_roots_pem, uptime } = settings;
        Ok(Self(Arc::new(Shared {
            transport: Transport::new(guard, &extra_roots_pem)?,
            hosts,
            uptime,
            vendors: Mutex::new(Kept::new(SOURCE_VENDORS_KEPT)),
            scopes: Mutex::new(Kept::new(SOURCE_SCOPES_KEPT)),
        })))
    }

    /// Asks, within the time left. An error means that nothing was sent.
    pub async fn ask(
        &self,
        vendor: &dyn Vendor,
        place: &VendorPlace,
        question: &Question,
        time_left: Duration,
    ) -> Result<Asked, NotAsked> {
        let watch = Stopwatch::start();
        if time_left < SOURCE_TIME_LEFT_MIN {
            return Err(NotAsked::NoTime);
        }
        let call = self.call(vendor, place, question)?;
        let _in_flight = call.state.places.try_acquire().map_err(|_| NotAsked::Full)?;
        let mut turn = call.scope.turn(&self.0.uptime, place.requests_per_minute)?;
        lock(&call.state.budget).earn(self.0.uptime.now());
        let mut attempts = 1;
        let mut lost = false;
        let tried = loop {
            let left = time_left.saturating_sub(watch.elapsed());
            let tried = self.attempt(&call, turn, left).await;
            lost |= tried.lost;
            if let Some(Rest::Unauthorized) = call.scope.learn(&tried.reading, self.0.uptime.now()) {
                let (vendor, scope) = (&*vendor.facts().name, place.scope.as_str());
                tracing::warn!(
                    source.vendor = vendor,
                    source.scope = scope,
                    "a vendor does not take our key"
                );
            }
            if attempts >= SOURCE_TRIES_MAX {
                break tried;
            }
            let left = time_left.saturating_sub(watch.elapsed());
            let Some(wait) = self.wait_before_next(&call, tried.again, left) else { break tried };
            tokio::time::sleep(wait).await;
            match call.scope.turn(&self.0.uptime, place.requests_per_minute) {
                Ok(next) => turn = next,
                Err(_) => break tried,
            }
            attempts = attempts.saturating_add(1);
        };
        let cost_micros = cost_micros(call.price, &tried.reading, lost);
        Ok(Asked { reading: tried.reading, latency: watch.elapsed(), attempts, cost_micros })
    }

    /// Forgets what is known of a key: it was replaced.
    pub fn forget(&self, vendor: &str, scope: &str) {
        lock(&self.0.scopes).forget(&(vendor.to_owned(), scope.to_owned()));
    }

    /// How many keys of each vendor are not freely used because it fails, for a gauge.
    pub fn open_breakers(&self) -> BTreeMap<String, u64> {
        let mut open = BTreeMap::new();
        for ((vendor, _), scope) in lock(&self.0.scopes).iter() {
            let count: &mut u64 = open.entry(vendor.clone()).or_default();
            *count = count.saturating_add(u64::from(!scope.is_closed()));
        }
        open
    }

    fn call<'a>(
        &self,
        vendor: &'a dyn Vendor,
        place: &VendorPlace,
        question: &'a Question,
    ) -> Result<Call<'a>, NotAsked> {
        let asked = vendor.request(question, &place.key).ok_or(NotAsked::Unanswerable)?;
        let prepared = self.0.transport.prepare(&place.base_url, &asked).map_err(NotAsked::Unsendable)?;
        let name = vendor.facts().name.to_string();
        let listed = vendor.facts().price_of(question.lookup);
        Ok(Call {
            vendor,
            question,
            prepared,
            state: lock(&self.0.vendors).get(name.clone()),
            scope: lock(&self.0.scopes).get((name, place.scope.clone())),
            price: place.price.or(listed),
        })
    }

    async fn attempt(&self, call: &Call<'_>, mut turn: Turn, left: Duration) -> Tried {
        let learnt = lock(&call.state.latencies).deadline(self.0.uptime.now());
        // A vendor that became slower for good is found out by its probes, and waited for longer from then on.
        let deadline = if turn.is_probe() { SOURCE_DEADLINE_MAX } else { learnt };
        let patience = learnt.min(SOURCE_SLOW_MIN);
        turn.be_patient(patience);
        let watch = Stopwatch::start();
        let sent = self.0.transport.send(&call.prepared, deadline.min(left)).await;
        let took = watch.elapsed();
        let timed_out = matches!(sent, Sent::TimedOut);
        let tried = self.read(call, sent);
        match &tried.reading {
            Reading::Failed(_) if timed_out => {
                // Without the time to wait for it nothing is learnt of the vendor; the turn knows.
                if took >= patience {
                    lock(&call.state.latencies).timed_out(took);
                }
                drop(turn);
            }
            Reading::Failed(_) => turn.failed(),
            _ => {
                lock(&call.state.latencies).answered(self.0.uptime.now(), took);
                turn.succeeded();
            }
        }
        tried
    }

    fn read(&self, call: &Call<'_>, sent: Sent) -> Tried {
        let is_free = call.price.is_some_and(|price| price.micros() == 0);
        let failed = |word, again, lost| Tried { reading: Reading::Failed(word), again, lost };
        let (status, headers, body) = match sent {
            Sent::Answered { status, headers, body } => (status, headers, body),
            Sent::Unreached => return failed("not reachable", Again::AfterFailure, false),
            Sent::Forbidden => return failed("not at a public address", Again::Never, false),
            Sent::Broken if is_free => return failed("connection broke", Again::AfterFailure, true),
            Sent::Broken => return failed("connection broke", Again::Never, true),
            Sent::TooLarge => return failed("answer too large", Again::Never, true),
            Sent::TimedOut => return failed("timed out", Again::Never, true),
        };
        if status.is_redirection() {
            return failed("redirected", Again::Never, false);
        }
        let answer = HttpAnswer { status, headers: &headers, body: &body, hosts: &self.0.hosts };
        let reading = call.vendor.read(call.question, &answer);
        let again = match &reading {
            Reading::Pending => Again::AfterWork,
            Reading::Failed(_) if is_unprocessed(status) || is_free && status.is_server_error() => {
                Again::AfterFailure
            }
            _ => Again::Never,
        };
        Tried { reading, again, lost: false }
    }

    /// How long to wait before the second try; none when there is none.
    fn wait_before_next(&self, call: &Call<'_>, again: Again, left: Duration) -> Option<Duration> {
        let wait = match again {
            Again::Never => return None,
            Again::AfterFailure => SOURCE_RETRY_WAIT,
            Again::AfterWork => SOURCE_PENDING_WAIT,
        };
        if wait.saturating_add(SOURCE_TIME_LEFT_MIN) > left {
            return None;
        }
        // To ask again for what the vendor works on is no retry: it said so.
        let may = again == Again::AfterWork || lock(&call.state.budget).spend(self.0.uptime.now());
        may.then_some(wait)
    }
}

/// A door of the vendor's answered, and not whoever does the work.
fn is_unprocessed(status: StatusCode) -> bool {
    matches!(status, StatusCode::BAD_GATEWAY | StatusCode::SERVICE_UNAVAILABLE | StatusCode::GATEWAY_TIMEOUT)
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
