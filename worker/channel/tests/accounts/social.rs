use std::collections::HashSet;

use axum::http::{HeaderMap, StatusCode};
use axum::response::IntoResponse;
use axum::routing::{get, post};
use axum::{Json, Router};
use serde_json::{Value, json};
use touchline_channel::auth::social::SocialProvider;
use touchline_store::UserChange;
use url::Url;

use crate::app::{Answer, App, PASSWORD};

/// A provider compatible with Google's. The code `c:<e-mail>:<verified>` identifies a person and works any number of
/// times.
async fn provider() -> SocialProvider {
    let token = |form: String| async move {
        let form: Vec<(String, String)> = url::form_urlencoded::parse(form.as_bytes()).into_owned().collect();
        let value = |name: &str| form.iter().find(|(key, _)| key == name).map_or("", |(_, value)| value.as_str());
        let is_valid = value("grant_type") == "authorization_code"
            && value("client_secret") == "secret"
            && value("redirect_uri") == "https://meadow.test/auth/login/google/callback";
        match value("code").strip_prefix("c:") {
            Some(code) if is_valid => Json(json!({ "access_token": code, "token_type": "bearer" })).into_response(),
            _ => (StatusCode::BAD_REQUEST, Json(json!({ "error": "invalid_grant" }))).into_response(),
        }
    };
    let userinfo = |headers: HeaderMap| async move {
        let bearer = headers["authorization"].to_str().unwrap();
        let (email, verified) = bearer.strip_prefix("Bearer ").unwrap().split_once(':').unwrap();
        Json(json!({
            "sub": format!("subject of {email}"), "email": email, "email_verified": verified == "true",
            "given_name": "Ada", "family_name": "Byron",
        }))
    };
    let routes = Router::new().route("/token", post(token)).route("/userinfo", get(userinfo));
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
    let base = Url::parse(&format!("http://{}", listener.local_addr().unwrap())).unwrap();
    tokio::spawn(async move { axum::serve(listener, routes).await });
    SocialProvider {
        authorize_url: base.join("authorize").unwrap(),
        token_url: base.join("token").unwrap(),
        userinfo_url: base.join("userinfo").unwrap(),
        ..SocialProvider::google("id".to_owned(), "secret".to_owned()).unwrap()
    }
}

pub(crate) async fn app() -> App {
    let google = provider().await;
    App::with(|options| drop(options.social.insert("google".to_owned(), google))).await
}

/// Starts a login under this key and returns its one-time value.
pub(crate) async fn start_login(app: &App, key: &str) -> String {
    let start = app.get(key, "auth/social/google/start").await.data();
    let url = Url::parse(start["url"].as_str().unwrap()).unwrap();
    assert!(url.path() == "/authorize" && url.query_pairs().any(|(name, value)| name == "client_id" && value == "id"));
    url.query_pairs().find(|(name, _)| name == "state").unwrap().1.into_owned()
}

pub(crate) async fn finish(app: &App, key: &str, code: &str, state: &str, terms: bool) -> Answer {
    app.post(key, "v2/auth/social/google", json!({ "code": code, "state": state, "terms": terms })).await
}

/// Logs in, or registers, with one address.
pub(crate) async fn log_in(app: &App, email: &str, verified: bool) -> Value {
    let key = app.visitor().await;
    let state = start_login(app, &key).await;
    finish(app, &key, &format!("c:{email}:{verified}"), &state, true).await.data()
}

#[tokio::test]
async fn a_new_person_accepts_the_terms_once() {
    let app = app().await;
    let key = app.visitor().await;
    let state = start_login(&app, &key).await;
    let response = finish(&app, &key, "c:ada@example.com:true", &state, false).await;
    assert_eq!(
        response.fails(400, "not_registered"),
        "You are not registered yet. Please accept terms and conditions and click Register to continue."
    );
    let session = finish(&app, &key, "c:ada@example.com:true", &state, true).await.data();
    assert_eq!((&session["user"]["first_name"], &session["user"]["email_verified"]), (&json!("Ada"), &json!(true)));
    app.get(session["api_key"].as_str().unwrap(), "profile").await.data();
    assert_eq!(log_in(&app, "ada@example.com", true).await["user"]["id"], session["user"]["id"]);
}

#[tokio::test]
async fn a_one_time_value_works_once_for_its_key() {
    let app = app().await;
    let (key, thief) = (app.visitor().await, app.visitor().await);
    let state = start_login(&app, &key).await;
    let code = "c:ada@example.com:true";
    let stolen = finish(&app, &thief, code, &state, true).await;
    assert_eq!(stolen.fails(400, "wrong_auth_data"), "Wrong auth data.");
    finish(&app, &key, code, "made up", true).await.fails(400, "wrong_auth_data");
    finish(&app, &key, "refused", &state, true).await.fails(400, "wrong_auth_data");
    finish(&app, &key, code, &state, true).await.fails(400, "wrong_auth_data");
    let late = start_login(&app, &key).await;
    app.clock.advance_ms(15 * 60_000);
    finish(&app, &key, code, &late, true).await.fails(400, "wrong_auth_data");
}

