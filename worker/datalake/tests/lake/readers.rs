//! Other engines read every table while a process writes, compacts and erases: each count at each version is right, and
//! no event is duplicated. In a folder and on an S3-compatible server (moto's).

#![expect(clippy::unwrap_used, clippy::print_stderr, reason = "tests fail by panicking and print results")]

use std::io::{BufRead, BufReader, Read};
use std::process::Stdio;
use std::time::Duration;

use crate::support::bucket::moto;
use crate::support::process::{Worker, start_erasing};
use crate::support::{Workspace, duck, event};
use serde_json::{Value, json};
use tokio::time::Instant;
use touchline_protocol::ambient::{Clock, SystemClock};

/// Reads until its input ends, then compares the results with the logs. Prints an empty line after two rounds, and at
/// the end how often it read and up to which versions.
const READER: &str = "import json, random, select, sys\n\
    import polars\n\
    from deltalake import DeltaTable, QueryBuilder\n\
    root, options, views = sys.argv[1], json.loads(sys.argv[2]), sys.argv[3]\n\
    views = open(views).read() if views else ''\n\
    tables = ['session', 'event', 'video_event', 'video_viewing']\n\
    seen, rounds, random = [], 0, random.Random(7)\n\
    def look(table, version):\n\
    \x20   now = DeltaTable(f'{root}/{table}', version=version, storage_options=options)\n\
    \x20   ids = QueryBuilder().register('t', now).execute('SELECT event_id FROM t')\n\
    \x20   duck = connected().execute('SELECT count(*), count(DISTINCT event_id) FROM ids').fetchone()\n\
    \x20   frame = polars.scan_delta(f'{root}/{table}', version=now.version(), storage_options=options)\n\
    \x20   frame = frame.select(polars.len(), polars.col('event_id').n_unique().alias('ids')).collect().row(0)\n\
    \x20   seen.append((table, now.version(), list(duck), list(frame)))\n\
    \x20   return now.version()\n\
    alone = []\n\
    def versions():\n\
    \x20   return {table: DeltaTable(f'{root}/{table}').version() for table in tables}\n\
    def look_alone(views):\n\
    \x20   before, db = versions(), connected()\n\
    \x20   db.execute('SET VARIABLE lake = ' + repr(root))\n\
    \x20   db.execute(views)\n\
    \x20   def counts(table):\n\
    \x20       view = db.execute(f'SELECT count(*) FROM {table}').fetchone()\n\
    \x20       return [*view, *db.execute(f'SELECT count(*), count(DISTINCT event_id) FROM read_parquet(lake_files(\\'{table}\\', NULL, NULL))').fetchone()]\n\
    \x20   found = {table: counts(table) for table in tables}\n\
    \x20   after = versions()\n\
    \x20   alone.extend((table, before[table], after[table], found[table]) for table in tables)\n\
    while True:\n\
    \x20   last = bool(select.select([sys.stdin], [], [], 0)[0])\n\
    \x20   for table in tables:\n\
    \x20       newest = look(table, None)\n\
    \x20       look(table, random.randrange(newest + 1))\n\
    \x20   if views: look_alone(views)\n\
    \x20   rounds += 1\n\
    \x20   if rounds == 2: print(flush=True)\n\
    \x20   if last: break\n\
    wrong, rows = [], {}\n\
    def right(table, version):\n\
    \x20   if (table, version) not in rows:\n\
    \x20       adds = DeltaTable(f'{root}/{table}', version=version, storage_options=options).get_add_actions(flatten=True)\n\
    \x20       rows[table, version] = sum(polars.DataFrame(adds)['num_records'].to_list())\n\
    \x20   return rows[table, version]\n\
    for table, version, *counts in seen:\n\
    \x20   expected = [right(table, version)] * 2\n\
    \x20   if counts != [expected, expected]: wrong.append((table, version, counts, expected))\n\
    for table, first, last, counts in alone:\n\
    \x20   expected = sorted({right(table, version) for version in range(first, last + 1)})\n\
    \x20   if counts not in [[rows] * 3 for rows in expected]: wrong.append((table, first, last, counts, expected))\n\
    newest = {table: max(version for name, version, *_ in seen if name == table) for table in tables}\n\
    print(json.dumps({'looks': len(seen), 'alone': len(alone), 'wrong': wrong, 'newest': newest, 'rows': [rows[table, newest[table]] for table in tables]}))\n";

