//! The journal's files: JSON Lines in two files, each limited to half of the journal. Lines are appended to the newer
//! file. Once it is full it replaces the older one, whose lines are lost.
//!
//! Nothing is synced: a power cut may lose the last seconds, and readers skip a truncated line.

use std::collections::{BTreeSet, HashSet};
use std::fs::{self, File, OpenOptions};
use std::io::{self, BufRead, BufReader, Write};
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};
use touchline_disk::{Disk, Purpose};

use super::{Bounds, Entry, Excerpt};

const NEWER: &str = "newer.jsonl";
const OLDER: &str = "older.jsonl";
/// The prefix of a [`LostRequests`] line.
const LOST_PREFIX: &[u8] = br#"{"lost""#;

/// The files, open for a single writer.
#[derive(Debug)]
pub(super) struct Files {
    folder: PathBuf,
    /// The limits of one file.
    file_bounds: Bounds,
    disk: Disk,
    newer: Extent,
    older: Extent,
    /// Whether the newer file may end in the middle of a line.
    torn: bool,
    /// Whether the last write failed; only the first failure is logged.
    failing: bool,
}

#[derive(Debug, Default, Clone, Copy)]
struct Extent {
    count: usize,
    bytes: u64,
    /// The time of its first line, in Unix milliseconds.
    began: Option<i64>,
}

/// The timestamp common to all lines.
#[derive(Deserialize)]
struct Moment {
    at: i64,
}

impl Files {
    pub(super) fn open(folder: PathBuf, bounds: Bounds, disk: Disk) -> io::Result<Self> {
        fs::create_dir_all(&folder)?;
        let file_bounds =
            Bounds { count: bounds.count / 2, bytes: bounds.bytes / 2, age_ms: bounds.age_ms / 2, ..bounds };
        let (newer, older) = (measure(&folder.join(NEWER))?, measure(&folder.join(OLDER))?);
        Ok(Self { folder, file_bounds, disk, newer, older, torn: newer.bytes > 0, failing: false })
    }

    /// Writes the entries and the number of lost ones, and removes expired lines. Returns the number of requests that
    /// were not written.
    pub(super) fn write(&mut self, entries: &[Entry], lost: u64, now: i64) -> u64 {
        let result = self.expire(now).and_then(|()| self.append(entries, lost, now));
        match result {
            Ok(()) => self.failing = false,
            Err(error) => {
                if !self.failing {
                    let folder = self.folder.display();
                    tracing::warn!(%folder, %error, "the journal of requests cannot be written; requests are only counted until it can");
                }
                (self.failing, self.torn) = (true, true);
                return lost + entries.len() as u64;
            }
        }
        0
    }

    #[cfg(test)]
    pub(super) fn set_disk(&mut self, disk: Disk) {
        self.disk = disk;
    }

    pub(super) fn lines(&self) -> io::Result<Vec<File>> {
        let opened = [OLDER, NEWER].map(|name| match File::open(self.folder.join(name)) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
            opened => opened.map(Some),
        });
        opened.into_iter().filter_map(Result::transpose).collect()
    }

    fn append(&mut self, entries: &[Entry], lost: u64, now: i64) -> io::Result<()> {
        let mut lines = Vec::with_capacity(entries.len() + 1);
        for entry in entries {
            lines.push((entry.at, serde_json::to_vec(entry)?));
        }
        if lost > 0 {
            lines.push((now, serde_json::to_vec(&LostRequests { lost, at: now })?));
        }
        if lines.is_empty() {
            return Ok(());
        }
        let bytes: usize = lines.iter().map(|(_, line)| line.len() + 1).sum();
        self.disk.admit(Purpose::Reports, &self.folder, bytes as u64)?;
        let mut batch = Vec::with_capacity(bytes + 1);
        for (at, line) in lines {
            let size = line.len() as u64 + 1;
            if self.newer.count >= self.file_bounds.count || self.newer.bytes + size > self.file_bounds.bytes {
                self.write_batch(&mut batch)?;
                self.rotate()?;
            }
            if self.torn {
                batch.push(b'\n');
                self.newer.bytes += 1;
                self.torn = false;
            }
            batch.extend_from_slice(&line);
            batch.push(b'\n');
            let Extent { count, bytes, began } = self.newer;
            self.newer = Extent { count: count + 1, bytes: bytes + size, began: began.or(Some(at)) };
        }
        self.write_batch(&mut batch)
    }

    fn write_batch(&self, batch: &mut Vec<u8>) -> io::Result<()> {
        let mut file = OpenOptions::new().create(true).append(true).open(self.folder.join(NEWER))?;
        file.write_all(batch)?;
        batch.clear();
        Ok(())
    }

    /// Drops lines older than the limit, in steps of half of it.
    fn expire(&mut self, now: i64) -> io::Result<()> {
        if self.newer.began.is_some_and(|began| began <= now - self.file_bounds.age_ms) {
            self.rotate()?;
        }
        if self.older.began.is_some_and(|began| began <= now - 2 * self.file_bounds.age_ms) {
            remove(&self.folder.join(OLDER))?;
            self.older = Extent::default();
        }
        Ok(())
    }

    fn rotate(&mut self) -> io::Result<()> {
        match fs::rename(self.folder.join(NEWER), self.folder.join(OLDER)) {
            // A missing file means that it had no lines.
            Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
            _ => {}
        }
        (self.older, self.newer) = (self.newer, Extent::default());
        Ok(())
    }
}

/// Requests that were dropped because there was no space.
#[derive(Clone, Copy, Serialize, Deserialize)]
struct LostRequests {
    lost: u64,
    /// The end of the period they were dropped in, in Unix milliseconds.
    at: i64,
}

pub(super) fn find(files: Vec<File>, ids: &HashSet<String>, orders: &BTreeSet<i64>) -> io::Result<Excerpt> {
    let (mut found, mut lost) = (Excerpt::default(), Vec::new());
    for file in files {
        for line in BufReader::new(file).split(b'\n') {
            let line = line?;
            let at = if line.starts_with(LOST_PREFIX) {
                let Ok(line) = serde_json::from_slice::<LostRequests>(&line) else { continue };
                lost.push(line);
                line.at
            } else {
                let Ok(entry) = serde_json::from_slice::<Entry>(&line) else { continue };
                let at = entry.at;
                if ids.contains(&entry.id) || entry.order.is_some_and(|order| orders.contains(&order)) {
                    found.entries.push(entry);
                }
                at
            };
            found.since = found.since.or(Some(at));
        }
    }
    let first = found.entries.iter().map(|entry| entry.at).min();
    found.lost = lost.iter().filter(|lost| first.is_none_or(|first| first <= lost.at)).map(|lost| lost.lost).sum();
    Ok(found)
}

fn measure(path: &Path) -> io::Result<Extent> {
    let file = match File::open(path) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Extent::default()),
        opened => opened?,
    };
    let mut extent = Extent { bytes: file.metadata()?.len(), ..Extent::default() };
    for line in BufReader::new(file).split(b'\n') {
        let line = line?;
        extent.count += 1;
        if extent.began.is_none() {
            extent.began = serde_json::from_slice(&line).ok().map(|Moment { at }| at);
        }
    }
    Ok(extent)
}

fn remove(path: &Path) -> io::Result<()> {
    match fs::remove_file(path) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => Err(error),
        _ => Ok(()),
    }
}
