//! The assembled proxy.

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

use crate::cache::ReplyCache;
use crate::client::{Client, Outgoing};
use crate::failure::Failure;
use crate::features::Features;
use crate::feed::FeedClient;
use crate::local::{Local, fill};
use crate::origin::Origin;
use crate::request::{Query, Viewpoint, digest_of};
use crate::shape::{Correction, Shapes};
use crate::viewers::{Viewer, Viewers};
use crate::watcher::{Notes, PollResult, Poller, Resource, Watcher, poll_result};
use crate::writes::Writes;

/// Name of the job that only one of several workers on a store has: polling of watched resources.
const POLLING_JOB: &str = "upstream";
/// Interval between two detections of the upstream's features.
const DETECT_INTERVAL: Duration = Duration::from_secs(600);
/// Interval between retries of the detection while the upstream doesn't respond.
const DETECT_RETRY_INTERVAL: Duration = Duration::from_secs(3);
/// Least time between two log lines about the same field of a call.
const LOG_INTERVAL: Duration = Duration::from_secs(600);
const MAX_LOGGED_FIELDS: usize = 2_000;
/// Lifetime of a stored write, in milliseconds. Equal to the embedded API's.
const WRITE_LIFETIME_MS: i64 = touchline_store::idempotency::RESPONSE_LIFETIME_MS;
pub(crate) const LIMITS: &[Limit] = &[
    Limit::time("upstream.asked", DETECT_INTERVAL, "Interval between checks of the upstream's features."),
    Limit::time("upstream.named", LOG_INTERVAL, "Minimum interval between log lines about the same field of a call."),
];

/// The site's services that the proxy needs.
pub trait SiteServices: Send + Sync + 'static {
    /// The host that a request is for.
    fn host_of(&self, uri: &Uri, headers: &HeaderMap) -> String;
    /// The key of the channel that a host serves.
    fn channel_of(&self, host: &str) -> Option<String>;
    /// The keys of all channels.
    fn channels(&self) -> Vec<String>;
    /// The known details of the viewer who sent a request.
    fn viewpoint(&self, extensions: &Extensions) -> Viewpoint;
}

/// Options of the proxy.
pub struct UpstreamOptions {
    /// URLs of the upstream.
    pub origin: Origin,
    /// Response timeout.
    pub response_timeout: Duration,
    /// Store for watches, writes and statuses.
    pub store: Arc<dyn Store>,
    /// The clock.
    pub clock: SharedClock,
    /// The source of randomness.
    pub entropy: SharedEntropy,
    /// The API document, whose schemas responses are corrected to.
    pub document: Value,
    /// The surrounding site.
    pub site: Arc<dyn SiteServices>,
}

/// The proxy in front of a remote channel API. Clones share their state.
#[derive(Clone)]
pub struct Upstream(Arc<UpstreamState>);

struct UpstreamState {
    client: Arc<Client>,
    store: Arc<dyn Store>,
    clock: SharedClock,
    shapes: Arc<Shapes>,
    features: Features,
    viewers: Viewers,
    cache: ReplyCache,
    writes: Writes,
    watcher: Arc<Watcher>,
    feed: Arc<FeedClient>,
    site: Arc<dyn SiteServices>,
    local: OnceLock<Local>,
    revoked: broadcast::Sender<Vec<String>>,
    /// Rate limit of look-ups by pages.
    lookups: Buckets,
    /// Time of the last log line, by field.
    logged: Mutex<HashMap<String, Instant>>,
}

/// Polls watched resources.
struct UpstreamPoller {
    client: Arc<Client>,
    shapes: Arc<Shapes>,
    feed: Arc<FeedClient>,
    store: Arc<dyn Store>,
    /// Held while the store decides which worker polls, so that concurrent callers share one result.
    turn: tokio::sync::Mutex<()>,
}

#[async_trait]
impl Poller for UpstreamPoller {
    async fn poll(&self, watch: &UpstreamWatch) -> PollResult {
        let (path, route) = match watch.kind {
            StatusKind::Order => (format!("orders/{}", watch.id), "orders/{id}"),
            StatusKind::Subscription => (format!("subscriptions/{}", watch.id), "subscriptions/{id}"),
            StatusKind::Event => (format!("events/{}", watch.id), "events/{id}"),
            // There is no call for a single clip. The viewer's list contains it.
            StatusKind::Clip => ("clips/user".to_owned(), "clips/user"),
        };
        let query = Query::default().with_key(Some(&watch.api_key));
        let result = self.client.send(&Outgoing::get(path, query)).await;
        let correct = |body: Value| {
            let mut body = self.shapes.correct("GET", route, body).0.unwrap_or_default();
            if watch.kind == StatusKind::Clip {
                let clips = body["data"].as_array();
                let clip = clips.and_then(|all| all.iter().find(|clip| clip["id"] == watch.id)).cloned();
                body["data"] = clip.unwrap_or(Value::Null);
            }
            body
        };
        poll_result(result, correct)
    }

