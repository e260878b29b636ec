//! A worker in a separate process.

use std::collections::BTreeMap;
use std::io::{BufRead, BufReader, Read};
use std::net::SocketAddr;
use std::os::unix::process::ExitStatusExt;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::sync::Arc;
use std::time::Duration;

use axum::Json;
use axum::routing::get;
use serde_json::Value;
use tokio::time::Instant;
use touchline_datalake::{Datalake, DatalakeOptions, Limits, Person, SinkConfig};
use touchline_protocol::ambient::{SystemClock, SystemEntropy};

const FOLDER: &str = "DATALAKE_CHILD_FOLDER";
const SINKS: &str = "DATALAKE_CHILD_SINKS";
const CLOSE_AGE_MS: &str = "DATALAKE_CHILD_CLOSE_AGE_MS";
const COMPACTION_INTERVAL_MS: &str = "DATALAKE_CHILD_JOIN_EVERY_MS";
/// Erases `person0@viewers.example`, `person1@…` and so on, one after each compaction.
const ERASES: &str = "DATALAKE_CHILD_ERASES";

/// Serves until killed. This is the body of a test named `child`, through which a test binary starts itself.
pub(crate) async fn serve() {
    let folder = std::env::var(FOLDER).unwrap();
    let close_age = Duration::from_millis(std::env::var(CLOSE_AGE_MS).unwrap().parse().unwrap());
    let sinks = match std::env::var(SINKS) {
        Ok(sinks) => sinks.lines().map(|sink| sink.parse().unwrap()).collect(),
        Err(_) => vec![SinkConfig::LakeFolder(Path::new(&folder).join("lake"))],
    };
    // Nothing else in this process installs one.
    let _ = rustls::crypto::ring::default_provider().install_default();
    let lake = Datalake::open(DatalakeOptions {
        folder: Path::new(&folder).join("queue"),
        node: Some("n1".to_owned()),
        sinks,
        sink_secret: None,
        limits: Limits { close_age, roll_bytes: 1 << 20, ..Limits::default() },
        clock: Arc::new(SystemClock::default()),
        entropy: Arc::new(SystemEntropy),
    });
    let lake = lake.await.unwrap();
    // The parent holds the other end, so the child does not outlive it, even under a tracer.
    std::thread::spawn(|| {
        let _ = std::io::stdin().read_to_end(&mut Vec::new());
        std::process::exit(0);
    });
    if let Ok(every) = std::env::var(COMPACTION_INTERVAL_MS) {
        let (lake, every) = (lake.clone(), Duration::from_millis(every.parse().unwrap()));
        let erases = std::env::var_os(ERASES).is_some();
        tokio::spawn(async move {
            for n in 0.. {
                tokio::time::sleep(every).await;
                lake.compact().await.unwrap();
                lake.sweep().await.unwrap();
                if erases {
                    let email = Some(format!("person{n}@viewers.example"));
                    lake.erase_person(Person { email, ..Person::default() }).await.unwrap();
                }
            }
        });
    }
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
    #[expect(clippy::print_stdout, reason = "tells the parent process the address")]
    {
        println!("\nlistening {}", listener.local_addr().unwrap());
    }
    let ledger = lake.clone();
    let ledger = get(async move || Json(ledger.ledger()));
    axum::serve(listener, lake.router().split_for_parts().0.route("/ledger", ledger)).await.unwrap();
}

/// A child process that is killed with SIGKILL when dropped.
pub(crate) struct Worker {
    process: Child,
    pub(crate) address: SocketAddr,
    /// The URL for batches.
    pub(crate) url: String,
}

