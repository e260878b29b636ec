//! Fewer file descriptors than connections: some are reserved for the worker's own files (`OPS-12`).

use reqwest::StatusCode;
use serde_json::json;
use tempfile::TempDir;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpSocket, TcpStream};

use crate::support::{Worker, folder, touchline};

/// The worker's limit of open files.
const FILES: &str = "512";
/// Connections attempted at once.
const CONNECTIONS: usize = 700;
/// Silent connections in one burst.
const BURST: usize = 900;

/// A connection that has made a request and stays open; `None` if the worker closed it.
async fn connect(address: &str) -> Option<TcpStream> {
    let mut stream = TcpStream::connect(address).await.ok()?;
    stream.write_all(b"GET /healthz HTTP/1.1\r\nhost: localhost\r\n\r\n").await.ok()?;
    let mut answer = [0; 12];
    stream.read_exact(&mut answer).await.ok()?;
    (answer == *b"HTTP/1.1 200").then_some(stream)
}

/// Shows OPS-12a.
#[tokio::test(flavor = "multi_thread")]
async fn seven_hundred_connections_with_512_files_prevent_no_writes() {
    let (_folder, mut worker) = start_with_few_files();
    // All calls share one connection, opened while there is room.
    worker.http = reqwest::Client::builder().no_proxy().http2_prior_knowledge().build().unwrap();
    assert!(worker.log().contains("limits.connections exceeds the available"), "{}", worker.log());
    let event = async || send_event(&worker).await;
    assert_eq!(event().await, StatusCode::OK);

    // One by one, because an address may have few silent connections at a time.
    let mut open = Vec::new();
    for _ in 0..CONNECTIONS {
        open.extend(connect(&worker.address).await);
    }
    println!("{} of {CONNECTIONS} connections are open with {FILES} files", open.len());
    assert!((200..400).contains(&open.len()), "{}", open.len());
    for _ in 0..20 {
        assert_eq!(event().await, StatusCode::OK);
    }
    let key = worker.register().await;
    assert!(worker.user_of(&key).await.is_some());
    drop(open);
    assert_eq!(worker.get("/readyz").await.status(), StatusCode::OK);
    let log = worker.log();
    assert!(!log.contains("Too many open files") && !log.contains("reopened"), "{log}");
}

/// Connections that arrive faster than earlier ones are closed do not use up the descriptors (`LIM-7c`).
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn bursts_of_silent_connections_with_512_files_prevent_no_writes() {
    let (_folder, mut worker) = start_with_few_files();
    worker.http = reqwest::Client::builder().no_proxy().http2_prior_knowledge().build().unwrap();
    assert_eq!(send_event(&worker).await, StatusCode::OK);
    for _ in 0..8 {
        let burst = (0..BURST).map(|n| {
            let (from, to) = (format!("127.0.9.{}:0", 1 + n % 2), worker.address.clone());
            tokio::spawn(async move {
                let socket = TcpSocket::new_v4().unwrap();
                socket.bind(from.parse().unwrap()).unwrap();
                socket.connect(to.parse().unwrap()).await.ok()
            })
        });
        let open = futures_util::future::join_all(burst).await;
        assert_eq!(send_event(&worker).await, StatusCode::OK);
        drop(open);
    }
    assert_eq!(worker.get("/readyz").await.status(), StatusCode::OK);
    let log = worker.log();
    assert!(!log.contains("Too many open files") && !log.contains("reopened"), "{log}");
}

fn start_with_few_files() -> (TempDir, Worker) {
    let (folder, data) = folder();
    let worker = touchline(folder.path());
    let mut command = std::process::Command::new("prlimit");
    // The soft limit is lower still, and raised at startup.
    command.arg(format!("--nofile=128:{FILES}")).arg(worker.get_program()).current_dir(folder.path());
    for (name, _) in worker.get_envs() {
        command.env_remove(name);
    }
    let worker = Worker::start_by(command, &data, &["--datalake-close-age-s", "1"]);
    (folder, worker)
}

async fn send_event(worker: &Worker) -> StatusCode {
    let body = json!({ "profile": "p", "session_uuid": "s", "event": "visit" });
    worker.http.post(worker.url("/datalake/event/")).json(&body).send().await.unwrap().status()
}
