//! Channels of one worker: none is affected by another's fault, edit, hosts or missing folder.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use mail_parser::MessageParser;
use reqwest::{Response, StatusCode};
use serde_json::{Value, json};
use tokio::time::Instant;

use crate::support::{Worker, client, eventually, folder, fresh, run, sent_emails, text};

/// A folder of channels with the content of the small test channel, each with the host `KEY.test`.
struct Root(PathBuf);

impl Root {
    fn of(folder: &Path, keys: &[&str]) -> Self {
        let root = Self(folder.join("channels"));
        fs::create_dir(&root.0).unwrap();
        keys.iter().for_each(|key| root.add(key));
        root
    }

    fn add(&self, key: &str) {
        let from = Path::new(env!("CARGO_MANIFEST_DIR")).join("../channel/tests/channels/meadow");
        let copied = Command::new("cp").arg("-r").arg(from).arg(self.0.join(key)).status().unwrap();
        assert!(copied.success());
        self.describe(key, &json!({ "key": key, "hosts": [format!("{key}.test")] }));
        self.rename(key, key);
    }

    fn describe(&self, key: &str, channel: &Value) {
        fs::write(self.0.join(key).join("channel.json"), channel.to_string()).unwrap();
    }

    fn rename(&self, key: &str, name: &str) {
        let file = self.0.join(key).join("settings.json");
        let mut settings: Value = serde_json::from_slice(&fs::read(&file).unwrap()).unwrap();
        settings["name"] = json!(name);
        fs::write(file, settings.to_string()).unwrap();
    }

    fn make_faulty(&self, key: &str) {
        fs::write(self.0.join(key).join("events.json"), "[").unwrap();
    }

    fn start(&self, data: &Path) -> Worker {
        Worker::start(data, &["--channels", self.0.to_str().unwrap()])
    }
}

async fn get(worker: &Worker, host: &str, path: &str) -> Response {
    worker.http.get(worker.url(path)).header("host", host).send().await.unwrap()
}

/// The name of a host's channel, or the status of a host that serves none.
async fn name(worker: &Worker, host: &str) -> Result<String, StatusCode> {
    let response = get(worker, host, "/manifest.webmanifest").await;
    if response.status() != StatusCode::OK {
        return Err(response.status());
    }
    let manifest: Value = response.json().await.unwrap();
    Ok(manifest["name"].as_str().unwrap().to_owned())
}

async fn becomes(worker: &Worker, host: &str, expected: Result<&str, StatusCode>) {
    let expected = expected.map(str::to_owned);
    eventually(host, async || (name(worker, host).await == expected).then_some(())).await;
}

/// The ETags of a channel's manifest and of its events.
async fn etags(worker: &Worker, key: &str) -> [String; 2] {
    let host = format!("{key}.test");
    let body = json!({ "channel_key": key });
    let session = worker.http.post(worker.url("/api/get_api_key")).header("host", &host);
    let session = session.header("idempotency-key", fresh("key")).json(&body).send().await.unwrap();
    let session: Value = session.json().await.unwrap();
    let events = format!("/api/events?api_key={}", session["data"]["api_key"].as_str().unwrap());
    let [manifest, events] = [get(worker, &host, "/manifest.webmanifest").await, get(worker, &host, &events).await];
    [manifest, events].map(|response| {
        assert_eq!(response.status(), StatusCode::OK);
        response.headers()["etag"].to_str().unwrap().to_owned()
    })
}

async fn ready(worker: &Worker) -> String {
    let response = worker.get("/readyz").await;
    assert_eq!(response.status(), StatusCode::OK);
    response.text().await.unwrap()
}

async fn metrics(worker: &Worker) -> String {
    client().get(format!("http://{}/metrics", worker.admin)).send().await.unwrap().text().await.unwrap()
}

