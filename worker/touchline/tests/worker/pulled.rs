//! Media pulled from another host, requested by many visitors, and by one without a key who requests too much
//! (`PULL-4`, `PULL-5`).

use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use axum::Router;
use axum::http::{HeaderMap, StatusCode, Uri, header};
use axum::response::{IntoResponse, Response};
use futures_util::{StreamExt, future, stream};
use parking_lot::Mutex;
use reqwest::Method;
use serde_json::{Value, json};
use tokio::sync::watch;
use tokio::task::JoinSet;
use tokio::time::timeout;

use crate::demo_channel::{add_free_events, demo_channel};
use crate::support::{Worker, eventually, files_of, folder};

/// The size of the file requested in ranges, in bytes.
const FILE: usize = (5 << 20) + 77;
/// The size of the large files, in bytes.
const LARGE: usize = 32 << 20;
/// The longest wait of a visitor whom nothing delays.
const SOON: Duration = Duration::from_secs(8);

/// The other host.
#[derive(Clone)]
struct Host {
    address: String,
    /// The next part to be published; a segment has two parts.
    next: Arc<watch::Sender<u64>>,
    requests: Arc<Mutex<Vec<String>>>,
}

impl Host {
    async fn start() -> Self {
        let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap().to_string();
        let host = Self { address, next: Arc::new(watch::Sender::new(201)), requests: Arc::default() };
        let shared = host.clone();
        let answer = move |uri: Uri, request: HeaderMap| {
            let host = shared.clone();
            async move { host.answer(&uri, &request).await }
        };
        tokio::spawn(async move { axum::serve(listener, Router::new().fallback(answer)).await });
        host
    }

    async fn answer(&self, uri: &Uri, request: &HeaderMap) -> Response {
        self.requests.lock().push(uri.to_string());
        let range = request.get(header::RANGE).map(|range| range.to_str().unwrap());
        match uri.path() {
            "/low/index.m3u8" => {
                if let Some(waited) = part_of(uri.query().unwrap_or_default()) {
                    self.next.subscribe().wait_for(|next| *next > waited).await.unwrap();
                }
                low_latency(*self.next.borrow()).into_response()
            }
            "/slow/index.m3u8" => {
                let segments: String = (0..80).map(|number| format!("#EXTINF:2,\n{number}.ts\n")).collect();
                format!("#EXTM3U\n#EXT-X-TARGETDURATION:2\n{segments}").into_response()
            }
            "/other/index.m3u8" => {
                "#EXTM3U\n#EXT-X-TARGETDURATION:2\n#EXTINF:2,\nwhole.mp4\n#EXTINF:2,\nranges.mp4\n".into_response()
            }
            "/large/index.m3u8" => {
                "#EXTM3U\n#EXT-X-TARGETDURATION:2\n#EXTINF:2,\nranges.mp4\n#EXTINF:2,\nwhole.mp4\n".into_response()
            }
            "/other/ranges.mp4" => ranged(range.unwrap(), &content()),
            "/other/whole.mp4" => content().into_response(),
            "/large/ranges.mp4" => ranged(range.unwrap(), &vec![7; LARGE]),
            "/large/whole.mp4" => vec![7; LARGE].into_response(),
            _ => future::pending().await,
        }
    }

    /// The requests below a path so far.
    fn requested(&self, path: &str) -> Vec<String> {
        self.requests.lock().iter().filter(|uri| uri.starts_with(path)).cloned().collect()
    }
}

/// The part that a query waits for, counted across segments.
fn part_of(query: &str) -> Option<u64> {
    let number = |name: &str| query.split('&').find_map(|pair| pair.strip_prefix(name)?.parse::<u64>().ok());
    Some(number("_HLS_msn=")? * 2 + number("_HLS_part=").unwrap_or(1))
}

/// A low-latency playlist that ends before this part.
fn low_latency(next: u64) -> String {
    let end = next / 2;
    let segments: String = (end - 4..end).map(|number| format!("#EXTINF:2,\n{number}.m4s\n")).collect();
    let part = if next % 2 == 1 { format!("#EXT-X-PART:DURATION=1,URI=\"{end}.0.m4s\"\n") } else { String::new() };
    format!(
        "#EXTM3U\n#EXT-X-TARGETDURATION:2\n#EXT-X-SERVER-CONTROL:CAN-BLOCK-RELOAD=YES,PART-HOLD-BACK=3\n\
         #EXT-X-PART-INF:PART-TARGET=1\n#EXT-X-MEDIA-SEQUENCE:{}\n{segments}{part}",
        end - 4
    )
}

