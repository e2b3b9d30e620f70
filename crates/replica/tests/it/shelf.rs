//! Where the snapshots of a test are kept: in a folder, or in a bucket whose objects lie in a folder of its server.

use crate::s3_server::{KEY_ID, S3Server, SECRET};
use crate::setting::Setting;
use assay_bucket::BucketAddress;
use assay_replica::{Replica, Snapshots};
use std::path::{Path, PathBuf};

const BUCKET: &str = "shelf";
const PREFIX: &str = "of/assay";

pub struct Shelf {
    pub snapshots: Snapshots,
    /// The files as they lie on the disk.
    pub folder: PathBuf,
    pub server: Option<S3Server>,
}

impl Shelf {
    pub fn in_folder(setting: &Setting) -> Self {
        let folder = setting.folder.join("snapshots");
        Self { snapshots: Snapshots::in_folder(&folder).unwrap(), folder, server: None }
    }

    pub async fn in_bucket(setting: &Setting) -> Self {
        let root = setting.folder.join("buckets");
        let folder = root.join(BUCKET).join(PREFIX);
        std::fs::create_dir_all(&folder).unwrap();
        let server = S3Server::start(&root).await;
        Self { snapshots: bucket(&server.endpoint(), SECRET), folder, server: Some(server) }
    }

    pub fn node(&self, setting: &Setting, name: &str) -> Replica {
        node(setting, name, &self.snapshots)
    }

    /// Folders on the shelf, the oldest first. A bucket has none, but its server may keep one that is empty.
    pub fn folders(&self) -> Vec<PathBuf> {
        folders(&self.folder).into_iter().filter(|folder| !files(folder).is_empty()).collect()
    }
}

pub fn node(setting: &Setting, name: &str, snapshots: &Snapshots) -> Replica {
    let opened = Replica::open(setting.graph.clone(), &setting.folder.join(name), 2).unwrap();
    opened.with_snapshots(Some(snapshots.clone()))
}

/// The bucket of the tests, as somebody sees it who has this secret.
pub fn bucket(endpoint: &str, secret: &str) -> Snapshots {
    bucket_with(endpoint, secret, &[])
}

/// The same with more variables.
pub fn bucket_with(endpoint: &str, secret: &str, more: &[(&str, &str)]) -> Snapshots {
    let variables =
        [("AWS_ENDPOINT_URL", endpoint), ("AWS_ACCESS_KEY_ID", KEY_ID), ("AWS_SECRET_ACCESS_KEY", secret)];
    let variables =
        variables.iter().chain(more).map(|(name, value)| ((*name).to_owned(), (*value).to_owned()));
    let address = BucketAddress::parse(&format!("s3://{BUCKET}/{PREFIX}")).unwrap();
    Snapshots::in_bucket(assay_bucket::open(&address, variables).unwrap())
}

pub fn folders(at: &Path) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(at).unwrap().map(|entry| entry.unwrap().path());
    let mut paths: Vec<PathBuf> = entries.filter(|path| path.is_dir()).collect();
    paths.sort();
    paths
}

/// All files below a folder.
pub fn files(at: &Path) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(at).unwrap().map(|entry| entry.unwrap().path());
    let (below, mut found): (Vec<PathBuf>, Vec<PathBuf>) = entries.partition(|path| path.is_dir());
    found.extend(below.iter().flat_map(|folder| files(folder)));
    found
}
