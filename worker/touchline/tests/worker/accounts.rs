//! Account protection on the running worker (`AUTH`).

use std::path::Path;
use std::time::Duration;

use reqwest::header::{COOKIE, SET_COOKIE};
use reqwest::{Method, Response, StatusCode};
use serde_json::{Value, json};

use crate::support::{Worker, done, eventually, files_of, files_with, folder, fresh, holds, refused, run, sent_emails};

const OWNERS: &str = "10.1.0.1";
const GUESSERS: &str = "10.2.0.1";
const PASSWORD: &str = "correct horse";

/// Calls the channel API from an address, on a device with a cookie.
async fn from(worker: &Worker, address: &str, device: &str, path: &str, body: Value) -> Response {
    let mut body = body;
    body["api_key"] = json!(worker.key().await);
    let request = worker.http.post(worker.url(&format!("/api/{path}"))).header("x-forwarded-for", address);
    request.header(COOKIE, device).header("idempotency-key", fresh("test")).json(&body).send().await.unwrap()
}

/// Sent emails that contain `expected`, as text.
fn emails(data: &Path, expected: &str) -> Vec<String> {
    let texts = sent_emails(data).into_iter().filter_map(|file| {
        let message = std::fs::read(file).ok()?;
        let message = mail_parser::MessageParser::new().parse(&message)?;
        let to = message.to()?.first()?.address()?.to_owned();
        Some(format!("{to}\n{}\n{}", message.subject()?, message.body_text(0)?))
    });
    texts.filter(|text| text.contains(expected)).collect()
}

/// Shows AUTH-7a, AUTH-7b, AUTH-7c, AUTH-7d.
#[tokio::test]
async fn attacks_by_others_never_lock_out_the_owner() {
    let (_folder, data) = folder();
    let worker = Worker::start(&data, &["--trusted-proxies", "127.0.0.0/8"]);
    let email = format!("{}@viewers.example", fresh("owner"));
    worker.register_as(&email).await;
    let login = async |address: &str, device: &str, password: &str| {
        from(&worker, address, device, "v2/auth/login", json!({ "email": email, "password": password })).await
    };
    for _ in 0..10 {
        assert_eq!(login(GUESSERS, "", "wrong horse").await.status(), StatusCode::BAD_REQUEST);
    }
    assert_eq!(login(GUESSERS, "", PASSWORD).await.status(), StatusCode::TOO_MANY_REQUESTS);
    let at_home = login(OWNERS, "", PASSWORD).await;
    assert_eq!(at_home.status(), StatusCode::OK, "attempts from other addresses count against the owner's");
    let device = at_home.headers()[SET_COOKIE].to_str().unwrap().split(';').next().unwrap().to_owned();
    assert_eq!(
        login(GUESSERS, &device, PASSWORD).await.status(),
        StatusCode::OK,
        "attempts from other addresses count against a known device"
    );
    // An unknown account gets the answer of a wrong password.
    let wrong = login("10.2.0.2", "", "wrong horse").await;
    let nobody = json!({ "email": format!("{}@viewers.example", fresh("nobody")), "password": PASSWORD });
    let unknown = from(&worker, "10.2.0.2", "", "v2/auth/login", nobody).await;
    let (expected, status) = (wrong.status(), unknown.status());
    assert_eq!((status, unknown.text().await.unwrap()), (expected, wrong.text().await.unwrap()));

    // Attempts from ten more addresses use up what all of them have together.
    for last in 3..13 {
        for _ in 0..10 {
            login(&format!("10.2.0.{last}"), "", "wrong horse").await;
        }
    }
    assert_eq!(login("10.1.0.2", "", PASSWORD).await.status(), StatusCode::TOO_MANY_REQUESTS);
    assert_eq!(login("10.1.0.2", &device, PASSWORD).await.status(), StatusCode::OK, "the owner is locked out");

    // Too many requests for an email get the usual answer, whether the account exists or not, but no email is sent.
    let unknown = format!("{}@viewers.example", fresh("nobody"));
    let mut answers = Vec::new();
    for email in [&email, &unknown] {
        for _ in 0..5 {
            let response = from(&worker, GUESSERS, "", "auth/password-reset-request", json!({ "email": email })).await;
            answers.push((response.status(), response.json::<Value>().await.unwrap()));
        }
    }
    assert!(answers.iter().all(|answer| *answer == answers[0]), "{answers:?}");
    assert_eq!(answers[0].0, StatusCode::OK);
    let resets = || emails(&data, "Reset your").iter().filter(|text| text.starts_with(&email)).count();
    eventually("four emails", async || (resets() == 4).then_some(())).await;
    let response = from(&worker, OWNERS, "", "auth/password-reset-request", json!({ "email": email })).await;
    assert_eq!(response.status(), StatusCode::OK);
    eventually("the owner's email", async || (resets() >= 5).then_some(())).await;
    tokio::time::sleep(Duration::from_millis(200)).await;
    assert_eq!(resets(), 5, "the fifth requested email was sent later");
    assert!(emails(&data, &unknown).is_empty());
}

