//! A journal that lost commits is damaged, whichever byte changed. A torn last transaction isn't damage (OPS-50).

#![expect(clippy::unwrap_used, clippy::panic, reason = "a test fails by panicking")]

use std::fs::{self, File, OpenOptions};
use std::io::ErrorKind;
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};
use std::time::Duration;

use tempfile::TempDir;
use touchline_protocol::ambient::SeededEntropy;
use touchline_store::{Mail, Mails, Maintenance, SqliteStore, StoreError, StoreResult, sqlite};

const HEADER: u64 = 32;
const FRAME: u64 = 24 + 4096;
const FRAMES: u64 = 200;
/// Offsets in a frame: each field of its header, both ends of its page, and within.
const OFFSETS: [u64; 10] = [2, 7, 9, 14, 17, 22, 24, 1000, 2801, FRAME - 1];

fn mail(number: u64) -> Mail {
    Mail {
        sender_name: "Meadow".to_owned(),
        recipient: format!("{number}@example.com"),
        subject: "Your order".to_owned(),
        text: "x".repeat(usize::try_from(number % 9).unwrap() * 1000),
        ..Mail::default()
    }
}

async fn open(path: &Path) -> StoreResult<SqliteStore> {
    SqliteStore::open(path, &*SeededEntropy::new(1)).await
}

fn beside(path: &Path, suffix: &str) -> PathBuf {
    PathBuf::from(format!("{}{suffix}", path.display()))
}

/// Waits until no connection of this process has the store's files open. A dropped store closes them in the background.
async fn wait_closed(path: &Path) {
    let is_open = || {
        let open =
            fs::read_dir("/proc/self/fd").unwrap().flatten().filter_map(|entry| fs::read_link(entry.path()).ok());
        open.into_iter().any(|file| file.to_string_lossy().starts_with(&*path.to_string_lossy()))
    };
    while is_open() {
        tokio::time::sleep(Duration::from_millis(2)).await;
    }
}

/// The files of a store after a kill.
struct KilledStore {
    _folder: TempDir,
    path: PathBuf,
    /// Frames that end a transaction.
    commits: Vec<u64>,
    frames: u64,
    /// Number of frames before the first mail.
    first: u64,
    mails: u64,
}

impl KilledStore {
    async fn after_a_log_of_200() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let running = folder.path().join("running.sqlite");
        let store = open(&running).await.unwrap();
        let frames = || (fs::metadata(beside(&running, "-wal")).unwrap().len().saturating_sub(HEADER)) / FRAME;
        let (first, mut commits, mut mails) = (frames(), Vec::new(), 0);
        while frames() < FRAMES {
            store.queue_mail(mail(mails), 1, None).await.unwrap();
            mails += 1;
            commits.push(frames());
        }
        let path = folder.path().join("channel.sqlite");
        for suffix in ["", "-wal", "-commits"] {
            fs::copy(beside(&running, suffix), beside(&path, suffix)).unwrap();
        }
        let frames = frames();
        store.close().await;
        Self { _folder: folder, path, commits, frames, first, mails }
    }

    fn journal(&self) -> PathBuf {
        beside(&self.path, "-wal")
    }

    fn flip(&self, at: u64) {
        let file = OpenOptions::new().read(true).write(true).open(self.journal()).unwrap();
        let mut byte = [0];
        file.read_exact_at(&mut byte, at).unwrap();
        file.write_all_at(&[byte[0] ^ 0x10], at).unwrap();
    }

    /// Opens the store with one byte changed, and restores the byte.
    async fn with_flipped(&self, at: u64) -> StoreResult<SqliteStore> {
        self.flip(at);
        let opened = open(&self.path).await;
        self.flip(at);
        opened
    }

    /// Whether `sound` ends the last commit before `frame`.
    fn is_sound_before(&self, frame: u64, sound: u64) -> bool {
        match self.commits.iter().copied().filter(|commit| *commit < frame).max() {
            Some(last) => sound == last,
            None => sound < frame && sound <= self.first,
        }
    }
}

