//! Media and clips in an S3-compatible bucket, in addition to the folder.
//!
//! `media/CHANNEL/…` in the bucket corresponds to `CHANNEL/media/…` in the channel folders. `clips/CHANNEL/UUID/…`
//! holds the clips. A file in the folder takes precedence. Keys, region and endpoint come from the `AWS_*` variables.

use std::collections::{HashMap, HashSet};
use std::fmt;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::io;
use std::str::FromStr;
use std::sync::Arc;
use std::sync::mpsc;
use std::time::Duration;

use bytes::Bytes;
use futures_util::TryStreamExt;
use object_store::aws::{AmazonS3Builder, AmazonS3ConfigKey};
use object_store::path::Path;
use object_store::{ClientConfigKey, ObjectStore, ObjectStoreExt, PutPayload};
use parking_lot::{Mutex, RwLock};
use tokio::runtime::Runtime;
use tokio::time::Instant;

use crate::source::{ChannelSource, FileVersion, OpenFile, SourceFile};

const REQUEST_TIMEOUT: &str = "20s";
const LIST_INTERVAL: Duration = Duration::from_secs(5);

/// A bucket and a prefix for its object names: `s3://BUCKET/PREFIX`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BucketAddress {
    bucket: String,
    prefix: String,
}

impl FromStr for BucketAddress {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let location = text.strip_prefix("s3://").ok_or("must be s3://BUCKET/PREFIX")?;
        let (bucket, prefix) = location.split_once('/').unwrap_or((location, ""));
        if bucket.is_empty() {
            return Err("s3:// needs a bucket".to_owned());
        }
        Ok(Self { bucket: bucket.to_owned(), prefix: prefix.trim_matches('/').to_owned() })
    }
}

impl fmt::Display for BucketAddress {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "s3://{}/{}", self.bucket, self.prefix)
    }
}

/// A bucket; cheap to clone.
#[derive(Clone)]
pub struct Bucket {
    address: BucketAddress,
    store: Arc<dyn ObjectStore>,
    /// Runs the requests, so that synchronous callers can wait for them on any thread.
    runtime: &'static Runtime,
}

impl fmt::Debug for Bucket {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "Bucket({})", self.address)
    }
}

impl Bucket {
    /// Opens a bucket for the lifetime of the process. Sends no request yet.
    ///
    /// # Errors
    /// Fails when `AWS_*` variables are missing or unusable.
    pub fn open(address: &BucketAddress) -> io::Result<Self> {
        let store = AmazonS3Builder::from_env()
            .with_bucket_name(&address.bucket)
            .with_config(AmazonS3ConfigKey::Client(ClientConfigKey::Timeout), REQUEST_TIMEOUT)
            .build()
            .map_err(|error| io::Error::other(format!("{address}: {error}")))?;
        let runtime =
            tokio::runtime::Builder::new_multi_thread().worker_threads(1).thread_name("bucket").enable_all().build()?;
        Ok(Self { address: address.clone(), store: Arc::new(store), runtime: Box::leak(Box::new(runtime)) })
    }

    fn path(&self, name: &str) -> Path {
        if self.address.prefix.is_empty() {
            Path::from(name)
        } else {
            Path::from(format!("{}/{name}", self.address.prefix))
        }
    }

    /// Waits for a request. Call it only from a thread that may block.
    fn wait<T: Send + 'static>(
        &self,
        request: impl Future<Output = object_store::Result<T>> + Send + 'static,
    ) -> io::Result<T> {
        let (send, answer) = mpsc::sync_channel(1);
        self.runtime.spawn(async move {
            // The receiver may have been dropped.
            let _ = send.send(request.await);
        });
        let answer = answer.recv().map_err(|_| io::Error::other("the bucket's request task has stopped"))?;
        answer.map_err(|error| match error {
            object_store::Error::NotFound { .. } => io::ErrorKind::NotFound.into(),
            error => io::Error::other(error),
        })
    }

    /// Lists the files under a prefix, with paths relative to it.
    pub(crate) fn list(&self, below: &str) -> io::Result<Vec<SourceFile>> {
        let (store, path) = (Arc::clone(&self.store), self.path(below));
        let listed = self.wait({
            let path = path.clone();
            async move { store.list(Some(&path)).try_collect::<Vec<_>>().await }
        })?;
        let file = |object: object_store::ObjectMeta| {
            let rest = object.location.as_ref().strip_prefix(path.as_ref())?.trim_start_matches('/').to_owned();
            let stamp = hash_of(&(object.e_tag, object.last_modified.timestamp_millis()));
            Some(SourceFile { path: rest, len: object.size, stamp })
        };
        Ok(listed.into_iter().filter_map(file).collect())
    }

    pub(crate) fn get(&self, name: &str) -> io::Result<Bytes> {
        let (store, path) = (Arc::clone(&self.store), self.path(name));
        self.wait(async move { store.get(&path).await?.bytes().await })
    }

    fn get_part(&self, name: &str, offset: u64, len: u64) -> io::Result<Bytes> {
        let (store, path) = (Arc::clone(&self.store), self.path(name));
        self.wait(async move { store.get_range(&path, offset..offset + len).await })
    }

    pub(crate) fn put(&self, name: &str, bytes: Vec<u8>) -> io::Result<()> {
        let (store, path) = (Arc::clone(&self.store), self.path(name));
        self.wait(async move { store.put(&path, PutPayload::from(bytes)).await }).map(drop)
    }

    /// Removes a file. A missing file is not an error.
    pub(crate) fn remove(&self, name: &str) -> io::Result<()> {
        let (store, path) = (Arc::clone(&self.store), self.path(name));
        match self.wait(async move { store.delete(&path).await }) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => Err(error),
            _ => Ok(()),
        }
    }
}

