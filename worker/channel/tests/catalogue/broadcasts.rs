//! Live streams from an encoder's folder (`LIVE-1` to `LIVE-4`): a scripted encoder, with a stopped clock.

use std::fs;
use std::path::PathBuf;
use std::time::{Duration, UNIX_EPOCH};

use axum::http::header;
use serde_json::json;
use touchline_channel::catalogue::FolderSource;
use touchline_protocol::ambient::Clock;
use touchline_protocol::purchases::OrderType;

use crate::app::{Answer, App, ChannelFolder};

/// Length of a segment, in milliseconds.
const SEGMENT_MS: i64 = 2_000;

/// An app with an encoder that writes event 1 to `court`.
pub(super) async fn on_air(medium: serde_json::Value, recordings_bytes: u64) -> (App, ChannelFolder) {
    on_air_in(ChannelFolder::copied(), medium, recordings_bytes).await
}

/// The same in a channel that a test prepared.
async fn on_air_in(channel: ChannelFolder, medium: serde_json::Value, recordings_bytes: u64) -> (App, ChannelFolder) {
    let mut record = json!({ "id": 12, "type": 2, "source": "folder", "path": "court/master.m3u8", "dvr_s": 30 });
    record.as_object_mut().unwrap().extend(medium.as_object().unwrap().clone());
    channel.set("events.json", "/0/media", json!([record]));
    let app = App::with(|options| {
        options.source = std::sync::Arc::new(FolderSource::new(channel.path()));
        options.broadcasts.recordings_bytes = recordings_bytes;
    })
    .await;
    (app, channel)
}

/// An encoder with one quality, `v0`, and its I-frames.
struct Encoder<'a> {
    app: &'a App,
    folder: PathBuf,
    first: u64,
    segments: Vec<(String, u64)>,
    end: &'static str,
}

impl<'a> Encoder<'a> {
    fn begin(app: &'a App) -> Self {
        let folder = app.folder.path().join("live/meadow/court");
        fs::create_dir_all(folder.join("v0")).unwrap();
        let master = "#EXTM3U\n#EXT-X-STREAM-INF:BANDWIDTH=100\nv0/index.m3u8\n\
                      #EXT-X-I-FRAME-STREAM-INF:BANDWIDTH=9,URI=\"v0/frames.m3u8\"\n";
        fs::write(folder.join("master.m3u8"), master).unwrap();
        let encoder = Self { app, folder, first: 0, segments: Vec::new(), end: "" };
        encoder.write("v0/init.mp4", "init");
        encoder
    }

    /// Writes a file with the time of the app's clock.
    fn write(&self, name: &str, content: impl AsRef<[u8]>) {
        let path = self.folder.join(name);
        fs::write(&path, content).unwrap();
        let now = UNIX_EPOCH + Duration::from_millis(self.app.clock.now_ms().unsigned_abs());
        fs::File::options().write(true).open(path).unwrap().set_modified(now).unwrap();
    }

    /// Finishes a segment with this content: written to a temporary file and renamed, like ffmpeg with `temp_file`.
    fn segment(&mut self, content: impl AsRef<[u8]>) {
        self.app.clock.advance_ms(SEGMENT_MS);
        let name = format!("seg_{}.m4s", self.first + self.segments.len() as u64);
        self.write("v0/next.tmp", &content);
        fs::rename(self.folder.join("v0/next.tmp"), self.folder.join("v0").join(&name)).unwrap();
        self.segments.push((name, content.as_ref().len() as u64));
        while self.segments.len() > 4 {
            let (old, _) = self.segments.remove(0);
            fs::remove_file(self.folder.join("v0").join(old)).unwrap();
            self.first += 1;
        }
        self.write_playlists("");
    }

