//! Another host, which follows a script: on this machine, by plain http.

use std::collections::BTreeMap;
use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use axum::Router;
use axum::body::Body;
use axum::http::{Response, Uri, header};
use futures_util::{StreamExt, future, stream};
use parking_lot::Mutex;

/// What the host answers to a path.
#[derive(Debug, Clone)]
pub(crate) enum Says {
    Text(&'static str, String),
    Status(u16),
    To(String),
    /// Half of what it promised.
    Half,
    /// A page that nobody may frame.
    Unframed,
}

/// Another host.
#[derive(Debug, Clone)]
pub(crate) struct Host {
    pub(crate) address: SocketAddr,
    pub(crate) says: Arc<Mutex<BTreeMap<String, Says>>>,
    asked: Arc<AtomicUsize>,
}

impl Host {
    pub(crate) async fn start() -> Self {
        let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
        let host = Self { address: listener.local_addr().unwrap(), says: Arc::default(), asked: Arc::default() };
        let own = host.clone();
        let answer = move |uri: Uri| {
            let own = own.clone();
            async move { own.answer(&uri) }
        };
        tokio::spawn(async move { axum::serve(listener, Router::new().fallback(answer)).await });
        host.puts("/live/master.m3u8", MASTER);
        host.puts("/live/v/index.m3u8", MEDIA);
        for file in ["key.bin", "init.mp4", "a.m4s", "p.m4s", "frames.m3u8"] {
            host.says.lock().insert(format!("/live/v/{file}"), Says::Text("video/mp4", format!("the {file}")));
        }
        host.puts("/live/v/frames.m3u8", "#EXTM3U\n#EXT-X-TARGETDURATION:2\n#EXT-X-I-FRAMES-ONLY\n#EXTINF:2,\na.m4s\n");
        host
    }

    pub(crate) fn puts(&self, path: &str, playlist: &str) {
        let says = Says::Text("application/vnd.apple.mpegurl", playlist.to_owned());
        self.says.lock().insert(path.to_owned(), says);
    }

    fn answer(&self, uri: &Uri) -> Response<Body> {
        self.asked.fetch_add(1, Ordering::Relaxed);
        let says = self.says.lock().get(uri.path()).cloned().unwrap_or(Says::Status(404));
        let response = Response::builder();
        match says {
            Says::Text(kind, text) => response.header(header::CONTENT_TYPE, kind).body(text.into()),
            Says::Unframed => response.header(header::X_FRAME_OPTIONS, "DENY").body("a player".into()),
            Says::Status(status) => response.status(status).body("sorry".into()),
            Says::To(to) => response.status(302).header(header::LOCATION, to).body(Body::empty()),
            Says::Half => {
                let broken = stream::once(future::ready(Err(std::io::Error::other("it breaks off"))));
                let half = stream::once(future::ready(Ok::<_, std::io::Error>("the "))).chain(broken);
                response.body(Body::from_stream(half))
            }
        }
        .unwrap()
    }

    pub(crate) fn asked(&self) -> usize {
        self.asked.swap(0, Ordering::Relaxed)
    }
}

/// A master playlist.
const MASTER: &str = "#EXTM3U\n#EXT-X-STREAM-INF:BANDWIDTH=9\nv/index.m3u8\n\
                      #EXT-X-I-FRAME-STREAM-INF:BANDWIDTH=1,URI=\"v/frames.m3u8\"\n";
/// A media playlist that names a file of each kind.
pub(crate) const MEDIA: &str = "#EXTM3U\n#EXT-X-VERSION:7\n#EXT-X-TARGETDURATION:2\n#EXT-X-KEY:METHOD=AES-128,URI=\"key.bin\"\n\
                     #EXT-X-MAP:URI=\"init.mp4\"\n#EXTINF:2,\na.m4s\n#EXT-X-PART:DURATION=1,URI=\"p.m4s\"\n";
