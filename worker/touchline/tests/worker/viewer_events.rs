//! Changes and actions of viewers are in the lake once, also after a kill: as events of a browser whose viewer allows
//! analytics, and as counts per day otherwise. Each event's `extras` match its schema (`ANA-14`, `ANA-15`).

use std::collections::BTreeMap;
use std::path::Path;
use std::process::Command;

use jsonschema::Validator;
use reqwest::Method;
use serde_json::{Value, json};
use touchline_protocol::ambient::{Clock, SystemClock};
use touchline_protocol::event_names::{CONSENT_REFUSED, OF_BROWSERS, OF_CHANGES};

use crate::support::{Worker, eventually, folder, fresh};

const DAY_S: i64 = 86_400;
/// By the browser's clock.
const SENT_AT: &str = "2026-11-21T10:00:00Z";
const PASSWORD: &str = "correct horse";

/// Rows of a query on the worker's lake, through the documented views.
fn rows(data: &Path, sql: &str) -> Vec<Value> {
    let views = Path::new(env!("CARGO_MANIFEST_DIR")).join("../datalake/queries/views.sql");
    let script = "import duckdb, json, sys\n\
        lake, views, sql = sys.argv[1:]\n\
        db = duckdb.connect()\n\
        db.execute('SET VARIABLE lake = ' + repr(lake))\n\
        db.execute(open(views).read())\n\
        print(json.dumps(db.execute(sql).fetchall()))\n";
    let output =
        Command::new("python3").args(["-c", script]).arg(data.join("lake")).arg(views).arg(sql).output().unwrap();
    // Tables are created in the background.
    serde_json::from_slice(&output.stdout).unwrap_or_default()
}

/// A viewer's calls, with the analytics header if they allow analytics.
struct Viewer<'a> {
    worker: &'a Worker,
    allows: bool,
    key: String,
}

impl Viewer<'_> {
    async fn call(&self, method: Method, path: &str, mut body: Value) -> Value {
        body["api_key"] = json!(self.key);
        let address = format!("/api/{path}{}", if method == Method::POST { "" } else { "?api_key=" });
        let address = if method == Method::POST { address } else { address + &self.key };
        let mut request = self.worker.http.request(method.clone(), self.worker.url(&address));
        if method == Method::POST {
            request = request.json(&body).header("idempotency-key", fresh("events"));
        }
        if self.allows {
            request = request.header("touchline-analytics", "p-1/s-1");
        }
        let response = request.send().await.unwrap();
        let status = response.status();
        let answer: Value = response.json().await.unwrap();
        assert_eq!(status, 200, "{path}: {answer}");
        answer["data"].clone()
    }

    /// Registers, logs in on another device and adds and removes a favourite.
    async fn make_changes(&mut self) {
        let email = format!("{}@viewers.example", fresh("events"));
        let person = json!({ "first_name": "Vi", "last_name": "Ewer", "email": email, "password": PASSWORD,
            "password_confirmation": PASSWORD, "terms": true });
        self.call(Method::POST, "v2/auth/register", person).await;
        self.key = self.worker.key().await;
        let login = json!({ "email": email, "password": PASSWORD });
        self.key = self.call(Method::POST, "v2/auth/login", login).await["api_key"].as_str().unwrap().to_owned();
        let favorite = json!({ "favoritable_type": "participant", "favoritable_id": 101 });
        let id = self.call(Method::POST, "favorite", favorite).await["id"].clone();
        self.call(Method::DELETE, &format!("favorite/{id}"), json!({})).await;
    }

    /// Creates a clip, and buys and cancels a subscription.
    async fn clip_and_cancel(&mut self) {
        self.key = self.worker.demo("demo").await;
        let clip = json!({ "event_id": 25, "event_media_id": 253, "name": "A goal", "start_time": 6, "duration": 8,
            "tags": ["goal"] });
        self.call(Method::POST, "clip", clip).await;
        self.key = self.worker.register().await;
        let card = self.worker.card(&self.key, "4242424242424242").await;
        let order = json!({ "type": "subscription", "id": 1, "payment_method_id": card });
        let order = self.call(Method::POST, "stripe/buy", order).await;
        self.worker.settled(&self.key, &order["id"]).await;
        for _ in 0..2 {
            self.call(Method::POST, "stripe/unsubscribe", json!({ "subscription_id": 1 })).await;
        }
    }
}

fn sent(n: usize, path: &str, body: &Value) -> Value {
    json!({ "id": format!("01a1fdda-7948-7cbd-a16c-{n:012x}"), "path": path, "at": SENT_AT, "body": body })
}

async fn send(worker: &Worker, events: &[Value]) -> Vec<String> {
    let body = json!({ "sent_at": SENT_AT, "events": events });
    let response = worker.http.post(worker.url("/datalake/batch")).json(&body).send().await.unwrap();
    let answer: Value = response.json().await.unwrap();
    let results = answer["data"]["results"].as_array().unwrap_or_else(|| panic!("{answer}")).clone();
    results.iter().map(|result| result["outcome"].as_str().unwrap().to_owned()).collect()
}