fn content() -> Vec<u8> {
    (0..FILE).map(|byte| (byte % 251) as u8).collect()
}

fn ranged(range: &str, file: &[u8]) -> Response {
    let (from, to) = range.strip_prefix("bytes=").unwrap().split_once('-').unwrap();
    let (from, to): (usize, usize) = (from.parse().unwrap(), to.parse().unwrap());
    if from >= file.len() {
        return StatusCode::RANGE_NOT_SATISFIABLE.into_response();
    }
    let to = to.min(file.len() - 1);
    let head = [(header::CONTENT_RANGE, format!("bytes {from}-{to}/{}", file.len()))];
    (StatusCode::PARTIAL_CONTENT, head, file[from..=to].to_vec()).into_response()
}

/// A worker with four free events pulled from the host, and the URLs of their playlists.
async fn pulling(root: &Path, data: &Path, host: &Host, more: &[&str]) -> (Worker, [String; 4]) {
    let channels = root.join("channels");
    let streams = ["low", "slow", "other", "large"];
    add_free_events(&demo_channel(&channels), streams.len(), |number, event| {
        event["id"] = json!(9_001 + number);
        event["starts_in_s"] = json!(-3_600);
        event["duration_s"] = json!(2_592_000);
        let address = format!("http://{}/{}/index.m3u8", host.address, streams[number]);
        event["media"] = json!([{ "id": 9_101 + number, "type": 2, "source": "pull", "path": address }]);
    });
    let flags =
        ["--channels", channels.to_str().unwrap(), "--media-private-networks", "--trusted-proxies", "127.0.0.0/8"];
    let worker = Worker::start(data, &[&flags[..], more].concat());
    let key = worker.key().await;
    let mut playlists = Vec::new();
    for number in 0..4 {
        let path = format!("events/{}/playback/{}?api_key={key}", 9_001 + number, 9_101 + number);
        let playback = worker.data(Method::GET, &path, &Value::Null).await;
        playlists.push(playback["playback_url"].as_str().unwrap().to_owned());
    }
    (worker, playlists.try_into().unwrap())
}

/// A request from an address.
fn request(worker: &Worker, path: &str, address: &str) -> reqwest::RequestBuilder {
    worker.http.get(worker.url(path)).header("x-forwarded-for", address)
}

async fn text(worker: &Worker, path: &str, address: &str) -> String {
    let response = timeout(SOON, request(worker, path, address).send()).await.expect("the response is late").unwrap();
    assert_eq!(response.status(), StatusCode::OK, "{path}");
    response.text().await.unwrap()
}

/// The URLs in a playlist.
fn named(playlist: &str, text: &str) -> Vec<String> {
    let beside = |name: &str| format!("{}/{name}", playlist.rsplit_once('/').unwrap().0);
    text.lines().filter(|line| !line.starts_with('#')).map(beside).collect()
}

/// Shows PULL-4a: slots per medium and per address.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn eighty_requests_without_a_key_delay_no_other_stream() {
    let (host, (root, data)) = (Host::start().await, folder());
    let (worker, [low, slow, other, _]) = pulling(root.path(), &data, &host, &[]).await;
    let segments = named(&slow, &text(&worker, &slow, "203.0.113.1").await);
    assert_eq!(segments.len(), 80);
    text(&worker, &low, "203.0.113.9").await;
    let mut hanging = JoinSet::new();
    let hang = |hanging: &mut JoinSet<_>, path: &str, address: &str| {
        hanging.spawn(request(&worker, path, address).send());
    };
    // Segments of a host that never responds.
    segments.iter().for_each(|segment| hang(&mut hanging, segment, "203.0.113.1"));
    let slow_requests = || host.requested("/slow/").len();
    eventually("the slots of the address are in use", async || (slow_requests() > 8).then_some(())).await;
    // And 80 blocking requests to a host that supports them.
    (0..80).for_each(|number| hang(&mut hanging, &format!("{low}?_HLS_msn={}", 100 + number), "203.0.113.1"));

    let files = named(&other, &text(&worker, &other, "203.0.113.2").await);
    for file in files {
        let part = request(&worker, &file, "203.0.113.2").header("range", "bytes=0-9").send();
        let part = timeout(SOON, part).await.expect("another stream is not delayed").unwrap();
        assert_eq!((part.status(), part.bytes().await.unwrap().len()), (StatusCode::PARTIAL_CONTENT, 10));
    }
    assert_eq!(slow_requests(), 1 + 8, "the playlist and the requests one address may have");
    // Requests from another address reach the slow stream, up to the slots of the medium.
    segments[30..].iter().for_each(|segment| hang(&mut hanging, segment, "203.0.113.3"));
    eventually("the slots of the medium are in use", async || (slow_requests() == 1 + 16).then_some(())).await;
    text(&worker, &other, "203.0.113.4").await;
}

