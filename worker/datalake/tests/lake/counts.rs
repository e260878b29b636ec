//! Events of viewers who refused analytics, or were not asked, are counted by day and channel, and by nothing else
//! (`ANA-14`).

use std::time::Duration;

use crate::support::{Row, Workspace, event, lake_rows, outcomes, post_to, send};
use serde_json::{Value, json};
use touchline_datalake::{BookRow, Datalake, Table};
use touchline_protocol::ambient::{Clock, ManualClock};

/// 2026-11-21, 12:00.
const NOON: i64 = 1_795_262_400_000;
const HOUR: i64 = 3_600_000;

fn count(n: u64, body: Value) -> Value {
    event(n, "/datalake/count/", NOON, body)
}

async fn send_to(lake: &Datalake, channel: &str, clock: &ManualClock, events: &[Value]) -> Vec<String> {
    let batch = json!({ "sent_at": clock.now_ms(), "events": events });
    outcomes(&post_to(lake, channel, "/datalake/batch", &batch).await)
}

/// Channel, event, number and day of each row.
fn counts(rows: &[Row]) -> Vec<[&str; 4]> {
    let mut found: Vec<_> =
        rows.iter().map(|row| ["channel", "event", "count", "occurred_at"].map(|name| &*row[name])).collect();
    found.sort_unstable();
    found
}

#[expect(clippy::unwrap_used, reason = "tests fail by panicking")]
async fn ended(lake: Datalake) {
    lake.end_viewings().await.unwrap();
    lake.shutdown(Duration::from_secs(10)).await;
}

#[tokio::test]
async fn a_day_has_one_row_per_channel_and_event_without_the_viewer_or_the_time() {
    let clock = ManualClock::at_ms(NOON);
    let workspace = Workspace { clock: clock.clone(), ..Workspace::new() };
    let lake = workspace.open().await;
    let refused = || json!({ "event": "consent_refused" });
    let personal = json!({ "event": "searched", "profile": "p-1", "session_uuid": "s-1", "user_id": 7,
        "user_email": "ada@example.com", "channel": "moor", "extras": { "query": "ada" }, "count": 1000 });
    let first = [count(1, refused()), count(2, refused()), count(3, personal)];
    assert_eq!(send_to(&lake, "meadow", &clock, &first).await, ["accepted"; 3]);
    assert_eq!(send_to(&lake, "meadow", &clock, &first).await, ["duplicate"; 3], "sent again");
    assert_eq!(send_to(&lake, "moor", &clock, &[count(4, refused())]).await, ["accepted"]);
    ended(lake).await;
    assert!(lake_rows(&workspace.lake(), Table::EventCount).is_empty(), "the day has not ended");

    // The worker was restarted. A count of the channel's own change belongs to the same row.
    let lake = workspace.open().await;
    let registered = |n| BookRow {
        table: Table::EventCount,
        id: uuid::Uuid::from_u128(n),
        at_ms: clock.now_ms(),
        body: json!({ "event": "registered", "channel": "meadow" }).to_string(),
    };
    assert_eq!(lake.record_books(vec![registered(8), registered(9)]).await, [true, true]);
    assert_eq!(lake.record_books(vec![registered(9)]).await, [true], "known");
    assert_eq!(send_to(&lake, "meadow", &clock, &[count(5, refused())]).await, ["accepted"]);
    clock.advance_ms(13 * HOUR);
    // From yesterday, but received today.
    assert_eq!(send_to(&lake, "meadow", &clock, &[count(6, refused())]).await, ["accepted"]);
    ended(lake).await;
    let rows = lake_rows(&workspace.lake(), Table::EventCount);
    let day = "1795219200000000";
    assert_eq!(
        counts(&rows),
        [
            ["meadow", "consent_refused", "3", day],
            ["meadow", "registered", "2", day],
            ["meadow", "searched", "1", day],
            ["moor", "consent_refused", "1", day],
        ]
    );
    for row in &rows {
        assert_eq!(row["at"], day);
        let columns = ["at", "channel", "count", "date", "event", "event_id", "file", "occurred_at", "received_at"];
        assert_eq!(row.keys().collect::<Vec<_>>(), columns);
    }

    let lake = workspace.open().await;
    clock.advance_ms(24 * HOUR);
    ended(lake).await;
    let rows = lake_rows(&workspace.lake(), Table::EventCount);
    assert_eq!(rows.len(), 5);
    assert!(counts(&rows).contains(&["meadow", "consent_refused", "1", "1795305600000000"]));
}

#[tokio::test]
async fn a_call_counts_only_events_that_browsers_report() {
    let workspace = Workspace::new();
    let lake = workspace.open().await;
    let now = workspace.clock.now_ms();
    let bodies = [json!({ "event": "registered" }), json!({ "event": "other" }), json!({ "event": 7 }), json!({})];
    let events: Vec<_> = (1..).zip(bodies).map(|(n, body)| event(n, "/datalake/count/", now, body)).collect();
    let not_counted = "rejected invalid: this event is not counted";
    let reasons =
        [not_counted, not_counted, "rejected invalid: not a string", "rejected invalid: missing field `event`"];
    assert_eq!(outcomes(&send(&lake, now, &events).await), reasons);
    ended(lake).await;
}