    fn has_feed(&self, user_id: i64) -> bool {
        self.feed.is_live(user_id)
    }

    async fn is_polling_worker(&self) -> bool {
        // A single-file store has only one worker.
        if !self.store.is_shared() {
            return true;
        }
        let _turn = self.turn.lock().await;
        self.store.holds_job(POLLING_JOB).await.unwrap_or(false)
    }
}

/// The watcher's notes, in the store.
struct StoreNotes(Arc<dyn Store>);

#[async_trait]
impl Notes for StoreNotes {
    async fn watches(&self) -> StoreResult<Vec<UpstreamWatch>> {
        self.0.upstream_watches().await
    }

    async fn store(&self, watch: &UpstreamWatch) -> StoreResult<()> {
        self.0.store_upstream_watch(watch).await
    }

    async fn delete(&self, (user_id, kind, id): Resource) -> StoreResult<()> {
        self.0.delete_upstream_watch(user_id, kind, id).await
    }

    async fn record(&self, status: NewStatus) -> StoreResult<()> {
        self.0.record_statuses(vec![status]).await
    }

    async fn last_state(&self, kind: StatusKind, id: i64) -> StoreResult<Option<Value>> {
        self.0.last_state(kind, id).await
    }
}

impl Upstream {
    /// Assembles the proxy. Nothing is requested yet.
    ///
    /// # Errors
    /// Fails if the HTTP client can't be created.
    pub fn open(options: UpstreamOptions) -> anyhow::Result<Self> {
        let UpstreamOptions { origin, response_timeout, store, clock, entropy, document, site } = options;
        let client = Arc::new(Client::new(origin.clone(), response_timeout)?);
        let shapes = Arc::new(Shapes::of(&document));
        let (revoked, _) = broadcast::channel(1024);
        let cache = ReplyCache::default();
        let on_refused = || {
            let (revoked, cache) = (revoked.clone(), cache.clone());
            move |key: &str| {
                let (cache, key) = (cache.clone(), key.to_owned());
                // Fails if no socket is open, which is harmless.
                drop(revoked.send(vec![digest_of(&key)]));
                tokio::spawn(async move { cache.forget(&key).await });
            }
        };
        let feed = FeedClient::new(origin, Arc::clone(&store), Arc::clone(&clock), entropy, |_| {});
        let poller = UpstreamPoller {
            client: Arc::clone(&client),
            shapes: Arc::clone(&shapes),
            feed: Arc::clone(&feed),
            store: Arc::clone(&store),
            turn: tokio::sync::Mutex::default(),
        };
        let watcher =
            Watcher::new(Arc::new(poller), Arc::new(StoreNotes(Arc::clone(&store))), Arc::clone(&clock), on_refused());
        let writes = Writes::new(Arc::clone(&client), Arc::clone(&store), Arc::clone(&clock));
        Ok(Self(Arc::new(UpstreamState {
            features: Features::of(&shapes),
            client,
            store,
            clock,
            shapes,
            viewers: Viewers::default(),
            cache,
            writes,
            watcher,
            feed,
            site,
            local: OnceLock::new(),
            revoked,
            lookups: Buckets::new(1),
            logged: Mutex::default(),
        })))
    }

    /// The channel's calls, with the upstream in front. `calls` is the embedded API.
    pub fn wrap(&self, calls: Router) -> Router {
        let _same = self.0.local.set(Local::new(calls.clone())).is_ok();
        let this = self.clone();
        calls.layer(from_fn(move |request: Request, next: Next| this.clone().handle(request, next)))
    }

    /// Paths below `/api/` of the calls that nobody answers.
    pub fn switched_off(&self) -> Vec<String> {
        self.0.features.switched_off()
    }

