//! The queue against a real database: turns, leases, fences and fairness.

#[cfg(test)]
mod support;

#[cfg(test)]
mod queue {
    use super::support::ledger_db;
    use assay_domain::limits::{JOB_CARE_EVERY, JOB_LATE};
    use assay_domain::{Clock, JobId};
    use assay_store::queue::{ClaimWish, Claimed, JobFilter, Lease, NewJob, Place, Queue, done};
    use assay_store::{Database, Jobs, Ledger};
    use assay_testkit::{Stopwatch, TestDatabase};
    use chrono::TimeDelta;
    use serde_json::json;
    use std::collections::HashSet;
    use std::time::Duration;
    use uuid::Uuid;

    /// A node that looks after the jobs of the one that claims.
    const OTHER: Uuid = Uuid::from_u128(7);

    struct Desk {
        database: TestDatabase,
        ledger: Ledger,
    }

    impl Desk {
        async fn open() -> Self {
            let database = ledger_db().await;
            let ledger = Ledger::connect(&Database::at(&database.url()), Clock::system()).await.unwrap();
            Self { database, ledger }
        }

        fn jobs(&self) -> &Jobs {
            self.ledger.jobs()
        }

        async fn put(&self, share: u128, count: usize) -> Vec<JobId> {
            let jobs: Vec<NewJob> = (0..count).map(|_| job()).collect();
            self.jobs().put(Queue::Bulk, Uuid::from_u128(share), &jobs).await.unwrap();
            jobs.iter().map(|job| job.id).collect()
        }

        async fn claim(&self, count: u32) -> Vec<Claimed> {
            self.claim_from(count, i64::MIN, Vec::new()).await
        }

        async fn claim_from(&self, count: u32, from_turn: i64, running: Vec<(Uuid, u32)>) -> Vec<Claimed> {
            self.jobs().claim(&ClaimWish { from_turn, running, ..wish(count) }).await.unwrap()
        }

        /// As if nobody had looked for lost jobs for long.
        async fn free_lost(&self, asking: Uuid) -> u64 {
            self.database.psql("select setval('job_look_bulk', 0)").unwrap();
            self.jobs().free_lost(Queue::Bulk, asking).await.unwrap()
        }

        /// As if the worker had not been heard of for a minute.
        fn end_lease(&self, lease: Lease) {
            let id = lease.job.uuid();
            let sql = format!("update job set lease_until = now() - interval '1 minute' where id = '{id}'");
            self.database.psql(&sql).unwrap();
        }

        fn count(&self, what: &str) -> String {
            self.database.psql(&format!("select count(*) from job where {what}")).unwrap()
        }
    }

    fn wish(count: u32) -> ClaimWish {
        ClaimWish {
            queue: Queue::Bulk,
            node: Uuid::nil(),
            count,
            from_turn: i64::MIN,
            ahead: None,
            running: Vec::new(),
            per_share: Some(30),
        }
    }

    fn job() -> NewJob {
        NewJob {
            id: JobId::mint(Clock::system().now()),
            account: None,
            key: None,
            run_at: None,
            every: None,
            attempts_max: 3,
            payload: json!({ "a": 1 }),
        }
    }

    fn shares(claimed: &[Claimed]) -> Vec<u128> {
        claimed.iter().map(|job| job.share.as_u128()).collect()
    }

    #[tokio::test(flavor = "multi_thread", worker_threads = 2)]
    async fn every_job_is_claimed_once_however_many_claim() {
        let desk = Desk::open().await;
        for share in 0..10 {
            desk.put(share, 30).await;
        }
        let claims = (0..8).map(|_| async {
            let mut mine = Vec::new();
            loop {
                let claimed = desk.claim(7).await;
                if claimed.is_empty() {
                    return mine;
                }
                mine.extend(claimed.into_iter().map(|job| job.lease));
            }
        });
        let all: Vec<Lease> = futures_util::future::join_all(claims).await.into_iter().flatten().collect();
        assert_eq!((all.len(), all.iter().collect::<HashSet<_>>().len()), (300, 300));
        assert!(all.iter().all(|lease| lease.attempt == 1));
    }

