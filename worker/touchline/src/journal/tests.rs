use axum::response::IntoResponse;
use touchline_protocol::ambient::{Clock, ManualClock};

use super::*;

const NOW: i64 = 1_700_000_000_000;
const ROOMY: Bounds = Bounds { count: 100, bytes: 1 << 20, age_ms: 10_000, waiting: 100 };

struct Bench {
    folder: tempfile::TempDir,
    clock: Arc<ManualClock>,
}

impl Bench {
    fn new() -> Self {
        Self { folder: tempfile::tempdir().unwrap(), clock: ManualClock::at_ms(NOW) }
    }

    fn open(&self, bounds: Bounds) -> Journal {
        self.open_on(bounds, Disk::new(0))
    }

    fn open_on(&self, bounds: Bounds, disk: Disk) -> Journal {
        let routes = ["/api/geo", "/api/orders/{id}", "/api/stripe/buy"].map(str::to_owned);
        let clock: SharedClock = self.clock.clone();
        Journal::open(self.folder.path().to_owned(), bounds, routes, disk, clock).unwrap()
    }

    async fn record(&self, journal: &Journal, id: &str, method: Method, path: &str, answer: impl IntoResponse) {
        let received = RequestInfo { id, method: &method, path, at: self.clock.now_ms() };
        journal.record(received, Duration::from_millis(3), answer.into_response()).await;
    }

    /// Records requests with these numbers, each in a batch of its own.
    async fn record_all(&self, journal: &Journal, numbers: std::ops::Range<usize>) {
        for number in numbers {
            self.record(journal, &number.to_string(), Method::GET, "/api/geo", "{}").await;
            journal.flush().await;
        }
    }

    fn bytes(&self) -> u64 {
        let files = std::fs::read_dir(self.folder.path()).unwrap();
        files.map(|file| file.unwrap().metadata().unwrap().len()).sum()
    }
}

async fn numbers(journal: &Journal) -> Vec<usize> {
    let found = journal.find((0..1_000).map(|n| n.to_string()).collect(), BTreeSet::new()).await.unwrap();
    found.entries.iter().map(|entry| entry.id.parse().unwrap()).collect()
}

#[tokio::test]
async fn requests_are_recorded_with_route_and_order() {
    let (bench, ids) = (Bench::new(), ["a", "b", "c", "d", "e"]);
    let journal = bench.open(ROOMY);
    let order = r#"{"data":{"id":7,"type":"event"}}"#;
    bench.record(&journal, "a", Method::POST, "/api/stripe/buy", order).await;
    bench.record(&journal, "b", Method::GET, "/api/orders/7", order).await;
    bench.record(&journal, "c", Method::GET, "/api/orders/8", StatusCode::NOT_FOUND).await;
    bench.record(&journal, "d", Method::GET, "/api/ann@example.com", StatusCode::NOT_FOUND).await;
    bench.record(&journal, "e", Method::from_bytes(b"ANN").unwrap(), "/api/geo", "{}").await;
    let found = journal.find(ids.map(str::to_owned).into(), BTreeSet::new()).await.unwrap();
    let about_order = journal.find(HashSet::new(), BTreeSet::from([7])).await.unwrap();
    assert_eq!(about_order.entries, found.entries[..2]);
    let recorded: Vec<_> = found.entries.iter().map(|e| (e.call.as_str(), e.status, e.order)).collect();
    let expected = [
        ("POST /api/stripe/buy", 200, Some(7)),
        ("GET /api/orders/{id}", 200, Some(7)),
        ("GET /api/orders/{id}", 404, None),
        ("GET (unknown)", 404, None),
        ("(unknown) /api/geo", 200, None),
    ];
    assert_eq!(recorded, expected);
    assert_eq!((found.entries[0].at, found.entries[0].ms, found.since, found.lost), (NOW, 3, Some(NOW), 0));
}

#[tokio::test]
async fn reading_the_order_id_leaves_the_response_intact() {
    let (bench, id) = (Bench::new(), "a");
    let journal = bench.open(ROOMY);
    for body in [r#"{"data":{"id":7}}"#, "not an order"] {
        let received = RequestInfo { id, method: &Method::POST, path: "/api/stripe/buy", at: NOW };
        let answer = journal.record(received, Duration::ZERO, body.into_response()).await;
        assert_eq!(to_bytes(answer.into_body(), 100).await.unwrap(), body);
    }
}

