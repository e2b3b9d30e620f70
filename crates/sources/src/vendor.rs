//! The shape of a vendor.

use crate::{Question, Reading};
use assay_domain::{Lookup, NetworkHosts};
use bytes::Bytes;
use http::{HeaderMap, Method, StatusCode};
use std::borrow::Cow;
use std::fmt;
use std::time::Duration;

/// A vendor: what is known of it, how it is asked, and how its answers are read. It sees no socket, no clock and no key store.
pub trait Vendor: fmt::Debug + Send + Sync {
    fn facts(&self) -> &VendorFacts;

    /// The question as the vendor wants it; none when it cannot be asked with what is known.
    fn request(&self, question: &Question, key: &Credentials) -> Option<HttpQuestion>;

    /// What came back. It never panics, whatever came.
    fn read(&self, question: &Question, response: &HttpAnswer<'_>) -> Reading;
}

/// What is known of a vendor without asking it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct VendorFacts {
    /// As it is configured and shown: lower-case, `[a-z0-9_-]`.
    pub name: Cow<'static, str>,
    /// Where it lives unless an operator says otherwise, without a slash at the end.
    pub base_url: Cow<'static, str>,
    /// What it can be asked for, and what that costs.
    pub lookups: Cow<'static, [AskedFor]>,
    pub rights: Rights,
    /// How often one key may be used, where the vendor says.
    pub requests_per_minute: Option<u32>,
    /// The longest it may take to answer, where that is less than others may.
    pub timeout: Option<Duration>,
}

impl VendorFacts {
    /// Of a vendor that sells by subscription: its customer may usually keep an answer for a year and show it to nobody else.
    /// An operator whose contract says otherwise sets their own.
    pub const fn subscription(
        name: &'static str,
        base_url: &'static str,
        terms: &'static str,
        lookups: &'static [AskedFor],
    ) -> Self {
        Self {
            name: Cow::Borrowed(name),
            base_url: Cow::Borrowed(base_url),
            lookups: Cow::Borrowed(lookups),
            rights: Rights {
                licence: Cow::Borrowed(terms),
                storable: true,
                shareable: false,
                retention_days: Some(365),
            },
            requests_per_minute: None,
            timeout: None,
        }
    }

    pub fn takes(&self, lookup: Lookup) -> bool {
        self.price_of(lookup).is_some()
    }

    pub fn price_of(&self, lookup: Lookup) -> Option<Price> {
        self.lookups.iter().find(|asked| asked.lookup == lookup).map(|asked| asked.price)
    }
}

/// One lookup a vendor takes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct AskedFor {
    pub lookup: Lookup,
    pub price: Price,
}

/// What a question costs, in millionths of a US dollar, by the vendor's list; an operator may know better.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Price {
    /// Only when something is found.
    PerHit(u32),
    /// Also when nothing is.
    PerCall(u32),
}

impl Price {
    pub const fn micros(self) -> u32 {
        match self {
            Self::PerHit(micros) | Self::PerCall(micros) => micros,
        }
    }
}

/// What may be done with what a vendor says.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Rights {
    /// A word for its terms, shown with the source.
    pub licence: Cow<'static, str>,
    /// Whether it may be kept at all; else it is passed on and forgotten.
    pub storable: bool,
    /// Whether others than the account that asked may be shown it.
    pub shareable: bool,
    /// For how many days it may be kept; for ever when none.
    pub retention_days: Option<u32>,
}

/// A key, as the vendor knows it. Some have two parts.
#[derive(Clone, PartialEq, Eq)]
pub struct Credentials(String);

impl Credentials {
    pub fn new(text: impl Into<String>) -> Self {
        Self(text.into())
    }

    pub fn expose(&self) -> &str {
        &self.0
    }
}

impl fmt::Debug for Credentials {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str("Credentials(…)")
    }
}

/// A question on its way: where to, below the base URL, and what is sent along.
#[derive(Clone, PartialEq, Eq)]
pub struct HttpQuestion {
    pub method: Method,
    /// Begins with a slash; already encoded.
    pub path: String,
    /// Not yet encoded.
    pub query: Vec<(String, String)>,
    pub headers: Vec<(String, String)>,
    /// Sent as JSON.
    pub body: Option<serde_json::Value>,
}

impl HttpQuestion {
    pub fn get(path: impl Into<String>) -> Self {
        Self { method: Method::GET, path: path.into(), query: Vec::new(), headers: Vec::new(), body: None }
    }

    pub fn post(path: impl Into<String>, body: serde_json::Value) -> Self {
        Self { method: Method::POST, body: Some(body), ..Self::get(path) }
    }

    #[must_use]
    pub fn header(mut self, name: &str, value: impl Into<String>) -> Self {
        self.headers.push((name.to_owned(), value.into()));
        self
    }

    /// Left out when there is no value.
    #[must_use]
    pub fn query(mut self, name: &str, value: Option<impl Into<String>>) -> Self {
        self.query.extend(value.map(|value| (name.to_owned(), value.into())));
        self
    }
}

/// It carries keys and whom is asked for.
impl fmt::Debug for HttpQuestion {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "HttpQuestion({} {})", self.method, self.path.split('/').nth(1).unwrap_or(""))
    }
}

/// What came back, and the hosts whose profile addresses are understood.
#[derive(Clone, Copy)]
pub struct HttpAnswer<'a> {
    pub status: StatusCode,
    pub headers: &'a HeaderMap,
    pub body: &'a Bytes,
    pub hosts: &'a NetworkHosts,
}

impl fmt::Debug for HttpAnswer<'_> {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "HttpAnswer({}, {} bytes)", self.status, self.body.len())
    }
}
