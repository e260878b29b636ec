//! Test support: a datalake in its own folder, its calls without a socket, and the lake as a reader sees it.

#![expect(clippy::unwrap_used, clippy::panic, reason = "tests fail by panicking")]

pub(crate) mod bucket;
pub(crate) mod duck;
pub(crate) mod flaky_server;
pub(crate) mod http;
pub(crate) mod process;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use arrow_array::cast::AsArray;
use arrow_array::types::{Float64Type, TimestampMicrosecondType};
use arrow_array::{Array, RecordBatch};
use axum::body::Body;
use axum::http::{Request, Response};
use http_body_util::BodyExt;
use parquet::arrow::ProjectionMask;
use parquet::arrow::arrow_reader::ParquetRecordBatchReaderBuilder;
use serde_json::{Value, json};
use tempfile::TempDir;
use touchline_datalake::{
    Datalake, DatalakeOptions, LedgerRow, Limits, OpenError, RequestChannel, Sender, SinkConfig, SinkSecret, Table,
};
use touchline_protocol::ambient::{SeededEntropy, SharedClock, SystemClock};
use tower::ServiceExt;

pub(crate) struct Workspace {
    pub(crate) folder: TempDir,
    pub(crate) limits: Limits,
    pub(crate) clock: SharedClock,
    pub(crate) sinks: Vec<SinkConfig>,
    pub(crate) sink_secret: Option<SinkSecret>,
    pub(crate) node: String,
}

impl Workspace {
    /// A queue and one lake. Batches close after 50 ms.
    pub(crate) fn new() -> Self {
        // Another test of the process may have installed it already.
        let _ = rustls::crypto::ring::default_provider().install_default();
        let folder = tempfile::tempdir().unwrap();
        let sinks = vec![SinkConfig::LakeFolder(folder.path().join("lake"))];
        let limits = Limits { close_age: Duration::from_millis(50), ..Limits::default() };
        let clock = Arc::new(SystemClock::default());
        Self { folder, limits, clock, sinks, sink_secret: None, node: "n1".to_owned() }
    }

    /// Another worker with its own queue, on the same lakes at the same time.
    pub(crate) fn beside(&self) -> Self {
        let (clock, sinks) = (Arc::clone(&self.clock), self.sinks.clone());
        Self { clock, sinks, node: "n2".to_owned(), ..Self::new() }
    }

    pub(crate) fn queue(&self) -> PathBuf {
        self.folder.path().join("queue")
    }

    pub(crate) fn lake(&self) -> PathBuf {
        self.folder.path().join("lake")
    }

    pub(crate) async fn try_open(&self) -> Result<Datalake, OpenError> {
        Datalake::open(DatalakeOptions {
            folder: self.queue(),
            node: Some(self.node.clone()),
            sinks: self.sinks.clone(),
            sink_secret: self.sink_secret.clone(),
            limits: self.limits.clone(),
            clock: Arc::clone(&self.clock),
            entropy: SeededEntropy::new(self.node.bytes().map(u64::from).sum()),
        })
        .await
    }

    pub(crate) async fn open(&self) -> Datalake {
        self.try_open().await.unwrap()
    }
}

pub(crate) struct Answer {
    pub(crate) status: u16,
    pub(crate) retry_after: Option<String>,
    pub(crate) body: Value,
}

async fn answer(lake: &Datalake, request: Request<Body>) -> Answer {
    let (router, _) = lake.router().split_for_parts();
    let response: Response<Body> = router.oneshot(request).await.unwrap();
    let status = response.status().as_u16();
    let retry_after = response.headers().get("retry-after").map(|value| value.to_str().unwrap().to_owned());
    let bytes = response.into_body().collect().await.unwrap().to_bytes();
    Answer { status, retry_after, body: serde_json::from_slice(&bytes).unwrap_or(Value::Null) }
}

pub(crate) async fn post(lake: &Datalake, path: &str, body: impl Into<String>) -> Answer {
    answer(lake, Request::post(path).body(Body::from(body.into())).unwrap()).await
}

/// Posts a player's reports in the format of CTA-5004-B.
pub(crate) async fn post_reports(lake: &Datalake, lines: &str) -> Answer {
    let request = Request::post("/datalake/cmcd").header("content-type", "application/cmcd");
    answer(lake, request.body(Body::from(lines.to_owned())).unwrap()).await
}