    /// Rewrites the playlists with `tail` at the end, and lets the worker scan.
    fn write_playlists(&self, tail: &str) {
        let head =
            format!("#EXTM3U\n#EXT-X-VERSION:7\n#EXT-X-TARGETDURATION:2\n#EXT-X-MEDIA-SEQUENCE:{}\n", self.first);
        let (mut video, mut frames) = (head.clone(), format!("{head}#EXT-X-I-FRAMES-ONLY\n"));
        let parts = if tail.contains("EXT-X-PART") { "#EXT-X-PART-INF:PART-TARGET=0.5\n" } else { "" };
        video += &format!("{parts}#EXT-X-MAP:URI=\"init.mp4\"\n");
        frames += "#EXT-X-MAP:URI=\"init.mp4\"\n";
        for (name, len) in &self.segments {
            video += &format!("#EXT-X-OWN:{name}\n#EXTINF:2.000,\n{name}\n");
            frames += &format!("#EXTINF:2.000,\n#EXT-X-BYTERANGE:{}@0\n{name}\n", len / 2);
        }
        for (file, text) in [("index", video + tail + self.end), ("frames", frames + self.end)] {
            fs::write(self.folder.join(format!("v0/{file}.new")), text).unwrap();
            let playlist = self.folder.join(format!("v0/{file}.m3u8"));
            fs::rename(self.folder.join(format!("v0/{file}.new")), playlist).unwrap();
        }
        scan(self.app);
    }
}

pub(super) fn scan(app: &App) {
    let channel = app.state.channels.by_key("meadow").unwrap();
    app.state.broadcasts.pass(&channel.files.ingests);
}

/// Address of the live stream for a buyer of the event.
pub(super) async fn live(app: &App) -> String {
    let owner = app.person_with_rights("owner", &["watch"]).await;
    app.owns(&owner, OrderType::Event, 1, &[], None).await;
    app.playback(&owner.key, 1, 2).await.data()["playback_url"].as_str().unwrap().to_owned()
}

pub(super) fn beside(url: &str, file: &str) -> String {
    format!("{}/{file}", url.rsplit_once('/').unwrap().0)
}

pub(super) async fn text(app: &App, url: &str, file: &str) -> String {
    let answer = app.fetch(&beside(url, file), None).await;
    assert_eq!(answer.status, 200, "{file}");
    String::from_utf8(answer.body.to_vec()).unwrap()
}

/// Files of a playlist, with `|` at discontinuities.
pub(super) fn named(playlist: &str) -> Vec<&str> {
    let lines = playlist.lines().filter(|line| !line.starts_with('#') || *line == "#EXT-X-DISCONTINUITY");
    lines.map(|line| if line.starts_with('#') { "|" } else { line }).collect()
}

/// Contents of a playlist's segments.
async fn contents(app: &App, url: &str, playlist: &str) -> String {
    let mut all = String::new();
    for name in named(playlist) {
        let content = if name == "|" { "|".to_owned() } else { text(app, url, &format!("v0/{name}")).await };
        all.push_str(&content);
    }
    all
}

