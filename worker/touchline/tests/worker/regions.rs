//! Content that is blocked in the client's region (`GEO-1`).

use reqwest::{Method, StatusCode};
use serde_json::{Value, json};

use crate::demo_channel::{demo_channel, edit};
use crate::support::{Worker, folder, fresh};

/// An event that is blocked in Canada; the channel is blocked in North Korea.
const EVENT: i64 = 44;
const SENTENCE: &str = "Content not available in the region.";

/// A request from a country.
async fn from(worker: &Worker, country: &str, method: Method, path: &str, body: &Value) -> (StatusCode, Value) {
    let request = worker.http.request(method.clone(), worker.url(path)).header("x-country", country);
    let request = request.header("x-forwarded-for", "203.0.113.9");
    let request =
        if method == Method::POST { request.json(body).header("idempotency-key", fresh("buy")) } else { request };
    let answer = request.send().await.unwrap();
    (answer.status(), answer.json().await.unwrap_or_default())
}

/// Shows GEO-1a, GEO-1d, GEO-1e.
#[tokio::test]
async fn blocked_content_says_so_and_is_not_sold() {
    let (root, data) = folder();
    let channels = root.path().join("channels");
    demo_channel(&channels);
    edit(&channels.join("northfield/channel.json"), |channel| {
        channel["geo"] = json!({ "deny": ["KP"], "unknown": "allow" });
    });
    let flags = ["--channels", channels.to_str().unwrap(), "--geo-country-header", "x-country", "--trusted-proxies"];
    let worker = Worker::start(&data, &[&flags[..], &["127.0.0.0/8"]].concat());
    let key = worker.register().await;
    let get = async |country: &str, path: &str| {
        from(&worker, country, Method::GET, &format!("/api/{path}api_key={key}"), &Value::Null).await
    };

    for (country, is_blocked) in [("CA", false), ("KP", true)] {
        let (_, geo) = get(country, "geo?").await;
        let geo = &geo["data"];
        assert_eq!((&geo["country_code"], &geo["is_geo_blocked"]), (&json!(country), &json!(is_blocked)));
        assert_eq!(geo["ip"], "203.0.113.9");
        assert!(geo["country"].as_str().is_some_and(|name| name.len() > 2), "{geo}");
    }

    let mut event = Value::Null;
    for (country, is_blocked) in [("CA", true), ("KP", true), ("US", false)] {
        event = get(country, &format!("events/{EVENT}?")).await.1["data"].clone();
        assert_eq!(event["is_geo_blocked"], is_blocked, "{country}");
        // A preview is blocked with its event.
        let preview = event["media"].as_array().unwrap().iter().find(|medium| medium["type"] == 6);
        let address = preview.and_then(|medium| medium["url"].as_str()).unwrap_or("/media/northfield/s/e446/open/v1/x");
        let address = if is_blocked { "/media/northfield/s/e446/open/master.m3u8" } else { address };
        let (status, answer) = from(&worker, country, Method::GET, address, &Value::Null).await;
        assert_eq!(status.as_u16(), if is_blocked { 403 } else { 200 }, "{country} {address}: {answer}");
        let (_, video) = get(country, "vod-media-items/1?").await;
        assert_eq!(video["data"]["is_geo_blocked"], country == "KP", "{country}");
    }

    let card = worker.card(&key, "4242424242424242").await;
    let buy = async |country: &str, kind: &str, id: i64| {
        let total = event["base_price"].as_i64().unwrap() + event["service_fee"].as_i64().unwrap();
        let mut body = json!({ "api_key": key, "type": kind, "id": id, "payment_method_id": card });
        if kind == "event" {
            body["single_event_package_id"] = event["single_event_package_id"].clone();
            body["expected_total"] = json!(total);
        }
        from(&worker, country, Method::POST, "/api/stripe/buy", &body).await
    };
    for (country, kind, id) in
        [("CA", "event", EVENT), ("KP", "event", 1), ("KP", "package", 1), ("KP", "subscription", 1)]
    {
        let (status, refused) = buy(country, kind, id).await;
        assert_eq!((status.as_u16(), &refused["code"]), (403, &json!("geo_blocked")), "{country} {kind}: {refused}");
        assert_eq!(refused["message"], SENTENCE);
    }
    let (status, priced) = get("CA", &format!("apply_coupon?promo_code=KICKOFF20&type=event&id={EVENT}&")).await;
    assert_eq!((status.as_u16(), &priced["code"]), (403, &json!("geo_blocked")), "{priced}");
    let (status, answer) = buy("US", "event", EVENT).await;
    assert_eq!(status, StatusCode::OK, "{answer}");
}