/// Shows PULL-4c: blocking requests.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn many_blocking_requests_share_few_upstream_requests() {
    let (host, (root, data)) = (Host::start().await, folder());
    let (worker, [low, _, other, _]) = pulling(root.path(), &data, &host, &[]).await;
    let worker = Arc::new(worker);
    let playlist = async |path: String| text(&worker, &path, "203.0.113.1").await;
    // Segments up to 99 and part 0 of 100 exist; 100 and 101 may be waited for.
    let numbers = (0..2_002).filter(|number| !matches!(number, 100 | 101));
    let answers: Vec<String> = stream::iter(numbers)
        .map(|number| playlist(format!("{low}?_HLS_msn={number}&_HLS_part={}", number % 7)))
        .buffer_unordered(40)
        .collect()
        .await;
    assert!(answers.len() == 2_000 && answers.iter().all(|answer| answer.contains("#EXT-X-PART:")));
    let requested = host.requested("/low/");
    assert!(requested.iter().all(|uri| !uri.contains('?')), "{requested:?}");
    assert!(requested.len() < 20, "once per playlist refresh: {requested:?}");

    // This host does not support blocking requests and never receives one.
    for number in 0..50 {
        playlist(format!("{other}?_HLS_msn={number}&_HLS_part=1")).await;
    }
    let requested = host.requested("/other/");
    assert!(!requested.is_empty() && requested.iter().all(|uri| !uri.contains('?')), "{requested:?}");

    // Fifty wait for the next part, fifty for its segment, and fifty for a part of the next segment.
    let mut waiting = JoinSet::new();
    for number in 0..150 {
        let wanted = ["_HLS_msn=100&_HLS_part=1", "_HLS_msn=100", "_HLS_msn=101&_HLS_part=0"][number % 3];
        let (worker, path) = (Arc::clone(&worker), format!("{low}?{wanted}"));
        waiting.spawn(async move {
            let answer = request(&worker, &path, &format!("198.51.100.{number}")).send().await.unwrap();
            (number % 3, answer.text().await.unwrap())
        });
    }
    let waited = async |wanted: &str| {
        let is_there = || host.requested("/low/").iter().any(|uri| uri.ends_with(wanted));
        eventually(wanted, async || is_there().then_some(())).await;
    };
    let check = async |waiting: &mut JoinSet<(usize, String)>, count: usize, kinds: &[usize], last: &str| {
        for _ in 0..count {
            let (kind, answer) = timeout(SOON, waiting.join_next()).await.unwrap().unwrap().unwrap();
            assert!(kinds.contains(&kind) && answer.trim_end().ends_with(last), "{kind}: {answer}");
        }
    };
    waited("?_HLS_msn=100&_HLS_part=1").await;
    host.next.send_replace(202);
    check(&mut waiting, 100, &[0, 1], ".m4s").await;
    waited("?_HLS_msn=101&_HLS_part=0").await;
    host.next.send_replace(203);
    check(&mut waiting, 50, &[2], ".m4s\"").await;
    let requested = host.requested("/low/");
    let waits = requested.iter().filter(|uri| uri.contains('?')).count();
    assert_eq!(waits, 2, "one request per segment for all waiting viewers: {requested:?}");
}

