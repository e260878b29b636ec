//! A power cut at any time loses no acknowledged commit, and is never mistaken for damage of the journal (OPS-50).
//!
//! A store goes through commits, checkpoints, an orderly shutdown and a crash. A preloaded recorder, shared with the
//! datalake, records its writes and syncs. The folder is then reassembled as a power cut could leave it: unsynced
//! writes are present, partial or missing, in any order.

#![expect(clippy::unwrap_used, clippy::panic, reason = "a test fails by panicking")]

#[path = "../../../datalake/tests/lake/power/disk.rs"]
mod disk;
#[path = "../../../datalake/tests/lake/power/recording.rs"]
#[expect(dead_code, reason = "requests are the datalake's alone")]
mod recording;

use std::fs::{self, OpenOptions};
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use disk::{Disk, Unsynced};
use recording::Step;
use touchline_protocol::ambient::{Entropy, SeededEntropy};
use touchline_store::{Mail, Mails, Maintenance, SqliteStore};

const SEED: u64 = 20_261_128;
/// `make soak` uses 1,000.
const CUTS: u64 = 60;
const FOLDER: &str = "STORE_CHILD_FOLDER";
const STORE: &str = "channel.sqlite";
/// The number of acknowledged commits, written after each.
const ANSWERED: &str = "answered";

async fn open(path: &Path) -> SqliteStore {
    SqliteStore::open(path, &*SeededEntropy::new(1)).await.unwrap_or_else(|error| panic!("{error}"))
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

fn mail(number: u64) -> Mail {
    Mail {
        sender_name: "Meadow".to_owned(),
        recipient: format!("{number}@example.com"),
        subject: "Your order".to_owned(),
        // Occasionally a transaction with many frames.
        text: "x".repeat(if number.is_multiple_of(7) { 60_000 } else { 900 }),
        ..Mail::default()
    }
}

#[tokio::test]
#[ignore = "a process that the other test starts"]
async fn child() {
    let folder = PathBuf::from(std::env::var(FOLDER).unwrap());
    let path = folder.join(STORE);
    let answered = OpenOptions::new().create(true).truncate(true).write(true).open(folder.join(ANSWERED)).unwrap();
    let mut count = 0_u64;
    for life in 0..4 {
        let store = open(&path).await;
        for _ in 0..60 {
            store.queue_mail(mail(count), 1, None).await.unwrap();
            count += 1;
            answered.write_all_at(&count.to_ne_bytes(), 0).unwrap();
            if count.is_multiple_of(3) {
                store.complete_mail(i64::try_from(count / 2).unwrap()).await.unwrap();
            }
        }
        if life % 2 == 0 {
            store.close().await;
            continue;
        }
        drop(store);
        wait_closed(&path).await;
    }
}

fn record(folder: &Path) -> Vec<Step> {
    let tools = tempfile::tempdir().unwrap();
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("../datalake/tests/lake/power/record.c");
    let (library, log) = (recording::compile(&source, tools.path()), tools.path().join("log"));
    let mut child = Command::new(std::env::current_exe().unwrap());
    child.args(["--exact", "child", "--ignored", "--nocapture"]).env(FOLDER, folder).env("LD_PRELOAD", &library);
    child.env("DATALAKE_RECORD_BELOW", folder).env("DATALAKE_RECORD_TO", &log);
    let output = child.output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    recording::read(&fs::read(&log).unwrap())
}

/// The steps that acknowledged a commit, with the number of acknowledged commits.
fn answers(steps: &[Step]) -> Vec<(usize, u64)> {
    let file = steps.iter().find_map(|step| match step {
        Step::Created { path, inode } if path == ANSWERED => Some(*inode),
        _ => None,
    });
    let file = file.unwrap();
    let answered = steps.iter().enumerate().filter_map(|(at, step)| match step {
        Step::Wrote { inode, bytes, .. } if *inode == file => {
            Some((at, u64::from_ne_bytes(bytes.as_slice().try_into().unwrap())))
        }
        _ => None,
    });
    answered.collect()
}

/// Shows OPS-50.
#[tokio::test]
async fn no_power_cut_looks_like_damage_or_loses_a_commit() {
    let cuts = std::env::var("TOUCHLINE_POWER_CUTS").ok().and_then(|cuts| cuts.parse().ok()).unwrap_or(CUTS);
    let recorded = tempfile::tempdir().unwrap();
    let steps = record(recorded.path());
    let (disk, answers) = (Disk::of(&steps), answers(&steps));
    assert_eq!(answers.last().unwrap().1, 240);
    let created = steps.iter().position(|step| matches!(step, Step::Renamed { .. })).unwrap();
    let ends: Vec<usize> = disk.boundaries().filter(|end| *end > created).collect();
    let entropy = SeededEntropy::new(SEED);
    let mut torn = 0;
    for cut in 0..cuts {
        let anywhere = created + 1 + usize::try_from(entropy.next_u64()).unwrap() % (steps.len() - created);
        // Every other cut is just before the end of a sync, when most is in progress.
        let until = if cut % 2 == 0 { anywhere } else { ends[anywhere % ends.len()] };
        let unsynced = match cut % 10 {
            0 => Unsynced::Dropped,
            1 => Unsynced::Kept,
            _ => Unsynced::Torn(SEED ^ cut),
        };
        let what = format!("cut {cut} before step {until} of {}, {unsynced:?}", steps.len());
        let folder = tempfile::tempdir_in(if Path::new("/dev/shm").is_dir() { "/dev/shm" } else { "/tmp" }).unwrap();
        disk.write(until, unsynced, folder.path());
        let path = folder.path().join(STORE);
        let answered = answers.iter().take_while(|(at, _)| *at < until).last().map_or(0, |(_, count)| *count);
        if !path.exists() {
            assert_eq!(answered, 0, "{what}");
            continue;
        }
        let opened = SqliteStore::open(&path, &*SeededEntropy::new(2)).await;
        let store = opened.unwrap_or_else(|error| panic!("{what}: {error}"));
        // The last acknowledged mail exists; only the mails before it may be done.
        let last = store.due_mails(2, 10_000).await.unwrap().iter().map(|mail| mail.id).max().unwrap_or(0);
        assert!(u64::try_from(last).unwrap() >= answered, "{what}: {last} of {answered}");
        torn += u64::from(u64::try_from(last).unwrap() > answered);
        store.close().await;
    }
    eprintln!("{} steps, {cuts} power cuts, {torn} after a commit that was not answered yet", steps.len());
}
