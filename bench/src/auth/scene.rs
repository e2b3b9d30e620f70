//! The stage: three accounts with a past, a key for every way to be refused, and nodes to be refused by.

use super::wire::{Addresses, Ask, Told, send};
use crate::bar::progress;
use crate::rig::{Rig, RigOptions, Server};
use anyhow::{Context, bail};
use assay_domain::api_key::{ApiKey, KeyMode};
use assay_service::CATALOG;
use assay_service::spec::Scope;
use assay_store::Ledger;
use assay_testkit::PostgresOptions;
use rand::Rng;
use serde_json::{Value, json};
use sqlx::PgPool;
use std::net::SocketAddr;

const PEOPLE: u64 = 300;
const ALPHABET: &[u8] = b"0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
/// In the names of accounts and keys, so that a leak of them is seen.
const MARK: &str = "Quillfeather";

/// Leads nowhere: what is sent to it is never taken.
const HOOK: &str = "https://hooks.quillfeather.example/";

/// A key for every way to be refused, and one that is let in.
#[derive(Debug, Default)]
pub struct Keys {
    pub good: String,
    pub broken: String,
    pub guessed: String,
    pub unknown: String,
    pub other_mode: String,
    pub revoked: String,
    pub expired: String,
    pub elsewhere: String,
    /// One key a scope, with all scopes but that one.
    pub lacking: Vec<(Scope, String)>,
    pub over: String,
    pub trial: String,
    pub spent: String,
}

pub struct Scene {
    rig: Rig,
    ledger: Ledger,
    graph: PgPool,
    /// Two alike, and one that holds credits before every paid call.
    pub nodes: [Server; 2],
    pub holding: Server,
    pub addresses: Addresses,
    pub keys: Keys,
    pub foreign_key: String,
    pub foreign_webhook: String,
    pub foreign_bulk: String,
    pub foreign_delivery: String,
    pub foreign_list: String,
    pub foreign_icp: String,
    /// A call that would be charged, and its key's cap is spent.
    pub findable: Vec<(&'static str, Value)>,
    /// What the account of the good key has; no refusal changes it.
    pub left: Value,
    /// Texts that must not be in any refusal.
    marks: Vec<String>,
}

impl Scene {
    pub async fn set() -> anyhow::Result<Self> {
        let options = RigOptions {
            failpoints: false,
            accounts: 0,
            people: PEOPLE,
            postgres: PostgresOptions::default(),
            one_database: false,
        };
        let rig = Rig::start(options)?;
        let ledger = rig.ledger().await?;
        let graph = PgPool::connect(&rig.graph_url()).await?;
        // Refusals are what is measured, not rates.
        sqlx::query("update plan set requests_per_minute = 1000000").execute(ledger.pool()).await?;
        progress("starting three nodes");
        let nodes = [rig.serve(&[])?, rig.serve(&[])?];
        let holding = rig.serve(&[("ASSAY_BILLING_HOLDS", "always")])?;
        let mut scene = Self {
            rig,
            ledger,
            graph,
            nodes,
            holding,
            addresses: Addresses::default(),
            keys: Keys::default(),
            foreign_key: String::new(),
            foreign_webhook: String::new(),
            foreign_bulk: String::new(),
            foreign_delivery: String::new(),
            foreign_list: String::new(),
            foreign_icp: String::new(),
            findable: Vec::new(),
            left: Value::Null,
            marks: vec![MARK.to_owned()],
        };
        scene.make_keys().await?;
        scene.let_in().await?;
        scene.spend_cap().await?;
        let look =
            Ask { method: "GET", path: "/v1/me".to_owned(), key: Some(scene.keys.good.clone()), body: None };
        scene.left = scene.wanted(&look, 200).await?.json()?["cost"]["balance_remaining"].clone();
        Ok(scene)
    }

