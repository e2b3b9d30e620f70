//! The loops against real databases.

#[cfg(test)]
#[path = "../../store/tests/support/mod.rs"]
mod support;

#[cfg(test)]
mod worker {
    use super::support::{graph_db, ledger_db};
    use assay_domain::{Clock, IdentityKey, MasterKey, NetworkHosts};
    use assay_engine::Engine;
    use assay_service::{BulkDesk, BulkKeys, ListDesk, ListKeys, WebhookRules};
    use assay_store::{Database, Graph, Ledger};
    use assay_worker::{WebhookTools, Worker, WorkerSettings, WorkerTools};
    use std::num::NonZeroU32;
    use std::sync::Arc;
    use std::time::Duration;
    use tokio::sync::watch;
    use uuid::Uuid;

    fn tools(graph: &Graph, ledger: &Ledger) -> WorkerTools {
        let (clock, master) = (Clock::system(), MasterKey::parse(&"3c".repeat(32)).unwrap());
        let identity = IdentityKey::new(master.derive("identity"));
        let engine = Engine::new(graph.clone(), ledger.clone(), identity, NetworkHosts::default());
        let bulk = BulkDesk::new(ledger.clone(), engine.clone(), clock.clone(), BulkKeys::new(&master));
        let keys = ListKeys::new(&master);
        let lists =
            ListDesk::new(ledger.clone(), engine.clone(), clock.clone(), keys, Duration::from_secs(120));
        let node = Uuid::from_u128(1);
        let rules = WebhookRules::strict(&master);
        let webhooks = WebhookTools::new(rules, Vec::new(), NonZeroU32::MIN, clock.clone()).unwrap();
        let webhooks = Arc::new(webhooks);
        WorkerTools {
            graph: graph.clone(),
            ledger: ledger.clone(),
            engine,
            bulk,
            lists,
            webhooks,
            newsroom: None,
            clock,
            node,
        }
    }

    #[tokio::test(flavor = "multi_thread", worker_threads = 2)]
    async fn changes_reach_the_log_until_the_worker_is_stopped() {
        let (graph_db, ledger_db) = (graph_db().await, ledger_db().await);
        let graph = Graph::connect(&Database::at(&graph_db.url())).await.unwrap();
        let ledger = Ledger::connect(&Database::at(&ledger_db.url()), Clock::system()).await.unwrap();
        let (stop, shutdown) = watch::channel(false);
        let settings = WorkerSettings { history_months: 0 };
        let running = Worker::start(tools(&graph, &ledger), settings, &shutdown);
        let change = "insert into change_inbox (entity_kind, entity_id, version)
                      select 1, gen_random_uuid(), 1 from generate_series(1, 7)";
        graph_db.psql(change).unwrap();
        let logged = async {
            while graph.log_head().await.unwrap().seq < 7 {
                tokio::time::sleep(Duration::from_millis(10)).await;
            }
        };
        tokio::time::timeout(Duration::from_secs(10), logged).await.unwrap();
        stop.send(true).unwrap();
        tokio::time::timeout(Duration::from_secs(5), running.join()).await.unwrap();
        // Stopped, and the lease is free for the next node.
        graph_db.psql(change).unwrap();
        tokio::time::sleep(Duration::from_millis(200)).await;
        assert_eq!(graph.log_head().await.unwrap().seq, 7);
        assert_eq!(graph_db.psql("select until <= now() from lease").unwrap(), "t");
    }
}
