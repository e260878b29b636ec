//! Faults around a worker: lost requests and answers, a full disk, a reader during compaction.

use std::collections::BTreeSet;
use std::io::{BufRead, BufReader, Lines};
use std::path::Path;
use std::process::{Child, ChildStdout, Stdio};
use std::time::Duration;

use crate::support::http::Server;
use crate::support::{self, Workspace, duck, id, ids, lake_ids, send, until_shipped, visit};
use serde_json::{Value, json};
use tokio::time::Instant;
use touchline_datalake::{Limits, SinkConfig, Table};
use touchline_protocol::ambient::{Clock, Entropy, ManualClock, SeededEntropy, SystemClock};

const SEED: u64 = 20_261_121;
const DAY: i64 = 24 * 60 * 60 * 1000;

fn visits(numbers: std::ops::Range<u64>, at: i64) -> Vec<Value> {
    numbers.map(|n| visit(n, at)).collect()
}

#[tokio::test]
async fn each_event_arrives_once_despite_lost_requests_and_answers() {
    let entropy = SeededEntropy::new(SEED);
    let server = Server::start().await;
    server.lose(SEED);
    let mut workspace = Workspace::new();
    workspace.sinks.push(SinkConfig::Http(server.url.clone()));
    let lake = workspace.open().await;
    let now = workspace.clock.now_ms();
    // A batch is sent until its answer arrives. Some requests never reach the worker, and some answers are lost.
    let mut tries = 0;
    for batch in 0..30_u64 {
        let events = visits(batch * 4..batch * 4 + 4, now);
        loop {
            tries += 1;
            let draw = entropy.next_f64();
            if draw < 0.15 {
                continue;
            }
            assert_eq!(send(&lake, now, &events).await.status, 200);
            if draw >= 0.3 {
                break;
            }
        }
    }
    assert!(tries > 33, "seed {SEED}: only {tries} tries, no request was lost");
    until_shipped(&lake, 120).await;
    assert_eq!(lake_ids(&workspace.lake(), Table::Event), ids(0..120));
    let received = server.ids();
    assert!(received.len() > 120, "seed {SEED}: no answer of the sink was lost");
    // A retry carries the id by which the receiver recognises it.
    assert_eq!(received.into_iter().collect::<BTreeSet<_>>(), ids(0..120).into_iter().collect());
    assert_eq!(lake.status().dead_letters, 0);
    lake.shutdown(Duration::from_secs(5)).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn events_acknowledged_on_a_full_disk_are_there_when_it_has_space_again() {
    let workspace = Workspace::new();
    // The largest file that the process may write, in KiB: a disk that fills up during a commit.
    let limited = "trap '' XFSZ; ulimit -f 3000; exec \"$@\"";
    let worker = support::process::start(workspace.folder.path(), 3_600_000, &["bash", "-c", limited, "bash"]);
    let client = reqwest::Client::builder().timeout(Duration::from_secs(30)).build().unwrap();
    let entropy = SeededEntropy::new(SEED);
    let now = workspace.clock.now_ms();
    let mut accepted = BTreeSet::new();
    let mut refused = Vec::new();
    for batch in 0..400_u64 {
        let events: Vec<Value> = (batch * 10..batch * 10 + 10)
            .map(|n| {
                let noise: String = (0..60).map(|_| format!("{:016x}", entropy.next_u64())).collect();
                support::event(n, "/datalake/event/", now, json!({"event": "visit", "noise": noise}))
            })
            .collect();
        let answer = client.post(&worker.url).json(&json!({"sent_at": now, "events": events})).send().await.unwrap();
        let status = answer.status().as_u16();
        let answer: Value = answer.json().await.unwrap();
        if status == 200 {
            assert!(refused.is_empty(), "seed {SEED}: acknowledged after a failed write");
            for result in answer["data"]["results"].as_array().unwrap() {
                assert_eq!(result["outcome"], "accepted");
                accepted.insert(result["id"].as_str().unwrap().to_owned());
            }
        } else {
            refused.push((status, answer["code"].clone()));
            if refused.len() == 3 {
                break;
            }
        }
    }
    drop(worker);
    assert!(accepted.len() > 200, "seed {SEED}: {} accepted", accepted.len());
    assert!(refused.len() == 3 && refused.iter().all(|(status, _)| *status == 503), "seed {SEED}: {refused:?}");

    let lake = workspace.open().await;
    assert!(lake.status().damaged.is_empty(), "{:?}", lake.status().damaged);
    support::until(&lake, "shipped", |rows| {
        rows.iter().all(|row| row.queued == 0) && rows.iter().map(|row| row.shipped).sum::<u64>() > 0
    })
    .await;
    let rows = lake_ids(&workspace.lake(), Table::Event);
    let distinct: BTreeSet<_> = rows.iter().cloned().collect();
    assert_eq!(distinct.len(), rows.len(), "duplicate event");
    assert!(accepted.is_subset(&distinct), "{} of {} are lost", accepted.difference(&distinct).count(), accepted.len());
    lake.shutdown(Duration::from_secs(5)).await;
}

#[tokio::test]
async fn with_default_limits_an_event_is_in_the_lake_within_a_minute() {
    let workspace = Workspace { limits: Limits::default(), ..Workspace::new() };
    let lake = workspace.open().await;
    let (now, begin) = (workspace.clock.now_ms(), Instant::now());
    assert_eq!(send(&lake, now, &visits(0..1, now)).await.status, 200);
    until_shipped(&lake, 1).await;
    assert!(begin.elapsed() < Duration::from_secs(60));
    assert_eq!(lake_ids(&workspace.lake(), Table::Event), [id(0)]);
    lake.shutdown(Duration::from_secs(5)).await;
}

/// An analyst who reads the documented view again and again.
struct Reader {
    process: Child,
    looks: Lines<BufReader<ChildStdout>>,
}

impl Reader {
    #[expect(clippy::unwrap_used, reason = "tests fail by panicking")]
    fn of(lake: &Path, stop: &Path) -> Self {
        let script = "import os, sys\n\
            lake, views, stop = sys.argv[1:]\n\
            views = open(views).read()\n\
            seen = set()\n\
            while True:\n\
            \x20   last = os.path.exists(stop)\n\
            \x20   db = connected()\n\
            \x20   db.execute('SET VARIABLE lake = ' + repr(lake))\n\
            \x20   db.execute(views)\n\
            \x20   seen.add(db.execute('SELECT count(*), count(DISTINCT event_id) FROM event').fetchone())\n\
            \x20   print(seen, flush=True)\n\
            \x20   if last: break\n";
        let views = Path::new(env!("CARGO_MANIFEST_DIR")).join("queries/views.sql");
        let mut command = duck::program(script);
        let mut process = command.args([lake, &views, stop]).stdout(Stdio::piped()).spawn().unwrap();
        let looks = BufReader::new(process.stdout.take().unwrap()).lines();
        Self { process, looks }
    }

    /// Waits for its next read. Returns everything that it has read.
    #[expect(clippy::unwrap_used, reason = "tests fail by panicking")]
    fn look(&mut self) -> String {
        self.looks.next().unwrap().unwrap()
    }

    /// Stops it. Returns everything that it has read.
    #[expect(clippy::unwrap_used, reason = "tests fail by panicking")]
    fn stop(mut self) -> String {
        let last = self.looks.by_ref().map_while(Result::ok).last();
        assert!(self.process.wait().unwrap().success(), "the reader failed after {last:?}");
        last.unwrap()
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_reader_of_the_views_sees_each_row_once_during_compaction() {
    let clock = ManualClock::at_ms(SystemClock::default().now_ms());
    let workspace = Workspace { clock: clock.clone(), ..Workspace::new() };
    let lake = workspace.open().await;
    for part in 0..6 {
        let now = workspace.clock.now_ms();
        send(&lake, now, &visits(part * 10..(part + 1) * 10, now)).await;
        clock.advance_ms(100);
        until_shipped(&lake, (part + 1) * 10).await;
    }
    let stop = workspace.folder.path().join("stop");
    let mut reader = Reader::of(&workspace.lake(), &stop);
    assert_eq!(reader.look(), "{(60, 60)}");
    assert_eq!(lake.compact().await.unwrap().written, 1);
    std::fs::write(&stop, "").unwrap();
    assert_eq!(reader.stop(), "{(60, 60)}");
    // A reader that listed the table before the compaction still reads the old files.
    assert_eq!(support::lake_files(&workspace.lake(), Table::Event).len(), 1);
    assert_eq!(support::stored_files(&workspace.lake(), Table::Event).len(), 7);

    clock.advance_ms(7 * DAY);
    assert_eq!(lake.sweep().await.unwrap(), 6);
    assert_eq!(Reader::of(&workspace.lake(), &stop).stop(), "{(60, 60)}");
    lake.shutdown(Duration::from_secs(5)).await;
}
