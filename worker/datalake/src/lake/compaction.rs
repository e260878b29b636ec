//! Compacts the many small files of a day into a few large ones without duplicates.
//!
//! Each compaction is one commit that replaces the small files by a large one. Earlier versions can be read from the
//! small files for another seven days. Duplicates arise when a browser sends an unanswered batch to another worker. Of
//! two rows with the same id the one received first stays, or the last if rows are amended.

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};
use std::sync::Arc;

use arrow_array::cast::AsArray;
use arrow_array::types::TimestampMicrosecondType;
use arrow_array::{Array, RecordBatch};
use arrow_select::interleave::interleave_record_batch;
use bytes::Bytes;
use futures_util::{StreamExt, stream};
use jiff::civil::Date;
use serde::Serialize;

use super::{Lake, LakeFile, NODES, READ_AT_ONCE, UNPACKED};
use crate::delta::stats::Stats;
use crate::delta::{Add, Change, DeltaError, Snapshot};
use crate::event;
use crate::rows::{self, File, RowsError};
use crate::schema;
use crate::table::Table;

/// Bytes of files that are merged into one.
const MAX_MERGED_BYTES: i64 = 32 << 20;
/// Rows of files that are merged into one.
const MAX_MERGED_ROWS: u64 = 1_000_000;
/// Unpacked bytes of files that are merged into one. All of them are in memory at once.
const MAX_UNPACKED_BYTES: u64 = 128 << 20;
/// Files of this size are not compacted.
const LARGE_BYTES: i64 = MAX_MERGED_BYTES / 2;
/// Files with so many unpacked bytes are not compacted either.
const LARGE_UNPACKED_BYTES: u64 = MAX_UNPACKED_BYTES / 2;
/// Merged rows that are copied at once.
const COPIED_ROWS: usize = 2048;
/// The largest file of a day is left out if it is more than this many times larger than the others together, so that each
/// row is rewritten only a few times.
const MAX_SIZE_RATIO: i64 = 4;
/// Age of a day after which single files are no longer checked, milliseconds.
const RECENT_MS: i64 = 24 * 60 * 60 * 1000;
/// Days around its own in which an id may appear again.
const DAYS_APART: i64 = 8;

/// The result of a compaction.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize)]
pub struct Compaction {
    /// Files written.
    pub written: u64,
    /// Files replaced.
    #[serde(rename = "joined")]
    pub merged: u64,
    /// Duplicate rows removed.
    #[serde(rename = "doubled")]
    pub duplicates: u64,
    /// Groups of files, or whole tables, that could not be compacted. The log names them.
    pub failed: u64,
}

impl std::ops::AddAssign for Compaction {
    fn add_assign(&mut self, other: Self) {
        self.written += other.written;
        self.merged += other.merged;
        self.duplicates += other.duplicates;
        self.failed += other.failed;
    }
}

pub(super) fn date_of(add: &Add) -> Option<Date> {
    add.partition_values.get(schema::PARTITION)?.as_deref()?.parse().ok()
}

fn nodes_of(add: &Add) -> BTreeSet<&str> {
    let tags = add.tags.as_ref().and_then(|tags| tags.get(NODES)?.as_deref());
    tags.unwrap_or_default().split(',').collect()
}

fn first_moment(add: &Add) -> String {
    Stats::parse(add.stats.as_deref()).and_then(|mut stats| stats.min_values.remove("occurred_at")).unwrap_or_default()
}

pub(super) fn tagged_unpacked(add: &Add) -> Option<u64> {
    add.tags.as_ref()?.get(UNPACKED)?.as_deref()?.parse().ok()
}

/// The small files of each day that has several. Days since `recent` need only one: it may have rows that another
/// worker's file has too.
fn small_files(files: &BTreeMap<String, Add>, recent: Date) -> BTreeMap<Date, Vec<&Add>> {
    let mut days: BTreeMap<Date, Vec<&Add>> = BTreeMap::new();
    for add in files.values().filter(|add| add.size < LARGE_BYTES) {
        if let Some(date) = date_of(add) {
            days.entry(date).or_default().push(add);
        }
    }
    days.retain(|date, small| small.len() > 1 || *date >= recent);
    days
}

