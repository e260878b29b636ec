//! Files that a worker was writing when it was killed. object_store writes a file in a folder as its name, `#` and a
//! number, and renames it afterwards. Its listing omits such files. A bucket has none.

use std::io;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use crate::lake::names;

/// Age at which nobody is writing such a file any more, milliseconds.
const UNFINISHED_MS: i128 = 60 * 60 * 1000;

pub(super) struct Unfinished {
    path: PathBuf,
    written: SystemTime,
}

impl Unfinished {
    /// Whether it was the unfinished write of a file with rows.
    fn has_rows(&self) -> bool {
        finished_name(&self.path).is_some_and(|name| name.ends_with(".parquet"))
    }

    /// Whether the worker `node` was writing it. Log files do not name their writer.
    fn is_of(&self, node: &str) -> bool {
        finished_name(&self.path).is_some_and(|name| names::node_of(name) == Some(node))
    }

    fn is_old(&self, now_ms: i64) -> bool {
        let written = self.written.duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default();
        i128::from(now_ms) - written.as_millis().cast_signed() >= UNFINISHED_MS
    }
}

/// The final name of an unfinished file; `None` for any other file.
pub(super) fn finished_name(path: &Path) -> Option<&str> {
    let (name, number) = path.file_name()?.to_str()?.rsplit_once('#')?;
    (!number.is_empty() && number.bytes().all(|byte| byte.is_ascii_digit())).then_some(name)
}

/// The unfinished files in a folder. Unreadable entries are skipped.
fn find(folder: &Path) -> Vec<Unfinished> {
    let mut found = Vec::new();
    let mut folders = vec![folder.to_owned()];
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(folder).into_iter().flatten().flatten() {
            let path = entry.path();
            if entry.file_type().is_ok_and(|kind| kind.is_dir()) {
                folders.push(path);
            } else if finished_name(&path).is_some()
                && let Ok(written) = entry.metadata().and_then(|facts| facts.modified())
            {
                found.push(Unfinished { path, written });
            }
        }
    }
    found
}

/// Removes the files that `is_selected` selects, and returns how many. Failures are logged.
fn remove(folder: &Path, is_selected: impl Fn(&Unfinished) -> bool) -> u64 {
    let mut removed = 0;
    for Unfinished { path, .. } in find(folder).into_iter().filter(is_selected) {
        match std::fs::remove_file(&path) {
            Ok(()) => removed += 1,
            Err(error) if error.kind() == io::ErrorKind::NotFound => {}
            Err(error) => {
                tracing::warn!(path = %path.display(), %error, "could not remove an unfinished file of the lake");
            }
        }
    }
    removed
}

/// The present moment by the clock of the folder's disk.
pub(super) fn moment_of(folder: &Path) -> io::Result<SystemTime> {
    let path = folder.join("moment");
    // A kill may have left it.
    let _ = std::fs::remove_dir(&path);
    std::fs::create_dir(&path)?;
    let moment = path.metadata()?.modified()?;
    std::fs::remove_dir(path)?;
    Ok(moment)
}

/// Removes old files, and those that `node` was writing before it started.
pub(super) fn remove_leftovers(folder: &Path, node: &str, started: SystemTime, now_ms: i64) {
    remove(folder, |file| (file.is_of(node) && file.written < started) || file.is_old(now_ms));
}

/// Removes old files in `folder`, and returns how many.
pub(super) fn remove_old(folder: &Path, now_ms: i64) -> u64 {
    remove(folder, |file| file.is_old(now_ms))
}

/// The files that may contain rows, relative to `root`.
pub(super) fn with_rows(root: &Path) -> Vec<String> {
    let below = |file: Unfinished| {
        file.has_rows().then(|| Some(file.path.strip_prefix(root).ok()?.to_str()?.to_owned())).flatten()
    };
    find(root).into_iter().filter_map(below).collect()
}

#[cfg(test)]
mod tests {
    use std::fs::File;
    use std::time::Duration;

    use super::*;

    #[test]
    fn a_restarted_worker_removes_only_its_unfinished_files() {
        let folder = tempfile::tempdir().unwrap();
        let day = folder.path().join("event/received_date=2026-11-21");
        std::fs::create_dir_all(&day).unwrap();
        let others = ["joined-n2-0a.parquet#1", "n1-e-0-9.parquet", "n2-e-0-9.parquet#1"];
        let leftovers =
            ["n1-e-10-19.parquet#1", "n1-e-0-19.parquet#23", "joined-n1-0a.parquet#1", "erased-n1-0b.parquet#4"];
        let started = moment_of(folder.path()).unwrap();
        let write = |name: &&str, written: SystemTime| {
            std::fs::write(day.join(name), "x").unwrap();
            File::open(day.join(name)).unwrap().set_modified(written).unwrap();
        };
        others.iter().chain(&leftovers).for_each(|name| write(name, started - Duration::from_millis(1)));
        write(&"joined-n2-0b.parquet#2", SystemTime::UNIX_EPOCH);
        // The file that the worker is writing now.
        write(&"n1-e-20-29.parquet#1", started);
        remove_leftovers(folder.path(), "n1", started, 2 * 60 * 60 * 1000);
        std::fs::remove_file(day.join("n1-e-20-29.parquet#1")).unwrap();
        let mut remaining: Vec<_> = std::fs::read_dir(&day).unwrap().map(|entry| entry.unwrap().file_name()).collect();
        remaining.sort();
        assert_eq!(remaining, others);
    }
}
