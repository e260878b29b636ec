//! The note of the last commit, in a file beside the store (ADR 25).
//!
//! It is written after each commit and not synced. After a power cut it may be old, and then claims less than the
//! journal contains. It is cleared and synced before the journal is emptied.

use std::fs::{File, OpenOptions};
use std::io;
use std::os::unix::fs::{FileExt, OpenOptionsExt};
use std::path::Path;

use super::checksum::Sum;

/// Size of a note: salts, frame, page, the page's checksum, and the checksum of the note. It fits in one sector.
const BYTES: usize = 32;
/// Size of a frame's header in the journal.
const FRAME_HEADER_BYTES: u64 = 24;
/// Size of the journal's header.
const JOURNAL_HEADER_BYTES: u64 = 32;
/// Part of the journal's index that is read: `WalIndexHdr` of <https://sqlite.org/walformat.html>.
const INDEX_BYTES: usize = 40;

/// Position of the last commit.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Noted {
    /// The journal's salts, which change when the journal restarts.
    pub(super) salts: [u8; 8],
    /// The frame that ends the commit, from 1.
    pub(super) frame: u32,
    /// The page of that frame. After a checkpoint the page is in the database.
    pub(super) page: u32,
    /// Checksum of the page.
    pub(super) page_sum: Sum,
}

impl Noted {
    fn to_bytes(self) -> [u8; BYTES] {
        let mut bytes = [0; BYTES];
        bytes[..8].copy_from_slice(&self.salts);
        let numbers = [self.frame, self.page, self.page_sum.0, self.page_sum.1];
        for (at, number) in numbers.into_iter().enumerate() {
            bytes[8 + at * 4..12 + at * 4].copy_from_slice(&number.to_be_bytes());
        }
        seal(&mut bytes);
        bytes
    }

    /// Reads a note. `None` if it is torn, cleared or missing.
    pub(super) fn read(path: &Path) -> io::Result<Option<Self>> {
        let bytes = match std::fs::read(path) {
            Ok(bytes) => bytes,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
            Err(error) => return Err(error),
        };
        let Ok(bytes) = <[u8; BYTES]>::try_from(bytes) else { return Ok(None) };
        let mut sealed = bytes;
        seal(&mut sealed);
        let number_at = |at: usize| u32::from_be_bytes(std::array::from_fn(|n| bytes[at + n]));
        let noted = Self {
            salts: std::array::from_fn(|n| bytes[n]),
            frame: number_at(8),
            page: number_at(12),
            page_sum: Sum(number_at(16), number_at(20)),
        };
        Ok((sealed == bytes && noted.frame > 0).then_some(noted))
    }
}

fn seal(bytes: &mut [u8; BYTES]) {
    let Sum(one, two) = Sum::of_page(&bytes[..24]);
    bytes[24..28].copy_from_slice(&one.to_be_bytes());
    bytes[28..].copy_from_slice(&two.to_be_bytes());
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
    /// Opens the note of a store that has connections.
    pub(super) fn open(path: &Path, index: &Path, journal: &Path, page_bytes: usize) -> io::Result<Self> {
        let file = OpenOptions::new().read(true).write(true).create(true).truncate(false).mode(0o600).open(path)?;
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
        let noted = Noted {
            salts: std::array::from_fn(|n| index[32 + n]),
            frame,
            page: u32::from_be_bytes(std::array::from_fn(|n| bytes[n])),
            page_sum: Sum::of_page(&bytes[FRAME_HEADER_BYTES as usize..]),
        };
        self.file.write_all_at(&noted.to_bytes(), 0)?;
        Ok(frame)
    }

    /// Clears and syncs the note: the database contains everything.
    pub(super) fn clear(&self) -> io::Result<()> {
        self.file.write_all_at(&[0; BYTES], 0)?;
        self.file.set_len(BYTES as u64)?;
        self.file.sync_all()
    }
}
