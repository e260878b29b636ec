//! Analytics calls on a running worker: what they forward, what they may not write, and how a viewing ends.

use axum::Router;
use axum::body::Bytes;
use axum::http::{StatusCode, Uri};
use serde_json::{Value, json};
use touchline_protocol::ambient::{Clock, SystemClock};

use crate::books::lake_rows;
use crate::demo_channel::{demo_channel, edit};
use crate::support::{Worker, eventually, folder};

/// Shows ANA-2a, ANA-2b, ANA-2c, ANA-2d, ANA-2e, ANA-2f: a service receives the calls as the worker did.
#[tokio::test(flavor = "multi_thread")]
async fn each_analytics_call_is_forwarded_to_a_service() {
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = format!("http:http://{}/v1", listener.local_addr().unwrap());
    let (send, mut calls) = tokio::sync::mpsc::unbounded_channel();
    let service = Router::new().fallback(async move |uri: Uri, body: Bytes| {
        let body: Value = serde_json::from_slice(&body).unwrap();
        send.send((uri.path().to_owned(), body)).map_or(StatusCode::GONE, |()| StatusCode::OK)
    });
    tokio::spawn(async move { axum::serve(listener, service).await });
    let (_folder, data) = folder();
    let worker = Worker::start(&data, &["--datalake-close-age-s", "1", "--datalake-sinks", &url]);
    let hash = async || worker.get("/datalake/hash/").await.json::<Value>().await.unwrap()["data"].clone();
    let session = hash().await;
    assert!(session.as_str().is_some_and(|id| id.len() > 20) && session != hash().await, "{session}");
    let video =
        json!({ "video_view_uuid": "v", "stream_id": 3, "stream_type": "live", "event": "opened", "extras": {} });
    let mut sent = [
        (
            "/datalake/session/",
            json!({ "profile": "p", "session": session, "device_type": "mobile", "user_agent": "UA",
            "resolution": "390x844", "platform": "web" }),
        ),
        (
            "/datalake/event/",
            json!({ "profile": "p", "session_uuid": session, "user_id": 7, "user_email": "a@b.example",
            "event": "visit", "extras": { "page": "/buy" } }),
        ),
        ("/datalake/video/event/", video),
        (
            "/datalake/video/viewing/",
            json!({ "viewing_time": 10, "category": "Boys", "sport": "Soccer",
            "gender": "male", "school": "Northfield High", "league": "North" }),
        ),
    ];
    for (path, body) in &mut sent {
        body["origin_url"] = json!("https://northfield.example");
        body["trk"] = json!("spring");
        let response = worker.http.post(worker.url(path)).json(body).send().await.unwrap();
        assert_eq!(response.status(), StatusCode::OK, "{path}");
    }
    for _ in 0..sent.len() {
        let (path, body) = calls.recv().await.unwrap();
        let (_, original) = sent
            .iter()
            .find(|(of, _)| path == format!("/v1{}", of.trim_start_matches("/datalake")) || path.ends_with(of))
            .unwrap_or_else(|| panic!("{path}"));
        for (field, value) in original.as_object().unwrap() {
            assert_eq!(&body[field], value, "{field} of {path}");
        }
    }
}

