//! The sketches of the people in each day's files, in one object for a day beside the table's log, so that an erasure
//! need not read the footer of each file. A file that is not in it costs a request; so do all files of a day whose
//! object is missing or damaged.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use futures_util::{StreamExt, TryStreamExt, stream};
use object_store::ObjectStoreExt;
use object_store::path::Path;
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

use super::{Lake, LakeFile, READ_AT_ONCE};
use crate::delta::DeltaError;
use crate::erase::sketch::{Filter, Probe};
use crate::rows;
use crate::table::Table;

/// The folder of a table's objects.
const FOLDER: &str = "_people";
/// Bytes of the sketches in one object. Larger ones are left out first.
const MAX_BYTES: usize = 8 * 1024 * 1024;
/// A day is written again until this long after its last file, in case a file was written meanwhile. Milliseconds.
const SETTLED_MS: i64 = 60 * 60 * 1000;
const HASH_CHARS: usize = 64;

/// The people in a file.
#[derive(Debug, Clone, Serialize, Deserialize)]
struct Entry {
    /// Relative to the table's folder.
    path: String,
    /// A file of another size is another file.
    size: u64,
    /// As stored in the file.
    sketch: String,
}

/// A file that may contain people.
#[derive(Debug)]
pub(super) struct Candidate {
    pub(super) file: LakeFile,
    /// Indexes of the people who may be in it.
    pub(super) people: Vec<usize>,
}

impl Candidate {
    /// A file without a readable sketch may contain everyone.
    fn of(file: LakeFile, sketch: Option<&str>, probes: &[Probe]) -> Self {
        let filter = sketch.and_then(Filter::decode);
        let may_hold = |probe: &Probe| filter.as_ref().is_none_or(|filter| filter.may_hold(probe));
        let people = (0..probes.len()).filter(|index| may_hold(&probes[*index])).collect();
        Self { file, people }
    }
}

/// The day of a file, as in its path.
pub(super) fn day_of(path: &str) -> Option<&str> {
    path.split_once('/')?.0.strip_prefix("received_date=")
}

fn by_day(files: Vec<LakeFile>) -> BTreeMap<String, Vec<LakeFile>> {
    let mut days: BTreeMap<_, Vec<_>> = BTreeMap::new();
    for file in files {
        days.entry(day_of(&file.path).unwrap_or_default().to_owned()).or_default().push(file);
    }
    days
}

/// The entries as text, after the hash of that text.
fn encode(mut entries: Vec<Entry>) -> Result<Vec<u8>, DeltaError> {
    // Most files have small sketches.
    entries.sort_by(|a, b| (a.sketch.len(), &a.path).cmp(&(b.sketch.len(), &b.path)));
    let mut bytes = 0;
    entries.retain(|entry| {
        bytes += entry.sketch.len();
        bytes <= MAX_BYTES
    });
    let text = serde_json::to_vec(&entries).map_err(|error| DeltaError::Unreadable(error.to_string()))?;
    Ok([hex::encode(Sha256::digest(&text)).as_bytes(), &text].concat())
}

/// Entries by path; none if a byte is damaged.
fn decode(bytes: &[u8]) -> HashMap<String, Entry> {
    let Some((hash, text)) = bytes.split_at_checked(HASH_CHARS) else { return HashMap::new() };
    if hash != hex::encode(Sha256::digest(text)).as_bytes() {
        return HashMap::new();
    }
    let entries: Vec<Entry> = serde_json::from_slice(text).unwrap_or_default();
    entries.into_iter().map(|entry| (entry.path.clone(), entry)).collect()
}

impl Lake {
    fn sketches_of(&self, table: Table, day: &str) -> Path {
        self.root(table).join(FOLDER).join(format!("{day}.json"))
    }

    async fn entries(&self, table: Table, day: &str) -> HashMap<String, Entry> {
        let read = async { self.store.get(&self.sketches_of(table, day)).await?.bytes().await };
        let Ok(bytes) = read.await else { return HashMap::new() };
        tokio::task::spawn_blocking(move || decode(&bytes)).await.unwrap_or_default()
    }

    async fn put_entries(&self, table: Table, day: &str, entries: Vec<Entry>) -> Result<(), DeltaError> {
        let bytes = encode(entries)?;
        self.admit(bytes.len()).map_err(|error| DeltaError::Other(error.to_string()))?;
        self.store.put(&self.sketches_of(table, day), bytes.into()).await?;
        Ok(())
    }

