//! A ledger of its own for a test of this crate, with one account that has credits.

use crate::key_desk::{Issue, KeyDesk};
use assay_domain::api_key::ApiKey;
use assay_domain::{AccountId, Clock, Plan};
use assay_store::ledger::{KeyTerms, NewAccount};
use assay_store::{Database, Ledger};
use assay_testkit::{TestDatabase, workspace_root};

pub(crate) const PEPPER: [u8; 32] = [7; 32];

/// The database goes when this does.
pub(crate) struct TestLedger {
    _database: TestDatabase,
    pub(crate) ledger: Ledger,
    pub(crate) account: AccountId,
}

impl TestLedger {
    pub(crate) async fn new() -> Self {
        let prepare = async |url: String| Ok(Ledger::migrate(&Database::at(&url)).await?);
        let database = TestDatabase::from_template("ledger", &migrations(), prepare).await.unwrap();
        let ledger = Ledger::connect(&Database::at(&database.url()), Clock::system()).await.unwrap();
        let new = NewAccount { name: "Northwind".into(), plan: Plan::Indie };
        let account = ledger.create_account(&new).await.unwrap();
        Self { _database: database, ledger, account }
    }

    pub(crate) async fn key(&self, terms: KeyTerms) -> ApiKey {
        let issued = KeyDesk::new(self.ledger.clone(), PEPPER).issue(self.account, terms).await.unwrap();
        match issued {
            Issue::Made(key) => key,
            Issue::TooMany | Issue::Changed => panic!("a new account has room for a key"),
        }
    }
}

pub(crate) fn terms() -> KeyTerms {
    KeyTerms {
        name: "crm sync".into(),
        live: true,
        scopes: vec!["lookup".into(), "keys".into()],
        ip_allow: Vec::new(),
        monthly_cap: None,
        requests_per_minute: None,
        expires_at: None,
    }
}

/// The text of all migrations: when it changes, a new template is made.
fn migrations() -> String {
    let folder = workspace_root().unwrap().join("migrations/ledger");
    let mut files: Vec<_> = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    files.sort();
    files.iter().map(|file| std::fs::read_to_string(file).unwrap()).collect()
}
