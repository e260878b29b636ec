//! Removes a person from the files of a lake, including files of earlier versions. Files that do not contain them
//! according to their statistics are skipped.
//!
//! A current file is rewritten under another name and replaced in one commit. Before that, every file with the person
//! is noted for removal an hour later, so that running queries can finish.

use object_store::ObjectStoreExt;
use serde::{Deserialize, Serialize};

use super::{Lake, LakeFile, unfinished};
use crate::delta::{Add, Change, DeltaError, Snapshot};
use crate::erase::{EraseError, Erased, Person, sketch};
use crate::rows::{self, File, RowsError};
use crate::table::Table;

/// The folder of a table's notes.
pub(super) const NOTES: &str = "_erased";
/// Passes over a table whose files are compacted in the meantime.
const PASSES: u32 = 20;

/// Files to remove an hour after an erasure.
#[derive(Debug, Serialize, Deserialize)]
pub(super) struct Note {
    /// Unix milliseconds.
    pub(super) noted_ms: i64,
    /// Relative to the table's folder.
    pub(super) files: Vec<String>,
}

enum RewriteResult {
    /// The person is not in it.
    Same,
    PassedOver,
    Without {
        rows: u64,
        file: File,
    },
}

impl From<DeltaError> for EraseError {
    fn from(error: DeltaError) -> Self {
        Self::Lake(error.to_string())
    }
}

impl Lake {
    /// Removes a person from all tables.
    ///
    /// # Errors
    /// If the lake cannot be reached. Erasing again continues.
    pub(crate) async fn erase(&self, person: &Person) -> Result<Erased, EraseError> {
        let mut erased = Erased::default();
        for table in Table::ALL {
            self.erase_from(table, person, &mut erased).await?;
        }
        Ok(erased)
    }

    async fn erase_from(&self, table: Table, person: &Person, erased: &mut Erased) -> Result<(), EraseError> {
        let log = self.log(table).await?;
        // Repeats until no file of the table contains them: compaction may have written another one.
        for pass in 0..PASSES {
            let files = self.files(table).await.map_err(DeltaError::from)?;
            let snapshot = log.snapshot().await?;
            let mut is_clean = true;
            // An unfinished file cannot be read, so it may contain them.
            let mut others = if pass == 0 { self.unfinished_rows(table).await? } else { Vec::new() };
            for file in &files {
                let is_counted = pass == 0;
                match self.rewrite_without(table, file, person).await? {
                    RewriteResult::PassedOver => erased.passed_over += u64::from(is_counted),
                    RewriteResult::Same => {}
                    RewriteResult::Without { rows, file: new } => match snapshot.files.get(&file.path) {
                        None => others.push(file.path.clone()),
                        Some(old) => {
                            self.note(table, vec![file.path.clone()]).await?;
                            if self.exchange(table, old, new).await? {
                                erased.rows += rows;
                                erased.files += 1;
                            } else {
                                is_clean = false;
                            }
                        }
                    },
                }
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

    async fn rewrite_without(
        &self,
        table: Table,
        file: &LakeFile,
        person: &Person,
    ) -> Result<RewriteResult, DeltaError> {
        // A file without usable statistics is read.
        let footer = self.footer(table, file).await.ok().flatten();
        if footer.and_then(|footer| rows::sketch_of(&footer)).is_some_and(|found| !sketch::may_hold(&found, person)) {
            return Ok(RewriteResult::PassedOver);
        }
        let bytes = match self.read(table, &file.path).await {
            Ok(bytes) => bytes,
            // A sweep removed it.
            Err(object_store::Error::NotFound { .. }) => return Ok(RewriteResult::Same),
            Err(error) => return Err(error.into()),
        };
        let person = person.clone();
        let rewritten = tokio::task::spawn_blocking(move || rewrite(table, bytes, &person))
            .await
            .map_err(|error| DeltaError::Other(error.to_string()))??;
        Ok(rewritten.map_or(RewriteResult::Same, |(rows, file)| RewriteResult::Without { rows, file }))
    }

    /// Replaces `old` by `new`. Returns false if `old` is no longer part of the table.
    async fn exchange(&self, table: Table, old: &Add, new: File) -> Result<bool, DeltaError> {
        let folder = old.path.rsplit_once('/').map_or("", |(folder, _)| folder);
        let path = format!("{folder}/erased-{}-{}.parquet", self.node, self.fresh_id());
        let add = Add {
            path: path.clone(),
            size: i64::try_from(new.bytes.len()).unwrap_or(i64::MAX),
            modification_time: self.clock.now_ms(),
            stats: new.stats.text(),
            ..old.clone()
        };
        self.put(table, &path, new.bytes.into()).await?;
        let plan = |now: &Snapshot| {
            now.files.contains_key(&old.path).then(|| Change {
                operation: "UPDATE",
                changes_rows: true,
                add: vec![add.clone()],
                remove: vec![old.path.clone()],
                writer: None,
            })
        };
        let is_exchanged = self.log(table).await?.commit(plan).await?;
        if !is_exchanged {
            self.remove(table, &path).await?;
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

pub(crate) fn rewrite(table: Table, file: bytes::Bytes, person: &Person) -> Result<Option<(u64, File)>, RowsError> {
    let mut rows = 0;
    let mut batches = Vec::new();
    for batch in rows::from_parquet(table, file)? {
        let (batch, changed) = person.strip_rows(table, &batch)?;
        rows += changed;
        batches.push(batch);
    }
    if rows == 0 { Ok(None) } else { Ok(Some((rows, rows::to_parquet(table, batches.into_iter().map(Ok))?))) }
}
