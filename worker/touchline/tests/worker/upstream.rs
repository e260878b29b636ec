//! A worker in front of a channel API elsewhere: another Touchline, and a plain implementation in another language with
//! only the specification's calls (`web/e2e/support/plain`) (`UP`).

use std::time::Duration;

use futures_util::{SinkExt, StreamExt};
use reqwest::{Method, StatusCode};
use serde_json::{Value, json};
use tokio::net::TcpStream;
use tokio::time::timeout;
use tokio_tungstenite::tungstenite::Message;
use tokio_tungstenite::{MaybeTlsStream, WebSocketStream, connect_async};

use crate::postgres::SHARED;
use crate::support::{SOON, Worker, eventually, folder, fresh};
use crate::upstream_plain::Plain;

/// A status socket that has received its welcome.
pub(crate) struct Socket {
    ws: WebSocketStream<MaybeTlsStream<TcpStream>>,
    pub(crate) welcome: Value,
}

impl Socket {
    pub(crate) async fn open(worker: &Worker, key: &str, resume: Option<Value>) -> Self {
        let (mut ws, _) = connect_async(format!("ws://{}/sync", worker.address)).await.unwrap();
        let mut hello = json!({ "t": "hello", "v": 1, "api_key": key });
        if let Some(resume) = resume {
            hello["resume"] = resume;
        }
        ws.send(Message::text(hello.to_string())).await.unwrap();
        let mut socket = Self { ws, welcome: Value::Null };
        let welcome = socket.frame().await;
        assert_eq!(welcome["t"], "welcome", "{welcome}");
        socket.welcome = welcome;
        socket
    }

    pub(crate) async fn watch(&mut self, kind: &str, id: &Value) {
        let watch = json!({ "t": "watch", "kind": kind, "id": id });
        self.ws.send(Message::text(watch.to_string())).await.unwrap();
    }

    /// The next frame that is not a ping. Answers pings.
    pub(crate) async fn frame(&mut self) -> Value {
        loop {
            let message = timeout(SOON, self.ws.next()).await.expect("a frame comes").unwrap().unwrap();
            let Message::Text(text) = message else { continue };
            let frame: Value = serde_json::from_str(&text).unwrap();
            if frame["t"] != "ping" {
                return frame;
            }
            self.ws.send(Message::text(json!({ "t": "pong" }).to_string())).await.unwrap();
        }
    }

    /// Waits for a resource with this status, in the snapshot or in a later frame.
    pub(crate) async fn wait_for_status(&mut self, kind: &str, id: &Value, status: &str) -> Value {
        let matches = |of: &Value| of["kind"] == kind && of["id"] == *id && of["state"]["status"] == status;
        let snapshot = self.welcome["snapshot"].as_array();
        if let Some(item) = snapshot.and_then(|items| items.iter().find(|item| matches(item))) {
            return item.clone();
        }
        let next = async {
            loop {
                let frame = self.frame().await;
                if frame["t"] == "status" && matches(&frame) {
                    return frame;
                }
            }
        };
        timeout(SOON, next).await.unwrap_or_else(|_| panic!("no status said that {kind} {id} is {status}"))
    }
}

/// A worker in front of an upstream.
pub(crate) fn start_proxy(data: &std::path::Path, origin: &str, more: &[&str]) -> Worker {
    Worker::start(data, &[&["--origin", origin], more].concat())
}

impl Worker {
    /// Waits until the upstream's calls are known.
    pub(crate) async fn knows_upstream(&self) {
        eventually("the upstream's features are detected", async || {
            self.log().contains("detected the upstream's features").then_some(())
        })
        .await;
    }

    pub(crate) async fn switched_off(&self) -> Vec<String> {
        let config: Value = self.get("/config.json").await.json().await.unwrap();
        config["public"]["switched_off"].as_array().unwrap().iter().map(|it| it.as_str().unwrap().to_owned()).collect()
    }

    /// Buys event 1, which is live.
    pub(crate) async fn buy_event(&self, key: &str, card: &str, idempotency_key: &str) -> (StatusCode, Value) {
        let body = json!({ "api_key": key, "type": "event", "id": 1, "single_event_package_id": 1001,
            "payment_method_id": card });
        let request = self.http.post(self.url("/api/stripe/buy")).header("idempotency-key", idempotency_key);
        let response = request.json(&body).send().await.unwrap();
        (response.status(), response.json().await.unwrap())
    }
}

