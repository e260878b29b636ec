//! A worker under hostile load: every call in the document sent as raw bytes, with its records compared before and
//! after.

use std::path::PathBuf;
use std::sync::atomic::{AtomicU32, Ordering};

use serde_json::Value;
use sqlx::sqlite::SqlitePool;
use tempfile::TempDir;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;

use crate::openapi::COMMITTED;
use crate::support::{Worker, eventually, folder, run, text};

/// Tables written by people's actions. Events that go live by the clock are not included.
const PEOPLE_TABLES: &[&str] = &[
    "users",
    "social_logins",
    "api_keys",
    "session_codes",
    "tokens",
    "favorites",
    "orders",
    "subscriptions",
    "order_events",
    "clips",
    "answers",
    "mails",
    "sandbox_cards",
    "sandbox_charges",
];

/// A call in the document.
#[derive(Debug)]
pub(crate) struct Call {
    /// Upper case.
    pub(crate) method: String,
    /// With `{parameters}`.
    pub(crate) path: String,
    /// Whether it requires a key.
    pub(crate) keyed: bool,
}

impl Call {
    pub(crate) fn all() -> Vec<Self> {
        let document: Value = serde_json::from_str(&std::fs::read_to_string(COMMITTED).unwrap()).unwrap();
        let mut calls = Vec::new();
        for (path, item) in document["paths"].as_object().unwrap() {
            for (method, operation) in
                item.as_object().unwrap().iter().filter(|(_, operation_text)| operation_text["responses"].is_object())
            {
                let operation_text = operation.to_string();
                let keyed =
                    operation_text.contains(r#""name":"api_key""#) || operation_text.contains("schemas/WithKey_");
                calls.push(Self { method: method.to_uppercase(), path: path.clone(), keyed });
            }
        }
        assert!(calls.len() > 60, "{calls:?}");
        calls
    }

    /// Whether its fields and its key are in a body.
    pub(crate) fn takes_a_body(&self) -> bool {
        self.method == "POST"
    }

    /// Its path with `value` for each parameter.
    pub(crate) fn path_with(&self, value: &str) -> String {
        let parts = self.path.split('{').map(|part| part.split_once('}').map_or(part, |(_, rest)| rest));
        parts.collect::<Vec<_>>().join(value)
    }

    /// Its path with plausible values.
    pub(crate) fn usual_path(&self) -> String {
        self.path_with(if self.path.contains("{id}") { "1" } else { "google" })
    }

    /// A request with a key: in the body, with `fields` (`,"name":…`), or in the query.
    pub(crate) fn request_with_key(&self, key_json: &str, fields: &str) -> Vec<u8> {
        if self.takes_a_body() {
            return request(&self.method, &self.usual_path(), format!("{{\"api_key\":{key_json}{fields}}}").as_bytes());
        }
        let key = key_json.trim_matches('"');
        request(&self.method, &format!("{}?api_key={key}", self.usual_path()), b"")
    }
}

/// A raw request from a new address.
pub(crate) fn request(method: &str, target: &str, body: &[u8]) -> Vec<u8> {
    static COUNT: AtomicU32 = AtomicU32::new(1);
    let [_, a, b, c] = COUNT.fetch_add(1, Ordering::Relaxed).to_be_bytes();
    let mut bytes = format!(
        "{method} {target} HTTP/1.1\r\nhost: 127.0.0.1\r\nconnection: close\r\nx-forwarded-for: 10.{a}.{b}.{c}\r\n\
         idempotency-key: overload-{a}-{b}-{c}\r\ncontent-type: application/json\r\ncontent-length: {}\r\n\r\n",
        body.len()
    )
    .into_bytes();
    bytes.extend_from_slice(body);
    bytes
}

pub(crate) struct Overload {
    _folder: TempDir,
    data: PathBuf,
    pub(crate) worker: Worker,
    before: String,
}

impl Overload {
    /// Starts a worker and records its state after `prepare`.
    pub(crate) async fn begin<T>(prepare: impl AsyncFnOnce(&Worker) -> T) -> (Self, T) {
        let (folder, data) = folder();
        let worker = Worker::start(&data, &["--trusted-proxies", "127.0.0.0/8"]);
        let prepared = prepare(&worker).await;
        let mut overload = Self { _folder: folder, data, worker, before: String::new() };
        overload.before = eventually("every email is sent", async || {
            let records = overload.records().await;
            (!records.contains("mails:")).then_some(records)
        })
        .await;
        assert!(overload.before.contains("users: "), "the demo users are missing: {}", overload.before);
        (overload, prepared)
    }