    /// Detects features, follows the feed and polls, until cancelled.
    pub async fn run(&self, cancel: CancellationToken) {
        self.0.watcher.resume().await;
        let work = async {
            loop {
                let is_detected = self.0.features.detect(&self.0.client).await;
                if is_detected && self.0.features.is_touchline() {
                    self.0.feed.start();
                    self.follow_channels().await;
                }
                let before = self.0.clock.now_ms() - WRITE_LIFETIME_MS;
                if let Err(error) = self.0.store.delete_upstream_writes(before).await {
                    tracing::warn!(%error, "could not delete old writes");
                }
                sleep(if is_detected { DETECT_INTERVAL } else { DETECT_RETRY_INTERVAL }).await;
            }
        };
        let polling = async {
            if self.0.store.is_shared() {
                self.0.watcher.adopt_watches().await;
            }
        };
        cancel.run_until_cancelled(futures_util::future::join(work, polling)).await;
        self.0.watcher.shutdown();
        self.0.feed.shutdown();
    }

    async fn follow_channels(&self) {
        for channel_key in self.0.site.channels() {
            if let Ok(key) = self.0.viewers.worker_key(&self.0.client, &channel_key).await {
                self.0.feed.follow_channel(&channel_key, &key);
            }
        }
    }

    /// The viewer behind a key, and the key's digest for notices.
    ///
    /// # Errors
    /// Fails if the upstream doesn't respond.
    pub async fn identify(&self, api_key: &str) -> Result<(Viewer, String), String> {
        let viewer = self.0.viewers.identify(&self.0.client, api_key).await;
        viewer.map(|viewer| (viewer, digest_of(api_key))).map_err(|failure| failure.to_string())
    }

    /// Receives the digests of keys that are no longer valid.
    pub fn revoked(&self) -> broadcast::Receiver<Vec<String>> {
        self.0.revoked.subscribe()
    }

    /// Registers a viewer's status socket.
    pub fn viewer_connected(&self, user_id: i64, api_key: &str) {
        self.0.feed.viewer_connected(user_id, api_key);
    }

    /// Unregisters a viewer's status socket.
    pub fn viewer_disconnected(&self, user_id: i64, key_id: &str) {
        self.0.feed.viewer_disconnected(user_id, key_id);
    }

    /// Starts watching a resource for a status socket.
    pub fn watch(&self, user_id: i64, channel_key: &str, api_key: &str, kind: StatusKind, id: i64) {
        self.watch_for(user_id, channel_key, api_key, kind, id, 1);
    }

    /// Stops watching a resource for a status socket.
    pub fn unwatch(&self, user_id: i64, kind: StatusKind, id: i64) {
        self.0.watcher.unwatch((user_id, kind, id));
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

    /// Handles a key that the upstream refused. Unless the upstream accepts it when asked again, its sockets close.
    pub(crate) async fn key_failed(&self, api_key: &str) {
        self.0.viewers.forget(api_key).await;
        self.0.cache.forget(api_key).await;
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
        // Fails if no socket is open, which is harmless.
        let _delivered = self.0.revoked.send(vec![digest_of(api_key)]).is_ok();
    }

    /// Completes the settings and adds the calls that are switched off.
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

    pub(crate) fn log_corrections(&self, method: &str, route: &str, corrections: &[Correction]) {
        for correction in corrections {
            let name = format!("{method} {route} {} {}", correction.field, correction.found);
            let mut logged = self.0.logged.lock();
            let now = Instant::now();
            if logged.get(&name).is_some_and(|at| now - *at < LOG_INTERVAL) {
                continue;
            }
            if logged.len() >= MAX_LOGGED_FIELDS {
                logged.retain(|_, at| now - *at < LOG_INTERVAL);
            }
            if logged.len() < MAX_LOGGED_FIELDS {
                logged.insert(name, now);
            }
            drop(logged);
            let Correction { field, expected, found } = correction;
            metrics::counter!("touchline_upstream_mends_total").increment(1);
            tracing::warn!(
                call = format!("{method} {route}"),
                field,
                expected,
                found,
                "corrected the upstream's response"
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

    pub(crate) fn cache(&self) -> &ReplyCache {
        &self.0.cache
    }

    pub(crate) fn writes(&self) -> &Writes {
        &self.0.writes
    }

    pub(crate) fn shapes(&self) -> &Shapes {
        &self.0.shapes
    }

    pub(crate) fn site(&self) -> &dyn SiteServices {
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

    /// Checks that the upstream responds.
    ///
    /// # Errors
    /// Returns the reason it doesn't.
    pub async fn is_up(&self) -> Result<(), String> {
        let result: Result<_, Failure> = self.0.client.send(&Outgoing::get("settings", "")).await;
        result.map(|_| ()).map_err(|failure| failure.to_string())
    }
}
