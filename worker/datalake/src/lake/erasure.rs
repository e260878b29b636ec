//! Removes people from the files of a lake, including files of earlier versions. Files that do not contain them
//! according to their statistics are skipped.
//!
//! Current files are rewritten under other names, once for all people, and a group of them is replaced in one commit.
//! Before that, every file with one of the people is noted for removal an hour later, so that running queries can
//! finish. Files may be compacted meanwhile: the first commit of a file counts, and if that is the compaction's, the
//! new file is looked at in another pass.

use std::collections::HashSet;
use std::sync::Arc;

use futures_util::{StreamExt, TryStreamExt, stream};
use object_store::ObjectStoreExt;
use parking_lot::Mutex;
use serde::{Deserialize, Serialize};

use super::compaction::tagged_unpacked;
use super::people::Candidate;
use super::{Lake, READ_AT_ONCE, unfinished};
use crate::delta::{Add, Change, DeltaError, Snapshot};
use crate::erase::sketch::Probe;
use crate::erase::{EraseError, Erased, Person};
use crate::rows::{self, File, RowsError};
use crate::table::Table;

/// The folder of a table's notes.
pub(super) const NOTES: &str = "_erased";
/// Passes over a table whose files are compacted in the meantime.
const PASSES: u32 = 20;
/// Memory that the rows of files rewritten in one commit take, in bytes. A larger file is rewritten alone.
const MAX_GROUP_BYTES: u64 = 64 * 1024 * 1024;
/// Assumed ratio of the memory of a file's rows to its size, if the log does not state it.
const PACKED_RATIO: u64 = 8;

/// Files to remove an hour after an erasure.
#[derive(Debug, Serialize, Deserialize)]
pub(super) struct Note {
    /// Unix milliseconds.
    pub(super) noted_ms: i64,
    /// Relative to the table's folder.
    pub(super) files: Vec<String>,
}

/// A file without the people.
struct Rewritten {
    path: String,
    new: File,
    /// Changed rows of each person, by index.
    rows: Vec<(usize, u64)>,
}

impl From<DeltaError> for EraseError {
    fn from(error: DeltaError) -> Self {
        Self::Lake(error.to_string())
    }
}

impl Lake {
    /// Removes people from all tables, each file being rewritten once for all of them. Returns a result for each
    /// person.
    ///
    /// # Errors
    /// If the lake cannot be reached. Erasing again continues.
    pub(crate) async fn erase(&self, people: &[Person]) -> Result<Vec<Erased>, EraseError> {
        let people: Arc<[Person]> = people.into();
        let mut erased = vec![Erased::default(); people.len()];
        for table in Table::ALL {
            self.erase_from(table, &people, &mut erased).await?;
        }
        Ok(erased)
    }

    async fn erase_from(&self, table: Table, people: &Arc<[Person]>, erased: &mut [Erased]) -> Result<(), EraseError> {
        let log = self.log(table).await?;
        let probes: Vec<_> = people.iter().map(Probe::of).collect();
        let mut seen = HashSet::new();
        // Repeats until no file of the table contains them: compaction may have written another one.
        for pass in 0..PASSES {
            // Read before the files are listed: if a file is compacted in between, replacing it fails, and the next
            // pass looks at its successor.
            let snapshot = log.snapshot().await?;
            let mut files = self.files(table).await.map_err(DeltaError::from)?;
            files.retain(|file| seen.insert(file.path.clone()));
            let mut candidates = self.candidates(table, files, &probes).await;
            if pass == 0 {
                for (index, erased) in erased.iter_mut().enumerate() {
                    let holds = |candidate: &&Candidate| candidate.people.contains(&index);
                    erased.passed_over += (candidates.len() - candidates.iter().filter(holds).count()) as u64;
                }
            }
            candidates.retain(|candidate| !candidate.people.is_empty());
            let mut is_clean = true;
            // An unfinished file cannot be read, so it may contain them.
            let mut others = if pass == 0 { self.unfinished_rows(table).await? } else { Vec::new() };
            for group in groups(candidates, &snapshot) {
                let rewritten: Vec<_> = stream::iter(group)
                    .map(|candidate| self.rewrite_without(table, candidate, people))
                    .buffered(READ_AT_ONCE)
                    .try_collect()
                    .await?;
                let (current, old): (Vec<_>, Vec<_>) =
                    rewritten.into_iter().flatten().partition(|file| snapshot.files.contains_key(&file.path));
                for file in old {
                    // It may have been committed since the snapshot was read: then the next pass finds it in the table.
                    if !snapshot.removed.contains_key(file.path.as_str()) {
                        seen.remove(&file.path);
                    }
                    others.push(file.path);
                }
                is_clean &= self.exchange(table, &snapshot, current, erased).await?;
            }
            if !others.is_empty() {
                self.note(table, others).await?;
            }
            if is_clean {
                return Ok(());
            }
        }
        Err(EraseError::Lake("its files are constantly being compacted: erase again".to_owned()))
    }

    async fn unfinished_rows(&self, table: Table) -> Result<Vec<String>, DeltaError> {
        let Some(folder) = self.folder(table) else { return Ok(Vec::new()) };
        tokio::task::spawn_blocking(move || unfinished::with_rows(&folder))
            .await
            .map_err(|error| DeltaError::Other(error.to_string()))
    }

