//! A call that panics is answered like any other failure, and the next one runs.

#[cfg(test)]
mod panic {
    use assay_domain::{Clock, IdentityKey, MasterKey, NetworkHosts};
    use assay_engine::Engine;
    use assay_http::{Front, router};
    use assay_replica::Replica;
    use assay_service::{BulkKeys, HoldPolicy, ListKeys, ReplyKeys, Service, Settings, WebhookRules};
    use assay_store::{Database, Graph, Ledger};
    use assay_testkit::{TestDatabase, workspace_root};
    use axum::body::Body;
    use axum::extract::Request;
    use bytes::Bytes;
    use http_body_util::BodyExt;
    use serde_json::{Value, json};
    use std::convert::Infallible;
    use std::sync::Arc;
    use std::task::{Context, Poll};
    use std::time::Duration;
    use tower::ServiceExt;

    async fn database(side: &str, migrate: impl AsyncFnOnce(String) -> anyhow::Result<()>) -> TestDatabase {
        let folder = workspace_root().unwrap().join("migrations").join(side);
        let mut files: Vec<_> = std::fs::read_dir(folder).unwrap().map(|it| it.unwrap().path()).collect();
        files.sort();
        let text: String = files.iter().map(|file| std::fs::read_to_string(file).unwrap()).collect();
        TestDatabase::from_template(side, &text, migrate).await.unwrap()
    }

    async fn service() -> (Arc<Service>, [TestDatabase; 2]) {
        let ledger_db = database("ledger", async |url| Ok(Ledger::migrate(&Database::at(&url)).await?)).await;
        let graph_db = database("graph", async |url| Ok(Graph::migrate(&Database::at(&url)).await?)).await;
        let ledger = Ledger::connect(&Database::at(&ledger_db.url()), Clock::system()).await.unwrap();
        let graph = Graph::connect(&Database::at(&graph_db.url())).await.unwrap();
        let identity = IdentityKey::new([7; 32]);
        let engine = Engine::new(graph.clone(), ledger.clone(), identity, NetworkHosts::default());
        let folder = std::env::temp_dir().join(format!("assay-{}", graph_db.name()));
        let replica = Arc::new(Replica::open(graph, &folder, 1).unwrap());
        std::fs::remove_dir(folder).unwrap();
        let settings = Settings {
            key_pepper: [7; 32],
            reply_keys: ReplyKeys::new(&MasterKey::parse(&"7a".repeat(32)).unwrap()),
            bulk_keys: BulkKeys::new(&MasterKey::parse(&"7a".repeat(32)).unwrap()),
            list_keys: ListKeys::new(&MasterKey::parse(&"7a".repeat(32)).unwrap()),
            webhook_rules: WebhookRules::strict(&MasterKey::parse(&"7a".repeat(32)).unwrap()),
            holds: HoldPolicy::WhenSpending,
            hold_lifetime: Duration::from_secs(120),
            billing: assay_service::Billing::default(),
            deadline: Duration::from_secs(60),
        };
        (Arc::new(Service::new(ledger, engine, replica, Clock::system(), settings)), [ledger_db, graph_db])
    }

    #[tokio::test]
    async fn a_call_that_panics_is_answered_500_and_the_next_one_runs() {
        let (service, _databases) = service().await;
        let router = router(service, Front::default());
        // The body is read inside the call; this one panics when it is asked for.
        let bomb = |_: &mut Context<'_>| -> Poll<Option<Result<Bytes, Infallible>>> { panic!("as a test") };
        let bomb = Body::from_stream(futures_util::stream::poll_fn(bomb));
        for (body, status, code) in
            [(bomb, 500, "internal_error"), (Body::from("{}"), 401, "missing_api_key")]
        {
            let request = Request::post("/v1/enrich").body(body).unwrap();
            let response = router.clone().oneshot(request).await.unwrap();
            assert_eq!(response.status().as_u16(), status);
            let problem = response.into_body().collect().await.unwrap().to_bytes();
            let problem: Value = serde_json::from_slice(&problem).unwrap();
            assert_eq!((&problem["code"], &problem["cost"]), (&json!(code), &json!({"credits": 0})));
        }
    }
}
