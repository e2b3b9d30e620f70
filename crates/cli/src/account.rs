//! `assay account`: accounts and their credits.

use crate::failure::Failure;
use crate::{Session, connect, out};
use assay_domain::{AccountId, Credits, Plan};
use assay_store::Ledger;
use assay_store::ledger::NewAccount;
use assay_store::ledger::op::{Answer, Refusal};
use clap::Subcommand;
use serde_json::json;

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
    /// Add credits that do not expire.
    Topup {
        account: AccountId,
        /// For example 500 or 0.5.
        credits: Credits,
        /// Names the payment: a second top-up with the same reference adds nothing.
        #[arg(long)]
        reference: String,
    },
}

impl Account {
    pub async fn run(self, session: &Session) -> Result<(), Failure> {
        let ledger = connect::ledger(&session.settings()?.config).await?;
        match self {
            Self::Create { name, plan } => create(session, &ledger, NewAccount { name, plan }).await,
            Self::Topup { account, credits, reference } => {
                top_up(session, &ledger, account, credits, &reference).await
            }
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
        Answer::Refused { why: Refusal::NoAccount, .. } => {
            Err(Failure::new(format!("there is no account {account}"), "check the id"))
        }
        Answer::Refused { why: Refusal::TooManyLots, .. } => {
            Err(Failure::new("the account has too many unspent top-ups", "use them up, or top up less often"))
        }
        other => Err(Failure::new(format!("the ledger refused the top-up: {other:?}"), "report it")),
    }
}
