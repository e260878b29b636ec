//! nginx as a cache for paid video, with the shipped configuration (`OPS-57`).

use std::fs;
use std::path::PathBuf;

use reqwest::{Method, Response, StatusCode};
use serde_json::{Value, json};
use tempfile::TempDir;
use tokio::task::JoinSet;
use tokio::time::{Duration, Instant};

use crate::demo_channel::demo_channel;
use crate::nginx::Nginx;
use crate::support::{Worker, done, eventually, folder, fresh};

/// Size of the parts in which nginx fetches a file.
const SLICE: usize = 4 << 20;
/// A segment of several parts.
const LARGE: &str = "v0/seg_000.m4s";
/// A segment that is missing for a moment.
const LOST: &str = "v1/seg_009.m4s";

/// A worker with a paid stream, and two caches in a row in front of it.
struct Caches {
    _folder: TempDir,
    /// Folder of the stream.
    stream: PathBuf,
    worker: Worker,
    inner: Nginx,
    outer: Nginx,
    email: String,
}

fn port_of(worker: &Worker) -> u16 {
    worker.address.rsplit_once(':').unwrap().1.parse().unwrap()
}

impl Caches {
    async fn start() -> Self {
        let (folder, data) = folder();
        let channels = folder.path().join("channels");
        demo_channel(&channels);
        let stream = channels.join("northfield/media/hls/court");
        let large: Vec<u8> = (0..2 * SLICE + 1_000_000).map(|number| (number / 7) as u8).collect();
        fs::write(stream.join(LARGE), large).unwrap();
        let flags = ["--channels", channels.to_str().unwrap(), "--trusted-proxies", "127.0.0.0/8"];
        let worker = Worker::start(&data, &flags);
        let email = format!("{}@viewers.example", fresh("viewer"));
        worker.register_as(&email).await;
        done(&data, &["order", "grant", "--channel", "northfield", "--email", &email, "--type", "event", "--id", "1"]);
        let inner = Nginx::cache([port_of(&worker); 3]).await;
        let outer = Nginx::cache([inner.port; 3]).await;
        Self { _folder: folder, stream, worker, inner, outer, email }
    }

    /// Logs in, and returns the key and the folder of the signed stream.
    async fn session(&self) -> (String, String) {
        let login = json!({ "api_key": self.worker.key().await, "email": self.email, "password": "correct horse" });
        let key = self.worker.data(Method::POST, "v2/auth/login", &login).await["api_key"].as_str().unwrap().to_owned();
        let path = format!("events/1/playback/12?api_key={key}");
        let playback = self.worker.data(Method::GET, &path, &Value::Null).await;
        let url = playback["playback_url"].as_str().unwrap();
        (key, url.rsplit_once('/').unwrap().0.to_owned())
    }

    /// A request to a server from a viewer's address.
    fn request(&self, port: u16, path: &str, viewer: u8) -> reqwest::RequestBuilder {
        let url = format!("http://127.0.0.1:{port}{path}");
        self.worker.http.get(url).header("x-forwarded-for", format!("198.51.100.{viewer}"))
    }

    async fn get(&self, port: u16, path: &str, viewer: u8) -> Response {
        self.request(port, path, viewer).send().await.unwrap()
    }

    /// The number of requests that the worker answered for a path below the pass.
    fn answered(&self, path: &str) -> usize {
        self.worker.log().matches(&format!("/s/l12/…{path}")).count()
    }
}

/// Shows OPS-57a, OPS-57c.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_cached_segment_leaves_the_worker_once_and_has_the_same_bytes() {
    let caches = Caches::start().await;
    let Caches { inner, outer, stream, worker, .. } = &caches;
    let worker_port = port_of(worker);
    let mut bases = Vec::new();
    for _ in 0..2 {
        bases.push(caches.session().await.1);
    }
    let files = [LARGE, "v0/init_0.mp4", "v0/seg_001.m4s", "v1/seg_001.m4s", "text-en/text_005.vtt"];
    // Six viewers, two of them without the outer cache.
    let mut viewers = JoinSet::new();
    for viewer in 0..6 {
        let port = if viewer % 3 == 0 { inner.port } else { outer.port };
        let base = &bases[usize::from(viewer % 2)];
        for file in files {
            let request = caches.request(port, &format!("{base}/{file}?viewer={viewer}"), viewer);
            viewers.spawn(async move {
                let answer = request.send().await.unwrap();
                (file, answer.status(), answer.bytes().await.unwrap())
            });
        }
    }
    while let Some(answered) = viewers.join_next().await {
        let (file, status, bytes) = answered.unwrap();
        assert!(status == StatusCode::OK && bytes == fs::read(stream.join(file)).unwrap(), "{file}: {status}");
    }
    for file in files {
        let parts = fs::metadata(stream.join(file)).unwrap().len().div_ceil(SLICE as u64);
        assert_eq!(caches.answered(&format!("/{file}")), parts as usize, "{file}");
    }

    // Ranges within a part, over two parts, from the end and outside.
    let large = format!("{}/{LARGE}", bases[0]);
    for range in ["0-0", "100-199", "4194300-4194310", "4000000-9000000", "-5", "9300000-", "99999999-"] {
        let mut answers = Vec::new();
        for port in [worker_port, outer.port] {
            let answer =
                caches.request(port, &large, 0).header("range", format!("bytes={range}")).send().await.unwrap();
            let part = answer.headers().get("content-range").cloned();
            let (status, bytes) = (answer.status(), answer.bytes().await.unwrap());
            answers.push((status, part, Some(bytes).filter(|_| status != StatusCode::RANGE_NOT_SATISFIABLE)));
        }
        assert!(answers[0] == answers[1], "{range}: {:?} {:?}", answers[0].1, answers[1].1);
    }
    let answer = caches.get(outer.port, &large, 0).await;
    let unchanged = caches.request(outer.port, &large, 0).header("if-none-match", &answer.headers()["etag"]);
    assert_eq!(unchanged.send().await.unwrap().status(), StatusCode::NOT_MODIFIED);

    // A file that breaks off is not stored.
    let (lost, away) = (stream.join(LOST), stream.join("away"));
    fs::rename(&lost, &away).unwrap();
    let broken = caches.get(outer.port, &format!("{}/{LOST}", bases[0]), 0).await;
    let (status, bytes) = (broken.status(), broken.bytes().await);
    assert!(status != StatusCode::OK || bytes.is_err(), "{status} {bytes:?}");
    fs::rename(&away, &lost).unwrap();
    let whole = caches.get(outer.port, &format!("{}/{LOST}", bases[0]), 0).await;
    let status = whole.status();
    assert!(status == StatusCode::OK && whole.bytes().await.unwrap() == fs::read(&lost).unwrap(), "{status}");

    // Playlists pass through, and a failure is not stored.
    for (path, status) in [("/v0/index.m3u8", StatusCode::OK), ("/v0/seg_999.m4s", StatusCode::NOT_FOUND)] {
        for _ in 0..2 {
            assert_eq!(caches.get(outer.port, &format!("{}{path}", bases[0]), 0).await.status(), status, "{path}");
        }
        assert_eq!(caches.answered(path), 2);
    }
}

