//! Public sources over real HTTP, and a real database: what is new is taken in once, what is as it was is not asked for, and who
//! fails or refuses is left alone.

#[cfg(test)]
mod newsroom {
    use assay_domain::signal::Content;
    use assay_domain::{Clock, IdentityKey, NetworkHosts, Signal};
    use assay_engine::Engine;
    use assay_engine::newsroom::{Attended, FeedSetup, Newsroom, known_feeds, put_feed};
    use assay_engine::signals::signal_of;
    use assay_sources::{Pages, SourceGuard};
    use assay_store::graph::{PolledFeed, Turn};
    use assay_store::{Database, Graph, Ledger};
    use assay_testkit::public_hosts::{FiledForm, PublicHosts, Published};
    use assay_testkit::vendor::VendorReply;
    use assay_testkit::{TestDatabase, workspace_root};
    use std::time::Duration;
    use uuid::Uuid;

    struct Scene {
        hosts: PublicHosts,
        room: Newsroom,
        engine: Engine,
        graph: Graph,
        database: TestDatabase,
        _ledger: TestDatabase,
    }

    impl Scene {
        async fn start() -> Self {
            let hosts = PublicHosts::start().unwrap();
            let ledger =
                database("ledger", async |url| Ok(Ledger::migrate(&Database::at(&url)).await?)).await;
            let database =
                database("graph", async |url| Ok(Graph::migrate(&Database::at(&url)).await?)).await;
            let graph = Graph::connect(&Database::at(&database.url())).await.unwrap();
            let engine = Engine::new(
                graph.clone(),
                Ledger::connect(&Database::at(&ledger.url()), Clock::system()).await.unwrap(),
                IdentityKey::new([7; 32]),
                NetworkHosts::default(),
            );
            let guard = SourceGuard { allowed: vec!["127.0.0.0/8".parse().unwrap()], allow_http: true };
            let pages = Pages::new("Acme ops@acme.test", guard, b"", Some(&hosts.url())).unwrap();
            let room = Newsroom::new(engine.clone(), pages, Clock::system());
            Self { hosts, room, engine, graph, database, _ledger: ledger }
        }

        async fn add(&self, setup: FeedSetup) -> String {
            put_feed(&self.graph, &setup, Some(Duration::from_secs(30))).await.unwrap().unwrap()
        }

        /// A look that is due now.
        async fn look(&self, name: &str) -> Attended {
            self.graph.hasten_feed(name).await.unwrap();
            let host = self.row(name).await.host;
            self.room.attend(&host).await.unwrap()
        }

        async fn row(&self, name: &str) -> PolledFeed {
            let feeds = known_feeds(&self.graph).await.unwrap();
            feeds.into_iter().find(|feed| feed.row.name == name).unwrap().row
        }

        /// The feed as it stands, oldest first.
        async fn signals(&self) -> Vec<Signal> {
            while self.graph.sequence(Uuid::nil()).await.unwrap()
                != (Turn::Sequenced { moved: 0, lagging: false })
            {}
            let head = self.engine.feed_head().await.unwrap();
            let rows = self.engine.read_whole_feed(0, head.seq).await.unwrap();
            rows.iter().map(|row| signal_of(row.id, row.revision, &row.body).unwrap()).collect()
        }

        fn asked(&self) -> Vec<String> {
            self.hosts.server.seen().into_iter().map(|request| request.path).collect()
        }
    }

    async fn database(side: &str, migrate: impl AsyncFnOnce(String) -> anyhow::Result<()>) -> TestDatabase {
        let folder = workspace_root().unwrap().join("migrations").join(side);
        let mut files: Vec<_> = std::fs::read_dir(folder).unwrap().map(|it| it.unwrap().path()).collect();
        files.sort();
        let text: String = files.iter().map(|file| std::fs::read_to_string(file).unwrap()).collect();
        TestDatabase::from_template(side, &text, migrate).await.unwrap()
    }

    fn form(cik: u32, company: &str, sold: u64) -> FiledForm {
        FiledForm {
            form: "D",
            cik,
            number: 1,
            company: company.to_owned(),
            sold,
            first_sale: "2026-02-17".to_owned(),
            filed_at: "2026-03-02T21:05:17-05:00".to_owned(),
        }
    }

    fn board() -> FeedSetup {
        FeedSetup::Board {
            vendor: "greenhouse".into(),
            site: "northwind".into(),
            company: "Northwind".into(),
            domain: Some("northwind.test".parse().unwrap()),
        }
    }

    fn amount(signal: &Signal) -> i64 {
        let Content::Funding(round) = &signal.content else { panic!("{signal:?}") };
        round.amount.unwrap()
    }

    fn is_open(signal: &Signal) -> bool {
        let Content::Hiring(posting) = &signal.content else { panic!("{signal:?}") };
        posting.closed_at.is_none()
    }

