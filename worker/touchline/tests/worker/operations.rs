//! Verbs that call the running worker (`USER-6`), and its metrics.

use std::collections::BTreeSet;
use std::os::unix::fs::PermissionsExt;

use reqwest::{Method, StatusCode};
use serde_json::{Value, json};

use crate::support::{Worker, done, eventually, files_with, folder, fresh, refused, run, text};

/// QOE-3.
#[tokio::test]
async fn playback_quality_of_existing_content_is_on_a_page_and_in_the_metrics() {
    let (_folder, data) = folder();
    let worker = Worker::start(&data, &[]);
    let report = async |sid: &str, channel: &str, content_type: &str, id: &str| {
        let report = json!({ "sid": sid, "sn": 1, "e": "ps", "sta": "p", "keys": { "msd": 412 }, "channel": channel,
            "content_type": content_type, "content_id": id });
        let answer = worker.http.post(worker.url("/datalake/cmcd")).json(&report).send().await.unwrap();
        assert_eq!(answer.status(), 200);
    };
    // Reports need no key, so a visitor can invent any of their labels.
    report("v-2", "northfield", "event", "987654").await;
    report("v-3", "invented-channel", "event", "25").await;
    report("v-4", "northfield", "invented-type", "25").await;
    report("v-5", "northfield", "clip", "invented-clip").await;
    report("v-1", "northfield", "event", "25").await;
    let read =
        async |path: &str| reqwest::get(format!("http://{}{path}", worker.admin)).await.unwrap().text().await.unwrap();
    let deadline = tokio::time::Instant::now() + std::time::Duration::from_secs(30);
    while !read("/playback").await.contains("northfield event 25") {
        assert!(tokio::time::Instant::now() < deadline, "{}", read("/playback").await);
        tokio::time::sleep(std::time::Duration::from_millis(200)).await;
    }
    assert!(read("/playback").await.contains("0.41 s"));
    let metrics = read("/metrics").await;
    let line = |name: &str, content: &str| {
        let content = format!("content=\"{content}\"");
        metrics.lines().find(|line| line.starts_with(name) && line.contains(&content)).map(str::to_owned)
    };
    assert!(line("touchline_viewers", "event 25").is_some_and(|line| line.ends_with(" 1")), "{metrics}");
    assert!(line("touchline_startup_seconds", "event 25").is_some_and(|line| line.ends_with(" 0.412")), "{metrics}");
    assert!(line("touchline_viewers", "clips").is_some_and(|line| line.ends_with(" 1")), "{metrics}");
    assert!(line("touchline_viewers", "other").is_some_and(|line| line.ends_with(" 3")), "{metrics}");
    assert!(!metrics.contains("invented") && !metrics.contains("987654"), "{metrics}");
}

/// Shows OPS-54f.
#[tokio::test]
async fn metrics_are_public_and_verbs_need_the_token() {
    let (_folder, data) = folder();
    let worker = Worker::start(&data, &[]);
    worker.get("/healthz").await;
    worker.get("/robots.txt").await;
    let admin = |path: &str| format!("http://{}{path}", worker.admin);
    let metrics = worker.http.get(admin("/metrics")).send().await.unwrap().text().await.unwrap();
    assert!(metrics.contains("touchline_http_requests_total{area=\"health\",status=\"200\"}"), "{metrics}");
    let of_channel = "touchline_http_requests_total{area=\"site\",status=\"200\",channel=\"northfield\"} 1";
    assert!(metrics.contains(of_channel), "{metrics}");
    assert!(worker.log().lines().any(|line| line.contains("/robots.txt") && line.contains("northfield")));
    // A page of another site cannot read them through DNS rebinding (`OPS-8`).
    let rebound = worker.http.get(admin("/metrics")).header("host", "evil.example").send().await.unwrap();
    assert_eq!(rebound.status(), StatusCode::MISDIRECTED_REQUEST);

    let status = |token: Option<String>| {
        let request = worker.http.post(admin("/admin/datalake/status")).json(&json!({}));
        let request = token.into_iter().fold(request, |request, token| request.bearer_auth(token));
        async { request.send().await.unwrap().status() }
    };
    let file = data.join("admin.token");
    let token = std::fs::read_to_string(&file).unwrap().trim().to_owned();
    assert_eq!(status(None).await, StatusCode::UNAUTHORIZED);
    assert_eq!(status(Some(token[1..].to_owned())).await, StatusCode::UNAUTHORIZED);
    assert_eq!(status(Some(token)).await, StatusCode::OK);
    assert_eq!(std::fs::metadata(file).unwrap().permissions().mode() & 0o777, 0o600);
    assert_eq!(worker.get("/admin/datalake/status").await.status(), StatusCode::NOT_FOUND, "not on the public port");
    assert_eq!(worker.get("/metrics").await.status(), StatusCode::NOT_FOUND);
}

