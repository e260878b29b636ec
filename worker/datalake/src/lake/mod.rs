//! The Parquet lake, in a folder or an S3-compatible bucket.
//!
//! | module | content |
//! |---|---|
//! | [`book_rows`] | the rows of the books in the files |
//! | [`bucket`] | the settings of a bucket |
//! | [`names`] | file names |
//! | [`sink`] | shipping a batch: its file, then its commit |
//! | [`compaction`] | compaction without duplicates |
//! | [`erasure`] | removing people |
//! | [`people`] | which files contain no given person |
//! | [`sweep`] | removing files that no version needs |
//! | [`unfinished`] | files that a killed worker was writing |

pub(crate) mod book_rows;
mod bucket;
pub(crate) mod compaction;
pub(crate) mod erasure;
pub(crate) mod names;
mod people;
mod sink;
pub(crate) mod sweep;
mod unfinished;

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path as FsPath, PathBuf};
use std::sync::Arc;
use std::time::SystemTime;

use futures_util::{FutureExt, StreamExt, TryStreamExt, stream};
use jiff::civil::Date;
use object_store::local::LocalFileSystem;
use object_store::path::Path;
use object_store::{ObjectStore, ObjectStoreExt, PutPayload};
use parquet::errors::ParquetError;
use parquet::file::metadata::ParquetMetaData;
use tokio::sync::OnceCell;
use touchline_disk::{Disk, NoSpace, Purpose};
use touchline_protocol::ambient::{SharedClock, SharedEntropy};
use uuid::Uuid;

use crate::delta::stats::Stats;
use crate::delta::{Add, DeltaError, DeltaLog};
use crate::lake::names::FileName;
use crate::options::{Limits, SinkConfig};
use crate::queue::folder;
use crate::rows::{self, RowsError};
use crate::schema;
use crate::table::Table;

/// Bytes read from the end of a file for its statistics. Most sketches fit.
const TAIL_BYTES: u64 = 32 * 1024;
/// Files that are read concurrently.
const READ_AT_ONCE: usize = 16;
/// Tag of an `add` with the workers that received the events in its file.
const NODES: &str = "nodes";
/// Tag of an `add` with the memory that the rows of its file take, in bytes.
const UNPACKED: &str = "unpacked";
/// A file without rows that has all columns, so that queries of the folder know them before there are rows.
const COLUMNS_FILE: [&str; 3] = ["_columns", "received_date=1970-01-01", "columns.parquet"];

#[derive(Clone)]
pub(crate) struct Lake {
    name: String,
    node: String,
    /// Identifies the worker. Its node name may not be unique.
    worker: String,
    prefix: Path,
    store: Arc<dyn ObjectStore>,
    clock: SharedClock,
    entropy: SharedEntropy,
    /// A local lake's folder, and the space on its disk.
    local: Option<(PathBuf, Disk)>,
    /// Moment of the start by the clock of a local lake's disk.
    started: Option<SystemTime>,
    logs: Arc<[TableLog; Table::COUNT]>,
}

struct TableLog {
    log: DeltaLog,
    /// Set once the table exists with all columns.
    created: OnceCell<()>,
}

/// A file in the lake, whether part of its table or not.
#[derive(Debug, Clone)]
pub(crate) struct LakeFile {
    /// Relative to the table's folder.
    pub(crate) path: String,
    pub(crate) size: u64,
    /// Write time by the store's clock, Unix milliseconds.
    pub(crate) written_ms: i64,
}

impl Lake {
    /// Opens the lake in `config`; `None` if the sink is not a lake. `node` is the worker's configured name and
    /// `worker` its unique one.
    pub(crate) fn open(
        config: &SinkConfig,
        (node, worker): (&str, &str),
        limits: &Limits,
        clock: &SharedClock,
        entropy: &SharedEntropy,
    ) -> Result<Option<Self>, String> {
        let (mut local_disk, mut started) = (None, None);
        let (store, prefix): (Arc<dyn ObjectStore>, _) = match config {
            SinkConfig::Http(_) => return Ok(None),
            SinkConfig::LakeFolder(folder) => {
                let store = local(folder)?;
                started = unfinished::moment_of(folder).ok();
                local_disk = Some((folder.clone(), limits.disk.clone()));
                (Arc::new(store), Path::default())
            }
            SinkConfig::LakeBucket { bucket, prefix } => {
                let store = bucket::open(bucket, limits.sink_timeout).map_err(|why| format!("{config}: {why}"))?;
                (Arc::new(store), Path::from(prefix.as_str()))
            }
        };
        let logs = Table::ALL.map(|table| {
            let root = prefix.clone().join(table.name());
            let log = DeltaLog::new(Arc::clone(&store), table, root, clock.clone(), entropy.clone());
            TableLog { log, created: OnceCell::new() }
        });
        Ok(Some(Self {
            name: config.to_string(),
            node: node.to_owned(),
            worker: worker.to_owned(),
            prefix,
            store,
            clock: clock.clone(),
            entropy: entropy.clone(),
            local: local_disk,
            started,
            logs: Arc::new(logs),
        }))
    }

