//! The sandbox's routes: the twin of every row and the page about them, open to anybody, counted by address.

use crate::client_address::TrustedProxies;
use crate::meter::Meter;
use crate::request::{discard, read_call};
use crate::response::write_response;
use crate::router::method_of;
use assay_domain::clock::Stopwatch;
use assay_service::fault::Code;
use assay_service::sandbox::{Door, INFO_PATH, twin_path};
use assay_service::{CATALOG, Entry, Reply, Slot};
use axum::Router;
use axum::extract::Request;
use axum::http::{HeaderName, HeaderValue};
use axum::response::Response;
use axum::routing::{MethodFilter, MethodRouter};
use std::future::Future;
use std::sync::Arc;

const SANDBOX_REMAINING: HeaderName = HeaderName::from_static("x-sandbox-remaining");

/// What every route of the sandbox shares.
#[derive(Debug)]
struct Rooms {
    door: Arc<Door>,
    proxies: TrustedProxies,
    meter: Meter,
}

/// Adds the sandbox to the routes.
pub(crate) fn add_sandbox(mut router: Router, door: Arc<Door>, proxies: TrustedProxies) -> Router {
    let rooms = Arc::new(Rooms { door, proxies, meter: Meter::new("sandbox") });
    for entry in CATALOG {
        let rooms = Arc::clone(&rooms);
        let route = MethodRouter::new().on(method_of(entry.spec.verb), move |request: Request| {
            let rooms = Arc::clone(&rooms);
            async move { rooms.answer(rooms.call(entry, request)).await }
        });
        router = router.route(&twin_path(&entry.spec), route);
    }
    let info = MethodRouter::new().on(MethodFilter::GET, move |request: Request| {
        let rooms = Arc::clone(&rooms);
        async move { rooms.answer(rooms.info(request)).await }
    });
    router.route(INFO_PATH, info)
}

impl Rooms {
    async fn answer(&self, work: impl Future<Output = (Reply, Option<u32>)>) -> Response {
        let watch = Stopwatch::start();
        let (reply, remaining) = work.await;
        let took = watch.elapsed();
        self.meter.observe(&reply, took);
        let mut response = write_response(reply, took);
        if let Some(remaining) = remaining {
            response.headers_mut().insert(SANDBOX_REMAINING, HeaderValue::from(remaining));
        }
        response
    }

    /// Counts first: a call that is refused for what it says has been made all the same.
    async fn call(&self, entry: &'static Entry, request: Request) -> (Reply, Option<u32>) {
        let sandbox = self.door.sandbox();
        let slot = slot_of(&request);
        let remaining = match slot.aside(self.door.enter(self.proxies.client_of(&request))).await {
            Ok(remaining) => remaining,
            Err(fault) => {
                // A client that writes all before it reads must see the refusal, and not a broken connection.
                slot.aside(discard(request.into_body())).await;
                let used_up = fault.code == Code::SandboxDailyLimit;
                return (sandbox.refuse(&fault), used_up.then_some(0));
            }
        };
        let reply = match read_call(entry, &self.proxies, request).await {
            Ok(call) => sandbox.call(&call).await,
            Err(fault) => sandbox.refuse(&fault),
        };
        (reply, Some(remaining))
    }

    async fn info(&self, request: Request) -> (Reply, Option<u32>) {
        let telling = self.door.info(self.proxies.client_of(&request));
        slot_of(&request).aside(telling).await
    }
}

/// The place of a call among those being worked on. The counter keeps calls waiting on purpose: they must not keep paid
/// ones out meanwhile.
fn slot_of(request: &Request) -> Slot {
    request.extensions().get::<Slot>().cloned().unwrap_or_default()
}
