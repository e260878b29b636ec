//! Client of the status feed of an upstream that is another Touchline. It opens one socket for each connected viewer
//! and one for each channel, and resumes them (`UP-6`).

use std::collections::HashMap;
use std::sync::Arc;
use std::time::Duration;

use futures_util::{SinkExt, StreamExt};
use parking_lot::Mutex;
use serde_json::Value;
use tokio::sync::watch;
use tokio::time::{sleep, timeout};
use tokio_tungstenite::connect_async_with_config;
use tokio_tungstenite::tungstenite::client::IntoClientRequest;
use tokio_tungstenite::tungstenite::protocol::WebSocketConfig;
use tokio_tungstenite::tungstenite::{self, Message};
use tokio_util::sync::CancellationToken;
use touchline_protocol::ambient::{SharedClock, SharedEntropy};
use touchline_protocol::limits::Limit;
use touchline_protocol::sync::{ClientFrame, Resume, Scope, ServerFrame, SnapshotItem, Status, Stream, VERSION};
use touchline_store::{NewStatus, Store, StoreError};

use crate::origin::Origin;
use crate::request::digest_of;

/// Delay before a socket closes after its viewer left.
const LINGER: Duration = Duration::from_secs(30);
const CONNECT_TIMEOUT: Duration = Duration::from_secs(10);
const MAX_PAUSE: Duration = Duration::from_secs(30);
const MAX_FRAME_BYTES: usize = 16 << 20;
pub(crate) const LIMITS: &[Limit] = &[
    Limit::time(
        "upstream.linger",
        LINGER,
        "Delay before a viewer's socket to the upstream is closed after they leave.",
    ),
    Limit::time("upstream.feed_pause", MAX_PAUSE, "Maximum delay before a socket to the upstream is reopened."),
];

/// Close code for an invalid key.
const KEY_REFUSED: u16 = 4401;

/// The audience of a feed.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
enum Subject {
    Channel(String),
    Person(i64),
}

impl Subject {
    fn name(&self) -> String {
        match self {
            Self::Channel(key) => format!("channel:{key}"),
            Self::Person(id) => format!("user:{id}"),
        }
    }
}

struct Followed {
    /// Open sockets by digest of the viewer's key.
    sockets: HashMap<String, (String, usize)>,
    is_live: bool,
    cancel: CancellationToken,
}

/// Follows the status feed of another Touchline.
pub(crate) struct FeedClient {
    origin: Origin,
    store: Arc<dyn Store>,
    clock: SharedClock,
    entropy: SharedEntropy,
    followed: Mutex<HashMap<Subject, Followed>>,
    /// Whether the upstream has a feed. Viewers are registered before that is known.
    has_feed: watch::Sender<bool>,
    cancel: CancellationToken,
    key_refused: Box<dyn Fn(&str) + Send + Sync>,
}

/// The reason a socket closed.
enum SocketEnd {
    NoViewers,
    KeyRefused,
    /// The connection broke.
    Broken {
        was_live: bool,
    },
}

impl FeedClient {
    pub(crate) fn new(
        origin: Origin,
        store: Arc<dyn Store>,
        clock: SharedClock,
        entropy: SharedEntropy,
        key_refused: impl Fn(&str) + Send + Sync + 'static,
    ) -> Arc<Self> {
        let (followed, has_feed, cancel) = (Mutex::default(), watch::Sender::default(), CancellationToken::new());
        Arc::new(Self { origin, store, clock, entropy, followed, has_feed, cancel, key_refused: Box::new(key_refused) })
    }

    /// Starts the sockets. Called once the upstream is known to have a feed.
    pub(crate) fn start(&self) {
        self.has_feed.send_replace(true);
    }

    pub(crate) fn shutdown(&self) {
        self.cancel.cancel();
    }

    /// Whether the viewer's statuses currently arrive by feed.
    pub(crate) fn is_live(&self, user_id: i64) -> bool {
        self.followed.lock().get(&Subject::Person(user_id)).is_some_and(|followed| followed.is_live)
    }

    /// Follows the events of a channel with this worker's own key.
    pub(crate) fn follow_channel(self: &Arc<Self>, channel_key: &str, api_key: &str) {
        self.connect(Subject::Channel(channel_key.to_owned()), api_key);
    }

    /// Registers a viewer's socket.
    pub(crate) fn viewer_connected(self: &Arc<Self>, user_id: i64, api_key: &str) {
        self.connect(Subject::Person(user_id), api_key);
    }

