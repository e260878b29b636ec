use axum::http::Method;
use serde_json::json;
use sha2::{Digest, Sha256};
use touchline_protocol::ambient::Clock;
use touchline_store::NewKey;

use crate::app::{App, ChannelFolder, DAY_MS, PASSWORD};

/// `USER-4`, `CALL-1`, `CALL-2`.
#[tokio::test]
async fn a_visitor_gets_a_key_and_reads_the_channel() {
    let app = App::new().await;
    let key = app.visitor().await;
    assert!(key.starts_with("v."), "a signed token");
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
async fn a_visitors_key_expires_after_90_days_and_a_persons_does_not() {
    let app = App::new().await;
    let (visitor, person) = (app.visitor().await, app.person("ada").await);
    app.get(&person.key, "profile").await.data();
    app.clock.advance_ms(90 * DAY_MS - 1);
    app.get(&visitor, "settings").await.data();
    app.clock.advance_ms(1);
    touchline_channel::housekeeping::tidy(&app.state.housekeeping()).await.unwrap();
    app.get(&visitor, "settings").await.fails(400, "api_key");
    app.get(&person.key, "profile").await.data();
}

/// Earlier releases stored visitors' keys.
#[tokio::test]
async fn a_visitors_stored_key_works_until_a_login_replaces_it_or_a_code_attaches_it() {
    let app = App::new().await;
    let person = app.person("ada").await;
    for key in ["logs in", "shows a code"] {
        let new = NewKey {
            hash: hex::encode(Sha256::digest(key)),
            channel_key: "meadow".to_owned(),
            user_id: None,
            device_name: "Television".to_owned(),
            sign_in: None,
            at: app.clock.now_ms(),
        };
        app.state.store().issue_key(new, None).await.unwrap().unwrap();
        app.get(&key.replace(' ', "%20"), "settings").await.data();
    }
    let login = json!({ "email": person.email, "password": PASSWORD });
    app.post("logs in", "v2/auth/login", login.clone()).await.data();
    app.post("logs in", "v2/auth/login", login).await.fails(400, "api_key");
    let code = app.post("shows a code", "auth/session_code", json!({})).await.data();
    assert!(code.get("api_key").is_none(), "the device keeps its key");
    app.post(&person.key, "auth/add_session", json!({ "code": code["code"] })).await.data();
    assert_eq!(app.get("shows%20a%20code", "profile").await.data()["id"], person.id);
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
