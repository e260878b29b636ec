//! The Parquet lake, in a folder or an S3-compatible bucket.
//!
//! A file's name says what is in it, it is written whole, and only if it is not there yet: a batch that is shipped
//! twice is there once.

use std::path::{Path as FsPath, PathBuf};
use std::sync::Arc;

use async_trait::async_trait;
use futures_util::TryStreamExt;
use jiff::civil::Date;
use object_store::aws::{AmazonS3Builder, AmazonS3ConfigKey};
use object_store::local::LocalFileSystem;
use object_store::path::Path;
use object_store::{ClientConfigKey, ObjectStore, ObjectStoreExt, PutMode, PutPayload};
use parquet::errors::ParquetError;
use touchline_disk::{Disk, NoSpace, Purpose};

use super::{Batch, Progress, Sink, Unavailable};
use crate::dead_letters::DeadReason;
use crate::event::QueuedEvent;
use crate::options::{Limits, SinkConfig};
use crate::queue::folder;
use crate::queue::state::OpenBatch;
use crate::rows::{self, Rows, RowsError};
use crate::table::Table;

/// The end of a file that is read for its statistics, bytes: most sketches fit.
const TAIL_BYTES: u64 = 32 * 1024;

/// A lake.
#[derive(Clone)]
pub(crate) struct Lake {
    name: String,
    node: String,
    prefix: Path,
    store: Arc<dyn ObjectStore>,
    /// The folder, of one that is on this machine, and the space that there is.
    local: Option<(PathBuf, Disk)>,
}

/// The name of a file, read: what one worker shipped, from one offset to another.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct FileName {
    pub(crate) node: String,
    pub(crate) epoch: String,
    pub(crate) first: u64,
    pub(crate) last: u64,
}

impl FileName {
    /// Offsets are padded, so that files of one epoch list in their order.
    pub(crate) fn text(&self) -> String {
        format!("{}-{}-{:012}-{:012}.parquet", self.node, self.epoch, self.first, self.last)
    }

    /// Reads a name; a node's name has no `-`.
    pub(crate) fn parse(text: &str) -> Option<Self> {
        let mut parts = text.strip_suffix(".parquet")?.split('-');
        let name = Self {
            node: parts.next()?.to_owned(),
            epoch: parts.next()?.to_owned(),
            first: parts.next()?.parse().ok()?,
            last: parts.next()?.parse().ok()?,
        };
        (parts.next().is_none() && name.first <= name.last).then_some(name)
    }

    /// Whether `next` is of the same worker and queue.
    pub(crate) fn continues_in(&self, next: &Self) -> bool {
        (&self.node, &self.epoch) == (&next.node, &next.epoch)
    }

    /// Whether everything of `part` is in this one too.
    pub(crate) fn covers(&self, part: &Self) -> bool {
        self != part && self.continues_in(part) && self.first <= part.first && part.last <= self.last
    }
}

/// A file of the lake.
#[derive(Debug, Clone)]
pub(crate) struct LakeFile {
    pub(crate) name: FileName,
    pub(crate) path: Path,
    pub(crate) size: u64,
    /// When it was written, by the store's clock, Unix milliseconds.
    pub(crate) written_ms: i64,
}

impl Lake {
    /// Opens the lake that `config` names; none for a sink that is no lake.
    pub(crate) fn open(config: &SinkConfig, node: &str, limits: &Limits) -> Result<Option<Self>, String> {
        let mut on_disk = None;
        let (store, prefix): (Arc<dyn ObjectStore>, _) = match config {
            SinkConfig::Http(_) => return Ok(None),
            SinkConfig::LakeFolder(folder) => {
                let store = local(folder)?;
                remove_unfinished(folder, node);
                on_disk = Some((folder.clone(), limits.disk.clone()));
                (Arc::new(store), Path::default())
            }
            SinkConfig::LakeBucket { bucket, prefix } => {
                let seconds = format!("{}s", limits.sink_timeout.as_secs().max(1));
                let store = AmazonS3Builder::from_env()
                    .with_bucket_name(bucket)
                    // Not whole client options: they would undo what the variables say of them.
                    .with_config(AmazonS3ConfigKey::Client(ClientConfigKey::Timeout), seconds)
                    .build()
                    .map_err(|e| format!("{config}: {e}"))?;
                (Arc::new(store), Path::from(prefix.as_str()))
            }
        };
        Ok(Some(Self { name: config.to_string(), node: node.to_owned(), prefix, store, local: on_disk }))
    }

