//! From a call to a row of the lake (ANA-2, ANA-6).

use std::time::Duration;

use crate::support::{
    self, Workspace, event, get, id, lake_rows, outcomes, post, post_to, post_with_key, send, until_shipped, visit,
};
use metrics_exporter_prometheus::PrometheusBuilder;
use serde_json::{Value, json};
use touchline_datalake::Table;
use touchline_protocol::ambient::{Clock, ManualClock};

const NOON: i64 = 1_795_262_400_000;
const HOUR: i64 = 3_600_000;

#[tokio::test]
async fn every_call_of_ana_2_becomes_a_row_with_or_without_a_trailing_slash() {
    let workspace = Workspace::new();
    let lake = workspace.open().await;
    let calls = [
        (
            "/datalake/session",
            Table::Session,
            json!({"profile": "p", "session": "s", "device_type": "mobile",
            "user_agent": "UA", "resolution": "390x844", "platform": "web"}),
        ),
        (
            "/datalake/event",
            Table::Event,
            json!({"profile": "p", "session_uuid": "s", "user_id": 7,
            "user_email": "ann@example.com", "event": "page_view", "extras": {"page": "/buy"}}),
        ),
        (
            "/datalake/video/event",
            Table::VideoEvent,
            json!({"video_view_uuid": "v", "stream_id": 3,
            "stream_type": "live", "event": "start", "extras": {}}),
        ),
        (
            "/datalake/video/viewing",
            Table::VideoViewing,
            json!({"viewing_time": 10, "category": "Boys", "sport": "Soccer",
            "gender": "male", "school": "Northfield High", "league": "North"}),
        ),
    ];
    let common = json!({"origin_url": "http://localhost:8080/", "trk": "spring", "channel": "northfield",
        "analytics_key": "meadow", "country": "CA", "language": "fr", "referrer": "https://news.example",
        "app_version": "0.1.0"});
    for (path, _, body) in &calls {
        let mut body = body.clone();
        body.as_object_mut().unwrap().extend(common.as_object().unwrap().clone());
        for path in [(*path).to_owned(), format!("{path}/")] {
            let answer = post(&lake, &path, body.to_string()).await;
            assert_eq!((answer.status, &answer.body["data"]["outcome"]), (200, &json!("accepted")), "{path}");
        }
    }
    until_shipped(&lake, 8).await;
    for (_, table, body) in &calls {
        let rows = lake_rows(&workspace.lake(), *table);
        assert_eq!(rows.len(), 2);
        for row in rows {
            for (field, value) in body.as_object().unwrap().iter().chain(common.as_object().unwrap()) {
                let text = value.as_str().map_or_else(|| value.to_string(), str::to_owned);
                assert_eq!(row[field], text);
            }
        }
    }
    let hash = get(&lake, "/datalake/hash/").await.body;
    assert!(uuid::Uuid::parse_str(hash["data"].as_str().unwrap()).is_ok());
    assert_ne!(hash, get(&lake, "/datalake/hash").await.body);
}

#[tokio::test]
async fn an_event_without_a_channel_gets_the_hosts_channel_in_every_table() {
    let workspace = Workspace::new();
    let lake = workspace.open().await;
    let now = workspace.clock.now_ms();
    let bodies = [
        (Table::Session, json!({"profile": "p", "session": "s"})),
        (Table::Event, json!({"event": "visit"})),
        (Table::VideoEvent, json!({"event": "played", "video_view_uuid": "v"})),
        (Table::VideoViewing, json!({"viewing_time": 10})),
    ];
    for (n, (table, body)) in (0..).zip(&bodies) {
        let named = |channel| {
            let mut body = body.clone();
            body["channel"] = json!(channel);
            body
        };
        let events =
            [event(n, table.path(), now, body.clone()), event(n + 10, table.path(), now, named("laurentides"))];
        post_to(&lake, "northfield", "/datalake/batch", &json!({"sent_at": now, "events": events})).await;
        post_to(&lake, "meadow", table.path(), body).await;
        // The host's channel is unknown, and nothing is guessed.
        post(&lake, table.path(), body.to_string()).await;
    }
    until_shipped(&lake, 16).await;
    for (table, _) in bodies {
        let rows = lake_rows(&workspace.lake(), table);
        let mut channels: Vec<_> = rows.iter().map(|row| row.get("channel").map(String::as_str)).collect();
        channels.sort_unstable();
        assert_eq!(channels, [None, Some("laurentides"), Some("meadow"), Some("northfield")], "{}", table.name());
        assert!(rows.iter().all(|row| !row.contains_key("other")), "{}", table.name());
    }
}

