use std::ops::Range;
use std::path::Path as FsPath;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use async_trait::async_trait;
use futures_util::stream::BoxStream;
use object_store::path::Path;
use object_store::{
    CopyOptions, GetOptions, GetResult, ListResult, MultipartUpload, ObjectMeta, ObjectStore, PutMultipartOptions,
    PutOptions, PutPayload, PutResult,
};
use tokio::sync::Notify;
use touchline_protocol::ambient::{ManualClock, SeededEntropy};
use uuid::Uuid;

use super::*;
use crate::event::{self, QueuedEvent};
use crate::options::{Limits, SinkConfig};
use crate::queue::state::OpenBatch;
use crate::sinks::{Batch, Progress, Sink};

const NOW_MS: i64 = 1_795_255_200_000;
const HOUR_MS: i64 = 60 * 60 * 1000;
const DAY_MS: i64 = 24 * HOUR_MS;
const TABLE: Table = Table::Event;
const DAYS: i64 = 3;
const FILES_A_DAY: u64 = 20;

/// A store that takes a moment, records its reads and writes, and can hold a write.
#[derive(Debug)]
struct WatchedStore {
    inner: Arc<dyn ObjectStore>,
    reads: Mutex<Vec<String>>,
    writes: Mutex<Vec<String>>,
    reading: AtomicUsize,
    max_reading: AtomicUsize,
    /// Part of the path of the next write to hold.
    hold: Mutex<Option<&'static str>>,
    holding: Notify,
    released: Notify,
}

impl WatchedStore {
    /// The reads since the last call.
    fn take_reads(&self) -> Vec<String> {
        std::mem::take(&mut *self.reads.lock())
    }
}

impl std::fmt::Display for WatchedStore {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}", self.inner)
    }
}

#[async_trait]
impl ObjectStore for WatchedStore {
    async fn put_opts(&self, path: &Path, file: PutPayload, options: PutOptions) -> object_store::Result<PutResult> {
        self.writes.lock().push(path.to_string());
        let must_wait = self.hold.lock().take_if(|part| path.as_ref().contains(*part)).is_some();
        if must_wait {
            self.holding.notify_one();
            self.released.notified().await;
        }
        self.inner.put_opts(path, file, options).await
    }

    async fn put_multipart_opts(
        &self,
        path: &Path,
        options: PutMultipartOptions,
    ) -> object_store::Result<Box<dyn MultipartUpload>> {
        self.inner.put_multipart_opts(path, options).await
    }

    async fn get_opts(&self, path: &Path, options: GetOptions) -> object_store::Result<GetResult> {
        // When a lake is opened, it looks at each table.
        if !path.as_ref().contains("/_columns/") {
            self.reads.lock().push(path.to_string());
        }
        let reading = self.reading.fetch_add(1, Ordering::SeqCst) + 1;
        self.max_reading.fetch_max(reading, Ordering::SeqCst);
        tokio::time::sleep(Duration::from_millis(5)).await;
        self.reading.fetch_sub(1, Ordering::SeqCst);
        self.inner.get_opts(path, options).await
    }

    fn delete_stream(
        &self,
        paths: BoxStream<'static, object_store::Result<Path>>,
    ) -> BoxStream<'static, object_store::Result<Path>> {
        self.inner.delete_stream(paths)
    }

    fn list(&self, prefix: Option<&Path>) -> BoxStream<'static, object_store::Result<ObjectMeta>> {
        self.inner.list(prefix)
    }

    async fn list_with_delimiter(&self, prefix: Option<&Path>) -> object_store::Result<ListResult> {
        self.inner.list_with_delimiter(prefix).await
    }

    async fn copy_opts(&self, from: &Path, to: &Path, options: CopyOptions) -> object_store::Result<()> {
        self.inner.copy_opts(from, to, options).await
    }
}

fn opened(folder: &FsPath, node: &str, clock: &Arc<ManualClock>) -> Lake {
    let (clock, entropy) = (Arc::clone(clock) as _, SeededEntropy::new(node.len() as u64) as _);
    let config = SinkConfig::LakeFolder(folder.to_owned());
    Lake::open(&config, (node, node), &Limits::default(), &clock, &entropy).unwrap().unwrap()
}

/// The lake with a store that records the requests outside the log.
fn watched(lake: &Lake) -> (Lake, Arc<WatchedStore>) {
    let store = Arc::new(WatchedStore {
        inner: Arc::clone(&lake.store),
        reads: Mutex::default(),
        writes: Mutex::default(),
        reading: AtomicUsize::default(),
        max_reading: AtomicUsize::default(),
        hold: Mutex::default(),
        holding: Notify::new(),
        released: Notify::new(),
    });
    (Lake { store: Arc::clone(&store) as _, ..lake.clone() }, store)
}

fn person(n: u64) -> Person {
    Person { user_id: Some(n.to_string()), email: Some(format!("p{n}@example.com")), ..Person::default() }
}

