//! The end of live streams, and their recordings (`LIVE-3`, `LIVE-5`).

use std::fs;
use std::time::Duration;

use reqwest::{Method, StatusCode};
use serde_json::{Value, json};

use crate::clips::clip;
use crate::encoder::{
    Channel, EVENT, Encoder, MEDIUM, broadcast, content, contents, live, named, now, playlist, read, recorded,
};
use crate::support::{Worker, done, eventually, fresh, run, text};

const ENDED: &str = "#EXT-X-ENDLIST";

async fn becomes_ended(worker: &Worker, is_ended: bool) -> String {
    playlist(worker, &live("v0/index.m3u8"), "the stream's end", |list| list.contains(ENDED) == is_ended).await
}

/// Shows LIVE-3a, LIVE-3b.
#[tokio::test]
async fn a_broadcast_ends_by_encoder_silence_or_event_and_becomes_its_recording() {
    let channel = Channel::new(&json!({}));
    let file = channel.root.join("northfield/channel.json");
    let mut rules: Value = serde_json::from_slice(&fs::read(&file).unwrap()).unwrap();
    rules["live"] = json!({ "silence_s": 10 });
    fs::write(file, rules.to_string()).unwrap();
    let worker = channel.start(&[]);
    let mut encoder = Encoder::start(&channel);
    let demo = channel.root.join("northfield/media/hls/court/v1");
    encoder.write("v0/init.mp4", fs::read(demo.join("init_1.mp4")).unwrap());
    let segments = [0, 1, 2].map(|number| fs::read(demo.join(format!("seg_00{number}.m4s"))).unwrap());
    let next = |encoder: &mut Encoder, number: usize| {
        encoder.segment(&segments[number]);
        encoder.list("");
    };
    // No other segment follows for ten seconds.
    next(&mut encoder, 0);
    becomes_ended(&worker, true).await;
    encoder.now = now() - Duration::from_secs(4);
    next(&mut encoder, 1);
    becomes_ended(&worker, false).await;
    encoder.end = "#EXT-X-ENDLIST\n";
    encoder.list("");
    becomes_ended(&worker, true).await;
    encoder.end = "";
    next(&mut encoder, 2);
    becomes_ended(&worker, false).await;
    channel.end(&worker).await;
    let last = becomes_ended(&worker, true).await;
    assert_eq!(named(&last).into_iter().filter(|name| *name != "|").count(), 3, "{last}");
    let recording = read(&worker, &recorded("v0/index.m3u8")).await;
    assert!(recording.contains("#EXT-X-PLAYLIST-TYPE:VOD\n") && recording.ends_with("#EXT-X-ENDLIST\n"), "{recording}");
    for (name, segment) in named(&recording).into_iter().filter(|name| *name != "|").zip(&segments) {
        let file = worker.get(&recorded(&format!("v0/{name}"))).await.bytes().await.unwrap();
        assert!(file[..] == segment[..], "{name}");
    }

    // It is clipped and downloaded like any recording.
    let email = format!("{}@viewers.example", fresh("clipper"));
    let key = worker.register_as(&email).await;
    let person = ["--channel", "northfield", "--email", &email];
    let rights = ["user", "set", "--verified", "--capabilities", "watch,clipping,download"];
    done(&channel.data, &[&rights[..], &person].concat());
    let wanted = json!({
        "api_key": key, "event_id": EVENT, "event_media_id": MEDIUM, "name": "Goal", "start_time": 0, "duration": 2,
        "tags": ["goal"],
    });
    clip(&worker, &wanted).await;
    let link = format!("download-event/{EVENT}?api_key={key}");
    // Changed rights end addresses for up to a second.
    let file = eventually("the recording is downloaded", async || {
        let download = worker.data(Method::GET, &link, &Value::Null).await;
        let file = worker.get(download["download_url"].as_str().unwrap()).await;
        (file.status() == StatusCode::OK).then_some(file)
    })
    .await;
    let whole: usize = segments.iter().map(Vec::len).sum();
    assert!(file.bytes().await.unwrap().len() > whole);
}

/// Shows LIVE-3b, LIVE-3c.
#[tokio::test]
async fn an_unrecorded_or_full_recording_leaves_the_live_stream() {
    for (medium, more, is_recorded) in
        [(json!({ "record": false }), &[][..], false), (json!({}), &["--live-recordings-bytes", "8"][..], true)]
    {
        let channel = Channel::new(&medium);
        let worker = channel.start(more);
        let mut encoder = Encoder::start(&channel);
        let all = broadcast(&worker, &mut encoder, &["aa", "bb", "cc", "dd", "ee", "ff"]).await;
        assert_eq!(contents(&worker, live, &all).await, "aabbccddeeff", "the live stream continues");
        channel.end(&worker).await;
        let recording = content(&worker, &recorded("v0/index.m3u8")).await;
        assert_eq!(recording.is_some(), is_recorded, "{recording:?}");
        if let Some(recording) = recording {
            assert!(named(&recording).len() < 6, "{recording}");
        }
    }
}

/// Shows LIVE-5c.
#[test]
fn paid_or_blocked_media_are_direct_only_if_their_host_protects_them() {
    let direct = |more: Value| {
        let address = "https://live.example/court/master.m3u8";
        let mut medium = json!({ "id": MEDIUM, "type": 2, "source": "direct", "path": address });
        medium.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        medium
    };
    for (event, medium, is_accepted) in [
        (json!({}), direct(json!({})), true),
        (json!({ "access_type": "paid", "type": "paid" }), direct(json!({})), false),
        (json!({ "access_type": "paid", "type": "paid" }), direct(json!({ "host_protects": true })), true),
        (json!({ "geo": { "deny": ["KP"] } }), direct(json!({})), false),
        (json!({ "geo": { "deny": ["KP"] } }), direct(json!({ "host_protects": true })), true),
    ] {
        let channel = Channel::new(&json!({}));
        channel.change(&event);
        channel.change(&json!({ "media": [medium] }));
        let checked = run(channel.folder.path(), &["check", "--channels", channel.root.to_str().unwrap()]);
        let faults = text(&checked.stderr);
        assert_eq!(checked.status.success(), is_accepted, "{event} {medium}: {faults}");
        assert_eq!(faults.contains("must not be `direct`"), !is_accepted, "{event} {medium}: {faults}");
    }
}
