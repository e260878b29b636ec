//! Responses that any call in the document can have before its handler, shown for each call;
//! `worker/channel/tests/accounts/statuses.rs` has those of the calls themselves (`CALL`, `LIM`).

use std::collections::BTreeSet;
use std::path::Path;
use std::time::Duration;

use serde_json::Value;
use sqlx::AssertSqlSafe;
use sqlx::sqlite::SqlitePool;
use tempfile::TempDir;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;
use tokio::time::timeout;

use crate::openapi::COMMITTED;
use crate::overload::{Call, request};
use crate::support::{SOON, Worker, folder, text};

/// Internal errors that no request can cause. `worker/touchline/src/serve/middleware.rs` tests a handler that panics
/// and one that never returns.
const FAULT_STATUSES: [&str; 2] = ["500", "503"];
/// Statuses of channel calls that only the middleware or an internal error returns.
const MIDDLEWARE_STATUSES: [&str; 6] = ["408", "413", "421", "429", "500", "503"];

/// Documented responses that occurred: method, path and status.
type Occurred = BTreeSet<(String, String, String)>;

struct DocumentedResponses {
    document: Value,
    occurred: Occurred,
}

impl DocumentedResponses {
    fn new() -> Self {
        let document = serde_json::from_str(&std::fs::read_to_string(COMMITTED).unwrap()).unwrap();
        Self { document, occurred: Occurred::new() }
    }

    fn operation(&self, call: &Call) -> &Value {
        &self.document["paths"][&call.path][call.method.to_lowercase()]
    }

    /// The calls with this status in the document.
    fn calls(&self, status: &str) -> Vec<Call> {
        Call::all().into_iter().filter(|call| self.operation(call)["responses"].get(status).is_some()).collect()
    }

    /// The example of a call's body.
    fn body(&self, call: &Call) -> Vec<u8> {
        let example = self.operation(call).pointer("/requestBody/content/application~1json/example");
        example.map(|body| body.to_string().into_bytes()).unwrap_or_default()
    }

    /// Asserts that a response is the documented one, with the code of its example, and records it.
    fn record(&mut self, call: &Call, status: &str, answer: &[u8]) {
        let answer = text(answer);
        let (head, body) = answer.split_once("\r\n\r\n").unwrap_or_else(|| panic!("{call:?} {status}: {answer:?}"));
        assert_eq!(head.split(' ').nth(1), Some(status), "{call:?}: {body}");
        let example = &self.operation(call)["responses"][status]["content"]["application/json"]["example"];
        let body: Value = serde_json::from_str(body).unwrap_or_else(|_| panic!("{call:?}: {body}"));
        assert_eq!(body["code"], example["code"], "{call:?}");
        assert_eq!(status == "429", head.contains("retry-after: "), "{head}");
        self.occurred.insert((call.method.clone(), call.path.clone(), status.to_owned()));
    }

    async fn meet(&mut self, worker: &Worker, call: &Call, status: &str, request: &[u8]) {
        self.record(call, status, &answer(&worker.address, request).await);
    }
}

/// Sends bytes and returns the whole response.
async fn answer(address: &str, request: &[u8]) -> Vec<u8> {
    let mut stream = TcpStream::connect(address).await.unwrap();
    // The worker may close the connection before everything is written.
    let _all = stream.write_all(request).await.is_ok();
    let mut answer = Vec::new();
    let _whole = timeout(SOON, stream.read_to_end(&mut answer)).await.is_ok_and(|read| read.is_ok());
    answer
}

/// Sends the head of a request, then a byte at a time, and returns the whole response.
async fn send_slowly(address: String, head: Vec<u8>) -> Vec<u8> {
    let (mut from, mut to) = TcpStream::connect(address).await.unwrap().into_split();
    let mut answer = Vec::new();
    let slow = async {
        to.write_all(&head).await.unwrap();
        while to.write_all(b" ").await.is_ok() {
            tokio::time::sleep(Duration::from_millis(100)).await;
        }
    };
    tokio::select! {
        () = slow => {}
        _ = from.read_to_end(&mut answer) => {}
    }
    answer
}

