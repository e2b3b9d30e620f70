//! The sequencer's loop: one node at a time puts the graph's changes in one order.

use crate::chore::Chore;
use assay_domain::limits::{SEQUENCER_IDLE, SEQUENCER_LEASE};
use assay_store::graph::Turn;
use assay_store::{Graph, StoreError};
use std::time::Duration;
use uuid::Uuid;

#[derive(Clone)]
pub(crate) struct Sequencing {
    graph: Graph,
    node: Uuid,
}

impl Sequencing {
    pub(crate) fn new(graph: Graph, node: Uuid) -> Self {
        Self { graph, node }
    }
}

impl Chore for Sequencing {
    const NAME: &'static str = "sequencing";

    async fn turn(&self) -> Result<Duration, StoreError> {
        let turn = self.graph.sequence(self.node).await;
        let leads = matches!(turn, Ok(Turn::Sequenced { .. }));
        metrics::gauge!("assay_sequencer_leader").set(f64::from(u8::from(leads)));
        match turn? {
            Turn::Sequenced { moved, lagging } => {
                metrics::counter!("assay_change_inbox_moved_total").increment(moved);
                Ok(if lagging { Duration::ZERO } else { SEQUENCER_IDLE })
            }
            // The lease ends in seconds at the earliest, so there is no hurry to look again.
            Turn::NotLeader => Ok(SEQUENCER_LEASE / 10),
        }
    }

    async fn stop(&self) -> Result<(), StoreError> {
        metrics::gauge!("assay_sequencer_leader").set(0.0);
        self.graph.stop_sequencing(self.node).await
    }
}
