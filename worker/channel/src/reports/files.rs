//! Files in the folder of reports.

use std::fs::{self, File, OpenOptions};
use std::io::{self, Write};
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};

use uuid::Uuid;

/// Extension of a report's facts.
pub(super) const FACTS: &str = "json";
/// Extension of a log.
pub(super) const LOG: &str = "jsonl.gz";
/// Extension of an uncompressed log of an earlier version.
pub(super) const PLAIN_LOG: &str = "jsonl";
/// Extension of a file that is being written.
const UNFINISHED: &str = "new";

/// Creates the folder and removes leftovers of a crash.
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

/// Ids of all reports, unsorted.
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

/// Splits a file's name at its first dot.
fn parts(path: &Path) -> Option<(&str, &str)> {
    path.file_name()?.to_str()?.split_once('.')
}

fn sibling(path: &Path, stem: &str, ending: &str) -> PathBuf {
    path.with_file_name(format!("{stem}.{ending}"))
}

/// Parses an id. Nothing else may become part of a path.
pub(super) fn id_of(text: &str) -> Option<Uuid> {
    Uuid::try_parse(text).ok().filter(|id| id.to_string() == text)
}

/// Time of a `UUIDv7`, in Unix milliseconds.
pub(super) fn created_at_ms(id: Uuid) -> u64 {
    (id.as_u128() >> 80) as u64
}

/// Writes a file atomically. Only the worker's user can read it, since it records a person's actions.
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
        // A partial file must not fill a disk that may be full.
        let _ = fs::remove_file(&unfinished);
        naming(path, &error)
    })
}

/// Removes a file. A missing file is not an error.
pub(super) fn remove(path: &Path) -> io::Result<()> {
    match fs::remove_file(path) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => Err(naming(path, &error)),
        _ => Ok(()),
    }
}

/// Size of a file in bytes; 0 if it is missing.
pub(super) fn size(path: &Path) -> u64 {
    fs::metadata(path).map_or(0, |facts| facts.len())
}

fn naming(path: &Path, error: &io::Error) -> io::Error {
    io::Error::new(error.kind(), format!("{}: {error}", path.display()))
}