/// Posts to a channel's host.
pub(crate) async fn post_to(lake: &Datalake, channel: &str, path: &str, body: &Value) -> Answer {
    let mut request = Request::post(path).body(Body::from(body.to_string())).unwrap();
    request.extensions_mut().insert(RequestChannel(channel.to_owned()));
    answer(lake, request).await
}

pub(crate) async fn send_from(lake: &Datalake, address: u128, sent_at: i64, events: &[Value]) -> Answer {
    let body = json!({ "sent_at": sent_at, "events": events }).to_string();
    let mut request = Request::post("/datalake/batch").body(Body::from(body)).unwrap();
    request.extensions_mut().insert(Sender(address));
    answer(lake, request).await
}

pub(crate) async fn post_with_key(lake: &Datalake, path: &str, key: &str, body: &Value) -> Answer {
    let request = Request::post(path).header("idempotency-key", key).body(Body::from(body.to_string())).unwrap();
    answer(lake, request).await
}

pub(crate) async fn get(lake: &Datalake, path: &str) -> Answer {
    answer(lake, Request::get(path).body(Body::empty()).unwrap()).await
}

/// The id of the `n`-th event.
pub(crate) fn id(n: u64) -> String {
    uuid::Uuid::from_u128(0x0190_0000_0000_7000_8000_0000_0000_0000 + u128::from(n)).to_string()
}

pub(crate) fn event(n: u64, path: &str, at: impl Into<Value>, body: Value) -> Value {
    json!({"id": id(n), "path": path, "at": at.into(), "body": body})
}

pub(crate) fn visit(n: u64, at: impl Into<Value>) -> Value {
    event(n, "/datalake/event/", at, json!({"event": "visit", "n": n}))
}

pub(crate) async fn send(lake: &Datalake, sent_at: impl Into<Value>, events: &[Value]) -> Answer {
    post(lake, "/datalake/batch", json!({"sent_at": sent_at.into(), "events": events}).to_string()).await
}

/// The outcomes of a batch's events, with their reasons.
pub(crate) fn outcomes(answer: &Answer) -> Vec<String> {
    assert_eq!(answer.status, 200, "{}", answer.body);
    let results = answer.body["data"]["results"].as_array().unwrap();
    let outcome = |result: &Value| match result["reason"].as_str() {
        Some(reason) => format!("{} {reason}", result["outcome"].as_str().unwrap()),
        None => result["outcome"].as_str().unwrap().to_owned(),
    };
    results.iter().map(outcome).collect()
}

