//! Calls that need data from an email, another site or a bank.

use mail_parser::MessageParser;
use reqwest::{Method, StatusCode};
use serde_json::{Value, json};
use url::Url;

use crate::support::{Worker, eventually, folder, fresh, sent_emails};

/// The parameters of the newest mailed link to `path` for an address.
async fn mailed(data: &std::path::Path, email: &str, path: &str) -> Value {
    let link = async || {
        sent_emails(data).iter().rev().find_map(|file| {
            let bytes = std::fs::read(file).ok()?;
            let message = MessageParser::new().parse(&bytes)?;
            if message.to()?.first()?.address() != Some(email) {
                return None;
            }
            let text = message.body_text(0)?;
            let from = text.find("http://").map(|at| &text[at..])?;
            let url = Url::parse(from.split_whitespace().next()?).ok()?;
            (url.path() == path).then(|| {
                let pairs = url.query_pairs().map(|(name, value)| {
                    let number = if name == "expires" { value.parse().ok() } else { None };
                    (name.into_owned(), number.map_or_else(|| json!(value), |number: i64| json!(number)))
                });
                pairs.collect::<serde_json::Map<_, _>>().into()
            })
        })
    };
    eventually("a link is emailed", link).await
}

fn with(mut body: Value, more: &Value) -> Value {
    body.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
    body
}

/// Shows AUTH-7, AUTH-4, AUTH-15, CALL-2: a mailed link sets a password once, which an email reports; another deletes
/// the account.
#[tokio::test]
async fn mailed_links_set_a_password_and_delete_an_account() {
    let (_folder, data) = folder();
    let worker = Worker::start(&data, &[]);
    let email = format!("{}@viewers.example", fresh("linked"));
    worker.register_as(&email).await;
    let visitor = worker.key().await;
    let key = json!({ "api_key": visitor });
    worker.data(Method::POST, "auth/password-reset-request", &with(key.clone(), &json!({ "email": email }))).await;
    let link = mailed(&data, &email, "/password-reset").await;
    let password = json!({ "password": "new password", "password_confirmation": "new password" });
    let reset = with(with(key.clone(), &link), &password);
    worker.data(Method::POST, "auth/password-reset", &reset).await;
    let (status, again) = worker.call(Method::POST, "auth/password-reset", &reset).await;
    assert_eq!(status, StatusCode::BAD_REQUEST, "{again}");

    let notice = async || {
        sent_emails(&data).iter().find_map(|file| {
            let bytes = std::fs::read(file).ok()?;
            let message = MessageParser::new().parse(&bytes)?;
            let text = message.body_text(0)?.into_owned();
            (message.to()?.first()?.address() == Some(&email) && text.contains("was just changed")).then_some(text)
        })
    };
    let text = eventually("the change is emailed", notice).await;
    assert!(text.contains("All devices are logged out.") && !text.contains("://"), "{text}");

    let login = with(key.clone(), &json!({ "email": email, "password": "new password" }));
    let session = worker.data(Method::POST, "v2/auth/login", &login).await;
    worker.data(Method::POST, "delete-account", &json!({ "api_key": session["api_key"] })).await;
    let link = mailed(&data, &email, "/confirm-account-deletion").await;
    let visitor = json!({ "api_key": worker.key().await });
    worker.data(Method::POST, "delete-account-confirm", &with(visitor.clone(), &link)).await;
    let (status, _) = worker.call(Method::POST, "v2/auth/login", &with(visitor, &login)).await;
    assert_eq!(status, StatusCode::BAD_REQUEST);
    worker.end();
}

/// Shows PAY-4, PAY-11: the answer to the bank's question decides the order.
#[tokio::test]
async fn confirming_with_the_bank_pays_the_order() {
    let (_folder, data) = folder();
    let worker = Worker::start(&data, &["--sandbox-delay-ms", "0"]);
    let key = worker.register().await;
    let card = worker.card(&key, "4000002500003155").await;
    let (status, answer) = worker.buy_event(&key, &card, &fresh("buy")).await;
    assert_eq!(status, StatusCode::OK, "{answer}");
    let path = format!("orders/{}?api_key={key}", answer["data"]["id"]);
    let secret = eventually("the bank requires confirmation", async || {
        let order = worker.data(Method::GET, &path, &Value::Null).await;
        order["next_action"]["client_secret"].as_str().map(str::to_owned)
    })
    .await;
    let body = json!({ "api_key": key, "client_secret": secret, "accept": true });
    worker.data(Method::POST, "stripe/sandbox-confirm", &body).await;
    eventually("the order is paid", async || {
        let order = worker.data(Method::GET, &path, &Value::Null).await;
        (order["status"] == "paid").then_some(())
    })
    .await;
    worker.end();
}

/// Shows AUTH-9, AUTH-14: a social sign-in is listed and can be removed.
#[tokio::test]
async fn a_social_login_is_listed_and_removed() {
    let (_folder, data) = folder();
    let worker = Worker::start(&data, &[]);
    let visitor = worker.key().await;
    let path = format!("auth/social/google/start?api_key={visitor}");
    let start = worker.data(Method::GET, &path, &Value::Null).await;
    let url = Url::parse(start["url"].as_str().unwrap()).unwrap();
    let state = url.query_pairs().find(|(name, _)| name == "state").unwrap().1.into_owned();
    let body = json!({ "api_key": visitor, "code": "jamie", "state": state, "terms": true });
    let session = worker.data(Method::POST, "v2/auth/social/google", &body).await;
    let key = session["api_key"].as_str().unwrap();
    let all = format!("auth/linked_logins?api_key={key}");
    assert_eq!(worker.data(Method::GET, &all, &Value::Null).await[0]["provider"], "google");
    worker.data(Method::DELETE, &format!("auth/linked_logins/google?api_key={key}"), &Value::Null).await;
    assert_eq!(worker.data(Method::GET, &all, &Value::Null).await, json!([]));
    worker.end();
}
