//! Request rates as properties: however requests come, on one node or on several, the quota holds and the wait suffices.
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

#[cfg(test)]
mod tests {
    use assay_domain::rate::{Heard, SLOT_MS, Told, Verdict, Window, slack};
    use proptest::prelude::*;
    use uuid::Uuid;

    const START_MS: i64 = 1_790_000_000_123;
    const MINUTE_MS: i64 = 60_000;
    const BUDGET_MS: i64 = 500;

    /// The most that any 60 seconds hold, both ends included.
    fn most_in_a_minute(admitted: &[i64]) -> usize {
        let mut sorted = admitted.to_vec();
        sorted.sort_unstable();
        let mut first = 0;
        let mut most = 0;
        for (last, at) in sorted.iter().enumerate() {
            while at - sorted[first] > MINUTE_MS {
                first += 1;
            }
            most = most.max(last - first + 1);
        }
        most
    }

    fn try_alone(window: &mut Window, now: i64, quota: u32) -> bool {
        let fits = window.judge(now, quota, 1) == Verdict::Fits;
        if fits {
            window.take();
        }
        fits
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(100))]

        #[test]
        fn one_node_never_admits_more_than_the_quota_in_any_minute(
            quota in 1_u32..40,
            gaps in prop::collection::vec(prop_oneof![0_i64..20, 0_i64..3_000, 50_000_i64..70_000], 1..400),
        ) {
            let mut window = Window::new(START_MS);
            let (mut now, mut admitted) = (START_MS, Vec::new());
            for gap in gaps {
                now += gap;
                if try_alone(&mut window, now, quota) {
                    admitted.push(now);
                }
            }
            prop_assert!(most_in_a_minute(&admitted) <= usize::try_from(quota).unwrap());
        }

        #[test]
        fn nothing_is_refused_while_the_quota_lasts(
            quota in 1_u32..40,
            gaps in prop::collection::vec(prop_oneof![0_i64..20, 0_i64..3_000], 1..400),
        ) {
            let mut window = Window::new(START_MS);
            let (mut now, mut admitted) = (START_MS, Vec::new());
            for gap in gaps {
                now += gap;
                let fits = try_alone(&mut window, now, quota);
                // A minute and the slot a request was counted in.
                let recent = admitted.iter().filter(|at| now - **at < MINUTE_MS + SLOT_MS).count();
                if recent < usize::try_from(quota).unwrap() {
                    prop_assert!(fits, "{recent} of {quota} and refused");
                }
                if fits {
                    admitted.push(now);
                }
            }
        }

        #[test]
        fn waiting_as_long_as_told_is_enough_and_a_second_less_is_not(
            quota in 1_u32..40,
            gaps in prop::collection::vec(0_i64..3_000, 1..200),
        ) {
            let mut window = Window::new(START_MS);
            let mut now = START_MS;
            for gap in gaps {
                now += gap;
                if try_alone(&mut window, now, quota) {
                    continue;
                }
                let wait = i64::from(window.wait_seconds(now, 1)) * 1_000;
                prop_assert_eq!(window.allowance(now, 1).reset_seconds, window.wait_seconds(now, 1));
                prop_assert!(!try_alone(&mut window.clone(), now + wait - 1_001, quota));
                now += wait;
                prop_assert!(try_alone(&mut window, now, quota));
            }
        }

        #[test]
        fn what_remains_counts_down_and_comes_back_when_told(quota in 1_u32..200, gap in 0_i64..200) {
            let mut window = Window::new(START_MS);
            let mut now = START_MS;
            for left in (0..quota).rev() {
                prop_assert!(try_alone(&mut window, now, quota));
                let told = window.allowance(now, 1);
                prop_assert_eq!((told.per_minute, told.remaining), (quota, left));
                if left > 0 {
                    let whole = now + i64::from(told.reset_seconds) * 1_000;
                    let mut later = window.clone();
                    prop_assert_eq!(later.used_at(whole), 0, "all is free after {} s", told.reset_seconds);
                }
                now += gap;
            }
        }

        #[test]
        fn several_nodes_admit_at_most_the_quota_and_a_slack_each(
            quota in 1_u32..150,
            nodes in 2_usize..6,
            steps in prop::collection::vec(step(), 1..600),
        ) {
            let mut cluster = Cluster::new(quota, nodes);
            for step in steps {
                cluster.step(step);
            }
            let bound = quota + slack(quota, cluster.count()) * cluster.count();
            prop_assert!(most_in_a_minute(&cluster.admitted) <= usize::try_from(bound).unwrap());
            prop_assert!(bound <= quota * 108 / 100);
        }

        #[test]
        fn on_several_nodes_the_wait_that_is_told_is_enough(
            quota in 1_u32..150,
            nodes in 2_usize..6,
            steps in prop::collection::vec(step(), 200..600),
            chosen in 0_usize..6,
        ) {
            let mut cluster = Cluster::new(quota, nodes);
            for step in steps {
                cluster.step(step);
            }
            cluster.decide_all();
            let node = chosen % nodes;
            let mut calls = 0;
            while cluster.call_and_wait(node) {
                calls += 1;
                prop_assert!(calls <= quota * 2, "it never fills");
            }
            let wait = cluster.nodes[node].window.wait_seconds(cluster.now, cluster.count());
            cluster.now += i64::from(wait) * 1_000;
            prop_assert!(cluster.call_and_wait(node), "refused after the {wait} s it was told");
        }
    }

    /// What may happen next, anywhere in the cluster.
    #[derive(Debug, Clone, Copy)]
    enum Step {
        Calls(usize, u32),
        Tell(usize),
        Hear(usize),
        Wait(i64),
    }

    fn step() -> impl Strategy<Value = Step> {
        prop_oneof![
            4 => (0_usize..6, prop_oneof![1_u32..4, 1_u32..100]).prop_map(|(node, calls)| Step::Calls(node, calls)),
            3 => (0_usize..6).prop_map(Step::Tell),
            5 => (0_usize..6).prop_map(Step::Hear),
            2 => prop_oneof![0_i64..50, 0_i64..2_000, 0_i64..20_000].prop_map(Step::Wait),
        ]
    }

    /// How far an exchange has come. Between any two of its steps anything may happen elsewhere.
    enum Underway {
        Nothing,
        Told,
        Read(Vec<Heard>),
    }

    struct Node {
        id: Uuid,
        window: Window,
        waiting: u32,
        /// Those that waited when the node last told the others.
        asked: u32,
        underway: Underway,
        /// How far this node's clock is off.
        skew_ms: i64,
    }

    /// Nodes, and the table they write to and read from in any order.
    struct Cluster {
        quota: u32,
        now: i64,
        nodes: Vec<Node>,
        table: Vec<(Uuid, Told, i64)>,
        admitted: Vec<i64>,
    }

    impl Cluster {
        fn new(quota: u32, nodes: usize) -> Self {
            let node = |number: usize| Node {
                id: Uuid::from_u128(u128::try_from(number).unwrap()),
                window: Window::new(START_MS),
                waiting: 0,
                asked: 0,
                underway: Underway::Nothing,
                skew_ms: 0,
            };
            let nodes = (0..nodes).map(node).collect();
            Self { quota, now: START_MS, nodes, table: Vec::new(), admitted: Vec::new() }
        }

        fn count(&self) -> u32 {
            u32::try_from(self.nodes.len()).unwrap()
        }

        fn step(&mut self, step: Step) {
            let nodes = self.nodes.len();
            match step {
                Step::Calls(node, calls) => {
                    for _ in 0..calls {
                        self.call(node % nodes);
                    }
                }
                Step::Tell(node) => self.tell(node % nodes),
                Step::Hear(node) => self.hear(node % nodes),
                Step::Wait(ms) => {
                    // No exchange takes longer: it would have failed.
                    if ms > BUDGET_MS {
                        (0..nodes).for_each(|node| self.finish(node));
                    }
                    self.now += ms;
                }
            }
        }

        fn call(&mut self, node: usize) -> Verdict {
            let (count, quota, now) = (self.count(), self.quota, self.now);
            let node = &mut self.nodes[node];
            let verdict = node.window.judge(now + node.skew_ms, quota, count);
            match verdict {
                Verdict::Fits => {
                    node.window.take();
                    self.admitted.push(now);
                }
                Verdict::Ask => node.waiting += 1,
                Verdict::Full => {}
            }
            verdict
        }

        fn tell(&mut self, node: usize) {
            let node = &mut self.nodes[node];
            if !matches!(node.underway, Underway::Nothing) {
                return;
            }
            let told = node.window.tell(self.now + node.skew_ms, node.id, node.waiting);
            node.asked = node.waiting;
            node.underway = Underway::Told;
            self.table.retain(|(id, _, _)| *id != node.id);
            self.table.push((node.id, told, self.now));
        }

        /// The next step of an exchange: reads the table, or learns what was read.
        fn hear(&mut self, at: usize) {
            let node = &mut self.nodes[at];
            match std::mem::replace(&mut node.underway, Underway::Nothing) {
                Underway::Nothing => {}
                Underway::Told => {
                    let others = self.table.iter().filter(|(id, _, _)| *id != node.id);
                    let heard = others.map(|(id, told, at)| Heard {
                        node: *id,
                        told: told.clone(),
                        age_ms: self.now - at,
                    });
                    node.underway = Underway::Read(heard.collect());
                }
                Underway::Read(heard) => {
                    node.window.hear(self.now + node.skew_ms, heard);
                    let asked = std::mem::take(&mut node.asked);
                    node.waiting -= asked;
                    for _ in 0..asked {
                        self.call(at);
                    }
                    self.nodes[at].window.drop_claims();
                }
            }
        }

        fn finish(&mut self, node: usize) {
            self.hear(node);
            self.hear(node);
        }

        /// Tells and hears, whatever was under way.
        fn exchange(&mut self, node: usize) {
            self.finish(node);
            self.tell(node);
            self.finish(node);
        }

        /// A call as the service makes it: asked for until it is decided.
        fn call_and_wait(&mut self, node: usize) -> bool {
            let before = self.admitted.len();
            self.call(node);
            self.decide_all();
            self.admitted.len() > before
        }

        /// Exchanges in turn until nobody waits, as the nodes do by themselves.
        fn decide_all(&mut self) {
            let mut turns = 0;
            while self.nodes.iter().any(|node| node.waiting > 0) {
                for node in 0..self.nodes.len() {
                    self.exchange(node);
                }
                turns += 1;
                assert!(turns < 20, "nodes dispute without end");
            }
            // What was claimed is told as what became of it.
            (0..self.nodes.len()).for_each(|node| self.exchange(node));
        }
    }

    #[test]
    fn a_quota_too_small_for_any_slack_is_kept_exactly() {
        let mut cluster = Cluster::new(5, 4);
        for node in (0..4).cycle().take(40) {
            cluster.call(node);
        }
        for node in 0..4 {
            cluster.tell(node);
        }
        for node in (0..4).rev() {
            cluster.finish(node);
        }
        cluster.decide_all();
        assert_eq!(cluster.admitted.len(), 5);
    }

    #[test]
    fn nodes_whose_clocks_are_minutes_apart_still_count_together() {
        let mut cluster = Cluster::new(100, 3);
        cluster.nodes[1].skew_ms = 300_000;
        cluster.nodes[2].skew_ms = -300_000;
        for second in 0..150 {
            for node in 0..3 {
                for _ in 0..3 {
                    cluster.call_and_wait(node);
                }
            }
            cluster.now = START_MS + second * 1_000;
        }
        assert!(most_in_a_minute(&cluster.admitted) <= 108);
        assert!(cluster.admitted.len() >= 240, "{} in two and a half minutes", cluster.admitted.len());
    }

    #[test]
    fn what_a_dead_node_admitted_is_forgotten_after_a_minute() {
        let mut cluster = Cluster::new(100, 2);
        while cluster.call_and_wait(0) {}
        cluster.exchange(0);
        cluster.exchange(1);
        assert!(!cluster.call_and_wait(1));
        cluster.now += MINUTE_MS + SLOT_MS;
        assert!(cluster.call_and_wait(1));
    }
}
