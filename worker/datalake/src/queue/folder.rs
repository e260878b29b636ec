//! The queue's folder. Each database is a subfolder `queue-<epoch>`.
//!
//! A database is created under another name and renamed when it is complete, with a record that says so. A folder
//! without that record has lost its content and is damaged.

use std::path::Path;
use std::{fs, io};

use touchline_protocol::ambient::{Clock, Entropy};

use super::keys;
use super::sled_store::SledStore;
use super::store::{Changes, Store, StoreError};

const PREFIX: &str = "queue-";
const UNFINISHED: &str = ".unfinished";
const NAME: &[u8] = b"touchline-queue ";
const FORMAT: &[u8] = b"touchline-queue 1";
/// A file in a damaged database that describes the damage.
const MARK: &str = "DAMAGED";

pub(crate) struct QueueFolder {
    pub(crate) store: SledStore,
    pub(crate) epoch: String,
}

/// Marks the database, so that the next start moves it aside. Best effort: the damage would be found again anyway.
pub(crate) fn mark(database: &Path, why: &str) {
    if let Err(e) = fs::write(database.join(MARK), why) {
        tracing::warn!(path = %database.display(), error = %e, "could not mark the queue as damaged");
    }
}

/// The description in a database's mark.
pub(crate) fn damage_note(database: &Path) -> Option<String> {
    fs::read_to_string(database.join(MARK)).ok()
}

/// Names a new database. Epochs sort by time, and after `before` even if the clock went back. The random suffix
/// distinguishes two machines, or a replaced disk.
pub(crate) fn new_epoch(clock: &dyn Clock, entropy: &dyn Entropy, before: Option<&str>) -> String {
    let before_ms = before.and_then(|epoch| i64::from_str_radix(epoch.get(..12)?, 16).ok());
    let ms = clock.now_ms().max(before_ms.map_or(0, |ms| ms + 1));
    format!("{ms:012x}{:04x}", entropy.next_u64() >> 48)
}

pub(crate) fn name(epoch: &str) -> String {
    format!("{PREFIX}{epoch}")
}

pub(super) fn disk(path: &Path) -> impl Fn(io::Error) -> StoreError + '_ {
    move |e| {
        let message = format!("{}: {e}", path.display());
        if touchline_disk::is_passing(&e) { StoreError::Passing(message) } else { StoreError::Disk(message) }
    }
}

/// Creates `folder` and its missing parents, and makes their entries durable: files synced in a folder are lost with
/// the folder's entry.
pub(crate) fn make(folder: &Path) -> io::Result<()> {
    let missing = folder.ancestors().take_while(|at| !at.as_os_str().is_empty() && !at.exists()).count();
    fs::create_dir_all(folder)?;
    // At least one parent is synced: an interrupted start may have created the folder.
    for parent in folder.ancestors().skip(1).take(missing.max(1)) {
        let parent = if parent.as_os_str().is_empty() { Path::new(".") } else { parent };
        match fs::File::open(parent).and_then(|parent| parent.sync_all()) {
            // A parent that this process may not open was not created by it.
            Err(e) if e.kind() == io::ErrorKind::PermissionDenied => {}
            done => done?,
        }
    }
    Ok(())
}

/// Makes the folder's own entries durable.
pub(super) fn sync(folder: &Path) -> Result<(), StoreError> {
    fs::File::open(folder).and_then(|folder| folder.sync_all()).map_err(disk(folder))
}

/// The epochs of the databases in `folder`, oldest first. Unfinished ones are removed.
pub(crate) fn epochs(folder: &Path) -> Result<Vec<String>, StoreError> {
    make(folder).map_err(disk(folder))?;
    let mut epochs = Vec::new();
    for entry in fs::read_dir(folder).map_err(disk(folder))? {
        let entry = entry.map_err(disk(folder))?;
        let name = entry.file_name().to_string_lossy().into_owned();
        match name.strip_prefix(PREFIX) {
            Some(epoch) if epoch.ends_with(UNFINISHED) => fs::remove_dir_all(entry.path()).map_err(disk(folder))?,
            Some(epoch) => epochs.push(epoch.to_owned()),
            None => {}
        }
    }
    epochs.sort();
    Ok(epochs)
}

