//! The rights and limits of pulled media (`PULL-2`, `PULL-4`, `PULL-5`).

use std::cell::Cell;
use std::sync::atomic::{AtomicUsize, Ordering};

use axum::Router;
use axum::body::{Body, Bytes};
use axum::http::Uri;
use axum::response::{IntoResponse, Response};
use futures_util::{StreamExt, future, stream};
use reqwest::StatusCode;
use serde_json::json;
use tempfile::TempDir;

use crate::demo_channel::{add_free_events, demo_channel};
use crate::support::{Worker, eventually, files_of, folder};

/// Size of a file that never ends, in MiB: one less than the largest.
const LARGE: usize = 63;

/// Files of which the host has sent all but the end.
static SENT: AtomicUsize = AtomicUsize::new(0);

/// Another host. A segment of `large` is never complete.
async fn host() -> String {
    let answer = async |uri: Uri| -> Response {
        let numbered = |count: usize| -> Vec<_> { (0..count).map(|number| format!("{number}.mp4")).collect() };
        let media = |names: &[String]| {
            let segments: String = names.iter().map(|name| format!("#EXTINF:2,\n{name}\n")).collect();
            format!("#EXTM3U\n#EXT-X-TARGETDURATION:2\n{segments}").into_response()
        };
        match uri.path() {
            "/large/index.m3u8" => media(&[&["a.mp4".to_owned(), "b.mp4".to_owned()][..], &numbered(200)].concat()),
            "/small/index.m3u8" => media(&numbered(200)),
            "/large/a.mp4" | "/large/b.mp4" => {
                let piece = || Ok::<_, std::io::Error>(Bytes::from(vec![7; 1 << 20]));
                let pieces = stream::iter((0..LARGE).map(move |_| piece()));
                let end = stream::once(async {
                    SENT.fetch_add(1, Ordering::Relaxed);
                    future::pending().await
                });
                Body::from_stream(pieces.chain(end)).into_response()
            }
            path if path.starts_with("/large/") => vec![7; 4 << 20].into_response(),
            _ => "1".into_response(),
        }
    };
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap().to_string();
    tokio::spawn(async move { axum::serve(listener, Router::new().fallback(answer)).await });
    address
}

/// A worker with free events pulled from these addresses, as media 9101 and following.
fn pulling(addresses: &[String], more: &[&str]) -> (TempDir, Worker) {
    let (root, data) = folder();
    let channels = root.path().join("channels");
    add_free_events(&demo_channel(&channels), addresses.len(), |number, event| {
        event["id"] = json!(9_001 + number);
        event["starts_in_s"] = json!(-3_600);
        event["duration_s"] = json!(2_592_000);
        event["media"] = json!([{ "id": 9_101 + number, "type": 2, "source": "pull", "path": addresses[number] }]);
    });
    let flags = ["--channels", channels.to_str().unwrap(), "--trusted-proxies", "127.0.0.0/8"];
    let worker = Worker::start(&data, &[&flags[..], more].concat());
    (root, worker)
}

fn playlist(medium: usize) -> String {
    format!("/media/northfield/s/l{medium}/open/index.m3u8")
}

fn beside(playlist: &str, name: &str) -> String {
    format!("{}/{name}", playlist.rsplit_once('/').unwrap().0)
}

/// The sealed names in a medium's playlist.
async fn named(worker: &Worker, medium: usize) -> Vec<String> {
    let answer = worker.get(&playlist(medium)).await;
    assert_eq!(answer.status(), StatusCode::OK);
    let text = answer.text().await.unwrap();
    text.lines().filter(|line| !line.starts_with('#')).map(str::to_owned).collect()
}

fn request(worker: &Worker, path: &str, address: &str) -> reqwest::RequestBuilder {
    worker.http.get(worker.url(path)).header("x-forwarded-for", address)
}

