//! The files of a table's log: their names, the newest checkpoint, and which are needed.

use std::sync::Arc;

use futures_util::TryStreamExt;
use object_store::path::Path;
use object_store::{ObjectStore, ObjectStoreExt};
use serde::{Deserialize, Serialize};

use super::checkpoint;
use super::error::DeltaError;
use super::snapshot::{KEPT_MS, Snapshot};

/// Older checkpoints are kept one a day, milliseconds.
const DAY_MS: i64 = 24 * 60 * 60 * 1000;

#[derive(Debug, Serialize, Deserialize)]
struct LastCheckpoint {
    version: u64,
    /// How many lines it has.
    size: u64,
}

/// The name of a commit or checkpoint, read.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Name {
    Commit(u64),
    Checkpoint(u64),
}

impl Name {
    fn parse(text: &str) -> Option<Self> {
        let version = |digits: &str| (digits.len() == 20).then(|| digits.parse().ok()).flatten();
        if let Some(digits) = text.strip_suffix(".checkpoint.parquet") {
            return version(digits).map(Self::Checkpoint);
        }
        text.strip_suffix(".json").and_then(version).map(Self::Commit)
    }
}

/// The files of one table's log.
pub(super) struct LogFiles {
    pub(super) store: Arc<dyn ObjectStore>,
    folder: Path,
}

impl LogFiles {
    /// Of the table in the folder `root`.
    pub(super) fn new(store: Arc<dyn ObjectStore>, root: &Path) -> Self {
        Self { store, folder: root.clone().join("_delta_log") }
    }

    pub(super) fn path(&self, name: Name) -> Path {
        self.folder.clone().join(match name {
            Name::Commit(version) => format!("{version:020}.json"),
            Name::Checkpoint(version) => format!("{version:020}.checkpoint.parquet"),
        })
    }

    /// The log's files from the newest checkpoint that is known of on, and when each was written, Unix milliseconds.
    pub(super) async fn names(&self) -> Result<Vec<(Name, i64)>, DeltaError> {
        let from = match self.store.get(&self.folder.clone().join("_last_checkpoint")).await {
            Ok(found) => serde_json::from_slice::<LastCheckpoint>(&found.bytes().await?).ok().map(|last| last.version),
            Err(object_store::Error::NotFound { .. }) => None,
            Err(error) => return Err(error.into()),
        };
        self.list(from).await
    }

    pub(super) async fn list(&self, from: Option<u64>) -> Result<Vec<(Name, i64)>, DeltaError> {
        let folder = &self.folder;
        let listing = match from {
            // Before the names of that version.
            Some(version) => self.store.list_with_offset(Some(folder), &folder.clone().join(format!("{version:020}"))),
            None => self.store.list(Some(folder)),
        };
        let listed: Vec<_> = listing.try_collect().await?;
        let named = listed.into_iter().filter_map(|object| {
            let name = Name::parse(object.location.filename()?)?;
            Some((name, object.last_modified.timestamp_millis()))
        });
        Ok(named.collect())
    }

    pub(super) async fn write_checkpoint(&self, version: u64, snapshot: Arc<Snapshot>) -> Result<(), DeltaError> {
        let (size, file) = blocking(move || checkpoint::encoded(&snapshot)).await?;
        self.store.put(&self.path(Name::Checkpoint(version)), file.into()).await?;
        let last = serde_json::to_vec(&LastCheckpoint { version, size })
            .map_err(|error| DeltaError::Unreadable(error.to_string()))?;
        self.store.put(&self.folder.clone().join("_last_checkpoint"), last.into()).await?;
        Ok(())
    }

    /// Removes what no version of the last seven days needs, and checkpoints of which there is one of the same day.
    ///
    /// # Errors
    /// When the store does not answer.
    pub(super) async fn shorten(&self, now_ms: i64) -> Result<(), DeltaError> {
        let mut names = self.list(None).await?;
        names.sort_unstable();
        let checkpoints = names.iter().filter_map(|(name, written_ms)| match name {
            Name::Checkpoint(version) => Some((*version, *written_ms)),
            Name::Commit(_) => None,
        });
        let checkpoints: Vec<_> = checkpoints.collect();
        let oldest_needed = checkpoints
            .iter()
            .filter(|(_, written_ms)| now_ms - written_ms >= KEPT_MS)
            .map(|(version, _)| *version)
            .max();
        let mut last_day = None;
        let mut doubled = Vec::new();
        for (version, written_ms) in &checkpoints {
            let day = written_ms.div_euclid(DAY_MS);
            if now_ms - written_ms >= DAY_MS && last_day.replace(day) == Some(day) && Some(*version) != oldest_needed {
                doubled.push(*version);
            }
        }
        for (name, _) in names {
            let goes = match name {
                Name::Commit(version) => oldest_needed.is_some_and(|needed| version < needed),
                Name::Checkpoint(version) => {
                    oldest_needed.is_some_and(|needed| version < needed) || doubled.contains(&version)
                }
            };
            if goes {
                match self.store.delete(&self.path(name)).await {
                    Ok(()) | Err(object_store::Error::NotFound { .. }) => {}
                    Err(error) => return Err(error.into()),
                }
            }
        }
        Ok(())
    }
}

pub(super) async fn blocking<T: Send + 'static>(
    work: impl FnOnce() -> Result<T, DeltaError> + Send + 'static,
) -> Result<T, DeltaError> {
    tokio::task::spawn_blocking(work).await.map_err(|error| DeltaError::Other(error.to_string()))?
}