/// Waits until `done`, at most 20 seconds without a change. Asserts that the ledger balances throughout.
pub(crate) async fn until(lake: &Datalake, what: &str, done: impl Fn(&[LedgerRow]) -> bool) {
    let mut accounts = Vec::new();
    let mut waits = 0;
    while waits < 2000 {
        let ledger = lake.ledger();
        assert!(ledger.iter().all(LedgerRow::balances), "{ledger:#?}");
        if done(&ledger) {
            return;
        }
        let now: Vec<_> = ledger.iter().map(|row| (row.accepted, row.shipped, row.dead_lettered)).collect();
        waits = if now == accounts { waits + 1 } else { 0 };
        accounts = now;
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
    panic!("not {what}: {:#?}", lake.status());
}

pub(crate) async fn until_shipped(lake: &Datalake, events: u64) {
    let shipped = |rows: &[LedgerRow]| {
        let sinks: std::collections::BTreeSet<_> = rows.iter().map(|row| &row.sink).collect();
        sinks
            .iter()
            .all(|sink| rows.iter().filter(|row| &row.sink == *sink).map(|row| row.shipped).sum::<u64>() == events)
    };
    until(lake, "shipped", shipped).await;
}

/// Waits until all tables of the lake exist. A worker creates them in the background after its start.
pub(crate) async fn until_created(lake: &Path) {
    let exists = |table: &Table| lake.join(table.name()).join("_columns").exists();
    for _ in 0..2000 {
        if Table::ALL.iter().all(exists) {
            return;
        }
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
    panic!("not all tables were created");
}

/// A row of the lake: the non-empty cells as text, and the `file` and `date` that contain it.
pub(crate) type Row = BTreeMap<String, String>;

/// The files of a table according to its log, read without the product's code.
pub(crate) fn lake_files(lake: &Path, table: Table) -> Vec<PathBuf> {
    let root = lake.join(table.name());
    let mut commits: Vec<_> = std::fs::read_dir(root.join("_delta_log"))
        .into_iter()
        .flatten()
        .map(|entry| entry.unwrap().path())
        .filter(|path| path.extension().is_some_and(|extension| extension == "json"))
        .collect();
    commits.sort();
    let mut files = std::collections::BTreeSet::new();
    for line in commits.iter().flat_map(|path| {
        let text = std::fs::read_to_string(path).unwrap();
        text.lines().map(|line| serde_json::from_str::<Value>(line).unwrap()).collect::<Vec<_>>()
    }) {
        if let Some(path) = line["remove"]["path"].as_str() {
            assert!(files.remove(&root.join(path)), "{path} is not a file of the table");
        }
        if let Some(path) = line["add"]["path"].as_str() {
            assert!(files.insert(root.join(path)), "{path} was added twice");
        }
    }
    files.into_iter().collect()
}

/// Every Parquet file in a table's partitions, whether part of the current version or not.
pub(crate) fn stored_files(lake: &Path, table: Table) -> Vec<PathBuf> {
    let days = std::fs::read_dir(lake.join(table.name())).into_iter().flatten().map(|entry| entry.unwrap().path());
    let days = days.filter(|day| day.file_name().unwrap().to_string_lossy().starts_with("received_date="));
    let mut files: Vec<_> =
        days.flat_map(|day| std::fs::read_dir(day).unwrap().map(|entry| entry.unwrap().path())).collect();
    files.sort();
    files
}

/// Every row of a table's current files, with duplicates.
pub(crate) fn lake_rows(lake: &Path, table: Table) -> Vec<Row> {
    let mut rows = Vec::new();
    for path in lake_files(lake, table) {
        rows.extend(rows_of(std::fs::read(&path).unwrap().into()).into_iter().map(|mut row| {
            row.insert("file".to_owned(), path.file_name().unwrap().to_string_lossy().into_owned());
            let day = path.parent().unwrap().file_name().unwrap().to_string_lossy().into_owned();
            row.insert("date".to_owned(), day.trim_start_matches("received_date=").to_owned());
            row
        }));
    }
    rows
}

pub(crate) fn rows_of(file: bytes::Bytes) -> Vec<Row> {
    let batches = ParquetRecordBatchReaderBuilder::try_new(file).unwrap().build().unwrap();
    batches
        .map(Result::unwrap)
        .flat_map(|batch| (0..batch.num_rows()).map(|n| row_of(&batch, n)).collect::<Vec<_>>())
        .collect()
}

fn row_of(batch: &RecordBatch, n: usize) -> Row {
    let mut row = Row::new();
    for (field, array) in batch.schema().fields().iter().zip(batch.columns()) {
        if array.is_null(n) {
            continue;
        }
        let text = if let Some(texts) = array.as_string_opt::<i32>() {
            texts.value(n).to_owned()
        } else if let Some(moments) = array.as_primitive_opt::<TimestampMicrosecondType>() {
            moments.value(n).to_string()
        } else {
            array.as_primitive::<Float64Type>().value(n).to_string()
        };
        row.insert(field.name().clone(), text);
    }
    row
}

/// The ids of a table's rows, sorted, with duplicates. Reads one file at a time, and only this column.
pub(crate) fn lake_ids(lake: &Path, table: Table) -> Vec<String> {
    let mut ids = Vec::new();
    for path in lake_files(lake, table) {
        let file = ParquetRecordBatchReaderBuilder::try_new(std::fs::File::open(path).unwrap()).unwrap();
        let mask = ProjectionMask::columns(file.parquet_schema(), ["event_id"]);
        for batch in file.with_projection(mask).build().unwrap().map(Result::unwrap) {
            ids.extend(batch.column(0).as_string::<i32>().iter().map(|id| id.unwrap().to_owned()));
        }
    }
    ids.sort();
    ids
}

pub(crate) fn ids(numbers: impl Iterator<Item = u64>) -> Vec<String> {
    let mut ids: Vec<_> = numbers.map(id).collect();
    ids.sort();
    ids
}
