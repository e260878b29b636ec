//! The journal of requests, and the timeline of a session (`OPS-18`).

use std::path::Path;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use reqwest::{Method, StatusCode};
use serde_json::{Value, json};

use crate::support::{Worker, eventually, folder, fresh, run, text};

/// The lead of the viewer's clock, in milliseconds.
const AHEAD: i64 = 3_600_000;
/// The pause between calls, much longer than a response takes even on a busy machine.
const PAUSE: Duration = Duration::from_secs(1);

#[expect(clippy::disallowed_methods, reason = "the viewer's clock beside the worker's")]
fn now_ms() -> i64 {
    i64::try_from(SystemTime::now().duration_since(UNIX_EPOCH).unwrap().as_millis()).unwrap()
}

/// A viewer whose page records its actions.
struct Viewer<'a> {
    worker: &'a Worker,
    lines: Vec<String>,
    /// Newest first.
    request_ids: Vec<String>,
}

impl<'a> Viewer<'a> {
    fn new(worker: &'a Worker) -> Self {
        let header = json!({ "format": "touchline-log", "v": 1, "started_at": now_ms() + AHEAD, "snapshot": null });
        Self { worker, lines: vec![header.to_string()], request_ids: Vec::new() }
    }

    fn record(&mut self, kind: &str, name: &str) {
        self.line(kind, name, &json!({ "ok": "the payload" }));
    }

    fn line(&mut self, kind: &str, name: &str, payload: &Value) {
        let (seq, at) = (self.lines.len(), now_ms() + AHEAD);
        let line = json!({
            "seq": seq, "at": at, "mono": seq, "kind": kind, "origin": "api", "type": name, "type_version": 1,
            "payload": payload,
        });
        self.lines.push(line.to_string());
    }

    /// Makes a call and records the response.
    async fn call(&mut self, name: &str, method: Method, path: &str, body: &Value) -> Value {
        let mut request = self.worker.http.request(method.clone(), self.worker.url(&format!("/api/{path}")));
        if method == Method::POST {
            request = request.json(body).header("idempotency-key", fresh("test"));
        }
        let response = request.send().await.unwrap();
        assert_eq!(response.status(), StatusCode::OK, "{path}");
        self.request_ids.insert(0, response.headers()["x-request-id"].to_str().unwrap().to_owned());
        let answer: Value = response.json().await.unwrap();
        self.record("effect", name);
        tokio::time::sleep(PAUSE).await;
        answer["data"].clone()
    }

    /// Sends the recording and returns the report's id.
    async fn report(&self) -> String {
        let log = self.lines.join("\n") + "\n" + r#"{"blob":"0f","data":"a stored part"}"# + "\n";
        let body = json!({ "note": "it took long", "page": "/buy", "log": log, "request_ids": self.request_ids });
        let receipt = self.worker.data(Method::POST, "problem-report", &body).await;
        receipt["id"].as_str().unwrap().to_owned()
    }
}

fn timeline(data: &Path, id: &str) -> String {
    let output = run(data.parent().unwrap(), &["reports", id, "--server", "--data", data.to_str().unwrap()]);
    assert!(output.status.success(), "{}", text(&output.stderr));
    text(&output.stdout)
}

/// The rows of a timeline, without times, durations and request ids.
fn rows(timeline: &str) -> Vec<String> {
    let rows = timeline.lines().skip_while(|line| !line.trim_start().starts_with("seconds")).skip(1);
    rows.map(|row| {
        let cells: Vec<_> = row.split_whitespace().skip(1).collect();
        let end = cells.iter().position(|word| *word == "ms").map_or(cells.len(), |ms| ms - 1);
        let order = cells.iter().skip(end).skip_while(|word| **word != "order").take(2);
        cells[..end].iter().chain(order).copied().collect::<Vec<_>>().join(" ")
    })
    .collect()
}

