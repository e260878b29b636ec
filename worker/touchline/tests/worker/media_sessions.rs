//! Public and signed addresses of media, and when signed ones end (`MEDIA-1`, `MEDIA-2`, `MEDIA-4`).

use std::path::Path;

use reqwest::{Method, StatusCode};
use serde_json::{Value, json};
use touchline_protocol::ambient::{Clock, SystemClock};

use crate::operator::json_output;
use crate::support::{Worker, done, eventually, folder, fresh};

/// The live medium of a paid event, that of an event for registered viewers, and a library video for them.
const PAID: &str = "events/1/playback/12";
const REGISTERED: &str = "events/3/playback/32";
const VIDEO: &str = "vod-media-items/2/playback";
const PASSWORD: &str = "correct horse";

async fn playback(worker: &Worker, key: &str, call: &str) -> Value {
    worker.data(Method::GET, &format!("{call}?api_key={key}"), &Value::Null).await
}

async fn address(worker: &Worker, key: &str, call: &str) -> String {
    playback(worker, key, call).await["playback_url"].as_str().unwrap().to_owned()
}

/// The answers' codes for a playlist and one of its segments; empty if they are served.
async fn codes(worker: &Worker, url: &str) -> [String; 2] {
    let mut codes = Vec::new();
    for file in [url.to_owned(), url.replace("master.m3u8", "v0/seg_001.m4s")] {
        let answer = worker.get(&file).await;
        let status = answer.status();
        let body = answer.bytes().await.unwrap();
        let failure: Value = if status == StatusCode::OK { json!({}) } else { serde_json::from_slice(&body).unwrap() };
        codes.push(failure["code"].as_str().unwrap_or_default().to_owned());
    }
    codes.try_into().unwrap()
}

async fn plays(worker: &Worker, url: &str) {
    assert_eq!(codes(worker, url).await, ["", ""], "{url}");
}

/// Waits at most a minute until an address has ended, both for playlists and for segments.
async fn ends(worker: &Worker, url: &str) {
    eventually(url, async || (codes(worker, url).await == ["media_ended"; 2]).then_some(())).await;
}

async fn log_in(worker: &Worker, email: &str) -> String {
    let login = json!({ "api_key": worker.key().await, "email": email, "password": PASSWORD });
    worker.data(Method::POST, "v2/auth/login", &login).await["api_key"].as_str().unwrap().to_owned()
}

/// A verb about a viewer.
fn about(data: &Path, verb: &[&str], email: &str) -> String {
    done(data, &[verb, &["--channel", "northfield", "--email", email]].concat())
}

/// Shows MEDIA-1a, MEDIA-1b, MEDIA-4a.
#[tokio::test]
async fn free_media_have_public_addresses_and_all_others_signed_ones() {
    let (_folder, data) = folder();
    let worker = Worker::start(&data, &[]);
    let event = worker.data(Method::GET, &format!("events/25?api_key={}", worker.key().await), &Value::Null).await;
    let free = event["media"].as_array().unwrap().iter().find(|medium| medium["type"] == 3).unwrap();
    let public = free["url"].as_str().unwrap_or_else(|| panic!("{event}"));
    assert_eq!(worker.get(public).await.status(), StatusCode::OK);

    let key = worker.register().await;
    for call in [REGISTERED, VIDEO] {
        let (item, _) = call.split_once("/playback").unwrap();
        let content = worker.data(Method::GET, &format!("{item}?api_key={key}"), &Value::Null).await;
        assert!(!content.to_string().contains("/s/l32/") && !content.to_string().contains("/s/v90002/"), "{content}");
        let visitor = format!("{call}?api_key={}", worker.key().await);
        assert_ne!(worker.call(Method::GET, &visitor, &Value::Null).await.0, StatusCode::OK);

        let signed = playback(&worker, &key, call).await;
        let url = signed["playback_url"].as_str().unwrap();
        plays(&worker, url).await;
        let now = SystemClock::default().now_s();
        let lifetime = signed["expires"].as_i64().unwrap() - now;
        assert!((1..=6 * 3_600).contains(&lifetime), "{lifetime} s");
        let (mount, pass) = (url.split('/').nth(4).unwrap(), url.split('/').nth(5).unwrap());
        assert_ne!(url, address(&worker, &worker.register().await, call).await, "another session's");
        for other in [
            // Another stream and another purpose.
            url.replace(mount, if mount == "l32" { "v90002" } else { "l32" }),
            format!("/media/northfield/d/{mount}/{pass}/game.mp4"),
            url.replace(pass, "open"),
        ] {
            let refused = worker.get(&other).await;
            assert_eq!(refused.status(), StatusCode::FORBIDDEN, "{other}");
            assert_eq!(refused.json::<Value>().await.unwrap()["code"], "media_unsigned", "{other}");
        }
    }

    let contract: Value = worker.get("/docs/openapi.json").await.json().await.unwrap();
    let schemas = contract["components"]["schemas"].as_object().unwrap();
    let of = |name: &str| -> Vec<_> { schemas.values().filter_map(|one| one["properties"].get(name)).collect() };
    let addresses = [of("playback_url"), of("download_url")].concat();
    assert!(addresses.len() > 1 && addresses.iter().all(|field| field["x-secret"] == true), "{addresses:?}");
}

