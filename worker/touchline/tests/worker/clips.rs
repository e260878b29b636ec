//! Clipping: its sources, limits and visibility (`CLIP-4`, `CLIP-5`, `CLIP-7`).

use std::fs;
use std::path::PathBuf;

use reqwest::{Method, StatusCode};
use serde_json::{Value, json};
use sqlx::sqlite::SqlitePool;
use tempfile::TempDir;

use crate::demo_channel::demo_channel;
use crate::support::{Worker, done, eventually, folder, fresh};

/// A free recording whose only file is repeated for 700 s, and a medium of another host.
const LONG: i64 = 25;
const PULLED: i64 = 31;
const SEGMENT_S: usize = 10;

struct Channel {
    folder: TempDir,
    data: PathBuf,
    root: PathBuf,
}

impl Channel {
    fn new() -> Self {
        let (folder, data) = folder();
        let root = demo_channel(&folder.path().join("channels"));
        let long = root.join("media/hls/long");
        fs::create_dir_all(&long).unwrap();
        let mut list = format!("#EXTM3U\n#EXT-X-VERSION:7\n#EXT-X-TARGETDURATION:{SEGMENT_S}\n");
        for number in 0..70 {
            fs::write(long.join(format!("{number}.ts")), format!("segment {number};")).unwrap();
            list += &format!("#EXTINF:{SEGMENT_S},\n{number}.ts\n");
        }
        fs::write(long.join("index.m3u8"), list + "#EXT-X-ENDLIST\n").unwrap();
        let file = root.join("events.json");
        let mut events: Vec<Value> = serde_json::from_slice(&fs::read(&file).unwrap()).unwrap();
        for (id, medium) in [
            (LONG, json!({ "id": 253, "type": 3, "path": "hls/long/index.m3u8", "duration_s": 700 })),
            (PULLED, json!({ "id": 313, "type": 3, "source": "pull", "path": "https://video.example/index.m3u8" })),
        ] {
            let event = events.iter_mut().find(|event| event["id"] == id).unwrap();
            event["media"] = json!([medium]);
        }
        fs::write(file, serde_json::to_vec(&events).unwrap()).unwrap();
        Self { data, root, folder }
    }

    fn start(&self) -> Worker {
        Worker::start(&self.data, &["--channels", self.folder.path().join("channels").to_str().unwrap()])
    }

    /// A viewer whose address is verified.
    async fn viewer(&self, worker: &Worker) -> (String, String) {
        let email = format!("{}@viewers.example", fresh("viewer"));
        let key = worker.register_as(&email).await;
        done(&self.data, &["user", "set", "--verified", "--channel", "northfield", "--email", &email]);
        (key, email)
    }
}

fn wanted(key: &str, more: &Value) -> Value {
    let mut body = json!({
        "api_key": key, "event_id": LONG, "event_media_id": 253, "name": "A save", "start_time": 15.5, "duration": 10,
        "tags": ["save"],
    });
    body.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
    body
}

async fn status(worker: &Worker, body: &Value) -> (u16, Value) {
    let (status, answer) = worker.call(Method::POST, "clip", body).await;
    (status.as_u16(), answer)
}

/// Requests a clip, and returns it once it is cut.
pub(crate) async fn clip(worker: &Worker, wanted: &Value) -> Value {
    let id = worker.data(Method::POST, "clip", wanted).await["id"].clone();
    let clips = format!("clips/user?api_key={}", wanted["api_key"].as_str().unwrap());
    eventually("the clip is ready", async || {
        let clips = worker.data(Method::GET, &clips, &Value::Null).await;
        clips.as_array().unwrap().iter().find(|clip| clip["id"] == id && clip["status"] == "ready").cloned()
    })
    .await
}

