//! The status websocket on the real log: it reports the same as the calls, across restarts (`SYNC`).

use futures_util::{SinkExt, StreamExt};
use reqwest::Method;
use serde_json::{Value, json};
use tokio::net::TcpStream;
use tokio::time::timeout;
use tokio_tungstenite::tungstenite::client::IntoClientRequest;
use tokio_tungstenite::tungstenite::{Error, Message};
use tokio_tungstenite::{MaybeTlsStream, WebSocketStream, connect_async};

use crate::support::{SOON, Worker, folder};

pub(crate) type Socket = WebSocketStream<MaybeTlsStream<TcpStream>>;

async fn connect(worker: &Worker, origin: Option<&str>) -> Socket {
    let mut request = format!("ws://{}/sync", worker.address).into_client_request().unwrap();
    if let Some(origin) = origin {
        request.headers_mut().insert("origin", origin.parse().unwrap());
    }
    connect_async(request).await.unwrap().0
}

pub(crate) async fn next(socket: &mut Socket) -> Result<Value, u16> {
    loop {
        match timeout(SOON, socket.next()).await.expect("something comes") {
            Some(Ok(Message::Text(text))) => return Ok(serde_json::from_str(&text).unwrap()),
            Some(Ok(Message::Close(frame))) => return Err(frame.map_or(1005, |frame| frame.code.into())),
            Some(Ok(_)) => {}
            Some(Err(Error::ConnectionClosed)) | None => return Err(1006),
            Some(Err(error)) => panic!("the socket broke: {error}"),
        }
    }
}

pub(crate) async fn hello(worker: &Worker, key: &str, resume: Option<Value>) -> (Socket, Value) {
    let mut socket = connect(worker, None).await;
    let mut hello = json!({ "t": "hello", "v": 1, "api_key": key });
    if let Some(resume) = resume {
        hello["resume"] = resume;
    }
    socket.send(Message::text(hello.to_string())).await.unwrap();
    let welcome = next(&mut socket).await.unwrap();
    assert_eq!(welcome["t"], "welcome", "{welcome}");
    (socket, welcome)
}

#[tokio::test]
async fn a_purchase_is_pushed_from_created_to_paid_as_in_the_call() {
    let (_folder, data) = folder();
    let worker = Worker::start(&data, &["--sandbox-delay-ms", "50"]);
    let key = worker.register().await;
    let card = worker.card(&key, "4242424242424242").await;
    let (mut socket, welcome) = hello(&worker, &key, None).await;
    assert_eq!((&welcome["mode"], &welcome["user_seq"]), (&json!("snapshot"), &json!(0)));
    let is_live = |item: &Value| item["kind"] == "event" && item["state"]["stream_status"] == "live";
    // A worker that has just started may still be recording its events' statuses.
    let mut live = welcome["snapshot"].as_array().unwrap().iter().any(is_live);

    let (_, answer) = worker.buy(&key, &card, "pushed-purchase").await;
    let mut states = Vec::new();
    while states.last() != Some(&json!("paid")) {
        let frame = next(&mut socket).await.unwrap();
        live |= is_live(&frame);
        if (&frame["stream"], &frame["kind"]) == (&json!("user"), &json!("order")) {
            assert_eq!(frame["id"], answer["data"]["id"]);
            states.push(frame["state"]["status"].clone());
            if states.last() == Some(&json!("paid")) {
                assert_eq!(frame["state"], worker.order(&key, &frame["id"]).await);
            }
        }
    }
    assert_eq!(states, ["created", "paid"]);
    while !live {
        live = is_live(&next(&mut socket).await.unwrap());
    }
}

#[tokio::test]
async fn a_clip_is_pushed_from_queued_to_ready_and_plays_from_its_address() {
    let (_folder, data) = folder();
    let worker = Worker::start(&data, &[]);
    let key = worker.demo("demo").await;
    let (mut socket, _) = hello(&worker, &key, None).await;
    let request = json!({
        "api_key": key, "event_id": 25, "event_media_id": 253, "name": "A goal", "start_time": 6, "duration": 8,
        "tags": ["goal"],
    });
    let created = worker.data(Method::POST, "clip", &request).await;
    let mut states = Vec::new();
    while states.last().map(|(status, _)| status) != Some(&json!("ready")) {
        let frame = next(&mut socket).await.unwrap();
        if frame["kind"] == "clip" {
            assert_eq!(frame["id"], created["id"]);
            states.push((frame["state"]["status"].clone(), frame["state"]["url"].clone()));
        }
    }
    let statuses: Vec<_> = states.iter().map(|(status, _)| status.as_str().unwrap()).collect();
    assert_eq!(statuses, ["queued", "processing", "ready"]);
    let address = states[2].1.as_str().unwrap();
    let playlist = worker.get(address).await.text().await.unwrap();
    let files: Vec<_> = playlist.lines().filter(|line| line.ends_with(".m4s")).collect();
    assert_eq!(files.len(), 3, "seconds 6 to 14 lie in three segments of 4: {playlist}");
    for file in files {
        let part = worker.get(&address.replace("index.m3u8", file)).await;
        assert_eq!((part.status().as_u16(), &part.headers()["content-type"]), (200, &"video/mp4".parse().unwrap()));
    }
    assert!(!worker.log().contains(created["uuid"].as_str().unwrap()), "the log contains a clip's address");
}

