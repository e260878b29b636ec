use serde_json::json;

use crate::app::App;

#[tokio::test]
async fn a_displayed_code_logs_the_device_in() {
    let app = App::new().await;
    let (person, visitor) = (app.person("ada").await, app.visitor().await);
    app.get(&visitor, "profile").await.fails(401, "unauthenticated");
    let answer = app.post(&visitor, "auth/session_code", json!({})).await.data();
    let (code, device) = (answer["code"].as_str().unwrap(), answer["api_key"].as_str().unwrap());
    assert_eq!(code.len(), 6);
    app.get(device, "profile").await.fails(401, "unauthenticated");

    let short = app.post(&person.key, "auth/add_session", json!({ "code": &code[..5] })).await;
    assert_eq!(short.blames("code"), "Field length must be greater than 5.");
    let body = json!({ "code": format!(" {} ", code.to_lowercase()) });
    let linked = app.post(&person.key, "auth/add_session", body.clone()).await.data();
    assert_eq!(linked["current"], false);
    assert_eq!(app.get(device, "profile").await.data()["id"], person.id);
    app.get(&visitor, "profile").await.fails(401, "unauthenticated");
    // A code works once.
    app.post(&person.key, "auth/add_session", body).await.fails(400, "wrong_code");
}

#[tokio::test]
async fn a_code_expires_and_a_new_one_replaces_it() {
    let app = App::new().await;
    let (person, device) = (app.person("ada").await, app.visitor().await);
    let first = app.post(&device, "auth/session_code", json!({})).await.data();
    let device = first["api_key"].as_str().unwrap();
    let second = app.post(device, "auth/session_code", json!({})).await.data();
    app.post(&person.key, "auth/add_session", json!({ "code": first["code"] })).await.fails(400, "wrong_code");
    app.clock.advance_ms(10 * 60_000);
    app.post(&person.key, "auth/add_session", json!({ "code": second["code"] })).await.fails(400, "wrong_code");
    app.get(device, "profile").await.fails(401, "unauthenticated");
}

#[tokio::test]
async fn other_peoples_devices_are_neither_listed_nor_revoked() {
    let app = App::new().await;
    let (ada, bob) = (app.person("ada").await, app.person("bob").await);
    let other = app.login(&ada.email, crate::app::PASSWORD).await.data();
    let other = other["api_key"].as_str().unwrap();
    app.get(other, "profile").await.data();
    let devices = app.get(&ada.key, "auth/sessions").await.data();
    let devices = devices.as_array().unwrap();
    assert_eq!(devices.iter().map(|device| device["current"].as_bool().unwrap()).collect::<Vec<_>>(), [false, true]);

    let path = format!("auth/sessions/{}", devices[0]["id"]);
    app.delete(&bob.key, &path).await.fails(404, "not_found");
    app.delete(&ada.key, &path).await.data();
    app.get(other, "profile").await.fails(400, "api_key");
    app.delete(&ada.key, &path).await.fails(404, "not_found");
    app.get(&app.visitor().await, "auth/sessions").await.fails(401, "unauthenticated");
}

#[tokio::test]
async fn a_login_whose_key_was_never_used_is_not_listed() {
    let app = App::new().await;
    let ada = app.person("ada").await;
    app.login(&ada.email, crate::app::PASSWORD).await.data();
    let devices = async || app.get(&ada.key, "auth/sessions").await.data().as_array().unwrap().len();
    assert_eq!(devices().await, 1);
    let late = app.login(&ada.email, crate::app::PASSWORD).await.data();
    assert_eq!(devices().await, 1);
    app.get(late["api_key"].as_str().unwrap(), "profile").await.data();
    assert_eq!(devices().await, 2);
}
