//! The parts, put together.

use std::collections::HashMap;
use std::sync::{Arc, OnceLock};
use std::time::Duration;

use async_trait::async_trait;
use axum::Router;
use axum::extract::Request;
use axum::http::{Extensions, HeaderMap, Uri};
use axum::middleware::{Next, from_fn};
use parking_lot::Mutex;
use serde_json::{Map, Value, json};
use tokio::sync::broadcast;
use tokio::time::{Instant, sleep};
use tokio_util::sync::CancellationToken;
use touchline_protocol::ambient::{SharedClock, SharedEntropy};
use touchline_protocol::limits::Limit;
use touchline_protocol::rate::Buckets;
use touchline_protocol::sync::StatusKind;
use touchline_store::{NewStatus, Store, StoreResult, UpstreamWatch};

use crate::client::{Client, Outgoing};
use crate::failure::Failure;
use crate::features::Features;
use crate::feed::FeedClient;
use crate::local::{Local, fill};
use crate::memory::Memory;
use crate::origin::Origin;
use crate::request::{Query, Viewpoint, digest_of};
use crate::shape::{Mend, Shapes};
use crate::viewers::{Viewer, Viewers};
use crate::watcher::{Look, Looker, Notes, Resource, Watcher, look_of};
use crate::writes::Writes;

/// The job that one of several workers on one store has: asking after what is watched.
const TURN: &str = "upstream";
/// How often the upstream is asked what it has.
const ASKED_EVERY: Duration = Duration::from_secs(600);
/// The same while it does not answer.
const ASKED_AGAIN: Duration = Duration::from_secs(3);
/// How often the log names the same field of the same call.
const NAMED_EVERY: Duration = Duration::from_secs(600);
/// Fields that the log remembers to have named.
const NAMED: usize = 2_000;
/// How long a write is remembered, milliseconds: as long as one of the embedded API.
const WRITES_FOR_MS: i64 = touchline_store::idempotency::REMEMBERED_MS;
/// The rows of the limits table.
pub(crate) const LIMITS: &[Limit] = &[
    Limit::time("upstream.asked", ASKED_EVERY, "How often the upstream is asked which calls it has."),
    Limit::time("upstream.named", NAMED_EVERY, "How often the log names the same field of the same call."),
];

/// What the upstream's room needs of the site around it.
pub trait SiteAround: Send + Sync + 'static {
    /// The host that a request is for.
    fn host_of(&self, uri: &Uri, headers: &HeaderMap) -> String;
    /// The key of the channel that a host shows.
    fn channel_of(&self, host: &str) -> Option<String>;
    /// The keys of all channels.
    fn channels(&self) -> Vec<String>;
    /// What is known of whoever asks.
    fn viewpoint(&self, extensions: &Extensions) -> Viewpoint;
}

/// How an upstream is spoken to.
pub struct UpstreamOptions {
    /// Where it is.
    pub origin: Origin,
    /// How long an answer may take.
    pub answer_within: Duration,
    /// Where watches, writes and statuses are kept.
    pub store: Arc<dyn Store>,
    /// The time.
    pub clock: SharedClock,
    /// Randomness.
    pub entropy: SharedEntropy,
    /// The API document that answers are brought into the shapes of.
    pub document: Value,
    /// The site around.
    pub site: Arc<dyn SiteAround>,
}

/// A channel API elsewhere, in front of which this worker stands. A clone is the same one.
#[derive(Clone)]
pub struct Upstream(Arc<Parts>);

struct Parts {
    client: Arc<Client>,
    store: Arc<dyn Store>,
    clock: SharedClock,
    shapes: Arc<Shapes>,
    features: Features,
    viewers: Viewers,
    memory: Memory,
    writes: Writes,
    watcher: Arc<Watcher>,
    feed: Arc<FeedClient>,
    site: Arc<dyn SiteAround>,
    local: OnceLock<Local>,
    revoked: broadcast::Sender<Vec<String>>,
    /// How often pages asked for what no list names.
    lookups: Buckets,
    /// When the log named a field last.
    named: Mutex<HashMap<String, Instant>>,
}

