//! Social logins to accounts with addresses that nobody has proven yet (`AUTH-9`).

use axum::http::{HeaderMap, StatusCode};
use axum::response::IntoResponse;
use axum::routing::{get, post};
use axum::{Json, Router};
use reqwest::Method;
use serde_json::{Value, json};
use url::Url;

use crate::confirmations::mailed;
use crate::demo_channel::{demo_channel, edit};
use crate::support::{Worker, done, folder, fresh};

/// A provider like Google. A code is the person: their subject, address, and whether it is verified.
async fn provider() -> String {
    let token = |form: String| async move {
        let code = url::form_urlencoded::parse(form.as_bytes()).find(|(key, _)| key == "code");
        Json(json!({ "access_token": code.unwrap().1, "token_type": "bearer" }))
    };
    let person = |headers: HeaderMap| async move {
        let bearer = headers["authorization"].to_str().unwrap().strip_prefix("Bearer ").unwrap().to_owned();
        let [subject, email, is_verified] = bearer.split(':').collect::<Vec<_>>()[..] else {
            return StatusCode::UNAUTHORIZED.into_response();
        };
        Json(json!({
            "sub": subject, "email": email, "email_verified": is_verified == "true", "given_name": "Eve",
            "family_name": "Elder",
        }))
        .into_response()
    };
    let routes = Router::new().route("/token", post(token)).route("/userinfo", get(person));
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = format!("http://{}", listener.local_addr().unwrap());
    tokio::spawn(async move { axum::serve(listener, routes).await });
    url
}

/// Signs in with a person of Google's: the session, if the login opens an account.
async fn sign_in(worker: &Worker, person: &str, terms: bool) -> Option<Value> {
    sign_in_by(worker, "google", person, terms).await
}

async fn sign_in_by(worker: &Worker, provider: &str, person: &str, terms: bool) -> Option<Value> {
    let visitor = worker.key().await;
    let path = format!("auth/social/{provider}/start?api_key={visitor}");
    let start = worker.data(Method::GET, &path, &Value::Null).await;
    let url = Url::parse(start["url"].as_str().unwrap()).unwrap();
    let state = url.query_pairs().find(|(name, _)| name == "state").unwrap().1.into_owned();
    let body = json!({ "api_key": visitor, "code": person, "state": state, "terms": terms });
    let (status, answer) = worker.call(Method::POST, &format!("v2/auth/social/{provider}"), &body).await;
    status.is_success().then(|| answer["data"].clone())
}

/// Shows AUTH-1a, AUTH-1b: a channel's viewers register and sign in through both.
#[tokio::test(flavor = "multi_thread")]
async fn viewers_sign_in_through_google_and_facebook() {
    let base = provider().await;
    let (root, data) = folder();
    let channels = root.path().join("channels");
    demo_channel(&channels);
    edit(&channels.join("northfield/settings.json"), |settings| {
        settings["auth"]["providers"] = json!(["google", "facebook"]);
    });
    let mut flags = vec!["--channels", channels.to_str().unwrap()];
    for [id, secret, url] in [
        ["--oauth-google-client-id", "--oauth-google-client-secret", "--oauth-google-base-url"],
        ["--oauth-facebook-client-id", "--oauth-facebook-client-secret", "--oauth-facebook-base-url"],
    ] {
        flags.extend([id, "id", secret, "secret", url, &base]);
    }
    let worker = Worker::start(&data, &flags);
    for provider in ["google", "facebook"] {
        let person = format!("{provider}:{}@viewers.example:true", fresh(provider));
        assert_eq!(sign_in_by(&worker, provider, &person, false).await, None, "without the terms");
        let registered = sign_in_by(&worker, provider, &person, true).await.unwrap();
        let session = sign_in_by(&worker, provider, &person, false).await.unwrap();
        assert_eq!(session["user"]["id"], registered["user"]["id"]);
        assert_ne!(session["api_key"], registered["api_key"]);
        let key = session["api_key"].as_str().unwrap();
        assert_eq!(worker.user_of(key).await, session["user"]["id"].as_i64());
    }
}

/// Shows AUTH-9a.
#[tokio::test(flavor = "multi_thread")]
async fn a_social_login_ends_once_the_accounts_address_is_proven_again() {
    let base = provider().await;
    let (_folder, data) = folder();
    let flags = ["--oauth-google-client-id", "id", "--oauth-google-client-secret", "secret", "--oauth-google-base-url"];
    let worker = Worker::start(&data, &[&flags[..], &[&base]].concat());
    let post = async |path: &str, body: Value| drop(worker.data(Method::POST, path, &body).await);
    let link_to = async |email: &str, path: &str, key: &str| {
        let mut link = mailed(&data, email, path).await;
        link["api_key"] = json!(key);
        link
    };
    for proof in ["reset", "temporary password", "login", "verification"] {
        let name = fresh("ada");
        let email = format!("{name}@viewers.example");
        // Somebody else whose provider has not verified the address.
        let eve = format!("eve-{name}:{email}:false");
        let session = sign_in(&worker, &eve, true).await.unwrap();
        let id = session["user"]["id"].to_string();
        assert_eq!(sign_in(&worker, &eve, false).await.unwrap()["user"]["id"].to_string(), id, "{proof}");
        let visitor = worker.key().await;
        match proof {
            "reset" => {
                let request = json!({ "api_key": visitor, "email": email });
                post("auth/password-reset-request", request).await;
                let mut body = link_to(&email, "/password-reset", &visitor).await;
                body["password"] = json!("another horse");
                body["password_confirmation"] = json!("another horse");
                post("auth/password-reset", body).await;
            }
            "temporary password" => drop(done(&data, &["user", "set", &id, "--temporary-password"])),
            "login" => {
                let owner = sign_in(&worker, &format!("ada-{name}:{email}:true"), true).await.unwrap();
                assert_eq!(owner["user"]["id"].to_string(), id);
            }
            _ => post("auth/email-verify", link_to(&email, "/verify-email", &visitor).await).await,
        }
        assert_eq!(sign_in(&worker, &eve, false).await, None, "{proof}");
    }

    // The account's own verification leaves a login as it is. A new address doesn't.
    let email = format!("{}@viewers.example", fresh("bo"));
    let moved = format!("moved-{email}");
    let key = worker.register_as(&email).await;
    post("auth/email-verify", link_to(&email, "/verify-email", &key).await).await;
    let bo = format!("bo:{email}:true");
    sign_in(&worker, &bo, false).await.unwrap();
    let change = json!({ "api_key": key, "_method": "patch", "email": moved, "current_password": "correct horse" });
    post("profile", change).await;
    sign_in(&worker, &bo, false).await.unwrap();
    post("auth/email-verify", link_to(&moved, "/verify-email", &worker.key().await).await).await;
    assert_eq!(sign_in(&worker, &bo, false).await, None, "a new address");
}
