//! The note of the last commit, in a file beside the store (ADR 25).
//!
//! It is written after each commit and not synced. After a power cut it may be old, and then claims less than the
//! journal contains. It is cleared and synced before the journal is emptied. A cleared note is sealed too, so that a note
//! overwritten by zeros is damage (`OPS-50`).

use std::fs::{File, OpenOptions};
use std::io;
use std::os::unix::fs::{FileExt, OpenOptionsExt};
use std::path::Path;

use super::checksum::Sum;

/// Size of a note: salts, frame, page, the page's checksum, the format, and the checksum of the note. It fits in one
/// sector.
const BYTES: usize = 40;
/// Start of the format and of the checksum.
const FORMAT_AT: usize = 24;
const SEAL_AT: usize = 32;
const FORMAT: [u8; 8] = *b"commits2";
/// Size of a note of an earlier build, which has no format and is cleared by zeros.
const OLD_BYTES: usize = 32;
/// Size of a frame's header in the journal.
const FRAME_HEADER_BYTES: u64 = 24;
/// Size of the journal's header.
const JOURNAL_HEADER_BYTES: u64 = 32;
/// Part of the journal's index that is read: `WalIndexHdr` of <https://sqlite.org/walformat.html>.
const INDEX_BYTES: usize = 40;

/// Position of the last commit.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct LastCommit {
    /// The journal's salts, which change when the journal restarts.
    pub(super) salts: [u8; 8],
    /// The frame that ends the commit, from 1.
    pub(super) frame: u32,
    /// The page of that frame. After a checkpoint the page is in the database.
    pub(super) page: u32,
    /// Checksum of the page.
    pub(super) page_sum: Sum,
}

/// The content of a note's file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum NoteState {
    /// There is no file, or it is empty. It exists before the first commit.
    Missing,
    /// Nothing has been noted since the last checkpoint.
    Cleared,
    /// The last commit.
    Commit(LastCommit),
    /// Neither, so that it isn't known which commits there were.
    Damaged,
}

impl NoteState {
    /// Reads a note.
    pub(super) fn read(path: &Path) -> io::Result<Self> {
        let bytes = match std::fs::read(path) {
            Ok(bytes) => bytes,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Self::Missing),
            Err(error) => return Err(error),
        };
        if let Ok(bytes) = <[u8; OLD_BYTES]>::try_from(&bytes[..]) {
            if bytes == [0; OLD_BYTES] {
                return Ok(Self::Cleared);
            }
            let is_sealed = sum_bytes(&bytes[..24]) == bytes[24..];
            return Ok(if is_sealed { Self::of(&bytes) } else { Self::Damaged });
        }
        if bytes.is_empty() {
            return Ok(Self::Missing);
        }
        let is_whole = bytes.len() == BYTES
            && bytes[FORMAT_AT..SEAL_AT] == FORMAT
            && bytes[SEAL_AT..] == sum_bytes(&bytes[..SEAL_AT]);
        Ok(if is_whole { Self::of(&bytes) } else { Self::Damaged })
    }

    fn of(bytes: &[u8]) -> Self {
        let number_at = |at: usize| u32::from_be_bytes(std::array::from_fn(|n| bytes[at + n]));
        let last_commit = LastCommit {
            salts: std::array::from_fn(|n| bytes[n]),
            frame: number_at(8),
            page: number_at(12),
            page_sum: Sum(number_at(16), number_at(20)),
        };
        if last_commit.frame > 0 { Self::Commit(last_commit) } else { Self::Cleared }
    }

    fn to_bytes(self) -> [u8; BYTES] {
        let mut bytes = [0; BYTES];
        if let Self::Commit(LastCommit { salts, frame, page, page_sum: Sum(one, two) }) = self {
            bytes[..8].copy_from_slice(&salts);
            for (at, number) in [frame, page, one, two].into_iter().enumerate() {
                bytes[8 + at * 4..12 + at * 4].copy_from_slice(&number.to_be_bytes());
            }
        }
        bytes[FORMAT_AT..SEAL_AT].copy_from_slice(&FORMAT);
        let sum = sum_bytes(&bytes[..SEAL_AT]);
        bytes[SEAL_AT..].copy_from_slice(&sum);
        bytes
    }
}

fn sum_bytes(bytes: &[u8]) -> [u8; 8] {
    let Sum(one, two) = Sum::of_page(bytes);
    let mut sum = [0; 8];
    sum[..4].copy_from_slice(&one.to_be_bytes());
    sum[4..].copy_from_slice(&two.to_be_bytes());
    sum
}

/// Whether a note has this build's size. It is written in place from then on.
pub(super) fn is_whole(path: &Path) -> io::Result<bool> {
    match std::fs::metadata(path) {
        Ok(file) => Ok(file.len() == BYTES as u64),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(false),
        Err(error) => Err(error),
    }
}

/// Creates a note, or replaces an earlier build's by the same content. The file is renamed once it is whole, so that a
/// power cut leaves no part of it.
pub(super) fn create(path: &Path, temporary: &Path) -> io::Result<()> {
    let content = match NoteState::read(path)? {
        // The loss was accepted, or the caller would have refused it.
        NoteState::Damaged | NoteState::Missing => NoteState::Cleared,
        content => content,
    };
    let file = OpenOptions::new().write(true).create(true).truncate(true).mode(0o600).open(temporary)?;
    file.write_all_at(&content.to_bytes(), 0)?;
    file.sync_all()?;
    std::fs::rename(temporary, path)
}

/// The note of an open store. Writers must hold the store's gate.
#[derive(Debug)]
pub(super) struct Note {
    file: File,
    index: File,
    journal: File,
    page_bytes: usize,
}

impl Note {
    /// Opens the existing note of a store that has connections.
    pub(super) fn open(path: &Path, index: &Path, journal: &Path, page_bytes: usize) -> io::Result<Self> {
        let file = OpenOptions::new().read(true).write(true).open(path)?;
        Ok(Self { file, index: File::open(index)?, journal: File::open(journal)?, page_bytes })
    }

    /// Notes the last commit and returns its frame.
    pub(super) fn record(&self) -> io::Result<u32> {
        let mut index = [0; INDEX_BYTES];
        self.index.read_exact_at(&mut index, 0)?;
        let frame = u32::from_ne_bytes(std::array::from_fn(|n| index[16 + n]));
        if frame == 0 {
            return Ok(0);
        }
        let at = JOURNAL_HEADER_BYTES + u64::from(frame - 1) * (FRAME_HEADER_BYTES + self.page_bytes as u64);
        let mut bytes = vec![0; FRAME_HEADER_BYTES as usize + self.page_bytes];
        self.journal.read_exact_at(&mut bytes, at)?;
        let last_commit = LastCommit {
            salts: std::array::from_fn(|n| index[32 + n]),
            frame,
            page: u32::from_be_bytes(std::array::from_fn(|n| bytes[n])),
            page_sum: Sum::of_page(&bytes[FRAME_HEADER_BYTES as usize..]),
        };
        self.file.write_all_at(&NoteState::Commit(last_commit).to_bytes(), 0)?;
        Ok(frame)
    }

    /// Clears and syncs the note: the database contains everything.
    pub(super) fn clear(&self) -> io::Result<()> {
        self.file.write_all_at(&NoteState::Cleared.to_bytes(), 0)?;
        self.file.sync_all()
    }
}