    /// Unregisters a viewer's socket, by digest of its key.
    pub(crate) fn viewer_disconnected(self: &Arc<Self>, user_id: i64, key_id: &str) {
        let subject = Subject::Person(user_id);
        let mut all = self.followed.lock();
        let Some(followed) = all.get_mut(&subject) else { return };
        if let Some((_, count)) = followed.sockets.get_mut(key_id) {
            *count -= 1;
            if *count == 0 {
                followed.sockets.remove(key_id);
            }
        }
        if followed.sockets.is_empty() {
            let this = Arc::clone(self);
            tokio::spawn(async move {
                sleep(LINGER).await;
                let mut all = this.followed.lock();
                if all.get(&subject).is_some_and(|followed| followed.sockets.is_empty())
                    && let Some(followed) = all.remove(&subject)
                {
                    followed.cancel.cancel();
                }
            });
        }
    }

    fn connect(self: &Arc<Self>, subject: Subject, api_key: &str) {
        let mut all = self.followed.lock();
        let followed = all.entry(subject.clone()).or_insert_with(|| {
            let cancel = self.cancel.child_token();
            let (this, token) = (Arc::clone(self), cancel.clone());
            tokio::spawn(async move { token.run_until_cancelled_owned(this.follow(subject)).await });
            Followed { sockets: HashMap::new(), is_live: false, cancel }
        });
        followed.sockets.entry(digest_of(api_key)).or_insert_with(|| (api_key.to_owned(), 0)).1 += 1;
    }

    /// The key of a connected viewer.
    fn key_of(&self, subject: &Subject) -> Option<String> {
        self.followed.lock().get(subject)?.sockets.values().next().map(|(key, _)| key.clone())
    }

    fn set_live(&self, subject: &Subject, is_live: bool) {
        let mut all = self.followed.lock();
        if let Some(followed) = all.get_mut(subject) {
            followed.is_live = is_live;
        }
        let live = all.values().filter(|followed| followed.is_live).count();
        metrics::gauge!("touchline_upstream_feeds_live").set(live as f64);
    }

    async fn follow(self: Arc<Self>, subject: Subject) {
        let mut failures = 0u32;
        // The sender lives in `self`, so this can't fail.
        let _started = self.has_feed.subscribe().wait_for(|has_feed| *has_feed).await.is_ok();
        loop {
            // Without a connected viewer, a broken socket isn't opened again.
            let Some(key) = self.key_of(&subject) else {
                sleep(Duration::from_secs(1)).await;
                continue;
            };
            let end_reason = self.run_once(&subject, &key).await;
            self.set_live(&subject, false);
            match end_reason {
                SocketEnd::NoViewers => {}
                SocketEnd::KeyRefused => {
                    (self.key_refused)(&key);
                    if let Some(followed) = self.followed.lock().get_mut(&subject) {
                        followed.sockets.remove(&digest_of(&key));
                    }
                }
                SocketEnd::Broken { was_live } => failures = if was_live { 0 } else { failures.saturating_add(1) },
            }
            // Full jitter, so that clients don't all reconnect to the upstream at once.
            let max_pause =
                Duration::from_millis(500).saturating_mul(2u32.saturating_pow(failures.min(6))).min(MAX_PAUSE);
            sleep(max_pause.mul_f64(self.entropy.next_f64())).await;
        }
    }

    async fn run_once(&self, subject: &Subject, key: &str) -> SocketEnd {
        let mut was_live = false;
        match self.run_socket(subject, key, &mut was_live).await {
            Ok(()) => SocketEnd::NoViewers,
            Err(FeedError::KeyRefused) => SocketEnd::KeyRefused,
            Err(error) => {
                tracing::debug!(subject = subject.name(), %error, "a socket to the upstream closed");
                SocketEnd::Broken { was_live }
            }
        }
    }

