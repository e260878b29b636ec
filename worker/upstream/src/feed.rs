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
const WELCOMED_WITHIN: Duration = Duration::from_secs(10);
const LONGEST_PAUSE: Duration = Duration::from_secs(30);
const FRAME_BYTES: usize = 16 << 20;
pub(crate) const LIMITS: &[Limit] = &[
    Limit::time(
        "upstream.linger",
        LINGER,
        "Delay before a viewer's socket to the upstream is closed after they leave.",
    ),
    Limit::time("upstream.feed_pause", LONGEST_PAUSE, "Longest pause before a socket to the upstream is reopened."),
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
    here: HashMap<String, (String, usize)>,
    is_live: bool,
    stop: CancellationToken,
}

/// Follows the status feed of another Touchline.
pub(crate) struct FeedClient {
    origin: Origin,
    store: Arc<dyn Store>,
    clock: SharedClock,
    entropy: SharedEntropy,
    followed: Mutex<HashMap<Subject, Followed>>,
    /// Whether the upstream has a feed. Viewers are registered before that is known.
    begins: watch::Sender<bool>,
    stop: CancellationToken,
    key_refused: Box<dyn Fn(&str) + Send + Sync>,
}

/// The reason a socket closed.
enum Ended {
    Left,
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
        let (followed, begins, stop) = (Mutex::default(), watch::Sender::default(), CancellationToken::new());
        Arc::new(Self { origin, store, clock, entropy, followed, begins, stop, key_refused: Box::new(key_refused) })
    }

    /// Starts the sockets. Called once the upstream is known to have a feed.
    pub(crate) fn begin(&self) {
        self.begins.send_replace(true);
    }

    pub(crate) fn end(&self) {
        self.stop.cancel();
    }

    /// Whether the viewer's statuses currently arrive by feed.
    pub(crate) fn is_live(&self, user_id: i64) -> bool {
        self.followed.lock().get(&Subject::Person(user_id)).is_some_and(|followed| followed.is_live)
    }

    /// Follows the events of a channel with this worker's own key.
    pub(crate) fn follow_channel(self: &Arc<Self>, channel_key: &str, api_key: &str) {
        self.join(Subject::Channel(channel_key.to_owned()), api_key);
    }

    /// Registers a viewer's socket.
    pub(crate) fn joined(self: &Arc<Self>, user_id: i64, api_key: &str) {
        self.join(Subject::Person(user_id), api_key);
    }

    /// Unregisters a viewer's socket, by digest of its key.
    pub(crate) fn left(self: &Arc<Self>, user_id: i64, key_id: &str) {
        let subject = Subject::Person(user_id);
        let mut all = self.followed.lock();
        let Some(followed) = all.get_mut(&subject) else { return };
        if let Some((_, count)) = followed.here.get_mut(key_id) {
            *count -= 1;
            if *count == 0 {
                followed.here.remove(key_id);
            }
        }
        if followed.here.is_empty() {
            let this = Arc::clone(self);
            tokio::spawn(async move {
                sleep(LINGER).await;
                let mut all = this.followed.lock();
                if all.get(&subject).is_some_and(|followed| followed.here.is_empty())
                    && let Some(followed) = all.remove(&subject)
                {
                    followed.stop.cancel();
                }
            });
        }
    }

    fn join(self: &Arc<Self>, subject: Subject, api_key: &str) {
        let mut all = self.followed.lock();
        let followed = all.entry(subject.clone()).or_insert_with(|| {
            let stop = self.stop.child_token();
            let (this, token) = (Arc::clone(self), stop.clone());
            tokio::spawn(async move { token.run_until_cancelled_owned(this.follow(subject)).await });
            Followed { here: HashMap::new(), is_live: false, stop }
        });
        followed.here.entry(digest_of(api_key)).or_insert_with(|| (api_key.to_owned(), 0)).1 += 1;
    }

    /// The key of a connected viewer.
    fn key_of(&self, subject: &Subject) -> Option<String> {
        self.followed.lock().get(subject)?.here.values().next().map(|(key, _)| key.clone())
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
        let _begun = self.begins.subscribe().wait_for(|begins| *begins).await.is_ok();
        loop {
            // Without a connected viewer, a broken socket isn't opened again.
            let Some(key) = self.key_of(&subject) else {
                sleep(Duration::from_secs(1)).await;
                continue;
            };
            let ended = self.one_socket(&subject, &key).await;
            self.set_live(&subject, false);
            match ended {
                Ended::Left => {}
                Ended::KeyRefused => {
                    (self.key_refused)(&key);
                    if let Some(followed) = self.followed.lock().get_mut(&subject) {
                        followed.here.remove(&digest_of(&key));
                    }
                }
                Ended::Broken { was_live } => failures = if was_live { 0 } else { failures.saturating_add(1) },
            }
            // Full jitter, so that clients don't all reconnect to the upstream at once.
            let most =
                Duration::from_millis(500).saturating_mul(2u32.saturating_pow(failures.min(6))).min(LONGEST_PAUSE);
            sleep(most.mul_f64(self.entropy.next_f64())).await;
        }
    }

    async fn one_socket(&self, subject: &Subject, key: &str) -> Ended {
        let mut was_live = false;
        match self.converse(subject, key, &mut was_live).await {
            Ok(()) => Ended::Left,
            Err(FeedError::KeyRefused) => Ended::KeyRefused,
            Err(error) => {
                tracing::debug!(subject = subject.name(), %error, "a socket to the upstream closed");
                Ended::Broken { was_live }
            }
        }
    }

    async fn converse(&self, subject: &Subject, key: &str, was_live: &mut bool) -> Result<(), FeedError> {
        let mut request = self.origin.socket().into_client_request()?;
        request.headers_mut().insert("user-agent", tungstenite::http::HeaderValue::from_static("touchline"));
        let config = WebSocketConfig::default().max_message_size(Some(FRAME_BYTES)).max_frame_size(Some(FRAME_BYTES));
        let connecting = connect_async_with_config(request, Some(config), true);
        let (mut ws, _) = timeout(WELCOMED_WITHIN, connecting).await.map_err(|_| FeedError::Late)??;
        let resume = self.store.upstream_position(&subject.name()).await?;
        // A viewer's position needs the user stream. Without it the feed restarts with a snapshot.
        let resume = resume.filter(|resume| matches!(subject, Subject::Channel(_)) || resume.user_seq.is_some());
        let hello = ClientFrame::Hello { v: VERSION, api_key: key.to_owned(), resume };
        ws.send(text_of(&hello)).await?;
        let mut position: Option<Resume> = None;
        loop {
            let patience = if position.is_some() { Duration::from_secs(90) } else { WELCOMED_WITHIN };
            let message = timeout(patience, ws.next()).await.map_err(|_| FeedError::Late)?;
            let text = match message.ok_or(FeedError::Closed)?? {
                Message::Text(text) => text,
                Message::Close(Some(frame)) if u16::from(frame.code) == KEY_REFUSED => {
                    return Err(FeedError::KeyRefused);
                }
                Message::Close(_) => return Err(FeedError::Closed),
                _ => continue,
            };
            match serde_json::from_str(&text).map_err(|_| FeedError::Foreign)? {
                ServerFrame::Welcome { epoch, user_seq, channel_seq, snapshot, .. } => {
                    self.take_snapshot(subject, snapshot.unwrap_or_default()).await?;
                    let welcomed = Resume { epoch, user_seq, channel_seq };
                    self.store.keep_upstream_position(&subject.name(), &welcomed).await?;
                    position = Some(welcomed);
                    *was_live = true;
                    self.set_live(subject, true);
                }
                ServerFrame::Status(status) => {
                    let Some(position) = position.as_mut() else { return Err(FeedError::Foreign) };
                    match status.stream {
                        Stream::User => position.user_seq = Some(status.seq),
                        Stream::Channel => position.channel_seq = status.seq,
                    }
                    if self.take(subject, status).await? {
                        self.store.keep_upstream_position(&subject.name(), position).await?;
                    }
                }
                ServerFrame::Ping => ws.send(text_of(&ClientFrame::Pong)).await?,
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

    async fn take(&self, subject: &Subject, status: Status) -> Result<bool, StoreError> {
        let Some(scope) = Self::scope(subject, status.stream) else { return Ok(false) };
        self.store
            .record_statuses(vec![self.line(scope, status.kind, status.id, status.version, status.state)])
            .await?;
        Ok(true)
    }

    async fn take_snapshot(&self, subject: &Subject, items: Vec<SnapshotItem>) -> Result<(), StoreError> {
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

fn text_of(frame: &ClientFrame) -> Message {
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
    Late,
    #[error("closed by the upstream")]
    Closed,
    #[error("unexpected protocol")]
    Foreign,
    #[error("the key is invalid")]
    KeyRefused,
}

impl From<tungstenite::Error> for FeedError {
    fn from(error: tungstenite::Error) -> Self {
        Self::Socket(Box::new(error))
    }
}