/// Shows AUTH-8a, AUTH-8b: three forms need a token, and a site without reCAPTCHA allows nothing of it.
#[tokio::test(flavor = "multi_thread")]
async fn signing_in_registering_and_resetting_need_a_recaptcha_token() {
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = format!("http://{}/siteverify", listener.local_addr().unwrap());
    let verify = async |form: String| axum::Json(json!({ "success": form.ends_with("response=human") }));
    tokio::spawn(async move { axum::serve(listener, axum::Router::new().fallback(verify)).await });
    let (folder, data) = folder();
    let flags = ["--recaptcha-secret", "secret", "--recaptcha-site-key", "key", "--recaptcha-url", &url];
    let guarded = Worker::start(&data, &flags);
    let open = Worker::start(&folder.path().join("open"), &[]);
    let email = format!("{}@viewers.example", fresh("human"));
    let registration = json!({
        "first_name": "Vi", "last_name": "Ewer", "email": email, "password": PASSWORD,
        "password_confirmation": PASSWORD, "terms": true,
    });
    for (path, body) in [
        ("v2/auth/register", registration),
        ("v2/auth/login", json!({ "email": email, "password": PASSWORD })),
        ("auth/password-reset-request", json!({ "email": email })),
    ] {
        let send = async |worker: &Worker, token: Option<&str>| {
            let mut body = body.clone();
            body["api_key"] = json!(worker.key().await);
            body["recaptcha_token"] = json!(token);
            let (status, answer) = worker.call(Method::POST, path, &body).await;
            (status, answer["errors"]["recaptcha_token"][0].as_str().map(str::to_owned))
        };
        let refusal = |text: &str| (StatusCode::BAD_REQUEST, Some(text.to_owned()));
        assert_eq!(send(&guarded, None).await, refusal("recaptcha token required."), "{path}");
        assert_eq!(send(&guarded, Some("robot")).await, refusal("recaptcha token invalid or robot."), "{path}");
        assert_eq!(send(&guarded, Some("human")).await, (StatusCode::OK, None), "{path}");
        assert_eq!(send(&open, None).await, (StatusCode::OK, None), "{path}");
    }
    for (worker, is_allowed) in [(&guarded, true), (&open, false)] {
        let page = worker.get("/login").await;
        let policy = page.headers()["content-security-policy"].to_str().unwrap().to_owned();
        assert_eq!(policy.contains("google"), is_allowed, "{policy}");
        assert!(!page.text().await.unwrap().contains("google.com"), "the page loads the script before its form asks");
    }
}

