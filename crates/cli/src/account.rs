//! `assay account`: accounts, their plans and their credits.

use crate::failure::Failure;
use crate::{Session, connect, out};
use assay_domain::{AccountId, Clock, Credits, Plan, limits};
use assay_store::Ledger;
use assay_store::ledger::op::{Answer, Refusal};
use assay_store::ledger::{NewAccount, Overview, TrialChange};
use chrono::{DateTime, SecondsFormat, Utc};
use clap::Subcommand;
use clap::builder::RangedI64ValueParser;
use serde_json::{Value, json};

#[derive(Debug, Subcommand)]
pub enum Account {
    /// Make an account; its plan grants the first credits.
    Create {
        #[arg(long)]
        name: String,
        /// trial, indie, starter, pro or scale
        #[arg(long, default_value = "trial")]
        plan: Plan,
    },
    /// Show an account: its plan, its credits and when they end.
    Show { account: AccountId },
    /// List accounts in the order they were made.
    List {
        /// Begin after this account: the last one of the previous list.
        #[arg(long)]
        after: Option<AccountId>,
        #[arg(long, default_value_t = limits::ACCOUNT_LIST_DEFAULT, value_parser = list_rows())]
        limit: u32,
    },
    /// Add credits that do not expire.
    Topup {
        account: AccountId,
        /// For example 500 or 0.5.
        credits: Credits,
        /// Names the payment: a second top-up with the same reference adds nothing.
        #[arg(long)]
        reference: String,
    },
    /// Change the plan; this month's credits are granted unless the account has had a month's credits already.
    Plan {
        account: AccountId,
        /// indie, starter, pro or scale
        plan: Plan,
    },
    /// Move the end of a trial, and of the credits it came with.
    Trial {
        account: AccountId,
        /// For example 2030-01-31T00:00:00Z; now or earlier ends the trial.
        #[arg(long)]
        ends: DateTime<Utc>,
    },
    /// Set the amount below which an account's credits count as low.
    LowMark {
        account: AccountId,
        /// For example 250; 0 for never.
        credits: Credits,
    },
}

impl Account {
    pub async fn run(self, session: &Session) -> Result<(), Failure> {
        let ledger = connect::ledger(&session.settings()?.config).await?;
        match self {
            Self::Create { name, plan } => create(session, &ledger, NewAccount { name, plan }).await,
            Self::Show { account } => show(session, &ledger, account).await,
            Self::List { after, limit } => list(session, &ledger, after, limit).await,
            Self::Topup { account, credits, reference } => {
                top_up(session, &ledger, account, credits, &reference).await
            }
            Self::Plan { account, plan } => change_plan(session, &ledger, account, plan).await,
            Self::Trial { account, ends } => move_trial_end(session, &ledger, account, ends).await,
            Self::LowMark { account, credits } => set_low_mark(session, &ledger, account, credits).await,
        }
    }
}

async fn create(session: &Session, ledger: &Ledger, new: NewAccount) -> Result<(), Failure> {
    let account = ledger.create_account(&new).await?;
    let overview = ledger.overview(account).await?;
    let balance = overview.map_or(Credits::ZERO, |overview| overview.available);
    if session.json {
        let plan = new.plan.as_str();
        out::json(&json!({"id": account.to_string(), "name": new.name, "plan": plan, "balance": balance}));
        return Ok(());
    }
    out::data(&format!("account {account}\nplan    {}\nbalance {balance} credits", new.plan));
    out::note(&format!("next: assay key create --account {account}"));
    Ok(())
}

async fn show(session: &Session, ledger: &Ledger, account: AccountId) -> Result<(), Failure> {
    let overview = ledger.overview(account).await?.ok_or_else(|| no_account(account))?;
    if session.json {
        out::json(&as_json(&overview));
        return Ok(());
    }
    let mut table = out::table(["account", &account.to_string()]);
    table.add_row(["name", &overview.name]);
    table.add_row(["plan", overview.plan.as_str()]);
    if let Some(end) = overview.trial_ends_at {
        let verb = if end <= Clock::system().now() { "ended" } else { "ends" };
        table.add_row(["trial", &format!("{verb} {}", moment(end))]);
    }
    table.add_row(["made", &moment(overview.created_at)]);
    table.add_row(["balance", &format!("{} credits, {} held", overview.available, overview.held)]);
    let low = overview.low_since.map_or(String::new(), |since| format!(", low since {}", moment(since)));
    table.add_row(["low mark", &format!("{}{low}", overview.low_mark)]);
    for lot in &overview.lots {
        let end = lot.expires_at.map_or("do not end".to_owned(), |end| format!("end {}", moment(end)));
        table.add_row(["lot", &format!("{} credits that {end}", Credits::from_thousandths(lot.left))]);
    }
    out::data(&table.trim_fmt());
    Ok(())
}

