//! The operations port: is the process alive, may it be sent calls, and what has it counted. Never shown to customers.

use axum::Router;
use axum::http::StatusCode;
use axum::http::header::{CACHE_CONTROL, CONTENT_TYPE};
use axum::response::{IntoResponse, Response};
use axum::routing::get;
use futures_util::future::BoxFuture;
use metrics_exporter_prometheus::PrometheusHandle;
use serde_json::{Map, Value, json};
use std::sync::Arc;

/// Whether calls may be sent here, and what was looked at to say so.
#[derive(Debug, Clone, Default)]
pub struct Readiness {
    pub checks: Vec<Check>,
}

/// One thing that calls depend on.
#[derive(Debug, Clone)]
pub struct Check {
    pub name: &'static str,
    /// What is wrong with it, if anything is.
    pub trouble: Option<String>,
}

impl Readiness {
    pub fn is_ready(&self) -> bool {
        self.checks.iter().all(|check| check.trouble.is_none())
    }

    fn to_json(&self) -> Value {
        let check = |check: &Check| {
            let state = match &check.trouble {
                None => json!({"ok": true}),
                Some(trouble) => json!({"ok": false, "trouble": trouble}),
            };
            (check.name.to_owned(), state)
        };
        let checks: Map<String, Value> = self.checks.iter().map(check).collect();
        json!({"ready": self.is_ready(), "checks": checks})
    }
}

/// Looks at everything calls depend on, each time it is asked.
pub type Probe = Arc<dyn Fn() -> BoxFuture<'static, Readiness> + Send + Sync>;

/// The routes of the operations port.
pub fn operations(probe: Probe, metrics: PrometheusHandle) -> Router {
    let ready = move || {
        let probe = Arc::clone(&probe);
        async move {
            let readiness = probe().await;
            let status = if readiness.is_ready() { StatusCode::OK } else { StatusCode::SERVICE_UNAVAILABLE };
            page(status, "application/json", readiness.to_json().to_string())
        }
    };
    let counted = move || {
        let metrics = metrics.clone();
        async move { page(StatusCode::OK, "text/plain; version=0.0.4; charset=utf-8", metrics.render()) }
    };
    Router::new()
        .route("/livez", get(|| async { page(StatusCode::OK, "text/plain", "ok\n".to_owned()) }))
        .route("/readyz", get(ready))
        .route("/metrics", get(counted))
}

fn page(status: StatusCode, content_type: &'static str, body: String) -> Response {
    (status, [(CONTENT_TYPE, content_type), (CACHE_CONTROL, "no-store")], body).into_response()
}

#[cfg(test)]
mod tests {
    use super::*;
    use axum::body::Body;
    use axum::extract::Request;
    use http_body_util::BodyExt;
    use metrics_exporter_prometheus::PrometheusBuilder;
    use tower::ServiceExt;

    async fn ask(path: &str, trouble: Option<&str>) -> (StatusCode, String) {
        let trouble = trouble.map(str::to_owned);
        let probe: Probe = Arc::new(move || {
            let trouble = trouble.clone();
            Box::pin(async move { Readiness { checks: vec![Check { name: "ledger", trouble }] } })
        });
        let router = operations(probe, PrometheusBuilder::new().build_recorder().handle());
        let response = router.oneshot(Request::get(path).body(Body::empty()).unwrap()).await.unwrap();
        let status = response.status();
        let body = response.into_body().collect().await.unwrap().to_bytes();
        (status, String::from_utf8(body.to_vec()).unwrap())
    }

    #[tokio::test]
    async fn a_process_in_trouble_is_alive_but_not_ready() {
        assert_eq!(ask("/livez", Some("gone")).await.0, StatusCode::OK);
        let (status, body) = ask("/readyz", Some("gone")).await;
        assert_eq!(status, StatusCode::SERVICE_UNAVAILABLE);
        assert_eq!(body, r#"{"ready":false,"checks":{"ledger":{"ok":false,"trouble":"gone"}}}"#);
        let (status, body) = ask("/readyz", None).await;
        assert_eq!((status, &*body), (StatusCode::OK, r#"{"ready":true,"checks":{"ledger":{"ok":true}}}"#));
        assert_eq!(ask("/metrics", None).await.0, StatusCode::OK);
    }
}