/// Ships file `n` with a row of each person.
async fn ship(lake: &Lake, at_ms: i64, n: u64, people: Range<u64>) {
    let at_us = at_ms * 1000;
    let event = |person: u64| {
        let body = format!(r#"{{"event":"visit","user_id":{person},"user_email":"p{person}@example.com"}}"#).into();
        let id = Uuid::from_u128(u128::from(n * 1000 + person));
        QueuedEvent { id, at_us, received_us: at_us, occurred_us: at_us, body }
    };
    let events: Vec<_> = people.map(|person| (person, event(person))).collect();
    let (last, count) = (events.len() as u64 - 1, events.len() as u64);
    let date = event::date_of(at_us);
    let bounds = OpenBatch { epoch: format!("e{n}"), node: String::new(), date, first: 0, last, events: count };
    lake.ship(&Batch { table: TABLE, bounds: &bounds, events: Arc::new(events) }, &mut Progress::default())
        .await
        .unwrap();
}

/// Ships files of several days with the people 0, 1 and 2, in the last of each day with a fourth.
async fn ship_days(lake: &Lake) {
    for day in 0..DAYS {
        for n in 0..FILES_A_DAY {
            let people = if n + 1 == FILES_A_DAY { 0..4 } else { 0..3 };
            ship(lake, NOW_MS - day * DAY_MS, day.cast_unsigned() * FILES_A_DAY + n, people).await;
        }
    }
}

/// The number of rows in the table's current files, and the people in them.
async fn content(lake: &Lake) -> (usize, HashSet<String>) {
    let snapshot = lake.log(TABLE).await.unwrap().snapshot().await.unwrap();
    let (mut rows, mut people) = (0, HashSet::new());
    for path in snapshot.files.keys() {
        for batch in rows::from_parquet(TABLE, lake.read(TABLE, path).await.unwrap()).unwrap() {
            rows += batch.num_rows();
            for column in ["user_id", "user_email"] {
                people.extend(rows::text(&batch, column).unwrap().iter().flatten().map(str::to_owned));
            }
        }
    }
    (rows, people)
}

fn people_of(numbers: Range<u64>) -> HashSet<String> {
    numbers.flat_map(|n| [n.to_string(), format!("p{n}@example.com")]).collect()
}

/// The object with the sketches of a day.
fn sketches(folder: &FsPath, day: i64) -> std::path::PathBuf {
    let date = event::date_of((NOW_MS - day * DAY_MS) * 1000);
    folder.join(TABLE.name()).join("_people").join(format!("{date}.json"))
}

#[tokio::test]
async fn files_without_a_person_cost_one_request_a_day() {
    let (folder, clock) = (tempfile::tempdir().unwrap(), ManualClock::at_ms(NOW_MS));
    let lake = opened(folder.path(), "n1", &clock);
    ship_days(&lake).await;
    lake.sweep(TABLE).await.unwrap();
    let (lake, store) = watched(&lake);
    let files = DAYS.cast_unsigned() * FILES_A_DAY;
    assert_eq!(lake.erase(&[person(9)]).await.unwrap()[0], Erased { passed_over: files, ..Erased::default() });
    let reads = store.take_reads();
    assert_eq!(reads.len(), 3, "{reads:?}");
    // Only the files with a person are read.
    let erased = lake.erase(&[person(3)]).await.unwrap()[0];
    assert_eq!((erased.rows, erased.files, erased.passed_over), (3, 3, files - 3));
    let reads = store.take_reads();
    assert_eq!(reads.len(), 3 + 3, "{reads:?}");
    assert_eq!(content(&lake).await, (3 * 61, people_of(0..3)));
}

#[tokio::test]
async fn missing_damaged_and_stale_sketches_hide_nobody() {
    let (folder, clock) = (tempfile::tempdir().unwrap(), ManualClock::at_ms(NOW_MS));
    let lake = opened(folder.path(), "n1", &clock);
    ship_days(&lake).await;
    lake.sweep(TABLE).await.unwrap();
    // A file that was shipped since; another day's sketches with a damaged one; a third day without sketches.
    ship(&lake, NOW_MS, 100, 0..4).await;
    let text = std::fs::read_to_string(sketches(folder.path(), 1)).unwrap();
    // The last one, of the file with the person.
    let (before, last) = text.rsplit_once(r#""sketch":""#).unwrap();
    let digits = last.find('"').unwrap();
    let cleared = format!(r#"{before}"sketch":"{}{}"#, "0".repeat(digits), &last[digits..]);
    std::fs::write(sketches(folder.path(), 1), cleared).unwrap();
    std::fs::remove_file(sketches(folder.path(), 2)).unwrap();
    let (lake, store) = watched(&lake);
    let erased = lake.erase(&[person(3)]).await.unwrap()[0];
    assert_eq!((erased.rows, erased.files), (4, 4));
    assert_eq!(content(&lake).await.1, people_of(0..3));
    let max = store.max_reading.load(Ordering::SeqCst);
    assert!((2..=READ_AT_ONCE).contains(&max), "{max} files are read at once");
}

#[tokio::test]
async fn sketches_of_removed_files_are_removed() {
    let (folder, clock) = (tempfile::tempdir().unwrap(), ManualClock::at_ms(NOW_MS));
    let lake = opened(folder.path(), "n1", &clock);
    ship_days(&lake).await;
    lake.compact(TABLE).await.unwrap();
    lake.sweep(TABLE).await.unwrap();
    let files = |day| std::fs::read_to_string(sketches(folder.path(), day)).unwrap().matches(r#""path""#).count();
    assert_eq!(files(0), 21, "the parts and what they were joined to");
    lake.erase(&[person(3)]).await.unwrap();
    clock.advance_ms(HOUR_MS);
    // The last part and the joined file had the person.
    lake.sweep_erased(TABLE).await.unwrap();
    assert_eq!(files(0), 19);
    // Later than the clock of the disk.
    clock.advance_ms(20_000 * DAY_MS);
    lake.sweep(TABLE).await.unwrap();
    assert_eq!(files(0), 1);
}

#[tokio::test]
async fn people_who_wait_are_removed_from_a_file_in_one_go() {
    const PEOPLE: u64 = 20;
    let (folder, clock) = (tempfile::tempdir().unwrap(), ManualClock::at_ms(NOW_MS));
    let lake = opened(folder.path(), "n1", &clock);
    for n in 0..3 {
        ship(&lake, NOW_MS, n, 0..PEOPLE + 1).await;
    }
    lake.sweep(TABLE).await.unwrap();
    let version = lake.log(TABLE).await.unwrap().snapshot().await.unwrap().next();
    let (lake, store) = watched(&lake);
    let people: Vec<_> = (0..PEOPLE).map(person).collect();
    for erased in lake.erase(&people).await.unwrap() {
        assert_eq!((erased.rows, erased.files), (3, 3));
    }
    let reads = store.take_reads();
    assert_eq!(reads.len(), 1 + 3, "{reads:?}");
    let rewritten = store.writes.lock().iter().filter(|path| path.contains("erased-")).count();
    assert_eq!(rewritten, 3);
    assert_eq!(lake.log(TABLE).await.unwrap().snapshot().await.unwrap().next(), version + 1, "one commit");
    assert_eq!(content(&lake).await, (3 * 21, people_of(PEOPLE..PEOPLE + 1)));
}

#[tokio::test]
async fn files_that_are_compacted_during_an_erasure_bring_nobody_back() {
    let (folder, clock) = (tempfile::tempdir().unwrap(), ManualClock::at_ms(NOW_MS));
    let (lake, other) = (opened(folder.path(), "n1", &clock), opened(folder.path(), "other", &clock));
    ship_days(&lake).await;
    lake.sweep(TABLE).await.unwrap();
    let (lake, store) = watched(&lake);
    *store.hold.lock() = Some("/erased-");
    let compaction = async {
        store.holding.notified().await;
        let compacted = other.compact(TABLE).await.unwrap();
        store.take_reads();
        store.released.notify_one();
        compacted
    };
    let people = [person(3)];
    let (erased, compacted) = tokio::join!(lake.erase(&people), compaction);
    assert_eq!((compacted.written, compacted.merged), (3, 60));
    let erased = erased.unwrap()[0];
    assert_eq!((erased.rows, erased.files), (3, 3));
    // The second pass looks at the new files alone: sketches, footer and rows of each.
    let reads = store.take_reads();
    assert_eq!(reads.len(), 3 * 3, "{reads:?}");
    assert_eq!(content(&lake).await, (3 * 61, people_of(0..3)));
}

#[tokio::test]
async fn a_compaction_during_an_erasure_brings_nobody_back_and_is_repeated() {
    let (folder, clock) = (tempfile::tempdir().unwrap(), ManualClock::at_ms(NOW_MS));
    let (lake, other) = (opened(folder.path(), "n1", &clock), opened(folder.path(), "other", &clock));
    ship_days(&lake).await;
    let (lake, store) = watched(&lake);
    *store.hold.lock() = Some("/joined-");
    let erasure = async {
        store.holding.notified().await;
        let erased = other.erase(&[person(3)]).await.unwrap()[0];
        store.released.notify_one();
        erased
    };
    let (compacted, erased) = tokio::join!(lake.compact(TABLE), erasure);
    assert_eq!((compacted.unwrap().failed, erased.rows), (0, 3));
    assert_eq!(content(&lake).await, (3 * 61, people_of(0..3)));
    lake.compact(TABLE).await.unwrap();
    assert_eq!(content(&lake).await, (3 * 61, people_of(0..3)));
    assert_eq!(lake.log(TABLE).await.unwrap().snapshot().await.unwrap().files.len(), 3, "one file a day");
}