#[tokio::test]
async fn datalake_status_shows_a_shipped_event() {
    let (folder, data) = folder();
    let worker = Worker::start(&data, &["--datalake-close-age-s", "1"]);
    let body =
        json!({ "profile": "p", "session_uuid": "s", "event": "page_view", "extras": {}, "origin_url": "http://x/" });
    let response = worker.http.post(worker.url("/datalake/event/")).json(&body).send().await.unwrap();
    assert_eq!(response.status(), 200);
    let data = data.to_str().unwrap();
    let row = eventually("the event is shipped", async || {
        let output = run(folder.path(), &["datalake", "status", "--data", data]);
        assert!(output.status.success(), "{}", text(&output.stderr));
        let output = text(&output.stdout);
        let row =
            output.lines().find(|line| line.starts_with("lake:") && line.split_whitespace().nth(1) == Some("event"));
        let cells: Vec<String> =
            row.unwrap_or_else(|| panic!("{output}")).split_whitespace().map(str::to_owned).collect();
        (cells[3] == "1").then_some(cells)
    })
    .await;
    assert_eq!(row[2..6], ["1", "1", "0", "0"], "accepted, shipped, queued, dead");
    let letters = run(folder.path(), &["datalake", "dead-letters", "--data", data]);
    assert!(text(&letters.stdout).ends_with("0 of 0\n"), "{}", text(&letters.stdout));
    let json = |verb: &str| -> Value {
        let output = run(folder.path(), &["datalake", verb, "--json", "--data", data]);
        serde_json::from_str(&text(&output.stdout)).unwrap_or_else(|_| panic!("{}", text(&output.stderr)))
    };
    let ledger = json("status")["ledger"].clone();
    assert!(ledger.as_array().unwrap().iter().any(|row| row["table"] == "event" && row["shipped"] == 1), "{ledger}");
    assert_eq!(json("dead-letters"), json!({ "letters": [], "total": 0 }));
    assert_eq!(json("requeue")["requeued"], 0);
    let requeued = run(folder.path(), &["datalake", "requeue", "--data", data]);
    assert!(text(&requeued.stdout).starts_with("0 requeued"), "{}", text(&requeued.stdout));
}

/// OPS-17
#[tokio::test]
async fn datalake_status_and_metrics_report_schema_drift() {
    let (_folder, data) = folder();
    let worker = Worker::start(&data, &[]);
    let send = async |request: u32, body: Value| {
        let event = |n| {
            let id = format!("01900000-0000-7000-8000-{request:04x}{n:08x}");
            json!({ "id": id, "path": "/datalake/event/", "at": 0, "body": body })
        };
        let batch = json!({ "sent_at": 0, "events": (0..60).map(event).collect::<Vec<_>>() });
        let answer = worker.http.post(worker.url("/datalake/batch")).json(&batch).send().await.unwrap();
        assert_eq!(answer.status(), 200);
    };
    let status = || done(&data, &["datalake", "status"]);
    send(1, json!({ "event": "visit", "trk": "spring" })).await;
    assert!(!status().contains("drifts"), "{}", status());
    send(2, json!({ "event": "visit", "trk": 7, "mood": "good" })).await;
    let output = status();
    assert!(output.contains("\nevent drifts: `trk` changed from string to number\n"), "{output}");
    let unknown = "\nevent drifts: the unknown field `mood` is in 50 % of events\n";
    assert!(output.contains(unknown), "{output}");
    let metrics = worker.http.get(format!("http://{}/metrics", worker.admin)).send().await.unwrap();
    let metrics = metrics.text().await.unwrap();
    for (table, kind, count) in [("event", "type", 1), ("event", "unknown_field", 1), ("session", "rate", 0)] {
        let line = format!("touchline_datalake_drift{{table=\"{table}\",kind=\"{kind}\"}} {count}");
        assert!(metrics.contains(&line), "{line} in {metrics}");
    }
}