/// Shows OPS-18a.
#[tokio::test]
async fn a_session_and_the_servers_side_form_one_timeline() {
    let (_folder, data) = folder();
    let worker = Worker::start(&data, &["--sandbox-delay-ms", "0"]);
    let key = worker.register().await;
    let card = worker.card(&key, "4242424242424242").await;
    let mut viewer = Viewer::new(&worker);
    viewer.call("api.getPackage", Method::GET, &format!("packages/1?api_key={key}"), &Value::Null).await;
    viewer.record("action", "purchase/submitPressed");
    tokio::time::sleep(PAUSE).await;
    let body = json!({ "api_key": key, "type": "package", "id": 1, "payment_method_id": card });
    let order = viewer.call("api.buy", Method::POST, "stripe/buy", &body).await["id"].clone();
    worker.settled(&key, &order).await;
    viewer.call("api.getOrder", Method::GET, &format!("orders/{order}?api_key={key}"), &Value::Null).await;
    viewer.record("checkpoint", "idle");
    let id = viewer.report().await;

    let output = timeline(&data, &id);
    let paid = rows(&output).iter().position(|row| *row == format!("order {order} paid"));
    let rows: Vec<_> = rows(&output).into_iter().filter(|row| !row.ends_with("paid")).collect();
    assert_eq!(
        rows,
        [
            "server 200 GET /api/packages/{id}".to_owned(),
            "viewer 1 effect api api.getPackage".to_owned(),
            "viewer 2 action api purchase/submitPressed".to_owned(),
            format!("server 200 POST /api/stripe/buy order {order}"),
            format!("order {order} created"),
            "viewer 3 effect api api.buy".to_owned(),
            format!("server 200 GET /api/orders/{{id}} order {order}"),
            "viewer 4 effect api api.getOrder".to_owned(),
            "viewer 5 checkpoint api idle".to_owned(),
        ],
        "{output}"
    );
    // The payment may come before or after the response to the purchase.
    assert!(matches!(paid, Some(5 | 6)), "{output}");
    assert!(output.contains("by 3 responses within") && !output.contains("missing"), "{output}");
    let ahead = output.split("the viewer's is ").nth(1).unwrap().split(' ').next().unwrap();
    assert!((ahead.parse::<i64>().unwrap() - AHEAD).abs() < 1_000, "{output}");
    for part in ["the payload", "a stored part", key.as_str()] {
        assert!(!output.contains(part), "{part}: {output}");
    }
    for id in &viewer.request_ids {
        assert!(output.contains(id), "{id}: {output}");
    }
}

/// Shows OPS-18a.
#[tokio::test]
async fn an_operators_action_on_the_order_is_in_the_timeline() {
    let (_folder, data) = folder();
    let worker = Worker::start(&data, &["--sandbox-delay-ms", "0"]);
    let key = worker.register().await;
    let card = worker.card(&key, "4242424242424242").await;
    let mut viewer = Viewer::new(&worker);
    let body = json!({ "api_key": key, "type": "package", "id": 1, "payment_method_id": card });
    let order = viewer.call("api.buy", Method::POST, "stripe/buy", &body).await["id"].clone();
    worker.settled(&key, &order).await;
    let refunded =
        run(data.parent().unwrap(), &["order", "refund", &order.to_string(), "--data", data.to_str().unwrap()]);
    assert!(refunded.status.success(), "{}", text(&refunded.stderr));
    let output = timeline(&data, &viewer.report().await);
    for what in ["created", "paid", "refunded"] {
        assert!(rows(&output).contains(&format!("order {order} {what}")), "{what}: {output}");
    }
    assert!(output.contains("too few responses to compare them"), "{output}");

    // A tab that is not the leader knows the order but none of the requests.
    let mut follower = Viewer::new(&worker);
    follower.line("action", "purchase/accepted", &json!({ "order_id": order }));
    let output = timeline(&data, &follower.report().await);
    for what in ["created", "paid", "refunded"] {
        assert!(rows(&output).contains(&format!("order {order} {what}")), "{what}: {output}");
    }
    assert!(rows(&output).contains(&format!("server 200 POST /api/stripe/buy order {order}")), "{output}");
    assert!(output.contains("about this session's orders, sent by another tab"), "{output}");
}

