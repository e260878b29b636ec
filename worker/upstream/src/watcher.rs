//! Polls orders, clips and subscriptions on behalf of all viewers who wait for them (`UP-6`).
//!
//! One task per resource polls every 2 s until the resource is final, however many tabs and viewers wait. Changes are
//! appended to the store's status log, which numbers them per user. Browsers resume from that log, and so does a
//! restarted worker.
//!
//! Among several workers on one store, one polls for all viewers. The others save their watches in the store and read
//! the results from it. When the polling worker goes away, another one takes over.

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

use crate::failure::{Failure, MAX_RETRY_AFTER};
use crate::versions::{is_final, version_of};

pub(crate) const POLL_INTERVAL: Duration = Duration::from_secs(2);
/// Longest pause after failures.
const MAX_PAUSE: Duration = Duration::from_secs(30);
/// Polling continues this long after the last viewer stopped waiting.
const UNATTENDED_MS: i64 = 15 * 60 * 1000;
/// Interval at which a worker that doesn't poll renews the watches of its viewers.
const RENEW_INTERVAL_MS: i64 = 60 * 1000;
/// Most resources watched at once.
const MAX_WATCHES: usize = 20_000;
/// Most resources watched at once for one viewer.
const MAX_WATCHES_PER_USER: usize = 100;
/// Most requests in progress.
const MAX_CONCURRENT: usize = 64;
pub(crate) const LIMITS: &[Limit] = &[
    Limit::time("upstream.watch_every", POLL_INTERVAL, "Polling interval of an order, clip or subscription."),
    Limit::time("upstream.watch_pause", MAX_PAUSE, "Maximum delay between polls after failures."),
    Limit::millis(
        "upstream.unattended",
        UNATTENDED_MS as u64,
        "How long a resource without waiting viewers is polled.",
    ),
    Limit::millis(
        "upstream.watch_renewed",
        RENEW_INTERVAL_MS as u64,
        "Interval at which another worker renews a watch.",
    ),
    Limit::count(
        "upstream.watched",
        MAX_WATCHES as u64,
        "resources",
        "Orders, clips and subscriptions polled at once.",
    ),
    Limit::count(
        "upstream.watched_by_one",
        MAX_WATCHES_PER_USER as u64,
        "resources",
        "Orders, clips and subscriptions polled for one viewer.",
    ),
    Limit::count("upstream.watch_at_once", MAX_CONCURRENT as u64, "calls", "Concurrent polling requests."),
];

/// User id, type and id of a resource.
pub(crate) type Resource = (i64, StatusKind, i64);

/// The result of polling a resource.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum PollResult {
    State(Map<String, Value>),
    /// The upstream reports that the resource doesn't exist or belongs to another viewer.
    NotFound,
    KeyRefused,
    /// The upstream is unavailable. With a duration, all polling pauses.
    RetryLater(Option<Duration>),
    /// This resource is unavailable for that long.
    Unavailable(Duration),
}

/// The upstream as the watcher needs it.
#[async_trait]
pub(crate) trait Poller: Send + Sync + 'static {
    async fn poll(&self, watch: &UpstreamWatch) -> PollResult;
    /// Whether the user's statuses currently arrive by another way, such as a feed.
    fn has_feed(&self, user_id: i64) -> bool;
    /// Whether this worker is the one that polls.
    async fn is_polling_worker(&self) -> bool;
}

/// The watcher's persistent state, in the store.
#[async_trait]
pub(crate) trait Notes: Send + Sync + 'static {
    async fn watches(&self) -> StoreResult<Vec<UpstreamWatch>>;
    async fn store(&self, watch: &UpstreamWatch) -> StoreResult<()>;
    async fn delete(&self, resource: Resource) -> StoreResult<()>;
    /// Appends a status to the log, unless it isn't newer.
    async fn record(&self, status: NewStatus) -> StoreResult<()>;
    async fn last_state(&self, kind: StatusKind, id: i64) -> StoreResult<Option<Value>>;
}

