//! Live media from an encoder's folder and from another host, and a recording, requested without access (`MEDIA-1`,
//! `GEO-1`, `LIVE-1`, `PULL-2`).

use std::fs;
use std::io::Read;
use std::path::{Path, PathBuf};

use axum::Router;
use axum::http::Uri;
use reqwest::{Method, StatusCode};
use serde_json::{Value, json};

use crate::demo_channel::demo_channel;
use crate::sockets::{hello, next};
use crate::support::{Worker, done, eventually, folder, fresh, run};

const MASTER: &str = "#EXTM3U\n#EXT-X-STREAM-INF:BANDWIDTH=9\nv/index.m3u8\n\
                      #EXT-X-I-FRAME-STREAM-INF:BANDWIDTH=1,URI=\"v/frames.m3u8\"\n";
const MEDIA: &str = "#EXTM3U\n#EXT-X-TARGETDURATION:2\n#EXTINF:2,\na.ts\n";
const FRAMES: &str = "#EXTM3U\n#EXT-X-TARGETDURATION:2\n#EXT-X-I-FRAMES-ONLY\n#EXTINF:2,\n#EXT-X-BYTERANGE:2@0\na.ts\n";

/// Every tag of a pulled stream that contains an address.
const PULLED_MASTER: &str = "#EXTM3U\n#EXT-X-SESSION-KEY:METHOD=AES-128,URI=\"session.key\"\n\
                             #EXT-X-MEDIA:TYPE=AUDIO,GROUP-ID=\"a\",NAME=\"a\",URI=\"v/audio.m3u8\"\n\
                             #EXT-X-STREAM-INF:BANDWIDTH=9,AUDIO=\"a\"\nv/index.m3u8\n\
                             #EXT-X-I-FRAME-STREAM-INF:BANDWIDTH=1,URI=\"v/frames.m3u8\"\n";
const PULLED_MEDIA: &str = "#EXTM3U\n#EXT-X-TARGETDURATION:2\n#EXT-X-KEY:METHOD=AES-128,URI=\"a.key\"\n\
                            #EXT-X-MAP:URI=\"init.mp4\"\n#EXT-X-PART:DURATION=1,URI=\"part.m4s\"\n#EXTINF:2,\na.ts\n\
                            #EXT-X-PRELOAD-HINT:TYPE=PART,URI=\"hint.m4s\"\n\
                            #EXT-X-RENDITION-REPORT:URI=\"other.m3u8\",LAST-MSN=1\n";
/// The number of files they name, including the entry.
const PULLED: usize = 11;
/// The recording of event 4: a master playlist, two media playlists, one of key frames, and their segments.
const RECORDING: u64 = 43;
const RECORDED: usize = 20;

/// Responses of the other host.
fn pulled(path: &str) -> &'static str {
    match path {
        "/master.m3u8" => PULLED_MASTER,
        "/v/index.m3u8" => PULLED_MEDIA,
        "/v/audio.m3u8" | "/v/other.m3u8" => MEDIA,
        path => content(path),
    }
}

/// The content of the stream at a path.
fn content(path: &str) -> &'static str {
    match path {
        "/master.m3u8" => MASTER,
        "/v/index.m3u8" => MEDIA,
        "/v/frames.m3u8" => FRAMES,
        _ => "segment",
    }
}

/// The demo's channels with events 1 and 2 live and 4 finished; they need payment, and are blocked in North Korea.
fn channels(root: &Path, host: &str) {
    demo_channel(root);
    let file = root.join("northfield/events.json");
    let mut events: Value = serde_json::from_slice(&fs::read(&file).unwrap()).unwrap();
    let media = [
        json!({ "id": 12, "type": 2, "source": "folder", "path": "court/master.m3u8" }),
        json!({ "id": 22, "type": 2, "source": "pull", "path": format!("http://{host}/master.m3u8?token=hidden") }),
        json!({ "id": RECORDING, "type": 3, "path": "hls/ice/master.m3u8", "duration_s": 40 }),
    ];
    for (place, medium) in [0, 1, 3].into_iter().zip(media) {
        let event = events[place].as_object_mut().unwrap();
        let over = medium["id"] == RECORDING;
        event.insert("starts_in_s".into(), json!(if over { -360_000 } else { -3600 }));
        event.insert("duration_s".into(), json!(if over { 3600 } else { 2_592_000 }));
        event.insert("access_type".into(), json!("paid"));
        event.insert("type".into(), json!("paid"));
        event.insert("geo".into(), json!({ "deny": ["KP"] }));
        event.insert("media".into(), json!([medium]));
    }
    fs::write(file, events.to_string()).unwrap();
}

