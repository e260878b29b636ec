//! A viewer's data stays private (`UP-2`, `UP-4`).

use reqwest::{Method, StatusCode};
use serde_json::{Value, json};

use crate::support::{Worker, folder, fresh, touchline};
use crate::upstream::{Socket, start_proxy};
use crate::upstream_plain::Plain;

/// Shows UP-4b: shared responses are requested without anything from the first viewer.
#[tokio::test]
async fn shared_responses_are_requested_without_viewer_data() {
    let (_folder, data) = folder();
    let plain = Plain::start(&data.with_extension("plain"), 300).await;
    let front = start_proxy(&data, &plain.origin, &[]);
    front.knows_upstream().await;
    let key = front.key().await;
    let request = front.http.get(front.url(&format!("/api/menu?api_key={key}"))).header("accept-language", "fr");
    let request =
        request.header("idempotency-key", "k1").header("user-agent", "one viewer's").header("content-type", "a/b");
    assert_eq!(request.send().await.unwrap().status(), StatusCode::OK);
    let headers = plain.counts().await["headers"]["GET menu"].clone();
    assert!(headers.is_object());
    for name in ["accept-language", "idempotency-key", "user-agent", "content-type", "cookie", "x-forwarded-for"] {
        assert_eq!(headers[name], Value::Null, "{name}: {headers}");
    }
    // They are requested with the worker's own key: the API no longer knows the viewer's.
    plain.forget_key(&key).await;
    assert_eq!(front.get(&format!("/api/faq?api_key={key}")).await.status(), StatusCode::OK);
    // A person's own responses are requested in their language. The worker itself also requests lists, without one.
    let person = front.register().await;
    let request = front.http.get(front.url(&format!("/api/profile?api_key={person}")));
    assert_eq!(request.header("accept-language", "fr").send().await.unwrap().status(), StatusCode::OK);
    assert_eq!(plain.counts().await["headers"]["GET profile"]["accept-language"], "fr");
}

/// Shows UP-4b: an invalid key gets nothing from the cache.
#[tokio::test]
async fn cached_responses_of_a_key_expire_with_the_key() {
    let (_folder, data) = folder();
    let mut plain = Plain::start(&data.with_extension("plain"), 300).await;
    let front = start_proxy(&data, &plain.origin, &[]);
    front.knows_upstream().await;
    let (stays, leaves, expired) = (front.register().await, front.register().await, front.register().await);
    let list = |key: &str| format!("/api/events?limit=3&api_key={key}");
    for key in [&stays, &leaves, &expired] {
        assert_eq!(front.get(&list(key)).await.status(), StatusCode::OK);
    }
    front.data(Method::POST, "auth/logout", &json!({ "api_key": leaves })).await;
    plain.forget_key(&expired).await;
    let (status, _) = front.call(Method::GET, &format!("profile?api_key={expired}"), &Value::Null).await;
    assert_eq!(status, StatusCode::BAD_REQUEST);
    plain.kill();
    let cached = front.get(&list(&stays)).await;
    assert!(cached.status() == StatusCode::OK && cached.headers().contains_key("x-touchline-stale"));
    for key in [&leaves, &expired] {
        assert_eq!(front.get(&list(key)).await.status(), StatusCode::SERVICE_UNAVAILABLE);
    }
}

/// Shows UP-1: no key is in the log at any level.
#[tokio::test]
async fn no_key_is_in_the_log_at_trace_level() {
    let ((_a, back), (folder, front)) = (folder(), folder());
    let back = Worker::start(&back, &["--sandbox-delay-ms", "100"]);
    let mut command = touchline(folder.path());
    command.env("RUST_LOG", "trace");
    let origin = format!("http://{}", back.address);
    let log = "trace,tungstenite=trace,tungstenite::protocol=trace,tokio_tungstenite=trace";
    let front = Worker::start_by(command, &front, &["--origin", &origin, "--log", log]);
    front.knows_upstream().await;
    let (visitor, person) = (front.key().await, front.register().await);
    let bearer = fresh("bearer");
    let request = front.http.get(front.url(&format!("/api/settings?api_key={visitor}"))).bearer_auth(&bearer);
    assert_eq!(request.send().await.unwrap().status(), StatusCode::OK);
    // A viewer's socket, the worker's own socket to the API, and a purchase reported through both.
    let mut socket = Socket::open(&front, &person, None).await;
    let card = front.card(&person, "4242424242424242").await;
    let (status, order) = front.buy_event(&person, &card, &fresh("buy")).await;
    assert_eq!(status, StatusCode::OK, "{order}");
    socket.wait_for_status("order", &order["data"]["id"], "paid").await;
    let log = front.log();
    assert!(log.contains(" TRACE ") && log.contains("hyper_util"), "it tells much");
    for (name, key) in [("visitor", &visitor), ("person", &person), ("bearer", &bearer)] {
        let line = log.lines().find(|line| line.contains(key.as_str()));
        assert!(line.is_none(), "the key of a {name}: {}", line.unwrap_or_default());
    }
    // The worker's own key is unknown to the test, so look for anything as long as a key.
    for rest in log.split("api_key").skip(1) {
        let value = rest.trim_start_matches(['"', '\\', ':', '=', ' ']);
        let length = value.find(|c: char| !c.is_ascii_alphanumeric() && !"-_".contains(c)).unwrap_or(value.len());
        assert!(length < 20, "{}", &value[..length]);
    }
}
