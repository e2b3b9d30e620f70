//! Where questions may go. A base URL comes from a configuration that may not be the operator's own, and a name may lead
//! anywhere: what is not plainly the public internet is refused at every connect.

use crate::HttpQuestion;
use assay_domain::limits::{SOURCE_ADDRESSES_MAX, SOURCE_LOOKUPS_MAX, URL_CHARS_MAX};
use assay_domain::{IpRange, judge_address};
use reqwest::dns::{Addrs, Name, Resolve, Resolving};
use std::fmt;
use std::io;
use std::net::{IpAddr, SocketAddr, ToSocketAddrs};
use std::sync::Arc;
use tokio::sync::Semaphore;
use url::{Host, Url};

/// What an operator lets through beyond public addresses over https. By default nothing.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct SourceGuard {
    /// Ranges that may be connected to although they are not public: for development, or sources next door.
    pub allowed: Vec<IpRange>,
    /// Whether `http://` will do.
    pub allow_http: bool,
}

impl SourceGuard {
    /// The question's whole address. The error says what is wrong with it, and nothing of what is in it.
    pub(super) fn address(&self, base_url: &str, question: &HttpQuestion) -> Result<Url, &'static str> {
        if !question.path.starts_with('/') {
            return Err("the path does not begin with a slash");
        }
        let base = Url::parse(base_url).map_err(|_| "the base url is not readable")?;
        if base.query().is_some() || base.fragment().is_some() {
            return Err("the base url has more than a path");
        }
        let whole = format!("{}{}", base.as_str().trim_end_matches('/'), question.path);
        let mut url = Url::parse(&whole).map_err(|_| "the url is not readable")?;
        if url.origin() != base.origin() {
            return Err("the path leads to another host");
        }
        self.judge(&url)?;
        if !question.query.is_empty() {
            url.query_pairs_mut().extend_pairs(&question.query);
        }
        if url.as_str().len() > URL_CHARS_MAX { Err("the url is too long") } else { Ok(url) }
    }

    /// Whether an address may be asked. Names are judged again when they are looked up.
    pub(super) fn judge(&self, url: &Url) -> Result<(), &'static str> {
        match url.scheme() {
            "https" => {}
            "http" if self.allow_http => {}
            _ => return Err("the url is not https"),
        }
        if !url.username().is_empty() || url.password().is_some() {
            return Err("the url has a user in it");
        }
        // A name is judged when it is looked up; an address is dialled without that.
        let literal = match url.host() {
            Some(Host::Ipv4(v4)) => Some(IpAddr::V4(v4)),
            Some(Host::Ipv6(v6)) => Some(IpAddr::V6(v6)),
            Some(Host::Domain(_)) => None,
            None => return Err("the url has no host"),
        };
        if let Some(address) = literal {
            judge_address(address, &self.allowed).map_err(|_| "the address is not public")?;
        }
        Ok(())
    }
}

/// A name has no address that may be dialled.
#[derive(Debug)]
pub(super) struct Forbidden;

impl fmt::Display for Forbidden {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str("the address is not public")
    }
}

impl std::error::Error for Forbidden {}

/// The system's resolver, behind the guard: what was judged is what is dialled.
#[derive(Debug)]
pub(super) struct GuardedResolver {
    allowed: Arc<[IpRange]>,
    places: Arc<Semaphore>,
}

impl GuardedResolver {
    pub(super) fn new(guard: &SourceGuard) -> Self {
        let places = Arc::new(Semaphore::new(SOURCE_LOOKUPS_MAX));
        Self { allowed: guard.allowed.clone().into(), places }
    }
}

