//! Two million events in and out, and an outage with a million waiting: size of the data folder, memory, and duration
//! of opening and draining. A missed goal is documented with the results and fails the program.

use std::fmt::Write as _;
use std::io::{Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::path::Path;
use std::process::{Child, Command};
use std::time::{Duration, Instant};

use serde_json::Value;

use super::graph::{self, Sample};
use super::{document, load, measure, number, servers};

const BATCH: usize = 50;
/// Allowed size of the data folder beyond twice what waits, in bytes.
const ROOM: u64 = 64 << 20;
const MAX_OPEN_MS: u64 = 1000;

/// A server that is killed with SIGKILL when dropped.
struct Worker {
    process: Child,
    address: SocketAddr,
}

impl Drop for Worker {
    fn drop(&mut self) {
        // It may have exited by itself.
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

impl Worker {
    fn start(kind: &str, folder: &Path) -> Self {
        let (process, address) = servers::start(kind, folder);
        Self { process, address }
    }

    fn status(&self) -> Value {
        let mut stream = TcpStream::connect(self.address).unwrap();
        stream.write_all(b"GET /status HTTP/1.1\r\nhost: bench\r\nconnection: close\r\n\r\n").unwrap();
        let mut answer = String::new();
        stream.read_to_string(&mut answer).unwrap();
        serde_json::from_str(answer.split_once("\r\n\r\n").unwrap().1).unwrap()
    }

    fn sample(&self, folder: &Path, begin: Instant) -> Sample {
        let status = self.status();
        Sample {
            at: begin.elapsed(),
            memory: measure::memory_bytes(self.process.id()),
            folder: measure::disk_bytes(&folder.join("queue")),
            waiting: status["status"]["pending_bytes"].as_u64().unwrap(),
            queued: sum(&status, "queued"),
        }
    }
}

fn sum(status: &Value, column: &str) -> u64 {
    status["status"]["ledger"].as_array().unwrap().iter().map(|row| row[column].as_u64().unwrap()).sum()
}

/// Rows and distinct ids in the lake's files, counted by DuckDB. Nothing is compacted this early.
fn counted(lake: &Path) -> (u64, u64) {
    let program = "import duckdb, sys; duckdb.execute('SET enable_progress_bar = false'); print(*duckdb.execute(f\"select count(*), count(distinct event_id) from read_parquet('{sys.argv[1]}/*/*=*/*.parquet', union_by_name = true)\").fetchone())";
    let output = Command::new("python3").args(["-c", program]).arg(lake).output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    let mut counts = text.split_whitespace().map(|count| count.parse().unwrap());
    (counts.next().unwrap(), counts.next().unwrap())
}

fn mb(bytes: u64) -> u64 {
    bytes / 1_000_000
}

pub(crate) fn run() {
    let events = number("TOUCHLINE_SOAK_EVENTS", 2_000_000);
    let mut text = String::new();
    let misses: Vec<String> =
        [ingest_and_ship(events, &mut text), outage(events / 2, &mut text)].into_iter().flatten().collect();
    for miss in &misses {
        write!(text, "\n**Missed:** {miss}.\n").unwrap();
    }
    document::replace("datalake soak", &text);
    assert!(misses.is_empty(), "{misses:?}");
}

fn until_drained(worker: &Worker, folder: &Path, begin: Instant, samples: &mut Vec<Sample>) {
    loop {
        let sample = worker.sample(folder, begin);
        samples.push(sample);
        if sample.queued == 0 {
            return;
        }
        std::thread::sleep(Duration::from_millis(100));
    }
}

/// Sends events while they are shipped to the lake.
fn ingest_and_ship(events: u64, text: &mut String) -> Option<String> {
    let temporary = tempfile::tempdir().unwrap();
    let folder = temporary.path();
    let worker = Worker::start("shipping", folder);
    let begin = Instant::now();
    let mut samples = Vec::new();
    let took = load::send_total(worker.address, BATCH, events, || samples.push(worker.sample(folder, begin)));
    until_drained(&worker, folder, begin, &mut samples);
    let drained = begin.elapsed();
    // The last move to a fresh folder follows the last batch.
    std::thread::sleep(Duration::from_secs(1));
    let end = worker.sample(folder, begin);
    samples.push(end);
    drop(worker);

    assert_eq!(counted(&folder.join("lake")), (events, events), "lost or duplicated events");
    let flat = graph::growth(&samples);
    writeln!(
        text,
        "{events} events in batches of {BATCH} from 64 clients, the lake written meanwhile: taken in {:.0} s, the last in the lake after {:.0} s; DuckDB counts {events} rows and as many ids. The queue's folder ends with {} MB and nothing waiting (aim: twice what waits and 67 MB). Memory in the last quarter is {flat:.2} of that in the second.\n\n![memory and folder](datalake-soak.svg)\n",
        took.as_secs_f64(),
        drained.as_secs_f64(),
        mb(end.folder),
    )
    .unwrap();
    std::fs::write(document::folder().join("datalake-soak.svg"), graph::svg(&samples)).unwrap();
    eprint!("{text}");
    let missed = end.folder > 2 * end.waiting + ROOM;
    missed.then(|| format!("the folder ends with {} MB and {} bytes waiting", mb(end.folder), end.waiting))
}

/// The lake is unavailable, the worker is killed and restarted, and the lake is back.
#[expect(clippy::cast_precision_loss, reason = "counts far below 2^53")]
fn outage(events: u64, text: &mut String) -> Option<String> {
    let temporary = tempfile::tempdir().unwrap();
    let folder = temporary.path();
    let worker = Worker::start("touchline", folder);
    let took = load::send_total(worker.address, BATCH, events, || {});
    drop(worker);

    let worker = Worker::start("shipping", folder);
    let begin = Instant::now();
    let open_ms = worker.status()["open_ms"].as_u64().unwrap();
    let memory = measure::memory_bytes(worker.process.id());
    let mut samples = Vec::new();
    until_drained(&worker, folder, begin, &mut samples);
    let drained = begin.elapsed();
    drop(worker);
    assert_eq!(counted(&folder.join("lake")), (events, events), "lost or duplicated events");
    let before = text.len();
    let rate = events as f64 / drained.as_secs_f64();
    writeln!(
        text,
        "{events} events taken at {:.0} a second while nothing was shipped, then a SIGKILL: the queue opens in {open_ms} ms (aim: below {MAX_OPEN_MS}) with {} MB of memory, and drains into the lake at {rate:.0} events a second, ten times an income of {:.0}. DuckDB counts {events} rows and as many ids.",
        events as f64 / took.as_secs_f64(),
        mb(memory),
        rate / 10.0,
    )
    .unwrap();
    eprint!("{}", &text[before..]);
    (open_ms >= MAX_OPEN_MS).then(|| format!("opening took {open_ms} ms"))
}