async fn list(
    session: &Session,
    ledger: &Ledger,
    after: Option<AccountId>,
    limit: u32,
) -> Result<(), Failure> {
    let accounts = ledger.list_accounts(after, limit).await?;
    let full = accounts.len() >= usize::try_from(limit).unwrap_or(usize::MAX);
    let next = accounts.last().filter(|_| full).map(|last| last.account.to_string());
    if session.json {
        let rows: Vec<Value> = accounts.iter().map(as_json).collect();
        out::json(&json!({"results": rows, "next": next}));
        return Ok(());
    }
    let mut table = out::table(["account", "name", "plan", "balance", "held", "low since", "made"]);
    for account in &accounts {
        table.add_row([
            account.account.to_string(),
            account.name.clone(),
            account.plan.to_string(),
            account.available.to_string(),
            account.held.to_string(),
            account.low_since.map_or("-".to_owned(), moment),
            moment(account.created_at),
        ]);
    }
    out::data(&table.trim_fmt());
    if let Some(next) = next {
        out::note(&format!("more: assay account list --after {next}"));
    }
    Ok(())
}

async fn top_up(
    session: &Session,
    ledger: &Ledger,
    account: AccountId,
    credits: Credits,
    reference: &str,
) -> Result<(), Failure> {
    if !credits.is_positive() {
        return Err(Failure::new(format!("{credits} credits cannot be added"), "give an amount above zero"));
    }
    match ledger.top_up(account, credits, reference).await? {
        Answer::Granted { balance, repeated, .. } => {
            if session.json {
                let id = account.to_string();
                out::json(&json!({"id": id, "balance": balance, "added": !repeated}));
                return Ok(());
            }
            out::data(&format!("balance {balance} credits"));
            if repeated {
                out::note(&format!("the reference {reference} was topped up before: nothing was added"));
            }
            Ok(())
        }
        Answer::Refused { why: Refusal::NoAccount, .. } => Err(no_account(account)),
        Answer::Refused { why: Refusal::TooManyLots, .. } => {
            Err(Failure::new("the account has too many unspent top-ups", "use them up, or top up less often"))
        }
        other => Err(Failure::new(format!("the ledger refused the top-up: {other:?}"), "report it")),
    }
}

async fn change_plan(
    session: &Session,
    ledger: &Ledger,
    account: AccountId,
    plan: Plan,
) -> Result<(), Failure> {
    if plan == Plan::Trial {
        let fix = "choose indie, starter, pro or scale; a running trial is moved with `assay account trial`";
        return Err(Failure::new("no account can go back to a trial", fix));
    }
    let answer = ledger.change_plan(account, plan).await?.ok_or_else(|| no_account(account))?;
    let granted = matches!(answer, Answer::Granted { repeated: false, .. });
    let overview = ledger.overview(account).await?.ok_or_else(|| no_account(account))?;
    if session.json {
        out::json(&json!({"account": as_json(&overview), "granted": granted}));
        return Ok(());
    }
    out::data(&format!("plan    {plan}\nbalance {} credits", overview.available));
    match answer {
        Answer::Granted { repeated: false, .. } => {}
        Answer::Granted { .. } => {
            out::note("the account has had this month's credits: the next come next month")
        }
        _ => out::note("the account has too many unspent lots: its credits follow when it has used some up"),
    }
    Ok(())
}

async fn move_trial_end(
    session: &Session,
    ledger: &Ledger,
    account: AccountId,
    ends: DateTime<Utc>,
) -> Result<(), Failure> {
    match ledger.move_trial_end(account, ends).await? {
        TrialChange::Changed => {}
        TrialChange::NoTrial => {
            let fix = "see its plan with `assay account show`";
            return Err(Failure::new(format!("{account} is not on trial"), fix));
        }
        TrialChange::NoAccount => return Err(no_account(account)),
    }
    if session.json {
        out::json(&json!({"id": account.to_string(), "trial_ends_at": moment(ends)}));
        return Ok(());
    }
    out::data(&format!("the trial ends {}", moment(ends)));
    out::note("credits that had ended before stay ended; give others with `assay account topup`");
    Ok(())
}

async fn set_low_mark(
    session: &Session,
    ledger: &Ledger,
    account: AccountId,
    credits: Credits,
) -> Result<(), Failure> {
    if credits < Credits::ZERO {
        return Err(Failure::new(format!("{credits} is no mark"), "give an amount of zero or more"));
    }
    if !ledger.set_low_mark(account, credits).await? {
        return Err(no_account(account));
    }
    show(session, ledger, account).await
}

fn list_rows() -> RangedI64ValueParser<u32> {
    clap::value_parser!(u32).range(1..=i64::from(limits::ACCOUNT_LIST_MAX))
}

fn no_account(account: AccountId) -> Failure {
    Failure::new(format!("there is no account {account}"), "check the id: assay account list")
}

fn as_json(overview: &Overview) -> Value {
    let lot = |lot: &assay_store::ledger::book::LotLeft| {
        let credits = Credits::from_thousandths(lot.left);
        json!({"credits": credits, "expires_at": lot.expires_at.map(moment)})
    };
    json!({
        "id": overview.account.to_string(), "name": overview.name, "plan": overview.plan.as_str(),
        "trial_ends_at": overview.trial_ends_at.map(moment), "created_at": moment(overview.created_at),
        "balance": overview.available, "held": overview.held, "low_mark": overview.low_mark,
        "low_since": overview.low_since.map(moment), "lots": overview.lots.iter().map(lot).collect::<Vec<_>>(),
    })
}

fn moment(at: DateTime<Utc>) -> String {
    at.to_rfc3339_opts(SecondsFormat::Secs, true)
}
