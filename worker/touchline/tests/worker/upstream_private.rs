//! What is of one viewer stays that viewer's (`UP-2`, `UP-4`).

use reqwest::{Method, StatusCode};
use serde_json::{Value, json};

use crate::support::folder;
use crate::upstream::in_front_of;
use crate::upstream_plain::Plain;

/// Shows UP-4: what is kept for everyone is asked for with nothing of whoever asked first.
#[tokio::test]
async fn what_everyone_is_shown_is_asked_for_with_nothing_of_a_viewer() {
    let (_folder, data) = folder();
    let plain = Plain::start(&data.with_extension("plain"), 300).await;
    let front = in_front_of(&data, &plain.origin, &[]);
    front.knows_upstream().await;
    let key = front.key().await;
    let asked = front.http.get(front.url(&format!("/api/menu?api_key={key}"))).header("accept-language", "fr");
    let asked =
        asked.header("idempotency-key", "k1").header("user-agent", "one viewer's").header("content-type", "a/b");
    assert_eq!(asked.send().await.unwrap().status(), StatusCode::OK);
    let headers = plain.counts().await["headers"]["GET menu"].clone();
    assert!(headers.is_object());
    for name in ["accept-language", "idempotency-key", "user-agent", "content-type", "cookie", "x-forwarded-for"] {
        assert_eq!(headers[name], Value::Null, "{name}: {headers}");
    }
    // What is answered to one person alone is asked for in their language.
    let person = front.register().await;
    let asked = front.http.get(front.url(&format!("/api/events?limit=1&api_key={person}")));
    assert_eq!(asked.header("accept-language", "fr").send().await.unwrap().status(), StatusCode::OK);
    assert_eq!(plain.counts().await["headers"]["GET events"]["accept-language"], "fr");
}

/// Shows UP-4: a key that holds no more is given nothing of what is kept.
#[tokio::test]
async fn what_is_kept_for_a_key_ends_with_the_key() {
    let (_folder, data) = folder();
    let mut plain = Plain::start(&data.with_extension("plain"), 300).await;
    let front = in_front_of(&data, &plain.origin, &[]);
    front.knows_upstream().await;
    let (stays, leaves, forgotten) = (front.register().await, front.register().await, front.register().await);
    let list = |key: &str| format!("/api/events?limit=3&api_key={key}");
    for key in [&stays, &leaves, &forgotten] {
        assert_eq!(front.get(&list(key)).await.status(), StatusCode::OK);
    }
    front.data(Method::POST, "auth/logout", &json!({ "api_key": leaves })).await;
    plain.forget_key(&forgotten).await;
    let (status, _) = front.call(Method::GET, &format!("profile?api_key={forgotten}"), &Value::Null).await;
    assert_eq!(status, StatusCode::BAD_REQUEST);
    plain.kill();
    let kept = front.get(&list(&stays)).await;
    assert!(kept.status() == StatusCode::OK && kept.headers().contains_key("x-touchline-stale"));
    for key in [&leaves, &forgotten] {
        assert_eq!(front.get(&list(key)).await.status(), StatusCode::SERVICE_UNAVAILABLE);
    }
}
