//! `assay jobs`: what waits in the queue, what runs, and what failed.

use crate::failure::Failure;
use crate::{Session, connect, out};
use assay_domain::{AccountId, JobId, limits};
use assay_store::Ledger;
use assay_store::queue::{JobFilter, JobRow, Queue};
use chrono::{DateTime, SecondsFormat, Utc};
use clap::{Args, Subcommand, ValueEnum};
use serde_json::{Value, json};

#[derive(Debug, Subcommand)]
pub enum JobsCommand {
    /// List jobs, oldest first. Jobs that are done are not kept.
    List(List),
    /// Let jobs that failed, or that wait for their next try, run now.
    Retry {
        #[arg(required = true)]
        ids: Vec<JobId>,
    },
    /// Take jobs out of their queue. What a running one does from now on does not count.
    Cancel {
        #[arg(required = true)]
        ids: Vec<JobId>,
    },
}

#[derive(Debug, Args)]
pub struct List {
    #[arg(long, value_enum)]
    queue: Option<QueueName>,
    #[arg(long, value_enum)]
    state: Option<State>,
    #[arg(long)]
    account: Option<AccountId>,
    #[arg(long, default_value_t = limits::JOB_LIST_DEFAULT,
        value_parser = clap::value_parser!(u32).range(1..=i64::from(limits::JOB_LIST_MAX)))]
    limit: u32,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum QueueName {
    Bulk,
    Webhook,
    Chore,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum State {
    Waiting,
    Delayed,
    Running,
    Failed,
}

impl From<QueueName> for Queue {
    fn from(name: QueueName) -> Self {
        match name {
            QueueName::Bulk => Self::Bulk,
            QueueName::Webhook => Self::Webhook,
            QueueName::Chore => Self::Chore,
        }
    }
}

impl State {
    const fn as_str(self) -> &'static str {
        match self {
            Self::Waiting => "waiting",
            Self::Delayed => "delayed",
            Self::Running => "running",
            Self::Failed => "failed",
        }
    }
}

impl JobsCommand {
    pub async fn run(self, session: &Session) -> Result<(), Failure> {
        let config = session.settings()?.config;
        let ledger = connect::ledger(&config).await?;
        match self {
            Self::List(list) => list.run(session, &ledger).await,
            Self::Retry { ids } => {
                let mut absent = Vec::new();
                for id in &ids {
                    if !ledger.jobs().retry(*id).await? {
                        absent.push(*id);
                    }
                }
                tell(session, "retried", &ids, &absent)
            }
            Self::Cancel { ids } => {
                let mut absent = Vec::new();
                for id in &ids {
                    if !ledger.jobs().cancel(*id).await? {
                        absent.push(*id);
                    }
                }
                tell(session, "canceled", &ids, &absent)
            }
        }
    }
}

impl List {
    async fn run(self, session: &Session, ledger: &Ledger) -> Result<(), Failure> {
        let filter = JobFilter {
            queue: self.queue.map(Into::into),
            state: self.state.map(|state| state.as_str().to_owned()),
            account: self.account,
        };
        let rows = ledger.jobs().list(&filter, self.limit).await?;
        if session.json {
            let rows: Vec<Value> = rows.iter().map(row_json).collect();
            out::json(&json!({ "results": rows }));
            return Ok(());
        }
        let mut table = out::table(["id", "queue", "state", "tries", "not before", "account", "trouble"]);
        for row in &rows {
            table.add_row([
                row.id.to_string(),
                row.queue.clone(),
                row.state.clone(),
                format!("{} of {}", row.attempt, row.attempts_max),
                moment(row.run_at),
                row.account.map(|account| account.to_string()).unwrap_or_default(),
                row.trouble.clone().unwrap_or_default(),
            ]);
        }
        out::data(&table.trim_fmt());
        Ok(())
    }
}

fn moment(at: DateTime<Utc>) -> String {
    at.to_rfc3339_opts(SecondsFormat::Secs, true)
}

fn row_json(row: &JobRow) -> Value {
    json!({
        "id": row.id.to_string(), "queue": row.queue, "state": row.state, "attempt": row.attempt,
        "attempts_max": row.attempts_max, "run_at": moment(row.run_at), "lease_until": row.lease_until.map(moment),
        "account": row.account.map(|account| account.to_string()), "trouble": row.trouble,
        "created_at": moment(row.created_at),
    })
}

fn tell(session: &Session, done: &str, ids: &[JobId], absent: &[JobId]) -> Result<(), Failure> {
    if let [first, ..] = absent {
        let what = format!("there is no such job {first}, or not in a state to be {done}");
        return Err(Failure::new(what, "list them with `assay jobs list`; all others are done"));
    }
    if session.json {
        out::json(&json!({ done: ids.len() }));
    } else {
        out::data(&format!("{} {done}", ids.len()));
    }
    Ok(())
}
