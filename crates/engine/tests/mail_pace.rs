//! One pace for all processes: two mailrooms on one database, against servers that count.

#[cfg(test)]
mod mail_pace {
    use assay_domain::clock::Stopwatch;
    use assay_domain::limits::{MAIL_OPERATOR_REST, MAIL_PACED_AGAIN_MIN};
    use assay_domain::taxonomy::EmailStatus;
    use assay_domain::{Clock, Email, IdentityKey, IpRange};
    use assay_engine::mail::{Freshness, MailSettings, Mailroom, PaceBook, Verification};
    use assay_mailbox::{Dns, DnsSettings, Patience, ProbeSettings, Reason, Verifier, check};
    use assay_store::{Database, Graph, Ledger};
    use assay_testkit::mail::{MailRig, MailRigOptions, Recipients, Script};
    use assay_testkit::{TestDatabase, workspace_root};
    use futures_util::future::join_all;
    use std::time::Duration;

    /// Not 25: a test may run where that port is somebody's.
    const PORT: u16 = 2_525;
    const HOST: u8 = 100;
    const BLOCKED: &str = "550 5.7.1 Service unavailable; client host blocked using a blocklist";

    /// A mail server at `acme.test`, and two mailrooms that know of each other only through the database.
    struct Scene {
        mail: MailRig,
        graph: TestDatabase,
        rooms: [Mailroom; 2],
        _ledger: TestDatabase,
    }

    impl Scene {
        async fn start(script: Script, pace: &str) -> Self {
            let records =
                ["acme.test. MX 10 mx.acme.test.".to_owned(), format!("mx.acme.test. A {{net}}.{HOST}")];
            let options = MailRigOptions {
                smtp_port: PORT,
                servers: Vec::new(),
                records: records.to_vec(),
                ..MailRigOptions::default()
            };
            let mut mail = MailRig::start(&options).unwrap();
            mail.serve(HOST, script).unwrap();
            let ledger =
                database("ledger", async |url| Ok(Ledger::migrate(&Database::at(&url)).await?)).await;
            let graph = database("graph", async |url| Ok(Graph::migrate(&Database::at(&url)).await?)).await;
            let rooms =
                [mailroom(&mail, &graph, &ledger, pace).await, mailroom(&mail, &graph, &ledger, pace).await];
            Self { mail, graph, rooms, _ledger: ledger }
        }

        /// Asks in one room or the other.
        async fn verify(&self, room: usize, local: &str) -> Verification {
            let checked = check(&format!("{local}@acme.test")).unwrap();
            let now = Clock::system().now();
            self.rooms[room].verify(&checked, Freshness::to_verify(None), now).await.unwrap()
        }

        fn sql(&self, sql: &str) -> String {
            self.graph.psql(sql).unwrap().trim().to_owned()
        }

        fn taken(&self) -> u64 {
            self.mail.tally(HOST).unwrap().taken
        }

        async fn wait_until(&self, what: &str, is_so: impl Fn(&Self) -> bool) {
            let watch = Stopwatch::start();
            while !is_so(self) {
                assert!(watch.elapsed() < Duration::from_secs(20), "waited too long until {what}");
                tokio::time::sleep(Duration::from_millis(20)).await;
            }
        }
    }

    async fn database(side: &str, migrate: impl AsyncFnOnce(String) -> anyhow::Result<()>) -> TestDatabase {
        let folder = workspace_root().unwrap().join("migrations").join(side);
        let mut files: Vec<_> = std::fs::read_dir(folder).unwrap().map(|it| it.unwrap().path()).collect();
        files.sort();
        let text: String = files.iter().map(|file| std::fs::read_to_string(file).unwrap()).collect();
        TestDatabase::from_template(side, &text, migrate).await.unwrap()
    }

