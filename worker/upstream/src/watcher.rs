//! Asks after orders, clips and subscriptions on behalf of all who wait for them (`UP-6`).
//!
//! One task a resource asks every 2 s, however many tabs and viewers wait, until it is final. What it saw goes into the
//! status log of the store, which numbers it per user: browsers resume from there, and a restarted worker goes on.
//!
//! Of several workers on one store one asks, for the viewers of all: the others keep their watches in the store, where it
//! finds them, and look there for the end. When it is gone another one's turn comes.

use std::collections::HashMap;
use std::sync::Arc;
use std::time::Duration;

use async_trait::async_trait;
use axum::http::StatusCode;
use parking_lot::Mutex;
use serde_json::{Map, Value};
use tokio::sync::Semaphore;
use tokio::time::{Instant, sleep, sleep_until};
use tokio_util::sync::CancellationToken;
use touchline_protocol::ambient::SharedClock;
use touchline_protocol::limits::Limit;
use touchline_protocol::sync::{Scope, StatusKind};
use touchline_store::{NewStatus, StoreResult, UpstreamWatch};

use crate::failure::{Failure, RETRY_LONGEST};
use crate::versions::{is_final, version_of};

/// How often a resource is asked after.
pub(crate) const EVERY: Duration = Duration::from_secs(2);
/// The longest pause after failures.
const LONGEST_PAUSE: Duration = Duration::from_secs(30);
/// How long a resource that nobody waits for any more is asked after all the same.
const UNATTENDED_MS: i64 = 15 * 60 * 1000;
/// How often a worker that does not ask renews the watches of those who wait there.
const RENEWED_EVERY_MS: i64 = 60 * 1000;
/// Resources that are watched at once.
const WATCHED: usize = 20_000;
/// The same of one person.
const WATCHED_BY_ONE: usize = 100;
/// How many are asked after at the same moment.
const AT_ONCE: usize = 64;
/// The rows of the limits table.
pub(crate) const LIMITS: &[Limit] = &[
    Limit::time("upstream.watch_every", EVERY, "How often an order, clip or subscription is asked after."),
    Limit::time("upstream.watch_pause", LONGEST_PAUSE, "The longest pause after the upstream failed."),
    Limit::millis("upstream.unattended", UNATTENDED_MS as u64, "How long it is asked after when nobody waits."),
    Limit::millis("upstream.watch_renewed", RENEWED_EVERY_MS as u64, "How often another worker renews a watch."),
    Limit::count("upstream.watched", WATCHED as u64, "resources", "Orders, clips and subscriptions that are watched."),
    Limit::count("upstream.watched_by_one", WATCHED_BY_ONE as u64, "resources", "The same of one person."),
    Limit::count("upstream.watch_at_once", AT_ONCE as u64, "calls", "Calls of the watcher at the same moment."),
];

/// Whose, which kind, which id.
pub(crate) type Resource = (i64, StatusKind, i64);

/// What looking at a resource gave.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Look {
    /// Its state.
    State(Map<String, Value>),
    /// The upstream says that there is none, or that it is another's.
    Gone,
    /// The key does not hold any more.
    KeyRefused,
    /// Not now. With a time nobody asks before it: the upstream is asked too often.
    Later(Option<Duration>),
    /// This one not before so long.
    Unavailable(Duration),
}

/// Looks at resources; what the watcher needs of the upstream.
#[async_trait]
pub(crate) trait Looker: Send + Sync + 'static {
    /// Looks at one.
    async fn look(&self, watch: &UpstreamWatch) -> Look;
    /// Whether somebody else tells of this person's resources at the moment.
    fn is_told(&self, user_id: i64) -> bool;
    /// Whether this worker is the one that asks: with several workers one of them does.
    async fn is_ours(&self) -> bool;
}

/// What the watcher keeps, in the store.
#[async_trait]
pub(crate) trait Notes: Send + Sync + 'static {
    /// Every watch.
    async fn watches(&self) -> StoreResult<Vec<UpstreamWatch>>;
    /// Keeps a watch.
    async fn keep(&self, watch: &UpstreamWatch) -> StoreResult<()>;
    /// Forgets one.
    async fn let_go(&self, resource: Resource) -> StoreResult<()>;
    /// Writes a status into the log, unless it is as new already.
    async fn record(&self, status: NewStatus) -> StoreResult<()>;
    /// The last state of a resource.
    async fn last_state(&self, kind: StatusKind, id: i64) -> StoreResult<Option<Value>>;
}

