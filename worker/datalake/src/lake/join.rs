//! Joining a closed day's many small files into few of a useful size.
//!
//! The joined file is written first and its parts are removed a day later, by when no query that listed them still
//! runs. In between the documented views, which keep one row of an `event_id`, hide the overlap. Nothing is noted down:
//! that a file is covered by another is read off their names.

use std::collections::BTreeMap;

use jiff::civil::Date;
use serde::Serialize;

use crate::rows;
use crate::sinks::lake::{FileName, Lake, LakeFile};
use crate::table::Table;

/// For how long parts stay beside their joined file, milliseconds.
const OVERLAP_MS: i64 = 24 * 60 * 60 * 1000;
/// Bytes of parts that become one file.
const JOINED_BYTES: u64 = 32 << 20;
/// Another worker's files that nobody touched for so long are a retired one's, milliseconds: any worker joins them. All
/// see the same files by then, and give what they join the same name.
const RETIRED_MS: i64 = 7 * 24 * 60 * 60 * 1000;

/// What a compaction did.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize)]
pub struct Compacted {
    /// Files written.
    pub joined: u64,
    /// Parts removed.
    pub removed: u64,
}

/// What is to be done with one day.
#[derive(Debug, Default)]
struct Work {
    join: Vec<Vec<LakeFile>>,
    remove: Vec<LakeFile>,
}

fn work(files: &[LakeFile], node: &str, now_ms: i64) -> Work {
    let mut work = Work::default();
    let mut group: Vec<LakeFile> = Vec::new();
    let mut close = |group: &mut Vec<LakeFile>| {
        let group = std::mem::take(group);
        if group.len() > 1 {
            work.join.push(group);
        }
    };
    let mut newest: BTreeMap<String, i64> = BTreeMap::new();
    for file in files {
        let written_ms = newest.entry(file.name.node.clone()).or_insert(file.written_ms);
        *written_ms = file.written_ms.max(*written_ms);
    }
    let retired = |of: &str| newest.get(of).is_some_and(|written_ms| now_ms - written_ms >= RETIRED_MS);
    let own: Vec<_> = files.iter().filter(|file| file.name.node == node || retired(&file.name.node)).cloned().collect();
    for file in &own {
        match own.iter().find(|other| other.name.covers(&file.name)) {
            Some(cover) if now_ms - cover.written_ms >= OVERLAP_MS => work.remove.push(file.clone()),
            Some(_) => {}
            None => {
                let bytes: u64 = group.iter().map(|file| file.size).sum();
                let fits = group.last().is_none_or(|last| last.name.continues_in(&file.name))
                    && bytes + file.size <= JOINED_BYTES;
                if !fits {
                    close(&mut group);
                }
                group.push(file.clone());
            }
        }
    }
    close(&mut group);
    work
}

/// Compacts the days of `table` before `open_from`: the first day that may still get files.
pub(crate) async fn compact(lake: &Lake, table: Table, open_from: Date, now_ms: i64) -> Result<Compacted, String> {
    let fault = |e: object_store::Error| e.to_string();
    let mut done = Compacted::default();
    for date in lake.days(table).await.map_err(fault)?.into_iter().filter(|date| *date < open_from) {
        let work = work(&lake.files(table, date).await.map_err(fault)?, lake.node(), now_ms);
        for part in &work.remove {
            lake.remove(&part.path).await.map_err(fault)?;
            done.removed += 1;
        }
        for parts in &work.join {
            let (Some(first), Some(last)) = (parts.first(), parts.last()) else { continue };
            let mut files = Vec::with_capacity(parts.len());
            for part in parts {
                files.push(lake.read(&part.path).await.map_err(fault)?);
            }
            let joined = tokio::task::spawn_blocking(move || {
                let mut batches = Vec::new();
                for file in files {
                    batches.extend(rows::from_parquet(table, file)?);
                }
                rows::to_parquet(table, &batches)
            });
            let joined = joined.await.map_err(|e| e.to_string())?.map_err(|e| e.to_string())?;
            lake.admit(joined.len()).map_err(|e| e.to_string())?;
            let name = FileName { last: last.name.last, ..first.name.clone() };
            lake.put_if_absent(&lake.path(table, date, &name), joined.into()).await.map_err(fault)?;
            done.joined += 1;
        }
    }
    Ok(done)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn file(name: &str, size: u64, written_ms: i64) -> LakeFile {
        LakeFile { name: FileName::parse(name).unwrap(), path: name.into(), size, written_ms }
    }

    fn names(files: &[LakeFile]) -> Vec<String> {
        files.iter().map(|file| file.path.to_string()).collect()
    }

    #[test]
    fn files_of_one_epoch_are_joined_in_order_up_to_a_useful_size() {
        let big = JOINED_BYTES / 2;
        let files = vec![
            file("m-e1-0-9.parquet", 1, 0),
            file("n-e1-0-9.parquet", big, 0),
            file("n-e1-10-19.parquet", big, 0),
            file("n-e1-20-29.parquet", 1, 0),
            file("n-e2-30-39.parquet", 1, 0),
            file("n-e2-40-49.parquet", 1, 0),
        ];
        let work = work(&files, "n", 0);
        let joined: Vec<_> = work.join.iter().map(|group| names(group)).collect();
        assert_eq!(joined, [["n-e1-0-9.parquet", "n-e1-10-19.parquet"], ["n-e2-30-39.parquet", "n-e2-40-49.parquet"]]);
        assert!(work.remove.is_empty());
    }

    #[test]
    fn parts_go_a_day_after_their_joined_file_came_and_are_not_joined_again() {
        let files =
            || vec![file("n-e-0-19.parquet", 2, 1000), file("n-e-0-9.parquet", 1, 0), file("n-e-10-19.parquet", 1, 0)];
        let before = work(&files(), "n", 1000 + OVERLAP_MS - 1);
        assert!(before.join.is_empty() && before.remove.is_empty());
        let after = work(&files(), "n", 1000 + OVERLAP_MS);
        assert_eq!(names(&after.remove), ["n-e-0-9.parquet", "n-e-10-19.parquet"]);
        assert!(after.join.is_empty());
    }

    #[test]
    fn a_retired_workers_files_are_joined_by_another_and_a_living_ones_are_left_to_it() {
        let files = [
            file("m-e-0-9.parquet", 1, 0),
            file("m-e-10-19.parquet", 1, 1000),
            file("n-e-20-29.parquet", 1, 0),
            file("n-e-30-39.parquet", 1, 0),
        ];
        let joined = |now_ms| work(&files, "n", now_ms).join.iter().map(|group| names(group)).collect::<Vec<_>>();
        let own = vec!["n-e-20-29.parquet".to_owned(), "n-e-30-39.parquet".to_owned()];
        assert_eq!(joined(1000 + RETIRED_MS - 1), std::slice::from_ref(&own));
        let retired = vec!["m-e-0-9.parquet".to_owned(), "m-e-10-19.parquet".to_owned()];
        assert_eq!(joined(1000 + RETIRED_MS), [retired, own]);
    }
}