/// The groups of files to compact, ordered by time, each bounded by the memory that its rows take (`ANA-12`).
/// `untagged` has the unpacked bytes of files whose `add` does not state them.
fn groups(days: BTreeMap<Date, Vec<&Add>>, untagged: &HashMap<String, u64>, recent: Date) -> Vec<(Date, Vec<Add>)> {
    let unpacked = |add: &Add| tagged_unpacked(add).or_else(|| untagged.get(&add.path).copied());
    let mut groups = Vec::new();
    for (date, mut small) in days {
        small.retain(|add| unpacked(add).is_some_and(|bytes| bytes < LARGE_UNPACKED_BYTES));
        small.sort_by_key(|add| add.size);
        let mut bytes: i64 = small.iter().map(|add| add.size).sum();
        while let Some(largest) = small.last()
            && small.len() > 1
            && largest.size > MAX_SIZE_RATIO * (bytes - largest.size)
        {
            bytes -= largest.size;
            small.pop();
        }
        small.sort_by_cached_key(|add| (first_moment(add), add.path.clone()));
        let mut group: Vec<Add> = Vec::new();
        let (mut bytes_in_group, mut rows, mut unpacked_in_group) = (0, 0, 0);
        for add in small {
            let more = Stats::parse(add.stats.as_deref()).map_or(0, |stats| stats.num_records);
            let more_unpacked = unpacked(add).unwrap_or(0);
            if bytes_in_group + add.size > MAX_MERGED_BYTES
                || rows + more > MAX_MERGED_ROWS
                || unpacked_in_group + more_unpacked > MAX_UNPACKED_BYTES
            {
                groups.push((date, std::mem::take(&mut group)));
                (bytes_in_group, rows, unpacked_in_group) = (0, 0, 0);
            }
            bytes_in_group += add.size;
            unpacked_in_group += more_unpacked;
            rows += more;
            group.push(add.clone());
        }
        groups.push((date, group));
    }
    groups.retain(|(date, group)| group.len() > 1 || (group.len() == 1 && *date >= recent));
    groups
}

/// Other files that may have ids of the group. Files of a single worker share no ids.
fn may_share<'a>(snapshot: &'a Snapshot, date: Date, group: &[Add]) -> Vec<&'a Add> {
    let nodes: BTreeSet<&str> = group.iter().flat_map(nodes_of).collect();
    let stats: Vec<_> = group.iter().map(|add| Stats::parse(add.stats.as_deref())).collect();
    let in_group: HashSet<&str> = group.iter().map(|add| add.path.as_str()).collect();
    let is_near = |other: Date| other.since(date).is_ok_and(|apart| i64::from(apart.get_days()).abs() <= DAYS_APART);
    let shares = |add: &&Add| {
        let others = nodes_of(add);
        let is_of_one = nodes.len() == 1 && nodes == others;
        let theirs = Stats::parse(add.stats.as_deref());
        !in_group.contains(add.path.as_str())
            && !is_of_one
            && date_of(add).is_some_and(is_near)
            && stats.iter().any(|group_stats| match (group_stats, &theirs) {
                (Some(group_stats), Some(theirs)) => group_stats.may_share_ids(theirs),
                _ => true,
            })
    };
    snapshot.files.values().filter(shares).collect()
}

/// The times in a column, by batch and row. Null comes first.
fn times<'a>(batches: &'a [RecordBatch], column: &str) -> impl Fn((usize, usize)) -> Option<i64> + use<'a> {
    let column_of =
        |batch: &'a RecordBatch| batch.column_by_name(column)?.as_primitive_opt::<TimestampMicrosecondType>();
    let columns: Vec<_> = batches.iter().map(column_of).collect();
    move |(batch, row)| columns[batch].filter(|times| times.is_valid(row)).map(|times| times.value(row))
}