    async fn mailroom(mail: &MailRig, graph: &TestDatabase, ledger: &TestDatabase, pace: &str) -> Mailroom {
        let dns =
            Dns::new(&DnsSettings { nameservers: vec![mail.dns()], ipv6_first: false, private_hosts: true })
                .unwrap();
        let probing = ProbeSettings {
            helo: "verifier.test".to_owned(),
            sender: Some(Email::parse("probe@verifier.test").unwrap()),
            source: None,
            port: PORT,
            allowed: vec![IpRange::parse("127.0.0.0/8").unwrap()],
            patience: Patience::default(),
        };
        let graph = Graph::connect(&Database::at(&graph.url())).await.unwrap();
        let ledger = Ledger::connect(&Database::at(&ledger.url()), Clock::system()).await.unwrap();
        let paces = PaceBook::parse([pace].into_iter()).unwrap();
        let settings = MailSettings { paces, ..MailSettings::default() };
        let verifier = Verifier::new(dns, probing).unwrap();
        Mailroom::new(graph, ledger.jobs().clone(), IdentityKey::new([7; 32]), verifier, settings)
    }

    /// Has whoever is asked for here, and nobody else.
    fn server() -> Script {
        let there = (0..40).map(|number| (format!("person{number}"), "250 2.1.5 Recipient OK".to_owned()));
        let otherwise = "550 5.1.1 <{address}>: no such user".to_owned();
        Script::plain("mx.acme.test", Recipients::Listed { replies: there.collect(), otherwise })
    }

    #[tokio::test(flavor = "multi_thread")]
    async fn two_processes_have_two_connections_between_them() {
        // So slow that only the number of connections holds anybody back.
        let slow = Script { byte_delay: Duration::from_millis(1), ..server() };
        let scene = Scene::start(slow, "acme.test=1200").await;
        let names: Vec<String> = (0..12).map(|number| format!("person{number}")).collect();
        let heard = join_all(
            names.iter().zip([0, 1].into_iter().cycle()).map(|(name, room)| scene.verify(room, name)),
        );
        for verification in heard.await {
            assert_eq!(verification.verdict.status, EmailStatus::Valid, "{:?}", verification.verdict.reason);
        }
        let tally = scene.mail.tally(HOST).unwrap();
        assert_eq!((tally.open_max, tally.taken), (2, 12));
        assert_eq!(scene.sql("select cardinality(open_ids) from mail_operator"), "0");
    }

    #[tokio::test(flavor = "multi_thread")]
    async fn whoever_is_cut_off_gives_the_connection_back() {
        let scene = Scene::start(Script::tarpit(), "acme.test=1200").await;
        let both = async { tokio::join!(scene.verify(0, "person0"), scene.verify(1, "person1")) };
        let asking = scene.wait_until("both are connected", |scene| scene.taken() == 2);
        tokio::select! {
            _ = both => panic!("a server that says nothing was understood"),
            () = asking => {}
        }
        scene
            .wait_until("nobody counts any more", |scene| {
                scene.sql("select cardinality(open_ids) from mail_operator") == "0"
            })
            .await;
        // It told nothing, and counts for nothing.
        assert_eq!(scene.sql("select good_run, complaints from mail_operator"), "0|0");
    }

