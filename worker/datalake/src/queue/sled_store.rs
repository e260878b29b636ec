//! sled 0.34 as a durable [`Store`].
//!
//! sled's `flush` calls `sync_file_range`, which survives a crash of the process but not a power failure. So the same
//! file is synced afterwards through a second descriptor. Values stay small, so that none spills to a blob file, which
//! sled never syncs.
//!
//! sled mistakes damage in its log for the end of the log, and silently reverts to an earlier state. So commits are
//! numbered in the database, and in a small file beside it that is written after each sync. A database that is behind
//! that file has lost commits. The file itself need not be synced: after a power failure it is behind, which is
//! harmless.

use std::fs::{self, File};
use std::io;
use std::os::unix::fs::FileExt;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::thread;
use std::time::{Duration, SystemTime};

use parking_lot::Mutex;
use rustix::fs::{FlockOperation, flock};

use super::store::{Changes, Entry, Store, StoreError, Visit};

/// The number of the last commit. Sorts before every key of the queue.
const COMMITS: &[u8] = b"\0commits";
const COMMITS_FILE: &str = "commits";
const LOCK_TRIES: u32 = 40;
const LOCK_WAIT: Duration = Duration::from_millis(25);

pub(crate) struct SledStore {
    db: sled::Db,
    /// A second handle of sled's own file, for the fdatasync that sled omits.
    file: File,
    blobs: PathBuf,
    /// Modification time of the blob folder when it was last seen empty.
    blobs_empty_at: Mutex<Option<SystemTime>>,
    commits: AtomicU64,
    commits_file: File,
}

impl SledStore {
    /// Opens or creates the database in `folder`. sled's threads release a closed file a moment after its handle, so a
    /// locked file is retried.
    pub(crate) fn open(folder: &Path) -> Result<Self, StoreError> {
        let mut retries = LOCK_TRIES;
        loop {
            match Self::try_open(folder) {
                Err(StoreError::Locked(_)) if retries > 0 => {
                    retries -= 1;
                    thread::sleep(LOCK_WAIT);
                }
                done => return done,
            }
        }
    }

    fn try_open(folder: &Path) -> Result<Self, StoreError> {
        remove_unfinished_snapshots(folder)?;
        let config = sled::Config::new().path(folder).flush_every_ms(None).cache_capacity(64 << 20);
        // sled panics on some damaged files, which counts as any other damage.
        let db = catch_unwind(AssertUnwindSafe(|| config.open()))
            .map_err(|_| StoreError::Corrupt("sled could not read its file".to_owned()))?
            .map_err(|e| at_open(&e))?;
        // sled never syncs its configuration, and treats a torn one as a damaged database.
        File::open(folder.join("conf")).and_then(|conf| conf.sync_all()).map_err(|e| unopened(&e))?;
        let file = File::open(folder.join("db")).map_err(|e| unopened(&e))?;
        file.sync_all().map_err(|e| disk(&e))?;
        let commits = db.get(COMMITS).map_err(|e| at_open(&e))?.and_then(|value| number(&value)).unwrap_or(0);
        let (commits_file, counted) = open_commits_file(&folder.join(COMMITS_FILE)).map_err(|e| unopened(&e))?;
        File::open(folder).and_then(|folder| folder.sync_all()).map_err(|e| disk(&e))?;
        // 0 is never written.
        if counted.unwrap_or(0) == 0 && commits > 0 {
            tracing::warn!(
                folder = %folder.display(), commits,
                "the queue's commit count is missing; a loss of the latest commits would go unnoticed"
            );
        }
        let counted = counted.unwrap_or(0);
        if commits < counted {
            return Err(StoreError::Corrupt(format!(
                "the last {} of {counted} commits are missing",
                counted - commits
            )));
        }
        let store = Self {
            db,
            file,
            blobs: folder.join("blobs"),
            blobs_empty_at: Mutex::new(None),
            commits: AtomicU64::new(commits),
            commits_file,
        };
        store.assert_no_blobs().map_err(|e| match e {
            StoreError::Disk(why) => StoreError::Corrupt(why),
            other => other,
        })?;
        Ok(store)
    }

    /// Reads the blob folder only if it changed: reading takes a file descriptor, and none may be left.
    fn assert_no_blobs(&self) -> Result<(), StoreError> {
        let changed = match fs::metadata(&self.blobs).and_then(|folder| folder.modified()) {
            Ok(changed) => changed,
            Err(e) if e.kind() == io::ErrorKind::NotFound => return Ok(()),
            Err(e) => return Err(disk(&e)),
        };
        if *self.blobs_empty_at.lock() == Some(changed) {
            return Ok(());
        }
        if fs::read_dir(&self.blobs).map_err(|e| disk(&e))?.next().is_some() {
            return Err(StoreError::Disk("a value spilled to a blob file, which is never synced".to_owned()));
        }
        *self.blobs_empty_at.lock() = Some(changed);
        Ok(())
    }
}

