//! A change of jobs, and who it is that changed.

use super::recent::Row;
use crate::context::Context;
use crate::example;
use crate::fault::Fault;
use crate::search::values::Values;
use assay_domain::signal::{Content, Move, MoveKind, Party, Post};
use assay_domain::taxonomy::Seniority;
use assay_domain::{Domain, Person, Signal, SignalId, SignalKind};
use assay_engine::signals::rank_of;
use chrono::NaiveDate;
use uuid::Uuid;

const EXAMPLE: u128 = 0x0197_f7a0_5c3a_7d12_a4b1_c2d3_e4f5_0902;

/// Which changes are meant.
#[derive(Debug)]
pub struct MoveSieve {
    pub seniority: Option<Values<Seniority>>,
    /// Whether somebody must have told of their new job.
    pub is_announced: bool,
}

impl MoveSieve {
    fn takes(&self, signal: &Signal, change: &Move) -> bool {
        let has_rank = self
            .seniority
            .as_ref()
            .is_none_or(|wanted| rank_of(signal).is_some_and(|rank| wanted.iter().any(|one| *one == rank)));
        let has_text = change.announcement_text.as_ref().is_some_and(|text| !text.trim().is_empty());
        let has_job = change.to.is_some() && change.kind != MoveKind::Left;
        has_rank && (!self.is_announced || has_text && has_job)
    }
}

#[derive(Debug)]
pub struct UnmaskedMove {
    pub signal: Signal,
    pub change: Move,
    pub person: Person,
}

impl UnmaskedMove {
    /// How the person of all examples came to their company.
    pub fn example() -> Self {
        let id = SignalId::from_uuid(Uuid::from_u128(EXAMPLE));
        let signal = Signal { id, ..example::signal(SignalKind::JobChange) };
        Self { signal, change: example_change(), person: example::person() }
    }
}

fn example_change() -> Move {
    let party = |name: &str, domain: &str| Party { domain: Domain::parse(domain).ok(), ..Party::named(name) };
    let post = |title: &str, company: Party, on: NaiveDate| {
        Some(Post { title: title.into(), company, on: Some(on) })
    };
    let today = example::moment().date_naive();
    let yesterday = today.pred_opt().unwrap_or(today);
    Move {
        kind: MoveKind::NewCompany,
        from: post("Director of Sales", party("Alder Systems", "alder-systems.example"), yesterday),
        to: post("VP of Sales", party("Northwind Robotics", "northwind-robotics.example"), today),
        announcement_post_url: Some("https://network.example/posts/ada-okafor-4417".into()),
        announcement_text: Some(
            "I am happy to share that I am starting as VP of Sales at Northwind Robotics.".into(),
        ),
    }
}

impl Row for UnmaskedMove {
    type Sieve = MoveSieve;

    async fn complete(context: &Context, sieve: &MoveSieve, signal: Signal) -> Result<Option<Self>, Fault> {
        let Content::JobChange(change) = &signal.content else { return Ok(None) };
        if !sieve.takes(&signal, change) {
            return Ok(None);
        }
        let change = change.clone();
        let person = context.engine.unmask(&signal, context.memory.account()).await?;
        Ok(person.map(|person| Self { signal, change, person }))
    }

    fn unit(&self) -> Uuid {
        self.person.id.uuid()
    }
}