#[tokio::test]
async fn a_growing_live_stream_is_served_within_its_window() {
    let (app, _channel) = on_air(json!({}), u64::MAX).await;
    let url = live(&app).await;
    app.fetch(&url, None).await.fails(404, "not_found");
    let mut encoder = Encoder::begin(&app);
    ["a", "b", "c"].into_iter().for_each(|content| encoder.segment(content));
    assert!(text(&app, &url, "master.m3u8").await.contains("v0/index.m3u8"));
    let playlist = text(&app, &url, "v0/index.m3u8").await;
    assert_eq!(named(&playlist), ["index-0.m4s", "index-1.m4s", "index-2.m4s"]);
    assert!(playlist.contains("#EXT-X-MAP:URI=\"index-init-0.mp4\"\n"), "{playlist}");
    assert!(playlist.contains("#EXT-X-OWN:seg_1.m4s\n#EXTINF:2.000,\n"), "unknown tags pass through: {playlist}");
    assert_eq!(app.fetch(&beside(&url, "v0/index.m3u8"), None).await.header(header::CACHE_CONTROL), "no-store");
    assert_eq!(text(&app, &url, "v0/index-init-0.mp4").await, "init");
    ["d", "e", "f", "g"].into_iter().for_each(|content| encoder.segment(content));
    assert!(!encoder.folder.join("v0/seg_0.m4s").exists());
    let playlist = text(&app, &url, "v0/index.m3u8").await;
    assert_eq!(contents(&app, &url, &playlist).await, "abcdefg");
    // 30 s are 15 segments of 2 s.
    for _ in 0..20 {
        encoder.segment("x");
    }
    let playlist = text(&app, &url, "v0/index.m3u8").await;
    assert_eq!(named(&playlist).len(), 15);
    assert!(playlist.contains("#EXT-X-MEDIA-SEQUENCE:12\n"), "{playlist}");
    // No other file of the folder is served, and none of the notes beside the segments.
    for other in ["v0/seg_26.m4s", "0.segments.jsonl", "master.copy", "v0/index-live-0/seg_26.m4s", "v0/../x"] {
        app.fetch(&beside(&url, other), None).await.fails(404, "not_found");
    }
}

/// `MEDIA-1`, `GEO-1`: each rule, for each kind of file.
#[tokio::test]
async fn viewers_without_access_get_nothing_of_a_live_stream() {
    let (app, _channel) = on_air(json!({}), u64::MAX).await;
    let url = live(&app).await;
    let mut encoder = Encoder::begin(&app);
    encoder.segment("a");
    let pass = url.split('/').nth(5).unwrap().to_owned();
    let files = ["master.m3u8", "v0/index.m3u8", "v0/index-0.m4s", "v0/frames.m3u8", "v0/frames-0.m4s"];
    for file in files {
        let address = beside(&url, file);
        assert_eq!(app.fetch(&address, None).await.status, 200, "{file}");
        app.fetch(&address.replace(&pass, "open"), None).await.fails(403, "media_unsigned");
        app.fetch(&address.replace("/l12/", "/e12/"), None).await.fails(403, "media_unsigned");
        app.fetch(&address.replace("/l12/", "/l42/"), None).await.fails(403, "media_unsigned");
        app.fetch(&address, Some("KP")).await.fails(403, "geo_blocked");
    }
    app.clock.advance_ms(6 * 3600 * 1000);
    for file in files {
        app.fetch(&beside(&url, file), None).await.fails(403, "media_expired");
    }
}

#[tokio::test]
async fn i_frames_are_byte_ranges_of_stored_segments() {
    let (app, _channel) = on_air(json!({}), u64::MAX).await;
    let url = live(&app).await;
    let mut encoder = Encoder::begin(&app);
    for content in ["aabb", "ccdd", "eeff", "gghh", "iijj", "kkll"] {
        encoder.segment(content);
    }
    let frames = text(&app, &url, "v0/frames.m3u8").await;
    assert!(frames.contains("#EXT-X-I-FRAMES-ONLY\n") && frames.contains("#EXT-X-BYTERANGE:2@0\n"), "{frames}");
    assert_eq!(contents(&app, &url, &frames).await, "aabbccddeeffgghhiijjkkll");
    let part = app.fetch_with(&[("range", "bytes=0-1")], &beside(&url, "v0/frames-0.m4s")).await;
    assert_eq!((part.status.as_u16(), &part.body[..]), (206, &b"aa"[..]));
}

