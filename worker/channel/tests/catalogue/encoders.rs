//! Output of ffmpeg as the encoder (`LIVE-2`, `LIVE-3`): each segment decodes after restarts with other settings.

use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, UNIX_EPOCH};

use serde_json::{Value, json};
use touchline_channel::clips::worker;
use touchline_protocol::ambient::Clock;
use touchline_protocol::purchases::OrderType;

use super::broadcasts::{beside, live, on_air, recorded, scan, text};
use crate::app::{App, NOW};

/// Segments of 2 s in a run of the encoder.
const SEGMENTS: usize = 2;
const SOUND: &str = "-f lavfi -i sine -c:a aac";

/// Runs the encoder for 4 s, as documented, into the folder that it used before. The files get the time of the app's
/// clock.
fn encode(app: &App, picture: &str, codec: &str, sound: &str) {
    let folder = app.folder.path().join("live/meadow/court");
    fs::create_dir_all(&folder).unwrap();
    let input = format!("-nostdin -y -v error -f lavfi -i testsrc2={picture}");
    let output = "-t 4 -preset ultrafast -force_key_frames expr:gte(t,n_forced*2) -f hls -hls_time 2 -hls_list_size 6 \
                  -hls_segment_type fmp4 -hls_flags delete_segments+temp_file+independent_segments \
                  -master_pl_name master.m3u8 index.m3u8";
    let arguments = format!("{input} {sound} -c:v {codec} {output}");
    ffmpeg(&arguments.split_whitespace().collect::<Vec<_>>(), &folder);
    app.clock.advance_ms(4_000);
    let files = fs::read_dir(&folder).unwrap().map(|entry| fs::File::options().write(true).open(entry.unwrap().path()));
    let started = UNIX_EPOCH + Duration::from_secs(NOW.unsigned_abs());
    let modified = |file: &fs::File| file.metadata().unwrap().modified().unwrap();
    let written: Vec<_> = files.map(Result::unwrap).filter(|file| modified(file) < started).collect();
    let newest = written.iter().map(modified).max().unwrap();
    let now = UNIX_EPOCH + Duration::from_millis(app.clock.now_ms().unsigned_abs());
    for file in written {
        file.set_modified(now - newest.duration_since(modified(&file)).unwrap()).unwrap();
    }
    scan(app);
}

/// Runs ffmpeg, which must not report anything, and returns its output.
fn ffmpeg(arguments: &[&str], folder: &Path) -> Vec<u8> {
    let command = Command::new("ffmpeg").args(arguments).current_dir(folder).stdin(Stdio::null()).output();
    let output = command.unwrap();
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success() && errors.is_empty(), "{arguments:?}: {errors}");
    output.stdout
}

/// Decodes each segment of a playlist with its init section, and returns the pictures' sizes, in bytes of one picture.
async fn decoded(app: &App, url: &str, playlist: &str) -> Vec<usize> {
    let folder = tempfile::tempdir().unwrap();
    let playlist = text(app, url, playlist).await;
    let (mut init, mut len, mut sizes) = (Vec::new(), None, Vec::new());
    for line in playlist.lines() {
        if let Some(uri) = line.strip_prefix("#EXT-X-MAP:URI=\"") {
            init = app.fetch(&beside(url, uri.trim_end_matches('"')), None).await.body.to_vec();
        } else if let Some(range) = line.strip_prefix("#EXT-X-BYTERANGE:") {
            len = range.strip_suffix("@0").map(|len| len.parse::<usize>().unwrap());
        } else if !line.starts_with('#') {
            let segment = app.fetch(&beside(url, line), None).await.body;
            let bytes = [&init[..], &segment[..len.unwrap_or(segment.len())]].concat();
            fs::write(folder.path().join("one.mp4"), bytes).unwrap();
            let level = if len.is_some() { "quiet" } else { "error" };
            let picture = format!("-v {level} -i one.mp4 -frames:v 1 -f rawvideo -pix_fmt gray pipe:1");
            sizes.push(ffmpeg(&picture.split(' ').collect::<Vec<_>>(), folder.path()).len());
            if len.is_none() {
                ffmpeg(&["-v", "error", "-xerror", "-i", "one.mp4", "-f", "null", "-"], folder.path());
            }
        }
    }
    sizes
}