/// Shows PULL-1a, PULL-5a.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn many_small_ranges_need_few_requests_and_few_files() {
    let (host, (root, data)) = (Host::start().await, folder());
    let (worker, [.., other, _]) = pulling(root.path(), &data, &host, &[]).await;
    let files = named(&other, &text(&worker, &other, "203.0.113.1").await);
    let [whole, ranges] = &files[..] else { panic!("{files:?}") };
    let content = content();
    let part = async |path: &str, range: String| {
        let response = request(&worker, path, "203.0.113.1").header("range", range).send().await.unwrap();
        (response.status().as_u16(), response.headers().get("content-range").cloned(), response.bytes().await.unwrap())
    };
    for (path, name, most) in [(ranges, "/other/ranges.mp4", 6), (whole, "/other/whole.mp4", 1)] {
        let bytes = (0..2_000).map(|number| number * 2_621);
        stream::iter(bytes)
            .map(async |byte: usize| {
                let (status, range, body) = part(path, format!("bytes={byte}-{byte}")).await;
                assert_eq!((status, &body[..]), (206, &content[byte..=byte]), "{byte}");
                assert_eq!(range.unwrap(), format!("bytes {byte}-{byte}/{FILE}").as_str());
            })
            .buffer_unordered(20)
            .collect::<Vec<_>>()
            .await;
        for (from, to) in [(0, FILE - 1), (1_048_570, 1_048_580), (FILE - 3, FILE + 9), (2_000_000, 4_200_000)] {
            let (status, _, body) = part(path, format!("bytes={from}-{to}")).await;
            assert!(status == 206 && body == content[from..=to.min(FILE - 1)], "{from} to {to}: {status}");
        }
        for behind in [FILE, FILE + 5_000_000, 1 << 60] {
            let (status, range, _) = part(path, format!("bytes={behind}-{behind}")).await;
            assert_eq!((status, range.unwrap()), (416, format!("bytes */{FILE}").parse().unwrap()));
        }
        let requested = host.requested(name);
        assert!(!requested.is_empty() && requested.len() <= most, "{}: {requested:?}", requested.len());
    }
    let stored = files_of(&data.join("pulled"));
    let bytes: u64 = stored.iter().map(|file| file.metadata().unwrap().len()).sum();
    assert!(stored.len() <= 14 && bytes <= 3 * FILE as u64, "{} files of {bytes} bytes", stored.len());
}

/// Shows PULL-5c.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn large_files_sent_to_slow_viewers_need_little_memory() {
    let (host, (root, data)) = (Host::start().await, folder());
    let (worker, [.., large]) = pulling(root.path(), &data, &host, &[]).await;
    let files = named(&large, &text(&worker, &large, "203.0.113.1").await);
    let mut unread = Vec::new();
    for number in 0..20 {
        for file in &files {
            let range = format!("bytes={number}-{}", LARGE - 1);
            let response = request(&worker, file, "203.0.113.1").header("range", range).send().await.unwrap();
            assert_eq!(response.content_length(), Some((LARGE - number) as u64));
            unread.push(response);
        }
    }
    let resident = worker.resident() >> 20;
    assert!(resident < 320, "{resident} MiB for 40 responses of {} MiB", LARGE >> 20);
    // Each is complete, whatever was evicted meanwhile.
    let lengths = future::join_all(unread.into_iter().skip(36).map(async |it| it.bytes().await.unwrap())).await;
    assert!(lengths.iter().all(|bytes| bytes.len() > LARGE - 20 && bytes.iter().all(|byte| *byte == 7)));
}

/// Shows LIM-10.
#[tokio::test]
async fn media_requests_are_limited_per_address() {
    let (_folder, data) = folder();
    let more = ["--limits-media-per-minute", "20", "--trusted-proxies", "127.0.0.0/8"];
    let worker = Worker::start(&data, &more);
    let picture = "/media/northfield/posters/ice.jpg";
    let status = async |address: &str| request(&worker, picture, address).send().await.unwrap();
    for _ in 0..20 {
        assert_eq!(status("203.0.113.1").await.status(), StatusCode::OK);
    }
    let refused = status("203.0.113.1").await;
    assert_eq!(refused.status(), StatusCode::TOO_MANY_REQUESTS);
    assert!(refused.headers()["retry-after"].to_str().unwrap().parse::<u64>().unwrap() > 0);
    assert_eq!(status("203.0.113.2").await.status(), StatusCode::OK);
    let call = worker.http.get(worker.url("/api/get_channel_key")).header("x-forwarded-for", "203.0.113.1");
    assert_ne!(call.send().await.unwrap().status(), StatusCode::TOO_MANY_REQUESTS);
}
