//! A full disk, at each kind of write: confirmed data is never lost, refusals are clear, and everything recovers once
//! there is space (`OPS-10`, `OPS-11`).

use std::path::Path;
use std::time::Duration;

use reqwest::{Method, StatusCode};
use serde_json::{Value, json};
use tokio::time::Instant;

use crate::small_disk::SmallDisk;
use crate::support::{Worker, folder, fresh, text, touchline};

/// The time to recover once there is space.
const RECOVERY_LIMIT: Duration = Duration::from_secs(5);
/// The time from the first failure to a 503 from `/readyz`, which checks every five seconds.
const DETECTION_LIMIT: Duration = Duration::from_secs(10);

/// The number of times the disk is filled; `make soak` sets more.
fn rounds() -> u32 {
    std::env::var("TOUCHLINE_FULL_DISKS").map_or(2, |rounds| rounds.parse().unwrap())
}

async fn status(worker: &Worker, path: &str) -> StatusCode {
    worker.get(path).await.status()
}

/// Waits until the condition holds and returns the elapsed time. A busy machine gets four times the limit; `make soak`
/// does not.
async fn within(longest: Duration, what: &str, worker: &Worker, mut holds: impl AsyncFnMut() -> bool) -> Duration {
    let longest = if rounds() > 2 { longest } else { longest * 4 };
    let started = Instant::now();
    while !holds().await {
        // The end of an output is what CI shows.
        assert!(started.elapsed() < longest, "{}\nnot within {longest:?}: {what}", worker.log());
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
    started.elapsed()
}

async fn register(worker: &Worker, key: &str) -> (StatusCode, Value, String) {
    let email = format!("{}@viewers.example", fresh("full"));
    let body = json!({
        "api_key": key, "first_name": "Vi", "last_name": "Ewer", "email": email,
        "password": "correct horse", "password_confirmation": "correct horse", "terms": true,
    });
    let (code, answer) = worker.call(Method::POST, "v2/auth/register", &body).await;
    (code, answer, email)
}

/// Requests a device's key, which the store records, from an address of its own, so that no rate limit applies.
async fn device_key(worker: &Worker, visitor: &str, number: usize) -> (StatusCode, Value) {
    let request = worker.http.post(worker.url("/api/auth/session_code")).json(&json!({ "api_key": visitor }));
    let address = format!("10.9.{}.{}", number / 256 % 256, number % 256);
    let response =
        request.header("x-forwarded-for", address).header("idempotency-key", fresh("key")).send().await.unwrap();
    assert!(response.status() != StatusCode::SERVICE_UNAVAILABLE || response.headers().contains_key("retry-after"));
    (response.status(), response.json().await.unwrap())
}

async fn is_registered(worker: &Worker, email: &str) -> bool {
    let body = json!({ "api_key": worker.key().await, "email": email, "password": "correct horse" });
    worker.call(Method::POST, "v2/auth/login", &body).await.0 == StatusCode::OK
}

/// Asserts a refusal that clients can retry.
fn assert_clear(status: StatusCode, answer: &Value) {
    assert_eq!(status, StatusCode::SERVICE_UNAVAILABLE, "{answer}");
    assert!(["no_space", "unavailable"].contains(&answer["code"].as_str().unwrap()), "{answer}");
}

/// A batch of events with these numbers.
fn batch(numbers: std::ops::Range<u64>, body: &Value) -> Value {
    let id = |n: u64| format!("019aa5c3-0000-7000-8000-{n:012x}");
    let event = |n| json!({ "id": id(n), "path": "/datalake/event/", "at": "2026-11-22T10:00:00Z", "body": body });
    json!({ "sent_at": "2026-11-22T10:00:01Z", "events": numbers.map(event).collect::<Vec<_>>() })
}

fn visit() -> Value {
    json!({ "profile": "p", "session_uuid": "s", "event": "visit" })
}

struct Sent {
    status: StatusCode,
    retry_after: Option<String>,
    body: Value,
}

impl Sent {
    fn outcomes(&self) -> Vec<String> {
        let results = self.body["data"]["results"].as_array().unwrap_or_else(|| panic!("{}", self.body));
        results.iter().map(|result| result["outcome"].as_str().unwrap().to_owned()).collect()
    }

    fn all(&self, outcome: &str) -> bool {
        self.status == StatusCode::OK && self.outcomes().iter().all(|each| each == outcome)
    }
}

async fn send_from(worker: &Worker, address: &str, batch: &Value) -> Sent {
    let request = worker.http.post(worker.url("/datalake/batch")).header("x-forwarded-for", address).json(batch);
    let response = request.send().await.unwrap();
    let retry_after = response.headers().get("retry-after").map(|value| value.to_str().unwrap().to_owned());
    Sent { status: response.status(), retry_after, body: response.json().await.unwrap() }
}

async fn send(worker: &Worker, numbers: std::ops::Range<u64>) -> Sent {
    send_from(worker, "127.0.0.1", &batch(numbers, &visit())).await
}

/// The value of a series in `/metrics`; 0 if it is missing.
async fn metric(worker: &Worker, series: &str) -> f64 {
    let text = reqwest::get(format!("http://{}/metrics", worker.admin)).await.unwrap().text().await.unwrap();
    text.lines().find_map(|line| line.strip_prefix(series)?.trim().parse().ok()).unwrap_or(0.0)
}

/// Shipped and queued events of the table `event`; there is one sink.
async fn shipped_and_queued(worker: &Worker) -> (u64, u64) {
    let text = reqwest::get(format!("http://{}/metrics", worker.admin)).await.unwrap().text().await.unwrap();
    let of = |name: &str| {
        let line = text.lines().find(|line| line.starts_with(name) && line.contains("table=\"event\""));
        line.and_then(|line| line.rsplit_once(' ')?.1.parse().ok()).unwrap_or(0)
    };
    (of("touchline_datalake_shipped{"), of("touchline_datalake_queued{"))
}

/// Signs in as the demo viewer.
async fn log_in(worker: &Worker) -> String {
    let key = worker.key().await;
    let body = json!({ "api_key": key, "email": "demo@northfield.example", "password": "touchline" });
    let session = worker.data(Method::POST, "v2/auth/login", &body).await;
    session["api_key"].as_str().unwrap().to_owned()
}

fn wanted(key: &str) -> Value {
    json!({
        "api_key": key, "event_id": 25, "event_media_id": 253, "name": "A goal", "start_time": 4, "duration": 8,
        "tags": ["goal"],
    })
}

fn report() -> Value {
    json!({ "note": "the picture froze", "page": "/", "log": "", "request_ids": [] })
}

/// Shows OPS-10a, OPS-10b, OPS-11.
#[tokio::test(flavor = "multi_thread")]
async fn the_store_recovers_once_a_full_disk_has_space() {
    let Some(disk) = SmallDisk::mount(48 * 1024) else { return };
    let worker = disk.start(&["--disk-reserve-bytes", "0", "--trusted-proxies", "127.0.0.0/8"]);
    let mut keys = Vec::new();
    let mut requested = 0;
    let mut registered = Vec::new();
    for round in 0..rounds() {
        let key = worker.key().await;
        disk.fill();
        // The journal has preallocated pages, so some writes still succeed.
        let mut refused = 0;
        within(4 * DETECTION_LIMIT, "/readyz answers 503 once the store refuses writes", &worker, async || {
            for _ in 0..20 {
                requested += 1;
                let (code, answer) = device_key(&worker, &key, requested).await;
                if code == StatusCode::OK {
                    keys.push(answer["data"]["api_key"].as_str().unwrap().to_owned());
                } else {
                    assert_clear(code, &answer);
                    refused += 1;
                    break;
                }
            }
            status(&worker, "/readyz").await == StatusCode::SERVICE_UNAVAILABLE
        })
        .await;
        assert!(refused > 0, "a store that is not ready accepted every write");
        let (code, answer, email) = register(&worker, &key).await;
        // Few bytes may be free: then it is stored.
        if code != StatusCode::OK {
            assert_clear(code, &answer);
        }
        assert_eq!(status(&worker, "/healthz").await, StatusCode::OK);
        assert_eq!(status(&worker, "/").await, StatusCode::OK, "reads fail");
        disk.empty();
        let write_recovery_time = within(RECOVERY_LIMIT, "the store accepts writes", &worker, async || {
            let (code, _, email) = register(&worker, &key).await;
            registered.extend((code == StatusCode::OK).then_some(email));
            code == StatusCode::OK
        })
        .await;
        let ready = within(RECOVERY_LIMIT, "/readyz answers 200", &worker, async || {
            status(&worker, "/readyz").await.is_success()
        })
        .await;
        println!("round {round}: writes after {write_recovery_time:?}, ready {ready:?} later");
        assert_eq!(is_registered(&worker, &email).await, code == StatusCode::OK, "{answer}");
    }
    for email in &registered {
        assert!(is_registered(&worker, email).await, "{email} was answered for and is lost");
    }
    for key in &keys {
        let answer = worker.get(&format!("/api/settings?api_key={key}")).await;
        assert_eq!(answer.status(), StatusCode::OK, "an issued key was lost");
    }
}

/// Failed attempts on a full disk do not count against the account's purchase limit.
#[tokio::test(flavor = "multi_thread")]
async fn a_purchase_succeeds_once_there_is_space_after_many_attempts() {
    let Some(disk) = SmallDisk::mount(48 * 1024) else { return };
    let worker = disk.start(&["--disk-reserve-bytes", "0", "--trusted-proxies", "127.0.0.0/8"]);
    let buyer = worker.register().await;
    let card = worker.card(&buyer, "4242424242424242").await;
    disk.fill();
    let (visitor, mut requested) = (worker.key().await, 0);
    within(4 * DETECTION_LIMIT, "/readyz answers 503", &worker, async || {
        requested += 1;
        device_key(&worker, &visitor, requested).await;
        status(&worker, "/readyz").await == StatusCode::SERVICE_UNAVAILABLE
    })
    .await;
    for _ in 0..40 {
        let (code, answer) = worker.buy(&buyer, &card, "once").await;
        assert_clear(code, &answer);
    }
    disk.empty();
    within(RECOVERY_LIMIT, "the purchase succeeds", &worker, async || {
        worker.buy(&buyer, &card, "once").await.0 == StatusCode::OK
    })
    .await;
}

/// Shows OPS-10a, OPS-10b, OPS-12b, OPS-3.
#[tokio::test(flavor = "multi_thread")]
async fn the_queue_and_the_lake_recover_without_losing_accepted_events() {
    let Some(disk) = SmallDisk::mount(48 * 1024) else { return };
    let options = ["--disk-reserve-bytes", "0", "--datalake-close-age-s", "1"];
    let worker = disk.start(&options);
    let mut accepted = 0;
    for round in 0..rounds() {
        assert!(send(&worker, accepted..accepted + 20).await.all("accepted"));
        accepted += 20;
        // The batch closes a second later, on a full disk.
        disk.fill();
        let refused = loop {
            let sent = send(&worker, accepted..accepted + 20).await;
            if !sent.all("accepted") {
                break sent;
            }
            accepted += 20;
        };
        let clear = [StatusCode::TOO_MANY_REQUESTS, StatusCode::SERVICE_UNAVAILABLE];
        assert!(clear.contains(&refused.status) && refused.retry_after.is_some(), "{}", refused.body);
        tokio::time::sleep(Duration::from_millis(1500)).await;
        disk.empty();
        let took = within(RECOVERY_LIMIT, "events are accepted", &worker, async || {
            let sent = send(&worker, accepted..accepted + 20).await;
            sent.all("accepted") || sent.all("duplicate")
        })
        .await;
        accepted += 20;
        let shipped = within(RECOVERY_LIMIT + Duration::from_secs(1), "every event is shipped", &worker, async || {
            shipped_and_queued(&worker).await == (accepted, 0)
        })
        .await;
        println!("round {round}: accepted after {took:?}, {accepted} shipped {shipped:?} later");
    }
    // As in a power cut; accepted events are known at the next start.
    worker.kill();
    let worker = disk.start(&options);
    for from in (0..accepted).step_by(20) {
        let again = send(&worker, from..from + 20).await;
        assert!(again.all("duplicate"), "accepted events were lost: {}", again.body);
    }
}

/// Shows OPS-10c.
#[tokio::test(flavor = "multi_thread")]
async fn low_priority_writes_leave_the_reserve_to_the_store_and_resume_later() {
    const RESERVE: u64 = 8 << 20;
    let Some(disk) = SmallDisk::mount(64 * 1024) else { return };
    let worker = disk.start(&["--disk-reserve-bytes", &RESERVE.to_string(), "--datalake-close-age-s", "2"]);
    let key = log_in(&worker).await;
    let emails = || std::fs::read_dir(disk.path("data/mail")).unwrap().count();
    let is_ready = async |id: &Value| {
        let clips = worker.data(Method::GET, &format!("clips/user?api_key={key}"), &Value::Null).await;
        clips.as_array().unwrap().iter().any(|clip| clip["id"] == *id && clip["status"] == "ready")
    };
    within(RECOVERY_LIMIT, "the first emails are there", &worker, async || {
        register(&worker, &worker.key().await).await.0 == StatusCode::OK && emails() > 0
    })
    .await;

    // A clip is requested, but there is no space for it.
    disk.fill_but(RESERVE / 2 * 3 + 64 * 1024);
    let clip = worker.data(Method::POST, "clip", &wanted(&key)).await;
    assert!(send(&worker, 0..20).await.all("accepted"));
    disk.fill_but(RESERVE / 10 * 9);
    let before = emails();
    let (registered, answer, _) = register(&worker, &worker.key().await).await;
    assert_eq!(registered, StatusCode::OK, "the store cannot use its reserve: {answer}");
    for n in 0..30 {
        let refused = send(&worker, 100 + n..101 + n).await;
        assert_eq!((refused.status, &refused.body["code"]), (StatusCode::TOO_MANY_REQUESTS, &json!("no_space")));
        assert!(refused.retry_after.is_some());
    }
    let (refused, answer) = worker.call(Method::POST, "problem-report", &report()).await;
    assert_clear(refused, &answer);
    let (refused, answer) = worker.call(Method::POST, "clip", &wanted(&key)).await;
    assert_clear(refused, &answer);
    // Longer than the lake's batch takes to close.
    tokio::time::sleep(Duration::from_secs(3)).await;
    assert_eq!((emails(), is_ready(&clip["id"]).await), (before, false), "an email or a clip used the reserve");
    assert_eq!(shipped_and_queued(&worker).await, (0, 20), "the lake used the reserve");
    assert_eq!(status(&worker, "/readyz").await, StatusCode::OK, "the store cannot sell");
    assert!(metric(&worker, "touchline_disk_refused_total{purpose=\"analytics\"}").await >= 30.0);
    for purpose in ["analytics", "reports", "clips", "lake", "mail"] {
        let logged =
            worker.log().lines().filter(|line| line.contains(&format!("purpose=\"{purpose}\" folder"))).count();
        assert_eq!(logged, 1, "{purpose} is logged once: {}", worker.log());
    }

    disk.empty();
    within(RECOVERY_LIMIT, "the email, the clip and the events arrive", &worker, async || {
        emails() > before && is_ready(&clip["id"]).await && shipped_and_queued(&worker).await == (20, 0)
    })
    .await;
    assert!(send(&worker, 100..130).await.all("accepted"));
    worker.data(Method::POST, "problem-report", &report()).await;
}

/// Buys a package with a new card and returns the id of the paid order.
async fn buy_package(worker: &Worker) -> Value {
    let key = worker.register().await;
    let intent = worker.data(Method::POST, "stripe/setup-intent", &json!({ "api_key": key })).await;
    let card = json!({
        "api_key": key, "client_secret": intent["client_secret"], "number": "4242424242424242", "exp": "12/40",
        "cvc": "123",
    });
    let card = worker.data(Method::POST, "stripe/sandbox-card", &card).await;
    let (_, answer) = worker.buy(&key, card["payment_method_id"].as_str().unwrap(), &fresh("buy")).await;
    let order = worker.settled(&key, &answer["data"]["id"]).await;
    assert_eq!(order["status"], "paid");
    order["id"].clone()
}

/// `OPS-13`
#[tokio::test(flavor = "multi_thread")]
async fn only_a_genuine_purchase_event_may_use_the_sales_reserve_once() {
    // The space reserved for sales is an eighth of this; the worker's own writes stay far below half of that.
    const RESERVE: u64 = 64 << 20;
    let Some(disk) = SmallDisk::mount(160 * 1024) else { return };
    let worker = disk.start(&["--disk-reserve-bytes", &RESERVE.to_string(), "--sandbox-delay-ms", "0"]);
    let order = buy_package(&worker).await;
    disk.fill_but(RESERVE + RESERVE / 16);
    let purchase = |id: &str| json!({ "profile": "p", "session_uuid": "s", "event": "purchase", "extras": { "transaction_id": id } });
    for invented in ["999999", "none", "-1"] {
        let sent = send_from(&worker, "127.0.0.1", &batch(0..1, &purchase(invented))).await;
        assert_eq!((sent.status, &sent.body["code"]), (StatusCode::TOO_MANY_REQUESTS, &json!("no_space")));
    }
    let genuine = purchase(&order.to_string());
    let first = send_from(&worker, "127.0.0.1", &batch(1..2, &genuine)).await;
    assert!(first.all("accepted"), "{} bytes are free: {}", disk.free(), first.body);
    assert!(send_from(&worker, "127.0.0.1", &batch(1..2, &genuine)).await.all("duplicate"), "sent again");
    let second = send_from(&worker, "127.0.0.1", &batch(2..3, &genuine)).await;
    assert_eq!(second.status, StatusCode::TOO_MANY_REQUESTS, "the sale does not have exactly one event");
}

/// `OPS-13`
#[tokio::test(flavor = "multi_thread")]
async fn an_address_over_its_hourly_limit_gets_a_retry_after() {
    let (_folder, data) = folder();
    let options = ["--limits-analytics-bytes-per-hour", "10000", "--trusted-proxies", "127.0.0.0/8"];
    let worker = Worker::start(&data, &options);
    let from = async |address: &str, first: u64| send_from(&worker, address, &batch(first..first + 50, &visit())).await;
    assert!(from("192.0.2.1", 0).await.all("accepted"));
    let partly = from("192.0.2.1", 50).await;
    let outcomes = partly.outcomes();
    assert!(outcomes.contains(&"accepted".to_owned()) && outcomes.last().unwrap() == "retry", "{outcomes:?}");
    assert_eq!(partly.body["data"]["results"][49]["reason"], "over_budget");
    let refused = from("192.0.2.1", 100).await;
    assert_eq!((refused.status, &refused.body["code"]), (StatusCode::TOO_MANY_REQUESTS, &json!("over_budget")));
    let seconds: u64 = refused.retry_after.unwrap().parse().unwrap();
    assert!((1..=3600).contains(&seconds), "{seconds}");
    assert!(from("192.0.2.2", 200).await.all("accepted"), "another address has a separate limit");
    assert!(from("2001:db8::1", 300).await.all("accepted"));
    from("2001:db8::2", 400).await;
    assert_eq!(
        from("2001:db8::3", 500).await.status,
        StatusCode::TOO_MANY_REQUESTS,
        "one household counts as one sender"
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn an_unwritable_log_and_a_failed_backup_do_no_harm() {
    let Some(disk) = SmallDisk::mount(48 * 1024) else { return };
    let log = disk.inside("worker.log");
    let into = format!("exec \"$@\" 2>>{}", log.display());
    let worker = disk.start_as(&["sh", "-c", &into, "sh"], &["--disk-reserve-bytes", "0"]);
    let key = worker.key().await;
    disk.fill();
    let written = std::fs::metadata(disk.path("worker.log")).unwrap().len();
    for _ in 0..100 {
        assert_eq!(status(&worker, "/").await, StatusCode::OK);
    }
    let backup = disk.run(&["backup", disk.inside("saved.sqlite").to_str().unwrap()]);
    assert!(!backup.status.success() && !text(&backup.stderr).is_empty());
    assert!(!disk.path("saved.sqlite").exists(), "a partial backup is left");
    assert!(metric(&worker, "touchline_panics_total").await < 1.0);
    disk.empty();
    within(RECOVERY_LIMIT, "the store accepts writes", &worker, async || register(&worker, &key).await.0.is_success())
        .await;
    assert!(std::fs::metadata(disk.path("worker.log")).unwrap().len() > written, "the log does not continue");
    let backup = disk.run(&["backup", disk.inside("saved.sqlite").to_str().unwrap()]);
    assert!(backup.status.success(), "{}", text(&backup.stderr));
}

/// The sixth sync of each thread fails.
fn with_failing_sync(folder: &Path) -> std::process::Command {
    let worker = touchline(folder);
    let mut command = std::process::Command::new("strace");
    // The tracer runs in the background, so that the test signals the worker itself.
    command.args(["-D", "-f", "-qq", "-o", "/dev/null", "-e", "trace=fdatasync"]);
    command.args(["-e", "inject=fdatasync:error=EIO:when=6"]).arg(worker.get_program()).current_dir(folder);
    for (name, _) in worker.get_envs() {
        command.env_remove(name);
    }
    command
}

/// Shows OPS-12b.
#[tokio::test(flavor = "multi_thread")]
async fn after_a_failed_sync_a_fresh_queue_continues_without_loss() {
    let (folder, data) = folder();
    let worker = Worker::start_by(with_failing_sync(folder.path()), &data, &["--datalake-close-age-s", "60"]);
    let queues = || {
        let entries = std::fs::read_dir(data.join("datalake")).unwrap();
        let names = entries.map(|entry| entry.unwrap().file_name().into_string().unwrap());
        names.filter(|name| name.starts_with("queue-")).collect::<Vec<_>>()
    };
    let before = queues();
    let mut accepted = 0;
    let refused = loop {
        let sent = send(&worker, accepted..accepted + 5).await;
        if !sent.all("accepted") {
            break sent;
        }
        accepted += 5;
        assert!(accepted < 200, "no sync failed");
    };
    assert_eq!(refused.status, StatusCode::SERVICE_UNAVAILABLE, "{}", refused.body);
    within(DETECTION_LIMIT, "events are accepted again", &worker, async || {
        let sent = send(&worker, accepted..accepted + 5).await;
        sent.all("accepted") || sent.all("duplicate")
    })
    .await;
    accepted += 5;
    let after = queues();
    assert!(after.len() == 1 && after != before, "{before:?} {after:?}");
    assert!(worker.log().contains("being reopened"), "{}", worker.log());
    for from in (0..accepted).step_by(5) {
        assert!(send(&worker, from..from + 5).await.all("duplicate"), "accepted events were lost");
    }
}
