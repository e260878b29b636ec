//! A scripted encoder that writes a live stream into its folder, as viewers receive it.

use std::fs;
use std::path::PathBuf;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use reqwest::{Method, StatusCode};
use serde_json::{Value, json};
use tempfile::TempDir;
use touchline_protocol::ambient::{Clock, SystemClock};

use crate::demo_channel::demo_channel;
use crate::support::{Worker, eventually, folder};

/// Length of a segment.
pub(crate) const SEGMENT: Duration = Duration::from_secs(2);
/// The free event, and the medium that its encoder writes.
pub(crate) const EVENT: i64 = 3;
pub(crate) const MEDIUM: i64 = 32;
/// Segments in the encoder's playlist.
pub(crate) const LISTED: usize = 4;

/// A channel whose free live event has an encoder.
pub(crate) struct Channel {
    pub(crate) folder: TempDir,
    pub(crate) data: PathBuf,
    pub(crate) root: PathBuf,
}

impl Channel {
    pub(crate) fn new(medium: &Value) -> Self {
        let (folder, data) = folder();
        let root = folder.path().join("channels");
        demo_channel(&root);
        let channel = Self { folder, data, root };
        let mut record =
            json!({ "id": MEDIUM, "type": 2, "source": "folder", "path": "court/master.m3u8", "dvr_s": 30 });
        record.as_object_mut().unwrap().extend(medium.as_object().unwrap().clone());
        let changes = json!({
            "access_type": "free", "type": "other", "starts_in_s": -3_600, "duration_s": 2_592_000, "media": [record],
        });
        channel.change(&changes);
        channel
    }

    pub(crate) fn change(&self, changes: &Value) {
        let file = self.root.join("northfield/events.json");
        let mut events: Vec<Value> = serde_json::from_slice(&fs::read(&file).unwrap()).unwrap();
        let event = events.iter_mut().find(|event| event["id"] == EVENT).unwrap();
        event.as_object_mut().unwrap().extend(changes.as_object().unwrap().clone());
        fs::write(file, serde_json::to_vec(&events).unwrap()).unwrap();
    }

    pub(crate) fn start(&self, more: &[&str]) -> Worker {
        Worker::start(&self.data, &[&["--channels", self.root.to_str().unwrap()], more].concat())
    }

    /// Ends the event, and waits until its recording can be watched.
    pub(crate) async fn end(&self, worker: &Worker) {
        self.change(&json!({ "duration_s": 3_000 }));
        let event = format!("events/{EVENT}?api_key={}", worker.key().await);
        eventually("the event is finished", async || {
            let event = worker.data(Method::GET, &event, &Value::Null).await;
            (event["stream_status"] == "finished").then_some(())
        })
        .await;
    }
}

/// An encoder with one quality, `v0`, and its I-frames.
pub(crate) struct Encoder {
    pub(crate) folder: PathBuf,
    pub(crate) first: u64,
    pub(crate) segments: Vec<(String, u64)>,
    /// The time of its files.
    pub(crate) now: SystemTime,
    pub(crate) init: &'static str,
    /// Tags before each segment.
    pub(crate) tags: String,
    pub(crate) end: &'static str,
}

impl Encoder {
    pub(crate) fn start(channel: &Channel) -> Self {
        let folder = channel.data.join("live/northfield/court");
        fs::create_dir_all(folder.join("v0")).unwrap();
        let master = "#EXTM3U\n#EXT-X-STREAM-INF:BANDWIDTH=100\nv0/index.m3u8\n\
                      #EXT-X-I-FRAME-STREAM-INF:BANDWIDTH=9,URI=\"v0/frames.m3u8\"\n";
        fs::write(folder.join("master.m3u8"), master).unwrap();
        let now = now() - 10 * SEGMENT;
        let encoder =
            Self { folder, first: 0, segments: Vec::new(), now, init: "init.mp4", tags: String::new(), end: "" };
        encoder.write("v0/init.mp4", "init");
        encoder
    }

    /// Writes a file under another name, and renames it.
    pub(crate) fn write(&self, name: &str, content: impl AsRef<[u8]>) {
        let (new, path) = (self.folder.join("next.tmp"), self.folder.join(name));
        fs::write(&new, content).unwrap();
        fs::File::options().write(true).open(&new).unwrap().set_modified(self.now).unwrap();
        fs::rename(new, path).unwrap();
    }