/// Shows OPS-18b.
#[tokio::test]
async fn the_journal_survives_a_restart_and_contains_no_key_or_address() {
    let (_folder, data) = folder();
    let worker = Worker::start(&data, &[]);
    let key = worker.register_as("journal.reader@viewers.example").await;
    let mut viewer = Viewer::new(&worker);
    viewer.call("api.getProfile", Method::GET, &format!("profile?api_key={key}"), &Value::Null).await;
    worker.get(&format!("/api/{key}/journal.reader@viewers.example?email=journal.reader@viewers.example")).await;
    worker.get("/api/auth/social/5ecret-state/start?state=5ecret-state").await;
    let unknown = worker.http.request(Method::from_bytes(b"READER5").unwrap(), worker.url("/api/geo"));
    unknown.send().await.unwrap();
    let id = viewer.report().await;
    assert!(worker.end().0.success());

    let mut bytes = Vec::new();
    for file in std::fs::read_dir(data.join("journal")).unwrap() {
        bytes.extend(std::fs::read(file.unwrap().path()).unwrap());
    }
    let journal = text(&bytes).to_lowercase();
    for call in
        ["get /api/profile\"", "get (unknown)\"", "get /api/auth/social/{provider}/start\"", "(unknown) /api/geo"]
    {
        assert!(journal.contains(call), "{call}: {journal}");
    }
    for secret in [key.as_str(), "journal.reader", "viewers.example", "5ecret", "reader5", "?", "127.0.0.1"] {
        assert!(!journal.contains(&secret.to_lowercase()), "{secret}: {journal}");
    }

    let worker = Worker::start(&data, &[]);
    let output = timeline(&data, &id);
    assert!(rows(&output).contains(&"server 200 GET /api/profile".to_owned()), "{output}");

    // A kill only loses unwritten entries.
    let mut viewer = Viewer::new(&worker);
    viewer.call("api.getProfile", Method::GET, &format!("profile?api_key={key}"), &Value::Null).await;
    let id = viewer.report().await;
    eventually("the journal is written", async || {
        let bytes = std::fs::read(data.join("journal/newer.jsonl")).unwrap();
        text(&bytes).contains(&viewer.request_ids[0]).then_some(())
    })
    .await;
    worker.kill();
    let _worker = Worker::start(&data, &[]);
    assert!(rows(&timeline(&data, &id)).contains(&"server 200 GET /api/profile".to_owned()));
}

#[tokio::test]
async fn missing_data_and_unknown_reports_are_reported() {
    let (_folder, data) = folder();
    let worker = Worker::start(&data, &[]);
    let body = json!({ "note": "", "page": "/", "log": "", "request_ids": ["0199-of-nobody"] });
    let receipt = worker.data(Method::POST, "problem-report", &body).await;
    let output = timeline(&data, receipt["id"].as_str().unwrap());
    assert!(output.contains("has no recording"), "{output}");
    assert!(output.lines().any(|line| line.starts_with("missing") && line.ends_with(": 0199-of-nobody")), "{output}");

    let data = data.to_str().unwrap();
    let no_report = "01a1fe69-6c9b-7287-b893-c9bc48b46464";
    for (line, status, why) in [
        (vec!["reports", no_report, "--server", "--data", data], 1, "There is no report"),
        (vec!["reports", "--server", "--data", data], 2, "<ID>"),
        (vec!["reports", no_report, "--server", "--recording", "--data", data], 2, "cannot be used with"),
    ] {
        let output = run(Path::new(data).parent().unwrap(), &line);
        assert_eq!(output.status.code(), Some(status), "{line:?}");
        assert!(text(&output.stderr).contains(why) && output.stdout.is_empty(), "{}", text(&output.stderr));
    }
}

/// Shows OPS-18b: calls are answered while the journal cannot be written, and what it lost is counted.
#[tokio::test]
async fn calls_do_not_wait_for_the_journal_which_reports_what_it_lost() {
    let (_folder, data) = folder();
    let worker = Worker::start(&data, &[]);
    let key = worker.register().await;
    let mut viewer = Viewer::new(&worker);
    let path = format!("profile?api_key={key}");
    viewer.call("api.getProfile", Method::GET, &path, &Value::Null).await;
    let newer = data.join("journal/newer.jsonl");
    eventually("the journal is written", async || newer.is_file().then_some(())).await;
    let away = data.join("journal/away.jsonl");
    std::fs::rename(&newer, &away).unwrap();
    std::fs::create_dir(&newer).unwrap();
    viewer.call("api.getProfile", Method::GET, &path, &Value::Null).await;
    eventually("the journal fails", async || {
        worker.log().contains("the journal of requests cannot be written").then_some(())
    })
    .await;
    std::fs::remove_dir(&newer).unwrap();
    std::fs::rename(&away, &newer).unwrap();
    let id = viewer.report().await;
    let output = eventually("the loss is written", async || {
        let output = timeline(&data, &id);
        output.contains("the journal lost ").then_some(output)
    })
    .await;
    assert!(output.contains(&viewer.request_ids[0]), "{output}");
}
