//! The committed dictionary matches the schema, and its queries return what they promise.

use std::path::Path;

use crate::support::{Workspace, duck, event, send, until_created, until_shipped};
use serde_json::{Value, json};
use touchline_protocol::ambient::ManualClock;

/// Generated files, relative to the worker's folder, with their expected content.
fn written() -> [(&'static str, String); 2] {
    [
        ("../../docs/datalake.md", touchline_datalake::dictionary()),
        ("queries/views.standard.sql", touchline_datalake::standard_views()),
    ]
}

#[test]
fn the_committed_dictionary_and_views_match_the_schema() {
    for (name, text) in written() {
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(name);
        if std::env::var_os("TOUCHLINE_WRITE").is_some() {
            std::fs::write(&path, &text).unwrap();
        }
        let found = std::fs::read_to_string(&path).unwrap_or_default();
        assert!(
            found == text,
            "{name} drifted: TOUCHLINE_WRITE=1 cargo test -p touchline-datalake --test lake -- dictionary::"
        );
    }
}

#[test]
fn the_standard_sql_views_quote_no_names() {
    let quoted = touchline_datalake::standard_views().lines().any(|line| line.contains(['"', '`', '\'', '[']));
    assert!(!quoted, "a quoted name is a string in some engines");
}

/// The number of rows of each standard SQL view, in an engine with registered tables: here DuckDB with the files that
/// `deltalake` lists.
#[expect(clippy::unwrap_used, reason = "tests fail by panicking")]
fn standard_counts(lake: &Path) -> Value {
    let script = "import json, sys\n\
        from deltalake import DeltaTable\n\
        lake, views = sys.argv[1:]\n\
        db = connected()\n\
        db.execute('CREATE SCHEMA lake')\n\
        names = ['session', 'event', 'video_event', 'video_viewing', 'cmcd', 'viewing']\n\
        books = ['order_event', 'subscription_event', 'package_dim', 'subscription_dim', 'event_dim', 'team_dim', 'event_count']\n\
        for name in books:\n\
        \x20   columns = [lake + '/' + name + '/_columns/received_date=1970-01-01/columns.parquet']\n\
        \x20   db.execute(f'CREATE VIEW lake.{name} AS SELECT * FROM read_parquet({columns!r}, hive_partitioning = true)')\n\
        for name in names:\n\
        \x20   files = DeltaTable(lake + '/' + name).file_uris() or [lake + '/' + name + '/_columns/received_date=1970-01-01/columns.parquet']\n\
        \x20   db.execute(f'CREATE VIEW lake.{name} AS SELECT * FROM read_parquet({files!r}, hive_partitioning = true)')\n\
        db.execute(open(views).read())\n\
        def counted(name):\n\
        \x20   same = f'(SELECT min(sender_at) FROM {name}) = (SELECT min(r.at) FROM lake.{name} AS r)'\n\
        \x20   rows, is_same = db.execute(f'SELECT (SELECT count(*) FROM {name}), {same}').fetchone()\n\
        \x20   assert is_same is not False, name\n\
        \x20   return rows\n\
        print(json.dumps([counted(name) for name in names]))\n";
    let views = Path::new(env!("CARGO_MANIFEST_DIR")).join("queries/views.standard.sql");
    let output = duck::program(script).args([lake, &views]).output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    serde_json::from_slice(&output.stdout).unwrap()
}

/// The rows of a sample query.
#[expect(clippy::unwrap_used, reason = "tests fail by panicking")]
fn query(lake: &Path, file: &str) -> Value {
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("queries").join(file);
    let query = std::fs::read_to_string(file).unwrap();
    duck::viewed(lake, query.trim().trim_end_matches(';'))
}

const NOON: i64 = 1_795_262_400_000;

#[tokio::test]
async fn the_sample_queries_count_each_event_once() {
    let clock = ManualClock::at_ms(NOON);
    let workspace = Workspace { clock: clock.clone(), ..Workspace::new() };
    let lake = workspace.open().await;
    let mut n = 0;
    let mut record = |path: &str, after_s: i64, body: Value| {
        n += 1;
        event(n, path, NOON - 600_000 + after_s * 1000, body)
    };
    let viewing = "/datalake/video/viewing/";
    let mut events = vec![
        record("/datalake/session/", 0, json!({"profile": "p1", "session": "s1"})),
        // Two viewers in the first minute, one of whom watches into the second.
        record(viewing, 30, json!({"viewing_time": 30, "sport": "Soccer", "video_view_uuid": "v1"})),
        record(viewing, 50, json!({"viewing_time": 20, "sport": "Hockey", "video_view_uuid": "v2"})),
        record(viewing, 90, json!({"viewing_time": 60, "sport": "Soccer", "video_view_uuid": "v1"})),
    ];
    // The third saw the checkout before anything else, and not again; the fourth before its first page and after
    // paying.
    for (profile, after_s, name, page) in [
        ("p1", 0, "visit", "/"),
        ("p1", 10, "visit", "/buy"),
        ("p1", 20, "purchase", ""),
        ("p2", 0, "visit", "/packages"),
        ("p2", 10, "visit", "/buy"),
        ("p3", 5, "visit", "/"),
        ("p3", 0, "visit", "/buy"),
        ("p4", 0, "visit", "/buy"),
        ("p4", 5, "visit", "/"),
        ("p4", 10, "visit", "/buy"),
        ("p4", 20, "purchase", ""),
        ("p4", 30, "visit", "/buy"),
    ] {
        let extras = if page.is_empty() { json!({"value": 1200}) } else { json!({"page": page}) };
        events.push(record("/datalake/event/", after_s, json!({"event": name, "profile": profile, "extras": extras})));
    }
    for (view, name) in
        [("v1", "preroll_started"), ("v1", "preroll_ended"), ("v2", "preroll_started"), ("v3", "opened")]
    {
        let body = json!({"event": name, "video_view_uuid": view, "stream_id": 5, "stream_type": "preroll"});
        events.push(record("/datalake/video/event/", 0, body));
    }
    let count = events.len() as u64;
    send(&lake, NOON, &events).await;
    clock.advance_ms(1000);
    until_shipped(&lake, count).await;

    // An unanswered batch that its browser sent to another worker of the same lake.
    let beside = workspace.beside();
    let other = beside.open().await;
    send(&other, NOON, &events).await;
    clock.advance_ms(1000);
    until_shipped(&other, count).await;
    until_created(&workspace.lake()).await;
    assert_eq!(standard_counts(&workspace.lake()), json!([1, 12, 4, 3, 0, 0]));
    let rows = |file| query(&workspace.lake(), file);
    assert_eq!(
        rows("concurrent_viewers.sql"),
        json!([
            ["2026-11-21 11:50:00+00", null, null, null, null, "2"],
            ["2026-11-21 11:51:00+00", null, null, null, null, "1"],
        ])
    );
    assert_eq!(
        rows("watch_time_by_sport.sql"),
        json!([[null, "Soccer", "0.025", "1"], [null, "Hockey", "0.006", "1"]])
    );
    assert_eq!(rows("purchase_funnel.sql"), json!([[null, "4", "3", "2"]]));
    assert_eq!(rows("preroll_completion.sql"), json!([[null, "5", "2", "1", "0", "0", "1", "50.0", "0"]]));
}

#[tokio::test]
async fn the_views_of_an_empty_lake_are_empty() {
    let workspace = Workspace::new();
    let lake = workspace.open().await;
    lake.compact().await.unwrap();
    assert_eq!(query(&workspace.lake(), "watch_time_by_sport.sql"), json!([]));
    assert_eq!(query(&workspace.lake(), "watch_time_by_clip.sql"), json!([]));
}

/// An inconsistent listing: it has a commit, but not the one before it.
#[tokio::test]
async fn the_views_stop_before_a_commit_missing_in_the_listing() {
    let clock = ManualClock::at_ms(NOON);
    let workspace = Workspace { clock: clock.clone(), ..Workspace::new() };
    let lake = workspace.open().await;
    for (n, sport) in [(1, "Soccer"), (2, "Hockey")] {
        let body = json!({"viewing_time": 3600, "sport": sport, "video_view_uuid": "v"});
        send(&lake, NOON, &[event(n, "/datalake/video/viewing/", NOON - 600_000, body)]).await;
        clock.advance_ms(1000);
        until_shipped(&lake, n).await;
        until_created(&workspace.lake()).await;
    }
    let commit = workspace.lake().join("video_viewing/_delta_log/00000000000000000001.json");
    let hidden = workspace.folder.path().join("hidden.json");
    std::fs::rename(&commit, &hidden).unwrap();
    assert_eq!(query(&workspace.lake(), "watch_time_by_sport.sql"), json!([]));
    std::fs::rename(&hidden, &commit).unwrap();
    assert_eq!(query(&workspace.lake(), "watch_time_by_sport.sql").as_array().unwrap().len(), 2);
    lake.shutdown(std::time::Duration::from_secs(5)).await;
}

#[tokio::test]
async fn watch_time_is_counted_by_clip_and_by_event_with_its_clips() {
    let clock = ManualClock::at_ms(NOON);
    let workspace = Workspace { clock: clock.clone(), ..Workspace::new() };
    let lake = workspace.open().await;
    // Two events, two clips of the first one, one of them watched twice, a library video with the same id as the first
    // event, and a row of a page that did not have these columns yet.
    let watched = [
        ("event", Some("7"), Some("7"), "v1", 60),
        ("event", Some("7"), Some("7"), "v1", 30),
        ("event", Some("8"), Some("8"), "v2", 60),
        ("clip", Some("1"), Some("7"), "v3", 15),
        ("clip", Some("1"), Some("7"), "v4", 30),
        ("clip", Some("2"), Some("7"), "v5", 6),
        ("vod", Some("7"), None, "v6", 600),
    ];
    let mut bodies: Vec<Value> = Vec::new();
    for (kind, id, of, view, seconds) in watched {
        bodies.push(json!({
            "viewing_time": seconds, "video_view_uuid": view, "content_type": kind, "content_id": id,
            "content_event_id": of,
        }));
    }
    bodies.push(json!({"viewing_time": 60, "video_view_uuid": "v7"}));
    let viewing = |body| ("/datalake/video/viewing/", body);
    // A table without files has no view: one event for each of the others.
    let others = [
        ("/datalake/session/", json!({"profile": "p1", "session": "s1"})),
        ("/datalake/event/", json!({"event": "visit"})),
        ("/datalake/video/event/", json!({"event": "opened", "video_view_uuid": "v1"})),
    ];
    let reported = bodies.into_iter().map(viewing).chain(others).zip(1..);
    // A heartbeat counts for no more than the time since the previous one.
    let at = |n: u64| NOON - 1_200_000 + 61_000 * i64::try_from(n).unwrap_or_default();
    let events: Vec<_> = reported.map(|((path, body), n)| event(n, path, at(n), body)).collect();
    send(&lake, NOON, &events).await;
    clock.advance_ms(1000);
    until_shipped(&lake, events.len() as u64).await;
    until_created(&workspace.lake()).await;
    let rows = |file| query(&workspace.lake(), file);
    assert_eq!(
        rows("watch_time_by_event.sql"),
        json!([[null, "7", "1.5", "0.85", "2"], [null, "8", "1.0", "0.0", "0"]])
    );
    assert_eq!(rows("watch_time_by_clip.sql"), json!([[null, "1", "7", "0.75", "2"], [null, "2", "7", "0.1", "1"]]));
}
