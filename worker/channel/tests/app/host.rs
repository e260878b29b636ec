//! A scripted host on this machine, over plain HTTP.

use std::collections::BTreeMap;
use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use axum::Router;
use axum::body::Body;
use axum::http::{Response, Uri, header};
use futures_util::{StreamExt, future, stream};
use parking_lot::Mutex;

/// The response to a path.
#[derive(Debug, Clone)]
pub(crate) enum HostResponse {
    Text(&'static str, String),
    Status(u16),
    To(String),
    /// Half of the announced length.
    Half,
    /// A page that may not be framed.
    Unframed,
}

#[derive(Debug, Clone)]
pub(crate) struct Host {
    pub(crate) address: SocketAddr,
    pub(crate) responses: Arc<Mutex<BTreeMap<String, HostResponse>>>,
    request_count: Arc<AtomicUsize>,
}

impl Host {
    pub(crate) async fn start() -> Self {
        let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
        let host =
            Self { address: listener.local_addr().unwrap(), responses: Arc::default(), request_count: Arc::default() };
        let this = host.clone();
        let answer = move |uri: Uri| {
            let this = this.clone();
            async move { this.answer(&uri) }
        };
        tokio::spawn(async move { axum::serve(listener, Router::new().fallback(answer)).await });
        host.set_playlist("/live/master.m3u8", MASTER);
        host.set_playlist("/live/v/index.m3u8", MEDIA);
        for file in ["key.bin", "init.mp4", "a.m4s", "p.m4s", "frames.m3u8"] {
            host.responses
                .lock()
                .insert(format!("/live/v/{file}"), HostResponse::Text("video/mp4", format!("the {file}")));
        }
        host.set_playlist(
            "/live/v/frames.m3u8",
            "#EXTM3U\n#EXT-X-TARGETDURATION:2\n#EXT-X-I-FRAMES-ONLY\n#EXTINF:2,\na.m4s\n",
        );
        host
    }

    pub(crate) fn set_playlist(&self, path: &str, playlist: &str) {
        let response = HostResponse::Text("application/vnd.apple.mpegurl", playlist.to_owned());
        self.responses.lock().insert(path.to_owned(), response);
    }

    fn answer(&self, uri: &Uri) -> Response<Body> {
        self.request_count.fetch_add(1, Ordering::Relaxed);
        let scripted = self.responses.lock().get(uri.path()).cloned().unwrap_or(HostResponse::Status(404));
        let response = Response::builder();
        match scripted {
            HostResponse::Text(kind, text) => response.header(header::CONTENT_TYPE, kind).body(text.into()),
            HostResponse::Unframed => response.header(header::X_FRAME_OPTIONS, "DENY").body("a player".into()),
            HostResponse::Status(status) => response.status(status).body("sorry".into()),
            HostResponse::To(to) => response.status(302).header(header::LOCATION, to).body(Body::empty()),
            HostResponse::Half => {
                let broken = stream::once(future::ready(Err(std::io::Error::other("it breaks off"))));
                let half = stream::once(future::ready(Ok::<_, std::io::Error>("the "))).chain(broken);
                response.body(Body::from_stream(half))
            }
        }
        .unwrap()
    }

    pub(crate) fn take_request_count(&self) -> usize {
        self.request_count.swap(0, Ordering::Relaxed)
    }
}

const MASTER: &str = "#EXTM3U\n#EXT-X-STREAM-INF:BANDWIDTH=9\nv/index.m3u8\n\
                      #EXT-X-I-FRAME-STREAM-INF:BANDWIDTH=1,URI=\"v/frames.m3u8\"\n";
/// A media playlist with a file of each kind.
pub(crate) const MEDIA: &str = "#EXTM3U\n#EXT-X-VERSION:7\n#EXT-X-TARGETDURATION:2\n#EXT-X-KEY:METHOD=AES-128,URI=\"key.bin\"\n\
                     #EXT-X-MAP:URI=\"init.mp4\"\n#EXTINF:2,\na.m4s\n#EXT-X-PART:DURATION=1,URI=\"p.m4s\"\n";
