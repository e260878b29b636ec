//! Live streams that an encoder writes into its folder (`LIVE-1`, `LIVE-2`, `LIVE-4`).

use std::fs;
use std::time::{Duration, SystemTime};

use reqwest::StatusCode;
use serde_json::json;
use tokio::time::Instant;

use crate::clips::clip;
use crate::encoder::{
    Channel, EVENT, Encoder, MEDIUM, SEGMENT, broadcast, contents, live, named, playlist, read, recorded,
};
use crate::support::{Worker, done, fresh};

/// Shows LIVE-1c, LIVE-2a, LIVE-2e.
#[tokio::test]
async fn a_growing_stream_is_served_within_its_window_with_unknown_tags_and_dates() {
    let channel = Channel::new(&json!({}));
    let worker = channel.start(&[]);
    let mut encoder = Encoder::start(&channel);
    encoder.tags = "#EXT-X-OATCLS-SCTE35:abc\n".to_owned();
    let started = encoder.now;
    let first = broadcast(&worker, &mut encoder, &["a", "b", "c"]).await;
    assert_eq!(first.matches("#EXT-X-OATCLS-SCTE35:abc\n#EXTINF:2.000,\n").count(), 3, "{first}");
    let dated = |playlist: &str, count: usize| {
        let dates = playlist.lines().filter_map(|line| line.strip_prefix("#EXT-X-PROGRAM-DATE-TIME:"));
        let dates: Vec<_> = dates.map(|date| date.parse::<jiff::Timestamp>().unwrap()).collect();
        assert_eq!(dates.len(), count, "{playlist}");
        dates
    };
    let by_file = SystemTime::from(dated(&first, 1)[0]);
    let difference = by_file.duration_since(started).unwrap_or_else(|early| early.duration());
    assert!(difference < Duration::from_millis(2), "{first}");

    // The encoder has removed the first segments, which viewers may still seek to.
    let all = broadcast(&worker, &mut encoder, &["d", "e", "f", "g"]).await;
    assert!(!encoder.folder.join("v0/seg_0.m4s").exists());
    assert_eq!(contents(&worker, live, &all).await, "abcdefg");
    // 30 s are 15 segments of 2 s.
    let window = broadcast(&worker, &mut encoder, &["x"; 12]).await;
    assert_eq!(contents(&worker, live, &window).await, "efgxxxxxxxxxxxx");

    // Dates of the encoder are passed on.
    encoder.tags = "#EXT-X-PROGRAM-DATE-TIME:2020-01-01T00:00:00Z\n".to_owned();
    let dates = dated(&broadcast(&worker, &mut encoder, &["y"]).await, 2);
    assert_eq!(dates[1].to_string(), "2020-01-01T00:00:00Z");
}

/// Shows LIVE-1d.
#[tokio::test]
async fn only_media_files_in_the_encoders_folder_are_served() {
    let channel = Channel::new(&json!({}));
    let worker = channel.start(&[]);
    let mut encoder = Encoder::start(&channel);
    let secret = channel.folder.path().join("secret.m4s");
    fs::write(&secret, "secret").unwrap();
    for name in ["a.key", "unnamed.key", "token.txt", "unlisted.m4s"] {
        encoder.write(&format!("v0/{name}"), "of the encoder");
    }
    std::os::unix::fs::symlink(&secret, encoder.folder.join("v0/link.m4s")).unwrap();
    std::os::unix::fs::symlink(channel.folder.path(), encoder.folder.join("v0/linked")).unwrap();
    encoder.tags = "#EXT-X-KEY:METHOD=AES-128,URI=\"a.key\"\n".to_owned();
    encoder.segment("a");
    for name in ["token.txt", "link.m4s", "linked/secret.m4s", "../../../../../secret.m4s"] {
        encoder.segments.push((name.to_owned(), 6));
    }
    encoder.list("");
    encoder.segments.truncate(1);
    let index =
        playlist(&worker, &live("v0/index.m3u8"), "the segment is listed", |list| list.contains("EXTINF")).await;
    assert_eq!(contents(&worker, live, &index).await, "a", "{index}");
    let key = index.split("METHOD=AES-128,URI=\"").nth(1).unwrap().split('"').next().unwrap();
    assert_eq!(read(&worker, &live(&format!("v0/{key}"))).await, "of the encoder");
    for other in ["token.txt", "link.m4s", "linked/secret.m4s", "a.key", "unnamed.key", "unlisted.m4s", "seg_0.m4s"] {
        for path in [format!("v0/{other}"), format!("v0/index-live-0/{other}")] {
            assert_eq!(worker.get(&live(&path)).await.status(), StatusCode::NOT_FOUND, "{path}");
        }
    }
}