/// Like ffmpeg's, the encoder's output has no I-frame playlist: the worker finds the end of each segment's first
/// picture.
#[tokio::test]
async fn seek_pictures_come_from_the_smallest_quality_and_stay_in_the_recording() {
    let (app, _channel) = on_air(json!({}), u64::MAX).await;
    let url = live(&app).await;
    let demo = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../fixtures/channels/northfield/media/hls/court/v1");
    let mut encoder = Encoder::begin(&app);
    let master = "#EXTM3U\n#EXT-X-STREAM-INF:BANDWIDTH=9,CODECS=\"mp4a.40.2\"\nv1/index.m3u8\n\
                  #EXT-X-STREAM-INF:BANDWIDTH=100,RESOLUTION=426x240,CODECS=\"mp4a.40.2,avc1.42c015\"\nv0/index.m3u8\n";
    encoder.write("master.m3u8", master);
    encoder.write("v0/init.mp4", fs::read(demo.join("init_1.mp4")).unwrap());
    for number in 0..3 {
        encoder.segment(fs::read(demo.join(format!("seg_00{number}.m4s"))).unwrap());
    }
    let named_there = text(&app, &url, "master.m3u8").await;
    let line = ",RESOLUTION=426x240,CODECS=\"avc1.42c015\",URI=\"v0/index-pictures.m3u8\"\n";
    assert!(named_there.starts_with(master) && named_there.ends_with(line), "{named_there}");
    let pictures = text(&app, &url, "v0/index-pictures.m3u8").await;
    let ranges: Vec<_> = pictures.lines().filter(|line| line.starts_with("#EXT-X-BYTERANGE:")).collect();
    // The demo's I-frame playlist was created by another program.
    let demos = fs::read_to_string(demo.join("iframes.m3u8")).unwrap();
    let expected: Vec<_> = demos.lines().filter(|line| line.starts_with("#EXT-X-BYTERANGE:")).take(3).collect();
    assert_eq!(ranges, expected);
    assert!(pictures.contains("#EXT-X-I-FRAMES-ONLY\n") && !pictures.contains("ENDLIST"), "{pictures}");
    assert_eq!(named(&pictures), named(&text(&app, &url, "v0/index.m3u8").await));
    let pass = url.split('/').nth(5).unwrap().to_owned();
    let address = beside(&url, "v0/index-pictures.m3u8");
    app.fetch(&address.replace(&pass, "open"), None).await.fails(403, "media_unsigned");
    app.fetch(&address, Some("KP")).await.fails(403, "geo_blocked");
    // A segment that is not MP4 leaves a gap.
    encoder.segment("junk");
    assert!(text(&app, &url, "v0/index-pictures.m3u8").await.contains("#EXT-X-GAP\nindex-3.m4s\n"));
    app.clock.advance_ms(2 * 3600 * 1000);
    let recording = recorded(&app).await;
    assert!(text(&app, &recording, "master.m3u8").await.ends_with(line));
    let pictures = text(&app, &recording, "v0/index-pictures.m3u8").await;
    assert!(pictures.contains(expected[0]) && pictures.contains("#EXT-X-ENDLIST"), "{pictures}");
}

#[tokio::test]
async fn a_restarted_encoder_continues_after_a_discontinuity() {
    let (app, _channel) = on_air(json!({}), u64::MAX).await;
    let url = live(&app).await;
    let mut encoder = Encoder::begin(&app);
    ["a", "b", "c"].into_iter().for_each(|content| encoder.segment(content));
    drop(encoder);
    let mut encoder = Encoder::begin(&app);
    encoder.write("v0/init.new", "init section after the restart");
    fs::rename(encoder.folder.join("v0/init.new"), encoder.folder.join("v0/init.mp4")).unwrap();
    ["A", "B"].into_iter().for_each(|content| encoder.segment(content));
    let playlist = text(&app, &url, "v0/index.m3u8").await;
    assert_eq!(contents(&app, &url, &playlist).await, "abc|AB", "{playlist}");
    assert_eq!(named(&playlist)[4], "index-3.m4s");
    assert!(playlist.contains("#EXT-X-DISCONTINUITY\n#EXT-X-MAP:URI=\"index-init-3.mp4\"\n"), "{playlist}");
    for _ in 0..20 {
        encoder.segment("x");
    }
    let playlist = text(&app, &url, "v0/index.m3u8").await;
    assert!(playlist.contains("#EXT-X-DISCONTINUITY-SEQUENCE:1\n"), "{playlist}");
}

