//! Where nodes leave snapshots of the index for each other, as the settings say: a folder or a bucket.

use crate::failure::Failure;
use assay_bucket::BucketAddress;
use assay_replica::Snapshots;
use std::fmt;
use std::path::PathBuf;

/// The value of `index.snapshots`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum SnapshotsPlace {
    Folder(PathBuf),
    Bucket(BucketAddress),
}

impl SnapshotsPlace {
    /// A URL is a bucket, anything else the path of a folder.
    pub fn parse(text: &str) -> Result<Self, String> {
        if !text.contains("://") {
            return Ok(Self::Folder(PathBuf::from(text)));
        }
        let reason = |_| "is neither a folder nor a bucket such as s3://bucket/prefix".to_owned();
        BucketAddress::parse(text).map(Self::Bucket).map_err(reason)
    }

    /// A folder is made if it is not there; a bucket is not asked yet.
    pub fn open(&self) -> Result<Snapshots, Failure> {
        match self {
            Self::Folder(folder) => Snapshots::in_folder(folder).map_err(|error| {
                let fix = "set index.snapshots to a folder that this program may write to, or leave it empty";
                Failure::new(format!("the folder of snapshots: {error}"), fix)
            }),
            Self::Bucket(address) => {
                let bucket = assay_bucket::open(address, crate::variables()).map_err(|error| {
                    let fix =
                        "set the AWS_… variables as docs/operations.md says, or leave index.snapshots empty";
                    Failure::new(format!("the bucket of snapshots: {error}"), fix)
                })?;
                Ok(Snapshots::in_bucket(bucket))
            }
        }
    }
}

impl fmt::Display for SnapshotsPlace {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Folder(folder) => write!(out, "{}", folder.display()),
            Self::Bucket(address) => write!(out, "{address}"),
        }
    }
}