/// Interprets the response to a poll.
pub(crate) fn poll_result(
    result: Result<crate::client::Reply, Failure>,
    correct: impl FnOnce(Value) -> Value,
) -> PollResult {
    let reply = match result {
        Ok(reply) => reply,
        Err(Failure::Unavailable(after)) => return PollResult::Unavailable(after),
        Err(_) => return PollResult::RetryLater(None),
    };
    match reply.status {
        StatusCode::OK => match reply.json().map(correct) {
            Ok(Value::Object(mut body)) => match body.remove("data") {
                Some(Value::Object(state)) => PollResult::State(state),
                _ => PollResult::RetryLater(None),
            },
            _ => PollResult::RetryLater(None),
        },
        StatusCode::NOT_FOUND if reply.json().is_ok() => PollResult::NotFound,
        StatusCode::UNAUTHORIZED => PollResult::KeyRefused,
        _ if crate::viewers::names_bad_key(&reply) => PollResult::KeyRefused,
        _ => PollResult::RetryLater(reply.retry_after()),
    }
}

struct ActiveWatch {
    /// Number of waiting sockets.
    waiting: usize,
    cancel: CancellationToken,
    /// The watch with the latest valid key.
    watch: Arc<Mutex<UpstreamWatch>>,
}

pub(crate) struct Watcher {
    poller: Arc<dyn Poller>,
    notes: Arc<dyn Notes>,
    clock: SharedClock,
    active: Mutex<HashMap<Resource, ActiveWatch>>,
    permits: Semaphore,
    /// End of the pause that the upstream requested.
    pause_until: Mutex<Option<Instant>>,
    cancel: CancellationToken,
    key_refused: Box<dyn Fn(&str) + Send + Sync>,
}

impl Watcher {
    pub(crate) fn new(
        poller: Arc<dyn Poller>,
        notes: Arc<dyn Notes>,
        clock: SharedClock,
        key_refused: impl Fn(&str) + Send + Sync + 'static,
    ) -> Arc<Self> {
        Arc::new(Self {
            poller,
            notes,
            clock,
            active: Mutex::default(),
            permits: Semaphore::new(MAX_CONCURRENT),
            pause_until: Mutex::default(),
            cancel: CancellationToken::new(),
            key_refused: Box::new(key_refused),
        })
    }

    /// Resumes the watches from before a restart.
    pub(crate) async fn resume(self: &Arc<Self>) {
        match self.notes.watches().await {
            Ok(watches) => watches.into_iter().for_each(|watch| self.start(watch, 0, false)),
            Err(error) => tracing::error!(%error, "could not load the watches from before the restart"),
        }
    }

    /// Takes over the watches of other workers while this worker polls.
    pub(crate) async fn adopt_watches(self: &Arc<Self>) {
        loop {
            sleep(POLL_INTERVAL).await;
            if self.poller.is_polling_worker().await {
                self.resume().await;
            }
        }
    }

    /// Stops all tasks. Their watches stay in the store.
    pub(crate) fn shutdown(&self) {
        self.cancel.cancel();
    }

    #[cfg(test)]
    pub(crate) fn count(&self) -> usize {
        self.active.lock().len()
    }

    /// Watches a resource. `waiting` is the number of sockets that wait for it. 0 if a request will ask later.
    pub(crate) fn watch(self: &Arc<Self>, watch: UpstreamWatch, waiting: usize) {
        self.start(watch, waiting, true);
    }

    /// Removes one waiting socket.
    pub(crate) fn unwatch(&self, resource: Resource) {
        if let Some(active) = self.active.lock().get_mut(&resource) {
            active.waiting = active.waiting.saturating_sub(1);
        }
    }