fn body_of(n: u64) -> (&'static str, Value) {
    let email = format!("person{}@viewers.example", n % 40);
    match n % 4 {
        0 => ("/datalake/session/", json!({"profile": "p", "session": "s"})),
        1 => ("/datalake/event/", json!({"event": "visit", "user_id": n % 40, "user_email": email})),
        2 => ("/datalake/video/event/", json!({"event": "played", "video_view_uuid": "v", "user_email": email})),
        _ => ("/datalake/video/viewing/", json!({"viewing_time": 10, "user_email": email})),
    }
}

/// Writes until `is_done`, starting with the event `sent`. Returns the new number of events.
async fn write(worker: &Worker, mut sent: u64, is_done: impl Fn() -> bool) -> u64 {
    let client = reqwest::Client::new();
    while !is_done() {
        let now = SystemClock::default().now_ms();
        let events: Vec<Value> = (sent..sent + 40).map(|n| event(n, body_of(n).0, now, body_of(n).1)).collect();
        let answer = client.post(&worker.url).json(&json!({"sent_at": now, "events": events})).send().await.unwrap();
        let answer: Value = answer.json().await.unwrap();
        let results = answer["data"]["results"].as_array().unwrap();
        assert!(results.iter().all(|result| result["outcome"] == "accepted"), "{answer}");
        sent += 40;
        // Each pause is a version of each table, which a reader has to read: they grow, so that a slow one catches up.
        tokio::time::sleep(Duration::from_millis(500 + sent)).await;
    }
    worker.until_shipped(sent).await;
    sent
}

/// `views` is the file with the views through which DuckDB reads the logs; empty if it cannot reach them.
async fn read_while_it_is_written(worker: &Worker, root: &str, options: &Value, views: &str) {
    // `make soak` sets five minutes each.
    let seconds = std::env::var("TOUCHLINE_READERS_S").map_or(0, |text| text.parse().unwrap());
    let begin = Instant::now();
    // The tables exist then.
    let sent = write(worker, 0, || begin.elapsed() > Duration::from_secs(1)).await;
    let mut program = duck::program(READER);
    let program = program.args([root, &options.to_string(), views]).stdin(Stdio::piped()).stdout(Stdio::piped());
    let mut reader = program.spawn().unwrap();
    let (mut lines, mut first) = (BufReader::new(reader.stdout.take().unwrap()), String::new());
    let two_rounds = tokio::task::spawn_blocking(move || lines.read_line(&mut first).map(|_| lines));
    let is_done = || two_rounds.is_finished() && begin.elapsed() > Duration::from_secs(seconds);
    let rows = write(worker, sent, is_done).await / 4;
    drop(reader.stdin.take());
    let mut output = two_rounds.await.unwrap().unwrap();
    let (status, seen) = tokio::task::spawn_blocking(move || {
        let mut text = String::new();
        output.read_to_string(&mut text).unwrap();
        (reader.wait().unwrap(), text)
    })
    .await
    .unwrap();
    assert!(status.success());
    let seen: Value = serde_json::from_str(&seen).unwrap();
    eprintln!("{root}: {seen}");
    assert_eq!(seen["wrong"], json!([]), "wrong counts");
    assert_eq!(seen["rows"], json!([rows, rows, rows, rows]));
}

#[tokio::test(flavor = "multi_thread")]
async fn readers_of_a_folder_see_each_event_once_during_writes_compaction_and_erasure() {
    let workspace = Workspace::new();
    let lake = workspace.lake().display().to_string();
    let worker = start_erasing(workspace.folder.path(), None, &format!("lake:{lake}"));
    read_while_it_is_written(&worker, &lake, &json!({}), concat!(env!("CARGO_MANIFEST_DIR"), "/queries/views.sql"))
        .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn readers_of_a_bucket_see_each_event_once_during_writes_compaction_and_erasure() {
    let (workspace, moto) = (Workspace::new(), moto());
    let created = reqwest::Client::new().put(format!("{}/games", moto.url)).send().await.unwrap();
    assert_eq!(created.status(), 200);
    let worker = start_erasing(workspace.folder.path(), Some(&moto.url), "lake:s3://games/north");
    let options = json!({
        "AWS_ENDPOINT_URL": moto.url, "AWS_ALLOW_HTTP": "true", "AWS_REGION": "us-east-1",
        "AWS_ACCESS_KEY_ID": "test", "AWS_SECRET_ACCESS_KEY": "test",
    });
    read_while_it_is_written(&worker, "s3://games/north", &options, "").await;
}