/// Shows OPS-54b, OPS-54c, OPS-54d.
#[tokio::test]
async fn a_faulty_channel_without_a_sound_state_is_unavailable_and_the_others_are_served() {
    let (folder, data) = folder();
    let root = Root::of(folder.path(), &["north", "south"]);
    root.make_faulty("south");
    let worker = root.start(&data);
    let before = etags(&worker, "north").await;

    let page = get(&worker, "south.test", "/schedule").await;
    assert_eq!(page.status(), StatusCode::SERVICE_UNAVAILABLE);
    assert!(page.headers()["content-type"].to_str().unwrap().starts_with("text/html"));
    assert!(page.headers().contains_key("retry-after"));
    let page = page.text().await.unwrap();
    assert!(page.contains("temporarily unavailable") && page.contains("momentanément indisponible"), "{page}");
    assert_eq!(get(&worker, "south.test", "/docs/style.css").await.status(), StatusCode::OK);
    let call = get(&worker, "south.test", "/api/settings").await;
    assert_eq!(call.status(), StatusCode::SERVICE_UNAVAILABLE);
    assert_eq!(call.json::<Value>().await.unwrap()["code"], "unavailable");
    assert_eq!(get(&worker, "elsewhere.test", "/").await.status(), StatusCode::MISDIRECTED_REQUEST);

    assert_eq!(ready(&worker).await, "ready\nchannel south is faulty: it is unavailable\n");
    let text_of_metrics = metrics(&worker).await;
    assert!(text_of_metrics.contains("touchline_channel_down{channel=\"south\"} 1"), "{text_of_metrics}");
    assert!(worker.log().contains("south/events.json"), "{}", worker.log());
    let checked = run(folder.path(), &["check", "--channels", root.0.to_str().unwrap()]);
    assert!(!checked.status.success() && text(&checked.stderr).contains("south/events.json"));

    fs::remove_dir_all(root.0.join("south")).unwrap();
    root.add("south");
    becomes(&worker, "south.test", Ok("south")).await;
    assert_eq!(ready(&worker).await, "ready\n");
    assert!(metrics(&worker).await.contains("touchline_channel_down{channel=\"south\"} 0"));
    assert_eq!(etags(&worker, "north").await, before);
}

/// Shows OPS-54b, OPS-54c.
#[tokio::test]
async fn a_channel_that_is_faulty_at_the_start_is_served_in_its_last_sound_state() {
    let (folder, data) = folder();
    let root = Root::of(folder.path(), &["north", "south"]);
    let worker = root.start(&data);
    let before = etags(&worker, "south").await;
    root.rename("south", "South Plus");
    becomes(&worker, "south.test", Ok("South Plus")).await;
    let after = etags(&worker, "south").await;
    assert_ne!(after, before);
    worker.kill();

    root.make_faulty("south");
    root.rename("south", "never served");
    root.rename("north", "North Plus");
    let worker = root.start(&data);
    assert_eq!(name(&worker, "south.test").await.as_deref(), Ok("South Plus"));
    assert_eq!(etags(&worker, "south").await, after);
    assert_eq!(get(&worker, "south.test", "/media/south/logo.svg").await.status(), StatusCode::OK);
    assert_eq!(name(&worker, "north.test").await.as_deref(), Ok("North Plus"));
    assert_eq!(ready(&worker).await, "ready\nchannel south is faulty: its last sound state is served\n");
    let text_of_metrics = metrics(&worker).await;
    assert!(text_of_metrics.contains("touchline_channel_faulty{channel=\"south\"} 1"), "{text_of_metrics}");
    assert!(text_of_metrics.contains("touchline_channel_down{channel=\"south\"} 0"), "{text_of_metrics}");
}

