//! What the handlers share.

use std::fmt;
use std::ops::Deref;
use std::sync::Arc;
use std::time::Duration;

use tokio::sync::Notify;
use touchline_disk::Disk;
use touchline_domain::entitlements::Entitlements;
use touchline_protocol::ambient::{SharedClock, SharedEntropy};
use touchline_protocol::favorites::FavoritableType;
use touchline_store::{MasterSecret, Store, StoreError, StoreResult};
use url::Url;

use crate::auth::keyring::Keyring;
use crate::auth::limits::Limits;
use crate::auth::passwords::Passwords;
use crate::auth::recaptcha::Recaptcha;
use crate::auth::social::Social;
use crate::catalogue::{ChannelSnapshot, Channels, ResponseCache};
use crate::clips::ClipStorage;
use crate::erasure::PersonEraser;
use crate::http::error::ApiResult;
use crate::http::idempotency::EffectsUnderWay;
use crate::http::{Caller, Identity};
use crate::mail::Mailer;
use crate::media::MediaPasses;
use crate::payments::PaymentProvider;
use crate::reports::Reports;

/// What the handlers share; cheap to clone.
#[derive(Clone)]
pub struct AppState(Arc<Parts>);

/// See [`AppState`], which derefs to it.
pub struct Parts {
    /// The records.
    pub store: Arc<dyn Store>,
    /// The channels.
    pub channels: Arc<Channels>,
    /// Addresses of media.
    pub media: Arc<MediaPasses>,
    /// Answers that many viewers get.
    pub answers: Arc<ResponseCache>,
    /// The time.
    pub clock: SharedClock,
    /// Randomness.
    pub entropy: SharedEntropy,
    /// The API keys that were used lately.
    pub keyring: Keyring,
    /// Requests with an `Idempotency-Key` that are under way.
    pub effects: EffectsUnderWay,
    /// What every other secret is derived from.
    pub master_secret: MasterSecret,
    /// Hashing and verifying passwords.
    pub passwords: Passwords,
    /// How often one may try.
    pub limits: Limits,
    /// The space on the disk.
    pub disk: Disk,
    /// Where clips are kept.
    pub clips: ClipStorage,
    /// What viewers reported.
    pub reports: Reports,
    /// The check for robots.
    pub recaptcha: Recaptcha,
    /// Logins through other sites.
    pub social: Social,
    /// Where letters go.
    pub mailer: Arc<dyn Mailer>,
    /// Who moves the money.
    pub payments: Arc<dyn PaymentProvider>,
    /// The site's address for channels that name none of their own.
    pub base_url: Url,
    /// How long an order waits before it is charged, milliseconds; the sandbox's, so that *processing* can be seen.
    pub charge_delay_ms: i64,
    /// What wakes the work behind the calls.
    pub wakeups: Wakeups,
    /// Who else forgets an erased person.
    pub erasers: Vec<Arc<dyn PersonEraser>>,
    /// Held while the traces of an erased person are removed.
    pub erasing: tokio::sync::Mutex<()>,
}

/// What wakes the work behind the calls.
#[derive(Debug, Default)]
pub struct Wakeups {
    /// A letter was queued.
    pub mail: Notify,
    /// An order was placed, or its payment confirmed.
    pub orders: Notify,
    /// A clip was asked for.
    pub clips: Notify,
    /// An account was erased.
    pub erasures: Notify,
}

/// How soon the work behind the calls is tried again after the store failed, or where there was no space: it goes on
/// within 5 s of there being some, and fills no log until then.
const FAILED_PAUSE_MS: i64 = 2_000;

/// When work that failed is tried again, milliseconds since 1970.
pub fn after_failure(state: &AppState) -> i64 {
    state.clock.now_ms() + FAILED_PAUSE_MS
}

/// Waits after the store failed; nothing wakes it earlier.
pub async fn pause_after_failure() {
    tokio::time::sleep(Duration::from_millis(FAILED_PAUSE_MS.unsigned_abs())).await;
}

/// Logs a failure of the store; one of the disk is logged by whoever watches that.
pub fn log_failure(error: &StoreError, what: &'static str) {
    if error.is_of_the_disk() {
        tracing::debug!(%error, what, "the disk takes no write");
    } else {
        tracing::error!(%error, "{what}");
    }
}

/// Waits until it is woken, or until `due` (milliseconds since 1970), but no longer than half a minute: another worker
/// may have left something to do.
pub async fn wait_until(state: &AppState, woken: &Notify, due: Option<i64>) {
    const LONGEST: Duration = Duration::from_secs(30);
    /// What is due and cannot be done, since the store fails, is not tried faster than this.
    const SHORTEST: Duration = Duration::from_millis(50);
    let left = due.map_or(LONGEST, |due| {
        let left = (due - state.clock.now_ms()).max(0).unsigned_abs();
        Duration::from_millis(left).clamp(SHORTEST, LONGEST)
    });
    // Both outcomes mean the same: look again.
    let _ = tokio::time::timeout(left, woken.notified()).await;
}

impl AppState {
    /// Puts the parts together.
    pub fn new(parts: Parts) -> Self {
        Self(Arc::new(parts))
    }

    /// The records.
    pub fn store(&self) -> &dyn Store {
        &*self.0.store
    }

    /// The channels.
    pub fn channels(&self) -> &Channels {
        &self.0.channels
    }

    /// What an API key stands for; nothing when it does not work.
    ///
    /// # Errors
    /// When the store does not answer.
    pub async fn authenticate(&self, api_key: &str) -> StoreResult<Option<Identity>> {
        self.keyring.identity(self.store(), &*self.clock, api_key).await
    }

    /// What the caller has and may do.
    ///
    /// # Errors
    /// When the store does not answer.
    pub async fn entitlements(&self, caller: &Caller) -> ApiResult<Arc<Entitlements>> {
        crate::access::entitlements(self, caller).await
    }

    /// The address of a channel's site, without a path: its own, or the worker's under the channel's first host.
    pub fn site_url(&self, channel: &ChannelSnapshot) -> Url {
        let own = channel.config.public_url.as_deref().and_then(|url| Url::parse(url).ok());
        let mut url = own.clone().unwrap_or_else(|| self.base_url.clone());
        if let (None, false, Some(host)) = (own, channel.config.fallback, channel.config.hosts.first()) {
            // A host that is none leaves the worker's own.
            let _ = url.set_host(Some(host));
        }
        url.set_path("/");
        url.set_query(None);
        url
    }

    /// What a person marked as favourites.
    ///
    /// # Errors
    /// When the store does not answer.
    pub async fn favorite_ids(&self, user_id: i64) -> ApiResult<Vec<(FavoritableType, i64)>> {
        let favorites = self.store.favorites(user_id).await?;
        Ok(favorites.into_iter().map(|favorite| (favorite.favoritable_type, favorite.favoritable_id)).collect())
    }

    /// The events that a person made clips of.
    ///
    /// # Errors
    /// When the store does not answer.
    pub async fn clip_event_ids(&self, user_id: i64) -> ApiResult<Vec<i64>> {
        Ok(self.store.clip_event_ids(user_id).await?)
    }
}

impl Deref for AppState {
    type Target = Parts;

    fn deref(&self) -> &Parts {
        &self.0
    }
}

impl fmt::Debug for AppState {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_struct("AppState").finish_non_exhaustive()
    }
}
