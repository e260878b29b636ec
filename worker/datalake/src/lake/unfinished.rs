//! Files that a worker was writing when it was killed. object_store writes a file in a folder as its name, `#` and a
//! number, and renames it afterwards. Its listing omits such files. A bucket has none.

use std::path::{Path, PathBuf};
use std::time::SystemTime;

use crate::lake::names;

/// Age at which nobody is writing such a file any more, milliseconds.
const UNFINISHED_MS: i128 = 60 * 60 * 1000;

pub(super) struct Unfinished {
    path: PathBuf,
    /// Unix milliseconds.
    written_ms: i128,
}

impl Unfinished {
    /// Whether it would have become a file with rows.
    fn has_rows(&self) -> bool {
        finished_name(&self.path).is_some_and(|name| name.ends_with(".parquet"))
    }

    /// Whether the worker `node` was writing it. Log files do not name their writer.
    fn is_of(&self, node: &str) -> bool {
        finished_name(&self.path).is_some_and(|name| names::node_of(name) == Some(node))
    }

    fn is_old(&self, now_ms: i64) -> bool {
        i128::from(now_ms) - self.written_ms >= UNFINISHED_MS
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
            } else if finished_name(&path).is_some() {
                let written = entry.metadata().and_then(|facts| facts.modified()).ok();
                let written = written.and_then(|at| at.duration_since(SystemTime::UNIX_EPOCH).ok());
                if let Some(written) = written {
                    found.push(Unfinished { path, written_ms: written.as_millis().cast_signed() });
                }
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
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => {}
            Err(error) => {
                tracing::warn!(path = %path.display(), %error, "could not remove an unfinished file of the lake");
            }
        }
    }
    removed
}

/// Removes old files, and those of `node`, which is starting.
pub(super) fn remove_at_start(folder: &Path, node: &str, now_ms: i64) {
    remove(folder, |file| file.is_of(node) || file.is_old(now_ms));
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
    use super::*;

    #[test]
    fn a_restarted_worker_removes_only_its_unfinished_files() {
        let folder = tempfile::tempdir().unwrap();
        let day = folder.path().join("event/received_date=2026-11-21");
        std::fs::create_dir_all(&day).unwrap();
        let others = ["joined-n2-0a.parquet#1", "n1-e-0-9.parquet", "n2-e-0-9.parquet#1"];
        let leftovers =
            ["n1-e-10-19.parquet#1", "n1-e-0-19.parquet#23", "joined-n1-0a.parquet#1", "erased-n1-0b.parquet#4"];
        for name in others.iter().chain(&leftovers).chain(&["joined-n2-0b.parquet#2"]) {
            std::fs::write(day.join(name), "x").unwrap();
        }
        let long_ago = SystemTime::UNIX_EPOCH;
        std::fs::File::open(day.join("joined-n2-0b.parquet#2")).unwrap().set_modified(long_ago).unwrap();
        remove_at_start(folder.path(), "n1", 2 * 60 * 60 * 1000);
        let mut remaining: Vec<_> = std::fs::read_dir(&day).unwrap().map(|entry| entry.unwrap().file_name()).collect();
        remaining.sort();
        assert_eq!(remaining, others);
    }
}