impl Drop for Worker {
    fn drop(&mut self) {
        // It may have exited by itself.
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

impl Worker {
    /// Accepted and shipped events of each sink. Asserts that the ledger balances.
    async fn ledger(&self) -> Vec<(u64, u64)> {
        let rows = reqwest::get(format!("http://{}/ledger", self.address)).await.unwrap();
        let rows: Vec<Value> = rows.json().await.unwrap();
        let mut sinks = BTreeMap::<String, (u64, u64)>::new();
        for row in &rows {
            let [accepted, shipped, queued, dead] =
                ["accepted", "shipped", "queued", "dead_lettered"].map(|name| row[name].as_u64().unwrap());
            assert_eq!(accepted, shipped + queued + dead, "{row}");
            let sink = sinks.entry(row["sink"].to_string()).or_default();
            *sink = (sink.0 + accepted, sink.1 + shipped);
        }
        sinks.into_values().collect()
    }

    pub(crate) async fn accepted(&self) -> u64 {
        self.ledger().await[0].0
    }

    async fn has_shipped(&self, events: u64) -> bool {
        self.ledger().await.into_iter().all(|(_, shipped)| shipped == events)
    }

    /// Waits until each of its sinks has shipped so many events, at most a minute: the machine may be busy.
    pub(crate) async fn until_shipped(&self, events: u64) {
        let begin = Instant::now();
        while !self.has_shipped(events).await {
            assert!(begin.elapsed() < Duration::from_secs(60), "{events} events were not shipped");
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
    }

    /// Waits until its tracer kills it.
    pub(crate) async fn killed(mut self) {
        // Waiting would close it, which ends the child.
        let stdin = self.process.stdin.take();
        let status = tokio::task::spawn_blocking(move || self.process.wait()).await.unwrap().unwrap();
        assert_eq!(status.signal(), Some(9), "{status}");
        drop(stdin);
    }
}

/// Starts the binary's `child` with a lake in a bucket of the S3-compatible server at `endpoint`.
pub(crate) fn start_on_bucket(folder: &Path, endpoint: &str, sink: &str) -> Worker {
    start_with(folder, 20, &[], &[&[(SINKS, sink)], &bucket_of(endpoint)[..]].concat())
}

/// Environment variables for an S3-compatible server.
fn bucket_of(endpoint: &str) -> [(&str, &str); 5] {
    [
        ("AWS_ENDPOINT_URL", endpoint),
        ("AWS_ALLOW_HTTP", "true"),
        ("AWS_REGION", "us-east-1"),
        ("AWS_ACCESS_KEY_ID", "test"),
        ("AWS_SECRET_ACCESS_KEY", "test"),
    ]
}

/// Starts the binary's `child` with a lake, in a bucket of the server at `endpoint` if given, that keeps compacting
/// files and erasing people.
pub(crate) fn start_erasing(folder: &Path, endpoint: Option<&str>, lake: &str) -> Worker {
    let mut env = vec![(SINKS, lake), (COMPACTION_INTERVAL_MS, "700"), (ERASES, "yes")];
    env.extend(endpoint.into_iter().flat_map(bucket_of));
    start_with(folder, 100, &[], &env)
}

/// Starts the binary's `child`, under `tracer` if given.
pub(crate) fn start(folder: &Path, close_age_ms: u64, tracer: &[&str]) -> Worker {
    start_with(folder, close_age_ms, tracer, &[])
}

/// Starts the binary's `child` with a preloaded recorder that logs its changes of `folder` to `log`.
pub(crate) fn start_recorded(folder: &Path, close_age_ms: u64, recorder: &Path, log: &Path) -> Worker {
    let text = |path: &Path| path.to_str().unwrap().to_owned();
    let (recorder, below, log) = (text(recorder), text(folder), text(log));
    let env = [("LD_PRELOAD", &*recorder), ("DATALAKE_RECORD_BELOW", &*below), ("DATALAKE_RECORD_TO", &*log)];
    start_with(folder, close_age_ms, &[], &env)
}

/// Starts the binary's `child` with sinks in an operator's notation.
pub(crate) fn start_shipping(folder: &Path, close_age_ms: u64, sinks: &[&str]) -> Worker {
    start_with(folder, close_age_ms, &[], &[(SINKS, &sinks.join("\n"))])
}

/// Starts a worker that keeps compacting files, with these sinks or a lake of its own.
pub(crate) fn start_joining(folder: &Path, close_age_ms: u64, sinks: Option<&[&str]>) -> Worker {
    let sinks = sinks.map(|sinks| sinks.join("\n"));
    let env: Vec<_> =
        sinks.iter().map(|sinks| (SINKS, sinks.as_str())).chain([(COMPACTION_INTERVAL_MS, "50")]).collect();
    start_with(folder, close_age_ms, &[], &env)
}

fn start_with(folder: &Path, close_age_ms: u64, tracer: &[&str], env: &[(&str, &str)]) -> Worker {
    let program = std::env::current_exe().unwrap();
    let mut command = match tracer {
        [] => Command::new(&program),
        [tracer, args @ ..] => {
            let mut command = Command::new(tracer);
            command.args(args).arg(&program);
            command
        }
    };
    command.args(["child", "--exact", "--ignored", "--nocapture"]);
    command.envs(env.iter().copied()).env(FOLDER, folder).env(CLOSE_AGE_MS, close_age_ms.to_string());
    let mut process = command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
    let mut lines = BufReader::new(process.stdout.take().unwrap()).lines().map_while(Result::ok);
    let address = lines.find_map(|line| line.strip_prefix("listening ")?.parse().ok());
    // It reports tests that take long: a full or closed pipe would end it.
    std::thread::spawn(move || lines.for_each(drop));
    let Some(address) = address else { panic!("the worker did not start: {:?}", process.wait()) };
    Worker { process, address, url: format!("http://{address}/datalake/batch") }
}
