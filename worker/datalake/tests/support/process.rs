//! A worker in a process of its own.

use std::io::{BufRead, BufReader, Read};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::sync::Arc;
use std::time::Duration;

use touchline_datalake::{Datalake, DatalakeOptions, Limits, SinkConfig};
use touchline_protocol::ambient::{SystemClock, SystemEntropy};

const FOLDER: &str = "DATALAKE_CHILD_FOLDER";
const SINK: &str = "DATALAKE_CHILD_SINK";
const CLOSE_AGE_MS: &str = "DATALAKE_CHILD_CLOSE_AGE_MS";

/// Serves until it is killed. The body of a test named `child`, which is how a test binary starts itself again.
pub(crate) async fn serve() {
    let folder = std::env::var(FOLDER).unwrap();
    let close_age = Duration::from_millis(std::env::var(CLOSE_AGE_MS).unwrap().parse().unwrap());
    let sink = match std::env::var(SINK) {
        Ok(sink) => sink.parse().unwrap(),
        Err(_) => SinkConfig::LakeFolder(Path::new(&folder).join("lake")),
    };
    // It is the only installation of the process.
    let _ = rustls::crypto::ring::default_provider().install_default();
    let lake = Datalake::open(DatalakeOptions {
        folder: Path::new(&folder).join("queue"),
        node: Some("n1".to_owned()),
        sinks: vec![sink],
        limits: Limits { close_age, roll_bytes: 2 << 20, ..Limits::default() },
        clock: Arc::new(SystemClock::default()),
        entropy: Arc::new(SystemEntropy),
    });
    let lake = lake.await.unwrap();
    // Whoever started it holds the other end: it does not outlive them, not even below a tracer.
    std::thread::spawn(|| {
        let _ = std::io::stdin().read_to_end(&mut Vec::new());
        std::process::exit(0);
    });
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
    #[expect(clippy::print_stdout, reason = "how the parent hears of the address")]
    {
        println!("\nlistening {}", listener.local_addr().unwrap());
    }
    axum::serve(listener, lake.router().split_for_parts().0).await.unwrap();
}

/// A child that ends with its handle.
pub(crate) struct Worker {
    process: Child,
    pub(crate) url: String,
}

impl Drop for Worker {
    fn drop(&mut self) {
        // It may have ended by itself.
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

/// Starts the binary's `child` with a lake in a bucket of the S3-compatible server at `endpoint`.
pub(crate) fn start_on_bucket(folder: &Path, endpoint: &str, sink: &str) -> Worker {
    let env = [
        (SINK, sink),
        ("AWS_ENDPOINT", endpoint),
        ("AWS_ALLOW_HTTP", "true"),
        ("AWS_REGION", "us-east-1"),
        ("AWS_ACCESS_KEY_ID", "test"),
        ("AWS_SECRET_ACCESS_KEY", "test"),
    ];
    start_with(folder, 20, &[], &env)
}

/// Starts the binary's `child`, below a tracer if one is named.
pub(crate) fn start(folder: &Path, close_age_ms: u64, tracer: &[&str]) -> Worker {
    start_with(folder, close_age_ms, tracer, &[])
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
    let lines = BufReader::new(process.stdout.take().unwrap()).lines();
    for line in lines {
        if let Some(address) = line.unwrap().strip_prefix("listening ") {
            return Worker { process, url: format!("http://{address}/datalake/batch") };
        }
    }
    panic!("the worker did not start: {:?}", process.wait());
}