impl Resolve for GuardedResolver {
    fn resolve(&self, name: Name) -> Resolving {
        let (allowed, places) = (Arc::clone(&self.allowed), Arc::clone(&self.places));
        Box::pin(async move {
            let place = places.acquire_owned().await?;
            let looking = tokio::task::spawn_blocking(move || -> io::Result<Vec<SocketAddr>> {
                let found = (name.as_str(), 0).to_socket_addrs().map(Iterator::collect);
                // Given up here and not with the caller: the thread is busy until the system answers.
                drop(place);
                found
            });
            let found = looking.await??;
            let had_some = !found.is_empty();
            let judged = found.into_iter().filter_map(|it| judge_address(it.ip(), &allowed).ok());
            // The port is the URL's.
            let judged: Vec<SocketAddr> =
                judged.map(|address| SocketAddr::new(address, 0)).take(SOURCE_ADDRESSES_MAX).collect();
            if judged.is_empty() && had_some {
                return Err(Forbidden.into());
            }
            let addresses: Addrs = Box::new(judged.into_iter());
            Ok(addresses)
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn address(guard: &SourceGuard, base: &str, path: &str) -> Result<String, &'static str> {
        guard.address(base, &HttpQuestion::get(path)).map(String::from)
    }

    #[test]
    fn only_https_to_public_places_is_let_through_by_default() {
        let strict = SourceGuard::default();
        for base in ["https://api.vendor.example", "https://api.vendor.example/v2/", "https://9.9.9.9:8443"] {
            assert!(address(&strict, base, "/find").is_ok(), "{base}");
        }
        for base in [
            "http://api.vendor.example",
            "ftp://api.vendor.example",
            "file:///etc",
            "https://127.0.0.1",
            "https://2130706433",
            "https://0x7f.1",
            "https://[::1]",
            "https://[::ffff:10.0.0.1]",
            "https://169.254.169.254",
            "https://user:word@api.vendor.example",
            "https://api.vendor.example?a=b",
            "https://api.vendor.example#a",
            "",
            "https://",
            "https:",
            "https:///",
        ] {
            assert!(address(&strict, base, "/find").is_err(), "{base}");
        }
    }

    #[test]
    fn a_path_cannot_change_the_host() {
        let strict = SourceGuard::default();
        for path in [".evil.example/", "@evil.example/", ":1@evil.example/", ""] {
            assert!(address(&strict, "https://api.vendor.example", path).is_err(), "{path}");
        }
        let url = address(&strict, "https://api.vendor.example", "//evil.example/").unwrap();
        assert_eq!(url, "https://api.vendor.example//evil.example/");
    }

    #[test]
    fn an_operator_may_allow_more() {
        let lax = SourceGuard { allowed: vec!["127.0.0.0/8".parse().unwrap()], allow_http: true };
        assert!(address(&lax, "http://127.0.0.1:8080", "/find").is_ok());
        assert!(address(&lax, "http://10.0.0.1:8080", "/find").is_err());
    }

    #[test]
    fn values_of_a_query_are_encoded_and_an_address_does_not_grow_without_end() {
        let strict = SourceGuard::default();
        let question = HttpQuestion::get("/find").query("name", Some("Zoë & Co=1"));
        let url = strict.address("https://api.vendor.example/v1", &question).unwrap();
        assert_eq!(url.as_str(), "https://api.vendor.example/v1/find?name=Zo%C3%AB+%26+Co%3D1");
        let question = HttpQuestion::get("/find").query("name", Some("a".repeat(URL_CHARS_MAX)));
        assert!(strict.address("https://api.vendor.example/v1", &question).is_err());
    }

    #[tokio::test]
    async fn a_name_that_leads_home_is_refused_unless_home_is_allowed() {
        let name = || "localhost".parse::<Name>().unwrap();
        let strict = GuardedResolver::new(&SourceGuard::default());
        let refusal = strict.resolve(name()).await.err().unwrap();
        assert!(refusal.downcast_ref::<Forbidden>().is_some());
        let allowed = vec!["127.0.0.0/8".parse().unwrap(), "::1".parse().unwrap()];
        let lax = GuardedResolver::new(&SourceGuard { allowed, allow_http: false });
        assert!(lax.resolve(name()).await.unwrap().all(|it| it.ip().is_loopback()));
        assert_eq!(lax.places.available_permits(), SOURCE_LOOKUPS_MAX, "given back");
    }
}
