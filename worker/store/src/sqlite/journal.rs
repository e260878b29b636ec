//! The write-ahead log, checked beyond the frame at which SQLite stops (ADR 25).
//!
//! SQLite ends a log at its first bad frame without an error, so the transactions after it are lost silently. A power
//! cut also leaves a bad frame, but only in the last transaction, because each commit is synced before the next starts.
//! A bad frame is therefore damage if a later transaction is complete, or if a commit after it was noted.

use std::fs::File;
use std::io;
use std::os::unix::fs::FileExt;
use std::path::Path;

use super::checksum::{Order, Sum};
use super::note::NoteState;

const HEADER_BYTES: usize = 32;
const FRAME_HEADER_BYTES: usize = 24;
/// Unit that a disk writes atomically.
const SECTOR_BYTES: u64 = 512;
const MAGIC: u32 = 0x377f_0682;

/// Damage of a journal: commits that SQLite would ignore.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Damage {
    /// Description of the damage.
    pub(super) cause: String,
    /// The frame that ends the last commit before the damage. 0 for the database file without the journal.
    pub(super) sound: u32,
}

fn number_at(bytes: &[u8], at: usize) -> u32 {
    Order::Big.pair(&bytes[at..at + 8]).0
}

fn salts_at(bytes: &[u8], at: usize) -> [u8; 8] {
    std::array::from_fn(|n| bytes[at + n])
}

struct Header {
    page_bytes: usize,
    order: Order,
    salts: [u8; 8],
    stored: Sum,
    computed: Sum,
}

impl Header {
    /// Parses a header that SQLite accepts.
    fn read(bytes: &[u8; HEADER_BYTES]) -> Option<Self> {
        let order = match number_at(bytes, 0) ^ MAGIC {
            0 => Order::Little,
            1 => Order::Big,
            _ => return None,
        };
        let header = Self::assumed(bytes, order, number_at(bytes, 8) as usize);
        (is_page_size(header.page_bytes) && header.stored == header.computed).then_some(header)
    }

    /// The header of a log whose format comes from elsewhere.
    fn assumed(bytes: &[u8; HEADER_BYTES], order: Order, page_bytes: usize) -> Self {
        let (one, two) = Order::Big.pair(&bytes[24..]);
        let stored = Sum(one, two);
        let computed = Sum::default().then(&bytes[..24], order);
        Self { page_bytes, order, salts: salts_at(bytes, 16), stored, computed }
    }
}

fn is_page_size(bytes: usize) -> bool {
    bytes.is_power_of_two() && (512..=65_536).contains(&bytes)
}

struct Frame {
    /// Page number and size after the commit, followed by the page.
    summed: Vec<u8>,
    page: u32,
    /// The database's size in pages in the last frame of a transaction, otherwise 0.
    commit: u32,
    salts: [u8; 8],
    sum: Sum,
    /// Whether the commit field and the salts are in the same sector, so that they were written together.
    is_in_one_sector: bool,
}

impl Frame {
    fn read(file: &File, number: u32, page_bytes: usize) -> io::Result<Self> {
        let size = FRAME_HEADER_BYTES + page_bytes;
        let at = HEADER_BYTES as u64 + u64::from(number - 1) * size as u64;
        let mut bytes = vec![0; size];
        file.read_exact_at(&mut bytes, at)?;
        let (page, commit, salts) = (number_at(&bytes, 0), number_at(&bytes, 4), salts_at(&bytes, 8));
        let (one, two) = Order::Big.pair(&bytes[16..24]);
        // The checksum covers neither the salts nor itself.
        bytes.drain(8..FRAME_HEADER_BYTES);
        let is_in_one_sector = at / SECTOR_BYTES == (at + 15) / SECTOR_BYTES;
        Ok(Self { summed: bytes, page, commit, salts, sum: Sum(one, two), is_in_one_sector })
    }

    /// The commit field for which the checksum was made, if the page and its number are intact.
    fn commit_by_sum(&self, seed: Sum, order: Order) -> Option<u32> {
        let Sum(one, two) = self.sum.before(&self.summed[8..], order);
        let (page, _) = order.pair(&self.summed);
        let is_of_page = one == seed.0.wrapping_add(page).wrapping_add(seed.1);
        let commit = two.wrapping_sub(seed.1).wrapping_sub(one);
        is_of_page.then_some(commit)
    }
}

/// Damage of the note itself. Commits may be missing without a trace.
const NOTE_DAMAGED: &str = "its note of commits is damaged, so commits may be missing";
const NOTE_MISSING: &str = "its note of commits is missing, so commits may be missing";