    #[tokio::test]
    async fn filings_are_read_once_and_hosts_are_told_who_asks() {
        let scene = Scene::start().await;
        let name = scene.add(FeedSetup::SecFormD).await;
        scene.hosts.file(form(1_900_001, "NORTHWIND ROBOTICS, INC.", 9_777_138));
        scene.look(&name).await;
        let signals = scene.signals().await;
        assert_eq!(signals.iter().map(amount).collect::<Vec<_>>(), [977_713_800]);
        let seen = scene.hosts.server.seen();
        assert_eq!(seen.len(), 2, "the list and the filing");
        assert!(seen.iter().all(|it| it.header("user-agent").unwrap().ends_with("(Acme ops@acme.test)")));

        scene.look(&name).await;
        assert_eq!(scene.asked().len(), 3, "the list alone, and it is as it was");
        scene.hosts.file(form(1_900_002, "Contoso", 500));
        scene.hosts.file(FiledForm {
            form: "D/A",
            number: 2,
            sold: 12_000_000,
            ..form(1_900_001, "Northwind Robotics Inc", 0)
        });
        scene.look(&name).await;
        assert_eq!(scene.asked().len(), 6, "the list and what is new in it");
        let mut amounts: Vec<i64> = scene.signals().await.iter().map(amount).collect();
        amounts.sort_unstable();
        assert_eq!(amounts, [50_000, 1_200_000_000], "the amendment is of the same round");
        assert_eq!(scene.row(&name).await.signals, 3);
    }

    #[tokio::test]
    async fn a_list_is_followed_back_to_what_was_read() {
        let scene = Scene::start().await;
        let name = scene.add(FeedSetup::SecFormD).await;
        for (number, name) in (0..).zip(["Oak", "Pine", "Willow"]) {
            scene.hosts.file(form(1_900_000 + number, name, 1_000));
        }
        scene.look(&name).await;
        // More than one page of them.
        let heads = [
            "Amber", "Birch", "Cobalt", "Dune", "Ember", "Fjord", "Grove", "Heron", "Iris", "Juniper",
            "Krill",
        ];
        let tails = ["works", "grid", "lane", "mint", "north", "opus", "pilot", "quill", "river", "stone"];
        let names = heads.iter().flat_map(|head| tails.map(|tail| format!("{head}{tail}")));
        for (number, name) in (0..).zip(names) {
            scene.hosts.file(form(2_000_000 + number, &name, 1_000_000 + 410_000 * u64::from(number)));
        }
        let before = scene.hosts.server.asked();
        scene.look(&name).await;
        assert_eq!(scene.hosts.server.asked() - before, 2 + 110, "two pages, and nothing twice");
        assert_eq!(scene.signals().await.len(), 113);
    }

    #[tokio::test]
    async fn jobs_are_opened_closed_when_missing_twice_and_opened_again() {
        let scene = Scene::start().await;
        let name = scene.add(board()).await;
        scene.hosts.post_job("northwind", 1, "Engineer", "2026-02-20T23:30:00-05:00");
        scene.hosts.post_job("northwind", 2, "Chef", "2026-02-21T09:00:00Z");
        scene.look(&name).await;
        let opened = scene.signals().await;
        assert!(opened.len() == 2 && opened.iter().all(is_open));

        scene.hosts.take_down_job("northwind", 2);
        scene.look(&name).await;
        assert!(scene.signals().await.iter().all(is_open), "missing once is a gap");
        // The list is as it was now, and still without it.
        scene.look(&name).await;
        assert!(scene.hosts.server.seen().last().unwrap().header("if-none-match").is_some());
        let signals = scene.signals().await;
        let closed: Vec<&Signal> = signals.iter().filter(|signal| !is_open(signal)).collect();
        assert_eq!(closed.len(), 1);
        assert_eq!(closed[0].revision, 2);

        scene.hosts.post_job("northwind", 2, "Chef", "2026-02-21T09:00:00Z");
        scene.look(&name).await;
        let signals = scene.signals().await;
        assert!(signals.len() == 2 && signals.iter().all(is_open), "it is the same job again");
        scene.look(&name).await;
        assert_eq!(scene.row(&name).await.signals, 4, "two opened, one closed, one opened again");
    }

    #[tokio::test]
    async fn half_a_board_closes_nothing_and_is_tried_again_later_each_time() {
        let scene = Scene::start().await;
        let name = scene.add(board()).await;
        scene.hosts.post_job("northwind", 1, "Engineer", "2026-02-20T23:30:00-05:00");
        scene.look(&name).await;
        let faults: [fn() -> VendorReply; 5] = [
            || VendorReply::json(200, "{\"jobs\":[{\"id\":2,"),
            || VendorReply::json(200, "<html>maintenance</html>"),
            || VendorReply::json(500, ""),
            || VendorReply::json(404, ""),
            || VendorReply::json(302, "").header("location", "/elsewhere"),
        ];
        let mut rest = Duration::ZERO;
        for (number, fault) in (1..).zip(faults) {
            scene.hosts.fail(move |_| Some(fault()));
            let attended = scene.look(&name).await;
            assert_eq!((attended.looks, attended.in_vain), (1, 1));
            assert!(attended.rest.unwrap() > rest, "longer each time");
            rest = attended.rest.unwrap();
            let row = scene.row(&name).await;
            assert_eq!(row.failures, number);
            assert!(row.trouble.is_some());
        }
        assert!(scene.signals().await.iter().all(is_open));
        scene.hosts.heal();
        scene.look(&name).await;
        let row = scene.row(&name).await;
        assert_eq!((row.failures, row.trouble), (0, None));
    }