    #[tokio::test]
    async fn the_jobs_of_a_node_that_is_gone_are_taken_over_before_their_lease_ends() {
        let desk = Desk::open().await;
        desk.put(1, 3).await;
        let node = Uuid::nil();
        let mut here = desk.jobs().attend(node).await.unwrap();
        assert_eq!(desk.claim(2).await.len(), 2);
        let age = "update job set lease_until = now() + interval '9 s' where state = 'running'";
        desk.database.psql(age).unwrap();
        let free = async |asking| desk.free_lost(asking).await;
        assert_eq!(free(OTHER).await, 0, "it is there");
        here.check().await.unwrap();
        // A connection that breaks is as good as an end.
        let end = "select pg_terminate_backend(pid) from pg_locks
            where locktype = 'advisory' and database = (select oid from pg_database where datname = current_database())";
        desk.database.psql(end).unwrap();
        assert!(here.check().await.is_err());
        assert_eq!(free(node).await, 0, "who asks is there");
        assert_eq!(desk.claim(1).await.len(), 1);
        assert_eq!(free(OTHER).await, 2, "what was claimed just now is left alone");
        assert_eq!(
            (desk.count("state = 'waiting'"), desk.count("state = 'running'")),
            ("2".into(), "1".into())
        );
        // Whoever comes back is there again, also beside somebody who looks.
        let _back = desk.jobs().attend(node).await.unwrap();
        desk.database.psql(age).unwrap();
        assert_eq!(free(OTHER).await, 0);
    }

    #[tokio::test]
    async fn who_has_little_does_not_wait_behind_who_has_much() {
        let desk = Desk::open().await;
        desk.put(1, 100).await;
        assert_eq!(shares(&desk.claim(10).await), [1; 10]);
        desk.put(2, 3).await;
        desk.put(3, 1).await;
        let next = shares(&desk.claim(8).await);
        assert_eq!(next.iter().filter(|share| **share == 2).count(), 3, "{next:?}");
        assert_eq!(next.iter().filter(|share| **share == 3).count(), 1, "{next:?}");
        // Having waited for nothing gives no right to more than a turn now: 2 does not get ahead of 1 for ever.
        desk.put(2, 50).await;
        let next = shares(&desk.claim(20).await);
        assert!((8..=12).contains(&next.iter().filter(|share| **share == 1).count()), "{next:?}");
    }

    #[tokio::test]
    async fn a_share_gets_no_more_than_its_room_and_a_busy_one_is_passed_over() {
        let desk = Desk::open().await;
        desk.put(1, 5).await;
        desk.put(2, 2).await;
        let claimed = desk.claim_from(10, i64::MIN, vec![(Uuid::from_u128(1), 30)]).await;
        assert_eq!(shares(&claimed), [2, 2]);
        // Of what is left of its room it gets that much, and no more in one claim.
        let claimed = desk.claim_from(10, i64::MIN, vec![(Uuid::from_u128(1), 28)]).await;
        assert_eq!(shares(&claimed), [1, 1]);
    }

    #[tokio::test]
    async fn turns_before_the_last_claim_are_not_looked_at_and_new_ones_are_never_before_it() {
        let desk = Desk::open().await;
        desk.put(1, 20).await;
        let first = desk.claim_from(10, i64::MIN, Vec::new()).await;
        let turn = first.last().unwrap().turn;
        // Put back without a new turn, as a claim that was rolled back would leave it.
        let id = first[0].lease.job.uuid();
        let back = "set state = 'waiting', lease_until = null, node_id = null";
        desk.database.psql(&format!("update job {back} where id = '{id}'")).unwrap();
        desk.put(9, 1).await;
        let later = desk.claim_from(50, turn, Vec::new()).await;
        assert_eq!(later.len(), 11);
        assert!(later.iter().any(|job| job.share.as_u128() == 9));
        assert_eq!(desk.claim(50).await[0].lease.job.uuid(), id);
    }

    #[tokio::test]
    async fn what_was_passed_over_for_its_shares_sake_is_met_again() {
        let desk = Desk::open().await;
        desk.put(1, 5).await;
        desk.put(2, 5).await;
        let mut place = Place::new(Queue::Bulk, Uuid::nil(), Some(2));
        let mut claim = async |count, running: &[(u128, u32)]| {
            let running = running.iter().map(|(share, count)| (Uuid::from_u128(*share), *count)).collect();
            let mut shares = shares(&place.claim(desk.jobs(), count, running).await.unwrap().jobs);
            shares.sort_unstable();
            shares
        };
        assert_eq!(claim(10, &[]).await, [1, 1, 2, 2]);
        assert_eq!(claim(10, &[(1, 2), (2, 2)]).await, [0_u128; 0]);
        assert_eq!(claim(10, &[(1, 2), (2, 1)]).await, [2]);
        assert_eq!(claim(10, &[(1, 2)]).await, [2, 2]);
        assert_eq!(claim(10, &[]).await, [1, 1]);
        assert_eq!(claim(0, &[]).await, [0_u128; 0]);
        assert_eq!(claim(10, &[]).await, [1]);
    }