fn lost(opened: StoreResult<SqliteStore>, what: &str) -> (String, u64) {
    match opened {
        Err(error @ StoreError::LostCommits { sound, .. }) => (error.to_string(), sound.into()),
        Err(error) => panic!("{what}: {error}"),
        Ok(_) => panic!("{what}: it opened"),
    }
}

/// Shows OPS-50.
#[tokio::test]
async fn every_changed_byte_of_a_200_frame_log_is_reported_and_nothing_written() {
    let killed = KilledStore::after_a_log_of_200().await;
    let before = (fs::read(&killed.path).unwrap(), fs::read(killed.journal()).unwrap());
    for frame in 1..=killed.frames {
        for offset in OFFSETS {
            let what = format!("frame {frame}, byte {offset}");
            let opened = killed.with_flipped(HEADER + (frame - 1) * FRAME + offset).await;
            let (said, sound) = lost(opened, &what);
            assert!(killed.is_sound_before(frame, sound), "{what}: {said}");
            for named in ["channel.sqlite-wal", "touchline restore FILE", "touchline store accept-loss"] {
                assert!(said.contains(named), "{what}: {said}");
            }
        }
    }
    for at in 0..HEADER {
        assert_eq!(lost(killed.with_flipped(at).await, &format!("byte {at} of the header")).1, 0);
    }
    assert!(
        before == (fs::read(&killed.path).unwrap(), fs::read(killed.journal()).unwrap()),
        "the files must not change"
    );
    assert_eq!(open(&killed.path).await.unwrap().due_mails(2, 1000).await.unwrap().len() as u64, killed.mails);
}

#[tokio::test]
async fn damage_before_a_later_transaction_is_found_without_the_note() {
    let killed = KilledStore::after_a_log_of_200().await;
    fs::remove_file(beside(&killed.path, "-commits")).unwrap();
    let last = killed.commits[killed.commits.len() - 2];
    for frame in 1..=last {
        for offset in OFFSETS {
            let what = format!("frame {frame} of {last}, byte {offset}");
            lost(killed.with_flipped(HEADER + (frame - 1) * FRAME + offset).await, &what);
        }
    }
    for at in 0..HEADER {
        lost(killed.with_flipped(at).await, &format!("byte {at} of the header"));
    }
}

/// Shows OPS-50. Without the note, the loss of the last commits leaves no trace.
#[tokio::test]
async fn a_missing_or_empty_note_beside_a_log_is_damage() {
    let killed = KilledStore::after_a_log_of_200().await;
    let note = beside(&killed.path, "-commits");
    let last = HEADER + killed.frames * FRAME - 100;
    for is_empty in [false, true] {
        fs::remove_file(&note).unwrap();
        if is_empty {
            File::create(&note).unwrap();
        }
        let (said, sound) = lost(open(&killed.path).await, "a sound log");
        assert!(said.contains("note of commits is missing"), "{said}");
        assert_eq!(sound, *killed.commits.last().unwrap());
        lost(killed.with_flipped(last).await, "a damaged last commit");
        if !is_empty {
            File::create(&note).unwrap();
        }
    }
    sqlite::accept_loss(&killed.path, &*SeededEntropy::new(4)).await.unwrap();
    let store = open(&killed.path).await.unwrap();
    assert_eq!(store.due_mails(2, 1000).await.unwrap().len() as u64, killed.mails);
    store.close().await;
    // A stopped store has no log, and may be moved without its note.
    fs::remove_file(&note).unwrap();
    assert_eq!(open(&killed.path).await.unwrap().due_mails(2, 1000).await.unwrap().len() as u64, killed.mails);
}

#[tokio::test]
async fn a_short_or_missing_log_is_damage() {
    let killed = KilledStore::after_a_log_of_200().await;
    let whole = fs::read(killed.journal()).unwrap();
    let lengths = [0, 20, 32, HEADER + FRAME, HEADER + 100 * FRAME, whole.len() as u64 - 1];
    for length in lengths {
        File::create(killed.journal()).unwrap().write_all_at(&whole[..usize::try_from(length).unwrap()], 0).unwrap();
        lost(open(&killed.path).await, &format!("{length} bytes"));
    }
    fs::remove_file(killed.journal()).unwrap();
    lost(open(&killed.path).await, "none");
    fs::write(killed.journal(), whole).unwrap();
    open(&killed.path).await.unwrap();
}

