//! Another Touchline whose responses stall or are not JSON (`UP-1`, `UP-3`, `UP-4`, `UP-6`).

use std::sync::Arc;
use std::time::Duration;

use parking_lot::Mutex;
use reqwest::{Method, StatusCode};
use serde_json::{Value, json};
use tokio::io::{AsyncReadExt, AsyncWriteExt, copy};
use tokio::net::{TcpListener, TcpStream};
use tokio::time::timeout;

use crate::support::{Worker, folder, fresh};
use crate::upstream::{Socket, start_proxy};

/// A TCP proxy to an upstream.
struct Proxy {
    origin: String,
    /// Prefixes of requests whose responses stall.
    stalled: Arc<Mutex<Vec<&'static str>>>,
}

impl Proxy {
    async fn to(back: &Worker) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let origin = format!("http://{}", listener.local_addr().unwrap());
        let (stalled, to) = (Arc::<Mutex<Vec<&str>>>::default(), back.address.clone());
        let proxy = Self { origin, stalled: Arc::clone(&stalled) };
        tokio::spawn(async move {
            while let Ok((front, _)) = listener.accept().await {
                let back = TcpStream::connect(&to).await.unwrap();
                tokio::spawn(pass(front, back, Arc::clone(&stalled)));
            }
        });
        proxy
    }

    fn stall(&self, requests: &[&'static str]) {
        *self.stalled.lock() = requests.to_vec();
    }
}

/// Proxies one connection. A test's requests are small enough to arrive in one read.
async fn pass(front: TcpStream, back: TcpStream, stalled: Arc<Mutex<Vec<&'static str>>>) {
    let (mut from_front, mut to_front) = front.into_split();
    let (mut from_back, mut to) = back.into_split();
    let (stop, stopped) = tokio::sync::oneshot::channel::<()>();
    let answering = tokio::spawn(async move {
        tokio::select! {
            _ = copy(&mut from_back, &mut to_front) => {}
            _ = stopped => {}
        }
        to_front
    });
    let mut stop = Some(stop);
    let mut request = vec![0; 64 << 10];
    while let Ok(length @ 1..) = from_front.read(&mut request).await {
        let is_stalled = stalled.lock().iter().any(|begin| request[..length].starts_with(begin.as_bytes()));
        if is_stalled && let Some(stop) = stop.take() {
            let _sent = stop.send(()).is_ok();
            let mut to_front = answering.await.unwrap();
            to_front
                .write_all(b"HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: 5000\r\n\r\n{\"a")
                .await
                .unwrap();
            // Until the client disconnects.
            while let Ok(1..) = from_front.read(&mut request).await {}
            return;
        }
        if to.write_all(&request[..length]).await.is_err() {
            return;
        }
    }
}

/// Shows UP-3, UP-6a: a stalled API document is requested again, and sockets opened before it was known join the feed.
#[tokio::test]
async fn a_stalled_api_document_is_requested_again_and_earlier_sockets_join_the_feed() {
    let ((_a, back), (_b, front)) = (folder(), folder());
    let back = Worker::start(&back, &["--sandbox-delay-ms", "100"]);
    let proxy = Proxy::to(&back).await;
    proxy.stall(&["GET /docs/openapi.json"]);
    let front = start_proxy(&front, &proxy.origin, &["--upstream-timeout-s", "4"]);
    let key = front.register().await;
    let mut socket = Socket::open(&front, &key, None).await;
    assert!(!front.log().contains("detected the upstream's features"));
    proxy.stall(&[]);
    front.knows_upstream().await;
    // Bought elsewhere, so this worker was never asked to watch.
    let card = back.card(&key, "4242424242424242").await;
    let (status, answer) = back.buy_event(&key, &card, &fresh("buy")).await;
    assert_eq!(status, StatusCode::OK, "{answer}");
    socket.wait_for_status("order", &answer["data"]["id"], "paid").await;
}

/// Shows UP-4.
#[tokio::test]
async fn a_stalled_media_response_is_ended() {
    let ((_a, back), (_b, front)) = (folder(), folder());
    let back = Worker::start(&back, &[]);
    let proxy = Proxy::to(&back).await;
    let front = start_proxy(&front, &proxy.origin, &["--upstream-timeout-s", "4"]);
    front.knows_upstream().await;
    proxy.stall(&["GET /media/"]);
    let medium = front.get("/media/northfield/crests/northfield.svg").await;
    assert_eq!(medium.status(), StatusCode::OK);
    let body = timeout(Duration::from_secs(30), medium.bytes()).await.expect("it is ended");
    assert!(body.is_err(), "a partial medium was reported as complete");
}

/// Shows UP-1, UP-3a, UP-3b: calendars are not JSON.
#[tokio::test]
async fn calendars_are_forwarded_if_the_upstream_has_them() {
    let ((_a, back), (_b, front), (_c, other)) = (folder(), folder(), folder());
    let back = Worker::start(&back, &[]);
    let front = start_proxy(&front, &format!("http://{}", back.address), &[]);
    front.knows_upstream().await;
    for path in ["/api/calendar/teams/101.ics", "/api/calendar/schools/1.ics"] {
        let (passed, original) = (front.get(path).await, back.get(path).await);
        assert_eq!((passed.status(), original.status()), (StatusCode::OK, StatusCode::OK), "{path}");
        assert_eq!(passed.headers()["content-type"], original.headers()["content-type"]);
        assert!(passed.text().await.unwrap().starts_with("BEGIN:VCALENDAR"), "{path}");
    }
    let (status, answer) = front.call(Method::GET, "calendar/teams/999999.ics", &Value::Null).await;
    assert_eq!((status, &answer["code"]), (StatusCode::NOT_FOUND, &json!("not_found")));

    let plain = crate::upstream_plain::Plain::start(&other.with_extension("plain"), 300).await;
    let front = start_proxy(&other, &plain.origin, &[]);
    front.knows_upstream().await;
    assert!(front.switched_off().await.iter().any(|path| path == "calendar/{of}/{id}"));
    assert_eq!(front.get("/api/calendar/teams/101.ics").await.status(), StatusCode::NOT_FOUND);
}
