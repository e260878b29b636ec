//! Files of a broadcast, and stamps that identify their versions.

use std::fs;
use std::io;
use std::os::unix::fs::MetadataExt;
use std::path::Path;

use serde::{Deserialize, Serialize};

/// Distinguishes a file from a later one with the same name, and from an overwritten version.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Stamp {
    modified_ns: i64,
    len: u64,
}

impl Stamp {
    /// Returns the stamp of a regular file and the time of its last write, in milliseconds since 1970. Returns `None`
    /// for links, which might lead out of the folder.
    pub(super) fn of(path: &Path) -> Option<(Self, i64)> {
        let meta = fs::symlink_metadata(path).ok().filter(fs::Metadata::is_file)?;
        Some(Self::of_file(&meta))
    }

    /// Returns the same for an open file.
    pub(super) fn of_file(meta: &fs::Metadata) -> (Self, i64) {
        let modified_ns = meta.mtime().saturating_mul(1_000_000_000).saturating_add(meta.mtime_nsec());
        (Self { modified_ns, len: meta.len() }, modified_ns / 1_000_000)
    }

    pub(super) fn len(&self) -> u64 {
        self.len
    }

    /// Changes with every write.
    pub(super) fn modified(&self) -> u64 {
        self.modified_ns.unsigned_abs()
    }
}

/// Returns whether the name refers to the open file.
pub(super) fn is_linked(name: &Path, file: &fs::Metadata) -> bool {
    fs::symlink_metadata(name).is_ok_and(|meta| (meta.dev(), meta.ino()) == (file.dev(), file.ino()))
}

/// Replaces a hard link by a copy with the same modification time.
pub(super) fn detach(path: &Path) -> io::Result<()> {
    let meta = fs::symlink_metadata(path)?;
    if meta.nlink() < 2 {
        return Ok(());
    }
    let unfinished = path.with_extension("copying");
    fs::copy(path, &unfinished)?;
    fs::File::options().write(true).open(&unfinished)?.set_modified(meta.modified()?)?;
    fs::rename(unfinished, path)
}

/// Writes a file atomically.
pub(super) fn write_atomically(path: &Path, bytes: &[u8]) -> io::Result<()> {
    if let Some(folder) = path.parent() {
        fs::create_dir_all(folder)?;
    }
    let unfinished = path.with_extension("writing");
    fs::write(&unfinished, bytes)?;
    fs::rename(unfinished, path)
}

/// Returns the total size of the files below a folder.
pub(super) fn size(folder: &Path) -> u64 {
    let Ok(entries) = fs::read_dir(folder) else { return 0 };
    let of = |entry: fs::DirEntry| match entry.metadata() {
        Ok(meta) if meta.is_dir() => size(&entry.path()),
        Ok(meta) => meta.len(),
        Err(_) => 0,
    };
    entries.filter_map(Result::ok).map(of).sum()
}