/// Asks the upstream after what is watched.
struct Looks {
    client: Arc<Client>,
    shapes: Arc<Shapes>,
    feed: Arc<FeedClient>,
    store: Arc<dyn Store>,
    /// Held while the store is asked whose turn it is: the others who ask hear the same.
    turn: tokio::sync::Mutex<()>,
}

#[async_trait]
impl Looker for Looks {
    async fn look(&self, watch: &UpstreamWatch) -> Look {
        let (path, route) = match watch.kind {
            StatusKind::Order => (format!("orders/{}", watch.id), "orders/{id}"),
            StatusKind::Subscription => (format!("subscriptions/{}", watch.id), "subscriptions/{id}"),
            StatusKind::Event => (format!("events/{}", watch.id), "events/{id}"),
            // There is no call of one clip: the list of the viewer's holds it.
            StatusKind::Clip => ("clips/user".to_owned(), "clips/user"),
        };
        let query = Query::default().with_key(Some(&watch.api_key));
        let answered = self.client.ask(&Outgoing::get(path, query)).await;
        let look = |body: Value| {
            let mut body = self.shapes.mend("GET", route, body).0.unwrap_or_default();
            if watch.kind == StatusKind::Clip {
                let clips = body["data"].as_array();
                let clip = clips.and_then(|all| all.iter().find(|clip| clip["id"] == watch.id)).cloned();
                body["data"] = clip.unwrap_or(Value::Null);
            }
            body
        };
        look_of(answered, look)
    }

    fn is_told(&self, user_id: i64) -> bool {
        self.feed.is_live(user_id)
    }

    async fn is_ours(&self) -> bool {
        // One worker alone uses a store of one file.
        if !self.store.is_shared() {
            return true;
        }
        let _turn = self.turn.lock().await;
        self.store.takes_turn(TURN).await.unwrap_or(false)
    }
}

/// The watcher's notes, in the store.
struct InStore(Arc<dyn Store>);

#[async_trait]
impl Notes for InStore {
    async fn watches(&self) -> StoreResult<Vec<UpstreamWatch>> {
        self.0.upstream_watches().await
    }

    async fn keep(&self, watch: &UpstreamWatch) -> StoreResult<()> {
        self.0.keep_upstream_watch(watch).await
    }

    async fn let_go(&self, (user_id, kind, id): Resource) -> StoreResult<()> {
        self.0.drop_upstream_watch(user_id, kind, id).await
    }

    async fn record(&self, status: NewStatus) -> StoreResult<()> {
        self.0.record_statuses(vec![status]).await
    }

    async fn last_state(&self, kind: StatusKind, id: i64) -> StoreResult<Option<Value>> {
        self.0.last_state(kind, id).await
    }
}

impl Upstream {
    /// Puts the parts together. Nothing is asked yet.
    ///
    /// # Errors
    /// The HTTP client cannot be made.
    pub fn open(options: UpstreamOptions) -> anyhow::Result<Self> {
        let UpstreamOptions { origin, answer_within, store, clock, entropy, document, site } = options;
        let client = Arc::new(Client::new(origin.clone(), answer_within)?);
        let shapes = Arc::new(Shapes::of(&document));
        let (revoked, _) = broadcast::channel(1024);
        let memory = Memory::default();
        let refused = || {
            let (revoked, memory) = (revoked.clone(), memory.clone());
            move |key: &str| {
                let (memory, key) = (memory.clone(), key.to_owned());
                // Nobody listens where nobody is connected.
                drop(revoked.send(vec![digest_of(&key)]));
                tokio::spawn(async move { memory.forget(&key).await });
            }
        };
        let feed = FeedClient::new(origin, Arc::clone(&store), Arc::clone(&clock), entropy, |_| {});
        let looks = Looks {
            client: Arc::clone(&client),
            shapes: Arc::clone(&shapes),
            feed: Arc::clone(&feed),
            store: Arc::clone(&store),
            turn: tokio::sync::Mutex::default(),
        };
        let watcher =
            Watcher::new(Arc::new(looks), Arc::new(InStore(Arc::clone(&store))), Arc::clone(&clock), refused());
        let writes = Writes::new(Arc::clone(&client), Arc::clone(&store), Arc::clone(&clock));
        Ok(Self(Arc::new(Parts {
            features: Features::of(&shapes),
            client,
            store,
            clock,
            shapes,
            viewers: Viewers::default(),
            memory,
            writes,
            watcher,
            feed,
            site,
            local: OnceLock::new(),
            revoked,
            lookups: Buckets::new(1),
            named: Mutex::default(),
        })))
    }