/// Shows OPS-50.
#[tokio::test]
async fn a_changed_or_zeroed_note_is_damage_with_and_without_a_log() {
    let killed = KilledStore::after_a_log_of_200().await;
    let note = beside(&killed.path, "-commits");
    let whole = fs::read(&note).unwrap();
    let changed = (0..whole.len()).map(|at| {
        let mut bytes = whole.clone();
        bytes[at] ^= 0x10;
        bytes
    });
    for bytes in changed.chain([vec![0; whole.len()], whole[..32].to_vec(), whole[..20].to_vec()]) {
        fs::write(&note, &bytes).unwrap();
        let (said, sound) = lost(open(&killed.path).await, &format!("{bytes:?}"));
        assert!(said.contains("note of commits is damaged"), "{said}");
        assert_eq!(sound, *killed.commits.last().unwrap());
    }
    let journal = fs::read(killed.journal()).unwrap();
    fs::remove_file(killed.journal()).unwrap();
    assert_eq!(lost(open(&killed.path).await, "no log").1, 0);
    fs::write(killed.journal(), journal).unwrap();
    let aside = sqlite::accept_loss(&killed.path, &*SeededEntropy::new(4)).await.unwrap().unwrap();
    assert_eq!(fs::read(beside(&aside, "-commits")).unwrap(), whole[..20]);
    let store = open(&killed.path).await.unwrap();
    assert_eq!(store.due_mails(2, 1000).await.unwrap().len() as u64, killed.mails);
    store.close().await;

    // Zeros are damage after a checkpoint too.
    let closed = fs::read(&note).unwrap();
    fs::write(&note, vec![0; closed.len()]).unwrap();
    lost(open(&killed.path).await, "closed");
    fs::write(&note, closed).unwrap();
    open(&killed.path).await.unwrap().close().await;
}

/// A write of the first sector that went elsewhere leaves a valid header with other salts.
#[tokio::test]
async fn the_header_of_another_log_is_damage() {
    let killed = KilledStore::after_a_log_of_200().await;
    let mut header = fs::read(killed.journal()).unwrap()[..24].to_vec();
    header[3] |= 1; // The checksum is big-endian.
    header[16] ^= 1;
    header.extend(checksum(&header));
    File::options().write(true).open(killed.journal()).unwrap().write_all_at(&header, 0).unwrap();
    let (said, sound) = lost(open(&killed.path).await, "another log");
    assert!(said.contains("header of another log"), "{said}");
    assert_eq!(sound, 0);
}

/// A lost first block takes the header and the beginning of the first frame along.
#[tokio::test]
async fn a_zeroed_first_block_is_damage_whatever_the_note_says() {
    let killed = KilledStore::after_a_log_of_200().await;
    let note = beside(&killed.path, "-commits");
    let log = File::options().write(true).open(killed.journal()).unwrap();
    log.write_all_at(&[0; 4096], 0).unwrap();
    assert_eq!(lost(open(&killed.path).await, "a complete note").1, 0);
    fs::write(&note, [0; 32]).unwrap();
    assert_eq!(lost(open(&killed.path).await, "a cleared note").1, 0);
    // The only commit.
    log.set_len(HEADER + FRAME).unwrap();
    fs::remove_file(&note).unwrap();
    assert_eq!(lost(open(&killed.path).await, "no note").1, 0);
}