fn schemas() -> BTreeMap<String, Validator> {
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/contracts/events.json");
    let whole: Value = serde_json::from_slice(&std::fs::read(file).unwrap()).unwrap();
    let schemas = whole["$defs"].as_object().unwrap();
    for (name, schema) in schemas {
        assert!(schema["x-version"].as_u64().is_some_and(|version| version > 0), "{name}");
    }
    schemas.iter().map(|(name, schema)| (name.clone(), jsonschema::validator_for(schema).unwrap())).collect()
}

/// Browsers' events, with `extras` as the site sends them, and their counts of viewers without consent.
fn of_browsers() -> Vec<Value> {
    let event = |name: &str, extras: Value| json!({ "event": name, "profile": "p-1", "session_uuid": "s-1", "channel": "northfield", "extras": extras });
    let query = "final ada@example.com +1 514 555-0199 4242 4242 4242 4242";
    let events = [
        event("searched", json!({ "query": query, "results": 3 })),
        event("clip_shared", json!({ "clip_id": "1" })),
        event("cancellation_opened", json!({ "subscription_id": "1" })),
        event("consent_given", json!({})),
    ];
    let counts = OF_BROWSERS.map(|name| json!({ "event": name, "channel": "northfield" }));
    let events = events.iter().enumerate().map(|(n, body)| sent(n, "/datalake/event/", body));
    events.chain((10..).zip(&counts).map(|(n, body)| sent(n, "/datalake/count/", body))).collect()
}

/// Shows ANA-14a, ANA-14b, ANA-15a, ANA-15b, ANA-15c.
#[tokio::test]
async fn what_viewers_do_is_recorded_or_counted_once_also_after_a_kill() {
    let (_folder, data) = folder();
    // Noon, so that no day ends during the test.
    let noon_s = DAY_S * 3 / 2 - SystemClock::default().now_ms() / 1000 % DAY_S;
    let start = |offset_s: i64| {
        let more = ["--sandbox-delay-ms", "0", "--datalake-close-age-s", "1", "--clock-offset", &offset_s.to_string()];
        Worker::start(&data, &more)
    };
    let worker = start(noon_s);
    for allows in [true, false] {
        let mut viewer = Viewer { worker: &worker, allows, key: worker.key().await };
        viewer.make_changes().await;
        if allows {
            viewer.clip_and_cancel().await;
        }
    }
    let events = of_browsers();
    for outcome in ["accepted", "duplicate"] {
        assert!(send(&worker, &events).await.iter().all(|one| one == outcome), "{outcome}");
    }
    let forged = sent(99, "/datalake/event/", &json!({ "event": "registered", "profile": "p-1" }));
    assert_eq!(send(&worker, &[forged]).await, ["rejected"]);
    worker.kill();

    let worker = start(noon_s);
    let names: Vec<&str> = OF_CHANGES.into_iter().chain(OF_BROWSERS).filter(|name| *name != CONSENT_REFUSED).collect();
    let select = "SELECT event, extras, profile, session_uuid, user_id IS NOT NULL FROM event ORDER BY event";
    let found = eventually("the lake has every event", async || {
        Some(rows(&data, select)).filter(|rows| rows.len() >= names.len())
    })
    .await;
    let schemas = schemas();
    let mut expected = names.clone();
    expected.sort_unstable();
    assert_eq!(found.iter().map(|row| row[0].as_str().unwrap()).collect::<Vec<_>>(), expected, "each of them once");
    for row in &found {
        let (name, extras) = (row[0].as_str().unwrap(), row[1].as_str().unwrap());
        let extras: Value = serde_json::from_str(extras).unwrap();
        if let Err(fault) = schemas[name].validate(&extras) {
            panic!("{name}: {extras}: {fault}");
        }
        assert_eq!((&row[2], &row[3]), (&json!("p-1"), &json!("s-1")), "{name}");
        assert_eq!(row[4], OF_CHANGES.contains(&name), "{name}");
        if name == "searched" {
            assert_eq!(extras, json!({ "query": "final [private] [private]", "results": 3 }));
        }
    }
    assert_eq!(rows(&data, "SELECT * FROM event_count"), [] as [Value; 0], "the day has not ended");
    worker.kill();

    let worker = start(noon_s + DAY_S);
    let select = "SELECT channel, event, CAST(sum(count) AS BIGINT), count(DISTINCT occurred_at), \
        bool_and(occurred_at = date_trunc('day', occurred_at AT TIME ZONE 'UTC') AT TIME ZONE 'UTC') \
        FROM event_count GROUP BY ALL ORDER BY event";
    let found =
        eventually("the lake has the counts", async || Some(rows(&data, select)).filter(|rows| !rows.is_empty())).await;
    // The second viewer, the buyer, the demo viewer's log-in, and the browser's counts.
    let counted = [
        ("cancellation_opened", 1),
        ("clip_shared", 1),
        ("consent_given", 1),
        ("consent_refused", 1),
        ("favorite_added", 1),
        ("favorite_removed", 1),
        ("logged_in", 2),
        ("registered", 2),
        ("searched", 1),
    ];
    let expected = counted.map(|(event, count)| json!(["northfield", event, count, 1, true]));
    assert_eq!(found, expected);
    drop(worker);
}
