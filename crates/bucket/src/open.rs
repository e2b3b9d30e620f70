//! A bucket opened with the settings of the environment. Nothing is asked yet: one that cannot be reached is opened all the same.

use crate::address::BucketAddress;
use crate::client::Connector;
use assay_domain::limits::{BUCKET_RETRIES_MAX, BUCKET_RETRY_WITHIN};
use assay_trust::{RootsError, client_config};
use object_store::aws::{AmazonS3Builder, AmazonS3ConfigKey};
use object_store::prefix::PrefixStore;
use object_store::{ClientConfigKey, ObjectStore, RetryConfig};
use std::sync::Arc;
use url::{Host, Url};

const PREFIX: &str = "AWS_";
/// A file of certificates in PEM, as other programs for S3 know it.
const ROOTS: &str = "AWS_CA_BUNDLE";

/// Why a bucket cannot be opened. Tells nothing of what the settings hold.
#[derive(Debug, thiserror::Error)]
pub enum BucketError {
    #[error("it is not a bucket such as s3://bucket/prefix")]
    Address,
    #[error("AWS_ENDPOINT_URL is not a URL such as https://s3.example.com")]
    Endpoint,
    #[error("AWS_ENDPOINT_URL is not https: set AWS_ALLOW_HTTP=true if whoever is on the way may read along")]
    Unencrypted,
    #[error("the file of AWS_CA_BUNDLE cannot be read: {0}")]
    RootsFile(std::io::Error),
    #[error("the file of AWS_CA_BUNDLE cannot be used: {0}")]
    Roots(#[from] RootsError),
    #[error("{0}")]
    Settings(#[from] object_store::Error),
}

/// Opens a bucket; all that is read and written is below the address's prefix. Of the variables those count that begin with `AWS_`.
pub fn open(
    address: &BucketAddress,
    variables: impl IntoIterator<Item = (String, String)>,
) -> Result<Arc<dyn ObjectStore>, BucketError> {
    // Objects are deleted one by one, since not every server takes a list of them.
    let mut builder = AmazonS3Builder::new().with_config(AmazonS3ConfigKey::DisableBulkDelete, "true");
    let mut roots = Vec::new();
    for (name, value) in variables {
        // An empty variable is how a setting is taken away that something else has made.
        if !name.starts_with(PREFIX) || value.is_empty() {
            continue;
        }
        if name == ROOTS {
            roots = std::fs::read(&value).map_err(BucketError::RootsFile)?;
        } else if let Ok(key) = name.to_ascii_lowercase().parse() {
            builder = builder.with_config(key, value);
        }
    }
    let allows_http = allows_http(&builder)?;
    let retries = RetryConfig {
        max_retries: BUCKET_RETRIES_MAX,
        retry_timeout: BUCKET_RETRY_WITHIN,
        ..RetryConfig::default()
    };
    let store = builder
        .with_bucket_name(&address.bucket)
        .with_allow_http(allows_http)
        .with_retry(retries)
        .with_http_connector(Connector { tls: client_config(&roots)? })
        .build()?;
    Ok(Arc::new(PrefixStore::new(store, address.prefix.clone())))
}

/// Whether requests may go out in the clear: to this machine itself, or where the operator says so.
fn allows_http(builder: &AmazonS3Builder) -> Result<bool, BucketError> {
    let set = |key| builder.get_config_value(&key);
    let endpoint = set(AmazonS3ConfigKey::S3Endpoint).or_else(|| set(AmazonS3ConfigKey::Endpoint));
    let Some(endpoint) = endpoint else { return Ok(false) };
    let endpoint = Url::parse(&endpoint).map_err(|_| BucketError::Endpoint)?;
    // It is told in errors.
    if !endpoint.username().is_empty() || endpoint.password().is_some() {
        return Err(BucketError::Endpoint);
    }
    let is_near = match endpoint.host() {
        Some(Host::Ipv4(address)) => address.is_loopback(),
        Some(Host::Ipv6(address)) => address.is_loopback(),
        Some(Host::Domain(name)) => name == "localhost",
        None => return Err(BucketError::Endpoint),
    };
    let is_allowed = is_near
        || set(AmazonS3ConfigKey::Client(ClientConfigKey::AllowHttp)).is_some_and(|set| set == "true");
    match endpoint.scheme() {
        "https" => Ok(false),
        "http" if is_allowed => Ok(true),
        "http" => Err(BucketError::Unencrypted),
        _ => Err(BucketError::Endpoint),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn opened(pairs: &[(&str, &str)]) -> Result<Arc<dyn ObjectStore>, BucketError> {
        let address = BucketAddress::parse("s3://shelf/assay").unwrap();
        open(&address, pairs.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())))
    }

    #[test]
    fn requests_go_out_in_the_clear_only_to_this_machine_or_where_it_is_allowed() {
        for endpoint in [
            "http://127.0.0.1:9000",
            "http://[::1]:9000",
            "http://localhost:9000",
            "https://s3.example.com",
            "",
        ] {
            opened(&[("AWS_ENDPOINT_URL", endpoint)]).unwrap();
        }
        for name in ["AWS_ENDPOINT_URL", "AWS_ENDPOINT_URL_S3", "AWS_ENDPOINT"] {
            let plain = (name, "http://s3.example.com");
            assert!(matches!(opened(&[plain]), Err(BucketError::Unencrypted)), "{name}");
            assert!(matches!(opened(&[plain, ("AWS_ALLOW_HTTP", "false")]), Err(BucketError::Unencrypted)));
            opened(&[plain, ("AWS_ALLOW_HTTP", "true")]).unwrap();
        }
        for endpoint in
            ["s3.example.com", "ftp://s3.example.com", "localhost:9000", "https://me:hunter2@s3.example.com"]
        {
            assert!(
                matches!(opened(&[("AWS_ENDPOINT_URL", endpoint)]), Err(BucketError::Endpoint)),
                "{endpoint}"
            );
        }
    }

    #[test]
    fn what_is_wrong_with_the_settings_is_told_without_secrets() {
        let half = opened(&[("AWS_SECRET_ACCESS_KEY", "hunter2")]).unwrap_err().to_string();
        assert!(!half.contains("hunter2"), "{half}");
        let roots = opened(&[("AWS_CA_BUNDLE", "/nowhere/at/all.pem")]).unwrap_err();
        assert!(matches!(roots, BucketError::RootsFile(_)));
        let keys = [("AWS_ACCESS_KEY_ID", "me"), ("AWS_SECRET_ACCESS_KEY", "hunter2")];
        let shown = format!("{:?}", opened(&keys).unwrap());
        assert!(!shown.contains("hunter2"), "{shown}");
    }
}
