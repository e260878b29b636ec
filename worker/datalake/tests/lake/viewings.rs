//! Each viewing gets one row, whatever happens to its tab, its network or the worker.

use std::time::Duration;

use crate::support::{self, Row, Workspace, duck, event, lake_rows, outcomes, post_reports, send};
use serde_json::{Value, json};
use touchline_datalake::{Datalake, Table};
use touchline_protocol::ambient::{Clock, ManualClock};

const NOON: i64 = 1_795_262_400_000;
const MINUTE: i64 = 60_000;

/// A report of the viewing `v-{viewing}`.
fn report(viewing: u64, sn: u64, at: i64, sta: &str, keys: Value) -> Value {
    let body = json!({ "sid": format!("v-{viewing}"), "sn": sn, "e": "ps", "sta": sta, "keys": keys,
        "content_type": "event", "content_id": 12, "channel": "northfield" });
    event(viewing * 1000 + sn, "/datalake/cmcd/", at, body)
}

#[expect(clippy::unwrap_used, reason = "tests fail by panicking")]
async fn ended(lake: Datalake) {
    lake.end_viewings().await.unwrap();
    lake.shutdown(Duration::from_secs(10)).await;
}

fn column<'a>(rows: &'a [Row], name: &str) -> Vec<&'a str> {
    rows.iter().map(|row| &*row[name]).collect()
}

#[tokio::test]
async fn a_viewing_gets_one_row_after_its_end_or_15_minutes_after_its_tab_was_killed() {
    let clock = ManualClock::at_ms(NOON);
    let workspace = Workspace { clock: clock.clone(), ..Workspace::new() };
    let lake = workspace.open().await;
    let reports = [
        report(1, 0, NOON, "s", json!({})),
        report(1, 1, NOON, "p", json!({ "msd": 412 })),
        report(2, 0, NOON, "p", json!({ "msd": 900, "com.touchline-watched": 30_000 })),
        report(1, 2, NOON, "e", json!({ "com.touchline-watched": 60_000, "bsda": [0] })),
    ];
    assert_eq!(outcomes(&send(&lake, NOON, &reports).await), ["accepted"; 4]);
    assert_eq!(outcomes(&send(&lake, NOON, &reports).await), ["duplicate"; 4]);
    clock.advance_ms(MINUTE);
    ended(lake).await;
    let rows = lake_rows(&workspace.lake(), Table::Viewing);
    assert_eq!(column(&rows, "viewing"), ["v-1"]);
    assert_eq!(["ending", "startup_time", "watch_time"].map(|name| &*rows[0][name]), ["ended", "0.412", "60"]);

    // The worker was restarted, and the other tab sent nothing more.
    let lake = workspace.open().await;
    clock.advance_ms(13 * MINUTE);
    lake.end_viewings().await.unwrap();
    assert_eq!(lake.quality(|_| None)[0].viewings, 1, "the silent viewing is still open");
    clock.advance_ms(MINUTE);
    ended(lake).await;
    let rows = lake_rows(&workspace.lake(), Table::Viewing);
    assert_eq!(column(&rows, "viewing"), ["v-1", "v-2"]);
    assert_eq!(["ending", "watch_time"].map(|name| &*rows[1][name]), ["lost", "30"]);
    assert_eq!(lake_rows(&workspace.lake(), Table::Cmcd).len(), 4);
}

#[tokio::test]
async fn a_late_report_amends_the_row_in_views_and_compacted_files() {
    let clock = ManualClock::at_ms(NOON);
    let workspace = Workspace { clock: clock.clone(), ..Workspace::new() };
    let lake = workspace.open().await;
    // The views need every table.
    support::until_created(&workspace.lake()).await;
    send(&lake, NOON, &[report(1, 0, NOON, "p", json!({ "msd": 412, "com.touchline-watched": 1_000 }))]).await;
    clock.advance_ms(16 * MINUTE);
    ended(lake).await;
    // The tab was offline, and its last reports arrive an hour late.
    let lake = workspace.open().await;
    clock.advance_ms(60 * MINUTE);
    let last = report(1, 5, NOON + 10 * MINUTE, "q", json!({ "com.touchline-watched": 600_000 }));
    assert_eq!(outcomes(&send(&lake, clock.now_ms(), &[last]).await), ["accepted"]);
    clock.advance_ms(MINUTE);
    ended(lake).await;
    let rows = lake_rows(&workspace.lake(), Table::Viewing);
    assert_eq!(column(&rows, "viewing"), ["v-1", "v-1"]);
    let seen = "SELECT viewing, ending, startup_time, watch_time FROM viewing";
    assert_eq!(duck::viewed(&workspace.lake(), seen), json!([["v-1", "left", "0.412", "600.0"]]));

    let lake = workspace.open().await;
    assert_eq!(lake.compact().await.unwrap().duplicates, 1);
    lake.shutdown(Duration::from_secs(10)).await;
    assert_eq!(duck::viewed(&workspace.lake(), seen), json!([["v-1", "left", "0.412", "600.0"]]));
}