    async fn make_keys(&mut self) -> anyhow::Result<()> {
        let owner = self.account("scale")?;
        let good = self.operator_key(&owner)?;
        self.keys.good = good.clone();
        let (id, _) = split(&good)?;
        self.keys.broken = flip_last(&good);
        self.keys.guessed = craft(KeyMode::Live, id, None)?;
        self.keys.unknown = craft(KeyMode::Live, &random_symbols(12), None)?;
        self.keys.other_mode = craft(KeyMode::Test, id, Some(&good))?;
        let (id, key) = self.make(&good, json!({})).await?;
        let path = format!("/v1/keys/{id}");
        let revoke = Ask { method: "DELETE", path, key: Some(good.clone()), body: None };
        self.wanted(&revoke, 200).await?;
        self.keys.revoked = key;
        let (id, key) = self.make(&good, json!({"expires_in_days": 1})).await?;
        self.sql("update api_key set expires_at = now() - interval '1 second' where 'key_' || id = $1", &id)
            .await?;
        self.keys.expired = key;
        self.keys.elsewhere = self.make(&good, json!({"ip_allow": ["10.0.0.0/8", "2001:db8::/32"]})).await?.1;
        for scope in Scope::ALL {
            let others = Scope::ALL.iter().filter(|other| *other != scope).map(|other| other.as_str());
            let wish = json!({"scopes": others.collect::<Vec<_>>()});
            let (_, key) = self.make(&good, wish).await?;
            self.keys.lacking.push((*scope, key));
        }
        self.keys.spent = self.make(&good, json!({"monthly_cap": 1})).await?.1;
        let stranger = self.account("scale")?;
        let strange = self.operator_key(&stranger)?;
        self.foreign_key = self.make(&strange, json!({})).await?.0;
        let items = json!({"items": [{"email": "gone@nowhere.example"}]});
        self.foreign_bulk = self.post(&strange, "/v1/bulk/enrich", items, 202).await?;
        self.foreign_webhook = self.post(&strange, "/v1/webhooks", json!({"url": HOOK}), 201).await?;
        let test = format!("/v1/webhooks/{}/test", self.foreign_webhook);
        self.foreign_delivery = self.post(&strange, &test, json!({}), 202).await?;
        let list = json!({"name": MARK, "kind": "people"});
        self.foreign_list = self.post(&strange, "/v1/watch-lists", list, 201).await?;
        let icp = json!({"name": MARK, "target": "people", "filters": {}});
        self.foreign_icp = self.post(&strange, "/v1/saved-icps", icp, 201).await?;
        let over = self.account("trial")?;
        self.keys.over = self.operator_key(&over)?;
        let end = "update account set trial_ends_at = now() - interval '1 second' where 'acc_' || replace(id::text, '-', '') = $1";
        self.sql(end, &over).await?;
        let trial = self.account("trial")?;
        self.keys.trial = self.operator_key(&trial)?;
        Ok(())
    }

    /// The good key is let in by every row: what is refused later is refused for the one thing that differs.
    async fn let_in(&mut self) -> anyhow::Result<()> {
        for entry in CATALOG {
            let ask = Ask::of(entry, None, Some(&self.keys.good));
            let told = self.ask(self.nodes[0].address, &ask).await?;
            let absent = entry.spec.path.contains('{') && told.status == 404;
            if told.status != entry.spec.status && !absent {
                bail!("{} is not let in: {} {}", entry.spec.name, told.status, told.text());
            }
        }
        Ok(())
    }

    /// One credit of one, for a person whose name is then on the list of marks.
    async fn spend_cap(&mut self) -> anyhow::Result<()> {
        let known = self.rig.known(0).context("the world is empty")?;
        let body = json!({"email": known.email});
        let key = Some(self.keys.spent.clone());
        let ask = Ask { method: "POST", path: "/v1/enrich".to_owned(), key, body: Some(body.clone()) };
        let told = self.wanted(&ask, 200).await?.json()?;
        if told["cost"]["credits"] != 1 {
            bail!("the call that spends the cap was not charged: {told}");
        }
        let person = &told["person"];
        let domain = person["company"]["domain"].as_str().context("a person without a company")?;
        self.findable = vec![("/v1/enrich", body), ("/v1/companies", json!({"domain": domain}))];
        for text in [&person["fullName"], &person["id"], &person["networkUrl"], &person["company"]["name"]] {
            self.marks.extend(text.as_str().map(str::to_owned));
        }
        self.marks.push(known.email);
        Ok(())
    }