    #[tokio::test]
    async fn what_is_far_ahead_is_left_for_later_and_found_then() {
        let desk = Desk::open().await;
        let many = desk.put(1, 50).await;
        assert_eq!(desk.claim(2).await.len(), 2);
        // However much one has waiting, others are right behind the clock.
        let busy = |share| vec![(Uuid::from_u128(share), 30)];
        desk.put(2, 1).await;
        let near = ClaimWish { ahead: Some(1), running: busy(1), ..wish(1) };
        assert_eq!(shares(&desk.jobs().claim(&near).await.unwrap()), [2]);
        // Only where jobs were taken out of the queue is the next one further ahead.
        let last = many.last().unwrap().uuid();
        desk.database.psql(&format!("delete from job where id <> '{last}'")).unwrap();
        let near = ClaimWish { running: busy(3), ..near };
        assert!(desk.jobs().claim(&near).await.unwrap().is_empty());
        let mut place = Place::new(Queue::Bulk, Uuid::nil(), Some(30));
        assert_eq!(place.claim(desk.jobs(), 1, near.running).await.unwrap().jobs.len(), 1);
        // And not only by whoever has just begun to look.
        desk.put(1, 50).await;
        desk.database.psql("delete from job where turn < (select max(turn) from job)").unwrap();
        let began = Stopwatch::start();
        while place.claim(desk.jobs(), 1, busy(3)).await.unwrap().jobs.is_empty() {
            assert!(began.elapsed() < 4 * JOB_LATE, "it was never looked for");
            tokio::time::sleep(JOB_CARE_EVERY / 5).await;
        }
    }

    #[tokio::test]
    async fn a_place_moves_on_and_still_finds_what_comes_late() {
        let desk = Desk::open().await;
        desk.put(1, 20).await;
        let mut place = Place::new(Queue::Bulk, Uuid::nil(), None);
        let mut claim = async |count| place.claim(desk.jobs(), count, Vec::new()).await.unwrap().jobs;
        let first = claim(10).await.remove(0).lease.job.uuid();
        let back = "set state = 'waiting', lease_until = null, node_id = null";
        desk.database.psql(&format!("update job {back} where id = '{first}'")).unwrap();
        // Its turn is behind what was claimed: at first it is not seen, then it is looked back.
        assert!(claim(10).await.iter().all(|job| job.lease.job.uuid() != first));
        tokio::time::sleep(JOB_CARE_EVERY).await;
        assert_eq!(claim(10).await[0].lease.job.uuid(), first);
    }

    #[tokio::test]
    async fn a_lost_lease_is_taken_over_and_its_first_owner_changes_nothing() {
        let desk = Desk::open().await;
        desk.put(1, 1).await;
        let first = desk.claim(1).await.remove(0);
        assert_eq!(desk.free_lost(OTHER).await, 0);
        desk.end_lease(first.lease);
        assert_eq!(desk.free_lost(OTHER).await, 1);
        let second = desk.claim(1).await.remove(0);
        assert_eq!((second.lease.job, second.lease.attempt), (first.lease.job, 2));
        let before = desk.database.psql("select md5(string_agg(j::text, '')) from job j").unwrap();
        assert!(!desk.jobs().done(first.lease).await.unwrap());
        assert!(!desk.jobs().again(first.lease, Duration::ZERO, true, "late").await.unwrap());
        assert!(!desk.jobs().fail(first.lease, "late").await.unwrap());
        assert!(desk.jobs().renew(&[first.lease]).await.unwrap().is_empty());
        assert_eq!(desk.database.psql("select md5(string_agg(j::text, '')) from job j").unwrap(), before);
        assert!(desk.jobs().renew(&[second.lease]).await.unwrap().contains(&second.lease));
        assert!(desk.jobs().done(second.lease).await.unwrap());
        assert_eq!(desk.count("true"), "0");
    }