    #[tokio::test]
    async fn who_wants_to_be_left_alone_is_by_all_feeds_of_the_host() {
        let scene = Scene::start().await;
        let name = scene.add(FeedSetup::SecFormD).await;
        scene.add(FeedSetup::Sec8K).await;
        scene.hosts.fail(|_| Some(VendorReply::json(429, "").header("retry-after", "120")));
        let attended = scene.room.attend("sec.gov").await.unwrap();
        assert_eq!((attended.looks, attended.in_vain), (1, 1), "the other feed of the host is not tried");
        assert!(attended.rest.unwrap() > Duration::from_secs(110));
        assert!(
            scene.row(&name).await.trouble.unwrap_or_default().contains("120 s")
                || scene.asked()[0].contains("8-K")
        );
        let at = "Fri, 01 Jan 2038 00:00:00 GMT";
        scene.hosts.fail(move |_| Some(VendorReply::json(503, "").header("retry-after", at)));
        let attended = scene.look(&name).await;
        assert!(
            attended.rest.unwrap() > Duration::from_secs(23 * 3_600),
            "a date is read too, within reason"
        );
    }

    #[tokio::test]
    async fn a_filing_that_cannot_be_read_keeps_nothing_else_and_is_let_be_in_the_end() {
        let scene = Scene::start().await;
        let name = scene.add(FeedSetup::SecFormD).await;
        scene.hosts.file(form(1_900_001, "Northwind Robotics", 1_000));
        scene.hosts.file(form(1_900_002, "Contoso", 2_000));
        scene.hosts.fail(|request| {
            let is_bad = request.path.contains("1900001") && request.path.ends_with("primary_doc.xml");
            is_bad.then(|| VendorReply::json(200, "<edgarSubmission><submissionType>D</submissionType>"))
        });
        for _ in 0..8 {
            scene.look(&name).await;
        }
        assert_eq!(scene.signals().await.len(), 1);
        let tries = scene.asked().iter().filter(|path| path.contains("1900001")).count();
        assert_eq!(tries, 5);
        assert_eq!(scene.database.psql("select count(*) from feed_item").unwrap().trim(), "2");
    }

    #[tokio::test]
    async fn a_press_release_and_a_filing_of_one_round_are_one_signal() {
        let scene = Scene::start().await;
        let sec = scene.add(FeedSetup::SecFormD).await;
        let setup = FeedSetup::Rss { name: "wire".into(), url: "https://wire.test/rss".into() };
        let wire = scene.add(setup).await;
        let release = |title: &str, at: &str| Published {
            guid: "wire-1".into(),
            title: title.to_owned(),
            body: format!("BOSTON -- {title}. The money will be used to hire."),
            at: at.to_owned(),
        };
        scene.hosts.publish(
            "wire.test",
            release(
                "Northwind Robotics raises $9.8 million in seed funding led by Cedar Hill Ventures",
                "Mon, 02 Mar 2026 09:00:00 -0500",
            ),
        );
        scene.hosts.publish(
            "wire.test",
            Published {
                guid: "wire-2".into(),
                ..release("Northwind Robotics opens an office in Lyon", "Mon, 02 Mar 2026 10:00:00 -0500")
            },
        );
        scene.look(&wire).await;
        let alone = scene.signals().await;
        assert_eq!(alone.len(), 1, "an office is no signal");
        assert_eq!(amount(&alone[0]), 980_000_000);
        scene.hosts.file(form(1_900_001, "NORTHWIND ROBOTICS, INC.", 9_777_138));
        scene.look(&sec).await;
        let both = scene.signals().await;
        assert_eq!(both.len(), 1);
        assert_eq!((both[0].id, both[0].revision, both[0].sources.len()), (alone[0].id, 2, 2));
        // Read again although nothing changed, as after a host that knows no tags.
        scene.database.psql("delete from feed_page").unwrap();
        scene.look(&wire).await;
        assert_eq!(scene.signals().await[0].revision, 2);
    }

    #[tokio::test]
    async fn a_feed_that_is_removed_meanwhile_leaves_nothing_behind() {
        let scene = Scene::start().await;
        let name = scene.add(board()).await;
        scene.hosts.post_job("northwind", 1, "Engineer", "2026-02-20T23:30:00-05:00");
        let (graph, gone) = (scene.graph.clone(), name.clone());
        let handle = tokio::runtime::Handle::current();
        scene.hosts.fail(move |_| {
            let (graph, gone) = (graph.clone(), gone.clone());
            handle.spawn(async move { graph.remove_feed(&gone).await });
            Some(VendorReply::json(200, "{\"jobs\":[]}").after(Duration::from_millis(300)))
        });
        let attended = scene.look(&name).await;
        assert_eq!(attended.rest, None);
        assert_eq!(scene.database.psql("select count(*) from feed_item").unwrap().trim(), "0");
    }
}