/// The files of a clip's playlist.
async fn files(worker: &Worker, clip: &Value) -> (String, Vec<String>) {
    let address = clip["url"].as_str().unwrap();
    let list = worker.get(address).await.text().await.unwrap();
    let mut files = Vec::new();
    for name in list.lines().filter(|line| !line.starts_with('#')) {
        let file = worker.get(&format!("{}/{name}", address.rsplit_once('/').unwrap().0)).await;
        assert_eq!(file.status(), StatusCode::OK, "{name}");
        files.push(String::from_utf8_lossy(&file.bytes().await.unwrap()).into_owned());
    }
    (list, files)
}

/// Shows CLIP-4a, CLIP-4b.
#[tokio::test]
async fn recordings_library_videos_and_live_streams_are_clipped_in_whole_segments() {
    let channel = Channel::new();
    let worker = channel.start();
    let (key, _) = channel.viewer(&worker).await;
    let created = clip(&worker, &wanted(&key, &json!({}))).await;
    let (list, segments) = files(&worker, &created).await;
    assert_eq!(segments, ["segment 1;", "segment 2;"], "{list}");
    assert!(list.contains("TIME-OFFSET=5.5"), "{list}");
    assert_eq!(status(&worker, &wanted(&key, &json!({ "start_time": 0, "duration": 600 }))).await.0, 200);
    let (code, too_long) = status(&worker, &wanted(&key, &json!({ "start_time": 0, "duration": 601 }))).await;
    assert_eq!(code, 400);
    assert_eq!(too_long["errors"]["duration"][0], "Your clip duration is longer than the end time.");

    let mut video = wanted(&key, &json!({ "vod_id": 1, "event_media_id": 90_001, "start_time": 0, "duration": 4 }));
    video.as_object_mut().unwrap().remove("event_id");
    assert_eq!(clip(&worker, &video).await["vod_id"], 1);

    // A live stream, from one of its segments on.
    let address = format!("events/3/playback/32?api_key={key}");
    let url = worker.data(Method::GET, &address, &Value::Null).await["playback_url"].as_str().unwrap().to_owned();
    let list = worker.get(&url.replace("master.m3u8", "v0/index.m3u8")).await.text().await.unwrap();
    let value = |tag: &str| list.lines().find_map(|line| line.strip_prefix(tag)).unwrap().trim_end_matches(',');
    let first: u64 = value("#EXT-X-MEDIA-SEQUENCE:").parse().unwrap();
    let length: f64 = value("#EXTINF:").parse().unwrap();
    let live = |from: u64| {
        let segment =
            json!({ "event_id": 3, "event_media_id": 32, "from_segment": from, "start_time": 1, "duration": 5 });
        wanted(&key, &segment)
    };
    let created = clip(&worker, &live(first + 1)).await;
    let start = created["start_time"].as_f64().unwrap();
    assert!(
        (start - ((first + 1) as f64 * length + 1.0)).abs() < 0.1,
        "{start} s, from segment {first} + 1 of {length} s"
    );
    // The available part alone.
    assert_eq!(status(&worker, &live(first + 1_000_000)).await.0, 404);
}

/// Shows CLIP-4c.
#[tokio::test]
async fn two_hundred_clips_fill_an_account() {
    let channel = Channel::new();
    let worker = channel.start();
    let (key, _) = channel.viewer(&worker).await;
    clip(&worker, &wanted(&key, &json!({}))).await;
    worker.end();
    let store =
        SqlitePool::connect(&format!("sqlite:{}", channel.data.join("channel.sqlite").display())).await.unwrap();
    let mut connection = store.acquire().await.unwrap();
    sqlx::query("CREATE TEMP TABLE copied AS SELECT * FROM clips").execute(&mut *connection).await.unwrap();
    for _ in 0..198 {
        let next = "UPDATE copied SET id = id + 1000, uuid = uuid || '0', status = 'failed'";
        sqlx::query(next).execute(&mut *connection).await.unwrap();
        sqlx::query("INSERT INTO clips SELECT * FROM copied").execute(&mut *connection).await.unwrap();
    }
    drop(connection);
    store.close().await;
    let worker = channel.start();
    let another = |number: usize| wanted(&key, &json!({ "start_time": number }));
    assert_eq!(status(&worker, &another(1)).await.0, 200);
    let (code, refused) = status(&worker, &another(2)).await;
    assert_eq!((code, &refused["code"]), (400, &json!("too_many_clips")), "{refused}");
}