    async fn run_socket(&self, subject: &Subject, key: &str, was_live: &mut bool) -> Result<(), FeedError> {
        let mut request = self.origin.socket().into_client_request()?;
        request.headers_mut().insert("user-agent", tungstenite::http::HeaderValue::from_static("touchline"));
        let config =
            WebSocketConfig::default().max_message_size(Some(MAX_FRAME_BYTES)).max_frame_size(Some(MAX_FRAME_BYTES));
        let connecting = connect_async_with_config(request, Some(config), true);
        let (mut ws, _) = timeout(CONNECT_TIMEOUT, connecting).await.map_err(|_| FeedError::TimedOut)??;
        let resume = self.store.upstream_position(&subject.name()).await?;
        // A viewer's position needs the user stream. Without it the feed restarts with a snapshot.
        let resume = resume.filter(|resume| matches!(subject, Subject::Channel(_)) || resume.user_seq.is_some());
        let hello = ClientFrame::Hello { v: VERSION, api_key: key.to_owned(), resume };
        ws.send(message_of(&hello)).await?;
        let mut position: Option<Resume> = None;
        loop {
            let limit = if position.is_some() { Duration::from_secs(90) } else { CONNECT_TIMEOUT };
            let message = timeout(limit, ws.next()).await.map_err(|_| FeedError::TimedOut)?;
            let text = match message.ok_or(FeedError::Closed)?? {
                Message::Text(text) => text,
                Message::Close(Some(frame)) if u16::from(frame.code) == KEY_REFUSED => {
                    return Err(FeedError::KeyRefused);
                }
                Message::Close(_) => return Err(FeedError::Closed),
                _ => continue,
            };
            match serde_json::from_str(&text).map_err(|_| FeedError::UnexpectedFrame)? {
                ServerFrame::Welcome { epoch, user_seq, channel_seq, snapshot, .. } => {
                    self.record_snapshot(subject, snapshot.unwrap_or_default()).await?;
                    let welcome = Resume { epoch, user_seq, channel_seq };
                    self.store.store_upstream_position(&subject.name(), &welcome).await?;
                    position = Some(welcome);
                    *was_live = true;
                    self.set_live(subject, true);
                }
                ServerFrame::Status(status) => {
                    let Some(position) = position.as_mut() else { return Err(FeedError::UnexpectedFrame) };
                    match status.stream {
                        Stream::User => position.user_seq = Some(status.seq),
                        Stream::Channel => position.channel_seq = status.seq,
                    }
                    if self.record_status(subject, status).await? {
                        self.store.store_upstream_position(&subject.name(), position).await?;
                    }
                }
                ServerFrame::Ping => ws.send(message_of(&ClientFrame::Pong)).await?,
                ServerFrame::Drain { window_ms } => {
                    let window = Duration::from_millis(window_ms.min(60_000));
                    sleep(window.mul_f64(self.entropy.next_f64())).await;
                    return Err(FeedError::Closed);
                }
                ServerFrame::Error { .. } => {}
            }
        }
    }

    /// The local scope of a status. A viewer's socket also carries the channel stream, which has a socket of its own.
    fn scope(subject: &Subject, stream: Stream) -> Option<Scope> {
        match (subject, stream) {
            (Subject::Channel(key), Stream::Channel) => Some(Scope::Channel(key.clone())),
            (Subject::Person(id), Stream::User) => Some(Scope::User(*id)),
            _ => None,
        }
    }

    async fn record_status(&self, subject: &Subject, status: Status) -> Result<bool, StoreError> {
        let Some(scope) = Self::scope(subject, status.stream) else { return Ok(false) };
        self.store
            .record_statuses(vec![self.line(scope, status.kind, status.id, status.version, status.state)])
            .await?;
        Ok(true)
    }

    async fn record_snapshot(&self, subject: &Subject, items: Vec<SnapshotItem>) -> Result<(), StoreError> {
        let line = |item: SnapshotItem| {
            let scope = Self::scope(subject, item.stream)?;
            Some(self.line(scope, item.kind, item.id, item.version, item.state))
        };
        let lines: Vec<_> = items.into_iter().filter_map(line).collect();
        if lines.is_empty() { Ok(()) } else { self.store.record_statuses(lines).await }
    }

    fn line(
        &self,
        scope: Scope,
        kind: touchline_protocol::sync::StatusKind,
        id: i64,
        version: i64,
        state: Value,
    ) -> NewStatus {
        NewStatus { scope, kind, id, version, state, at: self.clock.now_ms() }
    }
}

fn message_of(frame: &ClientFrame) -> Message {
    // Our own frames always serialise.
    Message::text(serde_json::to_string(frame).unwrap_or_default())
}

#[derive(Debug, thiserror::Error)]
enum FeedError {
    #[error(transparent)]
    Socket(#[from] Box<tungstenite::Error>),
    #[error(transparent)]
    Store(#[from] StoreError),
    #[error("timed out")]
    TimedOut,
    #[error("closed by the upstream")]
    Closed,
    #[error("unexpected protocol")]
    UnexpectedFrame,
    #[error("the key is invalid")]
    KeyRefused,
}

impl From<tungstenite::Error> for FeedError {
    fn from(error: tungstenite::Error) -> Self {
        Self::Socket(Box::new(error))
    }
}
