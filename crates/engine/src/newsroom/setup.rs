//! What a feed is made of, as it is kept and as an operator says it.

use assay_domain::Domain;
use assay_domain::signal::Party;
use assay_sources::feeds::{Board, BoardVendor, EightK, Feed, FormD, NoBoard, Press};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use url::Url;

/// Which source, and what of it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "source", rename_all = "kebab-case", deny_unknown_fields)]
pub enum FeedSetup {
    SecFormD,
    #[serde(rename = "sec-8-k")]
    Sec8K,
    /// The jobs of one company at one vendor.
    Board {
        vendor: String,
        site: String,
        company: String,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        domain: Option<Domain>,
    },
    Rss {
        name: String,
        url: String,
    },
}

/// What is wrong with a setup.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum SetupFault {
    #[error("no such vendor of job boards")]
    Vendor,
    #[error(transparent)]
    Board(#[from] NoBoard),
    #[error("a press feed needs a name and an address of the web")]
    Press,
}

impl FeedSetup {
    pub(super) fn read(kept: &Value) -> Option<Self> {
        Self::deserialize(kept).ok()
    }

    pub(super) fn write(&self) -> Value {
        // Texts and nothing else: there is nothing that could not be written.
        serde_json::to_value(self).unwrap_or_default()
    }

    pub fn feed(&self) -> Result<Box<dyn Feed>, SetupFault> {
        Ok(match self {
            Self::SecFormD => Box::new(FormD),
            Self::Sec8K => Box::new(EightK),
            Self::Board { vendor, site, company, domain } => {
                let vendor: BoardVendor = vendor.parse().map_err(|()| SetupFault::Vendor)?;
                let company = Party { domain: domain.clone(), ..Party::named(company) };
                Box::new(Board::new(vendor, site, company)?)
            }
            Self::Rss { name, url } => Box::new(Press::new(name, url).ok_or(SetupFault::Press)?),
        })
    }

    /// Whom it asks: feeds that ask the same share its patience. A vendor of boards is one, whatever its hosts are called.
    pub(super) fn host(&self) -> String {
        match self {
            Self::SecFormD | Self::Sec8K => "sec.gov".to_owned(),
            Self::Board { vendor, .. } => vendor.clone(),
            Self::Rss { url, .. } => {
                Url::parse(url).ok().and_then(|url| Some(url.host_str()?.to_owned())).unwrap_or_default()
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_setup_is_read_as_it_was_written() {
        let setups = [
            (FeedSetup::SecFormD, "sec-form-d", "sec.gov"),
            (FeedSetup::Sec8K, "sec-8-k", "sec.gov"),
            (
                FeedSetup::Board {
                    vendor: "recruitee".into(),
                    site: "acme".into(),
                    company: "Acme".into(),
                    domain: Some("acme.example".parse().unwrap()),
                },
                "recruitee/acme",
                "recruitee",
            ),
            (
                FeedSetup::Rss { name: "wire".into(), url: "https://wire.example/all.xml".into() },
                "rss/wire",
                "wire.example",
            ),
        ];
        for (setup, name, host) in setups {
            assert_eq!(FeedSetup::read(&setup.write()), Some(setup.clone()));
            assert_eq!(setup.feed().unwrap().name(), name);
            assert_eq!(setup.host(), host);
        }
        assert_eq!(FeedSetup::read(&serde_json::json!({ "source": "of a newer program" })), None);
    }

    #[test]
    fn what_is_no_feed_is_refused() {
        let board = |vendor: &str, site: &str, company: &str| FeedSetup::Board {
            vendor: vendor.into(),
            site: site.into(),
            company: company.into(),
            domain: None,
        };
        assert_eq!(board("monster", "acme", "Acme").feed().unwrap_err(), SetupFault::Vendor);
        assert!(board("lever", "a/../b", "Acme").feed().is_err());
        assert!(board("lever", "acme", " ").feed().is_err());
        let press = FeedSetup::Rss { name: "wire".into(), url: "file:///etc/passwd".into() };
        assert_eq!(press.feed().unwrap_err(), SetupFault::Press);
    }
}