#[test]
fn a_verb_without_a_running_worker_fails_clearly() {
    let (folder, data) = folder();
    let output = run(folder.path(), &["datalake", "status", "--data", data.to_str().unwrap()]);
    assert_eq!(output.status.code(), Some(1));
    let output = text(&output.stderr);
    assert!(output.contains(data.to_str().unwrap()) && output.contains("is a worker running"), "{output}");
}

#[tokio::test]
async fn an_order_is_refunded_once_and_a_product_granted_for_free() {
    let (_folder, data) = folder();
    let worker = Worker::start(&data, &["--sandbox-delay-ms", "0"]);
    let email = format!("{}@viewers.example", fresh("buyer"));
    let key = worker.register_as(&email).await;
    let card = worker.card(&key, "4242424242424242").await;
    let (_, answer) = worker.buy(&key, &card, &fresh("buy")).await;
    let id = answer["data"]["id"].clone();
    assert_eq!(worker.settled(&key, &id).await["status"], "paid");

    let id_text = id.to_string();
    assert!(done(&data, &["order", "refund", &id_text]).contains("95.50 USD"));
    let order = worker.order(&key, &id).await;
    assert_eq!((&order["status"], &order["activity_status"]), (&json!("refunded"), &json!("inactive")));
    assert!(refused(&data, &["order", "refund", &id_text]).contains("not paid"));
    assert!(refused(&data, &["order", "refund", "999999"]).contains("There is no order 999999."));

    let grant = ["order", "grant", "--channel", "northfield", "--type", "package", "--id", "3", "--email"];
    assert!(done(&data, &[&grant[..], &[&email]].concat()).contains("Volleyball season was granted to"));
    let orders = worker.data(Method::GET, &format!("orders?api_key={key}"), &Value::Null).await;
    let granted = orders.as_array().unwrap().iter().find(|order| order["product"]["id"] == 3).unwrap();
    let granted = worker.settled(&key, &granted["id"]).await;
    assert_eq!((&granted["status"], &granted["total"]), (&json!("paid"), &json!(0)));
    assert!(
        refused(&data, &[&grant[..], &["nobody@viewers.example"]].concat())
            .contains("There is no account of nobody@viewers.example")
    );
}

