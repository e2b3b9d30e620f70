//! The routes, walked off the catalog: one closure a row, and problem documents for what is no row.

use crate::client_address::TrustedProxies;
use crate::meter::Meter;
use crate::reference;
use crate::request::read_call;
use crate::response::write_response;
use crate::sandbox::add_sandbox;
use assay_domain::clock::Stopwatch;
use assay_service::fault::{Code, Fault};
use assay_service::sandbox::Door;
use assay_service::spec::Verb;
use assay_service::{CATALOG, Entry, Reply, Service, crash_point};
use axum::Router;
use axum::extract::Request;
use axum::response::Response;
use axum::routing::{MethodFilter, MethodRouter};
use futures_util::FutureExt;
use std::panic::AssertUnwindSafe;
use std::sync::Arc;
use std::time::Duration;

/// What stands between the network and the service.
#[derive(Debug, Clone, Default)]
pub struct Front {
    pub proxies: TrustedProxies,
    /// None when the operator has no sandbox.
    pub sandbox: Option<Arc<Door>>,
}

/// The API. Call it after the metrics recorder is installed: the counters are looked up here, once.
pub fn router(service: Arc<Service>, front: Front) -> Router {
    let mut router = reference::routes();
    for entry in CATALOG {
        router = router.route(entry.spec.path, route(entry, Arc::clone(&service), front.proxies.clone()));
    }
    if let Some(door) = front.sandbox {
        router = add_sandbox(router, door, front.proxies);
    }
    let refuse = |service: Arc<Service>, code: Code, detail: &'static str| {
        let meter = Arc::new(Meter::new("none"));
        move |request: Request| {
            let (service, meter) = (Arc::clone(&service), Arc::clone(&meter));
            async move {
                drop(request);
                let reply = service.refuse(&Fault::new(code, detail));
                meter.observe(&reply, Duration::ZERO);
                write_response(reply, Duration::ZERO)
            }
        }
    };
    let unknown = refuse(Arc::clone(&service), Code::NotFound, "no endpoint has this path");
    let wrong_method = refuse(service, Code::MethodNotAllowed, "no endpoint of this path takes this method");
    router.fallback(unknown).method_not_allowed_fallback(wrong_method)
}

pub(crate) fn method_of(verb: Verb) -> MethodFilter {
    match verb {
        Verb::Get => MethodFilter::GET,
        Verb::Post => MethodFilter::POST,
        Verb::Patch => MethodFilter::PATCH,
        Verb::Delete => MethodFilter::DELETE,
    }
}

/// What every call of one row shares.
struct Desk {
    entry: &'static Entry,
    service: Arc<Service>,
    proxies: TrustedProxies,
    meter: Meter,
}

fn route(entry: &'static Entry, service: Arc<Service>, proxies: TrustedProxies) -> MethodRouter {
    let desk = Arc::new(Desk { entry, service, proxies, meter: Meter::new(entry.spec.name) });
    MethodRouter::new().on(method_of(entry.spec.verb), move |request: Request| {
        let desk = Arc::clone(&desk);
        async move { answer(&desk, request).await }
    })
}

async fn answer(desk: &Desk, request: Request) -> Response {
    let Desk { entry, service, meter, .. } = desk;
    let watch = Stopwatch::start();
    // A panic ends this call with an answer instead of ending the connection, which others may share.
    let call = AssertUnwindSafe(call(desk, request)).catch_unwind().await;
    let reply = call.unwrap_or_else(|_| {
        metrics::counter!("assay_task_panics_total", "task" => "call").increment(1);
        tracing::error!(endpoint = entry.spec.name, "a call panicked");
        service.refuse(&Fault::new(Code::Internal, "the failure was recorded"))
    });
    crash_point("http-before-reply").await;
    let took = watch.elapsed();
    meter.observe(&reply, took);
    write_response(reply, took)
}

async fn call(desk: &Desk, request: Request) -> Reply {
    match read_call(desk.entry, &desk.proxies, request).await {
        Ok(call) => desk.service.call(call).await,
        Err(fault) => desk.service.refuse(&fault),
    }
}