/// Shows CLIP-6.
#[tokio::test]
async fn many_clips_of_one_viewer_barely_delay_another_viewers_clip() {
    const MANY: usize = 16;
    let (_folder, data) = folder();
    let worker = Worker::start(&data, &[]);
    let greedy = worker.demo("demo").await;
    let modest = worker.demo("temporary").await;
    let change = json!({
        "api_key": modest, "_method": "patch", "current_password": "touchline", "password": "battery staple",
        "password_confirmation": "battery staple",
    });
    worker.data(Method::POST, "profile", &change).await;
    let create_clip = async |key: &str| {
        let request = json!({
            "api_key": key, "event_id": 25, "event_media_id": 253, "name": "A goal", "start_time": 0, "duration": 40,
            "tags": ["goal"],
        });
        worker.data(Method::POST, "clip", &request).await["id"].clone()
    };
    let ready = async |key: &str| -> usize {
        let clips = worker.data(Method::GET, &format!("clips/user?api_key={key}"), &Value::Null).await;
        clips.as_array().unwrap().iter().filter(|clip| clip["status"] == "ready").count()
    };
    futures_util::future::join_all((0..MANY).map(|_| create_clip(&greedy))).await;
    create_clip(&modest).await;
    let before = ready(&greedy).await;
    assert!(before + 3 < MANY, "clips are created faster than they are requested: {before}");
    while ready(&modest).await == 0 {}
    // One clip was being cut when the other was requested, and one more may have been started since it was ready.
    let meanwhile = ready(&greedy).await - before;
    assert!(meanwhile <= 3, "{meanwhile} of {MANY} before the other's");
}

/// `AUTH-10`.
#[tokio::test]
async fn a_session_with_a_temporary_password_has_no_user_stream() {
    let (_folder, data) = folder();
    let worker = Worker::start(&data, &[]);
    let key = worker.demo("temporary").await;
    let (_socket, welcome) = hello(&worker, &key, None).await;
    assert_eq!(welcome.get("user_seq"), None, "{welcome}");
    let change = json!({
        "api_key": key, "_method": "patch", "current_password": "touchline", "password": "battery staple",
        "password_confirmation": "battery staple",
    });
    worker.data(Method::POST, "profile", &change).await;
    let (_socket, welcome) = hello(&worker, &key, None).await;
    assert_eq!(welcome["user_seq"], 0, "{welcome}");
}

#[tokio::test]
async fn a_socket_resumes_after_the_worker_was_killed() {
    let (_folder, data) = folder();
    let worker = Worker::start(&data, &["--sandbox-delay-ms", "60000"]);
    let key = worker.register().await;
    let card = worker.card(&key, "4242424242424242").await;
    let (_socket, welcome) = hello(&worker, &key, None).await;
    let (_, answer) = worker.buy(&key, &card, "resumed-purchase").await;
    worker.kill();

    let worker = Worker::start(&data, &["--clock-offset", "120", "--sandbox-delay-ms", "0"]);
    assert_eq!(worker.settled(&key, &answer["data"]["id"]).await["status"], "paid");
    let resume = json!({ "epoch": welcome["epoch"], "user_seq": 0, "channel_seq": welcome["channel_seq"] });
    let (mut socket, welcome) = hello(&worker, &key, Some(resume)).await;
    assert_eq!(welcome["mode"], "resumed");
    let mut statuses = Vec::new();
    while statuses.len() < 2 {
        let frame = next(&mut socket).await.unwrap();
        if frame["stream"] == "user" {
            statuses.push((frame["seq"].clone(), frame["state"]["status"].clone()));
        }
    }
    assert_eq!(statuses, [(json!(1), json!("created")), (json!(2), json!("paid"))]);
}

#[tokio::test]
async fn foreign_origins_foreign_keys_and_revoked_keys_are_disconnected() {
    let (_folder, data) = folder();
    let worker = Worker::start(&data, &[]);
    let mut foreign = connect(&worker, Some("https://evil.example")).await;
    assert_eq!(next(&mut foreign).await.unwrap()["code"], "origin");
    assert_eq!(next(&mut foreign).await, Err(4403));

    let other = worker.data(Method::POST, "get_api_key", &json!({ "channel_key": "laurentides" })).await;
    let mut stranger = connect(&worker, None).await;
    let greeting = json!({ "t": "hello", "v": 1, "api_key": other["api_key"] });
    stranger.send(Message::text(greeting.to_string())).await.unwrap();
    assert_eq!(next(&mut stranger).await.unwrap()["code"], "api_key");
    assert_eq!(next(&mut stranger).await, Err(4401));

    let key = worker.register().await;
    let (mut socket, _) = hello(&worker, &key, None).await;
    worker.data(Method::POST, "auth/logout", &json!({ "api_key": key })).await;
    let end = loop {
        match next(&mut socket).await {
            Ok(frame) => assert_ne!(frame["t"], "ping"),
            Err(code) => break code,
        }
    };
    assert_eq!(end, 4401);
}

#[tokio::test]
async fn clients_reconnect_at_shutdown() {
    let (_folder, data) = folder();
    let worker = Worker::start(&data, &[]);
    let key = worker.key().await;
    let (mut socket, _) = hello(&worker, &key, None).await;
    let ended = tokio::task::spawn_blocking(move || worker.end());
    let mut frames = Vec::new();
    let closed = loop {
        match next(&mut socket).await {
            Ok(frame) => frames.push(frame),
            Err(code) => break code,
        }
    };
    let drain = frames.iter().find(|frame| frame["t"] != "status").unwrap();
    assert_eq!(drain["t"], "drain", "{drain}");
    assert!(drain["window_ms"].as_u64().unwrap() > 0);
    assert_eq!(closed, 1001);
    assert!(ended.await.unwrap().0.success());
}
