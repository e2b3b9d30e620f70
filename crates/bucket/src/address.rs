//! Which bucket, and where in it: `s3://bucket/prefix`.

use crate::BucketError;
use object_store::path::Path;
use std::fmt;
use url::Url;

const SCHEME: &str = "s3";

/// A bucket, and the prefix that everything of ours is called by in it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BucketAddress {
    pub(crate) bucket: String,
    pub(crate) prefix: Path,
}

impl BucketAddress {
    /// Nothing but a bucket and a prefix: what else a URL can hold would be a secret in the wrong place, or ignored.
    pub fn parse(text: &str) -> Result<Self, BucketError> {
        let url = Url::parse(text).map_err(|_| BucketError::Address)?;
        let is_bare = url.username().is_empty()
            && url.password().is_none()
            && url.port().is_none()
            && url.query().is_none()
            && url.fragment().is_none();
        let bucket = url.host_str().filter(|bucket| !bucket.is_empty());
        let (true, true, Some(bucket)) = (url.scheme() == SCHEME, is_bare, bucket) else {
            return Err(BucketError::Address);
        };
        let prefix = Path::from_url_path(url.path()).map_err(|_| BucketError::Address)?;
        Ok(Self { bucket: bucket.to_owned(), prefix })
    }
}

impl fmt::Display for BucketAddress {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "{SCHEME}://{}/{}", self.bucket, self.prefix)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_bucket_is_read_with_and_without_a_prefix() {
        for (text, shown) in [
            ("s3://shelf", "s3://shelf/"),
            ("s3://shelf/", "s3://shelf/"),
            ("s3://shelf.of_ours/assay/index/", "s3://shelf.of_ours/assay/index"),
        ] {
            assert_eq!(BucketAddress::parse(text).unwrap().to_string(), shown);
        }
    }

    #[test]
    fn what_is_more_or_less_than_a_bucket_is_refused() {
        for text in [
            "shelf",
            "s3:shelf",
            "s3:///assay",
            "gs://shelf",
            "https://shelf.example.com/assay",
            "s3://key:secret@shelf/assay",
            "s3://shelf:9000/assay",
            "s3://shelf/assay?region=eu",
            "s3://shelf/assay#1",
        ] {
            assert!(matches!(BucketAddress::parse(text), Err(BucketError::Address)), "{text}");
        }
    }
}