/// Shows MEDIA-2a, MEDIA-2c.
#[tokio::test]
async fn a_logout_a_block_and_an_erasure_end_a_sessions_addresses() {
    let (_folder, data) = folder();
    let worker = Worker::start(&data, &[]);
    let [ada, bob, cat] = ["ada", "bob", "cat"].map(|name| format!("{}@viewers.example", fresh(name)));
    let here = worker.register_as(&ada).await;
    let there = address(&worker, &log_in(&worker, &ada).await, REGISTERED).await;
    let mut ended = vec![address(&worker, &here, REGISTERED).await];
    for email in [&bob, &cat] {
        ended.push(address(&worker, &worker.register_as(email).await, REGISTERED).await);
    }
    for url in &ended {
        plays(&worker, url).await;
    }
    worker.data(Method::POST, "auth/logout", &json!({ "api_key": here })).await;
    about(&data, &["user", "block"], &bob);
    about(&data, &["user", "erase"], &cat);
    for url in &ended {
        ends(&worker, url).await;
    }
    plays(&worker, &there).await;
    worker.kill();
    let worker = Worker::start(&data, &[]);
    for url in &ended {
        assert_eq!(codes(&worker, url).await, ["media_ended"; 2], "after a restart");
    }
    plays(&worker, &there).await;
}

/// Shows MEDIA-2b, MEDIA-2c, MEDIA-2d.
#[tokio::test]
async fn changed_rights_end_addresses_and_viewers_with_access_get_new_ones() {
    let (_folder, data) = folder();
    let worker = Worker::start(&data, &[]);
    let mut ended = Vec::new();
    for how in ["refund", "capabilities", "temporary password", "new password"] {
        let email = format!("{}@viewers.example", fresh("viewer"));
        let key = worker.register_as(&email).await;
        let person = ["--channel", "northfield", "--email", &email];
        let grant = [&["order", "grant", "--type", "event", "--id", "1"], &person[..]].concat();
        let order = json_output(&data, &grant)["id"].to_string();
        let paid = address(&worker, &key, PAID).await;
        let registered = address(&worker, &key, REGISTERED).await;
        plays(&worker, &paid).await;
        match how {
            "refund" => drop(done(&data, &["order", "refund", &order])),
            "capabilities" => drop(about(&data, &["user", "set", "--capabilities", "watch"], &email)),
            "temporary password" => drop(about(&data, &["user", "set", "--temporary-password"], &email)),
            _ => {
                let change = json!({
                    "api_key": key, "_method": "patch", "current_password": PASSWORD, "password": "another horse",
                    "password_confirmation": "another horse",
                });
                worker.data(Method::POST, "profile", &change).await;
            }
        }
        ends(&worker, &paid).await;
        ends(&worker, &registered).await;
        ended.push(paid);
        let again = |call: &str| format!("{call}?api_key={key}");
        if how == "refund" {
            assert_eq!(worker.call(Method::GET, &again(PAID), &Value::Null).await.0, StatusCode::FORBIDDEN);
        }
        if how != "temporary password" {
            plays(&worker, &address(&worker, &key, REGISTERED).await).await;
        }
    }
    worker.kill();
    let worker = Worker::start(&data, &[]);
    for url in &ended {
        assert_eq!(codes(&worker, url).await, ["media_ended"; 2], "after a restart");
    }
}

/// Shows MEDIA-2b.
#[tokio::test]
async fn an_expired_order_ends_addresses() {
    const MONTH_S: i64 = 30 * 86_400;
    let (_folder, data) = folder();
    let email = format!("{}@viewers.example", fresh("subscriber"));
    let worker = Worker::start(&data, &[]);
    let key = worker.register_as(&email).await;
    let grant = ["order", "grant", "--type", "subscription", "--id", "1", "--channel", "northfield", "--email", &email];
    let order = json_output(&data, &grant)["id"].clone();
    worker.end();
    let at = |offset_s: i64| Worker::start(&data, &["--clock-offset", &offset_s.to_string()]);
    let worker = at(MONTH_S - 3_600);
    let url = address(&worker, &key, VIDEO).await;
    plays(&worker, &url).await;
    worker.end();
    let worker = at(MONTH_S + 3_600);
    eventually("the order has expired", async || {
        let orders = worker.data(Method::GET, &format!("orders?api_key={key}"), &Value::Null).await;
        let order = orders.as_array().unwrap().iter().find(|one| one["id"] == order).cloned();
        order.is_none_or(|order| order["activity_status"] == "inactive").then_some(())
    })
    .await;
    ends(&worker, &url).await;
    plays(&worker, &address(&worker, &key, VIDEO).await).await;
}