/// `AUTH-1`: the visitor's token stays one, and each login gets a key of its own.
#[tokio::test]
async fn two_logins_at_once_under_one_token_get_two_keys_and_a_value_works_once() {
    let app = app().await;
    let person = log_in(&app, "ada@example.com", true).await;
    let token = app.visitor().await;
    let (one, two) = (start_login(&app, &token).await, start_login(&app, &token).await);
    let code = "c:ada@example.com:true";
    let finish = async |state: &str| finish(&app, &token, code, state, false).await;
    let (one_at_once, one_again, two) = tokio::join!(finish(&one), finish(&one), finish(&two));
    let sessions = [one_at_once, one_again, two].map(|answer| answer.json()["data"].clone());
    let keys: HashSet<_> = sessions.iter().filter_map(|session| session["api_key"].as_str()).collect();
    assert_eq!(keys.len(), 2, "the same value works once, and the other beside it");
    assert!(!keys.contains(&*token));
    for key in keys {
        assert_eq!(app.get(key, "profile").await.data()["id"], person["user"]["id"]);
    }
    app.get(&token, "profile").await.fails(401, "unauthenticated");
}

#[tokio::test]
async fn an_account_is_connected_only_by_a_verified_address() {
    let app = app().await;
    let person = app.person("ada").await;
    let key = app.visitor().await;
    let state = start_login(&app, &key).await;
    let unsure = finish(&app, &key, "c:ada@example.com:false", &state, true).await;
    assert_eq!(unsure.blames("email"), "The email address you have entered is already registered.");
    assert_eq!(log_in(&app, "ada@example.com", true).await["user"]["id"], person.id);
}

#[tokio::test]
async fn an_unverified_account_is_lost_to_the_addresss_owner() {
    let app = app().await;
    let squatter = app.person("ada").await;
    let owner = log_in(&app, "ada@example.com", true).await;
    assert_eq!(owner["user"]["id"], squatter.id);
    app.get(&squatter.key, "profile").await.fails(400, "api_key");
    app.login("ada@example.com", PASSWORD).await.fails(400, "wrong_login");
}

#[tokio::test]
async fn a_verified_account_keeps_its_password() {
    let app = app().await;
    let person = app.person("ada").await;
    let link = app.link_to(&person.email).await.unwrap();
    app.post(&person.key, "auth/email-verify", link).await.data();
    log_in(&app, "ada@example.com", true).await;
    app.get(&person.key, "profile").await.data();
    app.login("ada@example.com", PASSWORD).await.data();
}

#[tokio::test]
async fn a_provider_that_the_channel_does_not_offer_is_not_found() {
    let app = app().await;
    let key = app.visitor().await;
    for name in ["facebook", "nobody", "google%2F", "%ff"] {
        app.get(&key, &format!("auth/social/{name}/start")).await.fails(404, "not_found");
        let body = json!({ "code": "c", "state": "s" });
        app.post(&key, &format!("v2/auth/social/{name}"), body).await.fails(404, "not_found");
    }
}

#[tokio::test]
async fn an_unreachable_provider_differs_from_a_refusal() {
    let silent = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
    let mut google = provider().await;
    google.token_url = format!("http://{}/", silent.local_addr().unwrap()).parse().unwrap();
    drop(silent);
    let app = App::with(|options| drop(options.social.insert("google".to_owned(), google))).await;
    let key = app.visitor().await;
    let state = start_login(&app, &key).await;
    finish(&app, &key, "c:ada@example.com:true", &state, true).await.fails(503, "unavailable");
}

#[tokio::test]
async fn a_configured_login_works_only_where_the_channel_offers_it() {
    let (google, facebook) = (provider().await, provider().await);
    let app = App::with(|options| {
        options.social.insert("google".to_owned(), google);
        options.social.insert("facebook".to_owned(), facebook);
    })
    .await;
    let visitor = app.visitor().await;
    app.get(&visitor, "auth/social/google/start").await.data();
    app.get(&visitor, "auth/social/facebook/start").await.fails(404, "not_found");
}

#[tokio::test]
async fn a_blocked_person_cannot_log_in() {
    let app = app().await;
    let session = log_in(&app, "eve@example.com", true).await;
    let profile = app.get(session["api_key"].as_str().unwrap(), "profile").await.data();
    let id = profile["id"].as_i64().unwrap();
    let blocked = UserChange { blocked: Some(true), ..UserChange::default() };
    app.state.store.change_user(id, blocked, &[]).await.unwrap();
    let key = app.visitor().await;
    let state = start_login(&app, &key).await;
    finish(&app, &key, "c:eve@example.com:true", &state, true).await.fails(400, "wrong_auth_data");
    app.get(&key, "profile").await.fails(401, "unauthenticated");
}
