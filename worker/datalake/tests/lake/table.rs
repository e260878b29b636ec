//! The lake's tables as other engines read them: Delta tables, at every version.

#![expect(clippy::unwrap_used, reason = "tests fail by panicking")]

use std::path::Path;
use std::time::{Duration, SystemTime};

use crate::support::{self, Workspace, duck, id, ids, lake_ids, send, until_shipped, visit};
use serde_json::{Value, json};
use tokio::time::Instant;
use touchline_datalake::{Person, Table};
use touchline_protocol::ambient::{Clock, ManualClock, SystemClock};

const HOUR: i64 = 60 * 60 * 1000;

fn visits(numbers: std::ops::Range<u64>, at: i64) -> Vec<Value> {
    numbers.map(|n| visit(n, at)).collect()
}

#[tokio::test]
async fn other_engines_count_each_event_once_at_every_version() {
    let workspace = Workspace::new();
    let lake = workspace.open().await;
    let now = workspace.clock.now_ms();
    for part in 0..3 {
        send(&lake, now, &visits(part * 10..(part + 1) * 10, now)).await;
        until_shipped(&lake, (part + 1) * 10).await;
    }
    assert_eq!(lake.compact().await.unwrap().written, 1);
    let by = json!({"event": "visit", "user_id": 7, "user_email": "ann@example.com"});
    send(&lake, now, &[support::event(30, "/datalake/event/", now, by)]).await;
    until_shipped(&lake, 31).await;
    let ann = Person { email: Some("ann@example.com".to_owned()), ..Person::default() };
    assert_eq!(lake.erase_person(ann).await.unwrap().rows, 1);
    assert_eq!(lake.compact().await.unwrap().written, 1);
    let rows = [0, 10, 20, 30, 30, 31, 31, 31];
    assert_eq!(duck::counts(&workspace.lake(), Table::Event), rows.map(|rows| json!([rows, rows, rows, rows])));
    assert_eq!(
        duck::counts(&workspace.lake(), Table::Session),
        [json!([0, 0, 0, 0])],
        "a table is there before its first file"
    );
    lake.shutdown(Duration::from_secs(5)).await;
}

/// The files that a reader opens for the rows since a moment, according to the statistics that `deltalake` reads.
fn files_since(lake: &Path, table: Table, since_us: i64) -> Value {
    let script = "import datetime, json, polars, sys\n\
        from deltalake import DeltaTable\n\
        path, since = sys.argv[1], datetime.datetime.fromtimestamp(int(sys.argv[2]) / 1e6, datetime.timezone.utc)\n\
        adds = polars.DataFrame(DeltaTable(path).get_add_actions(flatten=True))\n\
        opened = adds.filter(polars.col('max.occurred_at') >= since)\n\
        rows = polars.scan_delta(path).filter(polars.col('occurred_at') >= since).select(polars.len()).collect().item()\n\
        print(json.dumps([adds.height, opened.height, rows]))\n";
    let args = [lake.join(table.name()).display().to_string(), since_us.to_string()];
    let output = duck::program(script).args(args).output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    serde_json::from_slice(&output.stdout).unwrap()
}

#[tokio::test]
async fn a_query_of_a_time_range_opens_only_its_files() {
    let clock = ManualClock::at_ms(SystemClock::default().now_ms());
    let mut workspace = Workspace { clock: clock.clone(), ..Workspace::new() };
    workspace.limits.close_events = 5;
    let lake = workspace.open().await;
    for part in 0..4 {
        let now = clock.now_ms();
        send(&lake, now, &visits(part * 5..(part + 1) * 5, now)).await;
        until_shipped(&lake, (part + 1) * 5).await;
        clock.advance_ms(60_000);
    }
    // The last two of four minutes, without their first moment.
    let since = (clock.now_ms() - 2 * 60_000) * 1000;
    assert_eq!(files_since(&workspace.lake(), Table::Event, since), json!([4, 2, 10]));
    assert_eq!(files_since(&workspace.lake(), Table::Event, since + 1), json!([4, 1, 5]));
    lake.shutdown(Duration::from_secs(5)).await;
}

