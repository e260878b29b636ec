//! Scores, lists, calendars and packages on a running worker.

use reqwest::{Method, StatusCode};
use serde_json::{Value, json};

use crate::operator::json_output;
use crate::sockets::{hello, next};
use crate::support::{Worker, done, folder, refused, run};

async fn event(worker: &Worker, key: &str, id: i64) -> Value {
    worker.data(Method::GET, &format!("events/{id}?api_key={key}"), &Value::Null).await
}

/// Shows SCORE-1a, SCORE-1b, SCORE-1c and USER-7a.
#[tokio::test]
async fn an_operator_sets_a_score_and_viewers_see_it_immediately() {
    let (_folder, data) = folder();
    let worker = Worker::start(&data, &[]);
    let key = worker.key().await;
    let folders = event(&worker, &key, 1).await;
    assert_eq!(folders["score"], json!({ "away": 38, "home": 41, "period": "3rd quarter" }));
    assert_eq!(event(&worker, &key, 4).await["score"], Value::Null);
    let (mut socket, _) = hello(&worker, &key, None).await;

    let score =
        |id: &'static str, line: &[&'static str]| [&["event", "score", id, "--channel", "northfield"], line].concat();
    let output = done(&data, &score("1", &["44", "47", "--period", "4th quarter"]));
    assert_eq!(output, "event 1: away 44, home 47 4th quarter\n");
    let now = json!({ "away": 44, "home": 47, "period": "4th quarter" });
    let frame = loop {
        let frame = next(&mut socket).await.unwrap();
        if frame["kind"] == "event" && frame["id"] == 1 && frame["state"]["score"] == now {
            break frame;
        }
    };
    let updated = event(&worker, &key, 1).await;
    assert_eq!((&updated["score"], &updated["version"]), (&now, &frame["version"]));
    assert!(updated["version"].as_i64() > folders["version"].as_i64());
    let listed = worker.data(Method::GET, &format!("events?stream_status=live&api_key={key}"), &Value::Null).await;
    let one = listed.as_array().unwrap().iter().find(|event| event["id"] == 1).unwrap();
    assert_eq!(one["score"], now);

    let log = json_output(&data, &["audit-log", "--subject", "event northfield 1"]);
    assert_eq!((&log[0]["act"], &log[0]["outcome"], &log[0]["detail"]), (&json!("event score"), &json!("done"), &now));
    assert!(refused(&data, &score("999", &["1", "0"])).contains("There is no event 999 in northfield."));
    assert!(refused(&data, &score("1", &["1", "10000"])).contains("A score must be 0 to 9999."));
    let period = "the third quarter of an uncommonly long game";
    let long = refused(&data, &score("1", &["1", "0", "--period", period]));
    assert!(long.contains("A period has at most 40 characters on one line."), "{long}");
    assert_eq!(run(&data, &score("1", &["1"])).status.code(), Some(2), "a team's score is missing");

    worker.kill();
    let worker = Worker::start(&data, &[]);
    assert_eq!(event(&worker, &key, 1).await["score"], now, "the score is lost after a restart");
    done(&data, &score("1", &["--clear"]));
    assert_eq!(event(&worker, &key, 1).await["score"], folders["score"]);
}

/// Shows LIST-6d.
#[tokio::test]
async fn the_starts_of_a_list_match_its_events() {
    let (_folder, data) = folder();
    let worker = Worker::start(&data, &[]);
    let key = worker.key().await;
    let query = format!("sport=hockey&stream_status=upcoming&api_key={key}");
    let listed = worker.data(Method::GET, &format!("events?{query}&limit=100"), &Value::Null).await;
    let starts: Vec<_> = listed.as_array().unwrap().iter().map(|event| event["event_utc_ts"].clone()).collect();
    assert!(starts.len() > 3);
    let frame = worker.data(Method::GET, &format!("events/starts?{query}&limit=1"), &Value::Null).await;
    assert_eq!(frame["starts"], json!(starts));
    let (status, _) = worker.call(Method::GET, &format!("events/starts?gender=x&api_key={key}"), &Value::Null).await;
    assert_eq!(status, StatusCode::BAD_REQUEST);
}

/// Shows TEAM-2a, TEAM-2b.
#[tokio::test]
async fn calendars_of_teams_and_schools_need_no_key() {
    let (_folder, data) = folder();
    let worker = Worker::start(&data, &[]);
    let key = worker.key().await;
    let fetch = async |path: &str| {
        let json_output = worker.http.get(worker.url(&format!("/api/calendar/{path}"))).send().await.unwrap();
        let kind = json_output.headers()["content-type"].to_str().unwrap().to_owned();
        (json_output.status(), kind, json_output.text().await.unwrap())
    };
    let (status, kind, team) = fetch("teams/108.ics").await;
    assert_eq!((status, kind.as_str()), (StatusCode::OK, "text/calendar; charset=utf-8"));
    let games =
        worker.data(Method::GET, &format!("events?participant=108&limit=100&api_key={key}"), &Value::Null).await;
    assert_eq!(team.matches("BEGIN:VEVENT").count(), games.as_array().unwrap().len());
    assert!(team.contains("SUMMARY:Westhaven @ Northfield\r\n") && team.contains("X-WR-CALNAME:Westhaven Rams\r\n"));
    assert!(team.contains("URL:http://") && team.contains("/watch/4\r\n"), "{team}");
    assert!(!team.contains("2nd period"), "the calendar contains a score");
    let (_, _, school) = fetch("schools/1.ics").await;
    assert!(school.matches("BEGIN:VEVENT").count() > 10);
    for unknown in ["teams/9999.ics", "teams/108", "players/1.ics", "teams/%ff.ics"] {
        assert_eq!(fetch(unknown).await.0, StatusCode::NOT_FOUND, "{unknown}");
    }
}

/// Shows PKG-4.
#[tokio::test]
async fn each_package_has_the_number_of_its_games_and_their_single_prices() {
    let (_folder, data) = folder();
    let worker = Worker::start(&data, &[]);
    let key = worker.key().await;
    let frame = worker.data(Method::GET, &format!("packages/contents?api_key={key}"), &Value::Null).await;
    let of = |package: i64, team: Option<i64>| {
        let rows = frame.as_array().unwrap().iter();
        let mut fitting = rows.filter(|row| row["package_id"] == package && row["participant_id"].as_i64() == team);
        let row = fitting.next().unwrap();
        (row["events"].as_i64().unwrap(), row["singly"].as_i64().unwrap())
    };
    let list = format!("events?stream_status=live,upcoming&limit=100&api_key={key}");
    let events = worker.data(Method::GET, &list, &Value::Null).await;
    let sum = |is_of: &dyn Fn(&Value) -> bool| {
        let paid = events.as_array().unwrap().iter().filter(|event| event["access_type"] == "paid" && is_of(event));
        let price = |event: &Value| event["base_price"].as_i64().unwrap() + event["service_fee"].as_i64().unwrap();
        paid.fold((0, 0), |(count, total), event| (count + 1, total + price(event)))
    };
    let sport = |event: &Value| event["participants"][0]["properties"]["sport"].clone();
    assert_eq!(of(1, None), sum(&|event| ["basketball", "hockey"].map(Value::from).contains(&sport(event))));
    let plays = |event: &Value| event["participants"].as_array().unwrap().iter().any(|team| team["id"] == 109);
    assert_eq!(of(2, Some(109)), sum(&plays));
    let weekend = of(6, None);
    assert!(weekend.0 > 0 && weekend.0 < sum(&|_| true).0, "a weekend includes the whole season: {weekend:?}");
}