    /// Removes files of a local lake that nobody finishes, such as those that this worker was writing when it was killed.
    /// This walks through the whole lake.
    pub(crate) async fn remove_leftovers(&self) {
        let Some((started, (folder, _))) = self.started.zip(self.local.as_ref()) else { return };
        let (folder, node, now_ms) = (folder.clone(), self.node.clone(), self.clock.now_ms());
        let removal =
            tokio::task::spawn_blocking(move || unfinished::remove_leftovers(&folder, &node, started, now_ms));
        if let Err(error) = removal.await {
            tracing::error!(%error, "could not remove unfinished files of the lake");
        }
    }

    /// The log of a table, which is created if it is missing.
    ///
    /// # Errors
    /// If the lake cannot be reached.
    pub(crate) async fn log(&self, table: Table) -> Result<&DeltaLog, DeltaError> {
        let TableLog { log, created } = &self.logs[table.index()];
        created.get_or_try_init(|| self.create(table, log)).await?;
        Ok(log)
    }

    async fn create(&self, table: Table, log: &DeltaLog) -> Result<(), DeltaError> {
        let columns = rows::to_parquet(table, [])?.bytes;
        log.create_if_missing(|| self.legacy_files(table).boxed()).await?;
        let path = COLUMNS_FILE.into_iter().fold(self.root(table), Path::join);
        let is_there = self.store.head(&path).await.is_ok_and(|file| file.size == columns.len() as u64);
        if !is_there {
            self.store.put(&path, columns.into()).await?;
        }
        Ok(())
    }

    /// The files of an earlier build, which had no log, without those that another file covers.
    async fn legacy_files(&self, table: Table) -> Result<Vec<Add>, DeltaError> {
        let named = |file: LakeFile| {
            let (day, name) = file.path.split_once('/')?;
            let date: Date = day.strip_prefix("received_date=")?.parse().ok()?;
            Some((date, FileName::parse(name)?, file))
        };
        let files: Vec<_> = self.files(table).await?.into_iter().filter_map(named).collect();
        let covered = |date: Date, name: &FileName| {
            files.iter().any(|(other_date, other, _)| *other_date == date && other.covers(name))
        };
        let whole: Vec<_> = files.iter().filter(|(date, name, _)| !covered(*date, name)).cloned().collect();
        stream::iter(whole)
            .map(|(date, name, file)| {
                let lake = self.clone();
                async move {
                    let footer = lake.footer(table, &file).await?;
                    let stats = footer.as_ref().map(Stats::of).unwrap_or_default();
                    let unpacked = footer.as_ref().map_or(0, rows::unpacked_bytes);
                    Ok(lake.add_of(date, file.path, (file.size, unpacked), &stats, &[name.node.as_str()].into()))
                }
            })
            .buffered(READ_AT_ONCE)
            .try_collect()
            .await
    }

    fn root(&self, table: Table) -> Path {
        self.prefix.clone().join(table.name())
    }

    fn location(&self, table: Table, path: &str) -> Path {
        // Our own paths need no encoding, but another program's may.
        let below = Path::from_url_path(path).unwrap_or_else(|_| Path::from(path));
        self.root(table).parts().chain(below.parts()).collect()
    }

    fn fresh_id(&self) -> String {
        let mut bytes = [0; 16];
        self.entropy.fill(&mut bytes);
        Uuid::from_bytes(bytes).simple().to_string()
    }

    /// The `add` action of a new file.
    fn add(&self, date: Date, path: String, file: &rows::File, nodes: &BTreeSet<&str>) -> Add {
        self.add_of(date, path, (file.bytes.len() as u64, file.unpacked), &file.stats, nodes)
    }

