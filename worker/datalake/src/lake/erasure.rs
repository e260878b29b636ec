//! Removes people from the files of a lake, including files of earlier versions. Files that do not contain them
//! according to their statistics are skipped. Shipping continues meanwhile: the queue was erased before.
//!
//! Current files are rewritten under other names, once for all people, and a group of them is replaced in one commit.
//! Before that, every file with one of the people is noted for removal an hour later, so that running queries can finish.

use std::sync::Arc;

use futures_util::{StreamExt, TryStreamExt, stream};
use object_store::ObjectStoreExt;
use serde::{Deserialize, Serialize};

use super::compaction::tagged_unpacked;
use super::{Lake, LakeFile, READ_AT_ONCE, unfinished};
use crate::delta::{Add, Change, DeltaError, Snapshot};
use crate::erase::{EraseError, Erased, Person, sketch};
use crate::rows::{self, File, RowsError};
use crate::table::Table;

/// The folder of a table's notes.
pub(super) const NOTES: &str = "_erased";
/// Passes over a table whose files are compacted in the meantime.
const PASSES: u32 = 20;
/// Memory that the rows of files rewritten in one commit take, in bytes. A larger file is rewritten by itself.
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

/// A file that may contain people.
struct Candidate {
    file: LakeFile,
    /// Indexes of the people who may be in it.
    people: Vec<usize>,
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
    /// Removes people from all tables, each file being rewritten once for all of them. Returns a result for each person.
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
        // Repeats until no file of the table contains them: compaction may have written another one.
        for pass in 0..PASSES {
            // Read before the files are listed: if a file is compacted in between, replacing it fails, and the next pass
            // reads its successor.
            let snapshot = log.snapshot().await?;
            let files = self.files(table).await.map_err(DeltaError::from)?;
            let mut candidates = Vec::new();
            let mut examined =
                stream::iter(files).map(|file| self.examine(table, file, people)).buffer_unordered(READ_AT_ONCE);
            while let Some(candidate) = examined.next().await {
                if pass == 0 {
                    for (index, erased) in erased.iter_mut().enumerate() {
                        erased.passed_over += u64::from(!candidate.people.contains(&index));
                    }
                }
                if !candidate.people.is_empty() {
                    candidates.push(candidate);
                }
            }
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
                others.extend(old.into_iter().map(|file| file.path));
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

    /// Finds the people who may be in a file by its statistics. A file without usable statistics may contain everyone.
    async fn examine(&self, table: Table, file: LakeFile, people: &[Person]) -> Candidate {
        let footer = self.footer(table, &file).await.ok().flatten();
        let found = footer.and_then(|footer| rows::sketch_of(&footer));
        let may_hold = |person: &Person| found.as_ref().is_none_or(|found| sketch::may_hold(found, person));
        let people = people.iter().enumerate().filter(|(_, person)| may_hold(person)).map(|(index, _)| index).collect();
        Candidate { file, people }
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

    /// Replaces files in one commit. Returns false, and replaces none, if one of them is no longer part of the table.
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
        let old: Vec<_> = files.iter().map(|file| file.path.clone()).collect();
        self.note(table, old.clone()).await?;
        let (mut add, mut rows) = (Vec::new(), Vec::new());
        for file in files {
            let folder = file.path.rsplit_once('/').map_or("", |(folder, _)| folder);
            let path = format!("{folder}/erased-{}-{}.parquet", self.node, self.fresh_id());
            add.push(Add {
                path: path.clone(),
                size: i64::try_from(file.new.bytes.len()).unwrap_or(i64::MAX),
                modification_time: self.clock.now_ms(),
                stats: file.new.stats.text(),
                ..snapshot.files[&file.path].clone()
            });
            self.put(table, &path, file.new.bytes.into()).await?;
            rows.extend(file.rows);
        }
        let plan = |now: &Snapshot| {
            old.iter().all(|path| now.files.contains_key(path)).then(|| Change {
                operation: "UPDATE",
                changes_rows: true,
                add: add.clone(),
                remove: old.clone(),
                writer: None,
            })
        };
        let is_exchanged = self.log(table).await?.commit(plan).await?;
        if is_exchanged {
            for (person, rows) in rows {
                erased[person].rows += rows;
                erased[person].files += u64::from(rows > 0);
            }
        } else {
            for file in &add {
                self.remove(table, &file.path).await?;
            }
        }
        Ok(is_exchanged)
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
