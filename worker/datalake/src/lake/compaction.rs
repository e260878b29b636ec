//! Compacts the many small files of a day into a few large ones without duplicates.
//!
//! Each compaction is one commit that replaces the small files by a large one. Earlier versions can be read from the
//! small files for another seven days. Duplicates arise when a browser sends an unanswered batch to another worker. Of
//! two rows with the same id the one received first stays, or the last if rows are amended.

use std::collections::{BTreeMap, BTreeSet, HashSet};
use std::sync::Arc;

use arrow_array::{Array, UInt32Array};
use arrow_ord::sort::sort_to_indices;
use arrow_schema::ArrowError;
use arrow_select::concat::concat_batches;
use arrow_select::take::take_record_batch;
use bytes::Bytes;
use jiff::civil::Date;
use serde::Serialize;

use super::{Lake, NODES};
use crate::delta::stats::Stats;
use crate::delta::{Add, Change, DeltaError, Snapshot};
use crate::event;
use crate::rows::{self, File, RowsError};
use crate::schema;
use crate::table::Table;

/// Bytes of files that are merged into one.
const MAX_MERGED_BYTES: i64 = 32 << 20;
/// Rows of files that are merged into one. All of them are in memory at once.
const MAX_MERGED_ROWS: u64 = 1_000_000;
/// Files of this size are not compacted.
const LARGE_BYTES: i64 = MAX_MERGED_BYTES / 2;
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

/// The groups of files to compact, ordered by time. For days since `recent` also single files.
fn groups(files: &BTreeMap<String, Add>, recent: Date) -> Vec<(Date, Vec<Add>)> {
    let mut days: BTreeMap<Date, Vec<&Add>> = BTreeMap::new();
    for add in files.values().filter(|add| add.size < LARGE_BYTES) {
        if let Some(date) = date_of(add) {
            days.entry(date).or_default().push(add);
        }
    }
    let mut groups = Vec::new();
    for (date, mut small) in days {
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
        let (mut bytes_in_group, mut rows) = (0, 0);
        for add in small {
            let more = Stats::parse(add.stats.as_deref()).map_or(0, |stats| stats.num_records);
            if bytes_in_group + add.size > MAX_MERGED_BYTES || rows + more > MAX_MERGED_ROWS {
                groups.push((date, std::mem::take(&mut group)));
                (bytes_in_group, rows) = (0, 0);
            }
            bytes_in_group += add.size;
            rows += more;
            group.push(add.clone());
        }
        groups.push((date, group));
    }
    // A single file of these days may have rows that another worker's file has too.
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

/// Merges files, ordered by time, without rows of `existing` ids and without duplicates. Also returns the number of rows
/// left out.
fn merge(table: Table, files: Vec<Bytes>, existing: HashSet<String>) -> Result<(File, u64), RowsError> {
    let mut batches = Vec::new();
    for file in files {
        batches.extend(rows::from_parquet(table, file)?);
    }
    let all = concat_batches(&schema::arrow_schema(table), &batches)?;
    drop(batches);
    let order = |column: &str| -> Result<UInt32Array, RowsError> {
        let times = all.column_by_name(column).ok_or_else(|| ArrowError::SchemaError(column.to_owned()))?;
        Ok(sort_to_indices(times, None, None)?)
    };
    let mut seen_ids = existing;
    let mut is_retained = vec![true; all.num_rows()];
    let ids = rows::text(&all, schema::key(table));
    let received = order("received_at")?;
    let mut rows: Vec<usize> = received.values().iter().map(|row| *row as usize).collect();
    if schema::is_amended(table) {
        rows.reverse();
    }
    for row in rows {
        if let Some(id) = ids.and_then(|ids| ids.is_valid(row).then(|| ids.value(row))) {
            is_retained[row] = seen_ids.insert(id.to_owned());
        }
    }
    let duplicates = is_retained.iter().filter(|is_retained| !**is_retained).count() as u64;
    let order: UInt32Array =
        order("occurred_at")?.values().iter().copied().filter(|row| is_retained[*row as usize]).map(Some).collect();
    Ok((rows::to_parquet(table, &[take_record_batch(&all, &order)?])?, duplicates))
}

impl Lake {
    /// Compacts the small files of a table.
    ///
    /// # Errors
    /// If the lake cannot be reached or has no space.
    pub(crate) async fn compact(&self, table: Table) -> Result<Compaction, DeltaError> {
        let log = self.log(table).await?;
        let snapshot = log.snapshot().await?;
        let mut done = Compaction::default();
        let recent = event::date_of((self.clock.now_ms() - RECENT_MS) * 1000);
        for (date, group) in groups(&snapshot.files, recent) {
            // Another worker may have compacted some of them since.
            let snapshot = log.snapshot().await?;
            if !group.iter().all(|add| snapshot.files.contains_key(&add.path)) {
                continue;
            }
            if let Some(duplicates) = self.compact_group(table, &snapshot, date, &group).await? {
                done.written += 1;
                done.merged += group.len() as u64;
                done.duplicates += duplicates;
            }
        }
        Ok(done)
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
        let existing = if schema::is_amended(table) { HashSet::new() } else { self.ids_of(table, &neighbours).await? };
        let files = self.read_all(table, group.iter().map(|add| add.path.clone()).collect()).await?;
        let (file, duplicates) = tokio::task::spawn_blocking(move || merge(table, files, existing))
            .await
            .map_err(|error| DeltaError::Other(error.to_string()))??;
        if is_lone && duplicates == 0 {
            return Ok(None);
        }
        self.admit(file.bytes.len()).map_err(|error| DeltaError::Other(error.to_string()))?;
        let path = format!("received_date={date}/joined-{}-{}.parquet", self.node, self.fresh_id());
        let nodes = group.iter().flat_map(nodes_of).collect();
        let add = self.add(date, path.clone(), file.bytes.len() as u64, &file.stats, &nodes);
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

    async fn ids_of(&self, table: Table, files: &[&Add]) -> Result<HashSet<String>, DeltaError> {
        let mut ids = HashSet::new();
        for add in files {
            let file = self.read(table, &add.path).await?;
            let of_file = tokio::task::spawn_blocking(move || rows::ids(file))
                .await
                .map_err(|error| DeltaError::Other(error.to_string()))??;
            ids.extend(of_file);
        }
        Ok(ids)
    }
}

#[cfg(test)]
mod tests;