    fn account(&mut self, plan: &str) -> anyhow::Result<String> {
        let name = format!("{MARK} {plan}");
        let made = self.rig.cli(&["account", "create", "--name", &name, "--plan", plan, "--json"])?;
        let id = text(&serde_json::from_str(&made)?, "id")?;
        self.marks.push(id.clone());
        Ok(id)
    }

    /// A key with every scope there is.
    fn operator_key(&mut self, account: &str) -> anyhow::Result<String> {
        let scopes = Scope::ALL.iter().map(|scope| scope.as_str()).collect::<Vec<_>>().join(",");
        let arguments =
            ["key", "create", "--account", account, "--name", MARK, "--scopes", &scopes, "--json"];
        let made: Value = serde_json::from_str(&self.rig.cli(&arguments)?)?;
        self.marks.push(text(&made, "id")?);
        text(&made, "key")
    }

    async fn make(&mut self, maker: &str, mut wish: Value) -> anyhow::Result<(String, String)> {
        wish["name"] = json!(MARK);
        let path = "/v1/keys".to_owned();
        let ask = Ask { method: "POST", path, key: Some(maker.to_owned()), body: Some(wish) };
        let made = self.wanted(&ask, 201).await?.json()?;
        let id = text(&made, "id")?;
        self.marks.push(id.clone());
        Ok((id, text(&made, "key")?))
    }

    /// Makes something, and gives its id.
    async fn post(&mut self, key: &str, path: &str, body: Value, status: u16) -> anyhow::Result<String> {
        let ask = Ask { method: "POST", path: path.to_owned(), key: Some(key.to_owned()), body: Some(body) };
        let id = text(&self.wanted(&ask, status).await?.json()?, "id")?;
        self.marks.push(id.clone());
        Ok(id)
    }

    pub async fn ask(&mut self, node: SocketAddr, ask: &Ask) -> anyhow::Result<Told> {
        send(node, self.addresses.fresh(), ask).await
    }

    async fn wanted(&mut self, ask: &Ask, status: u16) -> anyhow::Result<Told> {
        let told = self.ask(self.nodes[0].address, ask).await?;
        if told.status != status {
            bail!("{} {}: {} {}", ask.method, ask.path, told.status, told.text());
        }
        Ok(told)
    }

    async fn sql(&self, statement: &'static str, id: &str) -> anyhow::Result<()> {
        let done = sqlx::query(statement).bind(id).execute(self.ledger.pool()).await?;
        if done.rows_affected() == 1 { Ok(()) } else { bail!("nothing has the id {id}") }
    }

    /// The first text of an account, of a key or of a person in this text.
    pub fn mark_in(&self, text: &str) -> Option<&str> {
        self.marks.iter().map(String::as_str).find(|mark| text.contains(mark))
    }

    /// The first whole secret that the nodes wrote into their log.
    pub fn secret_in_log(&self) -> anyhow::Result<Option<&str>> {
        let log = std::fs::read_to_string(self.rig.log_file())?;
        let keys = &self.keys;
        let lacking = keys.lacking.iter().map(|(_, key)| key);
        let own =
            [&keys.good, &keys.revoked, &keys.expired, &keys.elsewhere, &keys.over, &keys.trial, &keys.spent];
        let secrets = own.into_iter().chain(lacking).filter_map(|key| key.rsplit('_').next());
        Ok(secrets.map(|secret| secret.get(..32).unwrap_or(secret)).find(|secret| log.contains(secret)))
    }