async fn get(worker: &Worker, path: &str, country: &str) -> (u16, String) {
    let response = worker.http.get(worker.url(path)).header("x-country", country).send().await.unwrap();
    (response.status().as_u16(), response.text().await.unwrap())
}

/// The entry playlist and everything reachable from it.
async fn reached(worker: &Worker, entry: &str) -> Vec<String> {
    let mut found = vec![entry.to_owned()];
    for place in 0..16 {
        let Some(path) = found.get(place).cloned() else { break };
        if !path.contains(".m3u8") {
            continue;
        }
        let (status, text) = get(worker, &path, "CA").await;
        assert_eq!(status, 200, "{path}: {text}");
        let quoted = text.lines().filter_map(|line| line.split_once("URI=\"")?.1.split('"').next());
        for name in text.lines().filter(|line| !line.starts_with('#')).chain(quoted) {
            let beside = format!("{}/{name}", path.rsplit_once('/').unwrap().0);
            if !found.contains(&beside) {
                found.push(beside);
            }
        }
    }
    found
}

/// Shows MEDIA-1b, LIVE-1a, PULL-1b, PULL-2a.
#[tokio::test]
async fn paid_media_are_refused_without_access() {
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
    let host = listener.local_addr().unwrap().to_string();
    let answer = async |uri: Uri| pulled(uri.path());
    tokio::spawn(async move { axum::serve(listener, Router::new().fallback(answer)).await });
    let (folder, data) = folder();
    let root = folder.path().join("channels");
    channels(&root, &host);
    let flags = [
        "--channels",
        root.to_str().unwrap(),
        "--media-private-networks",
        "--geo-country-header",
        "x-country",
        "--trusted-proxies",
        "127.0.0.0/8",
    ];
    let worker = Worker::start(&data, &flags);
    let encoder = data.join("live/northfield/court");
    fs::create_dir_all(encoder.join("v")).unwrap();
    for name in ["v/a.ts", "v/index.m3u8", "v/frames.m3u8", "master.m3u8"] {
        fs::write(encoder.join(name), content(&format!("/{name}"))).unwrap();
    }
    let email = format!("{}@viewers.example", fresh("viewer"));
    let key = worker.register_as(&email).await;
    let mut everything = Vec::new();
    for (event, medium, least) in [(1, 12, 4), (2, 22, PULLED), (4, RECORDING, RECORDED)] {
        let event_id = event.to_string();
        let grant = ["order", "grant", "--data", data.to_str().unwrap(), "--channel", "northfield"];
        let what = ["--email", &email, "--type", "event", "--id", &event_id];
        assert!(run(folder.path(), &[&grant[..], &what[..]].concat()).status.success());
        let path = format!("events/{event}/playback/{medium}?api_key={key}");
        let playback = worker.data(Method::GET, &path, &Value::Null).await;
        let entry = playback["playback_url"].as_str().unwrap().to_owned();
        eventually("the medium is live", async || (get(&worker, &entry, "CA").await.0 == 200).then_some(())).await;
        let all = reached(&worker, &entry).await;
        let key_frames = all.iter().any(|path| path.ends_with("frames.m3u8"));
        assert!(medium != RECORDING || key_frames, "its key frames: {all:?}");
        assert!(all.len() >= least, "the master playlist and every file it lists: {all:?}");
        everything.extend(all);
    }
    let foreign = |path: &str| {
        let mount = path.split('/').nth(4).unwrap();
        path.replace(mount, if mount == "l12" { "l22" } else { "l12" })
    };
    for path in &everything {
        let (status, body) = get(&worker, path, "CA").await;
        assert!(status == 200 && !body.contains(&host) && !body.contains("hidden"), "{path}: {status} {body}");
        let pass = path.split('/').nth(5).unwrap();
        let altered = format!("{}x", &pass[..pass.len() - 1]);
        for (closed, country) in [
            (path.replace(pass, "open"), "CA"),
            (path.replace(pass, &altered), "CA"),
            (foreign(path), "CA"),
            (path.clone(), "KP"),
        ] {
            let (status, body) = get(&worker, &closed, country).await;
            assert_eq!(status, 403, "{closed} from {country}: {body}");
        }
    }
    let log = worker.log();
    assert!(!log.contains(&host) && !log.contains("hidden"), "{log}");
    worker.data(Method::POST, "auth/logout", &json!({ "api_key": key })).await;
    for path in &everything {
        let (status, body) = get(&worker, path, "CA").await;
        assert!(status == 403 && body.contains("media_ended"), "{path}: {status} {body}");
    }
    let (_, log) = worker.end();
    assert!(!log.contains(&host), "{log}");
    // More than six hours later.
    let later = Worker::start(&data, &[&flags[..], &["--clock-offset", "22000"]].concat());
    for path in &everything {
        let (status, body) = get(&later, path, "CA").await;
        assert!(status == 403 && body.contains("media_expired"), "{path}: {status} {body}");
    }
}

