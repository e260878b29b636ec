//! State shared by the handlers.

use std::collections::HashSet;
use std::fmt;
use std::ops::Deref;
use std::sync::Arc;
use std::sync::atomic::AtomicI64;

use parking_lot::Mutex;
use touchline_disk::Disk;
use touchline_protocol::ambient::{SharedClock, SharedEntropy};
use touchline_protocol::favorites::FavoritableType;
use touchline_store::{IdempotencyClaim, Mail, MasterSecret, Store, StoreResult, User};
use url::Url;

use super::effects::PendingEffects;
use crate::auth::email_tokens::{LinkPurpose, Links};
use crate::auth::keyring::{Identity, Keyring};
use crate::auth::limits::Limits;
use crate::auth::passwords::Passwords;
use crate::auth::recaptcha::Recaptcha;
use crate::auth::social::Social;
use crate::background::Wakeups;
use crate::broadcast::Broadcasts;
use crate::catalogue::{ChannelSnapshot, Channels, ResponseCache};
use crate::clips::ClipStorage;
use crate::clips::worker::ClipCutter;
use crate::erasure::Erasures;
use crate::housekeeping::Housekeeping;
use crate::mail::Mailer;
use crate::mail::delivery::Delivery;
use crate::mail::notices::Notices;
use crate::mail::templates::{self, MailQueue};
use crate::media::MediaPasses;
use crate::media::memory::MediaMemory;
use crate::payments::Billing;
use crate::payments::PaymentProvider;
use crate::person_eraser::PersonEraser;
use crate::pictures::Pictures;
use crate::pull::Pulls;
use crate::reports::Reports;

/// State shared by the handlers; cheap to clone.
#[derive(Clone)]
pub struct AppState(Arc<StateFields>);

/// Fields of [`AppState`], which derefs to it.
pub struct StateFields {
    /// The store.
    pub store: Arc<dyn Store>,
    /// The channels.
    pub channels: Arc<Channels>,
    /// Signed media addresses.
    pub media: Arc<MediaPasses>,
    /// Media files in memory.
    pub(crate) memory: MediaMemory,
    /// Cached responses that many viewers share.
    pub(crate) answers: Arc<ResponseCache>,
    /// The clock.
    pub clock: SharedClock,
    /// The source of randomness.
    pub entropy: SharedEntropy,
    /// Cache of recently used API keys.
    pub(crate) keyring: Arc<Keyring>,
    /// Requests in progress with an `Idempotency-Key`.
    pub(crate) effects: PendingEffects,
    /// The secret from which all others are derived.
    pub master_secret: MasterSecret,
    /// Password hashing and verification.
    pub passwords: Passwords,
    /// Rate limits.
    pub(crate) limits: Limits,
    /// Free disk space.
    pub disk: Disk,
    /// Clip files.
    pub(crate) clips: ClipStorage,
    /// Live streams of encoders.
    pub broadcasts: Arc<Broadcasts>,
    /// Media of other hosts.
    pub pulls: Arc<Pulls>,
    /// Resized photographs.
    pub pictures: Pictures,
    /// Problem reports.
    pub reports: Reports,
    /// The reCAPTCHA check.
    pub(crate) recaptcha: Recaptcha,
    /// Social logins.
    pub(crate) social: Social,
    /// [`Billing::sells_from`].
    pub(crate) sells_from: Arc<AtomicI64>,
    /// The mail transport.
    pub(crate) mailer: Arc<dyn Mailer>,
    /// The payment provider.
    pub payments: Arc<dyn PaymentProvider>,
    /// Site address for channels that configure none.
    pub base_url: Url,
    /// Delay before an order is charged, in milliseconds. Only the sandbox has one, so that *processing* can be seen.
    pub(crate) charge_delay_ms: i64,
    /// Wake-ups of the background work.
    pub(crate) wakeups: Arc<Wakeups>,
    /// Other components that erase a person's data.
    pub erasers: Vec<Arc<dyn PersonEraser>>,
    /// Ids of the people whose traces this worker has removed.
    pub(crate) erased: Arc<Mutex<HashSet<i64>>>,
}

impl AppState {
    /// Creates the state.
    pub fn new(fields: StateFields) -> Self {
        Self(Arc::new(fields))
    }

    /// The store.
    pub fn store(&self) -> &dyn Store {
        &*self.0.store
    }

    /// The channels.
    pub fn channels(&self) -> &Channels {
        &self.0.channels
    }

    /// The identity behind an API key; `None` if the key does not work.
    ///
    /// # Errors
    /// Fails when the store does not answer.
    pub async fn authenticate(&self, api_key: &str) -> StoreResult<Option<Identity>> {
        self.keyring.identity(self.store(), &*self.clock, api_key).await
    }

    /// The order and charge service.
    pub fn billing(&self) -> Billing {
        Billing {
            store: Arc::clone(&self.store),
            clock: Arc::clone(&self.clock),
            payments: Arc::clone(&self.payments),
            charge_delay_ms: self.charge_delay_ms,
            wakeups: Arc::clone(&self.wakeups),
            sells_from: Arc::clone(&self.sells_from),
        }
    }

