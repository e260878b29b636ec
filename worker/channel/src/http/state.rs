//! What the handlers share.

use std::collections::HashSet;
use std::fmt;
use std::ops::Deref;
use std::sync::Arc;

use touchline_disk::Disk;
use touchline_protocol::ambient::{SharedClock, SharedEntropy};
use touchline_protocol::favorites::FavoritableType;
use touchline_store::{IdempotencyClaim, MasterSecret, Store, StoreResult, User};
use url::Url;

use super::effects::EffectsUnderWay;
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
use crate::clips::worker::Cutter;
use crate::erasure::Erasures;
use crate::housekeeping::Housekeeping;
use crate::mail::Mailer;
use crate::mail::delivery::Delivery;
use crate::mail::notices::Notices;
use crate::mail::templates::{self, MailQueue};
use crate::media::MediaPasses;
use crate::payments::Billing;
use crate::payments::PaymentProvider;
use crate::person_eraser::PersonEraser;
use crate::pictures::Pictures;
use crate::pull::Pulls;
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
    pub keyring: Arc<Keyring>,
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
    /// What encoders write.
    pub broadcasts: Arc<Broadcasts>,
    /// Media of other hosts.
    pub pulls: Pulls,
    /// Photographs in the sizes that are shown.
    pub pictures: Pictures,
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
    pub wakeups: Arc<Wakeups>,
    /// Who else forgets an erased person.
    pub erasers: Vec<Arc<dyn PersonEraser>>,
    /// Held while the traces of an erased person are removed.
    pub erasing: Arc<tokio::sync::Mutex<HashSet<i64>>>,
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

    /// What places orders and charges them.
    pub fn billing(&self) -> Billing {
        Billing {
            store: Arc::clone(&self.store),
            clock: Arc::clone(&self.clock),
            payments: Arc::clone(&self.payments),
            charge_delay_ms: self.charge_delay_ms,
            wakeups: Arc::clone(&self.wakeups),
        }
    }

    /// Queues the mail that carries a link for `user` ([`templates::queue`]).
    ///
    /// # Errors
    /// When the store does not answer.
    pub async fn queue_mail(
        &self,
        channel: &ChannelSnapshot,
        purpose: LinkPurpose,
        user: Option<&User>,
        claim: Option<IdempotencyClaim>,
    ) -> StoreResult<()> {
        let mails =
            MailQueue { store: self.store(), clock: &*self.clock, secret: &self.master_secret, wakeups: &self.wakeups };
        templates::queue(&mails, channel, &self.site_url(channel), purpose, user, claim).await
    }

    /// Queues the letter that asks a new address to confirm that it is the person's.
    ///
    /// # Errors
    /// When the store does not answer.
    pub async fn queue_address_change(&self, channel: &ChannelSnapshot, user: &User, email: &str) -> StoreResult<()> {
        let mails =
            MailQueue { store: self.store(), clock: &*self.clock, secret: &self.master_secret, wakeups: &self.wakeups };
        templates::queue_address_change(&mails, channel, &self.site_url(channel), user, email).await
    }

    /// What writes viewers about their money.
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

    /// What sends mails.
    pub fn delivery(&self) -> Delivery {
        Delivery {
            store: Arc::clone(&self.store),
            clock: Arc::clone(&self.clock),
            mailer: Arc::clone(&self.mailer),
            disk: self.disk.clone(),
            wakeups: Arc::clone(&self.wakeups),
        }
    }

    /// What judges the links of mails.
    pub fn links(&self) -> Links<'_> {
        Links { store: self.store(), clock: &*self.clock, secret: &self.master_secret, limits: &self.limits }
    }

    /// What cuts clips.
    pub fn cutter(&self) -> Cutter {
        Cutter {
            store: Arc::clone(&self.store),
            clock: Arc::clone(&self.clock),
            channels: Arc::clone(&self.channels),
            clips: self.clips.clone(),
            broadcasts: Arc::clone(&self.broadcasts),
            wakeups: Arc::clone(&self.wakeups),
        }
    }

    /// What erases people.
    pub fn erasures(&self) -> Erasures {
        Erasures {
            store: Arc::clone(&self.store),
            clock: Arc::clone(&self.clock),
            keyring: Arc::clone(&self.keyring),
            mailer: Arc::clone(&self.mailer),
            reports: self.reports.clone(),
            clips: self.clips.clone(),
            erasers: self.erasers.clone(),
            erasing: Arc::clone(&self.erasing),
            wakeups: Arc::clone(&self.wakeups),
        }
    }

    /// What forgets what is old.
    pub fn housekeeping(&self) -> Housekeeping {
        Housekeeping {
            store: Arc::clone(&self.store),
            clock: Arc::clone(&self.clock),
            channels: Arc::clone(&self.channels),
            clips: self.clips.clone(),
        }
    }

    /// The address of a channel's site, without a path: its own, or the worker's under the channel's first host.
    pub fn site_url(&self, channel: &ChannelSnapshot) -> Url {
        channel.site_url(&self.base_url)
    }

    /// What a person marked as favourites.
    ///
    /// # Errors
    /// When the store does not answer.
    pub async fn favorite_ids(&self, user_id: i64) -> StoreResult<Vec<(FavoritableType, i64)>> {
        let favorites = self.store.favorites(user_id).await?;
        Ok(favorites.into_iter().map(|favorite| (favorite.favoritable_type, favorite.favoritable_id)).collect())
    }

    /// The events that a person made clips of.
    ///
    /// # Errors
    /// When the store does not answer.
    pub async fn clip_event_ids(&self, user_id: i64) -> StoreResult<Vec<i64>> {
        self.store.clip_event_ids(user_id).await
    }

    /// The events that there are public clips of.
    ///
    /// # Errors
    /// When the store does not answer.
    pub async fn public_clip_event_ids(&self, channel_key: &str) -> StoreResult<Vec<i64>> {
        self.store.public_clip_event_ids(channel_key).await
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