#[tokio::test]
async fn a_batch_sent_to_two_workers_has_no_duplicates_after_compaction() {
    let workspace = Workspace::new();
    let (lake, beside) = (workspace.open().await, workspace.beside());
    let other = beside.open().await;
    let now = workspace.clock.now_ms();
    send(&lake, now, &visits(0..20, now)).await;
    until_shipped(&lake, 20).await;
    send(&other, now, &visits(10..30, now)).await;
    until_shipped(&other, 20).await;
    assert_eq!(lake_ids(&workspace.lake(), Table::Event).len(), 40);
    assert_eq!(other.compact().await.unwrap().duplicates, 10);
    assert_eq!(lake_ids(&workspace.lake(), Table::Event), ids(0..30));

    // A single file whose rows another worker has too is rewritten without them.
    send(&lake, now, &visits(20..23, now)).await;
    until_shipped(&lake, 23).await;
    assert_eq!(lake_ids(&workspace.lake(), Table::Event).len(), 33);
    assert_eq!(lake.compact().await.unwrap().duplicates, 3);
    assert_eq!(lake_ids(&workspace.lake(), Table::Event), ids(0..30));

    // A row that a compacted file already has is left out of the next one.
    send(&other, now, &visits(30..31, now)).await;
    until_shipped(&other, 21).await;
    send(&lake, now, &visits(25..31, now)).await;
    until_shipped(&lake, 29).await;
    lake.compact().await.unwrap();
    assert_eq!(lake_ids(&workspace.lake(), Table::Event), ids(0..31));
    lake.shutdown(Duration::from_secs(5)).await;
    other.shutdown(Duration::from_secs(5)).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn concurrent_commits_and_compactions_lose_and_duplicate_nothing() {
    let workspace = Workspace::new();
    let (lake, beside) = (workspace.open().await, workspace.beside());
    let other = beside.open().await;
    let now = workspace.clock.now_ms();
    let work = async |worker: &touchline_datalake::Datalake, from: u64| {
        for part in 0..10 {
            let first = from + part * 10;
            send(worker, now, &visits(first..first + 10, now)).await;
            until_shipped(worker, (part + 1) * 10).await;
            worker.compact().await.unwrap();
        }
    };
    // Half of the events go to both workers.
    tokio::join!(work(&lake, 0), work(&other, 50));
    // Files that each skipped because of the other.
    lake.compact().await.unwrap();
    assert_eq!(lake_ids(&workspace.lake(), Table::Event), ids(0..150));
    let counts = duck::counts(&workspace.lake(), Table::Event);
    assert!(counts.iter().all(|row| row[0] == row[2] && row[1] == row[3]), "{counts:?}");
    lake.shutdown(Duration::from_secs(5)).await;
    other.shutdown(Duration::from_secs(5)).await;
}

/// The files in a folder that contain a text.
fn files_containing(folder: &Path, text: &str) -> Vec<String> {
    let mut found = Vec::new();
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            found.extend(files_containing(&path, text));
        } else if std::fs::read(&path).unwrap().windows(text.len()).any(|bytes| bytes == text.as_bytes()) {
            found.push(path.display().to_string());
        }
    }
    found
}

#[tokio::test]
async fn an_hour_after_an_erasure_no_file_of_any_version_contains_the_person() {
    let clock = ManualClock::at_ms(SystemClock::default().now_ms());
    let workspace = Workspace { clock: clock.clone(), ..Workspace::new() };
    let lake = workspace.open().await;
    // Long enough to remain recognisable in a compressed file.
    let email = "an.address.that.occurs.nowhere.else.in.the.world@example.com";
    for n in 0..3 {
        let now = clock.now_ms();
        let body = json!({"event": "visit", "user_id": 7, "user_email": email});
        send(&lake, now, &[support::event(n, "/datalake/event/", now, body)]).await;
        clock.advance_ms(100);
        until_shipped(&lake, n + 1).await;
    }
    lake.compact().await.unwrap();
    // Another worker was killed while writing a compacted file.
    let day = support::stored_files(&workspace.lake(), Table::Event).remove(0).parent().unwrap().to_owned();
    let unfinished = day.join("joined-n2-0a.parquet#1");
    std::fs::write(&unfinished, email).unwrap();
    let moment = SystemTime::UNIX_EPOCH + Duration::from_millis(clock.now_ms().cast_unsigned());
    std::fs::File::open(unfinished).unwrap().set_modified(moment).unwrap();
    let parts = "three parts, what they were joined to, and an unfinished file";
    assert_eq!(files_containing(&workspace.lake(), email).len(), 5, "{parts}");
    let person = || Person { email: Some(email.to_owned()), ..Person::default() };
    assert_eq!(lake.erase_person(person()).await.unwrap().rows, 3);
    assert_eq!(lake_ids(&workspace.lake(), Table::Event), ids(0..3));
    clock.advance_ms(HOUR - 1);
    lake.sweep().await.unwrap();
    assert_eq!(files_containing(&workspace.lake(), email).len(), 5, "running queries can finish");
    clock.advance_ms(1);
    lake.sweep().await.unwrap();
    assert_eq!(files_containing(&workspace.lake(), email), Vec::<String>::new());
    assert_eq!(lake_ids(&workspace.lake(), Table::Event), ids(0..3));
    lake.shutdown(Duration::from_secs(5)).await;
}