#[tokio::test]
async fn each_event_of_a_batch_has_a_result_and_each_id_counts_once() {
    let workspace = Workspace::new();
    let lake = workspace.open().await;
    let now = workspace.clock.now_ms();
    let mut bad_id = visit(1, now);
    bad_id["id"] = json!("one");
    let mut unknown = visit(2, now);
    unknown["path"] = json!("/datalake/other/");
    let large = event(3, "/datalake/event/", now, json!({"event": "e", "extras": "x".repeat(6200)}));
    let invalid = event(4, "/datalake/event/", now, json!({"extras": {}}));
    let old = visit(5, now - 8 * 24 * HOUR);
    let events = [visit(6, now), visit(6, now), bad_id, unknown, large, invalid, old, visit(7, now)];
    let answer = send(&lake, now, &events).await;
    assert_eq!(
        outcomes(&answer),
        [
            "accepted",
            "duplicate",
            "rejected bad_id",
            "rejected unknown_path",
            "rejected too_large",
            "rejected invalid: missing field `event`",
            "rejected too_old",
            "accepted",
        ]
    );
    assert_eq!(answer.body["data"]["results"][0]["id"], json!(id(6)));
    assert_eq!(outcomes(&send(&lake, now, &[visit(7, now), visit(8, now)]).await), ["duplicate", "accepted"]);
    // An invalid or missing time or body affects only its own event.
    for odd in [Some(json!("yesterday")), Some(json!([1])), Some(json!(1e300)), Some(json!(null)), None] {
        let [bad_at, bad_body] = ["at", "body"].map(|field| {
            let mut event = visit(10, now);
            match &odd {
                Some(value) => event[field] = value.clone(),
                None => drop(event.as_object_mut().unwrap().remove(field)),
            }
            event
        });
        let answer = send(&lake, now, &[bad_at, bad_body, visit(9, now)]).await;
        let [at, body, good] = outcomes(&answer).try_into().unwrap();
        assert_eq!(at, "rejected bad_at");
        assert!(body.starts_with("rejected invalid: "), "{odd:?}: {body}");
        assert!(["accepted", "duplicate"].contains(&good.as_str()), "{good}");
    }
    // The same goes for anything that is not an event.
    let event = visit(10, now);
    let odd_id = json!({ "id": 7, "path": "/datalake/event/", "at": event["at"], "body": {} });
    let no_path = json!({ "id": id(10), "at": event["at"], "body": {} });
    let answer = send(&lake, now, &[json!(7), json!(null), json!(["a"]), odd_id, no_path, visit(9, now)]).await;
    let results = outcomes(&answer);
    assert!(results[..5].iter().all(|result| result.starts_with("rejected invalid: ")), "{results:?}");
    assert_eq!(results[5], "duplicate");
    let ids: Vec<_> = answer.body["data"]["results"].as_array().unwrap().iter().map(|it| it["id"].clone()).collect();
    assert_eq!(ids, [json!(""), json!(""), json!(""), json!(""), json!(id(10)), json!(id(9))]);
    let same = post_with_key(&lake, "/datalake/event/", &id(8), &json!({"event": "visit"})).await;
    assert_eq!(same.body["data"]["outcome"], json!("duplicate"));
    until_shipped(&lake, 4).await;
    assert_eq!(support::lake_ids(&workspace.lake(), Table::Event), support::ids(6..10));
}

#[tokio::test]
async fn a_clock_wrong_by_six_hours_is_corrected_and_recorded() {
    let clock = ManualClock::at_ms(NOON);
    let workspace = Workspace { clock: clock.clone(), ..Workspace::new() };
    let lake = workspace.open().await;
    for (n, skew) in [(1, -6 * HOUR), (2, 6 * HOUR), (3, 0)] {
        let answer = send(&lake, NOON + skew, &[visit(n, NOON + skew - 90_000)]).await;
        assert_eq!(outcomes(&answer), ["accepted"]);
    }
    // Batches close by age, and this clock does not advance by itself.
    clock.advance_ms(1000);
    until_shipped(&lake, 3).await;
    for (row, skew) in lake_rows(&workspace.lake(), Table::Event).iter().zip([-6 * HOUR, 6 * HOUR, 0]) {
        assert_eq!(row["occurred_at"], ((NOON - 90_000) * 1000).to_string());
        assert_eq!(row["received_at"], (NOON * 1000).to_string());
        assert_eq!(row["at"], ((NOON + skew - 90_000) * 1000).to_string());
        assert_eq!(row["date"], "2026-11-21");
    }
}