/// Shows ANA-4c, ANA-10b, ANA-10c.
#[tokio::test]
async fn no_call_writes_the_tables_of_the_books() {
    let (root, data) = folder();
    let channels = root.path().join("channels");
    demo_channel(&channels);
    edit(&channels.join("northfield/settings.json"), |settings| {
        settings.as_object_mut().unwrap().remove("currency");
    });
    let flags = ["--datalake-close-age-s", "1", "--channels", channels.to_str().unwrap()];
    let worker = Worker::start(&data, &flags);
    let row = json!({ "event": "paid", "order_id": "1", "net": 100, "id": "1", "name": "x", "channel": "northfield" });
    let mut events = vec![json!({ "path": "/datalake/event/", "body": { "event": "purchase", "profile": "p" } })];
    let tables = ["order_event", "subscription_event", "package_dim", "subscription_dim", "event_dim", "team_dim"];
    for table in tables {
        let path = format!("/datalake/{table}/");
        let response = worker.http.post(worker.url(&path)).json(&row).send().await.unwrap();
        assert_eq!(response.status(), StatusCode::NOT_FOUND, "{path}");
        events.push(json!({ "path": path, "body": row }));
    }
    for (n, event) in events.iter_mut().enumerate() {
        event["id"] = json!(format!("01900000-0000-7000-8000-{n:012x}"));
        event["at"] = json!(SystemClock::default().now_ms());
    }
    let batch = json!({ "sent_at": SystemClock::default().now_ms(), "events": events });
    let answer = worker.http.post(worker.url("/datalake/batch")).json(&batch).send().await.unwrap();
    let answer: Value = answer.json().await.unwrap();
    let results = answer["data"]["results"].as_array().unwrap();
    assert_eq!(results[0]["outcome"], "accepted", "{answer}");
    assert!(results[1..].iter().all(|result| result["outcome"] == "rejected"), "{answer}");

    let count = |query: &str| lake_rows(&data, query)[0][0].parse::<usize>().unwrap();
    eventually("the browser's report is a row of its own", async || {
        (count("SELECT count(*) FROM event WHERE event = 'purchase'") == 1).then_some(())
    })
    .await;
    for (table, count_expected) in [("package_dim", 6), ("subscription_dim", 2), ("event_dim", 60), ("team_dim", 24)] {
        let query = format!("SELECT count(*) FROM {table} WHERE channel = 'northfield' AND name IS NOT NULL");
        eventually(table, async || (count(&query) == count_expected).then_some(())).await;
    }
    assert_eq!(lake_rows(&data, "SELECT DISTINCT currency FROM package_dim"), [["USD"]], "the default currency");
    assert_eq!(count("SELECT count(*) FROM order_event") + count("SELECT count(*) FROM subscription_event"), 0);
}

/// Shows QOE-1a, QOE-1b: a row has what the player reported, and a viewing whose tab was killed gets one as well.
#[tokio::test]
async fn a_viewing_has_one_row_15_minutes_after_its_last_report() {
    let (_folder, data) = folder();
    let now = SystemClock::default().now_ms();
    let start = |offset_s: &str| Worker::start(&data, &["--datalake-close-age-s", "1", "--clock-offset", offset_s]);
    let worker = start("0");
    let report = |sid: &str, sn: i64, more: &str| format!("sid=\"{sid}\",sn={sn},ts={},v=2,{more}\n", now + sn);
    let reports = [
        report("killed", 1, "e=ps,sta=s,com.touchline-spot=75"),
        report("killed", 2, "e=ps,sta=p,msd=412,cdn=\"edge-1\""),
        report("killed", 3, "e=e,sta=p,ec=(\"network\")"),
        report(
            "killed",
            4,
            "e=ps,sta=p,bsa=(2),bsda=(2000),dfa=7,ltc=4100,com.touchline-watched=18000,\
             com.touchline-shown=\"720:3200:9000 360:800:9000\"",
        ),
        report("quit", 1, "e=ps,sta=s"),
        report("quit", 2, "e=ps,sta=q"),
    ];
    for body in [reports.concat(), reports[3].clone()] {
        let request = worker.http.post(worker.url("/datalake/cmcd")).header("content-type", "application/cmcd");
        assert_eq!(request.body(body).send().await.unwrap().status(), StatusCode::OK);
    }
    assert!(worker.end().0.success());
    let columns = "viewing, ending, startup_time, rebuffer_count, rebuffer_time, rebuffer_ratio, bitrate, height, \
        dropped_frames, live_latency, errors, cdn, watch_time, spot_quartile";
    let rows = || lake_rows(&data, &format!("SELECT {columns} FROM viewing ORDER BY viewing DESC"));
    // Fourteen minutes later only the other one is over.
    let worker = start("840");
    let ended = eventually("a row", async || Some(rows()).filter(|rows| !rows.is_empty())).await;
    assert_eq!((ended.len(), &ended[0][..3]), (1, &["quit", "before_start", ""].map(str::to_owned)[..]));
    assert!(worker.end().0.success());
    let _worker = start("960");
    let both = eventually("both rows", async || Some(rows()).filter(|rows| rows.len() == 2)).await;
    let expected = [
        "killed", "lost", "0.412", "2.0", "2.0", "0.1", "2000.0", "540.0", "7.0", "4.1", "1.0", "edge-1", "18.0",
        "75.0",
    ];
    assert_eq!(both[1], expected);
}