pub(crate) fn open(folder: &Path, epoch: &str) -> Result<QueueFolder, StoreError> {
    let path = folder.join(name(epoch));
    if let Some(why) = damage_note(&path) {
        return Err(StoreError::Corrupt(format!("it was found damaged while in use: {why}")));
    }
    let store = SledStore::open(&path)?;
    match store.get(keys::BIRTH)? {
        Some(format) if format == FORMAT => Ok(QueueFolder { store, epoch: epoch.to_owned() }),
        Some(format) if is_newer(&format) => {
            Err(StoreError::Disk(format!("{} was written by a newer build", path.display())))
        }
        Some(_) => Err(StoreError::Corrupt(format!("{} is not marked as a queue", path.display()))),
        None => Err(StoreError::Corrupt(format!("{} lost its content", path.display()))),
    }
}

/// Whether the format is this one with a higher number.
fn is_newer(format: &[u8]) -> bool {
    let number = |format: &[u8]| {
        std::str::from_utf8(format.strip_prefix(NAME)?).ok().and_then(|number| number.parse::<u32>().ok())
    };
    number(format) > number(FORMAT)
}

/// Creates the database of `epoch` with the initial content of `fill`. It exists completely or not at all.
pub(crate) fn create(
    folder: &Path,
    epoch: &str,
    fill: impl FnOnce(&dyn Store) -> Result<(), StoreError>,
) -> Result<QueueFolder, StoreError> {
    let unfinished = folder.join(format!("{PREFIX}{epoch}{UNFINISHED}"));
    let filled = SledStore::open(&unfinished).and_then(|store| {
        fill(&store)?;
        let mut birth = Changes::default();
        birth.put(keys::BIRTH.to_vec(), FORMAT.to_vec());
        store.commit(birth)
    });
    if let Err(e) = filled {
        // The first failure counts; the next start cleans up too.
        let _ = fs::remove_dir_all(&unfinished);
        return Err(e);
    }
    fs::rename(&unfinished, folder.join(name(epoch))).map_err(disk(&unfinished))?;
    sync(folder)?;
    open(folder, epoch)
}

/// Removes a database whose content was copied to a newer one.
pub(crate) fn remove(folder: &Path, epoch: &str) -> Result<(), StoreError> {
    let path = folder.join(name(epoch));
    fs::remove_dir_all(&path).map_err(disk(&path))
}

#[cfg(test)]
mod tests {
    use touchline_protocol::ambient::{ManualClock, SeededEntropy};

    use super::*;

    fn birth_only(folder: &Path, epoch: &str) {
        drop(create(folder, epoch, |_| Ok(())).unwrap());
    }

    #[test]
    fn a_database_exists_completely_or_not_at_all() {
        let folder = tempfile::tempdir().unwrap();
        assert!(create(folder.path(), "1", |_| Err(StoreError::Disk("full".into()))).is_err());
        assert_eq!(epochs(folder.path()).unwrap(), Vec::<String>::new());
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 0);
        birth_only(folder.path(), "2");
        birth_only(folder.path(), "1");
        assert_eq!(epochs(folder.path()).unwrap(), ["1", "2"]);
        assert!(open(folder.path(), "2").is_ok());
    }

    #[test]
    fn an_empty_database_folder_is_damaged_not_new() {
        let folder = tempfile::tempdir().unwrap();
        birth_only(folder.path(), "1");
        let db = folder.path().join("queue-1");
        fs::remove_dir_all(&db).unwrap();
        fs::create_dir(&db).unwrap();
        assert!(matches!(open(folder.path(), "1"), Err(StoreError::Corrupt(_))));
    }

    #[test]
    fn epochs_sort_by_creation_even_if_the_clock_goes_back() {
        let (clock, entropy) = (ManualClock::at_ms(1_795_255_200_000), SeededEntropy::new(1));
        let first = new_epoch(&*clock, &*entropy, None);
        clock.advance_ms(-3_600_000);
        let second = new_epoch(&*clock, &*entropy, Some(&first));
        assert!(second > first && second.len() == 16, "{first} {second}");
    }
}