    pub(crate) fn node(&self) -> &str {
        &self.node
    }

    fn table(&self, table: Table) -> Path {
        self.prefix.clone().join(table.name())
    }

    fn day(&self, table: Table, date: Date) -> Path {
        self.table(table).join(format!("received_date={date}"))
    }

    /// Where a file of that day and name is.
    pub(crate) fn path(&self, table: Table, date: Date, name: &FileName) -> Path {
        self.day(table, date).join(name.text())
    }

    /// Whether there is space for so many bytes; a bucket has all there is.
    pub(crate) fn admit(&self, bytes: usize) -> Result<(), NoSpace> {
        self.local.as_ref().map_or(Ok(()), |(folder, disk)| disk.admit(Purpose::Lake, folder, bytes as u64))
    }

    /// Writes a file unless it is there.
    pub(crate) async fn put_if_absent(&self, path: &Path, file: PutPayload) -> object_store::Result<()> {
        match self.store.put_opts(path, file, PutMode::Create.into()).await {
            Ok(_) | Err(object_store::Error::AlreadyExists { .. }) => Ok(()),
            Err(e) => Err(e),
        }
    }

    /// Writes a file whatever is there. Erasure alone does that.
    pub(crate) async fn replace(&self, path: &Path, file: PutPayload) -> object_store::Result<()> {
        self.store.put(path, file).await.map(drop)
    }

    pub(crate) async fn read(&self, path: &Path) -> object_store::Result<bytes::Bytes> {
        self.store.get(path).await?.bytes().await
    }

    /// What a file says of the people in it; nothing for one of an earlier build.
    pub(crate) async fn sketch(&self, file: &LakeFile) -> object_store::Result<Option<String>> {
        let mut wanted = TAIL_BYTES;
        // The first read says how much the second one needs.
        for _ in 0..2 {
            let tail = self.store.get_range(&file.path, file.size.saturating_sub(wanted)..file.size).await?;
            match rows::sketch_of(tail, file.size) {
                Ok(sketch) => return Ok(sketch),
                Err(ParquetError::NeedMoreData(more)) => wanted = more as u64,
                Err(_) => break,
            }
        }
        Ok(None)
    }

    pub(crate) async fn remove(&self, path: &Path) -> object_store::Result<()> {
        match self.store.delete(path).await {
            Ok(()) | Err(object_store::Error::NotFound { .. }) => Ok(()),
            Err(e) => Err(e),
        }
    }

    /// The days that a table has files of, ascending.
    pub(crate) async fn days(&self, table: Table) -> object_store::Result<Vec<Date>> {
        let listed = self.store.list_with_delimiter(Some(&self.table(table))).await?;
        let mut days: Vec<Date> = listed
            .common_prefixes
            .iter()
            .filter_map(|path| path.filename()?.strip_prefix("received_date=")?.parse().ok())
            .collect();
        days.sort();
        Ok(days)
    }

    /// The files of a day, by name. What is no file of a lake is left out.
    pub(crate) async fn files(&self, table: Table, date: Date) -> object_store::Result<Vec<LakeFile>> {
        let listed: Vec<_> = self.store.list(Some(&self.day(table, date))).try_collect().await?;
        let mut files: Vec<_> = listed
            .into_iter()
            .filter_map(|object| {
                let name = FileName::parse(object.location.filename()?)?;
                let written_ms = object.last_modified.timestamp_millis();
                Some(LakeFile { name, path: object.location, size: object.size, written_ms })
            })
            .collect();
        files.sort_by(|a, b| a.name.cmp(&b.name));
        Ok(files)
    }
}

/// A batch as a file; none when it has no row.
struct Written {
    file: Option<bytes::Bytes>,
    /// Which of the batch's events are no rows, and why.
    unreadable: Vec<(usize, String)>,
}

fn file_of(table: Table, events: &[(u64, QueuedEvent)]) -> Result<Written, RowsError> {
    let mut rows = Rows::new(table);
    let mut unreadable = Vec::new();
    for (place, (_, event)) in events.iter().enumerate() {
        if let Err(why) = rows.push(event) {
            unreadable.push((place, why.to_string()));
        }
    }
    let file = if unreadable.len() < events.len() { Some(rows::to_parquet(table, &[rows.finish()?])?) } else { None };
    Ok(Written { file, unreadable })
}