    #[tokio::test]
    async fn a_job_is_done_with_the_transaction_that_did_it_or_not_at_all() {
        let desk = Desk::open().await;
        desk.put(1, 1).await;
        let job = desk.claim(1).await.remove(0);
        let mut transaction = desk.ledger.pool().begin().await.unwrap();
        assert!(done(&mut transaction, job.lease).await.unwrap());
        transaction.rollback().await.unwrap();
        assert_eq!(desk.count("state = 'running'"), "1");
        let mut transaction = desk.ledger.pool().begin().await.unwrap();
        assert!(done(&mut transaction, job.lease).await.unwrap());
        transaction.commit().await.unwrap();
        assert_eq!(desk.count("true"), "0");
    }

    #[tokio::test]
    async fn a_delayed_job_waits_and_a_recurring_one_comes_back() {
        let desk = Desk::open().await;
        let later = NewJob { run_at: Some(Clock::system().now() + TimeDelta::hours(1)), ..job() };
        let often = NewJob { every: Some(Duration::from_secs(3_600)), key: Some("tick".into()), ..job() };
        let twice = NewJob { key: Some("tick".into()), ..job() };
        let share = Uuid::from_u128(1);
        assert_eq!(desk.jobs().put(Queue::Bulk, share, &[later, often, twice]).await.unwrap(), 2);
        assert_eq!(desk.jobs().wake_due(Queue::Bulk).await.unwrap(), 0);
        let tick = desk.claim(10).await.remove(0);
        assert!(desk.jobs().done(tick.lease).await.unwrap());
        assert_eq!(desk.count("state = 'delayed' and run_at > now() + interval '50 minutes'"), "2");
        desk.database.psql("update job set run_at = now() where unique_key = 'tick'").unwrap();
        assert_eq!(desk.jobs().wake_due(Queue::Bulk).await.unwrap(), 1);
        assert_eq!(desk.claim(10).await[0].lease.attempt, 1);
    }

    #[tokio::test]
    async fn a_job_that_was_not_at_fault_keeps_its_tries() {
        let desk = Desk::open().await;
        desk.put(1, 1).await;
        for (counts, attempts_max) in [(true, 3), (false, 4), (true, 4)] {
            desk.jobs().wake_due(Queue::Bulk).await.unwrap();
            let job = desk.claim(1).await.remove(0);
            assert!(desk.jobs().again(job.lease, Duration::ZERO, counts, "no").await.unwrap());
            let row = desk.jobs().list(&JobFilter::default(), 10).await.unwrap().remove(0);
            assert_eq!((row.attempts_max, row.trouble.as_deref()), (attempts_max, Some("no")));
        }
    }

    #[tokio::test]
    async fn an_operator_lists_retries_and_cancels() {
        let desk = Desk::open().await;
        let ids = desk.put(1, 2).await;
        let first = desk.claim(1).await.remove(0);
        assert!(desk.jobs().fail(first.lease, "broken").await.unwrap());
        let failed = JobFilter { state: Some("failed".into()), ..JobFilter::default() };
        let rows = desk.jobs().list(&failed, 10).await.unwrap();
        assert_eq!((rows.len(), rows[0].trouble.as_deref()), (1, Some("broken")));
        assert!(desk.jobs().retry(first.lease.job).await.unwrap());
        assert!(!desk.jobs().retry(JobId::mint(Clock::system().now())).await.unwrap());
        desk.jobs().wake_due(Queue::Bulk).await.unwrap();
        assert_eq!(desk.claim(10).await.len(), 2);
        assert!(desk.jobs().cancel(ids[0]).await.unwrap());
        assert!(!desk.jobs().cancel(ids[0]).await.unwrap());
        let depths = desk.jobs().depths().await.unwrap();
        assert_eq!((depths.len(), &*depths[0].state, depths[0].jobs), (1, "running", 1));
    }

    #[tokio::test]
    async fn shares_behind_the_clock_are_forgotten() {
        let desk = Desk::open().await;
        desk.put(1, 1).await;
        desk.put(2, 5).await;
        while !desk.claim(10).await.is_empty() {}
        desk.put(3, 2).await;
        assert!(desk.jobs().sweep(Queue::Bulk).await.unwrap() >= 1);
        assert_eq!(
            desk.database.psql("select count(*) from job_share where share::text like '%3'").unwrap(),
            "1"
        );
    }
}