    /// The `add` action of a file with a size, packed and unpacked.
    fn add_of(
        &self,
        date: Date,
        path: String,
        (size, unpacked): (u64, u64),
        stats: &Stats,
        nodes: &BTreeSet<&str>,
    ) -> Add {
        let nodes = nodes.iter().copied().collect::<Vec<_>>().join(",");
        let tags = [(NODES, nodes), (UNPACKED, unpacked.to_string())];
        Add {
            path,
            partition_values: BTreeMap::from([(schema::PARTITION.to_owned(), Some(date.to_string()))]),
            size: i64::try_from(size).unwrap_or(i64::MAX),
            modification_time: self.clock.now_ms(),
            data_change: true,
            stats: stats.text(),
            tags: Some(tags.into_iter().map(|(name, value)| (name.to_owned(), Some(value))).collect()),
        }
    }

    /// Whether there is space for so many bytes. A bucket has no limit.
    pub(crate) fn admit(&self, bytes: usize) -> Result<(), NoSpace> {
        self.local.as_ref().map_or(Ok(()), |(folder, disk)| disk.admit(Purpose::Lake, folder, bytes as u64))
    }

    /// Writes a file, replacing an identical one. That makes the file young again, so that no sweep removes it.
    async fn put(&self, table: Table, path: &str, file: PutPayload) -> object_store::Result<()> {
        self.store.put(&self.location(table, path), file).await.map(drop)
    }

    async fn read(&self, table: Table, path: &str) -> object_store::Result<bytes::Bytes> {
        self.store.get(&self.location(table, path)).await?.bytes().await
    }

    /// Reads files, in order.
    async fn read_all(&self, table: Table, paths: Vec<String>) -> object_store::Result<Vec<bytes::Bytes>> {
        let read = |path: String| {
            let lake = self.clone();
            async move { lake.read(table, &path).await }
        };
        stream::iter(paths).map(read).buffered(READ_AT_ONCE).try_collect().await
    }

    /// The folder of a table in a local lake.
    fn folder(&self, table: Table) -> Option<PathBuf> {
        self.local.as_ref().map(|(folder, _)| folder.join(table.name()))
    }

    async fn remove(&self, table: Table, path: &str) -> object_store::Result<()> {
        match self.store.delete(&self.location(table, path)).await {
            Ok(()) | Err(object_store::Error::NotFound { .. }) => Ok(()),
            Err(e) => Err(e),
        }
    }

    /// A file's footer; `None` if the file is not valid Parquet.
    async fn footer(&self, table: Table, file: &LakeFile) -> object_store::Result<Option<ParquetMetaData>> {
        let mut wanted = TAIL_BYTES;
        let location = self.location(table, &file.path);
        // The first read says how many bytes the second one needs.
        for _ in 0..2 {
            let tail = self.store.get_range(&location, file.size.saturating_sub(wanted)..file.size).await?;
            match rows::footer(&tail, file.size) {
                Ok(footer) => return Ok(Some(footer)),
                Err(ParquetError::NeedMoreData(more)) => wanted = more as u64,
                Err(_) => break,
            }
        }
        Ok(None)
    }

    /// The Parquet files in a table's partitions, whether part of the table or not.
    async fn files(&self, table: Table) -> object_store::Result<Vec<LakeFile>> {
        let root = self.root(table);
        let listed: Vec<_> = self.store.list(Some(&root)).try_collect().await?;
        let files = listed.into_iter().filter_map(|object| {
            let below: Path = object.location.prefix_match(&root)?.collect();
            let path = below.to_string();
            let is_row_file = path.starts_with("received_date=") && path.ends_with(".parquet");
            let written_ms = object.last_modified.timestamp_millis();
            is_row_file.then_some(LakeFile { path, size: object.size, written_ms })
        });
        Ok(files.collect())
    }
}

impl From<RowsError> for DeltaError {
    fn from(error: RowsError) -> Self {
        Self::Unreadable(error.to_string())
    }
}

/// Opens a folder whose files and entries are synced before a batch counts as shipped.
fn local(folder: &FsPath) -> Result<LocalFileSystem, String> {
    folder::make(folder).map_err(|e| format!("lake:{}: {e}", folder.display()))?;
    let store = LocalFileSystem::new_with_prefix(folder).map_err(|e| format!("lake:{}: {e}", folder.display()))?;
    Ok(store.with_fsync(true))
}