    /// Sends bytes and returns the status and the body.
    pub(crate) async fn send(&self, request: &[u8]) -> (u16, Vec<u8>) {
        let mut stream = TcpStream::connect(&self.worker.address).await.unwrap();
        // The worker may close the connection before everything is written.
        let _all = stream.write_all(request).await.is_ok();
        let mut answer = Vec::new();
        let read = stream.read_to_end(&mut answer).await;
        let head = answer.windows(4).position(|end| end == b"\r\n\r\n").unwrap_or_else(|| {
            panic!("no answer ({read:?}) to {}", text(&request[..request.len().min(300)]));
        });
        let status = text(&answer[..head]).split(' ').nth(1).unwrap().parse().unwrap();
        (status, answer[head + 4..].to_vec())
    }

    /// Sends bytes that must be refused with the error envelope; returns the status and the failure.
    pub(crate) async fn refused(&self, request: &[u8]) -> (u16, Value) {
        let (status, body) = self.send(request).await;
        let request_text = text(&request[..request.len().min(300)]);
        assert!((400..500).contains(&status), "{status} {} to {request_text}", text(&body));
        let failure: Value =
            serde_json::from_slice(&body).unwrap_or_else(|_| panic!("{} to {request_text}", text(&body)));
        let in_shape = failure["message"].is_string() && failure["code"].is_string() && failure["errors"].is_object();
        assert!(in_shape, "{failure} to {request_text}");
        (status, failure)
    }

    /// Asserts that nothing was stored, nothing panicked, and the worker still answers.
    pub(crate) async fn end(self) {
        assert_eq!(self.records().await, self.before, "something was stored");
        let log = self.worker.log();
        assert!(!log.contains("panicked") && !log.contains("ERROR"), "{log}");
        assert_eq!(self.send(&request("GET", "/readyz", b"")).await.0, 200);
    }

    /// The records of people as text.
    async fn records(&self) -> String {
        let file = self.data.join("channel.sqlite");
        let store = SqlitePool::connect(&format!("sqlite:{}?mode=ro", file.display())).await.unwrap();
        let mut records = String::new();
        for table in PEOPLE_TABLES {
            // The last use of a key is recorded for any request.
            let columns = "SELECT group_concat('quote(' || name || ')', ' || '',') FROM pragma_table_info(?)
                WHERE name <> 'last_seen_at'";
            let columns: String = sqlx::query_scalar(columns).bind(table).fetch_one(&store).await.unwrap();
            let columns = columns.replace(" || ',", " || ',' || ");
            let rows = sqlx::AssertSqlSafe(format!("SELECT {columns} FROM {table} ORDER BY 1"));
            for row in sqlx::query_scalar::<_, String>(rows).fetch_all(&store).await.unwrap() {
                records.push_str(&format!("{table}: {row}\n"));
            }
        }
        store.close().await;
        let status = run(self.data.parent().unwrap(), &["datalake", "status", "--data", self.data.to_str().unwrap()]);
        // The lake's rows about the channel ship meanwhile, which changes the queued bytes.
        let is_steady = |line: &&str| !line.contains("_dim ") && !line.contains(" bytes queued,");
        let ledger: Vec<_> = text(&status.stdout).lines().filter(is_steady).map(str::to_owned).collect();
        records + &ledger.join("\n")
    }
}