/// Shows UP-1, UP-5b, UP-6a: another Touchline's responses are passed on, and its statuses come through its own feed.
#[tokio::test]
async fn in_front_of_another_touchline_a_purchase_is_pushed_and_nothing_is_switched_off() {
    let ((_a, back), (_b, front)) = (folder(), folder());
    let back = Worker::start(&back, &["--sandbox-delay-ms", "600"]);
    let front = start_proxy(&front, &format!("http://{}", back.address), &[]);
    front.knows_upstream().await;
    assert_eq!(front.switched_off().await, Vec::<String>::new());

    let key = front.register().await;
    assert_eq!(front.user_of(&key).await, back.user_of(&key).await);
    let mut socket = Socket::open(&front, &key, None).await;
    let card = front.card(&key, "4242424242424242").await;
    let idempotency_key = fresh("buy");
    let (status, answer) = front.buy_event(&key, &card, &idempotency_key).await;
    assert_eq!(status, StatusCode::OK, "{answer}");
    let id = answer["data"]["id"].clone();
    let reported = socket.wait_for_status("order", &id, "paid").await;
    assert_eq!(
        reported["state"],
        back.order(&key, &id).await,
        "the state does not match GET with the upstream's version"
    );
    let (_, again) = front.buy_event(&key, &card, &idempotency_key).await;
    assert_eq!(again["data"]["id"], id, "the Idempotency-Key travelled on");

    // A browser resumes with this worker as with the embedded API.
    let position = json!({ "epoch": socket.welcome["epoch"], "user_seq": reported["seq"], "channel_seq": 0 });
    let resumed = Socket::open(&front, &key, Some(position)).await;
    assert_eq!(resumed.welcome["mode"], "resumed", "{}", resumed.welcome);

    let event = front.data(Method::GET, &format!("events/1?api_key={key}"), &Value::Null).await;
    assert_eq!(event["has_access"], true);
    let media = event["media"].as_array().unwrap().iter().find(|it| it["type"] == 2).unwrap().clone();
    let path = format!("events/1/playback/{}?api_key={key}", media["id"]);
    let playback = front.data(Method::GET, &path, &Value::Null).await;
    let playlist = front.get(playback["playback_url"].as_str().unwrap()).await;
    assert_eq!(playlist.status(), StatusCode::OK);
    assert!(playlist.text().await.unwrap().starts_with("#EXTM3U"), "the media are not proxied");
    let logs = [front.log(), back.log()].concat();
    assert!(!logs.contains(&key), "a log contains a key");
}

/// Shows UP-3a, UP-3b, UP-6a, UP-7, UP-8, UP-9.
#[tokio::test]
async fn in_front_of_a_plain_api_statuses_are_polled_and_missing_calls_filled_in_or_switched_off() {
    let (_folder, data) = folder();
    let plain = Plain::start(&data.with_extension("plain"), 3_000).await;
    let front = start_proxy(&data, &plain.origin, &[]);
    front.knows_upstream().await;
    let off = front.switched_off().await;
    for missing in ["auth/session_code", "search", "auth/linked_logins", "delete-account", "stripe/save-card"] {
        assert!(off.iter().any(|path| path == missing), "{missing}: {off:?}");
    }
    for there in ["stripe/sandbox-card", "transactions", "popups", "orders"] {
        assert!(!off.iter().any(|path| path == there), "{there}: {off:?}");
    }
    let key = front.register().await;
    let (status, answer) = front.call(Method::GET, &format!("auth/linked_logins?api_key={key}"), &Value::Null).await;
    assert_eq!((status, &answer["code"]), (StatusCode::NOT_FOUND, &json!("switched_off")));
    let settings = front.data(Method::GET, &format!("settings?api_key={key}"), &Value::Null).await;
    assert_eq!(
        settings["static_blocks"]["footer"], "Game times may change: check the schedule before you travel.",
        "from the folder"
    );
    assert!(settings["switched_off"].as_array().unwrap().len() > 5);
    let slides = front.http.get(front.url(&format!("/api/slides/web?api_key={key}"))).send().await.unwrap();
    assert!(slides.json::<Value>().await.unwrap()["meta"]["total"].as_i64().unwrap() > 3, "a bare list is a page");
    let report = json!({ "note": "", "page": "/", "log": "", "request_ids": [] });
    assert!(front.data(Method::POST, "problem-report", &report).await["id"].is_string(), "answered by this worker");
    let popups = front.data(Method::GET, &format!("popups?api_key={key}"), &Value::Null).await;
    assert!(!popups.as_array().unwrap().is_empty(), "from the folder");

    let mut socket = Socket::open(&front, &key, None).await;
    let card = front.card(&key, "4242424242424242").await;
    let (status, answer) = front.buy_event(&key, &card, &fresh("buy")).await;
    assert_eq!((status, &answer["data"]["status"]), (StatusCode::OK, &json!("created")), "{answer}");
    assert_eq!(answer["data"]["version"], 10, "missing fields are not derived from the state: {answer}");
    let id = answer["data"]["id"].clone();
    socket.watch("order", &id).await;
    let reported = socket.wait_for_status("order", &id, "paid").await;
    assert_eq!(
        (&reported["version"], &reported["state"]["points"]),
        (&json!(30), &json!(12)),
        "unknown fields were not forwarded: {reported}"
    );
    let transactions = front.data(Method::GET, &format!("transactions?api_key={key}"), &Value::Null).await;
    assert_eq!((transactions[0]["order_id"].clone(), &transactions[0]["status"]), (id, &json!("succeeded")));

    let clip = json!({ "api_key": key, "event_id": 25, "name": "A goal", "start_time": 1.0, "duration": 4.0,
        "tags": ["goal"], "event_media_id": 253 });
    let clip = front.data(Method::POST, "clip", &clip).await;
    socket.wait_for_status("clip", &clip["id"], "ready").await;
    let mark = json!({ "api_key": key, "favoritable_id": 101, "favoritable_type": "participant" });
    let mark = front.data(Method::POST, "favorite", &mark).await;
    let marked = front.data(Method::GET, &format!("favorites?api_key={key}"), &Value::Null).await;
    assert_eq!(marked, json!([mark]));
    let counts = plain.counts().await;
    assert_eq!(counts["charges"].as_array().unwrap().len(), 1);
}