/// What `look` makes of an answer.
pub(crate) fn look_of(answered: Result<crate::client::Answer, Failure>, mended: impl FnOnce(Value) -> Value) -> Look {
    let answer = match answered {
        Ok(answer) => answer,
        Err(Failure::Unavailable(after)) => return Look::Unavailable(after),
        Err(_) => return Look::Later(None),
    };
    match answer.status {
        StatusCode::OK => match answer.json().map(mended) {
            Ok(Value::Object(mut body)) => match body.remove("data") {
                Some(Value::Object(state)) => Look::State(state),
                _ => Look::Later(None),
            },
            _ => Look::Later(None),
        },
        StatusCode::NOT_FOUND if answer.json().is_ok() => Look::Gone,
        StatusCode::UNAUTHORIZED => Look::KeyRefused,
        _ if crate::viewers::blames_key(&answer) => Look::KeyRefused,
        _ => Look::Later(answer.retry_after()),
    }
}

struct Watched {
    /// Sockets that wait.
    waiting: usize,
    stop: CancellationToken,
    /// The newest key that may ask.
    watch: Arc<Mutex<UpstreamWatch>>,
}

/// Asks after what is waited for.
pub(crate) struct Watcher {
    looker: Arc<dyn Looker>,
    notes: Arc<dyn Notes>,
    clock: SharedClock,
    watched: Mutex<HashMap<Resource, Watched>>,
    at_once: Semaphore,
    /// Until when nobody asks: the upstream said so.
    pause_until: Mutex<Option<Instant>>,
    stop: CancellationToken,
    key_refused: Box<dyn Fn(&str) + Send + Sync>,
}

impl Watcher {
    pub(crate) fn new(
        looker: Arc<dyn Looker>,
        notes: Arc<dyn Notes>,
        clock: SharedClock,
        key_refused: impl Fn(&str) + Send + Sync + 'static,
    ) -> Arc<Self> {
        Arc::new(Self {
            looker,
            notes,
            clock,
            watched: Mutex::default(),
            at_once: Semaphore::new(AT_ONCE),
            pause_until: Mutex::default(),
            stop: CancellationToken::new(),
            key_refused: Box::new(key_refused),
        })
    }

    /// Goes on with what was watched before the worker ended.
    pub(crate) async fn recall(self: &Arc<Self>) {
        match self.notes.watches().await {
            Ok(watches) => watches.into_iter().for_each(|watch| self.begin(watch, 0, false)),
            Err(error) => tracing::error!(%error, "what was watched is not known any more"),
        }
    }

    /// Takes up what the viewers of other workers wait for, while this worker is the one that asks.
    pub(crate) async fn adopt_watches(self: &Arc<Self>) {
        loop {
            sleep(EVERY).await;
            if self.looker.is_ours().await {
                self.recall().await;
            }
        }
    }

    /// Ends every task; what they watch stays in the store.
    pub(crate) fn end(&self) {
        self.stop.cancel();
    }

    /// How many resources are watched.
    pub(crate) fn count(&self) -> usize {
        self.watched.lock().len()
    }

    /// Somebody waits for a resource, or (`waiting` 0) will ask for it later.
    pub(crate) fn watch(self: &Arc<Self>, watch: UpstreamWatch, waiting: usize) {
        self.begin(watch, waiting, true);
    }

    /// A socket waits no longer.
    pub(crate) fn unwatch(&self, resource: Resource) {
        if let Some(watched) = self.watched.lock().get_mut(&resource) {
            watched.waiting = watched.waiting.saturating_sub(1);
        }
    }

    fn begin(self: &Arc<Self>, watch: UpstreamWatch, waiting: usize, is_new: bool) {
        let resource = (watch.user_id, watch.kind, watch.id);
        let mut all = self.watched.lock();
        if let Some(watched) = all.get_mut(&resource) {
            watched.waiting += waiting;
            let mut known = watched.watch.lock();
            if watch.since >= known.since {
                *known = watch;
            }
            return;
        }
        let by_one = || all.keys().filter(|(user, ..)| *user == watch.user_id).count();
        if all.len() >= WATCHED || by_one() >= WATCHED_BY_ONE {
            tracing::warn!(kind = ?watch.kind, id = watch.id, "too much is watched: it is not asked after");
            return;
        }
        let watch = Arc::new(Mutex::new(watch));
        let stop = self.stop.child_token();
        all.insert(resource, Watched { waiting, stop: stop.clone(), watch: Arc::clone(&watch) });
        metrics::gauge!("touchline_upstream_watched").set(all.len() as f64);
        let this = Arc::clone(self);
        tokio::spawn(stop.run_until_cancelled_owned(async move {
            let first = watch.lock().clone();
            if is_new && let Err(error) = this.notes.keep(&first).await {
                tracing::warn!(%error, "a watch is not kept: it would not survive a restart");
            }
            this.follow(resource, &watch).await;
        }));
    }