    /// Finishes a segment with this content.
    pub(crate) fn segment(&mut self, content: impl AsRef<[u8]>) {
        self.now += SEGMENT;
        let name = format!("seg_{}.m4s", self.first + self.segments.len() as u64);
        self.write(&format!("v0/{name}"), &content);
        self.segments.push((name, content.as_ref().len() as u64));
        while self.segments.len() > LISTED {
            let (old, _) = self.segments.remove(0);
            fs::remove_file(self.folder.join("v0").join(old)).unwrap();
            self.first += 1;
        }
    }

    /// Writes the playlists, with `tail` at the end.
    pub(crate) fn list(&self, tail: &str) {
        let parts = if !tail.is_empty() { "#EXT-X-PART-INF:PART-TARGET=0.5\n" } else { "" };
        let head = format!(
            "#EXTM3U\n#EXT-X-VERSION:7\n#EXT-X-TARGETDURATION:2\n#EXT-X-MEDIA-SEQUENCE:{}\n{parts}\
             #EXT-X-MAP:URI=\"{}\"\n",
            self.first, self.init
        );
        let (mut video, mut frames) = (head.clone(), format!("{head}#EXT-X-I-FRAMES-ONLY\n"));
        for (name, len) in &self.segments {
            video += &format!("{}#EXTINF:2.000,\n{name}\n", self.tags);
            frames += &format!("{}#EXTINF:2.000,\n#EXT-X-BYTERANGE:{}@0\n{name}\n", self.tags, len / 2);
        }
        self.write("v0/frames.m3u8", frames + self.end);
        self.write("v0/index.m3u8", video + tail + self.end);
    }
}

/// The current time.
pub(crate) fn now() -> SystemTime {
    UNIX_EPOCH + Duration::from_millis(SystemClock::default().now_ms().unsigned_abs())
}

/// The viewers' address of a file of the live stream.
pub(crate) fn live(file: &str) -> String {
    format!("/media/northfield/s/l{MEDIUM}/open/{file}")
}

pub(crate) fn recorded(file: &str) -> String {
    format!("/media/northfield/s/e{MEDIUM}/open/{file}")
}

pub(crate) async fn content(worker: &Worker, path: &str) -> Option<String> {
    let answer = worker.get(path).await;
    let is_there = answer.status() == StatusCode::OK;
    let body = answer.text().await.unwrap();
    is_there.then_some(body)
}

pub(crate) async fn read(worker: &Worker, path: &str) -> String {
    content(worker, path).await.unwrap_or_else(|| panic!("no {path}: {}", worker.log()))
}

/// Waits until a playlist satisfies a condition.
pub(crate) async fn playlist(worker: &Worker, path: &str, what: &str, holds: impl Fn(&str) -> bool) -> String {
    eventually(what, async || content(worker, path).await.filter(|playlist| holds(playlist))).await
}

/// Files of a playlist, with `|` at discontinuities.
pub(crate) fn named(playlist: &str) -> Vec<&str> {
    let lines = playlist.lines().filter(|line| !line.starts_with('#') || *line == "#EXT-X-DISCONTINUITY");
    lines.map(|line| if line.starts_with('#') { "|" } else { line }).collect()
}

/// Contents of a playlist's segments.
pub(crate) async fn contents(worker: &Worker, address: fn(&str) -> String, playlist: &str) -> String {
    let mut all = String::new();
    for name in named(playlist) {
        all += &if name == "|" { name.to_owned() } else { read(worker, &address(&format!("v0/{name}"))).await };
    }
    all
}

/// Writes segments a few at a time, and waits until the worker lists each. Returns the live playlist.
pub(crate) async fn broadcast(worker: &Worker, encoder: &mut Encoder, segments: &[&str]) -> String {
    let mut found = String::new();
    for some in segments.chunks(LISTED - 1) {
        let before = content(worker, &live("v0/index.m3u8")).await.unwrap_or_default();
        let last = |playlist: &str| named(playlist).last().map(|name| (*name).to_owned());
        some.iter().for_each(|content| encoder.segment(content));
        encoder.list("");
        found = playlist(worker, &live("v0/index.m3u8"), "the segments are listed", |playlist| {
            let is_moved = last(playlist) != last(&before);
            is_moved && named(playlist).len() >= some.len()
        })
        .await;
    }
    found
}
