//! Requests and responses that must not pass (`UP-2`).

use reqwest::{Method, StatusCode};
use serde_json::{Value, json};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};

use crate::support::{Worker, eventually, folder, sent_emails};
use crate::upstream::start_proxy;
use crate::upstream_plain::Plain;

/// Sends raw bytes and returns the response.
async fn raw(front: &Worker, request: &str) -> String {
    let mut stream = TcpStream::connect(&front.address).await.unwrap();
    stream.write_all(request.as_bytes()).await.unwrap();
    let mut answer = Vec::new();
    stream.read_to_end(&mut answer).await.unwrap();
    String::from_utf8_lossy(&answer).into_owned()
}

/// Shows UP-2a, UP-2b, UP-2c.
#[tokio::test]
async fn keys_headers_paths_redirects_and_bodies_are_filtered() {
    let (folder, data) = folder();
    let plain = Plain::start(&data.with_extension("plain"), 300).await;
    let front = start_proxy(&data, &plain.origin, &[]);
    front.knows_upstream().await;

    // A key from the embedded API is refused by the upstream, with the error that makes a page fetch a new key.
    let embedded = Worker::start(&folder.path().join("embedded"), &[]);
    let foreign = embedded.register().await;
    for call in ["profile", "events", "orders"] {
        let (status, answer) = front.call(Method::GET, &format!("{call}?api_key={foreign}"), &Value::Null).await;
        assert_eq!(status, StatusCode::BAD_REQUEST, "{call}");
        assert!(answer["errors"]["api_key"].is_array(), "{call}: {answer}");
    }

    // Viewers only see their own data, even just after another viewer's request for the same address.
    let (one, other) = (front.register().await, front.register().await);
    let card = front.card(&one, "4242424242424242").await;
    let (_, order) = front.buy_event(&one, &card, "k").await;
    let id = &order["data"]["id"];
    front.settled(&one, id).await;
    let event = |key: String| {
        let front = &front;
        async move { front.data(Method::GET, &format!("events/1?api_key={key}"), &Value::Null).await["has_access"].clone() }
    };
    assert_eq!((event(one.clone()).await, event(other.clone()).await), (json!(true), json!(false)));
    assert_eq!(event(front.key().await).await, json!(false));
    let (status, _) = front.call(Method::GET, &format!("orders/{id}?api_key={other}"), &Value::Null).await;
    assert_eq!(status, StatusCode::NOT_FOUND);

    // A key revoked at the upstream closes its status socket.
    let mut socket = crate::upstream::Socket::open(&front, &other, None).await;
    plain.forget_key(&other).await;
    front.call(Method::GET, &format!("profile?api_key={other}"), &Value::Null).await;
    while socket.frame().await["t"] != "error" {}

    // Headers about addresses, paths and connections are not passed on, and a second key is an error.
    let smuggled = format!(
        "GET /api/profile?api_key={one} HTTP/1.1\r\nHost: 127.0.0.1\r\nX-Forwarded-For: 6.6.6.6\r\nX-Original-URL: /admin\r\n\
         Authorization: Bearer x\r\nCookie: session=1\r\nConnection: close, x-request-id\r\n\r\n"
    );
    assert!(raw(&front, &smuggled).await.starts_with("HTTP/1.1 200"));
    let headers = plain.counts().await["headers"]["GET profile"].clone();
    assert_eq!(headers["x-forwarded-for"], "127.0.0.1");
    assert!(headers["x-request-id"].as_str().is_some_and(|id| id.len() == 36), "the request's id is not forwarded");
    for name in ["x-original-url", "authorization", "cookie"] {
        assert_eq!(headers[name], Value::Null, "{name}");
    }
    let (status, _) = front.call(Method::GET, &format!("orders?api_key={one}&api_key={other}"), &Value::Null).await;
    assert_eq!(status, StatusCode::BAD_REQUEST);
    for path in ["/api/pages/..%2f..%2fcounts", "/api/custom-forms/%2e%2e", "/api/../counts", "/api/no-such-call"] {
        let line = format!("GET {path} HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: close\r\n\r\n");
        let answer = raw(&front, &line).await;
        assert!(!answer.contains("charges") && answer.starts_with("HTTP/1.1 4"), "{path}: {answer}");
    }
    let both = "POST /api/get_api_key HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: 4\r\nTransfer-Encoding: chunked\r\n\
        Connection: close\r\n\r\n0\r\n\r\nGET /counts HTTP/1.1\r\n\r\n";
    assert!(!raw(&front, both).await.contains("charges"), "a body contained a second request");

    // Redirects are not followed, because they would leak the key.
    let elsewhere = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let to = format!("http://{}/", elsewhere.local_addr().unwrap());
    plain.fail(json!([{ "mode": "redirect", "to": to, "only": "GET profile" }])).await;
    let (status, answer) = front.call(Method::GET, &format!("profile?api_key={one}"), &Value::Null).await;
    assert_eq!((status, &answer["code"]), (StatusCode::BAD_GATEWAY, &json!("unavailable")));
    let visited = tokio::time::timeout(std::time::Duration::from_millis(200), elsewhere.accept()).await;
    assert!(visited.is_err(), "nobody went there");
    plain.heal().await;

    // Bodies over the limit, in both directions.
    let large = json!({ "api_key": one, "first_name": "x".repeat(200_000) });
    let (status, _) = front.call(Method::POST, "profile", &large).await;
    assert_eq!(status, StatusCode::PAYLOAD_TOO_LARGE);
    plain.fail(json!([{ "mode": "large", "only": "GET orders" }])).await;
    let (status, _) = front.call(Method::GET, &format!("orders?api_key={one}"), &Value::Null).await;
    assert_eq!(status, StatusCode::BAD_GATEWAY);
    let log = front.log();
    assert!(![&one, &other, &foreign].iter().any(|key| log.contains(key.as_str())), "the log contains a key");
}