/// While opening, sled writes its log position to a snapshot file that it renames when complete. It treats an
/// incomplete one as a damaged database, but does not need snapshots: without one it reads its log.
fn remove_unfinished_snapshots(folder: &Path) -> Result<(), StoreError> {
    let database = match File::open(folder.join("db")) {
        Ok(database) => database,
        Err(e) if e.kind() == io::ErrorKind::NotFound => return Ok(()),
        Err(e) => return Err(unopened(&e)),
    };
    // A file of another process that is opening the database is not abandoned.
    flock(&database, FlockOperation::NonBlockingLockExclusive).map_err(|e| StoreError::Locked(e.to_string()))?;
    for entry in fs::read_dir(folder).map_err(|e| unopened(&e))? {
        let entry = entry.map_err(|e| unopened(&e))?;
        let name = entry.file_name();
        if name.to_str().is_some_and(|name| name.starts_with("snap.") && name.ends_with(".generating")) {
            fs::remove_file(entry.path()).map_err(|e| unopened(&e))?;
        }
    }
    Ok(())
}

fn number(value: &[u8]) -> Option<u64> {
    value.try_into().ok().map(u64::from_le_bytes)
}

/// The commit count beside the database. A missing or truncated file yields `None`.
fn open_commits_file(path: &Path) -> io::Result<(File, Option<u64>)> {
    let file = File::options().read(true).write(true).create(true).truncate(false).open(path)?;
    if file.metadata()?.len() < 8 {
        file.write_all_at(&[0; 8], 0)?;
        file.sync_all()?;
        return Ok((file, None));
    }
    let mut counted = [0; 8];
    file.read_exact_at(&mut counted, 0)?;
    Ok((file, Some(u64::from_le_bytes(counted))))
}

fn disk(error: &io::Error) -> StoreError {
    if touchline_disk::is_passing(error) {
        StoreError::Passing(error.to_string())
    } else {
        StoreError::Disk(error.to_string())
    }
}

fn fault(error: &sled::Error) -> StoreError {
    match error {
        sled::Error::Corruption { .. } => StoreError::Corrupt(error.to_string()),
        sled::Error::ReportableBug(what) => StoreError::Corrupt(what.clone()),
        // sled copies errors, with only their kind and text.
        sled::Error::Io(e) => disk(e),
        _ => StoreError::Disk(error.to_string()),
    }
}

/// sled writes and calls `sync_file_range` in one step. Unless the write is known to have failed, the sync did.
fn unsynced(error: &sled::Error) -> StoreError {
    match fault(error) {
        StoreError::Disk(message) => StoreError::Unsynced(message),
        other => other,
    }
}

/// A database file that cannot be opened is damaged, unless space, descriptors or permission are missing.
fn unopened(error: &io::Error) -> StoreError {
    use io::ErrorKind::{PermissionDenied, ReadOnlyFilesystem};
    match error.kind() {
        PermissionDenied | ReadOnlyFilesystem => StoreError::Disk(error.to_string()),
        _ if touchline_disk::is_passing(error) => StoreError::Passing(error.to_string()),
        _ => StoreError::Corrupt(error.to_string()),
    }
}

/// sled reports a lock held by another process as an error of kind "other".
fn at_open(error: &sled::Error) -> StoreError {
    match error {
        sled::Error::Io(e) if e.to_string().contains("acquire lock") => StoreError::Locked(e.to_string()),
        sled::Error::Io(e) => unopened(e),
        _ => StoreError::Corrupt(error.to_string()),
    }
}

impl Store for SledStore {
    fn commit(&self, changes: Changes) -> Result<(), StoreError> {
        let mut batch = sled::Batch::default();
        for (key, value) in changes.0 {
            match value {
                Some(value) => batch.insert(key, value),
                None => batch.remove(key),
            }
        }
        let number = self.commits.load(Ordering::Acquire) + 1;
        batch.insert(COMMITS, number.to_le_bytes().as_slice());
        self.db.apply_batch(batch).map_err(|e| fault(&e))?;
        self.db.flush().map_err(|e| unsynced(&e))?;
        self.file.sync_data().map_err(|e| StoreError::Unsynced(e.to_string()))?;
        self.assert_no_blobs()?;
        self.commits_file.write_all_at(&number.to_le_bytes(), 0).map_err(|e| disk(&e))?;
        self.commits.store(number, Ordering::Release);
        Ok(())
    }

    fn get(&self, key: &[u8]) -> Result<Option<Vec<u8>>, StoreError> {
        Ok(self.db.get(key).map_err(|e| fault(&e))?.map(|value| value.to_vec()))
    }

    fn scan(&self, from: &[u8], until: &[u8], visit: Visit<'_>) -> Result<(), StoreError> {
        for entry in self.db.range(from..until) {
            let (key, value) = entry.map_err(|e| fault(&e))?;
            if visit(&key, &value).is_break() {
                break;
            }
        }
        Ok(())
    }