    /// All that a refused call must leave as it was: money, people, keys and what was charged.
    pub async fn state(&self) -> anyhow::Result<Vec<(&'static str, String)>> {
        let mut state = Vec::new();
        for (table, statement) in LEDGER {
            let digest: String = sqlx::query_scalar(*statement).fetch_one(self.ledger.pool()).await?;
            state.push((*table, digest));
        }
        for (table, statement) in GRAPH {
            let digest: String = sqlx::query_scalar(*statement).fetch_one(&self.graph).await?;
            state.push((*table, digest));
        }
        Ok(state)
    }

    pub async fn audit(&self) -> anyhow::Result<Vec<String>> {
        self.rig.audit().await
    }
}

const LEDGER: &[(&str, &str)] = &[
    ("account", "select coalesce(md5(string_agg(t::text, '|' order by id)), '') from account t"),
    (
        "api_key",
        "select coalesce(md5(string_agg((to_jsonb(t) - 'last_used_at')::text, '|' order by id)), '') from api_key t",
    ),
    ("balance", "select coalesce(md5(string_agg(t::text, '|' order by account_id)), '') from balance t"),
    ("credit_lot", "select coalesce(md5(string_agg(t::text, '|' order by id)), '') from credit_lot t"),
    ("posting", "select count(*)::text from posting"),
    ("hold", "select count(*)::text from hold"),
    ("key_spend", "select coalesce(md5(string_agg(t::text, '|' order by key_id)), '') from key_spend t"),
    (
        "webhook_endpoint",
        "select coalesce(md5(string_agg((to_jsonb(t) - 'failing_since')::text, '|' order by id)), '') from webhook_endpoint t",
    ),
    ("webhook_delivery", "select count(*)::text from webhook_delivery"),
    ("reply", "select count(*)::text from reply"),
    ("resolved_person", "select count(*)::text from resolved_person"),
    (
        "charged calls in history",
        "select count(*) || ' ' || coalesce(sum(credits), 0) from history where credits > 0",
    ),
];

const GRAPH: &[(&str, &str)] = &[
    ("person", "select coalesce(md5(string_agg(t::text, '|' order by id)), '') from person t"),
    ("company", "select count(*)::text from company"),
    ("suppression", "select count(*)::text from suppression"),
];

fn text(value: &Value, name: &str) -> anyhow::Result<String> {
    let found = value[name].as_str().map(str::to_owned);
    found.with_context(|| format!("no {name} in {value}"))
}

/// A key's id and its secret.
fn split(key: &str) -> anyhow::Result<(&str, &str)> {
    let mut parts = key.splitn(4, '_').skip(2);
    let (id, rest) =
        (parts.next().context("a key without an id")?, parts.next().context("a key without a secret")?);
    Ok((id, rest.get(..32).context("a short secret")?))
}

fn flip_last(key: &str) -> String {
    let (start, last) = key.split_at(key.len() - 1);
    format!("{start}{}", if last == "0" { "1" } else { "0" })
}

fn random_symbols(count: usize) -> String {
    let mut random = rand::rng();
    let symbol = |_| char::from(ALPHABET[usize::from(random.next_u32().to_le_bytes()[0]) % ALPHABET.len()]);
    (0..count).map(symbol).collect()
}

/// A key of this id with a right checksum: with the secret of another key, or with one that nobody has.
fn craft(mode: KeyMode, id: &str, of: Option<&str>) -> anyhow::Result<String> {
    let secret = match of {
        Some(key) => split(key)?.1.to_owned(),
        None => random_symbols(32),
    };
    let symbols: Vec<u8> = format!("{id}{secret}")
        .bytes()
        .filter_map(|symbol| u8::try_from(ALPHABET.iter().position(|known| *known == symbol)?).ok())
        .collect();
    let key = ApiKey::generate(mode, &mut |bytes| {
        for (byte, symbol) in bytes.iter_mut().zip(&symbols) {
            *byte = *symbol;
        }
    });
    if key.id() != id || !key.reveal().contains(&secret) {
        bail!("keys are no longer drawn as the bar draws them");
    }
    Ok(key.reveal().to_owned())
}
