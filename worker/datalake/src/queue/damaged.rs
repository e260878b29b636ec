//! Damaged databases. A database found damaged is marked, moved aside when the queue is opened next, and left there
//! until an operator removes it. Nothing is deleted: it may be the only copy of acknowledged events.

use std::fs;
use std::path::{Path, PathBuf};

use serde::Serialize;
use utoipa::ToSchema;

use super::folder::{self, damage_note, mark};
use super::store::StoreError;

const ASIDE: &str = "damaged-";

/// A damaged queue that was moved aside, until an operator removes it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, ToSchema)]
pub struct DamagedQueue {
    /// Its folder.
    pub folder: String,
    /// Its size on disk, in bytes.
    pub bytes: u64,
    /// A description of the damage; empty if it could not be recorded.
    pub why: String,
}

/// Moves a damaged database aside, and returns its new path.
pub(crate) fn move_aside(folder: &Path, epoch: &str, why: &str) -> Result<PathBuf, StoreError> {
    let from = folder.join(folder::name(epoch));
    if damage_note(&from).is_none() {
        mark(&from, why);
    }
    let mut aside = folder.join(format!("{ASIDE}{epoch}"));
    let mut n = 1;
    while aside.exists() {
        n += 1;
        aside = folder.join(format!("{ASIDE}{epoch}-{n}"));
    }
    fs::rename(&from, &aside).map_err(folder::disk(&from))?;
    folder::sync(folder)?;
    Ok(aside)
}

/// The damaged queues in `folder`, oldest first. Unreadable ones are skipped.
pub(crate) fn list(folder: &Path) -> Vec<DamagedQueue> {
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    let aside = entries.filter(|entry| entry.file_name().to_string_lossy().starts_with(ASIDE));
    let mut paths: Vec<PathBuf> = aside.map(|entry| entry.path()).collect();
    // Epochs sort by time.
    paths.sort();
    let describe = |path: PathBuf| {
        let why = damage_note(&path).unwrap_or_default();
        DamagedQueue { folder: path.display().to_string(), bytes: bytes_below(&path), why }
    };
    paths.into_iter().map(describe).collect()
}

fn bytes_below(folder: &Path) -> u64 {
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    let bytes = entries.map(|entry| match entry.metadata() {
        Ok(metadata) if metadata.is_dir() => bytes_below(&entry.path()),
        Ok(metadata) => metadata.len(),
        Err(_) => 0,
    });
    bytes.sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn birth_only(folder: &Path, epoch: &str) {
        drop(folder::create(folder, epoch, |_| Ok(())).unwrap());
    }

    #[test]
    fn a_marked_database_is_damaged_when_opened_next() {
        let folder = tempfile::tempdir().unwrap();
        birth_only(folder.path(), "1");
        mark(&folder.path().join("queue-1"), "a hole");
        assert!(matches!(folder::open(folder.path(), "1"), Err(StoreError::Corrupt(why)) if why.contains("a hole")));
    }

    #[test]
    fn damaged_databases_are_moved_to_unique_names_and_never_deleted() {
        let folder = tempfile::tempdir().unwrap();
        for n in 1..=12 {
            birth_only(folder.path(), "1");
            move_aside(folder.path(), "1", &format!("the {n}th hole")).unwrap();
        }
        assert_eq!(folder::epochs(folder.path()).unwrap(), Vec::<String>::new());
        let queues = list(folder.path());
        let mut reasons: Vec<_> = queues.iter().map(|damaged| damaged.why.clone()).collect();
        reasons.sort();
        let mut moved: Vec<_> = (1..=12).map(|n| format!("the {n}th hole")).collect();
        moved.sort();
        assert_eq!(reasons, moved);
        for damaged in queues {
            assert!(damaged.bytes > 0 && Path::new(&damaged.folder).join("db").exists(), "{damaged:?}");
        }
    }

    #[test]
    fn the_first_damage_is_reported() {
        let folder = tempfile::tempdir().unwrap();
        birth_only(folder.path(), "1");
        mark(&folder.path().join("queue-1"), "a hole");
        move_aside(folder.path(), "1", "it was found damaged").unwrap();
        assert_eq!(list(folder.path())[0].why, "a hole");
    }
}
