//! The routes, walked off the catalog: one closure a row, and problem documents for what is no row.

use crate::meter::Meter;
use crate::request::read_call;
use crate::response::write_response;
use assay_domain::clock::Stopwatch;
use assay_service::fault::{Code, Fault};
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

/// The API. Call it after the metrics recorder is installed: the counters are looked up here, once.
pub fn router(service: Arc<Service>) -> Router {
    let mut router = Router::new();
    for entry in CATALOG {
        router = router.route(entry.spec.path, route(entry, Arc::clone(&service)));
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

fn route(entry: &'static Entry, service: Arc<Service>) -> MethodRouter {
    let method = match entry.spec.verb {
        Verb::Get => MethodFilter::GET,
        Verb::Post => MethodFilter::POST,
        Verb::Patch => MethodFilter::PATCH,
        Verb::Delete => MethodFilter::DELETE,
    };
    let meter = Arc::new(Meter::new(entry.spec.name));
    MethodRouter::new().on(method, move |request: Request| {
        let (service, meter) = (Arc::clone(&service), Arc::clone(&meter));
        async move { answer(entry, &service, &meter, request).await }
    })
}

async fn answer(entry: &'static Entry, service: &Service, meter: &Meter, request: Request) -> Response {
    let watch = Stopwatch::start();
    // A panic ends this call with an answer instead of ending the connection, which others may share.
    let call = AssertUnwindSafe(call(entry, service, request)).catch_unwind().await;
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

async fn call(entry: &'static Entry, service: &Service, request: Request) -> Reply {
    match read_call(entry, request).await {
        Ok(call) => service.call(call).await,
        Err(fault) => service.refuse(&fault),
    }
}