/// Shows OPS-57b, MEDIA-2e.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_cache_serves_nothing_without_the_workers_permission() {
    let caches = Caches::start().await;
    let Caches { worker, inner, outer, .. } = &caches;
    let ((key, base), others) = (caches.session().await, [caches.session().await, caches.session().await]);
    let segment = format!("{base}/v0/seg_001.m4s");
    assert_eq!(caches.get(outer.port, &segment, 1).await.status(), StatusCode::OK);

    // The same answers as the worker's, for a file that is cached.
    let pass = base.rsplit_once('/').unwrap().1;
    let altered = format!("{}{}", &pass[..pass.len() - 2], "AA");
    for (path, status, code) in [
        (segment.replace(pass, &altered), 403, "media_unsigned"),
        (segment.replace(pass, "open"), 403, "media_unsigned"),
        (segment.replace("/l12/", "/l13/"), 404, "not_found"),
        (segment.replace("seg_001", "seg_999"), 404, "not_found"),
        (segment.replace("northfield", "southfield"), 404, "not_found"),
        ("/touchline-pass".to_owned(), 404, ""),
    ] {
        let answer = caches.get(outer.port, &path, 1).await;
        let (answered, body) = (answer.status().as_u16(), answer.text().await.unwrap());
        assert!(answered == status && body.contains(code), "{path}: {answered} {body}");
    }

    // A fourth network is refused, although the file is cached.
    for (viewer, status) in [(2, 200), (3, 200), (4, 403), (1, 200)] {
        let answer = caches.get(outer.port, &segment, viewer).await;
        let (answered, body) = (answer.status().as_u16(), answer.bytes().await.unwrap());
        let is_shared = String::from_utf8_lossy(&body).contains("media_shared");
        assert_eq!((answered, is_shared), (status, status == 403), "{viewer}");
    }

    // The worker's yes is used again, and ends within 10 s of a logout.
    let questions = caches.answered("\"");
    assert_eq!(caches.get(outer.port, &segment, 1).await.status(), StatusCode::OK);
    let [by_inner, by_outer] = [&others[0], &others[1]].map(|(_, base)| format!("{base}/v0/seg_002.m4s"));
    for (port, path, viewer, asked) in [(inner.port, &by_inner, 5, 1), (outer.port, &by_outer, 6, 3)] {
        assert_eq!(caches.get(port, path, viewer).await.status(), StatusCode::OK);
        assert_eq!(caches.answered("\""), questions + asked, "{viewer}");
    }
    for key in [&key, &others[0].0, &others[1].0] {
        worker.data(Method::POST, "auth/logout", &json!({ "api_key": key })).await;
    }
    let logged_out = Instant::now();
    let is_over = async |port, path: &str, viewer| {
        caches.get(port, path, viewer).await.text().await.is_ok_and(|body| body.contains("media_ended"))
    };
    assert!(is_over(outer.port, &by_inner, 5).await, "the inner cache's yes is not the outer one's");
    assert!(is_over(inner.port, &by_outer, 6).await, "the inner cache stores no yes for the outer one");
    assert!(!is_over(outer.port, &segment, 1).await, "the worker's yes is cached");
    for (port, path, viewer) in [(outer.port, &segment, 1), (outer.port, &by_outer, 6), (inner.port, &by_inner, 5)] {
        eventually("the pass has ended", async || is_over(port, path, viewer).await.then_some(())).await;
    }
    assert!(logged_out.elapsed() <= Duration::from_secs(10), "{:?}", logged_out.elapsed());
}