/// Shows PULL-2b.
#[tokio::test]
async fn a_sealed_address_opens_a_single_medium() {
    let host = host().await;
    let addresses = ["small", "small", "large"].map(|stream| format!("http://{host}/{stream}/index.m3u8"));
    let (_root, worker) = pulling(&addresses, &["--media-private-networks"]);
    let segment = named(&worker, 9_101).await[0].clone();
    assert_eq!(worker.get(&beside(&playlist(9_101), &segment)).await.status(), StatusCode::OK);
    // Also of another medium of the same stream.
    for other in [9_102, 9_103] {
        let refused = worker.get(&beside(&playlist(other), &segment)).await;
        assert_eq!(refused.status(), StatusCode::NOT_FOUND, "{other}");
    }
}

/// By number and by name; a redirect is followed by the same check. Shows PULL-2c.
#[tokio::test]
async fn no_host_of_a_private_network_is_reached_unless_the_operator_allows_it() {
    // Not even a connection is made.
    let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    listener.set_nonblocking(true).unwrap();
    let port = listener.local_addr().unwrap().port();
    let names = ["127.0.0.1", "localhost", "[::ffff:127.0.0.1]", "[::1]"];
    let (_root, worker) = pulling(&names.map(|name| format!("https://{name}:{port}/index.m3u8")), &[]);
    for (number, name) in names.iter().enumerate() {
        let answer = worker.get(&playlist(9_101 + number)).await;
        assert_eq!(answer.status(), StatusCode::BAD_GATEWAY, "{name}");
        assert!(listener.accept().is_err(), "{name} was reached");
    }
    let host = host().await;
    let (_root, worker) = pulling(&[format!("http://{host}/small/index.m3u8")], &["--media-private-networks"]);
    assert_eq!(named(&worker, 9_101).await.len(), 200);
}

/// Shows PULL-4b.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn files_in_progress_of_one_address_use_limited_memory() {
    let host = host().await;
    let (_root, worker) = pulling(&[format!("http://{host}/large/index.m3u8")], &["--media-private-networks"]);
    let segments = named(&worker, 9_101).await;
    let [a, b, others @ ..] = &segments[..] else { panic!("{segments:?}") };
    let path = |segment: &str| beside(&playlist(9_101), segment);
    for segment in [a, b] {
        tokio::spawn(request(&worker, &path(segment), "203.0.113.1").send());
    }
    eventually("both files are on their way", async || (SENT.load(Ordering::Relaxed) == 2).then_some(())).await;
    let next = Cell::new(0);
    let refused = eventually("the memory of the address is in use", async || {
        let segment = &others[next.replace(next.get() + 1)];
        let answer = request(&worker, &path(segment), "203.0.113.1").send().await.unwrap();
        (answer.status() == StatusCode::TOO_MANY_REQUESTS).then_some(segment)
    })
    .await;
    let other = request(&worker, &path(refused), "203.0.113.2").send().await.unwrap();
    assert_eq!((other.status(), other.bytes().await.unwrap().len()), (StatusCode::OK, 4 << 20));
}

/// Files of one byte use a block of the disk each. Shows PULL-5b.
#[tokio::test]
async fn the_cache_counts_the_disk_space_that_files_use() {
    let host = host().await;
    let flags = ["--media-private-networks", "--pull-disk-bytes", "40960"];
    let (root, worker) = pulling(&[format!("http://{host}/small/index.m3u8")], &flags);
    let segments = named(&worker, 9_101).await;
    let next = Cell::new(0);
    let fetch = async || {
        let segment = &segments[next.replace(next.get() + 1)];
        assert_eq!(worker.get(&beside(&playlist(9_101), segment)).await.text().await.unwrap(), "1");
    };
    for _ in 0..20 {
        fetch().await;
    }
    let stored = || files_of(&root.path().join("data/pulled")).len();
    // The oldest files are removed while others arrive.
    eventually("ten blocks of the disk are used", async || {
        fetch().await;
        (stored() <= 11).then_some(())
    })
    .await;
    assert!(stored() > 0);
}