#[tokio::test]
async fn every_segment_decodes_after_the_encoder_restarts_with_other_settings() {
    let (app, _channel) = on_air(json!({}), u64::MAX).await;
    let url = live(&app).await;
    encode(&app, "s=320x180:r=25", "libx264", SOUND);
    encode(&app, "s=640x360:r=25", "libx264", SOUND);
    encode(&app, "s=320x180:r=25", "libx265 -x265-params log-level=none -tag:v hvc1", SOUND);
    encode(&app, "s=320x180:r=25", "libx264", "");
    encode(&app, "s=320x180:r=50", "libx264", SOUND);
    let (small, large) = (320 * 180, 640 * 360);
    let expected = [small, large, small, small, small].map(|size| [size; SEGMENTS]).concat();
    assert_eq!(decoded(&app, &url, "index.m3u8").await, expected);
    assert_eq!(decoded(&app, &url, "index-pictures.m3u8").await, expected);

    app.clock.advance_ms(2 * 3600 * 1000);
    let recording = recorded(&app).await;
    assert_eq!(decoded(&app, &recording, "index.m3u8").await, expected);
    assert_eq!(decoded(&app, &recording, "index-pictures.m3u8").await, expected);

    let editor = app.verified_person("editor").await;
    app.owns(&editor, OrderType::Event, 1, &[], None).await;
    let across = clip(&app, &editor, 2.5, 5.0).await;
    assert_eq!(decoded(&app, across["url"].as_str().unwrap(), "index.m3u8").await, [small, large, large]);
    let within = clip(&app, &editor, 4.5, 1.0).await;
    assert_eq!(decoded(&app, within["url"].as_str().unwrap(), "index.m3u8").await, [large]);
}

async fn clip(app: &App, editor: &crate::app::Person, start_s: f64, duration_s: f64) -> Value {
    let request = json!({
        "event_id": 1, "event_media_id": 12, "name": "A save", "start_time": start_s, "duration": duration_s,
        "tags": ["save"],
    });
    let id = app.post(&editor.key, "clip", request).await.data()["id"].clone();
    worker::cut_waiting(&app.state.cutter()).await.unwrap();
    let clips = app.get(&editor.key, "clips/user").await.data();
    clips.as_array().unwrap().iter().find(|clip| clip["id"] == id).unwrap().clone()
}

/// ffmpeg leaves a quality out of the master playlist if it does not know the bit rate.
#[tokio::test]
async fn the_only_playlist_is_served_if_the_master_playlist_names_none() {
    let (app, _channel) = on_air(json!({}), u64::MAX).await;
    let url = live(&app).await;
    encode(&app, "s=320x180:r=25", "libx264", "");
    let written = fs::read_to_string(app.folder.path().join("live/meadow/court/master.m3u8")).unwrap();
    assert!(!written.contains("index.m3u8"), "{written}");
    let is_complete = |master: &str| {
        let lines: Vec<_> = master.lines().skip(2).collect();
        lines[0].starts_with("#EXT-X-STREAM-INF:BANDWIDTH=") && lines[1] == "index.m3u8"
    };
    let master = text(&app, &url, "master.m3u8").await;
    assert!(is_complete(&master) && master.contains("URI=\"index-pictures.m3u8\""), "{master}");
    assert_eq!(decoded(&app, &url, "index.m3u8").await.len(), SEGMENTS);
    app.clock.advance_ms(2 * 3600 * 1000);
    let recording = recorded(&app).await;
    let app = app.restarted_unchanged().await;
    assert!(is_complete(&text(&app, &recording, "master.m3u8").await));
    assert_eq!(decoded(&app, &recording, "index.m3u8").await.len(), SEGMENTS);
}