/// Merges files, ordered by time, without rows of `existing` ids and without duplicates. Also returns the number of rows
/// left out. The rows are in memory once: they are copied in small parts.
fn merge(table: Table, files: Vec<Bytes>, existing: &HashSet<String>) -> Result<(File, u64), RowsError> {
    let mut batches = Vec::new();
    for file in files {
        batches.extend(rows::from_parquet(table, file)?);
    }
    let ids: Vec<_> = batches.iter().map(|batch| rows::text(batch, schema::key(table))).collect();
    let (received, occurred) = (times(&batches, "received_at"), times(&batches, "occurred_at"));
    let rows_of = |(at, batch): (usize, &RecordBatch)| (0..batch.num_rows()).map(move |row| (at, row));
    let mut rows: Vec<(usize, usize)> = batches.iter().enumerate().flat_map(rows_of).collect();
    let all = rows.len();
    rows.sort_by_key(|row| received(*row));
    if schema::is_amended(table) {
        rows.reverse();
    }
    let mut seen_ids: HashSet<&str> = existing.iter().map(String::as_str).collect();
    rows.retain(|(batch, row)| {
        ids[*batch].filter(|ids| ids.is_valid(*row)).is_none_or(|ids| seen_ids.insert(ids.value(*row)))
    });
    drop(seen_ids);
    let duplicates = (all - rows.len()) as u64;
    rows.sort_unstable_by_key(|row| (occurred(*row), *row));
    let sources: Vec<_> = batches.iter().collect();
    let parts = rows.chunks(COPIED_ROWS).map(|part| interleave_record_batch(&sources, part));
    Ok((rows::to_parquet(table, parts)?, duplicates))
}

impl Lake {
    /// Compacts the small files of a table. A group that fails is logged and counted, and does not stop the others.
    ///
    /// # Errors
    /// If the lake cannot be reached.
    pub(crate) async fn compact(&self, table: Table) -> Result<Compaction, DeltaError> {
        let log = self.log(table).await?;
        let snapshot = log.snapshot().await?;
        let mut done = Compaction::default();
        let recent = event::date_of((self.clock.now_ms() - RECENT_MS) * 1000);
        let days = small_files(&snapshot.files, recent);
        let (untagged, failed) = self.untagged(table, &days).await;
        done.failed = failed;
        for (date, group) in groups(days, &untagged, recent) {
            // Another worker may have compacted some of them since.
            let snapshot = log.snapshot().await?;
            if !group.iter().all(|add| snapshot.files.contains_key(&add.path)) {
                continue;
            }
            match self.compact_group(table, &snapshot, date, &group).await {
                Ok(None) => {}
                Ok(Some(duplicates)) => {
                    done += Compaction { written: 1, merged: group.len() as u64, duplicates, failed: 0 };
                }
                Err(error) => {
                    done.failed += 1;
                    let (table, files, first) = (table.name(), group.len(), &group[0].path);
                    tracing::warn!(table, %date, files, first, %error, "could not compact small files of the lake");
                }
            }
        }
        Ok(done)
    }

    /// The unpacked bytes of files that an earlier build added, from their footers. Also returns the number of files
    /// whose footer cannot be read. They are named in the log and not compacted.
    async fn untagged(&self, table: Table, days: &BTreeMap<Date, Vec<&Add>>) -> (HashMap<String, u64>, u64) {
        let files = days.values().flatten().filter(|add| tagged_unpacked(add).is_none());
        let files: Vec<_> = files
            .map(|add| LakeFile { path: add.path.clone(), size: add.size.cast_unsigned(), written_ms: 0 })
            .collect();
        let read = |file: LakeFile| {
            let lake = self.clone();
            async move {
                let footer = lake.footer(table, &file).await;
                (file.path, footer)
            }
        };
        let mut footers = stream::iter(files).map(read).buffer_unordered(READ_AT_ONCE);
        let (mut unpacked, mut failed) = (HashMap::new(), 0);
        while let Some((path, footer)) = footers.next().await {
            let cause = match footer {
                Ok(Some(footer)) => {
                    unpacked.insert(path, rows::unpacked_bytes(&footer));
                    continue;
                }
                Ok(None) => "it has no valid footer".to_owned(),
                Err(error) => error.to_string(),
            };
            failed += 1;
            tracing::warn!(table = table.name(), path, cause, "could not compact a file of the lake");
        }
        (unpacked, failed)
    }

