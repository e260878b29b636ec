//! The worker's datalake and the plain file, each in a separate process behind the same server.

use std::io::{BufRead, BufReader, Read};
use std::net::SocketAddr;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::sync::Arc;
use std::time::{Duration, Instant};

use axum::routing::get;
use axum::serve::ListenerExt;
use axum::{Json, Router};
use serde_json::json;
use touchline_datalake::{Datalake, DatalakeOptions, Limits, SinkConfig};
use touchline_protocol::ambient::{SystemClock, SystemEntropy};

use super::bare;

/// Starts this program as a server: `touchline` stores what it accepts, `shipping` also writes it to the folder's lake,
/// `bare` is the upper bound.
pub(crate) fn start(kind: &str, folder: &Path) -> (Child, SocketAddr) {
    start_by(Command::new(std::env::current_exe().unwrap()), kind, folder)
}

/// Starts it through a command that runs this program with the following arguments.
pub(crate) fn start_by(mut command: Command, kind: &str, folder: &Path) -> (Child, SocketAddr) {
    command.args(["serve", kind]).arg(folder).stdin(Stdio::piped()).stdout(Stdio::piped());
    let mut process = command.spawn().unwrap();
    let mut line = String::new();
    BufReader::new(process.stdout.take().unwrap()).read_line(&mut line).unwrap();
    (process, line.trim().parse().unwrap())
}

/// The body of the process that [`start`] starts. It exits with its parent.
pub(crate) fn serve(kind: &str, folder: &Path) {
    std::thread::spawn(|| {
        // End or failure of the pipe: either way nobody is listening any more.
        let _ = std::io::stdin().read_to_end(&mut Vec::new());
        std::process::exit(0);
    });
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build().unwrap();
    runtime.block_on(async {
        let router = if kind == "bare" { bare::router(folder) } else { datalake(kind == "shipping", folder).await };
        let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
        #[expect(clippy::print_stdout, reason = "tells the parent process the address")]
        {
            println!("{}", listener.local_addr().unwrap());
        }
        let listener = listener.tap_io(|stream| stream.set_nodelay(true).unwrap());
        axum::serve(listener, router).await.unwrap();
    });
}

/// The datalake's router, and `/status` with the time it took to open.
async fn datalake(shipping: bool, folder: &Path) -> Router {
    let day = Duration::from_secs(24 * 3600);
    let limits = if shipping {
        Limits::default()
    } else {
        Limits { close_age: day, close_events: u64::MAX, close_bytes: u64::MAX, ..Limits::default() }
    };
    let options = DatalakeOptions {
        folder: folder.join("queue"),
        node: None,
        sinks: vec![SinkConfig::LakeFolder(folder.join("lake"))],
        sink_secret: None,
        limits,
        clock: Arc::new(SystemClock::default()),
        entropy: Arc::new(SystemEntropy),
    };
    let begin = Instant::now();
    let lake = Datalake::open(options).await.unwrap();
    let open_ms = begin.elapsed().as_millis();
    let status = lake.clone();
    let status = get(move || async move { Json(json!({"open_ms": open_ms, "status": status.status()})) });
    lake.router().split_for_parts().0.route("/status", status)
}
