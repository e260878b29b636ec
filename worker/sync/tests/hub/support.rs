//! A hub on a real server, an in-memory status log, and a client.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use async_trait::async_trait;
use futures_util::{SinkExt, StreamExt};
use parking_lot::Mutex;
use serde_json::{Value, json};
use tokio::net::TcpStream;
use tokio::sync::broadcast;
use tokio::time::timeout;
use tokio_tungstenite::tungstenite::client::IntoClientRequest;
use tokio_tungstenite::tungstenite::{Error, Message};
use tokio_tungstenite::{MaybeTlsStream, WebSocketStream, connect_async};
use touchline_protocol::sync::{SnapshotItem, Status, StatusKind};
use touchline_sync::{AuthError, Feed, Hub, Identity, Limits, Notice, SameHost, Scope, SourceError, StatusSource};

/// The longest wait for an expected message.
pub(crate) const TIMEOUT: Duration = Duration::from_secs(10);

/// One scope: its log, which may be pruned, and its resources, which may not.
#[derive(Default)]
struct Stream {
    head: u64,
    log: Vec<Status>,
    resources: BTreeMap<i64, Status>,
}

/// Stores statuses in memory. Tests may prune them, and notify out of order or not at all.
pub(crate) struct Log {
    scopes: Mutex<HashMap<Scope, Stream>>,
    keys: Mutex<HashMap<String, Identity>>,
    pub(crate) epoch: Mutex<String>,
    pub(crate) broken: Mutex<bool>,
    pub(crate) watched: Mutex<HashSet<(StatusKind, i64)>>,
    /// Bytes added to each state.
    pub(crate) padding: Mutex<usize>,
    /// Number of snapshots read of a channel.
    pub(crate) channel_reads: Mutex<usize>,
    feed: broadcast::Sender<Notice>,
}

impl Log {
    pub(crate) fn new(feed: usize) -> Arc<Self> {
        let identity = |key: &str, user| {
            let identity = Identity { key_id: format!("id-of-{key}"), channel_key: "northfield".into(), user };
            (key.to_owned(), identity)
        };
        Arc::new(Self {
            scopes: Mutex::default(),
            keys: Mutex::new(HashMap::from([
                identity("anonymous", None),
                identity("ann", Some(1)),
                identity("bob", Some(2)),
            ])),
            epoch: Mutex::new("e1".into()),
            broken: Mutex::new(false),
            watched: Mutex::default(),
            padding: Mutex::new(0),
            channel_reads: Mutex::new(0),
            feed: broadcast::channel(feed).0,
        })
    }

    /// Writes a status and returns it, without a notification.
    pub(crate) fn write(&self, scope: &Scope, id: i64) -> Status {
        let mut scopes = self.scopes.lock();
        let stream = scopes.entry(scope.clone()).or_default();
        stream.head += 1;
        let version = stream.resources.get(&id).map_or(1, |status| status.version + 1);
        let status = Status {
            stream: scope.stream(),
            seq: stream.head,
            at: "2026-01-01T00:00:00.000Z".into(),
            kind: StatusKind::Order,
            id,
            version,
            state: json!({ "id": id, "version": version, "padding": "x".repeat(*self.padding.lock()) }),
        };
        stream.log.push(status.clone());
        stream.resources.insert(id, status.clone());
        status
    }

    pub(crate) fn notify(&self, scope: &Scope, status: Status) {
        // Nobody may be listening yet.
        let _listeners = self.feed.send(Notice::Changed(scope.clone(), status));
    }

    pub(crate) fn write_and_notify(&self, scope: &Scope, id: i64) -> Status {
        let status = self.write(scope, id);
        self.notify(scope, status.clone());
        status
    }

    pub(crate) fn prune(&self, scope: &Scope, before: u64) {
        self.scopes.lock().entry(scope.clone()).or_default().log.retain(|status| status.seq >= before);
    }

    pub(crate) fn revoke(&self, key: &str) {
        let identity = self.keys.lock().remove(key).unwrap();
        let _listeners = self.feed.send(Notice::KeysRevoked(vec![identity.key_id]));
    }

    /// The newest version of everything in a scope.
    pub(crate) fn versions(&self, scope: &Scope) -> BTreeMap<i64, i64> {
        let scopes = self.scopes.lock();
        let resources = scopes.get(scope).into_iter().flat_map(|stream| stream.resources.values());
        resources.map(|status| (status.id, status.version)).collect()
    }

    fn check(&self) -> Result<(), SourceError> {
        if *self.broken.lock() { Err(SourceError("the disk is gone".into())) } else { Ok(()) }
    }
}

#[async_trait]
impl StatusSource for Log {
    async fn authenticate(&self, api_key: &str, _host: &str) -> Result<Identity, AuthError> {
        self.keys.lock().get(api_key).cloned().ok_or(AuthError::Refused)
    }

    async fn epoch(&self) -> Result<String, SourceError> {
        self.check()?;
        Ok(self.epoch.lock().clone())
    }

    async fn head(&self, scope: &Scope) -> Result<u64, SourceError> {
        tokio::task::yield_now().await;
        Ok(self.scopes.lock().get(scope).map_or(0, |stream| stream.head))
    }

    async fn since(&self, scope: &Scope, seq: u64, limit: usize) -> Result<Vec<Status>, SourceError> {
        tokio::task::yield_now().await;
        let scopes = self.scopes.lock();
        let log = scopes.get(scope).into_iter().flat_map(|stream| &stream.log);
        Ok(log.filter(|status| status.seq > seq).take(limit).cloned().collect())
    }