    /// Returns the file without the people; `None` if they are not in it.
    async fn rewrite_without(
        &self,
        table: Table,
        Candidate { file, people: indexes }: Candidate,
        people: &Arc<[Person]>,
    ) -> Result<Option<Rewritten>, DeltaError> {
        let bytes = match self.read(table, &file.path).await {
            Ok(bytes) => bytes,
            // A sweep removed it.
            Err(object_store::Error::NotFound { .. }) => return Ok(None),
            Err(error) => return Err(error.into()),
        };
        let people = Arc::clone(people);
        let rewriting = tokio::task::spawn_blocking(move || {
            let named: Vec<_> = indexes.iter().map(|index| &people[*index]).collect();
            let rewritten = rewrite(table, bytes, &named)?;
            Ok::<_, RowsError>(rewritten.map(|(rows, new)| (indexes.into_iter().zip(rows).collect::<Vec<_>>(), new)))
        });
        let rewritten = rewriting.await.map_err(|error| DeltaError::Other(error.to_string()))??;
        Ok(rewritten.map(|(rows, new)| Rewritten { path: file.path, new, rows }))
    }

    /// Replaces files in one commit. Returns false if one of them is no longer part of the table.
    async fn exchange(
        &self,
        table: Table,
        snapshot: &Snapshot,
        files: Vec<Rewritten>,
        erased: &mut [Erased],
    ) -> Result<bool, DeltaError> {
        if files.is_empty() {
            return Ok(true);
        }
        self.note(table, files.iter().map(|file| file.path.clone()).collect()).await?;
        let (mut exchanges, mut rows) = (Vec::new(), Vec::new());
        for file in files {
            let folder = file.path.rsplit_once('/').map_or("", |(folder, _)| folder);
            let path = format!("{folder}/erased-{}-{}.parquet", self.node, self.fresh_id());
            let add = Add {
                path: path.clone(),
                size: i64::try_from(file.new.bytes.len()).unwrap_or(i64::MAX),
                modification_time: self.clock.now_ms(),
                stats: file.new.stats.text(),
                ..snapshot.files[&file.path].clone()
            };
            self.put(table, &path, file.new.bytes.into()).await?;
            exchanges.push((file.path, add));
            rows.push(file.rows);
        }
        // Of each file, whether it was part of the table when the last commit was planned.
        let present = Mutex::new(Vec::new());
        let plan = |now: &Snapshot| {
            let is_present: Vec<_> = exchanges.iter().map(|(old, _)| now.files.contains_key(old)).collect();
            let present_ones = || exchanges.iter().zip(&is_present).filter(|(_, is_present)| **is_present);
            let change = Change {
                operation: "UPDATE",
                changes_rows: true,
                add: present_ones().map(|((_, add), _)| add.clone()).collect(),
                remove: present_ones().map(|((old, _), _)| old.clone()).collect(),
                writer: None,
            };
            *present.lock() = is_present;
            (!change.add.is_empty()).then_some(change)
        };
        self.log(table).await?.commit(plan).await?;
        let present = present.into_inner();
        for (((_, add), rows), is_exchanged) in exchanges.iter().zip(rows).zip(&present) {
            if !is_exchanged {
                self.remove(table, &add.path).await?;
                continue;
            }
            for (person, rows) in rows {
                erased[person].rows += rows;
                erased[person].files += u64::from(rows > 0);
            }
        }
        Ok(present.into_iter().all(|is_exchanged| is_exchanged))
    }

    /// Notes files for removal in an hour, before the person is reported as erased.
    async fn note(&self, table: Table, files: Vec<String>) -> Result<(), DeltaError> {
        let note = Note { noted_ms: self.clock.now_ms(), files };
        let text = serde_json::to_vec(&note).map_err(|error| DeltaError::Unreadable(error.to_string()))?;
        let path = self.root(table).join(NOTES).join(format!("{}.json", self.fresh_id()));
        self.store.put(&path, text.into()).await?;
        Ok(())
    }
}

/// Splits files into groups that are rewritten in one commit, each bounded by the memory that its rows take.
fn groups(mut candidates: Vec<Candidate>, snapshot: &Snapshot) -> Vec<Vec<Candidate>> {
    candidates.sort_by(|a, b| a.file.path.cmp(&b.file.path));
    let mut groups: Vec<Vec<Candidate>> = Vec::new();
    let mut group_bytes = 0;
    for candidate in candidates {
        let unpacked = snapshot.files.get(&candidate.file.path).and_then(tagged_unpacked);
        let bytes = unpacked.unwrap_or(candidate.file.size * PACKED_RATIO);
        match groups.last_mut() {
            Some(group) if group_bytes + bytes <= MAX_GROUP_BYTES => {
                group_bytes += bytes;
                group.push(candidate);
            }
            _ => {
                group_bytes = bytes;
                groups.push(vec![candidate]);
            }
        }
    }
    groups
}

/// Returns a file without the people, and the changed rows of each; `None` if none of them is in it.
pub(crate) fn rewrite(
    table: Table,
    file: bytes::Bytes,
    people: &[&Person],
) -> Result<Option<(Vec<u64>, File)>, RowsError> {
    let mut rows = vec![0; people.len()];
    let mut batches = Vec::new();
    for mut batch in rows::from_parquet(table, file)? {
        for (person, rows) in people.iter().zip(&mut rows) {
            let (stripped, changed) = person.strip_rows(table, &batch)?;
            batch = stripped;
            *rows += changed;
        }
        batches.push(batch);
    }
    if rows.iter().all(|rows| *rows == 0) {
        return Ok(None);
    }
    Ok(Some((rows, rows::to_parquet(table, batches.into_iter().map(Ok))?)))
}

#[cfg(test)]
mod tests;