    /// Returns the number of duplicates, or `None` if another commit came first.
    async fn compact_group(
        &self,
        table: Table,
        snapshot: &Arc<Snapshot>,
        date: Date,
        group: &[Add],
    ) -> Result<Option<u64>, DeltaError> {
        let neighbours = may_share(snapshot, date, group);
        let is_lone = group.len() == 1;
        if is_lone && neighbours.is_empty() {
            return Ok(None);
        }
        // A row that amends one of another day stays in its own file: the views use the later one.
        let checked: &[&Add] = if schema::is_amended(table) { &[] } else { &neighbours[..] };
        let files = self.read_all(table, group.iter().map(|add| add.path.clone()).collect()).await?;
        let existing = self.shared_ids(table, &files, checked).await?;
        let (file, duplicates) = blocking(move || merge(table, files, &existing)).await?;
        if is_lone && duplicates == 0 {
            return Ok(None);
        }
        self.admit(file.bytes.len()).map_err(|error| DeltaError::Other(error.to_string()))?;
        let path = format!("received_date={date}/joined-{}-{}.parquet", self.node, self.fresh_id());
        let nodes = group.iter().flat_map(nodes_of).collect();
        let add = self.add(date, path.clone(), &file, &nodes);
        self.put(table, &path, file.bytes.into()).await?;
        let removed: Vec<String> = group.iter().map(|add| add.path.clone()).collect();
        // A row was dropped because another file has its id: that file must not change.
        let needed: Vec<String> = neighbours.iter().map(|add| add.path.clone()).collect();
        let plan = |now: &Snapshot| {
            let is_there = |path: &String| now.files.contains_key(path);
            (removed.iter().all(is_there) && needed.iter().all(is_there)).then(|| Change {
                operation: "OPTIMIZE",
                changes_rows: duplicates > 0,
                add: vec![add.clone()],
                remove: removed.clone(),
                writer: None,
            })
        };
        let is_committed = self.log(table).await?.commit(plan).await?;
        if !is_committed {
            // An erasure that came first has not checked this file.
            self.remove(table, &path).await?;
        }
        Ok(is_committed.then_some(duplicates))
    }

    /// The ids of `files` that the neighbours have too.
    async fn shared_ids(
        &self,
        table: Table,
        files: &[Bytes],
        neighbours: &[&Add],
    ) -> Result<HashSet<String>, DeltaError> {
        if neighbours.is_empty() {
            return Ok(HashSet::new());
        }
        let files = files.to_vec();
        let ids = blocking(move || {
            let mut ids = HashSet::new();
            for file in files {
                rows::visit_ids(file, |id| {
                    ids.insert(id.to_owned());
                })?;
            }
            Ok(Arc::new(ids))
        });
        let (ids, mut shared) = (ids.await?, HashSet::new());
        for add in neighbours {
            let ids = Arc::clone(&ids);
            let read = async {
                let file = self.read(table, &add.path).await?;
                let find = move || {
                    let mut found = Vec::new();
                    rows::visit_ids(file, |id| found.extend(ids.get(id).cloned()))?;
                    Ok(found)
                };
                blocking(find).await
            };
            match read.await {
                Ok(found) => shared.extend(found),
                // Nobody reads the rows of a damaged or missing file, so it stops no group.
                Err(error @ (DeltaError::Unreadable(_) | DeltaError::Store(object_store::Error::NotFound { .. }))) => {
                    tracing::warn!(table = table.name(), path = add.path, %error, "could not read a file of the lake");
                }
                Err(error) => return Err(error),
            }
        }
        Ok(shared)
    }
}

/// Runs work that would block requests on this thread.
async fn blocking<T: Send + 'static>(
    work: impl FnOnce() -> Result<T, RowsError> + Send + 'static,
) -> Result<T, DeltaError> {
    let done = tokio::task::spawn_blocking(work).await.map_err(|error| DeltaError::Other(error.to_string()))?;
    Ok(done?)
}

#[cfg(test)]
mod tests;