#[tokio::test]
async fn oversized_requests_are_refused_with_the_reason() {
    let workspace = Workspace::new();
    let lake = workspace.open().await;
    let many: Vec<Value> = (0..501).map(|n| visit(n, 0)).collect();
    let cases = [
        ("/datalake/batch", "{".to_owned(), 400, "invalid"),
        ("/datalake/batch", json!({"sent_at": 0, "events": []}).to_string(), 400, "invalid"),
        ("/datalake/batch", json!({"sent_at": 0, "events": many}).to_string(), 400, "invalid"),
        ("/datalake/batch", json!({"sent_at": "noon", "events": [visit(1, 0)]}).to_string(), 400, "invalid"),
        ("/datalake/batch", " ".repeat((1 << 20) + 1), 413, "too_large"),
        ("/datalake/event/", "null".to_owned(), 400, "invalid"),
        ("/datalake/event/", json!({"event": "x".repeat(7000)}).to_string(), 400, "invalid"),
        ("/datalake/video/viewing/", json!({"viewing_time": 1e9}).to_string(), 400, "invalid"),
    ];
    for (path, body, status, code) in cases {
        let answer = post(&lake, path, body).await;
        assert_eq!((answer.status, answer.body["code"].as_str()), (status, Some(code)), "{}", answer.body);
        assert!(answer.body["message"].is_string());
        assert!(code != "invalid" || answer.body["errors"]["body"][0].is_string());
    }
    assert!(lake.ledger().iter().all(|row| row.accepted == 0));
}

#[tokio::test]
async fn a_full_batch_closes_early_and_is_named_after_its_content() {
    let mut workspace = Workspace::new();
    workspace.limits.close_age = Duration::from_secs(3600);
    workspace.limits.close_events = 20;
    let lake = workspace.open().await;
    let now = workspace.clock.now_ms();
    for start in [0, 10, 20] {
        let events: Vec<Value> = (start..start + 10).map(|n| visit(n, now)).collect();
        send(&lake, now, &events).await;
    }
    until_shipped(&lake, 20).await;
    let epoch = lake.status().epoch;
    let rows = lake_rows(&workspace.lake(), Table::Event);
    assert!(rows.iter().all(|row| row["file"] == format!("n1-{epoch}-000000000000-000000000019.parquet")));
    let row = lake.ledger().into_iter().find(|row| row.table == Table::Event).unwrap();
    assert_eq!((row.accepted, row.shipped, row.queued, row.oldest_age_s.is_some()), (30, 20, 10, true));
    // A shutdown does not wait for a batch's age.
    lake.shutdown(Duration::from_secs(10)).await;
    assert_eq!(support::lake_ids(&workspace.lake(), Table::Event), support::ids(0..30));
    let late = send(&lake, now, &[visit(99, now)]).await;
    assert_eq!((late.status, late.retry_after.as_deref()), (503, Some("30")));
}

#[tokio::test]
async fn a_batch_ends_with_its_day() {
    let midnight = NOON + 12 * HOUR;
    let clock = ManualClock::at_ms(midnight - 1);
    let mut workspace = Workspace { clock: clock.clone(), ..Workspace::new() };
    workspace.limits.close_age = Duration::from_secs(3600);
    let lake = workspace.open().await;
    for n in 0..4 {
        let now = clock.now_ms();
        assert_eq!(outcomes(&send(&lake, now, &[visit(n, now)]).await), ["accepted"]);
        if n % 2 == 1 {
            clock.advance_ms(1);
        }
    }
    lake.shutdown(Duration::from_secs(10)).await;
    let rows = lake_rows(&workspace.lake(), Table::Event);
    let dates: Vec<_> = rows.iter().map(|row| (row["event_id"].clone(), row["date"].as_str())).collect();
    let expected = [(0, "2026-11-21"), (1, "2026-11-21"), (2, "2026-11-22"), (3, "2026-11-22")];
    assert_eq!(dates, expected.map(|(n, date)| (id(n), date)));
}

