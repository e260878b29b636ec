//! Calls that need data from an email, another site or a bank.

use mail_parser::MessageParser;
use reqwest::{Method, StatusCode};
use serde_json::{Value, json};
use url::Url;

use crate::support::{Worker, eventually, folder, fresh, sent_emails};

/// The parameters of the newest mailed link to `path` for an address.
pub(crate) async fn mailed(data: &std::path::Path, email: &str, path: &str) -> Value {
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

/// Shows AUTH-7, AUTH-4b, AUTH-4c, AUTH-15b, CALL-2: a mailed link sets a password once, which an email reports;
/// another deletes the account.
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
    assert!(text.contains("\nTime: ") && text.contains("If this wasn't you"), "{text}");

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

/// Shows PAY-4, CALL-11j: the answer to the bank's question decides the order.
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

/// Shows AUTH-9b, CALL-11d, CALL-11f, AUTH-14: a social sign-in is listed and can be removed.
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

/// An email to an address whose text contains `part`, as subject and text.
async fn email_with(data: &std::path::Path, email: &str, part: &str) -> (String, String) {
    let found = async || {
        sent_emails(data).iter().rev().find_map(|file| {
            let bytes = std::fs::read(file).ok()?;
            let message = MessageParser::new().parse(&bytes)?;
            let text = message.body_text(0)?.replace('\r', "");
            let is_it = message.to()?.first()?.address() == Some(email) && text.contains(part);
            is_it.then(|| (message.subject().unwrap_or_default().to_owned(), text))
        })
    };
    eventually(part, found).await
}

/// Shows AUTH-4d: links expire, and links that reset the password or delete the account end with the password.
#[tokio::test]
async fn mailed_links_expire_and_end_with_the_password() {
    let (_folder, data) = folder();
    let worker = Worker::start(&data, &[]);
    let visitor = worker.key().await;
    let mut people = Vec::new();
    for name in ["changing", "waiting"] {
        let email = format!("{}@viewers.example", fresh(name));
        let key = worker.register_as(&email).await;
        let verification = mailed(&data, &email, "/verify-email").await;
        let body = json!({ "api_key": visitor, "email": email });
        worker.data(Method::POST, "auth/password-reset-request", &body).await;
        worker.data(Method::POST, "delete-account", &json!({ "api_key": key })).await;
        let reset = mailed(&data, &email, "/password-reset").await;
        let deletion = mailed(&data, &email, "/confirm-account-deletion").await;
        people.push((email, key, verification, reset, deletion));
    }
    let refusals = async |worker: &Worker, reset: &Value, deletion: &Value| {
        let key = json!({ "api_key": worker.key().await });
        let password = json!({ "password": "new password", "password_confirmation": "new password" });
        let reset = with(with(key.clone(), reset), &password);
        let (status, answer) = worker.call(Method::POST, "auth/password-reset", &reset).await;
        assert_eq!((status, &answer["message"]), (StatusCode::BAD_REQUEST, &json!("Reset password key expired.")));
        let (status, answer) = worker.call(Method::POST, "delete-account-confirm", &with(key, deletion)).await;
        assert_eq!(status, StatusCode::BAD_REQUEST, "{answer}");
    };
    let (_, key, verification, reset, deletion) = &people[0];
    let changed = json!({ "api_key": key, "_method": "patch", "current_password": "correct horse",
        "password": "another horse", "password_confirmation": "another horse" });
    worker.data(Method::POST, "profile", &changed).await;
    refusals(&worker, reset, deletion).await;
    let verified = with(json!({ "api_key": key }), verification);
    worker.data(Method::POST, "auth/email-verify", &verified).await;

    // Eight days later.
    worker.end();
    let worker = Worker::start(&data, &["--clock-offset", "691200"]);
    let (email, _, verification, reset, deletion) = &people[1];
    refusals(&worker, reset, deletion).await;
    let late = with(json!({ "api_key": worker.key().await }), verification);
    assert_eq!(worker.call(Method::POST, "auth/email-verify", &late).await.0, StatusCode::BAD_REQUEST);
    let login = json!({ "api_key": worker.key().await, "email": email, "password": "correct horse" });
    let session = worker.data(Method::POST, "v2/auth/login", &login).await;
    assert_eq!(session["user"]["email_verified"], false);
}

/// Shows AUTH-9c, AUTH-13a, AUTH-13b, AUTH-13c, AUTH-15a, AUTH-15b: the previous address is told about a new one, and
/// a confirmed one about a new password.
#[tokio::test]
async fn a_new_address_or_password_is_reported_to_the_accounts_address() {
    let (_folder, data) = folder();
    let worker = Worker::start(&data, &[]);
    let [old, new] = ["old", "new"].map(|name| format!("{}@viewers.example", fresh(name)));
    let key = worker.register_as(&old).await;
    let patch = async |key: &str, more: Value| {
        let body = with(json!({ "api_key": key, "_method": "patch" }), &more);
        let browser = "Mozilla/5.0 (Windows NT 10.0; Win64; x64; rv:150.0) Gecko/20100101 Firefox/150.0";
        let request = worker.http.post(worker.url("/api/profile")).header("user-agent", browser).json(&body);
        let response = request.send().await.unwrap();
        (response.status(), response.json::<Value>().await.unwrap())
    };
    let profile = async || worker.data(Method::GET, &format!("profile?api_key={key}"), &Value::Null).await;
    let (status, answer) = patch(&key, json!({ "email": new })).await;
    assert_eq!(status, StatusCode::BAD_REQUEST);
    assert_eq!(answer["errors"]["current_password"][0], "Field is required.");
    let (status, _) = patch(&key, json!({ "email": new, "current_password": "wrong horse" })).await;
    assert_eq!(status, StatusCode::BAD_REQUEST);
    let (status, answer) = patch(&key, json!({ "email": new, "current_password": "correct horse" })).await;
    assert_eq!((status, &answer["data"]["email"]), (StatusCode::OK, &json!(old)));
    let link = with(json!({ "api_key": worker.key().await }), &mailed(&data, &new, "/verify-email").await);
    assert_eq!(profile().await["email"], json!(old), "nobody has opened the link");
    worker.data(Method::POST, "auth/email-verify", &link).await;
    assert_eq!(profile().await["email"], json!(new));
    let (_, text) = email_with(&data, &old, "The email address for your account was just changed").await;
    assert!(!text.contains("://") && !text.contains(&new), "{text}");

    // A second account, whose address nobody has confirmed.
    let unsure = format!("{}@viewers.example", fresh("unsure"));
    let other = worker.register_as(&unsure).await;
    let change = json!({ "current_password": "correct horse", "password": "another horse",
        "password_confirmation": "another horse" });
    for key in [&other, &key] {
        assert_eq!(patch(key, change.clone()).await.0, StatusCode::OK);
    }
    let (subject, text) = email_with(&data, &new, "Forgot your password?").await;
    assert!(subject.starts_with("Your ") && subject.ends_with(" password was changed"), "{subject}");
    assert!(text.contains("\nTime: ") && text.contains("\nDevice: Firefox, Windows\n"), "{text}");
    assert!(text.contains("choose \u{201c}Forgot your password?\u{201d}") && !text.contains("://"), "{text}");
    let sent = sent_emails(&data).into_iter().map(|file| std::fs::read_to_string(file).unwrap());
    let to_unsure = sent.filter(|email| email.contains(&format!("To: {unsure}")) && email.contains("Forgot your"));
    assert_eq!(to_unsure.count(), 0);
}