    fn mail_queue(&self) -> MailQueue<'_> {
        MailQueue { store: self.store(), clock: &*self.clock, secret: &self.master_secret, wakeups: &self.wakeups }
    }

    /// Queues the mail with a link for `user` ([`templates::queue`]).
    ///
    /// # Errors
    /// Fails when the store does not answer.
    pub async fn queue_mail(
        &self,
        channel: &ChannelSnapshot,
        purpose: LinkPurpose,
        user: Option<&User>,
        claim: Option<IdempotencyClaim>,
    ) -> StoreResult<()> {
        templates::queue(&self.mail_queue(), channel, &self.site_url(channel), purpose, user, claim).await
    }

    /// The mail that asks a new user for confirmation of their address.
    pub(crate) fn verification_mail(&self, channel: &ChannelSnapshot, user: &User) -> Mail {
        templates::mail_with_link(
            &self.mail_queue(),
            channel,
            &self.site_url(channel),
            LinkPurpose::VerifyEmail,
            user,
            &user.email,
        )
    }

    /// Queues the mail that asks for confirmation of a new address.
    ///
    /// # Errors
    /// Fails when the store does not answer.
    pub(crate) async fn queue_address_change(
        &self,
        channel: &ChannelSnapshot,
        user: &User,
        email: &str,
    ) -> StoreResult<()> {
        templates::queue_address_change(&self.mail_queue(), channel, &self.site_url(channel), user, email).await
    }

    /// The sender of payment notices.
    pub fn notices(&self) -> Notices {
        let state = self.clone();
        Notices {
            store: Arc::clone(&self.store),
            clock: Arc::clone(&self.clock),
            channels: Arc::clone(&self.channels),
            site_url: Arc::new(move |channel| state.site_url(channel)),
            wakeups: Arc::clone(&self.wakeups),
        }
    }

    /// The mail delivery task.
    pub fn delivery(&self) -> Delivery {
        Delivery {
            store: Arc::clone(&self.store),
            clock: Arc::clone(&self.clock),
            mailer: Arc::clone(&self.mailer),
            disk: self.disk.clone(),
            wakeups: Arc::clone(&self.wakeups),
            sent: Arc::default(),
        }
    }

    /// The verifier of mailed links.
    pub(crate) fn links(&self) -> Links<'_> {
        Links { store: self.store(), clock: &*self.clock, secret: &self.master_secret, limits: &self.limits }
    }

    /// The clip cutter.
    pub fn cutter(&self) -> ClipCutter {
        ClipCutter {
            store: Arc::clone(&self.store),
            clock: Arc::clone(&self.clock),
            channels: Arc::clone(&self.channels),
            clips: self.clips.clone(),
            broadcasts: Arc::clone(&self.broadcasts),
            wakeups: Arc::clone(&self.wakeups),
        }
    }

    /// The dependencies of erasures.
    pub fn erasures(&self) -> Erasures {
        Erasures {
            store: Arc::clone(&self.store),
            clock: Arc::clone(&self.clock),
            keyring: Arc::clone(&self.keyring),
            mailer: Arc::clone(&self.mailer),
            reports: self.reports.clone(),
            clips: self.clips.clone(),
            erasers: self.erasers.clone(),
            erased: Arc::clone(&self.erased),
            wakeups: Arc::clone(&self.wakeups),
        }
    }

    /// The dependencies of housekeeping.
    pub fn housekeeping(&self) -> Housekeeping {
        Housekeeping {
            store: Arc::clone(&self.store),
            clock: Arc::clone(&self.clock),
            channels: Arc::clone(&self.channels),
            clips: self.clips.clone(),
        }
    }

    /// The site's address without a path: the channel's own, or the worker's with the channel's first host.
    pub(crate) fn site_url(&self, channel: &ChannelSnapshot) -> Url {
        channel.site_url(&self.base_url)
    }

    /// A person's favourites.
    ///
    /// # Errors
    /// Fails when the store does not answer.
    pub(crate) async fn favorite_ids(&self, user_id: i64) -> StoreResult<Vec<(FavoritableType, i64)>> {
        let favorites = self.store.favorites(user_id).await?;
        Ok(favorites.into_iter().map(|favorite| (favorite.favoritable_type, favorite.favoritable_id)).collect())
    }

    /// Ids of the events that a person has clipped.
    ///
    /// # Errors
    /// Fails when the store does not answer.
    pub async fn clip_event_ids(&self, user_id: i64) -> StoreResult<Vec<i64>> {
        self.store.clip_event_ids(user_id).await
    }

    /// Ids of the events with public clips.
    ///
    /// # Errors
    /// Fails when the store does not answer.
    pub async fn public_clip_event_ids(&self, channel_key: &str) -> StoreResult<Vec<i64>> {
        self.store.public_clip_event_ids(channel_key).await
    }
}

impl Deref for AppState {
    type Target = StateFields;

    fn deref(&self) -> &StateFields {
        &self.0
    }
}

impl fmt::Debug for AppState {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_struct("AppState").finish_non_exhaustive()
    }
}
