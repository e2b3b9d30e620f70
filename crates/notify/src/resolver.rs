//! Looking up names. What is found is not believed: the connector judges every address.

use std::fmt;
use std::future::Future;
use std::io;
use std::net::{IpAddr, ToSocketAddrs};
use std::pin::Pin;
use std::sync::Arc;

use assay_domain::limits::WEBHOOK_LOOKUPS_MAX;
use tokio::sync::Semaphore;

/// A look-up under way.
pub type Lookup<'a> = Pin<Box<dyn Future<Output = io::Result<Vec<IpAddr>>> + Send + 'a>>;

/// Finds the addresses of a name, in the order in which they should be tried. It is asked once for each connect.
pub trait Resolver: fmt::Debug + Send + Sync {
    fn resolve<'a>(&'a self, name: &'a str) -> Lookup<'a>;
}

/// The system's resolver, with its settings, its hosts file and its cache.
#[derive(Debug)]
pub struct SystemResolver {
    places: Arc<Semaphore>,
}

impl Default for SystemResolver {
    fn default() -> Self {
        Self { places: Arc::new(Semaphore::new(WEBHOOK_LOOKUPS_MAX)) }
    }
}

impl Resolver for SystemResolver {
    fn resolve<'a>(&'a self, name: &'a str) -> Lookup<'a> {
        Box::pin(async move {
            let place = Arc::clone(&self.places).acquire_owned().await.map_err(io::Error::other)?;
            let name = name.to_owned();
            let looking = tokio::task::spawn_blocking(move || {
                let found = (name.as_str(), 0).to_socket_addrs().map(|all| all.map(|it| it.ip()).collect());
                // Given up here and not with the caller: the thread is busy until the system answers.
                drop(place);
                found
            });
            looking.await.map_err(io::Error::other)?
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use futures_util::FutureExt;

    #[tokio::test]
    async fn the_system_knows_its_own_name_and_not_one_that_cannot_be() {
        let resolver = SystemResolver::default();
        let found = resolver.resolve("localhost").await.unwrap();
        assert!(!found.is_empty() && found.iter().all(|it| it.is_loopback()), "{found:?}");
        assert!(resolver.resolve("no such name").await.is_err());
    }

    #[tokio::test]
    async fn look_ups_wait_for_a_place() {
        let resolver = SystemResolver::default();
        let all = u32::try_from(WEBHOOK_LOOKUPS_MAX).unwrap();
        let taken = resolver.places.acquire_many(all).await.unwrap();
        assert!(resolver.resolve("localhost").now_or_never().is_none());
        drop(taken);
        assert!(resolver.resolve("localhost").await.is_ok());
        assert_eq!(resolver.places.available_permits(), WEBHOOK_LOOKUPS_MAX, "given back");
    }
}