/// The worker reads the last segments when the next run has already truncated the init section.
#[tokio::test]
async fn finished_segments_retain_their_init_section_and_key() {
    let (app, _channel) = on_air(json!({}), u64::MAX).await;
    let url = live(&app).await;
    let mut encoder = Encoder::begin(&app);
    encoder.segment("a");
    encoder.write("v0/seg_1.m4s", "b");
    encoder.segments.push(("seg_1.m4s".to_owned(), 1));
    app.clock.advance_ms(100);
    encoder.write("v0/init.mp4", "");
    encoder.write_playlists("");
    let playlist = text(&app, &url, "v0/index.m3u8").await;
    assert_eq!(contents(&app, &url, &playlist).await, "ab", "{playlist}");
    encoder.write("v0/init.mp4", "another");
    encoder.segments.clear();
    encoder.segment("A");
    let playlist = text(&app, &url, "v0/index.m3u8").await;
    assert_eq!(contents(&app, &url, &playlist).await, "ab|A", "{playlist}");
    let inits = playlist.lines().filter_map(|line| line.strip_prefix("#EXT-X-MAP:URI=\"")?.strip_suffix('"'));
    let mut stored = Vec::new();
    for init in inits {
        stored.push(text(&app, &url, &format!("v0/{init}")).await);
    }
    assert_eq!(stored, ["init", "another"], "{playlist}");
}

/// Players seek by the time of day and measure their delay.
#[tokio::test]
async fn live_playlists_have_dates_unless_the_encoder_writes_them() {
    let (app, _channel) = on_air(json!({}), u64::MAX).await;
    let url = live(&app).await;
    let start_ms = app.clock.now_ms();
    let mut encoder = Encoder::begin(&app);
    ["a", "b"].into_iter().for_each(|content| encoder.segment(content));
    let dates = |playlist: &str| {
        let values = playlist.lines().filter_map(|line| line.strip_prefix("#EXT-X-PROGRAM-DATE-TIME:"));
        values.map(str::to_owned).collect::<Vec<_>>()
    };
    assert_eq!(start_ms, 1_800_000_000_000);
    let playlist = text(&app, &url, "v0/index.m3u8").await;
    assert_eq!(dates(&playlist), ["2027-01-15T08:00:00.000Z"], "{playlist}");
    assert_eq!(dates(&text(&app, &url, "v0/frames.m3u8").await), ["2027-01-15T08:00:00.000Z"]);
    drop(encoder);
    app.clock.advance_ms(10_000);
    let mut encoder = Encoder::begin(&app);
    encoder.segment("c");
    let playlist = text(&app, &url, "v0/index.m3u8").await;
    assert_eq!(dates(&playlist), ["2027-01-15T08:00:00.000Z", "2027-01-15T08:00:14.000Z"], "{playlist}");
    encoder.segments[0].0 = "seg_0.m4s\n#EXT-X-PROGRAM-DATE-TIME:2020-01-01T00:00:00Z".to_owned();
    encoder.segment("d");
    let playlist = text(&app, &url, "v0/index.m3u8").await;
    assert_eq!(dates(&playlist)[2..], ["2020-01-01T00:00:00Z"], "{playlist}");
}