/// Shows CLIP-4d.
#[tokio::test]
async fn a_medium_says_whether_it_can_be_clipped_and_downloaded() {
    let channel = Channel::new();
    let worker = channel.start();
    let (key, email) = channel.viewer(&worker).await;
    let rights = ["user", "set", "--capabilities", "watch,clipping,download", "--channel", "northfield", "--email"];
    done(&channel.data, &[&rights[..], &[&email]].concat());
    for (event, medium, is_clippable, is_downloadable) in [(LONG, 253, true, true), (PULLED, 313, false, false)] {
        let path = format!("events/{event}?api_key={key}");
        let found = worker.data(Method::GET, &path, &Value::Null).await;
        let media = found["media"].as_array().unwrap();
        let said = media.iter().find(|one| one["id"] == medium).unwrap();
        let flag = |name: &str| said[name].as_bool().unwrap_or_default();
        assert_eq!((flag("is_clippable"), flag("is_downloadable")), (is_clippable, is_downloadable), "{event}: {said}");
        // The calls agree.
        let body =
            wanted(&key, &json!({ "event_id": event, "event_media_id": medium, "start_time": 0, "duration": 2 }));
        assert_eq!(status(&worker, &body).await.0, if is_clippable { 200 } else { 404 }, "{event}");
        let download = worker.call(Method::GET, &format!("download-event/{event}?api_key={key}"), &Value::Null).await;
        assert_eq!(download.0.as_u16(), if is_downloadable { 200 } else { 404 }, "{event}: {}", download.1);
    }
}

/// Shows CLIP-5a.
#[tokio::test]
async fn only_viewers_with_a_verified_address_create_clips() {
    let channel = Channel::new();
    let worker = channel.start();
    let email = format!("{}@viewers.example", fresh("unverified"));
    let key = worker.register_as(&email).await;
    let (code, refused) = status(&worker, &wanted(&key, &json!({}))).await;
    assert_eq!((code, &refused["code"]), (403, &json!("email_unverified")));
    done(&channel.data, &["user", "set", "--verified", "--channel", "northfield", "--email", &email]);
    assert_eq!(status(&worker, &wanted(&key, &json!({}))).await.0, 200);
}

/// Shows CLIP-7c.
#[tokio::test]
async fn clips_of_paid_media_are_public_only_if_the_channel_allows_it() {
    let channel = Channel::new();
    let file = channel.root.join("events.json");
    let mut events: Vec<Value> = serde_json::from_slice(&fs::read(&file).unwrap()).unwrap();
    let event = events.iter_mut().find(|event| event["id"] == LONG).unwrap();
    let paid = json!({
        "access_type": "paid", "type": "paid", "base_price": 799, "service_fee": 60, "single_event_package_id": 1_025,
    });
    event.as_object_mut().unwrap().extend(paid.as_object().unwrap().clone());
    fs::write(file, serde_json::to_vec(&events).unwrap()).unwrap();
    let worker = channel.start();
    let (key, email) = channel.viewer(&worker).await;
    let grant = ["order", "grant", "--type", "event", "--id", "25", "--channel", "northfield", "--email", &email];
    done(&channel.data, &grant);
    let public = wanted(&key, &json!({ "visibility": "public" }));
    let (code, refused) = status(&worker, &public).await;
    assert_eq!(code, 400);
    assert_eq!(refused["errors"]["visibility"][0], "Clips from this video can only be shared by link.");
    assert_eq!(status(&worker, &wanted(&key, &json!({ "visibility": "link" }))).await.0, 200);
    worker.end();

    let file = channel.root.join("settings.json");
    let mut settings: Value = serde_json::from_slice(&fs::read(&file).unwrap()).unwrap();
    settings["clips"] = json!({ "public_of_paid": true });
    fs::write(file, settings.to_string()).unwrap();
    assert_eq!(status(&channel.start(), &public).await.0, 200);
}