    /// The channel's calls with the upstream behind those that are its. `calls` are the embedded ones.
    pub fn in_front_of(&self, calls: Router) -> Router {
        let _same = self.0.local.set(Local::new(calls.clone())).is_ok();
        let this = self.clone();
        calls.layer(from_fn(move |request: Request, next: Next| this.clone().pass(request, next)))
    }

    /// The calls that nobody answers, by their paths below `/api/`.
    pub fn switched_off(&self) -> Vec<String> {
        self.0.features.switched_off()
    }

    /// Asks the upstream what it has, follows its feed, watches; until it is cancelled.
    pub async fn run(&self, cancel: CancellationToken) {
        self.0.watcher.recall().await;
        let work = async {
            loop {
                let is_known = self.0.features.ask(&self.0.client).await;
                if is_known && self.0.features.is_touchline() {
                    self.0.feed.begin();
                    self.follow_channels().await;
                }
                let before = self.0.clock.now_ms() - WRITES_FOR_MS;
                if let Err(error) = self.0.store.forget_upstream_writes(before).await {
                    tracing::warn!(%error, "old writes are not forgotten");
                }
                sleep(if is_known { ASKED_EVERY } else { ASKED_AGAIN }).await;
            }
        };
        let others = async {
            if self.0.store.is_shared() {
                self.0.watcher.adopt_watches().await;
            }
        };
        cancel.run_until_cancelled(futures_util::future::join(work, others)).await;
        self.0.watcher.end();
        self.0.feed.end();
    }

    async fn follow_channels(&self) {
        for channel_key in self.0.site.channels() {
            if let Ok(key) = self.0.viewers.own_key(&self.0.client, &channel_key).await {
                self.0.feed.follow_channel(&channel_key, &key);
            }
        }
    }

    /// Whom a key speaks for, and what stands for the key in notices.
    ///
    /// # Errors
    /// The upstream does not say.
    pub async fn identify(&self, api_key: &str) -> Result<(Viewer, String), String> {
        let viewer = self.0.viewers.identify(&self.0.client, api_key).await;
        viewer.map(|viewer| (viewer, digest_of(api_key))).map_err(|failure| failure.to_string())
    }

    /// Keys that stopped to hold, by what stands for them.
    pub fn revoked(&self) -> broadcast::Receiver<Vec<String>> {
        self.0.revoked.subscribe()
    }

    /// A person's status socket opened.
    pub fn joined(&self, user_id: i64, api_key: &str) {
        self.0.feed.joined(user_id, api_key);
    }

    /// A person's status socket closed.
    pub fn left(&self, user_id: i64, key_id: &str) {
        self.0.feed.left(user_id, key_id);
    }

    /// A status socket waits for a resource.
    pub fn watch(&self, user_id: i64, channel_key: &str, api_key: &str, kind: StatusKind, id: i64) {
        self.watch_for(user_id, channel_key, api_key, kind, id, 1);
    }

    /// It waits no longer.
    pub fn unwatch(&self, user_id: i64, kind: StatusKind, id: i64) {
        self.0.watcher.unwatch((user_id, kind, id));
    }

    /// How many resources are watched.
    pub fn watched(&self) -> usize {
        self.0.watcher.count()
    }