/// An encoder that overwrites its earlier files in place, like ffmpeg without `temp_file`.
#[tokio::test]
async fn an_encoder_loses_only_the_files_it_overwrites() {
    let (app, _channel) = on_air(json!({}), u64::MAX).await;
    let url = live(&app).await;
    let mut encoder = Encoder::begin(&app);
    ["a", "b", "c"].into_iter().for_each(|content| encoder.segment(content));
    encoder.segments.clear();
    app.clock.advance_ms(60_000);
    for (index, content) in ["AA", "BB"].into_iter().enumerate() {
        encoder.write(&format!("v0/seg_{index}.m4s"), content);
        encoder.segments.push((format!("seg_{index}.m4s"), 2));
        encoder.write_playlists("");
    }
    let playlist = text(&app, &url, "v0/index.m3u8").await;
    let gap = playlist.find("#EXT-X-GAP\n").unwrap();
    assert!(gap < playlist.find("index-0.m4s").unwrap() && playlist.matches("#EXT-X-GAP").count() == 1, "{playlist}");
    assert_eq!(contents(&app, &url, &playlist).await, "AAbc|AABB", "{playlist}");
    app.clock.advance_ms(2 * 3600 * 1000);
    let recording = url.replace("/l12/", "/e12/");
    app.fetch(&recording, None).await.fails(403, "media_unsigned");
    let recording = recorded(&app).await;
    let playlist = text(&app, &recording, "v0/index.m3u8").await;
    assert_eq!(contents(&app, &recording, &playlist).await, "bc|AABB", "{playlist}");
}

/// Address of the recording.
pub(super) async fn recorded(app: &App) -> String {
    let viewer = app.person_with_rights("later", &["watch"]).await;
    app.owns(&viewer, OrderType::Event, 1, &[], None).await;
    app.playback(&viewer.key, 1, 3).await.data()["playback_url"].as_str().unwrap().to_owned()
}

#[tokio::test]
async fn a_live_stream_ends_by_encoder_silence_or_clock_and_becomes_its_recording() {
    let (app, _channel) = on_air(json!({}), u64::MAX).await;
    let url = live(&app).await;
    let mut encoder = Encoder::begin(&app);
    for _ in 0..20 {
        encoder.segment("x");
    }
    let ends = async || text(&app, &url, "v0/index.m3u8").await.contains("#EXT-X-ENDLIST");
    assert!(!ends().await);
    app.clock.advance_ms(61_000);
    assert!(ends().await, "silent for more than a minute");
    encoder.segment("y");
    assert!(!ends().await, "the stream is back");
    encoder.end = "#EXT-X-ENDLIST\n";
    encoder.write_playlists("");
    assert!(ends().await);
    encoder.end = "";
    encoder.segment("z");
    assert!(!ends().await);
    app.clock.advance_ms(2 * 3600 * 1000);
    assert!(ends().await, "the event is over");
    let recording = recorded(&app).await;
    let playlist = text(&app, &recording, "v0/index.m3u8").await;
    assert_eq!(named(&playlist).len(), 22, "the whole stream, not only the window");
    assert!(playlist.contains("#EXT-X-PLAYLIST-TYPE:VOD\n") && playlist.ends_with("#EXT-X-ENDLIST\n"), "{playlist}");
    assert!(contents(&app, &recording, &playlist).await.ends_with("xyz"));

    // Another worker continues from the stored state.
    let app = app.restarted_unchanged().await;
    let again = text(&app, &recording, "v0/index.m3u8").await;
    assert_eq!(again, playlist);
    assert!(contents(&app, &recording, &again).await.ends_with("xyz"));
}

#[tokio::test]
async fn a_restarted_worker_continues_a_live_stream() {
    let (app, _channel) = on_air(json!({}), u64::MAX).await;
    let url = live(&app).await;
    let mut encoder = Encoder::begin(&app);
    ["a", "b", "c"].into_iter().for_each(|content| encoder.segment(content));
    let (first, segments) = (encoder.first, encoder.segments.clone());
    let app = app.restarted_unchanged().await;
    let mut encoder = Encoder { first, segments, ..Encoder::begin(&app) };
    encoder.segment("d");
    let playlist = text(&app, &url, "v0/index.m3u8").await;
    assert_eq!(contents(&app, &url, &playlist).await, "abcd", "{playlist}");
}