#[tokio::test]
async fn an_uncommitted_file_is_removed_after_an_hour_and_a_lake_without_a_log_becomes_a_table() {
    let clock = ManualClock::at_ms(SystemClock::default().now_ms());
    let workspace = Workspace { clock: clock.clone(), ..Workspace::new() };
    let lake = workspace.open().await;
    let now = clock.now_ms();
    send(&lake, now, &visits(0..10, now)).await;
    clock.advance_ms(100);
    until_shipped(&lake, 10).await;
    lake.shutdown(Duration::from_secs(5)).await;
    // The state that an earlier build left: files, one of which another covers, and no log.
    let file = support::lake_files(&workspace.lake(), Table::Event).remove(0);
    std::fs::copy(&file, file.with_file_name("n1-e-000000000000-000000000009.parquet")).unwrap();
    std::fs::rename(&file, file.with_file_name("n1-e-000000000000-000000000004.parquet")).unwrap();
    std::fs::remove_dir_all(workspace.lake().join("event/_delta_log")).unwrap();

    let lake = workspace.open().await;
    lake.compact().await.unwrap();
    assert_eq!(lake_ids(&workspace.lake(), Table::Event), ids(0..10));
    clock.advance_ms(HOUR - 60_000);
    assert_eq!(lake.sweep().await.unwrap(), 0);
    clock.advance_ms(120_000);
    assert_eq!(lake.sweep().await.unwrap(), 1);
    assert_eq!(support::stored_files(&workspace.lake(), Table::Event).len(), 1);
    assert_eq!(lake_ids(&workspace.lake(), Table::Event), ids(0..10));
    lake.shutdown(Duration::from_secs(5)).await;
}

/// The rows that DuckDB counts in the view and in the table's files, and the duration of the view's count,
/// milliseconds.
fn counted_by_duckdb(lake: &Path) -> Value {
    let script = "import json, sys, time\n\
        from deltalake import DeltaTable\n\
        lake, views = sys.argv[1:]\n\
        db = connected()\n\
        db.execute('SET VARIABLE lake = ' + repr(lake))\n\
        db.execute(open(views).read())\n\
        begin = time.monotonic()\n\
        view = db.execute('SELECT count(*) FROM event').fetchone()[0]\n\
        took = (time.monotonic() - begin) * 1000\n\
        raw = db.execute('SELECT count(*) FROM read_parquet(?)', [DeltaTable(lake + '/event').file_uris()]).fetchone()[0]\n\
        print(json.dumps({'view': view, 'raw': raw, 'took_ms': round(took)}))\n";
    let views = Path::new(env!("CARGO_MANIFEST_DIR")).join("queries/views.sql");
    let output = duck::program(script).args([lake, &views]).output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    serde_json::from_slice(&output.stdout).unwrap()
}

#[tokio::test]
async fn a_day_of_small_batches_is_compacted_and_counted_within_a_second() {
    // A small steady channel fills 17,280 batches a day; `make soak` tests that many and checks the duration.
    let more = std::env::var("TOUCHLINE_SMALL_BATCHES").ok();
    let batches = more.as_ref().and_then(|n| n.parse().ok()).unwrap_or(240);
    let rows = batches * 3 + 1;
    let clock = ManualClock::at_ms(SystemClock::default().now_ms());
    let mut workspace = Workspace { clock: clock.clone(), ..Workspace::new() };
    // A batch closes by its count.
    workspace.limits.close_events = 3;
    let lake = workspace.open().await;
    for part in 0..batches {
        let now = clock.now_ms();
        send(&lake, now, &visits(part * 3..(part + 1) * 3, now)).await;
        clock.advance_ms(1_000);
    }
    until_shipped(&lake, batches * 3).await;
    // On longer days the lake compacts itself every hour.
    let before = support::lake_files(&workspace.lake(), Table::Event).len() as u64;
    assert!(if batches < 3_600 { before == batches } else { before > 1_000 }, "{before} files");
    let begin = Instant::now();
    lake.compact().await.unwrap();
    let compacted = begin.elapsed();
    let files = support::lake_files(&workspace.lake(), Table::Event).len();
    assert!(files <= 50, "{files} files");
    // Checkpoints were written in the meantime: a new reader uses the last one.
    let log = std::fs::read_dir(workspace.lake().join("event/_delta_log")).unwrap();
    let names = log.map(|entry| entry.unwrap().file_name().into_string().unwrap());
    assert!(names.filter(|name| name.ends_with(".checkpoint.parquet")).count() > 2);
    lake.shutdown(Duration::from_secs(5)).await;
    let lake = workspace.open().await;
    send(&lake, clock.now_ms(), &visits(batches * 3..rows, clock.now_ms())).await;
    clock.advance_ms(100);
    until_shipped(&lake, rows).await;
    let counted = counted_by_duckdb(&workspace.lake());
    eprintln!("{batches} batches: joined in {compacted:?} to {files} files; {counted}");
    assert_eq!((&counted["view"], &counted["raw"]), (&json!(rows), &json!(rows)));
    assert!(more.is_none() || counted["took_ms"].as_u64().unwrap() < 1000, "{counted}");
    assert_eq!(duck::counts_of(&workspace.lake(), Table::Event, "-1"), [json!([rows, rows, rows, rows])]);
    assert_eq!(lake_ids(&workspace.lake(), Table::Event).last(), Some(&id(batches * 3)));
    lake.shutdown(Duration::from_secs(5)).await;
}