/// Shows AUTH-11.
#[tokio::test]
async fn an_email_only_greets_by_a_plausible_name() {
    let (_folder, data) = folder();
    let worker = Worker::start(&data, &[]);
    let longest = "Zoë".repeat(13) + "Z";
    let names = ["J.R. Zoë-Anne O’Hara", "win at evil.example", "see https://evil", "Pay 5$ now", &longest];
    for (number, name) in names.iter().chain([&(longest.clone() + "Z").as_str()]).enumerate() {
        let email = format!("{}@viewers.example", fresh("named"));
        let body = json!({
            "api_key": worker.key().await, "first_name": name, "last_name": "Ewer", "email": email,
            "password": PASSWORD, "password_confirmation": PASSWORD, "terms": true,
        });
        worker.data(Method::POST, "v2/auth/register", &body).await;
        let message = eventually("its email", async || emails(&data, &email).pop()).await;
        let greeting = message.lines().find(|line| line.starts_with("Hello")).unwrap().trim();
        let repeated = [0, 4].contains(&number);
        assert_eq!(greeting, if repeated { format!("Hello {name},") } else { "Hello,".to_owned() }, "{message}");
        assert_eq!(message.contains(name), repeated, "{message}");
    }
}

/// Shows AUTH-12a, AUTH-12b, AUTH-12d, AUTH-12e.
#[tokio::test]
async fn a_blocked_person_is_locked_out_and_an_erased_one_leaves_no_data() {
    let (_folder, data) = folder();
    let worker = Worker::start(&data, &["--datalake-close-age-s", "1"]);
    let address = format!("{}@viewers.example", fresh("blocked"));
    let blocked = worker.register_as(&address).await;
    let id = worker.user_of(&blocked).await.unwrap().to_string();
    done(&data, &["user", "block", &id]);
    assert_eq!(worker.user_of(&blocked).await, None);
    let login = json!({ "api_key": worker.key().await, "email": address, "password": "correct horse" });
    assert_eq!(worker.call(Method::POST, "v2/auth/login", &login).await.0, StatusCode::BAD_REQUEST);
    done(&data, &["user", "unblock", &id]);
    assert_eq!(worker.user_of(&blocked).await, None, "the sessions work again");
    assert_eq!(worker.call(Method::POST, "v2/auth/login", &login).await.0, StatusCode::OK);

    // Operators may also give an email address.
    let logs_in = async || {
        let login = json!({ "api_key": worker.key().await, "email": address, "password": "correct horse" });
        worker.call(Method::POST, "v2/auth/login", &login).await.0
    };
    let person = ["--channel", "northfield", "--email", &address];
    let output = done(&data, &[&["user", "block"], &person[..]].concat());
    assert_eq!(output, format!("user {id} is blocked\n"));
    assert_eq!(logs_in().await, StatusCode::BAD_REQUEST);
    done(&data, &[&["user", "unblock"], &person[..]].concat());
    assert_eq!(logs_in().await, StatusCode::OK);
    let elsewhere = ["user", "erase", "--channel", "laurentides", "--email", &address];
    assert!(refused(&data, &elsewhere).contains("There is no "));
    eventually("the email is sent", async || files_with(&data.join("mail"), &address).then_some(())).await;
    done(&data, &[&["user", "erase"], &person[..]].concat());
    assert_eq!(logs_in().await, StatusCode::BAD_REQUEST);
    assert!(!files_with(&data.join("mail"), &address), "an email still contains the address");
    assert!(!files_with(&data, &address), "a file of the running worker still contains the address");
    for line in [&[][..], &person[..2], &person[2..], &[&person[..], &["7"]].concat()] {
        let output = run(&data, &[&["user", "erase"], line].concat());
        assert_eq!(output.status.code(), Some(2), "{line:?}");
    }

    let email = format!("{}@viewers.example", fresh("forgotten"));
    let erased = worker.register_as(&email).await;
    let id = worker.user_of(&erased).await.unwrap();
    let body = json!({
        "profile": "p", "session_uuid": "s", "user_id": id, "user_email": email, "event": "page_view", "extras": {},
        "origin_url": "http://x/",
    });
    let send = async || {
        let response = worker.http.post(worker.url("/datalake/event/")).json(&body).send().await.unwrap();
        assert_eq!(response.status(), 200, "{}", response.text().await.unwrap());
    };
    send().await;
    eventually("the event is shipped", async || files_with(&data.join("lake"), &email).then_some(())).await;
    let log = "{\"format\":\"touchline-log\",\"v\":1}\n";
    for note in [&*format!("I am {email}, and nothing plays"), "somebody else's"] {
        let report = json!({ "note": note, "page": "/", "log": log, "request_ids": [] });
        worker.data(Method::POST, "problem-report", &report).await;
    }

    done(&data, &["user", "erase", &id.to_string()]);
    assert_eq!(worker.user_of(&erased).await, None);
    let reports = done(&data, &["reports"]);
    assert!(reports.ends_with("1 report\n") && reports.contains("somebody else's"), "{reports}");
    // Events that arrive after the erasure lose the person's identifiers.
    send().await;
    let (in_lake, elsewhere): (Vec<_>, Vec<_>) =
        files_of(&data).into_iter().partition(|file| file.starts_with(data.join("lake")));
    assert!(!elsewhere.iter().any(|file| holds(file, &email)), "the queue or the records still contain the address");
    let lake = data.join("lake/event");
    let noted: String =
        files_of(&lake.join("_erased")).iter().map(|file| std::fs::read_to_string(file).unwrap()).collect();
    let goes_in_an_hour = |file: &Path| noted.contains(&*file.file_name().unwrap().to_string_lossy());
    let others: Vec<_> = in_lake.into_iter().filter(|file| !goes_in_an_hour(file)).collect();
    assert!(others.len() > 1, "{others:?}");
    for file in others {
        assert!(!holds(&file, &email), "{} still knows the address", file.display());
    }
    assert!(refused(&data, &["user", "erase", "999999"]).contains("There is no user 999999."));

    // Erasing a person deletes their clip files.
    let cutter = worker.demo("demo").await;
    let expected = json!({
        "api_key": cutter, "event_id": 25, "event_media_id": 253, "name": "A goal", "start_time": 6, "duration": 8,
        "tags": ["goal"],
    });
    let created = worker.data(Method::POST, "clip", &expected).await;
    let clip = eventually("the clip is cut", async || {
        let clips = worker.data(Method::GET, &format!("clips/user?api_key={cutter}"), &Value::Null).await;
        let clip = clips.as_array().unwrap().iter().find(|clip| clip["id"] == created["id"]).cloned();
        clip.filter(|clip| clip["status"] == "ready")
    })
    .await;
    let uuid = clip["uuid"].as_str().unwrap();
    let is_stored = || files_of(&data).iter().any(|file| file.to_string_lossy().contains(uuid));
    assert!(is_stored());
    done(&data, &["user", "erase", &worker.user_of(&cutter).await.unwrap().to_string()]);
    assert!(!is_stored(), "a clip of an erased user is still there");
    assert_eq!(worker.get(clip["url"].as_str().unwrap()).await.status(), StatusCode::NOT_FOUND);
}

/// Shows PLAYBACK-1a: the later position wins, regardless of the order of the calls, and survives a restart.
#[tokio::test]
async fn the_later_device_sets_the_playback_position() {
    let (_folder, data) = folder();
    let worker = Worker::start(&data, &[]);
    let key = worker.register().await;
    let position = |position_ms: i64, at: i64| json!({ "api_key": key, "kind": "vod", "id": 1, "position_ms": position_ms, "duration_ms": 40_000, "at": at });
    for (sent, expected) in [(position(20_000, 2_000), 20_000), (position(30_000, 1_000), 20_000)] {
        let (status, answer) = worker.call(Method::POST, "playback", &sent).await;
        assert_eq!((status, &answer["data"]["position_ms"]), (StatusCode::OK, &json!(expected)));
    }
    worker.kill();
    let worker = Worker::start(&data, &[]);
    let all: Value = worker.get(&format!("/api/playback?api_key={key}")).await.json().await.unwrap();
    assert_eq!(all["data"][0]["position_ms"], 20_000, "{all}");
    let nobody = worker.key().await;
    assert_eq!(worker.get(&format!("/api/playback?api_key={nobody}")).await.status(), StatusCode::UNAUTHORIZED);
}