#[tokio::test]
async fn capabilities_and_a_temporary_password_are_set() {
    let (_folder, data) = folder();
    let worker = Worker::start(&data, &[]);
    let address = format!("{}@viewers.example", fresh("helped"));
    let key = worker.register_as(&address).await;
    let id = worker.user_of(&key).await.unwrap();
    let person = ["--channel", "northfield", "--email", &address];
    let set = |more: &'static [&'static str]| [&["user", "set"], &person[..], more].concat();
    let access = async |key: &str| worker.data(Method::GET, &format!("user/access?api_key={key}"), &Value::Null).await;

    assert_eq!(access(&key).await["download"], false);
    let output = done(&data, &set(&["--capabilities", "Watch, download,no_ads"]));
    assert_eq!(output, format!("user {id} has watch, download, no_ads\n"));
    let now = access(&key).await;
    assert_eq!((&now["download"], &now["no_ads"], &now["clipping"]), (&json!(true), &json!(true), &json!(false)));
    assert!(
        refused(&data, &set(&["--capabilities", "watch,fly"])).contains("fly is not a capability. Choose from watch,")
    );
    assert_eq!(access(&key).await, now, "a refused list changed the capabilities");
    assert_eq!(
        done(&data, &["user", "set", &id.to_string(), "--capabilities", ""]),
        format!("user {id} has no capabilities\n")
    );
    assert_eq!(access(&key).await["watch"], false);

    let verified = async || worker.data(Method::GET, &format!("profile?api_key={key}"), &Value::Null).await;
    assert_eq!(verified().await["email_verified"], false);
    // Shows CLIP-5: an operator can verify an address where no emails are sent.
    assert_eq!(done(&data, &set(&["--verified"])), format!("the email address of user {id} is verified\n"));
    assert_eq!(verified().await["email_verified"], true);

    let output = done(&data, &set(&["--temporary-password"]));
    let mut tokens = output.split_whitespace().map(|token| token.trim_end_matches(','));
    let password = tokens.find(|token| token.len() == 19 && token.contains('-')).unwrap();
    assert_eq!(worker.user_of(&key).await, None, "every key is revoked");
    let login = async |password: &str| {
        let body = json!({ "api_key": worker.key().await, "email": address, "password": password });
        worker.call(Method::POST, "v2/auth/login", &body).await
    };
    assert_eq!(login("correct horse").await.0, StatusCode::BAD_REQUEST);
    let (_, session) = login(password).await;
    assert_eq!(session["data"]["user"]["temporary_password"], true, "{session}");
    let key = session["data"]["api_key"].as_str().unwrap();
    let (status, failure) = worker.call(Method::GET, &format!("favorites?api_key={key}"), &Value::Null).await;
    assert_eq!((status, &failure["code"]), (StatusCode::FORBIDDEN, &json!("temporary_password")));
    let change = json!({
        "api_key": key, "_method": "patch", "current_password": password, "password": "battery staple",
        "password_confirmation": "battery staple",
    });
    worker.data(Method::POST, "profile", &change).await;
    assert_eq!(login("battery staple").await.1["data"]["user"]["temporary_password"], false);
    assert!(!worker.log().contains(password) && !files_with(&data, password), "only the operator sees it");

    for line in [&set(&[])[..], &["user", "set", "--temporary-password"]] {
        assert_eq!(run(&data, line).status.code(), Some(2), "{line:?}");
    }
    assert!(refused(&data, &["user", "set", "999999", "--temporary-password"]).contains("There is no user 999999."));
}

#[tokio::test]
async fn a_backup_of_a_running_worker_is_restored_after_it_stops() {
    let (folder, data) = folder();
    let worker = Worker::start(&data, &[]);
    let before = worker.register().await;
    done(&data, &["backup", "saved.sqlite"]);
    let after = worker.register().await;
    assert!(refused(&data, &["backup", "saved.sqlite"]).contains("saved.sqlite"), "the backup was overwritten");

    let busy = run(folder.path(), &["restore", "saved.sqlite", "--data", data.to_str().unwrap()]);
    assert_eq!(busy.status.code(), Some(2));
    assert!(text(&busy.stderr).contains("in use by another worker"), "{}", text(&busy.stderr));
    assert!(worker.end().0.success());

    // A damaged store fails the start, and the backup restores it.
    std::fs::write(data.join("channel.sqlite"), "no database").unwrap();
    let damaged = run(folder.path(), &["serve", "--listen", "127.0.0.1:0", "--data", data.to_str().unwrap()]);
    assert_eq!(damaged.status.code(), Some(2));
    // An invalid backup changes nothing.
    std::fs::write(folder.path().join("empty.sqlite"), "").unwrap();
    let there = || std::fs::read_dir(&data).unwrap().map(|entry| entry.unwrap().file_name()).collect::<BTreeSet<_>>();
    let names = there();
    let empty = run(folder.path(), &["restore", "empty.sqlite", "--data", data.to_str().unwrap()]);
    let output = text(&empty.stderr);
    assert_eq!((empty.status.code(), output.lines().count()), (Some(2), 1), "{output}");
    assert!(output.contains("empty.sqlite is not a channel store"), "{output}");
    assert_eq!(there(), names, "a store was set aside");
    assert!(done(&data, &["restore", "saved.sqlite"]).contains("was restored from"));
    let worker = Worker::start(&data, &[]);
    assert!(worker.user_of(&before).await.is_some());
    assert_eq!(worker.user_of(&after).await, None, "the account is newer than the backup");
}