    #[tokio::test(flavor = "multi_thread")]
    async fn the_connections_of_a_process_that_died_count_until_their_lease_ends() {
        let scene = Scene::start(server(), "acme.test=600").await;
        assert_eq!(scene.verify(0, "person0").await.verdict.status, EmailStatus::Valid);
        scene.sql(
            "update mail_operator set open_ids = array[gen_random_uuid(), gen_random_uuid()], open_until = array_fill(
                 (extract(epoch from clock_timestamp()) * 1000)::bigint + 2500, array[2])",
        );
        let watch = Stopwatch::start();
        assert_eq!(scene.verify(1, "person1").await.verdict.status, EmailStatus::Valid);
        assert!(watch.elapsed() > Duration::from_millis(2_000), "{:?}", watch.elapsed());
        assert_eq!(scene.sql("select cardinality(open_ids) from mail_operator"), "0");
    }

    #[tokio::test(flavor = "multi_thread")]
    async fn a_complaint_to_one_process_stops_the_other() {
        let refuses = Script::plain("mx.acme.test", Recipients::Every(BLOCKED.to_owned()));
        let scene = Scene::start(server().until(2, refuses), "acme.test=1200").await;
        for (name, right) in
            [("person0", Reason::Accepted), ("person1", Reason::Accepted), ("person2", Reason::OurReputation)]
        {
            assert_eq!(scene.verify(0, name).await.verdict.reason, right);
        }
        let now = Clock::system().now();
        let stopped = join_all((3..9).map(|number| scene_verify(&scene, number))).await;
        assert_eq!(scene.taken(), 3);
        for verification in stopped {
            assert_eq!(verification.verdict.reason, Reason::Paced);
            let wait = (verification.retry_at.unwrap() - now).to_std().unwrap();
            assert!(wait > MAIL_OPERATOR_REST - Duration::from_secs(10), "{wait:?}");
        }
    }

    /// In both rooms by turns.
    async fn scene_verify(scene: &Scene, number: usize) -> Verification {
        scene.verify(number % 2, &format!("person{number}")).await
    }

    #[tokio::test(flavor = "multi_thread")]
    async fn who_would_wait_in_vain_is_told_a_time_of_their_own_at_once() {
        let scene = Scene::start(server(), "acme.test=2").await;
        assert_eq!(scene.verify(0, "person0").await.verdict.reason, Reason::Accepted);
        // Just within the patience of whoever waits for it.
        scene.sql("update mail_operator set next_at = (extract(epoch from clock_timestamp()) * 1000)::bigint + 14500");
        tokio::select! {
            () = wait_in_line(&scene) => panic!("their turn comes later"),
            () = come_late(&scene) => {}
        }
    }

    /// Until it is their turn. Who comes behind somebody is told so at once, and the next one tries.
    async fn wait_in_line(scene: &Scene) {
        for number in 10.. {
            let verification = scene.verify(0, &format!("person{number}")).await;
            if verification.verdict.reason != Reason::Paced {
                return;
            }
        }
    }

    /// While one waits.
    async fn come_late(scene: &Scene) {
        // Who comes before that one has learnt how far turns are apart stands in line, and here goes away again.
        let early = Duration::from_millis(500);
        while tokio::time::timeout(early, scene.verify(0, "person2")).await.is_err() {}
        scene.sql("update mail_operator set booked_until = 0");
        let (watch, now) = (Stopwatch::start(), Clock::system().now());
        let mut told = Vec::new();
        for name in ["person3", "person4", "person5"] {
            let verification = scene.verify(0, name).await;
            assert_eq!(verification.verdict.reason, Reason::Paced);
            told.push((verification.retry_at.unwrap() - now).to_std().unwrap());
        }
        assert!(watch.elapsed() < MAIL_PACED_AGAIN_MIN, "{:?}", watch.elapsed());
        // After the next turn, though somebody waits for it: early rather than late.
        assert!((29..60).contains(&told[0].as_secs()), "{told:?}");
        let mut apart = told.windows(2).map(|pair| pair[1] - pair[0]);
        assert!(apart.all(|apart| apart > Duration::from_secs(29)), "{told:?}");
        // Asked for again they keep their times.
        let again = (scene.verify(1, "person3").await.retry_at.unwrap() - now).to_std().unwrap();
        assert_eq!(again.as_millis(), told[0].as_millis());
        // Also when these are over: the queue is about to ask for them, and whoever calls meanwhile must not put that off.
        scene
            .sql("update mail_verdict set retry_at = now() - interval '1 second' where retry_at is not null");
        let verification = scene.verify(0, "person3").await;
        assert!(verification.verdict.reason == Reason::Paced && verification.retry_at.unwrap() > now);
        assert_eq!(scene.sql("select count(*) from mail_verdict where retry_at > now()"), "0");
    }
}
