//! Who calls and whom they ask for: accounts with full purses, and people drawn from the loaded world.

use crate::rig::{MASTER_KEY, Rig};
use anyhow::{Context, Result, bail};
use assay_domain::{AccountId, Clock, Credits, Digest, IdentityKey, KeyId, MasterKey, PersonId, Plan};
use assay_service::{Issue, KeyDesk};
use assay_store::Ledger;
use assay_store::ledger::{KeyTerms, NewAccount};
use rand::seq::SliceRandom;
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use tokio::sync::Semaphore;
use tokio::task::JoinSet;

const MADE_AT_ONCE: usize = 8;

/// One paying account.
#[derive(Debug, Clone)]
pub struct Payer {
    pub account: AccountId,
    pub key: KeyId,
    pub secret: String,
}

/// One call to be made.
#[derive(Debug, Clone)]
pub struct Target {
    pub payer: usize,
    pub email: String,
    pub digest: Digest,
    pub person: PersonId,
}

#[derive(Debug)]
pub struct Targets {
    pub payers: Vec<Payer>,
    pub calls: Vec<Target>,
    /// Runs go on where the last one stopped: none finds the pages warm, or the rows made, by the one before it.
    next: AtomicUsize,
}

impl Targets {
    /// Makes the accounts and draws the calls. Every person appears at most once until the list is used up.
    pub async fn make(rig: &Rig, ledger: &Ledger, accounts: usize, calls: usize) -> Result<Self> {
        let master = MasterKey::parse(MASTER_KEY)?;
        let pepper = master.derive("api-key");
        let mut making = JoinSet::new();
        // More at once would only wait for a connection, and longer than one waits.
        let places = Arc::new(Semaphore::new(MADE_AT_ONCE));
        for number in 0..accounts {
            let (ledger, places) = (ledger.clone(), Arc::clone(&places));
            making.spawn(async move {
                let _place = places.acquire().await?;
                make_payer(&ledger, number, pepper).await
            });
        }
        let payers = making.join_all().await.into_iter().collect::<Result<Vec<_>>>()?;
        let identity = IdentityKey::new(master.derive("identity"));
        let mut random = ChaCha8Rng::seed_from_u64(7);
        let mut people: Vec<u64> = (0..rig.world().people_count()).collect();
        people.shuffle(&mut random);
        let drawn = people.into_iter().cycle().take(calls).map(|index| {
            let person = rig.world().person(index);
            let address =
                &person.facts.emails.first().context("a person of the world has no address")?.address;
            Ok(Target {
                payer: random.random_range(0..accounts),
                email: address.to_string(),
                digest: identity.digest_email(address),
                person: person.id,
            })
        });
        let calls = drawn.collect::<Result<Vec<_>>>()?;
        Ok(Self { payers, calls, next: AtomicUsize::new(0) })
    }
}

impl Targets {
    /// The next call to make.
    pub fn draw(&self) -> &Target {
        &self.calls[self.next.fetch_add(1, Ordering::Relaxed) % self.calls.len()]
    }
}

async fn make_payer(ledger: &Ledger, number: usize, pepper: [u8; 32]) -> Result<Payer> {
    let new = NewAccount { name: format!("payer {number}"), plan: Plan::Scale };
    let account = ledger.create_account(&new).await?;
    ledger.top_up(account, Credits::whole(1_000_000), "bar").await?;
    let terms = KeyTerms {
        name: "bar".into(),
        live: true,
        scopes: vec!["lookup".into()],
        ip_allow: Vec::new(),
        monthly_cap: None,
        requests_per_minute: None,
        expires_at: Some(Clock::system().now() + chrono::TimeDelta::days(1)),
    };
    let Issue::Made(key) = KeyDesk::new(ledger.clone(), pepper).issue(account, terms).await? else {
        bail!("a new account has too many keys");
    };
    Ok(Payer { account, key: KeyId::new(key.id()), secret: key.reveal().to_owned() })
}