#[tokio::test]
async fn the_oldest_requests_are_dropped_over_the_limit() {
    let bench = Bench::new();
    let journal = bench.open(Bounds { count: 20, ..ROOMY });
    bench.record_all(&journal, 0..55).await;
    assert_eq!(numbers(&journal).await, (40..55).collect::<Vec<_>>());
    let reopened = bench.open(Bounds { count: 20, ..ROOMY });
    bench.record_all(&reopened, 55..65).await;
    assert_eq!(numbers(&reopened).await, (50..65).collect::<Vec<_>>(), "a restart counts the stored requests");
}

#[tokio::test]
async fn the_files_stay_within_their_size_limit() {
    let bench = Bench::new();
    let bounds = Bounds { count: 10_000, bytes: 4_000, ..ROOMY };
    let journal = bench.open(bounds);
    for number in 0..500 {
        bench.record_all(&journal, number..number + 1).await;
        assert!(bench.bytes() <= bounds.bytes, "{number}: {}", bench.bytes());
    }
    // One batch may be larger than a file.
    for number in 500..600 {
        bench.record(&journal, &number.to_string(), Method::GET, "/api/geo", "{}").await;
    }
    assert_eq!(numbers(&journal).await.last(), Some(&599));
    assert!(bench.bytes() <= bounds.bytes && bench.bytes() > bounds.bytes / 4, "{}", bench.bytes());
}

#[tokio::test]
async fn requests_expire_after_the_maximum_age() {
    let bench = Bench::new();
    let journal = bench.open(ROOMY);
    for number in 0..8 {
        bench.record_all(&journal, number..number + 1).await;
        bench.clock.advance_ms(2_000);
    }
    let now = bench.clock.now_ms();
    let found = journal.find((0..8).map(|n| n.to_string()).collect(), BTreeSet::new()).await.unwrap();
    assert!(found.entries.iter().all(|entry| now - entry.at <= ROOMY.age_ms), "{:?}", found.entries);
    assert!(found.entries.len() >= 2, "{:?}", found.entries);
    bench.clock.advance_ms(5_000);
    journal.flush().await;
    bench.clock.advance_ms(5_000);
    journal.flush().await;
    assert_eq!(bench.bytes(), 0, "also without requests");
}

#[tokio::test]
async fn dropped_requests_are_counted_and_the_count_is_written() {
    let bench = Bench::new();
    let journal = bench.open(Bounds { waiting: 3, ..ROOMY });
    for id in ["1", "2", "3", "4", "5"] {
        bench.record(&journal, id, Method::GET, "/api/geo", "{}").await;
    }
    journal.count_lost();
    assert_eq!(numbers(&journal).await, [1, 2, 3]);
    drop(journal);
    let found = bench.open(ROOMY).find(["2".to_owned()].into(), BTreeSet::new()).await.unwrap();
    assert_eq!(found.lost, 3);
}

#[tokio::test]
async fn entries_lost_to_a_full_disk_are_counted_once_there_is_space() {
    let bench = Bench::new();
    let full = bench.open_on(ROOMY, Disk::new(1 << 60));
    bench.record_all(&full, 0..3).await;
    assert_eq!(bench.bytes(), 0);
    // The same journal, with disk space again.
    full.0.files.lock().set_disk(Disk::new(0));
    bench.record_all(&full, 3..4).await;
    let found = full.find(["0", "3"].map(str::to_owned).into(), BTreeSet::new()).await.unwrap();
    assert_eq!((found.entries.len(), found.lost), (1, 3));
}

#[tokio::test]
async fn a_line_truncated_by_a_crash_is_skipped() {
    let bench = Bench::new();
    let journal = bench.open(ROOMY);
    bench.record_all(&journal, 0..2).await;
    drop(journal);
    let file = bench.folder.path().join("newer.jsonl");
    let bytes = std::fs::read(&file).unwrap();
    std::fs::write(&file, &bytes[..bytes.len() - 9]).unwrap();
    let journal = bench.open(ROOMY);
    bench.record_all(&journal, 2..3).await;
    assert_eq!(numbers(&journal).await, [0, 2]);
}