/// Shows LIVE-2b, LIVE-2d: also in I-frames and the recording.
#[tokio::test]
async fn restarts_continue_the_numbers_with_each_segments_init_section_and_key() {
    let channel = Channel::new(&json!({}));
    let mut worker = channel.start(&[]);
    let mut encoder = Encoder::start(&channel);
    encoder.tags = "#EXT-X-KEY:METHOD=AES-128,URI=\"a.key\"\n".to_owned();
    encoder.write("v0/a.key", "key");
    broadcast(&worker, &mut encoder, &["aa", "bb"]).await;

    let mut encoder = Encoder { now: encoder.now, tags: encoder.tags.clone(), ..Encoder::start(&channel) };
    encoder.now += SEGMENT;
    encoder.write("v0/init.mp4", "init again");
    encoder.write("v0/a.key", "key again");
    let restarted = broadcast(&worker, &mut encoder, &["AA"]).await;
    assert_eq!(named(&restarted), ["index-0.m4s", "index-1.m4s", "|", "index-2.m4s"]);

    worker.kill();
    worker = channel.start(&[]);
    let continued = broadcast(&worker, &mut encoder, &["BB"]).await;
    assert_eq!(named(&continued), ["index-0.m4s", "index-1.m4s", "|", "index-2.m4s", "index-3.m4s"]);

    let expected = ["init", "key", "init again", "key again"];
    let stored = async |address: fn(&str) -> String, list: &str| {
        let uris = list.lines().filter_map(|line| line.split_once("URI=\"")?.1.split('"').next());
        let mut stored = Vec::new();
        for uri in uris {
            stored.push(read(&worker, &address(&format!("v0/{uri}"))).await);
        }
        stored.sort_unstable_by_key(|content| expected.iter().position(|expected| expected == content));
        stored.dedup();
        stored
    };
    assert_eq!(contents(&worker, live, &continued).await, "aabb|AABB");
    assert_eq!(stored(live, &continued).await, expected);
    let frames = read(&worker, &live("v0/frames.m3u8")).await;
    assert!(frames.contains("#EXT-X-I-FRAMES-ONLY\n") && frames.contains("#EXT-X-BYTERANGE:1@0\n"), "{frames}");
    assert_eq!(
        (stored(live, &frames).await, contents(&worker, live, &frames).await),
        (expected.map(str::to_owned).to_vec(), "aabb|AABB".to_owned())
    );

    channel.end(&worker).await;
    let recording = read(&worker, &recorded("v0/index.m3u8")).await;
    assert_eq!(contents(&worker, recorded, &recording).await, "aabb|AABB");
    assert_eq!(stored(recorded, &recording).await, expected);
}