    async fn snapshot(&self, scope: &Scope) -> Result<Vec<SnapshotItem>, SourceError> {
        tokio::task::yield_now().await;
        if matches!(scope, Scope::Channel(_)) {
            *self.channel_reads.lock() += 1;
        }
        let scopes = self.scopes.lock();
        let item = |status: &Status| SnapshotItem {
            stream: status.stream,
            kind: status.kind,
            id: status.id,
            version: status.version,
            state: status.state.clone(),
        };
        Ok(scopes.get(scope).into_iter().flat_map(|stream| stream.resources.values()).map(item).collect())
    }

    fn subscribe(&self) -> Box<dyn Feed> {
        Box::new(LogFeed(self.feed.subscribe()))
    }

    fn watch(&self, _identity: &Identity, kind: StatusKind, id: i64) {
        self.watched.lock().insert((kind, id));
    }

    fn unwatch(&self, _identity: &Identity, kind: StatusKind, id: i64) {
        self.watched.lock().remove(&(kind, id));
    }
}

struct LogFeed(broadcast::Receiver<Notice>);

#[async_trait]
impl Feed for LogFeed {
    async fn next(&mut self) -> Option<Notice> {
        match self.0.recv().await {
            Ok(notice) => Some(notice),
            Err(broadcast::error::RecvError::Lagged(_)) => Some(Notice::Overrun),
            Err(broadcast::error::RecvError::Closed) => None,
        }
    }
}

/// Limits under which nothing times out within a test.
pub(crate) fn patient_limits() -> Limits {
    Limits { ping: Duration::from_secs(60), ..Limits::default() }
}

pub(crate) struct Server {
    pub(crate) hub: Hub,
    pub(crate) log: Arc<Log>,
    pub(crate) address: SocketAddr,
}

impl Server {
    pub(crate) async fn start(limits: Limits) -> Self {
        Self::on(Log::new(1024), limits).await
    }

    pub(crate) async fn on(log: Arc<Log>, limits: Limits) -> Self {
        let hub = Hub::start(log.clone(), Arc::new(SameHost), limits);
        let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap();
        let router = hub.router();
        tokio::spawn(async move { axum::serve(listener, router).await });
        Self { hub, log, address }
    }

    pub(crate) async fn connect(&self) -> Client {
        self.connect_from(None).await
    }

    pub(crate) async fn connect_from(&self, origin: Option<&str>) -> Client {
        let mut request = format!("ws://{}/sync", self.address).into_client_request().unwrap();
        if let Some(origin) = origin {
            request.headers_mut().insert("origin", origin.parse().unwrap());
        }
        Client { ws: connect_async(request).await.unwrap().0 }
    }

    /// Connects, says hello, and returns the socket with the welcome.
    pub(crate) async fn welcome(&self, key: &str, resume: Option<Value>) -> (Client, Value) {
        let mut client = self.connect().await;
        client.hello(key, resume).await;
        let welcome = client.next().await;
        assert_eq!(welcome["t"], "welcome", "{welcome}");
        (client, welcome)
    }

    /// Waits until so many sockets are open.
    pub(crate) async fn sockets_become(&self, wanted: usize) {
        eventually(|| self.hub.sockets() == wanted).await;
    }
}

/// Waits until `holds`.
pub(crate) async fn eventually(holds: impl Fn() -> bool) {
    let wait = async {
        while !holds() {
            tokio::time::sleep(Duration::from_millis(2)).await;
        }
    };
    timeout(TIMEOUT, wait).await.expect("condition not met in time");
}

/// A socket on the client's side.
pub(crate) struct Client {
    pub(crate) ws: WebSocketStream<MaybeTlsStream<TcpStream>>,
}

impl Client {
    pub(crate) async fn send(&mut self, frame: Value) {
        self.ws.send(Message::text(frame.to_string())).await.unwrap();
    }

    pub(crate) async fn hello(&mut self, key: &str, resume: Option<Value>) {
        let mut hello = json!({ "t": "hello", "v": 1, "api_key": key });
        if let Some(resume) = resume {
            hello["resume"] = resume;
        }
        self.send(hello).await;
    }

    /// The next frame, or the close code.
    pub(crate) async fn next_or_close(&mut self) -> Result<Value, u16> {
        loop {
            match timeout(TIMEOUT, self.ws.next()).await.expect("a frame in time") {
                Some(Ok(Message::Text(text))) => return Ok(serde_json::from_str(&text).unwrap()),
                Some(Ok(Message::Close(frame))) => {
                    // Reading to the end sends this side's own close.
                    while let Ok(Some(Ok(_))) = timeout(TIMEOUT, self.ws.next()).await {}
                    return Err(frame.map_or(1005, |frame| frame.code.into()));
                }
                Some(Ok(_)) => {}
                Some(Err(Error::ConnectionClosed)) | None => return Err(1006),
                Some(Err(error)) => panic!("the socket broke: {error}"),
            }
        }
    }

    pub(crate) async fn next(&mut self) -> Value {
        self.next_or_close().await.expect("a frame")
    }

    /// Reads up to the close. Returns the last error's code and the close code.
    pub(crate) async fn end(&mut self) -> (Option<String>, u16) {
        let mut error = None;
        loop {
            match self.next_or_close().await {
                Ok(frame) if frame["t"] == "error" => error = frame["code"].as_str().map(str::to_owned),
                Ok(_) => {}
                Err(code) => return (error, code),
            }
        }
    }
}