    fn last_before(&self, until: &[u8]) -> Result<Option<Entry>, StoreError> {
        let last = self.db.range(..until).next_back().transpose().map_err(|e| fault(&e))?;
        Ok(last.map(|(key, value)| (key.to_vec(), value.to_vec())))
    }

    fn disk_bytes(&self) -> Result<u64, StoreError> {
        self.db.size_on_disk().map_err(|e| fault(&e))
    }
}

#[cfg(test)]
mod tests {
    use std::ops::ControlFlow;

    use super::*;
    use crate::chunk::MAX_VALUE;

    fn keys(store: &dyn Store) -> Vec<Vec<u8>> {
        let mut keys = Vec::new();
        store
            .scan(&[], &[0xff; 9], &mut |key, _| {
                if key != COMMITS {
                    keys.push(key.to_vec());
                }
                ControlFlow::Continue(())
            })
            .unwrap();
        keys
    }

    #[test]
    fn the_largest_values_are_durable_without_blob_files() {
        let folder = tempfile::tempdir().unwrap();
        let entropy = touchline_protocol::ambient::SeededEntropy::new(1);
        {
            let store = SledStore::open(folder.path()).unwrap();
            for round in 0_u64..15 {
                let mut changes = Changes::default();
                for n in 0..100_u64 {
                    let mut value = vec![0; MAX_VALUE];
                    touchline_protocol::ambient::Entropy::fill(&*entropy, &mut value);
                    changes.put((round * 100 + n).to_be_bytes().to_vec(), value);
                }
                store.commit(changes).unwrap();
            }
            let mut changes = Changes::default();
            changes.remove(7_u64.to_be_bytes().to_vec());
            store.commit(changes).unwrap();
        }
        let store = SledStore::open(folder.path()).unwrap();
        let keys = keys(&store);
        assert_eq!(keys.len(), 1499);
        assert!(keys.is_sorted());
        assert_eq!(store.get(&7_u64.to_be_bytes()).unwrap(), None);
        assert_eq!(store.get(&8_u64.to_be_bytes()).unwrap().map(|value| value.len()), Some(MAX_VALUE));
    }

    #[test]
    fn a_value_in_a_blob_file_is_never_reported_as_durable() {
        let folder = tempfile::tempdir().unwrap();
        let store = SledStore::open(folder.path()).unwrap();
        let changes = Changes(vec![(vec![1], Some(vec![9; 300 * 1024]))]);
        assert!(matches!(store.commit(changes), Err(StoreError::Disk(_))));
    }

    #[test]
    fn a_database_behind_its_commit_count_is_damaged() {
        let folder = tempfile::tempdir().unwrap();
        let put = |key: u8| {
            let mut changes = Changes::default();
            changes.put(vec![key], vec![key]);
            SledStore::open(folder.path()).unwrap().commit(changes).unwrap();
        };
        put(1);
        let earlier = fs::read(folder.path().join("db")).unwrap();
        put(2);
        fs::write(folder.path().join("db"), earlier).unwrap();
        for snapshot in fs::read_dir(folder.path()).unwrap().flatten() {
            if snapshot.file_name().to_string_lossy().starts_with("snap") {
                fs::remove_file(snapshot.path()).unwrap();
            }
        }
        assert!(
            matches!(SledStore::open(folder.path()), Err(StoreError::Corrupt(why)) if why.contains("of 2 commits"))
        );
    }

    #[test]
    fn an_interrupted_opening_leaves_the_database_intact() {
        let folder = tempfile::tempdir().unwrap();
        let store = SledStore::open(folder.path()).unwrap();
        store.commit(Changes(vec![(vec![1], Some(vec![9]))])).unwrap();
        drop(store);
        drop(SledStore::open(folder.path()).unwrap());
        let snapshots = || {
            let names = fs::read_dir(folder.path()).unwrap().map(|entry| entry.unwrap().path());
            names.filter(|path| path.to_string_lossy().contains("snap.")).collect::<Vec<_>>()
        };
        for bytes in [0, 10, 30] {
            for old_is_there in [true, false] {
                let old = snapshots().remove(0);
                let snapshot = fs::read(&old).unwrap();
                fs::write(folder.path().join("snap.00000000FFFFFFFF.generating"), &snapshot[..bytes]).unwrap();
                if !old_is_there {
                    fs::remove_file(old).unwrap();
                }
                let store = SledStore::open(folder.path()).unwrap();
                assert_eq!(store.get(&[1]).unwrap(), Some(vec![9]), "{bytes} bytes, old {old_is_there}");
            }
        }
        assert!(snapshots().iter().all(|path| !path.to_string_lossy().ends_with("generating")));
    }

    #[test]
    fn a_locked_folder_is_reported_as_locked_not_damaged() {
        let folder = tempfile::tempdir().unwrap();
        let _lock = SledStore::open(folder.path()).unwrap();
        assert!(matches!(SledStore::open(folder.path()), Err(StoreError::Locked(_))));
    }
}