#[tokio::test]
async fn the_sample_queries_return_playback_quality() {
    let clock = ManualClock::at_ms(NOON);
    let workspace = Workspace { clock: clock.clone(), ..Workspace::new() };
    let lake = workspace.open().await;
    let watched = json!({ "msd": 400, "bsa": [2], "bsda": [2_000], "com.touchline-watched": 38_000, "dfa": 3, "cdn": "edge-1",
        "ec": ["network"], "com.touchline-spot": 100, "com.touchline-shown": "360:800:19000 720:3200:19000" });
    let reports = [
        report(1, 0, NOON - MINUTE, "p", json!({ "msd": 400 })),
        report(1, 1, NOON, "e", watched),
        report(2, 0, NOON, "q", json!({})),
        report(3, 0, NOON, "p", json!({ "msd": 600 })),
    ];
    send(&lake, NOON, &reports).await;
    clock.advance_ms(16 * MINUTE);
    lake.end_viewings().await.unwrap();
    support::until_created(&workspace.lake()).await;
    lake.shutdown(Duration::from_secs(10)).await;
    let rows = |file: &str| {
        let query = std::fs::read_to_string(format!("{}/queries/{file}.sql", env!("CARGO_MANIFEST_DIR"))).unwrap();
        duck::viewed(&workspace.lake(), query.trim().trim_end_matches(';'))
    };
    let quality = json!([
        "northfield",
        "event",
        "12",
        "3",
        "0.5",
        "0.59",
        "33.3",
        "2.0",
        "5.0",
        "0.0",
        "2000.0",
        "3.0",
        null,
        "0.63"
    ]);
    assert_eq!(rows("playback_quality"), json!([quality]));
    let endings = json!([
        ["northfield", "", "before_start", "1", null, "0", "0"],
        ["northfield", "", "lost", "1", null, "0", "0"],
        ["northfield", "edge-1", "ended", "1", "0.63", "1", "1"]
    ]);
    assert_eq!(rows("playback_endings"), endings);
    let renditions =
        json!([["northfield", "360.0", "0.32", "50.0", "1"], ["northfield", "720.0", "0.32", "50.0", "1"]]);
    assert_eq!(rows("renditions_over_time"), renditions);
    assert_eq!(rows("playback_errors"), json!([["northfield", "network", "1", "0"]]));
}

#[tokio::test]
async fn any_player_can_send_standard_reports_but_nobody_can_send_rows() {
    let clock = ManualClock::at_ms(NOON);
    let workspace = Workspace { clock: clock.clone(), ..Workspace::new() };
    let lake = workspace.open().await;
    let lines = "e=ps,msd=800,sid=\"other\",sn=1,sta=p,ts=1795262400000,v=2\ne=t,bsa=(1),bsda=(300),sid=\"other\",sn=2,sta=p,ts=1795262410000,v=2";
    for _ in 0..2 {
        assert_eq!(post_reports(&lake, lines).await.status, 200, "a repeated report is the same event");
    }
    for (body, status) in [("sn=1", 400), ("", 400), ("\u{e9}", 400)] {
        assert_eq!(post_reports(&lake, body).await.status, status, "{body}");
    }
    let row = event(9, "/datalake/viewing/", NOON, json!({ "viewing": "v-9", "ending": "ended", "began_at": 0 }));
    assert_eq!(outcomes(&send(&lake, NOON, &[row]).await), ["rejected unknown_path"]);
    clock.advance_ms(16 * MINUTE);
    ended(lake).await;
    let rows = lake_rows(&workspace.lake(), Table::Viewing);
    assert_eq!(column(&rows, "viewing"), ["other"]);
    assert_eq!(["startup_time", "rebuffer_count", "rebuffer_time"].map(|name| &*rows[0][name]), ["0.8", "1", "0.3"]);
}