/// Shows LIVE-2d: in clips, which are cut from unencrypted streams.
#[tokio::test]
async fn a_clip_has_the_init_section_of_each_segment() {
    let channel = Channel::new(&json!({}));
    let worker = channel.start(&[]);
    let mut encoder = Encoder::start(&channel);
    broadcast(&worker, &mut encoder, &["aa", "bb"]).await;
    let mut encoder = Encoder { now: encoder.now, ..Encoder::start(&channel) };
    encoder.now += SEGMENT;
    encoder.write("v0/init.mp4", "init again");
    broadcast(&worker, &mut encoder, &["AA", "BB"]).await;
    channel.end(&worker).await;
    let email = format!("{}@viewers.example", fresh("clipper"));
    let key = worker.register_as(&email).await;
    done(&channel.data, &["user", "set", "--verified", "--channel", "northfield", "--email", &email]);
    let wanted = json!({
        "api_key": key, "event_id": EVENT, "event_media_id": MEDIUM, "name": "Goal", "start_time": 0, "duration": 8,
        "tags": ["goal"],
    });
    let clip = clip(&worker, &wanted).await;
    let address = clip["url"].as_str().unwrap();
    let list = read(&worker, address).await;
    let beside = |name: &str| format!("{}/{name}", address.rsplit_once('/').unwrap().0);
    let mut files = Vec::new();
    for uri in list.lines().filter_map(|line| line.split_once("URI=\"")?.1.split('"').next()) {
        files.push(read(&worker, &beside(uri)).await);
    }
    for name in named(&list).into_iter().filter(|name| *name != "|") {
        files.push(read(&worker, &beside(name)).await);
    }
    for content in ["init", "init again", "aa", "bb", "AA", "BB"] {
        assert!(files.iter().any(|file| file == content), "{content}: {list}");
    }
}

/// An encoder without `temp_file`, which overwrites its earlier files in place. Shows LIVE-2c.
#[tokio::test]
async fn only_an_overwritten_segment_is_lost() {
    let channel = Channel::new(&json!({}));
    let worker = channel.start(&[]);
    let mut encoder = Encoder::start(&channel);
    broadcast(&worker, &mut encoder, &["a", "b", "c"]).await;
    encoder.segments.clear();
    encoder.now += 30 * SEGMENT;
    fs::write(encoder.folder.join("v0/seg_0.m4s"), "AA").unwrap();
    encoder.segments.push(("seg_0.m4s".to_owned(), 2));
    encoder.list("");
    let index = playlist(&worker, &live("v0/index.m3u8"), "the restart is listed", |list| named(list).len() == 5).await;
    let gap = index.find("#EXT-X-GAP\n").unwrap();
    assert!(gap < index.find("index-0.m4s").unwrap() && index.matches("#EXT-X-GAP").count() == 1, "{index}");
    let others: Vec<_> = named(&index).into_iter().skip(1).map(str::to_owned).collect();
    assert_eq!(contents(&worker, live, &others.join("\n")).await, "bc|AA");
    channel.end(&worker).await;
    let recording = read(&worker, &recorded("v0/index.m3u8")).await;
    assert_eq!(contents(&worker, recorded, &recording).await, "bc|AA", "{recording}");
}

/// Shows LIVE-4a: parts are passed on, and a player may wait for a part, a segment or a hint.
#[tokio::test]
async fn players_wait_for_parts_and_segments() {
    let channel = Channel::new(&json!({}));
    let worker = channel.start(&[]);
    let mut encoder = Encoder::start(&channel);
    broadcast(&worker, &mut encoder, &["a", "b"]).await;
    let hint = |part: &str| format!("#EXT-X-PRELOAD-HINT:TYPE=PART,URI=\"{part}\"\n");
    encoder.list(&hint("p0.m4s"));
    let hinted = "#EXT-X-PRELOAD-HINT:TYPE=PART,URI=\"index-live-0/p0.m4s\"\n";
    let index = playlist(&worker, &live("v0/index.m3u8"), "the hint is listed", |list| list.contains(hinted)).await;
    assert!(index.contains("#EXT-X-SERVER-CONTROL:CAN-BLOCK-RELOAD=YES"), "{index}");
    let write = async {
        encoder.write("v0/p0.m4s", "part");
        encoder.list(&format!("#EXT-X-PART:DURATION=0.5,URI=\"p0.m4s\"\n{}", hint("p1.m4s")));
    };
    let (waited, part, ()) = tokio::join!(
        read_from(&worker, "v0/index.m3u8?_HLS_msn=2&_HLS_part=0"),
        read_from(&worker, "v0/index-live-0/p0.m4s"),
        write
    );
    assert!(waited.contains("#EXT-X-PART:DURATION=0.5,URI=\"index-live-0/p0.m4s\"\n"), "{waited}");
    assert_eq!(part, "part");
    let write = async {
        encoder.segment("c");
        encoder.list("");
    };
    let (waited, ()) = tokio::join!(read_from(&worker, "v0/index.m3u8?_HLS_msn=2"), write);
    assert_eq!(named(&waited).len(), 3, "{waited}");
    // Without an update the answer is sent after 15 s.
    let start = Instant::now();
    assert_eq!(named(&read_from(&worker, "v0/index.m3u8?_HLS_msn=3").await).len(), 3);
    assert!(start.elapsed() >= Duration::from_secs(15), "{:?}", start.elapsed());
}

