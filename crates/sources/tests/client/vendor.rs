//! A vendor whose answers are their status codes, and a client that may reach it.

use assay_domain::{Lookup, NetworkHosts};
use assay_sources::{
    Answer, Asked, AskedFor, Client, ClientSettings, Credentials, HttpAnswer, HttpQuestion, NotAsked, Price,
    Question, Reading, SourceGuard, Subject, Uptime, Vendor, VendorFacts, VendorPlace,
};
use std::time::Duration;

pub const KEY: &str = "sk_live_geheim";
pub const PRICE_MICROS: u64 = 5_000;
pub const PLENTY: Duration = Duration::from_secs(20);

#[derive(Debug)]
pub struct StatusVendor(VendorFacts);

impl StatusVendor {
    pub fn new() -> Self {
        let price = Price::PerCall(u32::try_from(PRICE_MICROS).unwrap());
        let lookups = vec![AskedFor { lookup: Lookup::Verify, price }];
        let facts = VendorFacts::subscription("status", "https://api.vendor.example", "test", &[]);
        Self(VendorFacts { lookups: lookups.into(), ..facts })
    }
}

impl Vendor for StatusVendor {
    fn facts(&self) -> &VendorFacts {
        &self.0
    }

    fn request(&self, question: &Question, key: &Credentials) -> Option<HttpQuestion> {
        if question.lookup != Lookup::Verify {
            return None;
        }
        let body = serde_json::json!({ "who": "Zoë" });
        let asked = HttpQuestion::post("/v1/find", body).query("api_key", Some(key.expose()));
        Some(asked.header("x-api-key", key.expose()))
    }

    fn read(&self, _: &Question, response: &HttpAnswer<'_>) -> Reading {
        match response.status.as_u16() {
            200 => Reading::hit(Answer::default()),
            202 => Reading::Pending,
            401 => Reading::Unauthorized,
            402 => Reading::QuotaExhausted,
            404 => Reading::Miss,
            429 => {
                let told = response.headers.get("retry-after").and_then(|it| it.to_str().ok()?.parse().ok());
                Reading::RateLimited(told.map(Duration::from_secs))
            }
            _ => Reading::Failed("status"),
        }
    }
}

/// Somebody who asks.
pub struct Asker {
    pub client: Client,
    pub uptime: Uptime,
    pub vendor: StatusVendor,
    pub place: VendorPlace,
}

impl Asker {
    /// May reach loopback, without encryption.
    pub fn at(base_url: &str) -> Self {
        Self::guarded(base_url, SourceGuard { allowed: loopback(), allow_http: true }, b"")
    }

    pub fn guarded(base_url: &str, guard: SourceGuard, extra_roots_pem: &[u8]) -> Self {
        let uptime = Uptime::start();
        let settings = ClientSettings {
            guard,
            hosts: NetworkHosts::new(["network.example"]).unwrap(),
            extra_roots_pem: extra_roots_pem.to_vec(),
            uptime: uptime.clone(),
        };
        let place = VendorPlace {
            base_url: base_url.to_owned(),
            key: Credentials::new(KEY),
            scope: "operator".to_owned(),
            requests_per_minute: None,
            price: None,
        };
        Self { client: Client::new(settings).unwrap(), uptime, vendor: StatusVendor::new(), place }
    }

    pub async fn ask(&self) -> Result<Asked, NotAsked> {
        self.ask_within(PLENTY).await
    }

    pub async fn ask_within(&self, time_left: Duration) -> Result<Asked, NotAsked> {
        self.client.ask(&self.vendor, &self.place, &question(), time_left).await
    }

    /// What the vendor said. It must have been asked.
    pub async fn reading(&self) -> Reading {
        self.ask().await.unwrap().reading
    }

    /// The same client with another's key.
    pub fn as_scope(&self, scope: &str) -> Self {
        let place = VendorPlace { scope: scope.to_owned(), ..self.place.clone() };
        let (client, uptime) = (self.client.clone(), self.uptime.clone());
        Self { client, uptime, vendor: StatusVendor::new(), place }
    }

    pub fn for_free(mut self) -> Self {
        self.place.price = Some(Price::PerCall(0));
        self
    }
}

pub fn question() -> Question {
    Question { lookup: Lookup::Verify, subject: Subject::default() }
}

pub fn loopback() -> Vec<assay_domain::IpRange> {
    vec!["127.0.0.0/8".parse().unwrap(), "::1".parse().unwrap()]
}
