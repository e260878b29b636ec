//! The files of a folder of reports.

use std::fs::{self, File, OpenOptions};
use std::io::{self, Write};
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};

use uuid::Uuid;

/// The ending of what stands beside a log.
pub(super) const FACTS: &str = "json";
/// The ending of a log.
pub(super) const LOG: &str = "jsonl.gz";
/// The ending of a log that an earlier version stored, not compressed.
pub(super) const PLAIN_LOG: &str = "jsonl";
/// The ending of a file that is being written.
const UNFINISHED: &str = "new";

/// Makes the folder, and removes what a crash left of reports that do not exist.
pub(super) fn prepare(folder: &Path) -> io::Result<()> {
    fs::create_dir_all(folder).map_err(|error| naming(folder, &error))?;
    for entry in fs::read_dir(folder).map_err(|error| naming(folder, &error))? {
        let path = entry?.path();
        let Some((stem, ending)) = parts(&path) else { continue };
        let half = match ending {
            UNFINISHED => true,
            LOG | PLAIN_LOG => !sibling(&path, stem, FACTS).is_file(),
            _ => false,
        };
        if half && id_of(stem).is_some() {
            remove(&path)?;
        }
    }
    Ok(())
}

/// The ids of all reports, in no order.
pub(super) fn ids(folder: &Path) -> io::Result<Vec<Uuid>> {
    let mut found = Vec::new();
    for entry in fs::read_dir(folder).map_err(|error| naming(folder, &error))? {
        let path = entry?.path();
        if path.extension().is_some_and(|ending| ending == FACTS) {
            found.extend(path.file_stem().and_then(|stem| stem.to_str()).and_then(id_of));
        }
    }
    Ok(found)
}

/// A file's name up to its first dot, and what stands behind that.
fn parts(path: &Path) -> Option<(&str, &str)> {
    path.file_name()?.to_str()?.split_once('.')
}

fn sibling(path: &Path, stem: &str, ending: &str) -> PathBuf {
    path.with_file_name(format!("{stem}.{ending}"))
}

/// The id that a text is. Nothing else may become part of a path.
pub(super) fn id_of(text: &str) -> Option<Uuid> {
    Uuid::try_parse(text).ok().filter(|id| id.to_string() == text)
}

/// When a `UUIDv7` was made, Unix milliseconds.
pub(super) fn made_at_ms(id: Uuid) -> u64 {
    (id.as_u128() >> 80) as u64
}

/// Writes a file whole or not at all; readable by the worker's own user alone, since it tells what someone did.
pub(super) fn write(path: &Path, bytes: &[u8]) -> io::Result<()> {
    let stem = parts(path).map_or("report", |(stem, _)| stem);
    let unfinished = sibling(path, stem, UNFINISHED);
    let written = OpenOptions::new()
        .write(true)
        .create(true)
        .truncate(true)
        .mode(0o600)
        .open(&unfinished)
        .and_then(|mut file| file.write_all(bytes).and_then(|()| file.sync_all()))
        .and_then(|()| fs::rename(&unfinished, path))
        .and_then(|()| path.parent().map_or(Ok(()), |folder| File::open(folder)?.sync_all()));
    written.map_err(|error| {
        // What could not be written whole must not take up a disk that may be full.
        let _ = fs::remove_file(&unfinished);
        naming(path, &error)
    })
}

/// Removes a file; one that is gone already is fine.
pub(super) fn remove(path: &Path) -> io::Result<()> {
    match fs::remove_file(path) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => Err(naming(path, &error)),
        _ => Ok(()),
    }
}

/// A file's bytes; 0 for one that is gone.
pub(super) fn size(path: &Path) -> u64 {
    fs::metadata(path).map_or(0, |facts| facts.len())
}

fn naming(path: &Path, error: &io::Error) -> io::Error {
    io::Error::new(error.kind(), format!("{}: {error}", path.display()))
}
