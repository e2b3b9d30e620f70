//! Public sources of signals: who asks for them, and by which way.

use super::key::{Key, Kind};
use super::upstreams::UpstreamsConfig;
use crate::failure::Failure;
use assay_sources::Pages;

/// The settings of `[feeds]`. Which feeds are looked at is set by `assay feed`.
#[derive(Debug, Clone, Default)]
pub struct FeedsConfig {
    contact: Option<String>,
    mirror: Option<String>,
}

impl FeedsConfig {
    /// None while nobody is named as contact: then nobody is asked.
    pub fn pages(&self, upstreams: &UpstreamsConfig) -> Result<Option<Pages>, Failure> {
        let Some(contact) = &self.contact else { return Ok(None) };
        let roots = upstreams.extra_roots_pem()?;
        let pages = Pages::new(contact, upstreams.guard(), &roots, self.mirror.as_deref());
        pages.map(Some).map_err(|error| {
            let fix = "set feeds.contact to a name and an email address, and feeds.mirror to an https address or nothing";
            Failure::new(format!("feeds cannot be asked: {error}"), fix)
        })
    }

    /// The same for somebody who wants to ask now.
    pub fn pages_or_why_not(&self, upstreams: &UpstreamsConfig) -> Result<Pages, Failure> {
        self.pages(upstreams)?.ok_or_else(|| {
            Failure::new(
                "no feed is asked before hosts can be told who asks",
                "set feeds.contact, or ASSAY_FEEDS_CONTACT, to a name and an email address of yours",
            )
        })
    }
}

fn given(text: &str) -> Option<String> {
    Some(text.trim().to_owned()).filter(|text| !text.is_empty())
}

pub static FEED_KEYS: &[Key] = &[
    Key {
        section: "feeds",
        name: "contact",
        kind: Kind::Text,
        default: String::new,
        doc: &[
            "Who looks at public sources, and where they can be reached: \"Acme Corp ops@acme.example\". Every host is told, as",
            "EDGAR demands. Without it no feed is looked at.",
        ],
        set: |config, text| {
            config.feeds.contact = given(text);
            Ok(())
        },
    },
    Key {
        section: "feeds",
        name: "mirror",
        kind: Kind::Text,
        default: String::new,
        doc: &[
            "A server that is asked instead of the hosts themselves, as https://mirror/host/path; empty for none. Where it may be",
            "is said in [upstreams].",
        ],
        set: |config, text| {
            config.feeds.mirror = given(text);
            Ok(())
        },
    },
];