/// Shows OPS-54a, OPS-55b.
#[tokio::test]
async fn a_fault_an_edit_a_removal_and_an_emptied_root_leave_the_other_channels_alone() {
    let (folder, data) = folder();
    let root = Root::of(folder.path(), &["east", "north", "south"]);
    let worker = root.start(&data);
    let [east, south] = [etags(&worker, "east").await, etags(&worker, "south").await];

    root.make_faulty("south");
    root.rename("north", "North Plus");
    becomes(&worker, "north.test", Ok("North Plus")).await;
    eventually("the fault is known", async || ready(&worker).await.contains("channel south is faulty").then_some(()))
        .await;
    assert_eq!([etags(&worker, "east").await, etags(&worker, "south").await], [east.clone(), south.clone()]);
    root.rename("north", "North Plus Plus");
    becomes(&worker, "north.test", Ok("North Plus Plus")).await;

    fs::remove_dir_all(root.0.join("north")).unwrap();
    becomes(&worker, "north.test", Err(StatusCode::MISDIRECTED_REQUEST)).await;
    assert_eq!([etags(&worker, "east").await, etags(&worker, "south").await], [east.clone(), south.clone()]);

    let away = folder.path().join("away");
    fs::rename(&root.0, &away).unwrap();
    let is_said = async |count: usize| {
        let what = "the folder of the channels is unreadable or empty";
        eventually(what, async || (worker.log().matches(what).count() == count).then_some(())).await;
    };
    is_said(1).await;
    assert_eq!([etags(&worker, "east").await, etags(&worker, "south").await], [east.clone(), south.clone()]);
    fs::create_dir(&root.0).unwrap();
    // As a mount that comes back does.
    fs::rename(away.join("east"), root.0.join("east")).unwrap();
    fs::rename(away.join("south"), root.0.join("south")).unwrap();
    root.rename("east", "East Plus");
    becomes(&worker, "east.test", Ok("East Plus")).await;
    assert_eq!(etags(&worker, "south").await, south);
}

/// Shows OPS-55a.
#[tokio::test]
async fn a_claimed_host_stays_with_its_owner_until_it_is_released() {
    let (folder, data) = folder();
    let root = Root::of(folder.path(), &["zulu"]);
    let of_zulu = |hosts: &[&str]| json!({ "key": "zulu", "hosts": hosts, "fallback": true });
    root.describe("zulu", &of_zulu(&["zulu.test"]));
    root.start(&data).end();

    root.add("alpha");
    root.describe("alpha", &json!({ "key": "alpha", "hosts": ["alpha.test", "zulu.test"], "fallback": true }));
    let worker = root.start(&data);
    for host in ["zulu.test", "elsewhere.test"] {
        assert_eq!(name(&worker, host).await.as_deref(), Ok("zulu"), "{host}");
    }
    assert_eq!(name(&worker, "alpha.test").await, Err(StatusCode::SERVICE_UNAVAILABLE));
    assert_eq!(ready(&worker).await, "ready\nchannel alpha is faulty: it is unavailable\n");
    assert!(worker.log().contains("`zulu.test` already belongs to `zulu`"), "{}", worker.log());

    root.describe("alpha", &json!({ "key": "alpha", "hosts": ["alpha.test", "zulu.test"] }));
    let is_refused = "the changed channel has faults";
    eventually(is_refused, async || worker.log().contains(is_refused).then_some(())).await;
    assert_eq!(name(&worker, "zulu.test").await.as_deref(), Ok("zulu"));
    root.describe("zulu", &of_zulu(&["zulu2.test"]));
    becomes(&worker, "zulu.test", Ok("alpha")).await;
    becomes(&worker, "alpha.test", Ok("alpha")).await;
    assert_eq!(name(&worker, "zulu2.test").await.as_deref(), Ok("zulu"));
}

/// Shows OPS-55b.
#[tokio::test]
async fn without_its_root_a_start_serves_the_last_sound_states() {
    let (folder, data) = folder();
    let root = Root::of(folder.path(), &["north"]);
    root.start(&data).end();
    let away = folder.path().join("away");
    fs::rename(&root.0, &away).unwrap();
    fs::create_dir(&root.0).unwrap();
    let worker = root.start(&data);
    assert_eq!(name(&worker, "north.test").await.as_deref(), Ok("north"));
    assert!(ready(&worker).await.contains("channel north is faulty"));
    fs::rename(away.join("north"), root.0.join("north")).unwrap();
    eventually("it is sound", async || (ready(&worker).await == "ready\n").then_some(())).await;
}