/// The demo's channel without the fallback for unknown hosts.
fn channel_without_fallback() -> TempDir {
    let folder = tempfile::tempdir().unwrap();
    let (from, to) = (
        Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fixtures/channels/northfield"),
        folder.path().join("northfield"),
    );
    std::fs::create_dir(&to).unwrap();
    for entry in
        std::fs::read_dir(&from).unwrap().map(Result::unwrap).filter(|entry| entry.file_name() != "channel.json")
    {
        std::os::unix::fs::symlink(entry.path(), to.join(entry.file_name())).unwrap();
    }
    let channel = std::fs::read_to_string(from.join("channel.json")).unwrap();
    let mut channel: Value = serde_json::from_str(&channel).unwrap();
    channel["fallback"] = Value::Bool(false);
    std::fs::write(to.join("channel.json"), channel.to_string()).unwrap();
    folder
}

#[tokio::test]
async fn every_call_has_the_documented_middleware_responses() {
    let mut documented = DocumentedResponses::new();
    let (_folder, data) = folder();
    let channels = channel_without_fallback();
    let worker = Worker::start(&data, &["--channels", channels.path().to_str().unwrap(), "--limits-body-s", "1"]);

    let slow: Vec<_> = documented
        .calls("408")
        .into_iter()
        .map(|call| {
            let head = format!(
                "{} {} HTTP/1.1\r\nhost: 127.0.0.1\r\ncontent-length: 1000\r\n\r\n",
                call.method,
                call.usual_path()
            );
            (tokio::spawn(send_slowly(worker.address.clone(), head.into_bytes())), call)
        })
        .collect();
    for (answer, call) in slow {
        documented.record(&call, "408", &answer.await.unwrap());
    }
    for call in documented.calls("413") {
        let large = request(&call.method, &call.usual_path(), &vec![b' '; (1 << 20) + 1]);
        documented.meet(&worker, &call, "413", &large).await;
    }
    for call in documented.calls("421") {
        let usual = text(&request(&call.method, &call.usual_path(), &documented.body(&call)));
        let misdirected = usual.replace("host: 127.0.0.1", "host: elsewhere.example");
        documented.meet(&worker, &call, "421", misdirected.as_bytes()).await;
    }
    // Calls outside the channel API have no other test against the document.
    for call in Call::all().iter().filter(|call| !call.path.starts_with("/api/")) {
        let named = |name: &str| request(&call.method, &call.path_with(name), &documented.body(call));
        let (found, lost) = (named("localhost"), named("elsewhere.example"));
        documented.meet(&worker, call, "200", &found).await;
        if call.path.contains('{') {
            documented.meet(&worker, call, "404", &lost).await;
        } else if call.takes_a_body() {
            documented.meet(&worker, call, "400", &request(&call.method, &call.path, b"{")).await;
        }
    }
    // A failing store: calls with an uncached key run into it.
    let records = SqlitePool::connect(&format!("sqlite:{}", data.join("channel.sqlite").display())).await.unwrap();
    for table in ["api_keys", "key_generations"] {
        let rename = format!("ALTER TABLE {table} RENAME TO lost_{table}");
        sqlx::query(AssertSqlSafe(rename)).execute(&records).await.unwrap();
    }
    for call in documented.calls("500").iter().filter(|call| call.keyed || call.path == "/api/get_api_key") {
        let request = if call.keyed {
            call.request_with_key("\"unheard-of\"", "")
        } else {
            request("POST", &call.path, &documented.body(call))
        };
        documented.meet(&worker, call, "500", &request).await;
    }
    records.close().await;
    drop(worker);

    let (_folder, data) = folder();
    let worker = Worker::start(&data, &["--limits-calls-per-minute", "1"]);
    let usual = |call: &Call| request(&call.method, &call.usual_path(), b"{}");
    let calls = documented.calls("429");
    while !answer(&worker.address, &usual(&calls[0])).await.starts_with(b"HTTP/1.1 429") {}
    for call in &calls {
        documented.meet(&worker, call, "429", &usual(call)).await;
    }

    let mut missing = Vec::new();
    for call in Call::all() {
        for status in documented.operation(&call)["responses"].as_object().unwrap().keys() {
            let is_channel_status = call.path.starts_with("/api/") && !MIDDLEWARE_STATUSES.contains(&status.as_str());
            let is_fault_status = FAULT_STATUSES.contains(&status.as_str()) && !(call.keyed && status == "500");
            let occurred = documented.occurred.contains(&(call.method.clone(), call.path.clone(), status.clone()));
            if !occurred && !is_channel_status && !is_fault_status {
                missing.push(format!("{} {} {status}", call.method, call.path));
            }
        }
    }
    assert!(missing.is_empty(), "declared but never occurred:\n{}", missing.join("\n"));
    assert!(documented.occurred.len() > 300, "{}", documented.occurred.len());
}