/// A backup only has the records; clips are cut again from the recording.
#[tokio::test]
async fn a_clip_is_cut_again_after_a_restore_without_its_files() {
    let (folder, data) = folder();
    let worker = Worker::start(&data, &[]);
    let key = worker.demo("demo").await;
    let wanted = json!({
        "api_key": key, "event_id": 25, "event_media_id": 253, "name": "The winning goal", "start_time": 4, "duration": 8,
        "tags": ["goal"],
    });
    let created = worker.data(Method::POST, "clip", &wanted).await;
    let clip = async |worker: &Worker| {
        let clips = worker.data(Method::GET, &format!("clips/user?api_key={key}"), &Value::Null).await;
        clips.as_array().unwrap().iter().find(|clip| clip["id"] == created["id"]).cloned()
    };
    let ready = async |worker: &Worker| {
        let cut = eventually("the clip is ready", async || clip(worker).await.filter(|clip| clip["status"] == "ready"));
        let playlist = worker.get(cut.await["url"].as_str().unwrap()).await;
        (playlist.status().as_u16(), playlist.text().await.unwrap())
    };
    let before = ready(&worker).await;
    assert!(before.0 == 200 && before.1.starts_with("#EXTM3U"), "{before:?}");
    done(&data, &["backup", "saved.sqlite"]);
    let deleted = worker.call(Method::DELETE, &format!("clip/{}?api_key={key}", created["id"]), &Value::Null).await;
    assert_eq!(deleted.0, StatusCode::OK);
    assert!(worker.end().0.success());

    // A new machine, with only the backup.
    let elsewhere = folder.path().join("elsewhere");
    std::fs::rename(&data, folder.path().join("gone")).unwrap();
    std::fs::create_dir(&elsewhere).unwrap();
    std::fs::rename(folder.path().join("saved.sqlite"), elsewhere.join("backup")).unwrap();
    let backup = elsewhere.join("backup");
    assert!(done(&data, &["restore", backup.to_str().unwrap()]).contains("was restored from"));
    let worker = Worker::start(&data, &[]);
    // The record says that the clip is ready; its files are cut again meanwhile.
    let again = eventually("the clip is cut again", async || Some(ready(&worker).await).filter(|again| again.0 == 200));
    assert_eq!(again.await, before, "the segments differ");
}

#[test]
fn records_are_migrated_when_no_worker_is_running() {
    let (folder, data) = folder();
    let migrate = || run(folder.path(), &["migrate", "--data", data.to_str().unwrap()]);
    let nothing = migrate();
    assert_eq!(nothing.status.code(), Some(2));
    assert!(text(&nothing.stderr).contains("channel.sqlite does not exist"), "{}", text(&nothing.stderr));
    let worker = Worker::start(&data, &[]);
    assert!(text(&migrate().stderr).contains("in use by another worker"));
    assert!(worker.end().0.success());
    assert!(text(&migrate().stdout).ends_with("channel.sqlite is intact and up to date\n"));
}

#[test]
fn missing_arguments_are_reported_in_one_line() {
    let (folder, _) = folder();
    let refused = run(folder.path(), &["store", "copy"]);
    let output = text(&refused.stderr);
    assert_eq!((refused.status.code(), output.lines().count()), (Some(2), 1), "{output}");
    assert!(output.contains("sqlite:DIR") && output.contains("postgres://"), "{output}");
}