#[tokio::test]
async fn unrecorded_segments_expire_and_a_full_recording_does_not_stop_the_stream() {
    for (medium, cap, own) in [
        (json!({ "record": false }), u64::MAX, json!({})),
        (json!({}), 8, json!({})),
        (json!({}), u64::MAX, json!({ "recordings_bytes": 8 })),
    ] {
        let channel = ChannelFolder::copied();
        let is_recorded = medium == json!({});
        channel.set("channel.json", "/disk", own);
        let (app, _channel) = on_air_in(channel, medium, cap).await;
        let url = live(&app).await;
        let mut encoder = Encoder::begin(&app);
        for _ in 0..80 {
            encoder.segment("xx");
        }
        let file_count = fs::read_dir(app.folder.path().join("recordings/meadow/12/v0")).unwrap().count();
        // Two renditions of 15 segments, and half a minute for clients with an earlier playlist.
        assert!(file_count < 2 * 50 + 10, "{file_count}");
        assert_eq!(named(&text(&app, &url, "v0/index.m3u8").await).len(), 15);
        app.clock.advance_ms(2 * 3600 * 1000);
        let recording = recorded(&app).await;
        let answer: Answer = app.fetch(&beside(&recording, "v0/index.m3u8"), None).await;
        if is_recorded {
            assert!(named(std::str::from_utf8(&answer.body).unwrap()).len() < 9);
        } else {
            answer.fails(404, "not_found");
        }
    }
}

/// `LIVE-4`.
#[tokio::test]
async fn parts_are_served_and_players_can_wait_for_them() {
    let (app, _channel) = on_air(json!({}), u64::MAX).await;
    let url = live(&app).await;
    let mut encoder = Encoder::begin(&app);
    ["a", "b"].into_iter().for_each(|content| encoder.segment(content));
    let hint = |part: &str| format!("#EXT-X-PRELOAD-HINT:TYPE=PART,URI=\"{part}\"\n");
    encoder.write_playlists(&format!("#EXT-X-PART-INF:PART-TARGET=0.5\n{}", hint("p0.m4s")));
    let playlist = text(&app, &url, "v0/index.m3u8").await;
    assert!(playlist.contains("#EXT-X-SERVER-CONTROL:CAN-BLOCK-RELOAD=YES,PART-HOLD-BACK=1.500\n"), "{playlist}");
    assert!(playlist.contains("#EXT-X-PRELOAD-HINT:TYPE=PART,URI=\"index-live-0/p0.m4s\"\n"), "{playlist}");
    let write = async {
        tokio::task::yield_now().await;
        encoder.write("v0/p0.m4s", "part");
        encoder.write_playlists(&format!("#EXT-X-PART:DURATION=0.5,URI=\"p0.m4s\"\n{}", hint("p1.m4s")));
    };
    let (waited, part, ()) = tokio::join!(
        text(&app, &url, "v0/index.m3u8?_HLS_msn=2&_HLS_part=0"),
        text(&app, &url, "v0/index-live-0/p0.m4s"),
        write
    );
    assert!(waited.contains("#EXT-X-PART:DURATION=0.5,URI=\"index-live-0/p0.m4s\"\n"), "{waited}");
    assert_eq!(part, "part");
    // A segment that exists, or is too far ahead, is not waited for.
    for query in ["_HLS_msn=1", "_HLS_msn=2&_HLS_part=0", "_HLS_msn=99"] {
        text(&app, &url, &format!("v0/index.m3u8?{query}")).await;
    }
}

#[tokio::test]
async fn blocking_requests_time_out() {
    let (app, _channel) = on_air(json!({}), u64::MAX).await;
    let url = live(&app).await;
    Encoder::begin(&app).segment("a");
    tokio::time::pause();
    let start = tokio::time::Instant::now();
    let playlist = text(&app, &url, "v0/index.m3u8?_HLS_msn=1").await;
    assert_eq!(named(&playlist), ["index-0.m4s"]);
    assert_eq!(start.elapsed().as_secs(), 15);
}