    async fn follow(&self, resource: Resource, watch: &Mutex<UpstreamWatch>) {
        let mut failures = 0u32;
        let mut next = Instant::now();
        let mut renewed_at = watch.lock().since;
        loop {
            sleep_until(next).await;
            let pause = *self.pause_until.lock();
            if let Some(until) = pause.filter(|until| *until > Instant::now()) {
                // Not all at the same moment afterwards.
                next = until + Duration::from_millis(resource.2.unsigned_abs() % 1000);
                continue;
            }
            next = (next + EVERY).max(Instant::now());
            let now = watch.lock().clone();
            if self.is_abandoned(resource, &now) {
                break;
            }
            let is_told = self.looker.is_told(resource.0);
            if is_told || !self.looker.is_ours().await {
                if self.is_known_final(&now).await {
                    break;
                }
                if !is_told {
                    self.renew(resource, &now, &mut renewed_at).await;
                }
                continue;
            }
            let look = {
                let Ok(_permit) = self.at_once.acquire().await else { return };
                self.looker.look(&now).await
            };
            match look {
                Look::State(state) => {
                    failures = 0;
                    let ends = is_final(now.kind, &state);
                    if !self.record(&now, state).await {
                        continue;
                    }
                    if ends {
                        break;
                    }
                }
                Look::Gone => break,
                Look::KeyRefused => {
                    (self.key_refused)(&now.api_key);
                    // A newer key of the same person may have come meanwhile.
                    if watch.lock().api_key == now.api_key {
                        break;
                    }
                }
                Look::Later(after) => {
                    failures = failures.saturating_add(1);
                    next = Instant::now() + backoff_after(failures);
                    if let Some(after) = after {
                        let until = Instant::now() + after.min(RETRY_LONGEST);
                        let mut pause = self.pause_until.lock();
                        *pause = Some(pause.map_or(until, |other| other.max(until)));
                    }
                }
                Look::Unavailable(after) => {
                    failures = failures.saturating_add(1);
                    next = Instant::now() + backoff_after(failures).max(after);
                }
            }
        }
        self.forget(resource).await;
    }

    fn waiting(&self, resource: Resource) -> usize {
        self.watched.lock().get(&resource).map_or(0, |watched| watched.waiting)
    }

    fn is_abandoned(&self, resource: Resource, watch: &UpstreamWatch) -> bool {
        self.waiting(resource) == 0 && self.clock.now_ms() - watch.since > UNATTENDED_MS
    }

    /// Renews the watch of those who wait here: the worker that asks knows no sockets but its own.
    async fn renew(&self, resource: Resource, watch: &UpstreamWatch, renewed_at: &mut i64) {
        let now_ms = self.clock.now_ms();
        let is_due = watch.since > *renewed_at || now_ms - *renewed_at >= RENEWED_EVERY_MS;
        if !is_due || self.waiting(resource) == 0 {
            return;
        }
        match self.notes.keep(&UpstreamWatch { since: now_ms, ..watch.clone() }).await {
            Ok(()) => *renewed_at = now_ms,
            Err(error) => tracing::warn!(%error, "a watch is not renewed: the worker that asks may let it go"),
        }
    }

    /// Whether another worker, or the upstream's own feed, told the end already.
    async fn is_known_final(&self, watch: &UpstreamWatch) -> bool {
        let state = self.notes.last_state(watch.kind, watch.id).await;
        state.is_ok_and(|state| state.as_ref().and_then(Value::as_object).is_some_and(|s| is_final(watch.kind, s)))
    }

    async fn record(&self, watch: &UpstreamWatch, state: Map<String, Value>) -> bool {
        let version = state.get("version").and_then(Value::as_i64);
        let line = NewStatus {
            scope: Scope::User(watch.user_id),
            kind: watch.kind,
            id: watch.id,
            version: version.unwrap_or_else(|| version_of(watch.kind, &state)),
            state: Value::Object(state),
            at: self.clock.now_ms(),
        };
        let recorded = self.notes.record(line).await;
        if let Err(error) = &recorded {
            tracing::error!(%error, "a status of the upstream is not kept: it is asked for again");
        }
        recorded.is_ok()
    }

    async fn forget(&self, (user_id, kind, id): Resource) {
        loop {
            match self.notes.let_go((user_id, kind, id)).await {
                Ok(()) => break,
                Err(error) => tracing::warn!(%error, "a watch that has ended is still in the store"),
            }
            sleep(EVERY).await;
        }
        let mut all = self.watched.lock();
        if let Some(watched) = all.remove(&(user_id, kind, id)) {
            watched.stop.cancel();
        }
        metrics::gauge!("touchline_upstream_watched").set(all.len() as f64);
    }
}

fn backoff_after(failures: u32) -> Duration {
    (EVERY * 2u32.saturating_pow(failures.min(5))).min(LONGEST_PAUSE)
}

#[cfg(test)]
mod tests;