    fn start(self: &Arc<Self>, watch: UpstreamWatch, waiting: usize, is_new: bool) {
        let resource = (watch.user_id, watch.kind, watch.id);
        let mut all = self.active.lock();
        if let Some(active) = all.get_mut(&resource) {
            active.waiting += waiting;
            let mut existing = active.watch.lock();
            if watch.since >= existing.since {
                *existing = watch;
            }
            return;
        }
        let count_for_user = || all.keys().filter(|(user, ..)| *user == watch.user_id).count();
        if all.len() >= MAX_WATCHES || count_for_user() >= MAX_WATCHES_PER_USER {
            tracing::warn!(kind = ?watch.kind, id = watch.id, "too many watches, the resource is not polled");
            return;
        }
        let watch = Arc::new(Mutex::new(watch));
        let cancel = self.cancel.child_token();
        all.insert(resource, ActiveWatch { waiting, cancel: cancel.clone(), watch: Arc::clone(&watch) });
        metrics::gauge!("touchline_upstream_watched").set(all.len() as f64);
        let this = Arc::clone(self);
        tokio::spawn(cancel.run_until_cancelled_owned(async move {
            let first = watch.lock().clone();
            if is_new && let Err(error) = this.notes.store(&first).await {
                tracing::warn!(%error, "could not store a watch, it will not survive a restart");
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
                // Spreads the requests after the pause.
                next = until + Duration::from_millis(resource.2.unsigned_abs() % 1000);
                continue;
            }
            next = (next + POLL_INTERVAL).max(Instant::now());
            let now = watch.lock().clone();
            if self.is_abandoned(resource, &now) {
                break;
            }
            let has_feed = self.poller.has_feed(resource.0);
            if has_feed || !self.poller.is_polling_worker().await {
                if self.is_recorded_final(&now).await {
                    break;
                }
                if !has_feed {
                    self.renew(resource, &now, &mut renewed_at).await;
                }
                continue;
            }
            let poll = {
                let Ok(_permit) = self.permits.acquire().await else { return };
                self.poller.poll(&now).await
            };
            match poll {
                PollResult::State(state) => {
                    failures = 0;
                    let is_last = is_final(now.kind, &state);
                    if !self.record(&now, state).await {
                        continue;
                    }
                    if is_last {
                        break;
                    }
                }
                PollResult::NotFound => break,
                PollResult::KeyRefused => {
                    (self.key_refused)(&now.api_key);
                    // The same user may have sent a newer key meanwhile.
                    if watch.lock().api_key == now.api_key {
                        break;
                    }
                }
                PollResult::RetryLater(after) => {
                    failures = failures.saturating_add(1);
                    next = Instant::now() + backoff_after(failures);
                    if let Some(after) = after {
                        let until = Instant::now() + after.min(MAX_RETRY_AFTER);
                        let mut pause = self.pause_until.lock();
                        *pause = Some(pause.map_or(until, |other| other.max(until)));
                    }
                }
                PollResult::Unavailable(after) => {
                    failures = failures.saturating_add(1);
                    next = Instant::now() + backoff_after(failures).max(after);
                }
            }
        }
        self.remove(resource).await;
    }

    fn waiting(&self, resource: Resource) -> usize {
        self.active.lock().get(&resource).map_or(0, |active| active.waiting)
    }

    fn is_abandoned(&self, resource: Resource, watch: &UpstreamWatch) -> bool {
        self.waiting(resource) == 0 && self.clock.now_ms() - watch.since > UNATTENDED_MS
    }

    /// Renews the watch for this worker's sockets. The polling worker knows only its own.
    async fn renew(&self, resource: Resource, watch: &UpstreamWatch, renewed_at: &mut i64) {
        let now_ms = self.clock.now_ms();
        let is_due = watch.since > *renewed_at || now_ms - *renewed_at >= RENEW_INTERVAL_MS;
        if !is_due || self.waiting(resource) == 0 {
            return;
        }
        match self.notes.store(&UpstreamWatch { since: now_ms, ..watch.clone() }).await {
            Ok(()) => *renewed_at = now_ms,
            Err(error) => tracing::warn!(%error, "could not renew a watch, the polling worker may drop it"),
        }
    }

    /// Whether another worker or the upstream's feed already recorded a final state.
    async fn is_recorded_final(&self, watch: &UpstreamWatch) -> bool {
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
            tracing::error!(%error, "could not store an upstream status; it will be polled again");
        }
        recorded.is_ok()
    }

    async fn remove(&self, (user_id, kind, id): Resource) {
        loop {
            match self.notes.delete((user_id, kind, id)).await {
                Ok(()) => break,
                Err(error) => tracing::warn!(%error, "could not delete a completed watch"),
            }
            sleep(POLL_INTERVAL).await;
        }
        let mut all = self.active.lock();
        if let Some(active) = all.remove(&(user_id, kind, id)) {
            active.cancel.cancel();
        }
        metrics::gauge!("touchline_upstream_watched").set(all.len() as f64);
    }
}

fn backoff_after(failures: u32) -> Duration {
    (POLL_INTERVAL * 2u32.saturating_pow(failures.min(5))).min(MAX_PAUSE)
}

#[cfg(test)]
mod tests;
