use axum::http::Method;
use serde_json::json;

use crate::app::{App, ChannelFolder, DAY_MS};

/// `USER-4`, `CALL-1`, `CALL-2`.
#[tokio::test]
async fn a_visitor_gets_a_key_and_reads_the_channel() {
    let app = App::new().await;
    let key = app.visitor().await;
    assert_eq!(key.len(), 43, "256 bits");
    assert_ne!(key, app.visitor().await);
    assert_eq!(app.get(&key, "settings").await.data()["short_name"], "Meadow");
}

#[tokio::test]
async fn an_unknown_channel_is_rejected_for_its_channel_key() {
    let app = App::new().await;
    let answer = app.send(Method::POST, "get_api_key", &[], json!({ "channel_key": "moor" }).to_string()).await;
    answer.fails(400, "channel_key");
    answer.blames("channel_key");
}

#[tokio::test]
async fn a_call_without_a_valid_key_is_rejected_for_its_api_key() {
    let app = App::new().await;
    for answer in [
        app.get("nonsense", "profile").await,
        app.send(Method::GET, "profile", &[], "").await,
        app.post("nonsense", "auth/logout", json!({})).await,
        app.send(Method::POST, "auth/logout", &[], "{}").await,
        app.send(Method::POST, "auth/logout", &[], r#"{"api_key": 7}"#).await,
    ] {
        assert_eq!(answer.fails(400, "api_key"), "No channel or api key found.");
        answer.blames("api_key");
    }
}

#[tokio::test]
async fn logging_out_revokes_the_key_at_once() {
    let app = App::new().await;
    let person = app.person("ada").await;
    app.get(&person.key, "profile").await.data();
    app.post(&person.key, "auth/logout", json!({})).await.data();
    app.get(&person.key, "profile").await.fails(400, "api_key");
}

#[tokio::test]
async fn unused_visitor_keys_expire_and_personal_keys_do_not() {
    let app = App::new().await;
    let (visitor, person) = (app.visitor().await, app.person("ada").await);
    app.get(&person.key, "profile").await.data();
    app.clock.advance_ms(91 * DAY_MS);
    touchline_channel::housekeeping::tidy(&app.state.housekeeping()).await.unwrap();
    app.get(&visitor, "settings").await.fails(400, "api_key");
    app.get(&person.key, "profile").await.data();
}

#[tokio::test]
async fn a_key_works_only_on_its_channels_hosts() {
    let folder = ChannelFolder::copied();
    folder.double("moor");
    folder.edit("moor/channel.json", |moor| {
        (moor["key"], moor["hosts"], moor["fallback"]) = (json!("moor"), json!(["moor.test"]), json!(false));
        moor["public_url"] = json!("https://moor.test");
    });
    let app = App::of(&folder).await;

    let key = app.visitor().await;
    let (read, body) = (format!("settings?api_key={key}"), json!({ "api_key": key }).to_string());
    for (host, opens) in
        [("meadow.test", true), ("www.meadow.test:8080", true), ("else.test", true), ("moor.test", false)]
    {
        let response = app.send(Method::GET, &read, &[("host", host)], "").await;
        let posted = app.send(Method::POST, "auth/session_code", &[("host", host)], body.clone()).await;
        if opens {
            response.data();
            posted.data();
        } else {
            response.fails(400, "api_key");
            posted.fails(400, "api_key");
        }
    }
}
