//! Removes files that no version needs: after an hour those that contained an erased person, were never committed, or
//! were left unfinished by a killed worker; after seven days those removed from the table.

use std::collections::BTreeSet;
use std::path::Path as FsPath;

use futures_util::TryStreamExt;
use object_store::ObjectStoreExt;

use super::erasure::{NOTES, Note};
use super::{Lake, people, unfinished};
use crate::delta::{DeltaError, RETENTION_MS};
use crate::table::Table;

const HOUR_MS: i64 = 60 * 60 * 1000;

impl Lake {
    /// Removes files that no version of a table needs, and returns how many.
    ///
    /// # Errors
    /// If the lake cannot be reached.
    pub(crate) async fn sweep(&self, table: Table) -> Result<u64, DeltaError> {
        let mut removed = self.sweep_erased(table).await?;
        let now_ms = self.clock.now_ms();
        // Listed before the log is read, so that a file committed in between is known.
        let files = self.files(table).await?;
        let log = self.log(table).await?;
        let snapshot = log.snapshot().await?;
        let (mut remaining, mut days) = (Vec::new(), BTreeSet::new());
        for file in files {
            let is_over = !snapshot.files.contains_key(&file.path)
                && match snapshot.removed.get(file.path.as_str()) {
                    Some(removed_ms) => now_ms - removed_ms >= RETENTION_MS,
                    None => now_ms - file.written_ms >= HOUR_MS,
                };
            if is_over {
                self.remove(table, &file.path).await?;
                removed += 1;
                days.extend(people::day_of(&file.path).map(str::to_owned));
            } else {
                remaining.push(file);
            }
        }
        if let Err(error) = self.write_sketches(table, remaining, &days).await {
            tracing::warn!(table = table.name(), %error, "could not write the sketches of people; erasures take longer");
        }
        log.shorten().await?;
        if let Some(folder) = self.folder(table) {
            removed += blocking(move || unfinished::remove_old(&folder, now_ms)).await?;
        }
        Ok(removed)
    }

    /// Removes files that an erasure noted an hour ago.
    ///
    /// # Errors
    /// If the lake cannot be reached.
    pub(crate) async fn sweep_erased(&self, table: Table) -> Result<u64, DeltaError> {
        let now_ms = self.clock.now_ms();
        let notes: Vec<_> = self.store.list(Some(&self.root(table).join(NOTES))).try_collect().await?;
        let mut removed = 0;
        for object in notes {
            let text = self.store.get(&object.location).await?.bytes().await?;
            let note: Note =
                serde_json::from_slice(&text).map_err(|error| DeltaError::Unreadable(error.to_string()))?;
            if now_ms - note.noted_ms < HOUR_MS {
                continue;
            }
            let snapshot = self.log(table).await?.snapshot().await?;
            // A file still in the table was not replaced yet: its erasure continues.
            let files: Vec<_> = note.files.into_iter().filter(|path| !snapshot.files.contains_key(path)).collect();
            for path in &files {
                match self.folder(table).filter(|_| unfinished::finished_name(FsPath::new(path)).is_some()) {
                    // The store cannot address a file with such a name.
                    Some(folder) => remove_from_folder(&folder.join(path)).await?,
                    None => self.remove(table, path).await?,
                }
                removed += 1;
            }
            self.forget_sketches(table, &files).await?;
            self.store.delete(&object.location).await?;
        }
        Ok(removed)
    }
}

async fn blocking<T: Send + 'static>(work: impl FnOnce() -> T + Send + 'static) -> Result<T, DeltaError> {
    tokio::task::spawn_blocking(work).await.map_err(|error| DeltaError::Other(error.to_string()))
}

async fn remove_from_folder(path: &FsPath) -> Result<(), DeltaError> {
    match tokio::fs::remove_file(path).await {
        Err(error) if error.kind() != std::io::ErrorKind::NotFound => {
            Err(DeltaError::Other(format!("{}: {error}", path.display())))
        }
        _ => Ok(()),
    }
}