#[tokio::test]
async fn many_concurrent_requests_are_all_answered_and_shipped() {
    let workspace = Workspace::new();
    let lake = workspace.open().await;
    let now = workspace.clock.now_ms();
    let tasks: Vec<_> = (0..40_u64)
        .map(|request| {
            let lake = lake.clone();
            tokio::spawn(async move {
                let events: Vec<Value> = (request * 20..(request + 1) * 20).map(|n| visit(n, now)).collect();
                outcomes(&send(&lake, now, &events).await)
            })
        })
        .collect();
    for task in tasks {
        assert!(task.await.unwrap().iter().all(|outcome| outcome == "accepted"));
    }
    until_shipped(&lake, 800).await;
    assert_eq!(support::lake_ids(&workspace.lake(), Table::Event), support::ids(0..800));
}

#[tokio::test]
async fn an_invalid_call_counts_like_an_invalid_event_of_a_batch() {
    let recorder = PrometheusBuilder::new().build_recorder();
    let metrics = recorder.handle();
    // The calls are answered on this thread.
    let _recording = metrics::set_default_local_recorder(&recorder);
    let workspace = Workspace::new();
    let lake = workspace.open().await;
    let now = workspace.clock.now_ms();
    let invalid = || {
        let text = metrics.render();
        let count = |line: &str| {
            let (series, value) = line.rsplit_once(' ')?;
            let counts = series.starts_with("touchline_datalake_events_total") && series.contains("\"invalid\"");
            counts.then(|| value.to_owned())
        };
        text.lines().filter_map(count).collect::<Vec<_>>()
    };
    send(&lake, now, &[event(1, "/datalake/event/", now, json!({})), visit(2, now)]).await;
    assert_eq!(invalid(), ["1"]);
    for (n, body) in ["{}", "{", "[]", r#"{"event":1.5}"#].into_iter().enumerate() {
        assert_eq!(post(&lake, "/datalake/event/", body).await.status, 400);
        assert_eq!(invalid(), [(n + 2).to_string()], "{body}");
    }
    assert_eq!(post(&lake, "/datalake/event/", r#"{"event":"visit"}"#).await.status, 200);
    assert_eq!(invalid(), ["5"]);
}

#[tokio::test]
async fn a_batch_closes_when_its_bodies_reach_close_bytes() {
    let mut workspace = Workspace::new();
    workspace.limits.close_age = Duration::from_secs(3600);
    workspace.limits.close_bytes = 40_000;
    let lake = workspace.open().await;
    let now = workspace.clock.now_ms();
    // They compress to almost nothing, so the limit cannot be on compressed bytes.
    let body = json!({"event": "visit", "extras": "x".repeat(4000)});
    for n in 0..9 {
        send(&lake, now, &[event(n, "/datalake/event/", now, body.clone())]).await;
    }
    assert!(lake.ledger().iter().all(|row| row.shipped == 0), "36 KB do not fill a batch");
    send(&lake, now, &[event(9, "/datalake/event/", now, body.clone())]).await;
    until_shipped(&lake, 10).await;
    assert_eq!(support::lake_files(&workspace.lake(), Table::Event).len(), 1);
}

/// `OPS-51`
#[tokio::test]
async fn changing_the_clock_gives_an_address_no_more_bytes() {
    let clock = ManualClock::at_ms(NOON);
    let mut setup = Workspace { clock: clock.clone(), ..Workspace::new() };
    setup.limits.sender_bytes_per_hour = 20_000;
    let lake = setup.open().await;
    let large =
        |n: u64, at: i64| event(n, "/datalake/event/", at, json!({"event": "visit", "extras": "x".repeat(4_000)}));
    let mut sent = 0;
    let mut is_accepted = async || {
        let now = clock.now_ms();
        sent += 1;
        let answer = support::send_from(&lake, 7, now, &[large(sent, now)]).await;
        if answer.status == 429 {
            return false;
        }
        assert_eq!(outcomes(&answer), ["accepted"]);
        true
    };
    for _ in 0..3 {
        assert!(is_accepted().await);
    }
    while is_accepted().await {}
    for days in [-400, 800, -400] {
        clock.step_ms(days * 24 * HOUR);
        assert!(!is_accepted().await, "{days}");
    }
    clock.advance_ms(HOUR);
    assert!(is_accepted().await);
}