    pub(crate) fn watch_for(
        &self,
        user_id: i64,
        channel_key: &str,
        api_key: &str,
        kind: StatusKind,
        id: i64,
        waiting: usize,
    ) {
        let (channel_key, api_key) = (channel_key.to_owned(), api_key.to_owned());
        let since = self.0.clock.now_ms();
        self.0.watcher.watch(UpstreamWatch { user_id, kind, id, channel_key, api_key, since }, waiting);
    }

    /// The upstream refuses a key: its sockets close, unless it says otherwise when asked again.
    pub(crate) async fn key_failed(&self, api_key: &str) {
        self.0.viewers.forget(api_key).await;
        self.0.memory.forget(api_key).await;
        let this = self.clone();
        let api_key = api_key.to_owned();
        tokio::spawn(async move {
            let viewer = this.0.viewers.identify(&this.0.client, &api_key).await;
            if matches!(viewer, Ok(Viewer::Refused)) {
                this.revoke(&api_key);
            }
        });
    }

    pub(crate) fn revoke(&self, api_key: &str) {
        // Nobody listens where nobody is connected.
        let _heard = self.0.revoked.send(vec![digest_of(api_key)]).is_ok();
    }

    /// Fills the settings in, and says what is switched off.
    pub(crate) fn complete(&self, settings: &mut Value, from: Option<&Map<String, Value>>) {
        if !settings.is_object() {
            *settings = json!({});
        }
        if let Some(settings) = settings.as_object_mut() {
            if let Some(from) = from {
                fill(settings, from);
            }
            let off = self.switched_off();
            if off.iter().any(|path| path == "auth/social/{provider}/start")
                && let Some(auth) = settings.get_mut("auth").and_then(Value::as_object_mut)
            {
                auth.insert("providers".to_owned(), json!([]));
            }
            settings.insert("switched_off".to_owned(), json!(off));
        }
    }

    pub(crate) fn tell_mends(&self, method: &str, route: &str, mends: &[Mend]) {
        for mend in mends {
            let name = format!("{method} {route} {} {}", mend.field, mend.found);
            let mut named = self.0.named.lock();
            let now = Instant::now();
            if named.get(&name).is_some_and(|at| now - *at < NAMED_EVERY) {
                continue;
            }
            if named.len() >= NAMED {
                named.retain(|_, at| now - *at < NAMED_EVERY);
            }
            if named.len() < NAMED {
                named.insert(name, now);
            }
            drop(named);
            let Mend { field, expected, found } = mend;
            metrics::counter!("touchline_upstream_mends_total").increment(1);
            tracing::warn!(
                call = format!("{method} {route}"),
                field,
                expected,
                found,
                "the upstream's answer is mended"
            );
        }
    }

    pub(crate) fn client(&self) -> &Client {
        &self.0.client
    }

    pub(crate) fn features(&self) -> &Features {
        &self.0.features
    }

    pub(crate) fn viewers(&self) -> &Viewers {
        &self.0.viewers
    }

    pub(crate) fn memory(&self) -> &Memory {
        &self.0.memory
    }

    pub(crate) fn writes(&self) -> &Writes {
        &self.0.writes
    }

    pub(crate) fn shapes(&self) -> &Shapes {
        &self.0.shapes
    }

    pub(crate) fn site(&self) -> &dyn SiteAround {
        &*self.0.site
    }

    pub(crate) fn local(&self) -> Option<&Local> {
        self.0.local.get()
    }

    pub(crate) fn lookups(&self) -> &Buckets {
        &self.0.lookups
    }

    pub(crate) fn steady_ms(&self) -> i64 {
        self.0.clock.steady_ms()
    }

    /// Whether the upstream answers at all.
    ///
    /// # Errors
    /// Why not.
    pub async fn is_up(&self) -> Result<(), String> {
        let asked: Result<_, Failure> = self.0.client.ask(&Outgoing::get("settings", "")).await;
        asked.map(|_| ()).map_err(|failure| failure.to_string())
    }
}