    async fn sketch(&self, table: Table, file: &LakeFile) -> Option<String> {
        rows::sketch_of(&self.footer(table, file).await.ok()??)
    }

    /// Finds the people who may be in each file.
    pub(super) async fn candidates(&self, table: Table, files: Vec<LakeFile>, probes: &[Probe]) -> Vec<Candidate> {
        let mut days = stream::iter(by_day(files))
            .map(|(day, files)| async move {
                let entries = self.entries(table, &day).await;
                let has_entry = |file: &LakeFile| entries.get(&file.path).is_some_and(|entry| entry.size == file.size);
                let (listed, unlisted): (Vec<_>, Vec<_>) = files.into_iter().partition(has_entry);
                let sketched = |file: LakeFile| {
                    let sketch = entries.get(&file.path).map(|entry| entry.sketch.as_str());
                    Candidate::of(file, sketch, probes)
                };
                (listed.into_iter().map(sketched).collect::<Vec<_>>(), unlisted)
            })
            .buffer_unordered(READ_AT_ONCE);
        let (mut candidates, mut unlisted) = (Vec::new(), Vec::new());
        while let Some((sketched, others)) = days.next().await {
            candidates.extend(sketched);
            unlisted.extend(others);
        }
        let examined = stream::iter(unlisted).map(|file| async move {
            let sketch = self.sketch(table, &file).await;
            Candidate::of(file, sketch.as_deref(), probes)
        });
        candidates.extend(examined.buffer_unordered(READ_AT_ONCE).collect::<Vec<_>>().await);
        candidates
    }

    /// Writes the sketches of the days that have new files, and of those in `changed`, which have fewer. `files` are
    /// all that exist.
    ///
    /// # Errors
    /// If the lake cannot be reached or has no space.
    pub(super) async fn write_sketches(
        &self,
        table: Table,
        files: Vec<LakeFile>,
        changed: &BTreeSet<String>,
    ) -> Result<(), DeltaError> {
        let objects: Vec<_> = self.store.list(Some(&self.root(table).join(FOLDER))).try_collect().await?;
        let mut written_ms: HashMap<_, _> =
            objects.into_iter().map(|object| (object.location, object.last_modified.timestamp_millis())).collect();
        for (day, files) in by_day(files) {
            let newest_ms = files.iter().map(|file| file.written_ms).max().unwrap_or(0);
            let is_settled =
                written_ms.remove(&self.sketches_of(table, &day)).is_some_and(|at_ms| at_ms - newest_ms > SETTLED_MS);
            if is_settled && !changed.contains(&day) {
                continue;
            }
            let entries = self.entries(table, &day).await;
            let entry = |file: LakeFile| {
                let stored = entries.get(&file.path).filter(|entry| entry.size == file.size).cloned();
                async move {
                    match stored {
                        Some(entry) => Some(entry),
                        None => {
                            let sketch = self.sketch(table, &file).await?;
                            Some(Entry { path: file.path, size: file.size, sketch })
                        }
                    }
                }
            };
            let found: Vec<_> = stream::iter(files).map(entry).buffer_unordered(READ_AT_ONCE).collect().await;
            self.put_entries(table, &day, found.into_iter().flatten().collect()).await?;
        }
        // Days without files.
        for location in written_ms.into_keys() {
            self.store.delete(&location).await?;
        }
        Ok(())
    }

    /// Removes the sketches of files that were removed; those of the whole day if there is no space.
    ///
    /// # Errors
    /// If the lake cannot be reached.
    pub(super) async fn forget_sketches(&self, table: Table, paths: &[String]) -> Result<(), DeltaError> {
        let days: BTreeSet<_> = paths.iter().filter_map(|path| day_of(path)).collect();
        for day in days {
            let mut entries = self.entries(table, day).await;
            let before = entries.len();
            entries.retain(|path, _| !paths.contains(path));
            if entries.len() < before {
                let put = self.put_entries(table, day, entries.into_values().collect()).await;
                if put.is_err() {
                    self.store.delete(&self.sketches_of(table, day)).await?;
                }
            }
        }
        Ok(())
    }
}