/// UP-12: no spelling of a path escapes the file folders of another Touchline, or reaches past the front's own pages.
#[tokio::test]
async fn no_path_traversal_reaches_the_upstream() {
    let ((_a, back_data), (_b, front)) = (folder(), folder());
    let back = Worker::start(&back_data, &[]);
    let front = start_proxy(&front, &format!("http://{}", back.address), &[]);
    front.knows_upstream().await;
    let key = front.register().await;
    assert!(!key.is_empty());
    eventually("the email is sent", async || sent_emails(&back_data).first().map(|_| ())).await;
    let emails = raw(&back, "GET /demo/mail HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: close\r\n\r\n").await;
    assert!(emails.starts_with("HTTP/1.1 200") && emails.contains("verify-email"), "the upstream has an email");
    let steps = ["..\\", "..%5c", "..%5C", "%2e%2e\\", ".%2e/", "%2E%2E/", "../", "..%2f", "x\\..\\..\\", "%2e%2e%2f"];
    let targets = ["demo/mail", "docs", "keys/northfield.json", "api/settings", "demo/mail?x=1"];
    for base in ["/media/", "/storage/", "/media/northfield/", "/x/"] {
        for (step, target) in steps.iter().flat_map(|step| targets.iter().map(move |target| (step, target))) {
            let line = format!("GET {base}{step}{target} HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: close\r\n\r\n");
            let answer = raw(&front, &line).await;
            assert!(answer.starts_with("HTTP/1.1 404"), "{base}{step}{target}: {}", &answer[..answer.len().min(300)]);
            assert!(!answer.contains("verify-email?"), "{base}{step}{target}");
        }
    }
    let lost = raw(&front, "GET /watch\\1 HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: close\r\n\r\n").await;
    let unknown = raw(&front, "GET /nowhere HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: close\r\n\r\n").await;
    let page = |answer: &str| answer.split_once("\r\n\r\n").map(|(_, page)| page.to_owned());
    assert_eq!(page(&lost), page(&unknown));
    // Files are still passed on.
    let crest = "GET /media/northfield/crests/bell-harbor.svg HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: close\r\n\r\n";
    assert!(raw(&front, crest).await.starts_with("HTTP/1.1 200"));
    front.end();
    back.end();
}