/// The note of an earlier build has 32 bytes and is cleared by zeros.
#[tokio::test]
async fn the_note_of_an_earlier_build_is_read_and_replaced() {
    for zeroed in [true, false] {
        let killed = KilledStore::after_a_log_of_200().await;
        let note = beside(&killed.path, "-commits");
        let whole = fs::read(&note).unwrap();
        let old = [&whole[..24], &checksum(&whole[..24])].concat();
        fs::write(&note, if zeroed { vec![0; 32] } else { old }).unwrap();
        let journal = fs::read(killed.journal()).unwrap();
        let cut = HEADER + (killed.frames - 1) * FRAME;
        fs::write(killed.journal(), &journal[..usize::try_from(cut).unwrap()]).unwrap();
        let opened = open(&killed.path).await;
        if zeroed {
            opened.unwrap().close().await;
            assert_eq!(fs::read(&note).unwrap().len(), whole.len());
        } else {
            lost(opened, "a lost commit");
        }
    }
}

/// SQLite's checksum, big-endian.
fn checksum(bytes: &[u8]) -> [u8; 8] {
    let number_at = |at: usize| u32::from_be_bytes(bytes[at..at + 4].try_into().unwrap());
    let (mut one, mut two) = (0_u32, 0_u32);
    for at in (0..bytes.len()).step_by(8) {
        one = one.wrapping_add(number_at(at)).wrapping_add(two);
        two = two.wrapping_add(number_at(at + 4)).wrapping_add(one);
    }
    let mut sum = [0; 8];
    sum[..4].copy_from_slice(&one.to_be_bytes());
    sum[4..].copy_from_slice(&two.to_be_bytes());
    sum
}

#[tokio::test]
async fn the_journal_of_a_linked_store_is_beside_the_links_target() {
    let killed = KilledStore::after_a_log_of_200().await;
    let elsewhere = tempfile::tempdir().unwrap();
    let link = elsewhere.path().join("channel.sqlite");
    std::os::unix::fs::symlink(&killed.path, &link).unwrap();
    killed.flip(HEADER + 120 * FRAME + 1000);
    lost(open(&link).await, "linked");
    killed.flip(HEADER + 120 * FRAME + 1000);
    assert_eq!(open(&link).await.unwrap().due_mails(2, 1000).await.unwrap().len() as u64, killed.mails);
}

#[tokio::test]
async fn a_store_dropped_without_closing_is_sound() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("channel.sqlite");
    for life in 0..4 {
        let store = open(&path).await.unwrap();
        assert_eq!(store.due_mails(2, 1000).await.unwrap().len(), life);
        store.queue_mail(mail(1), 1, None).await.unwrap();
        drop(store);
        // The last connection empties the journal, unless two close at once.
        wait_closed(&path).await;
    }
}

/// Shows OPS-50.
#[tokio::test]
async fn an_accepted_loss_leaves_the_damaged_files_and_a_backup_includes_its_journal() {
    let killed = KilledStore::after_a_log_of_200().await;
    let entropy = SeededEntropy::new(4);
    killed.flip(HEADER + 120 * FRAME + 1000);
    lost(open(&killed.path).await, "damaged");
    let damaged = fs::read(killed.journal()).unwrap();
    let elsewhere = killed.path.with_file_name("elsewhere.sqlite");
    let refused = sqlite::restore(&killed.path, &elsewhere, &*entropy).await.unwrap_err().to_string();
    assert!(refused.contains("frame 121"), "{refused}");

    let aside = sqlite::accept_loss(&killed.path, &*entropy).await.unwrap().unwrap();
    assert_eq!(fs::read(beside(&aside, "-wal")).unwrap(), damaged);
    let store = open(&killed.path).await.unwrap();
    let sound = killed.commits.iter().filter(|commit| **commit <= 120).count();
    assert_eq!(store.due_mails(2, 1000).await.unwrap().len(), sound);
    store.queue_mail(mail(1), 1, None).await.unwrap();
    store.close().await;
    open(&killed.path).await.unwrap().close().await;
    assert_eq!(fs::metadata(killed.journal()).map_err(|error| error.kind()).err(), Some(ErrorKind::NotFound));

    let whole = KilledStore::after_a_log_of_200().await;
    sqlite::restore(&whole.path, &killed.path, &*entropy).await.unwrap();
    assert_eq!(open(&killed.path).await.unwrap().due_mails(2, 1000).await.unwrap().len() as u64, whole.mails);
}