/// `FAST-6a`, `FAST-6b`, `FAST-6c`, `FAST-6d`: a photograph exists in exactly the sizes that pages name.
#[tokio::test]
async fn the_leading_photograph_exists_in_the_sizes_named_by_the_page() {
    let (root, data) = folder();
    let channels = led_by_a_photograph(root.path());
    let worker = Worker::start(&data, &["--channels", channels.to_str().unwrap()]);

    let page = worker.get("/").await.text().await.unwrap();
    let preload = page.split("imagesrcset=\"").nth(1).and_then(|rest| rest.split('"').next()).unwrap();
    assert!(page.contains(&format!("<img sizes=\"(min-width: 900px) 74vw, 100vw\" srcset=\"{preload}\"")), "{page}");
    let original = worker.get("/media/northfield/posters/ice.jpg").await.bytes().await.unwrap();
    let mut lengths = Vec::new();
    for candidate in preload.split(", ") {
        let (address, width) = candidate.split_once(' ').unwrap();
        let answer = worker.get(address).await;
        assert_eq!(
            (answer.status(), &answer.headers()["content-type"]),
            (StatusCode::OK, &"image/webp".parse().unwrap())
        );
        assert_eq!(answer.headers()["cache-control"], "public, max-age=3600");
        let tag = answer.headers()["etag"].clone();
        let cached = worker.http.get(worker.url(address)).header("if-none-match", tag).send().await.unwrap();
        assert_eq!(cached.status(), StatusCode::NOT_MODIFIED);
        let bytes = answer.bytes().await.unwrap();
        assert_eq!((&bytes[..4], &bytes[8..12]), (&b"RIFF"[..], &b"WEBP"[..]), "{width}");
        lengths.push(bytes.len());
    }
    // The photograph is 854 pixels wide and is never enlarged.
    println!("{} bytes of JPEG are {lengths:?} of WebP", original.len());
    assert!(lengths[0] * 2 < lengths[1] && lengths[1] < lengths[2] && lengths[2] < original.len(), "{lengths:?}");
    assert!(lengths[2..].iter().all(|length| *length == lengths[2]), "{lengths:?}");
    assert_eq!(picture_count(&data), 5);

    // A drawing is text: it is sent compressed, without loss.
    let (slide, drawn) =
        ("/media/northfield/slides/ice-weekend.svg", worker.get("/media/northfield/slides/ice-weekend.svg").await);
    assert!(drawn.headers().get("content-encoding").is_none());
    let drawn = drawn.bytes().await.unwrap();
    for (coding, most) in [("gzip", drawn.len() / 5), ("br", drawn.len() / 6)] {
        let packed = worker.http.get(worker.url(slide)).header("accept-encoding", coding).send().await.unwrap();
        assert_eq!(packed.headers()["content-encoding"], coding);
        assert_eq!(packed.headers()["vary"], "accept-encoding");
        let tag = packed.headers()["etag"].clone();
        let cached = worker.http.get(worker.url(slide)).header("if-none-match", tag).send().await.unwrap();
        assert_eq!(cached.status(), StatusCode::NOT_MODIFIED);
        let packed = packed.bytes().await.unwrap();
        assert!(packed.len() < most, "{coding}: {} of {} bytes", packed.len(), drawn.len());
        let mut whole = Vec::new();
        match coding {
            "gzip" => drop(flate2::read::GzDecoder::new(&packed[..]).read_to_end(&mut whole).unwrap()),
            _ => brotli::BrotliDecompress(&mut &packed[..], &mut whole).unwrap(),
        }
        assert!(whole == drawn, "{coding} changes the drawing");
    }
    let part = worker.http.get(worker.url(slide)).header("range", "bytes=0-3").send().await.unwrap();
    assert_eq!((part.status(), part.bytes().await.unwrap()), (StatusCode::PARTIAL_CONTENT, drawn.slice(..4)));

    let of = async |path: &str| worker.get(&format!("/media/northfield/{path}")).await;
    assert_eq!(of("crests/easton.svg?width=320").await.headers()["content-type"], "image/svg+xml");
    assert_eq!(of("posters/none.jpg?width=320").await.status(), StatusCode::NOT_FOUND);
    for width in ["321", "0", "-1", "", "0320", "99999999999"] {
        let answer = of(&format!("posters/ice.jpg?width={width}")).await;
        assert_eq!(answer.status(), StatusCode::BAD_REQUEST, "{width}");
        let said: Value = answer.json().await.unwrap();
        assert_eq!(said["errors"]["width"][0], "The width must be one of 320, 640, 960, 1280, 1920.", "{said}");
    }
    assert_eq!(picture_count(&data), 5);
}