/// A folder whose files and entries are synced before a batch counts as shipped.
fn local(folder: &FsPath) -> Result<LocalFileSystem, String> {
    folder::make(folder).map_err(|e| format!("lake:{}: {e}", folder.display()))?;
    let store = LocalFileSystem::new_with_prefix(folder).map_err(|e| format!("lake:{}: {e}", folder.display()))?;
    Ok(store.with_fsync(true))
}

/// Removes what this worker was writing when it was killed: object_store writes a file under its name and `#` with a
/// number before it gets its name. Best effort: such a file takes room and is in nobody's way.
fn remove_unfinished(folder: &FsPath, node: &str) {
    let below = |folder: &FsPath| std::fs::read_dir(folder).into_iter().flatten().flatten().map(|entry| entry.path());
    for path in Table::ALL.iter().flat_map(|table| below(&folder.join(table.name()))).flat_map(|day| below(&day)) {
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        let own =
            name.split_once('#').and_then(|(name, _)| FileName::parse(name)).is_some_and(|name| name.node == node);
        if own && let Err(error) = std::fs::remove_file(&path) {
            tracing::warn!(path = %path.display(), %error, "an unfinished file of the lake could not be removed");
        }
    }
}

#[async_trait]
impl Sink for Lake {
    fn name(&self) -> &str {
        &self.name
    }

    async fn ship(&self, batch: &Batch<'_>, progress: &mut Progress) -> Result<(), Unavailable> {
        let (table, events) = (batch.table, Arc::clone(&batch.events));
        // Reading thousands of bodies would hold up the requests that share this thread.
        let written = tokio::task::spawn_blocking(move || file_of(table, &events))
            .await
            .map_err(|e| Unavailable::because(e.to_string()))?
            .map_err(|e| Unavailable::because(e.to_string()))?;
        for (place, why) in written.unreadable {
            progress.refuse(batch.events[place].0, DeadReason::Unreadable, why);
        }
        let Some(file) = written.file else { return Ok(()) };
        self.admit(file.len()).map_err(|e| Unavailable { no_space: true, ..Unavailable::because(e.to_string()) })?;
        let OpenBatch { epoch, date, first, last, .. } = batch.bounds;
        let name = FileName { node: self.node.clone(), epoch: epoch.clone(), first: *first, last: *last };
        self.put_if_absent(&self.path(table, *date, &name), file.into())
            .await
            .map_err(|e| Unavailable::because(e.to_string()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn name(text: &str) -> FileName {
        FileName::parse(text).unwrap()
    }

    #[test]
    fn a_files_name_is_read_back_and_others_are_no_files_of_a_lake() {
        let file = FileName { node: "n1".into(), epoch: "019aa5c3f2b1c0de".into(), first: 0, last: 41 };
        assert_eq!(name(&file.text()), file);
        for other in ["x.parquet", "n-e-5-4.parquet", "n-e-1-2-3.parquet", "n-e-1-2.parquet#1", "n-e-1-x.parquet"] {
            assert_eq!(FileName::parse(other), None, "{other}");
        }
    }

    #[test]
    fn a_joined_file_covers_its_parts_and_not_itself_or_anothers() {
        let joined = name("n-e-0-9.parquet");
        assert!(joined.covers(&name("n-e-0-4.parquet")) && joined.covers(&name("n-e-5-9.parquet")));
        for other in ["n-e-0-9.parquet", "m-e-0-4.parquet", "n-f-0-4.parquet", "n-e-5-10.parquet"] {
            assert!(!joined.covers(&name(other)), "{other}");
        }
    }

    #[test]
    fn what_a_killed_worker_left_half_written_goes_when_it_is_back_and_anothers_stays() {
        let folder = tempfile::tempdir().unwrap();
        let day = folder.path().join("event/received_date=2026-11-21");
        std::fs::create_dir_all(&day).unwrap();
        let others = ["n1-e-0-9.parquet", "n2-e-0-9.parquet#1", "notes#1"];
        for name in others.into_iter().chain(["n1-e-10-19.parquet#1", "n1-e-0-19.parquet#23"]) {
            std::fs::write(day.join(name), "x").unwrap();
        }
        let lake = SinkConfig::LakeFolder(folder.path().to_owned());
        assert!(Lake::open(&lake, "n1", &Limits::default()).unwrap().is_some());
        let mut left: Vec<_> = std::fs::read_dir(&day).unwrap().map(|entry| entry.unwrap().file_name()).collect();
        left.sort();
        assert_eq!(left, others);
    }
}