fn hash_of(value: &impl Hash) -> u64 {
    let mut hasher = DefaultHasher::new();
    value.hash(&mut hasher);
    hasher.finish()
}

/// An object as it was listed.
#[derive(Debug, Clone)]
struct Object {
    bucket: Bucket,
    name: String,
    version: FileVersion,
}

impl OpenFile for Object {
    fn version(&self) -> io::Result<Option<FileVersion>> {
        Ok(Some(self.version))
    }

    fn read_at(&self, offset: u64, len: u64) -> io::Result<Bytes> {
        let len = len.min(self.version.len.saturating_sub(offset));
        if len == 0 { Ok(Bytes::new()) } else { self.bucket.get_part(&self.name, offset, len) }
    }
}

/// Channel folders whose media may also be in a bucket.
#[derive(Debug)]
pub struct WithBucket {
    folder: Arc<dyn ChannelSource>,
    bucket: Bucket,
    listed: Mutex<Option<(Instant, Arc<Vec<SourceFile>>)>>,
    /// Files that are read from the bucket.
    in_bucket: RwLock<HashMap<String, Object>>,
}

impl WithBucket {
    /// Files come from `folder` first, then from the bucket.
    pub fn new(folder: Arc<dyn ChannelSource>, bucket: Bucket) -> Self {
        Self { folder, bucket, listed: Mutex::default(), in_bucket: RwLock::default() }
    }

    fn listed(&self) -> io::Result<Arc<Vec<SourceFile>>> {
        let mut listed = self.listed.lock();
        if let Some((at, files)) = &*listed
            && at.elapsed() < LIST_INTERVAL
        {
            return Ok(Arc::clone(files));
        }
        let files = Arc::new(self.bucket.list("media")?);
        *listed = Some((Instant::now(), Arc::clone(&files)));
        Ok(files)
    }

    fn object(&self, path: &str) -> Option<Object> {
        self.in_bucket.read().get(path).cloned()
    }
}

impl ChannelSource for WithBucket {
    fn files(&self) -> io::Result<Vec<SourceFile>> {
        let mut files = Vec::new();
        for folder in self.folders()? {
            files.extend(self.files_of(&folder)?);
        }
        Ok(files)
    }

    fn folders(&self) -> io::Result<Vec<String>> {
        self.folder.folders()
    }

    fn files_of(&self, folder: &str) -> io::Result<Vec<SourceFile>> {
        let mut files = self.folder.files_of(folder)?;
        let in_folder: HashSet<String> = files.iter().map(|file| file.path.clone()).collect();
        let mut in_bucket = HashMap::new();
        for file in self.listed()?.iter() {
            let Some((channel, rest)) = file.path.split_once('/').filter(|(channel, _)| *channel == folder) else {
                continue;
            };
            let path = format!("{channel}/media/{rest}");
            if !in_folder.contains(&path) {
                let name = format!("media/{}", file.path);
                // No device has this number.
                let number = (u64::MAX, hash_of(&name));
                let version = FileVersion { file: number, stamp: file.stamp, len: file.len };
                in_bucket.insert(path.clone(), Object { bucket: self.bucket.clone(), name, version });
                files.push(SourceFile { path, ..*file });
            }
        }
        files.sort_unstable_by(|a, b| a.path.cmp(&b.path));
        let mut all = self.in_bucket.write();
        all.retain(|path, _| path.split_once('/').is_none_or(|(channel, _)| channel != folder));
        all.extend(in_bucket);
        Ok(files)
    }

    fn read(&self, path: &str) -> io::Result<Bytes> {
        match self.object(path) {
            Some(object) => self.bucket.get(&object.name),
            None => self.folder.read(path),
        }
    }

    fn open_file(&self, path: &str) -> io::Result<Box<dyn OpenFile>> {
        match self.object(path) {
            Some(object) => Ok(Box::new(object)),
            None => self.folder.open_file(path),
        }
    }

    fn version(&self, path: &str) -> io::Result<Option<FileVersion>> {
        match self.object(path) {
            Some(object) => object.version(),
            None => self.folder.version(path),
        }
    }

    fn skipped(&self) -> io::Result<Vec<String>> {
        self.folder.skipped()
    }
}