/// The demo's channel, with a photograph on its first slide.
fn led_by_a_photograph(root: &Path) -> PathBuf {
    let channels = root.join("channels");
    demo_channel(&channels);
    let slides = channels.join("northfield/slides.json");
    fs::write(&slides, fs::read_to_string(&slides).unwrap().replacen("slides/tip-off.svg", "posters/ice.jpg", 1))
        .unwrap();
    channels
}

/// The number of generated pictures.
fn picture_count(data: &Path) -> usize {
    let names = fs::read_dir(data.join("pictures")).unwrap().map(|entry| entry.unwrap().file_name());
    names.filter(|name| name.to_str().unwrap().ends_with(".webp")).count()
}

/// `FAST-9a`, `FAST-9b`, `FOUND-1c`: once a photograph has been resized, every reference to it has its dimensions and
/// placeholder, also after a restart, without changing the event's version. A replaced photograph loses them.
#[tokio::test]
async fn a_photographs_placeholder_comes_with_its_address() {
    const ICE: &str = "/media/northfield/posters/ice.jpg";
    let (root, data) = folder();
    let channels = led_by_a_photograph(root.path());
    let args = ["--channels", channels.to_str().unwrap()];
    let worker = Worker::start(&data, &args);
    let (unknown, version, page) = described(&worker, ICE).await.unwrap();
    assert!(unknown.is_null() && !page.contains("photograph-blurred"), "{unknown}");

    assert_eq!(worker.get(&format!("{ICE}?width=640")).await.status(), StatusCode::OK);
    let cached = async |worker: &Worker, matches: fn(&Value) -> bool| {
        eventually("the picture's dimensions are cached", || async {
            described(worker, ICE).await.filter(|facts| matches(&facts.0))
        })
        .await
    };
    let (picture, event_version, page) = cached(&worker, Value::is_object).await;
    assert_eq!((&picture["width"], &picture["height"], &event_version), (&854.into(), &480.into(), &version));
    let placeholder = picture["placeholder"].as_str().unwrap();
    assert!(placeholder.starts_with("data:image/webp;base64,") && placeholder.len() < 300, "{placeholder}");
    let shared = worker.get("/watch/2").await.text().await.unwrap();
    for (html, media_type, width, height) in [(&shared, "image/jpeg", 854, 480), (&page, "image/png", 512, 512)] {
        for (key, content) in [("type", media_type), ("width", &width.to_string()), ("height", &height.to_string())] {
            let tag = format!("<meta property=\"og:image:{key}\" content=\"{content}\">");
            assert!(html.contains(&tag), "{tag} is missing: {html}");
        }
    }
    assert!(page.contains(&format!("<img class=\"photograph-blurred\" src=\"{placeholder}\" alt=\"\">")), "{page}");

    // A status on the stream includes them, and a restart without changes keeps the event's version.
    let (mut socket, _) = hello(&worker, &worker.key().await, None).await;
    done(&data, &["event", "score", "2", "1", "3", "--channel", "northfield"]);
    let version = loop {
        let frame = next(&mut socket).await.unwrap();
        if frame["kind"] == "event" && frame["id"] == 2 && frame["version"] != event_version {
            break frame["version"].clone();
        }
    };
    worker.end();
    let worker = Worker::start(&data, &args);
    let (again, event_version, _) = described(&worker, ICE).await.unwrap();
    assert_eq!(
        (&again, &event_version),
        (&picture, &version),
        "the dimensions are known at startup, and no event has changed"
    );

    let posters = channels.join("northfield/media/posters");
    fs::copy(posters.join("hall.jpg"), posters.join("ice.jpg")).unwrap();
    cached(&worker, Value::is_null).await;
}

/// The picture facts of a photograph used by event 2 and the first slide, the event's version, and the home page;
/// `None` while the two calls differ.
async fn described(worker: &Worker, address: &str) -> Option<(Value, Value, String)> {
    let key = worker.key().await;
    let event = worker.data(Method::GET, &format!("events/2?api_key={key}"), &Value::Null).await;
    let slides = worker.data(Method::GET, &format!("slides/web?api_key={key}"), &Value::Null).await;
    let of = |list: &Value, field: &str| {
        let found = list.as_array().unwrap().iter().find(|item| item[field] == address);
        found.unwrap_or_else(|| panic!("{list}"))["picture"].clone()
    };
    let (still, slide) = (of(&event["media"], "url"), of(&slides, "image"));
    let page = worker.get("/").await.text().await.unwrap();
    (still == slide).then(|| (still, event["version"].clone(), page))
}