/// Checks the whole log and returns any damage. A torn last transaction isn't damage.
///
/// # Errors
/// Fails if the log or the database can't be read.
pub(super) fn damage(database: &Path, wal: &Path, note: NoteState) -> io::Result<Option<Damage>> {
    let file = match File::open(wal) {
        Ok(file) => file,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return missing(database, note, "is missing"),
        Err(error) => return Err(error),
    };
    let length = file.metadata()?.len();
    let mut bytes = [0; HEADER_BYTES];
    if length < HEADER_BYTES as u64 {
        return missing(database, note, "is empty");
    }
    file.read_exact_at(&mut bytes, 0)?;
    let Some(header) = Header::read(&bytes) else {
        let whole = [Order::Little, Order::Big].map(|order| -> io::Result<bool> {
            let header = Header::assumed(&bytes, order, page_bytes_of(database)?);
            let frames = frames_of(length, header.page_bytes);
            Ok(scan(&file, &header, frames, true)?.damaged_at.is_some())
        });
        let [little, big] = whole;
        if little? || big? {
            return Ok(Some(Damage { cause: "its header is damaged and commits follow".to_owned(), sound: 0 }));
        }
        // SQLite syncs the header before it writes a frame.
        if note == NoteState::Missing && frames_of(length, page_bytes_of(database)?) > 0 {
            return Ok(Some(Damage { cause: NOTE_MISSING.to_owned(), sound: 0 }));
        }
        return missing(database, note, "has a damaged header");
    };
    let frames = frames_of(length, header.page_bytes);
    let scanned = scan(&file, &header, frames, false)?;
    let sound = scanned.sound;
    let cause = match (scanned.damaged_at, note) {
        (Some(bad), _) => format!("frame {bad} of {frames} is damaged and commits follow"),
        (None, NoteState::Damaged) => NOTE_DAMAGED.to_owned(),
        (None, NoteState::Missing) if frames > 0 => NOTE_MISSING.to_owned(),
        (None, NoteState::Commit(last_commit)) if last_commit.salts == header.salts && sound < last_commit.frame => {
            match scanned.bad {
                Some(bad) => format!("frame {bad} is damaged but {} frames were committed", last_commit.frame),
                None => format!("it has {frames} frames but {} were committed", last_commit.frame),
            }
        }
        // The note is cleared before SQLite starts another log.
        (None, NoteState::Commit(last_commit)) if last_commit.salts != header.salts => {
            return missing(database, note, "has the header of another log");
        }
        _ => return Ok(None),
    };
    Ok(Some(Damage { cause, sound }))
}

/// Checks a log without frames. SQLite empties the log once the database contains all of it.
fn missing(database: &Path, note: NoteState, fault: &str) -> io::Result<Option<Damage>> {
    let last_commit = match note {
        NoteState::Cleared | NoteState::Missing => return Ok(None),
        NoteState::Commit(last_commit) => last_commit,
        NoteState::Damaged => return Ok(Some(Damage { cause: NOTE_DAMAGED.to_owned(), sound: 0 })),
    };
    let mut page = vec![0; page_bytes_of(database)?];
    let at = u64::from(last_commit.page.saturating_sub(1)) * page.len() as u64;
    match File::open(database)?.read_exact_at(&mut page, at) {
        Ok(()) if Sum::of_page(&page) == last_commit.page_sum => return Ok(None),
        Err(error) if error.kind() != io::ErrorKind::UnexpectedEof => return Err(error),
        _ => {}
    }
    let cause = format!("it {fault} but {} frames were committed", last_commit.frame);
    Ok(Some(Damage { cause, sound: 0 }))
}

/// Page size from the database's header.
pub(super) fn page_bytes_of(database: &Path) -> io::Result<usize> {
    let mut bytes = [0; 2];
    match File::open(database)?.read_exact_at(&mut bytes, 16) {
        Err(error) if error.kind() != io::ErrorKind::UnexpectedEof => return Err(error),
        _ => {}
    }
    let size = match u16::from_be_bytes(bytes) {
        1 => 65_536,
        size => usize::from(size),
    };
    // A database with a damaged header is refused later. Its log is read with SQLite's default page size.
    Ok(if is_page_size(size) { size } else { 4096 })
}

fn frames_of(length: u64, page_bytes: usize) -> u32 {
    let frames = (length - HEADER_BYTES as u64) / (FRAME_HEADER_BYTES + page_bytes) as u64;
    u32::try_from(frames).unwrap_or(u32::MAX)
}

struct LogScan {
    /// The frame that ends the last commit that SQLite sees.
    sound: u32,
    /// The frame at which SQLite stops.
    bad: Option<u32>,
    /// The frame at which SQLite stops, if a later transaction is complete.
    damaged_at: Option<u32>,
}

fn scan(file: &File, header: &Header, frames: u32, is_header_bad: bool) -> io::Result<LogScan> {
    let mut scanned = LogScan { sound: 0, bad: is_header_bad.then_some(0), damaged_at: None };
    // Whether a transaction ended at or after the bad frame.
    let mut has_ended = is_header_bad;
    let (mut salts, mut seed, mut recomputed) = (header.salts, header.stored, header.computed);
    for number in 1..=frames {
        let frame = Frame::read(file, number, header.page_bytes)?;
        // Without a header, the salts are those that two frames share. Damage may include the first ones.
        let is_of_log = frame.salts == salts || is_header_bad && number == 1;
        if is_header_bad {
            salts = frame.salts;
        }
        let by_seed = seed.then(&frame.summed, header.order);
        let follows = frame.sum == by_seed;
        if scanned.bad.is_none() && is_of_log && follows && frame.page != 0 {
            if frame.commit != 0 {
                scanned.sound = number;
            }
        } else {
            let bad = *scanned.bad.get_or_insert(number);
            // The damage may be in the checksum of the previous frame.
            let is_whole = follows || frame.sum == recomputed.then(&frame.summed, header.order);
            if has_ended && is_of_log && is_whole && frame.commit != 0 {
                scanned.damaged_at = Some(bad);
                return Ok(scanned);
            }
            let is_end = is_of_log && frame.commit != 0 && (frame.is_in_one_sector || is_whole);
            // The first bad frame follows a sound one, so its checksum can't be left over from an older log.
            let was_end = || {
                follows && frame.commit != 0
                    || frame.commit_by_sum(seed, header.order).is_some_and(|commit| commit != 0)
            };
            has_ended |= is_end || bad == number && was_end();
        }
        (seed, recomputed) = (frame.sum, by_seed);
    }
    Ok(scanned)
}
