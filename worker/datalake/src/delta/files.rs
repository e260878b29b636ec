//! The files of a table's log: their names, the newest checkpoint, and which are still needed.

use std::collections::HashSet;
use std::sync::Arc;

use futures_util::TryStreamExt;
use object_store::path::Path;
use object_store::{ObjectStore, ObjectStoreExt};
use serde::{Deserialize, Serialize};

use super::checkpoint;
use super::error::DeltaError;
use super::snapshot::{RETENTION_MS, Snapshot};

/// Older checkpoints are thinned to one a day, milliseconds.
const DAY_MS: i64 = 24 * 60 * 60 * 1000;

#[derive(Debug, Serialize, Deserialize)]
struct LastCheckpoint {
    version: u64,
    /// Number of lines.
    size: u64,
}

/// The parsed name of a commit or checkpoint.
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

pub(super) struct LogFiles {
    pub(super) store: Arc<dyn ObjectStore>,
    folder: Path,
}

impl LogFiles {
    /// The log of the table in the folder `root`.
    pub(super) fn new(store: Arc<dyn ObjectStore>, root: &Path) -> Self {
        Self { store, folder: root.clone().join("_delta_log") }
    }

    pub(super) fn path(&self, name: Name) -> Path {
        self.folder.clone().join(match name {
            Name::Commit(version) => format!("{version:020}.json"),
            Name::Checkpoint(version) => format!("{version:020}.checkpoint.parquet"),
        })
    }

    /// The log's files from the newest known checkpoint on, each with its write time in Unix milliseconds.
    pub(super) async fn names(&self) -> Result<Vec<(Name, i64)>, DeltaError> {
        let hint = self.hint().await?;
        let names = self.list(hint).await?;
        let has_checkpoint = names.iter().any(|(name, _)| matches!(name, Name::Checkpoint(_)));
        // An earlier build removed checkpoints that the hint named.
        if hint.is_some() && !has_checkpoint { self.list(None).await } else { Ok(names) }
    }

    /// The version of the checkpoint that readers start from.
    async fn hint(&self) -> Result<Option<u64>, DeltaError> {
        match self.store.get(&self.folder.clone().join("_last_checkpoint")).await {
            Ok(found) => {
                Ok(serde_json::from_slice::<LastCheckpoint>(&found.bytes().await?).ok().map(|last| last.version))
            }
            Err(object_store::Error::NotFound { .. }) => Ok(None),
            Err(error) => Err(error.into()),
        }
    }

    pub(super) async fn list(&self, from: Option<u64>) -> Result<Vec<(Name, i64)>, DeltaError> {
        let folder = &self.folder;
        let listing = match from {
            // Sorts before the names of that version.
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

    /// Removes files that no version of the last seven days needs. Of checkpoints older than a day, only the last of
    /// each day stays. The newest checkpoint and the one that readers start from also stay.
    ///
    /// # Errors
    /// If the store does not answer.
    pub(super) async fn shorten(&self, now_ms: i64) -> Result<(), DeltaError> {
        // Read before listing: a checkpoint that is written in between is newer.
        let hint = self.hint().await?;
        let mut names = self.list(None).await?;
        names.sort_unstable();
        let unneeded = unneeded(&names, hint, now_ms);
        for name in unneeded {
            match self.store.delete(&self.path(name)).await {
                Ok(()) | Err(object_store::Error::NotFound { .. }) => {}
                Err(error) => return Err(error.into()),
            }
        }
        Ok(())
    }
}

/// The files of a log that can be removed. `names` must be ascending. `hint` is the checkpoint that readers start from.
fn unneeded(names: &[(Name, i64)], hint: Option<u64>, now_ms: i64) -> Vec<Name> {
    let checkpoints: Vec<_> = names
        .iter()
        .filter_map(|(name, written_ms)| match name {
            Name::Checkpoint(version) => Some((*version, *written_ms)),
            Name::Commit(_) => None,
        })
        .collect();
    let oldest_needed = checkpoints
        .iter()
        .filter(|(_, written_ms)| now_ms - written_ms >= RETENTION_MS)
        .map(|(version, _)| *version)
        .max();
    let day = |written_ms: i64| written_ms.div_euclid(DAY_MS);
    // The newest one has no successor on its day.
    let is_followed = |(at, (_, written_ms)): (usize, &(u64, i64))| {
        checkpoints.get(at + 1).is_some_and(|(_, next_ms)| day(*next_ms) == day(*written_ms))
    };
    let doubled: HashSet<u64> = checkpoints
        .iter()
        .enumerate()
        .filter(|(_, (_, written_ms))| now_ms - written_ms >= DAY_MS)
        .filter(|followed| is_followed(*followed))
        .map(|(_, (version, _))| *version)
        .collect();
    let is_over = |version: u64| oldest_needed.is_some_and(|needed| version < needed);
    let goes = |name: &Name| match *name {
        Name::Commit(version) => is_over(version),
        Name::Checkpoint(version) => {
            let is_needed = oldest_needed == Some(version) || hint == Some(version);
            !is_needed && (is_over(version) || doubled.contains(&version))
        }
    };
    names.iter().map(|(name, _)| *name).filter(goes).collect()
}

pub(super) async fn blocking<T: Send + 'static>(
    work: impl FnOnce() -> Result<T, DeltaError> + Send + 'static,
) -> Result<T, DeltaError> {
    tokio::task::spawn_blocking(work).await.map_err(|error| DeltaError::Other(error.to_string()))?
}

#[cfg(test)]
mod tests {
    use super::*;

    const HOUR_MS: i64 = DAY_MS / 24;

    #[test]
    fn old_checkpoints_are_thinned_to_one_a_day_except_those_readers_start_from() {
        // Two a day for ten days, each with its commit.
        let written = |version: u64| version.cast_signed() * DAY_MS / 2;
        let mut names: Vec<_> =
            (0..20).flat_map(|n| [Name::Commit, Name::Checkpoint].map(|name| (name(n), written(n)))).collect();
        names.sort_unstable();
        let checkpoints = |hint, now_ms| {
            let removed = unneeded(&names, hint, now_ms);
            let stays = names.iter().filter_map(|(name, _)| match name {
                Name::Checkpoint(version) if !removed.contains(name) => Some(*version),
                Name::Commit(_) | Name::Checkpoint(_) => None,
            });
            stays.collect::<Vec<_>>()
        };
        // At noon of the tenth day: 5 is the newest that is seven days old, 17 is a day old.
        let now_ms = written(19);
        assert_eq!(checkpoints(Some(19), now_ms), [5, 7, 9, 11, 13, 15, 17, 18, 19]);
        assert_eq!(checkpoints(Some(8), now_ms), [5, 7, 8, 9, 11, 13, 15, 17, 18, 19]);
        assert_eq!(checkpoints(Some(2), now_ms), [2, 5, 7, 9, 11, 13, 15, 17, 18, 19]);
        let commits = unneeded(&names, Some(19), now_ms).into_iter().filter(|name| matches!(name, Name::Commit(_)));
        assert!(commits.eq((0..5).map(Name::Commit)));
        // Long after the last commit.
        assert_eq!(checkpoints(Some(19), now_ms + 30 * DAY_MS), [19]);
        assert_eq!(checkpoints(None, now_ms + 30 * HOUR_MS).last(), Some(&19));
    }
}