async fn read_from(worker: &Worker, file: &str) -> String {
    read(worker, &live(file)).await
}

/// Shows LIVE-4b: of an encoder that lists no I-frames, like ffmpeg.
#[tokio::test]
async fn key_frames_of_the_lowest_quality_are_listed_and_stored_with_the_recording() {
    let channel = Channel::new(&json!({}));
    let worker = channel.start(&[]);
    let mut encoder = Encoder::start(&channel);
    broadcast(&worker, &mut encoder, &["passed on"]).await;
    let frames = read_from(&worker, "v0/frames.m3u8").await;
    assert!(
        read_from(&worker, "master.m3u8").await.contains("URI=\"v0/frames.m3u8\"") && frames.contains("BYTERANGE:4@0")
    );

    let demo = channel.root.join("northfield/media/hls/court/v1");
    let channel = Channel::new(&json!({}));
    let worker = channel.start(&[]);
    let mut encoder = Encoder::start(&channel);
    let master = "#EXTM3U\n#EXT-X-STREAM-INF:BANDWIDTH=100,RESOLUTION=426x240,CODECS=\"mp4a.40.2,avc1.42c015\"\n\
                  v0/index.m3u8\n#EXT-X-STREAM-INF:BANDWIDTH=900,CODECS=\"avc1.42c015\"\nv1/index.m3u8\n";
    encoder.write("master.m3u8", master);
    encoder.write("v0/init.mp4", fs::read(demo.join("init_1.mp4")).unwrap());
    for number in 0..3 {
        encoder.segment(fs::read(demo.join(format!("seg_00{number}.m4s"))).unwrap());
    }
    encoder.list("");
    fs::remove_file(encoder.folder.join("v0/frames.m3u8")).unwrap();
    playlist(&worker, &live("v0/index.m3u8"), "the segments are listed", |list| named(list).len() == 3).await;
    let line = ",RESOLUTION=426x240,CODECS=\"avc1.42c015\",URI=\"v0/index-pictures.m3u8\"\n";
    let entry = read_from(&worker, "master.m3u8").await;
    assert!(entry.starts_with(master) && entry.ends_with(line), "{entry}");
    let pictures = read_from(&worker, "v0/index-pictures.m3u8").await;
    let ranges = |list: &str| -> Vec<_> {
        list.lines().filter(|line| line.starts_with("#EXT-X-BYTERANGE:")).take(3).map(str::to_owned).collect()
    };
    // The demo's I-frame playlist was created by another program.
    let expected = ranges(&fs::read_to_string(demo.join("iframes.m3u8")).unwrap());
    assert_eq!(ranges(&pictures), expected);
    channel.end(&worker).await;
    assert!(read(&worker, &recorded("master.m3u8")).await.ends_with(line));
    assert_eq!(ranges(&read(&worker, &recorded("v0/index-pictures.m3u8")).await), expected);
}