/// Shows OPS-54e.
#[tokio::test]
async fn emails_have_the_sender_and_the_reply_address_of_their_channel() {
    let (folder, data) = folder();
    let root = Root::of(folder.path(), &["north", "south"]);
    let mail = json!({ "from": "tickets@north.test", "reply_to": "help@north.test" });
    root.describe("north", &json!({ "key": "north", "hosts": ["north.test"], "mail": mail }));
    let worker = Worker::start(&data, &["--channels", root.0.to_str().unwrap(), "--mail-from", "mail@owner.test"]);
    for (key, from, reply_to) in
        [("north", "tickets@north.test", Some("help@north.test")), ("south", "mail@owner.test", None)]
    {
        let email = format!("{}@viewers.example", fresh(key));
        let post = async |path: &str, body: &Value| {
            let request = worker.http.post(worker.url(&format!("/api/{path}"))).header("host", format!("{key}.test"));
            let response = request.header("idempotency-key", fresh("mail")).json(body).send().await.unwrap();
            assert_eq!(response.status(), StatusCode::OK);
            response.json::<Value>().await.unwrap()["data"].clone()
        };
        let session = post("get_api_key", &json!({ "channel_key": key })).await;
        let registration = json!({
            "api_key": session["api_key"], "first_name": "Vi", "last_name": "Ewer", "email": email,
            "password": "correct horse", "password_confirmation": "correct horse", "terms": true,
        });
        post("v2/auth/register", &registration).await;
        let addresses = eventually("the email", async || {
            sent_emails(&data).iter().find_map(|file| {
                let bytes = fs::read(file).ok()?;
                let mail = MessageParser::new().parse(&bytes)?;
                let address = |of: Option<&mail_parser::Address<'_>>| Some(of?.first()?.address()?.to_owned());
                (address(mail.to())? == email).then(|| (address(mail.from()), address(mail.reply_to())))
            })
        })
        .await;
        assert_eq!(addresses, (Some(from.to_owned()), reply_to.map(str::to_owned)), "{key}");
    }
}

/// Longer than a change takes, and shorter than the minute after which all folders are looked at.
const BEFORE_A_FULL_LOOK: Duration = Duration::from_secs(50);

/// Shows OPS-55c: by an event, by a rename, and without events, as behind a link.
#[tokio::test]
async fn changes_are_noticed_at_once_and_half_a_save_is_not_loaded() {
    let (folder, data) = folder();
    let root = Root::of(folder.path(), &["north", "south"]);
    let linked = folder.path().join("linked");
    root.add("behind");
    fs::rename(root.0.join("behind"), &linked).unwrap();
    std::os::unix::fs::symlink(&linked, root.0.join("behind")).unwrap();
    let worker = root.start(&data);
    let saved = Root(folder.path().join("saved"));
    fs::create_dir(&saved.0).unwrap();
    saved.add("south");
    saved.rename("south", "South Plus");
    let started = Instant::now();

    // A folder that never rests is not loaded while the change of another is.
    let is_saving = Arc::new(AtomicBool::new(true));
    let saving = {
        let (root, is_saving) = (Root(root.0.clone()), Arc::clone(&is_saving));
        std::thread::spawn(move || {
            while is_saving.load(Ordering::Relaxed) {
                root.make_faulty("south");
            }
        })
    };
    root.rename("north", "North Plus");
    becomes(&worker, "north.test", Ok("North Plus")).await;
    is_saving.store(false, Ordering::Relaxed);
    saving.join().unwrap();
    fs::rename(root.0.join("south"), folder.path().join("old")).unwrap();
    fs::rename(saved.0.join("south"), root.0.join("south")).unwrap();
    becomes(&worker, "south.test", Ok("South Plus")).await;
    assert!(!worker.log().contains("south/events.json"), "half a save was loaded: {}", worker.log());

    root.rename("behind", "Behind Plus");
    becomes(&worker, "behind.test", Ok("Behind Plus")).await;
    assert!(started.elapsed() < BEFORE_A_FULL_LOOK, "{:?}", started.elapsed());
}