/// Shows UP-6a, UP-6b: the watch's key does not outlive its order or the viewer's session.
#[tokio::test]
async fn a_restarted_worker_continues_watching_and_its_browsers_resume() {
    let (_folder, data) = folder();
    let plain = Plain::start(&data.with_extension("plain"), 4_000).await;
    let front = start_proxy(&data, &plain.origin, &[]);
    front.knows_upstream().await;
    let key = front.register().await;
    let mut socket = Socket::open(&front, &key, None).await;
    let card = front.card(&key, "4242424242424242").await;
    let (_, answer) = front.buy_event(&key, &card, &fresh("buy")).await;
    let id = answer["data"]["id"].clone();
    socket.watch("order", &id).await;
    let first = socket.wait_for_status("order", &id, "created").await;
    let position = json!({ "epoch": socket.welcome["epoch"], "user_seq": first["seq"], "channel_seq": 0 });
    front.kill();

    // Without a browser, the restarted worker polls the order on its own.
    let front = start_proxy(&data, &plain.origin, &[]);
    let before = plain.count("GET orders/{id}").await;
    eventually("the order's state is requested", async || {
        (plain.count("GET orders/{id}").await > before).then_some(())
    })
    .await;
    tokio::time::sleep(Duration::from_secs(5)).await;
    let mut again = Socket::open(&front, &key, Some(position)).await;
    assert_eq!(again.welcome["mode"], "resumed", "{}", again.welcome);
    let reported = again.wait_for_status("order", &id, "paid").await;
    assert_eq!(reported["seq"], first["seq"].as_u64().unwrap() + 1);
    let after = plain.count("GET orders/{id}").await;
    tokio::time::sleep(Duration::from_secs(3)).await;
    assert_eq!(plain.count("GET orders/{id}").await, after, "a final order is requested again");
}

/// Shows UP-6c, OPS-30b: of two workers on one database, one polls for the viewers of both; after its end the other
/// takes over.
#[tokio::test]
async fn one_of_several_workers_polls_for_all() {
    let ((_a, data), (_b, other)) = (folder(), folder());
    let store = SHARED.database().await;
    let plain = Plain::start(&data.with_extension("plain"), 20_000).await;
    let first = start_proxy(&data, &plain.origin, &["--store", &store]);
    let second = start_proxy(&other, &plain.origin, &["--store", &store]);
    first.knows_upstream().await;
    second.knows_upstream().await;
    let key = first.register().await;
    let card = first.card(&key, "4242424242424242").await;
    let (_, answer) = first.buy_event(&key, &card, &fresh("buy")).await;
    let id = answer["data"]["id"].clone();
    let mut here = Socket::open(&first, &key, None).await;
    let mut there = Socket::open(&second, &key, None).await;
    here.watch("order", &id).await;
    there.watch("order", &id).await;
    here.wait_for_status("order", &id, "created").await;
    let before = plain.count("GET orders/{id}").await;
    tokio::time::sleep(Duration::from_secs(8)).await;
    let looks = plain.count("GET orders/{id}").await - before;
    assert!((2..=6).contains(&looks), "one request in two seconds for all workers: {looks} in eight seconds");

    // The first worker started earlier, so it was polling.
    first.kill();
    let reported = there.wait_for_status("order", &id, "paid").await;
    assert_eq!(reported["version"], 30, "{reported}");
}
