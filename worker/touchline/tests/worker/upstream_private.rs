//! What is of one viewer stays that viewer's (`UP-2`, `UP-4`).

use reqwest::StatusCode;
use serde_json::Value;

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
