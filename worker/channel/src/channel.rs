//! Opens the channel and runs its background work.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;

use anyhow::Context;
use async_trait::async_trait;
use lettre::Address;
use tokio::task::JoinSet;
use tokio_util::sync::CancellationToken;
use touchline_disk::Disk;
use touchline_protocol::ambient::{Entropy, SharedClock, SharedEntropy};
use touchline_protocol::sync::StatusKind;
use touchline_store::{MasterSecret, NewStatus, PostgresAddress, PostgresStore, Scope, SqliteStore, Store, StoreError};
use url::Url;
use utoipa_axum::router::OpenApiRouter;

use crate::auth::keyring::Keyring;
use crate::auth::limits::{Limits, Rates};
use crate::auth::passwords::{PasswordCost, Passwords};
use crate::auth::recaptcha::{Recaptcha, RecaptchaOptions};
use crate::auth::social::{Social, SocialProvider};
use crate::broadcast::{BroadcastOptions, Broadcasts, RECORDINGS_BYTES};
use crate::bucket::{Bucket, BucketAddress, WithBucket};
use crate::catalogue::channels::WATCH_INTERVAL;
use crate::catalogue::response_cache;
use crate::catalogue::status_ticker::run_ticker;
use crate::catalogue::{ChannelSource, Channels, ChannelsError, LoadOptions, SoundStates, StatusChange, StatusEmitter};
use crate::clips::{ClipStorage, worker};
use crate::demo::DemoAccounts;
use crate::erasure;
use crate::http::AppState;
use crate::http::effects::PendingEffects;
use crate::http::state::StateFields;
use crate::mail::{FolderMailer, Mailer, SmtpMailer, delivery, notices};
use crate::media::MediaPasses;
use crate::media::memory::{MEMORY_BYTES, MediaMemory};
use crate::payments::sandbox::Sandbox;
use crate::payments::stripe::{Sites, Stripe, StripeOptions};
use crate::payments::{PaymentProvider, billing};
use crate::person_eraser::PersonEraser;
use crate::pictures::Pictures;
use crate::pull::{DISK_BYTES, PullOptions, Pulls};
use crate::reports::{Reports, Retention};
use crate::{demo, host_owners, housekeeping, lost_commits, picture_facts, scores};

/// Mail transport.
#[derive(Debug, Clone)]
pub enum MailOptions {
    /// Writes mail to files in a folder.
    Folder(PathBuf),
    /// Sends through an SMTP server, given by its URL.
    Smtp(String),
}

/// Options for opening a channel.
#[derive(Clone)]
pub struct ChannelOptions {
    /// The store's file; other data is stored beside it.
    pub store: PathBuf,
    /// The PostgreSQL database, when several workers share their records.
    pub postgres: Option<PostgresAddress>,
    /// The folder for clips, shared by all workers of a channel.
    pub clips: PathBuf,
    /// An additional bucket for media and clips.
    pub bucket: Option<BucketAddress>,
    /// The channel folders.
    pub source: Arc<dyn ChannelSource>,
    /// The clock.
    pub clock: SharedClock,
    /// The source of randomness.
    pub entropy: SharedEntropy,
    /// Site address for channels that configure none.
    pub base_url: Url,
    /// Delay before the sandbox charges an order.
    pub sandbox_delay: Duration,
    /// The Stripe account; `None` selects the sandbox.
    pub stripe: Option<StripeOptions>,
    /// Free disk space.
    pub disk: Disk,
    /// Folders of encoders and of their recordings.
    pub broadcasts: BroadcastOptions,
    /// The mail transport.
    pub mail: MailOptions,
    /// Sender of mail.
    pub mail_from: String,
    /// Social login providers by name.
    pub social: BTreeMap<String, SocialProvider>,
    /// reCAPTCHA options, with the site key for browsers.
    pub recaptcha: Option<(RecaptchaOptions, String)>,
    /// Options for pulling media from other hosts.
    pub pulls: PullOptions,
    /// Memory for media files and for responses in progress that use them, in bytes.
    pub memory_bytes: u64,
    /// Whether media may be on private networks, and use plain HTTP there.
    pub private_media: bool,
    /// Rate limits.
    pub rates: Rates,
    /// Cost of hashing a password.
    pub password_cost: PasswordCost,
    /// Whether to create the channels' demo accounts.
    pub demo_accounts: bool,
    /// Other components that erase a person's data.
    pub erasers: Vec<Arc<dyn PersonEraser>>,
}

impl ChannelOptions {
    /// Defaults: sandbox payments, mail in a folder beside the store, no social logins.
    pub fn new(
        store: PathBuf,
        source: Arc<dyn ChannelSource>,
        clock: SharedClock,
        entropy: SharedEntropy,
        base_url: Url,
    ) -> Self {
        let mail = MailOptions::Folder(store.with_file_name("mail"));
        let broadcasts = BroadcastOptions {
            live: store.with_file_name("live"),
            recordings: store.with_file_name("recordings"),
            recordings_bytes: RECORDINGS_BYTES,
        };
        Self {
            broadcasts,
            pulls: PullOptions { folder: store.with_file_name("pulled"), disk_bytes: DISK_BYTES },
            memory_bytes: MEMORY_BYTES,
            private_media: false,
            postgres: None,
            bucket: None,
            clips: store.with_file_name("clips"),
            store,
            source,
            clock,
            entropy,
            base_url,
            sandbox_delay: Duration::from_millis(1500),
            stripe: None,
            disk: Disk::default(),
            mail,
            mail_from: "no-reply@touchline.invalid".to_owned(),
            social: BTreeMap::new(),
            recaptcha: None,
            rates: Rates::default(),
            password_cost: PasswordCost::default(),
            demo_accounts: false,
            erasers: Vec::new(),
        }
    }
}

/// Reasons why a channel could not be opened. Each prints on one line; faulty folders print one line per fault.
#[derive(Debug, thiserror::Error)]
pub enum OpenError {
    /// The store failed to open.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// The store's journal is damaged; the text describes the loss.
    #[error("{0}; {1}")]
    LostCommits(StoreError, String),
    /// A channel folder is faulty.
    #[error(transparent)]
    Channels(#[from] ChannelsError),
    /// A setting is unusable.
    #[error("{0:#}")]
    Setting(#[from] anyhow::Error),
}

/// An open channel.
#[derive(Debug, Clone)]
pub struct Channel {
    state: AppState,
}

impl Channel {
    /// Opens the store and the folders. Starts no background work.
    ///
    /// # Errors
    /// Fails with [`OpenError`].
    pub async fn open(options: ChannelOptions) -> Result<Self, OpenError> {
        let ChannelOptions { clock, entropy, .. } = &options;
        let (clock, entropy) = (Arc::clone(clock), Arc::clone(entropy));
        let mailer = mailer(&options)?;
        let passwords = Passwords::new(options.password_cost)?;
        let http = http_client()?;
        let store: Arc<dyn Store> = match &options.postgres {
            Some(address) => {
                let node = node_name(&options.store.with_file_name("node"), &*entropy).context("the worker's name")?;
                Arc::new(PostgresStore::open(address, &node, &*entropy).await?)
            }
            None => match SqliteStore::open(&options.store, &*entropy).await {
                Ok(store) => Arc::new(store),
                Err(error @ StoreError::LostCommits { .. }) => {
                    return Err(OpenError::LostCommits(
                        error,
                        lost_commits::describe(&options.store, options.stripe.as_ref(), http, &*entropy).await,
                    ));
                }
                Err(error) => return Err(error.into()),
            },
        };
        let master_secret = MasterSecret::of(&*store, &entropy).await?;
        let reports = Reports::open(
            options.store.with_file_name(crate::reports::FOLDER),
            Retention::default(),
            Arc::clone(&clock),
            Arc::clone(&entropy),
        )
        .context("the problem reports")?;
        // Demo times are relative to the first start, rounded to a quarter of an hour, since games start on one.
        let first_start = clock.now_s();
        let anchor = store.stored_value("anchor_s", &(first_start - first_start.rem_euclid(900)).to_string()).await?;
        let load = LoadOptions {
            anchor_s: anchor.parse().map_err(StoreError::encoding)?,
            sandbox_payments: options.stripe.is_none(),
            stripe_publishable_key: options.stripe.as_ref().map(|stripe| stripe.publishable_key.clone()),
            stripe_script_url: options.stripe.as_ref().and_then(|stripe| stripe.script_url.clone()).map(Into::into),
            recaptcha_site_key: options.recaptcha.as_ref().map(|(_, site_key)| site_key.clone()),
            social_providers: options.social.keys().cloned().collect(),
            private_media: options.private_media,
            refuses_unsellable: false,
        };
        let bucket = options.bucket.as_ref().map(Bucket::open).transpose().context("media")?;
        let source: Arc<dyn ChannelSource> = match &bucket {
            Some(bucket) => Arc::new(WithBucket::new(Arc::clone(&options.source), bucket.clone())),
            None => Arc::clone(&options.source),
        };
        let states = SoundStates::new(options.store.with_file_name("channel-states"), options.disk.clone());
        let owners = host_owners::read(&*store).await?;
        let channels =
            Channels::open_with(source, load, Arc::clone(&clock), Some(states), owners.clone()).map(Arc::new)?;
        host_owners::store(&*store, &channels, &owners).await?;
        for key in channels.keys() {
            channels.set_scores(&key, store.event_scores(&key).await?);
        }
        restore_versions(&channels, &*store).await?;
        let media = MediaPasses::open(master_secret.derive("media", ""), &*store, clock.now_ms()).await?;
        let secrets = (master_secret.derive("pull", ""), master_secret.derive("pull nonces", ""));
        let (disk, shared_clock) = (options.disk.clone(), Arc::clone(&clock));
        let memory = MediaMemory::new(options.memory_bytes);
        let caches = (memory.clone(), disk);
        let pulls = Arc::new(Pulls::new(options.pulls, secrets, options.private_media, caches, shared_clock)?);
        let pictures = Pictures::open(options.store.with_file_name("pictures"), options.disk.clone()).await;
        picture_facts::refresh(&pictures, &channels);
        let mut erasers = options.erasers;
        let mut charge_delay = options.sandbox_delay;
        let payments: Arc<dyn PaymentProvider> = match options.stripe {
            None => Arc::new(Sandbox::new(Arc::clone(&store), Arc::clone(&clock), Arc::clone(&entropy))),
            Some(stripe) => {
                charge_delay = Duration::ZERO;
                let sites = Sites { channels: Arc::clone(&channels), base_url: options.base_url.clone() };
                let (store, clock) = (Arc::clone(&store), Arc::clone(&clock));
                let stripe = Arc::new(Stripe::new(stripe, sites, http.clone(), store, clock));
                erasers.push(Arc::clone(&stripe) as Arc<dyn PersonEraser>);
                stripe
            }
        };
        let state = AppState::new(StateFields {
            channels,
            media: Arc::new(media),
            memory,
            answers: Arc::new(response_cache::empty()),
            keyring: Arc::new(Keyring::new(master_secret.derive("visitor keys", ""))),
            effects: PendingEffects::default(),
            passwords,
            limits: Limits::new(options.rates).with_shared_store(&store),
            clips: ClipStorage::new(options.clips, options.disk.clone(), bucket),
            reports,
            pulls,
            pictures,
            broadcasts: Arc::new(Broadcasts::new(options.broadcasts, options.disk.clone(), Arc::clone(&clock))),
            disk: options.disk,
            recaptcha: Recaptcha::new(options.recaptcha.map(|(recaptcha, _)| recaptcha), http.clone()),
            social: Social::new(options.social, http),
            sells_from: Arc::default(),
            mailer,
            payments,
            base_url: options.base_url,
            charge_delay_ms: i64::try_from(charge_delay.as_millis()).unwrap_or(i64::MAX),
            wakeups: Arc::default(),
            erasers,
            erased: Arc::default(),
            master_secret,
            clock,
            entropy,
            store,
        });
        if options.demo_accounts {
            let accounts = DemoAccounts {
                store: state.store(),
                channels: state.channels(),
                passwords: &state.passwords,
                clock: &*state.clock,
                entropy: &*state.entropy,
            };
            demo::make_accounts(accounts).await?;
        }
        Ok(Self { state })
    }

    /// Sells nothing until the clock has passed a time in Unix milliseconds (`OPS-51`).
    pub fn sell_from(&self, at_ms: i64) {
        self.state.sells_from.store(at_ms, Ordering::Relaxed);
    }

    /// State shared by the handlers.
    pub fn state(&self) -> &AppState {
        &self.state
    }

    /// All API calls and the media.
    pub fn router(&self) -> OpenApiRouter<()> {
        crate::router().with_state(self.state.clone())
    }

    /// Runs all background work until it is cancelled: payments, renewals, mail, clips, broadcasts, erasures, event
    /// statuses, folder reloads and housekeeping. Returns once work in progress is finished.
    pub async fn run(&self, cancel: CancellationToken) {
        let state = &self.state;
        let emitter: Arc<dyn StatusEmitter> = Arc::new(StatusLog(state.clone()));
        let mut work = JoinSet::new();
        work.spawn(billing::run(state.billing(), cancel.clone()));
        work.spawn(notices::run(state.notices(), cancel.clone()));
        work.spawn(delivery::run(state.delivery(), cancel.clone()));
        work.spawn(worker::run(state.cutter(), cancel.clone()));
        work.spawn(worker::restore_files(state.cutter(), cancel.clone()));
        work.spawn(erasure::run(state.erasures(), cancel.clone()));
        work.spawn(housekeeping::run(state.housekeeping(), cancel.clone()));
        work.spawn({
            let (state, cancel) = (state.clone(), cancel.clone());
            async move { state.media.run(Arc::clone(&state.clock), cancel).await }
        });
        work.spawn({
            let channels = Arc::clone(&state.channels);
            let media = move || channels.all().iter().flat_map(|channel| channel.files.ingests.clone()).collect();
            Arc::clone(&state.broadcasts).run(media, cancel.clone())
        });
        if state.store.is_shared() {
            work.spawn(Arc::clone(&state.keyring).follow(Arc::clone(&state.store), cancel.clone()));
        }
        work.spawn(Arc::clone(&state.channels).watch(WATCH_INTERVAL, cancel.clone()));
        work.spawn(host_owners::run(Arc::clone(&state.store), Arc::clone(&state.channels), cancel.clone()));
        work.spawn(picture_facts::run(state.pictures.clone(), Arc::clone(&state.channels), cancel.clone()));
        work.spawn(scores::run(state.clone(), cancel.clone()));
        work.spawn(run_ticker(Arc::clone(&state.channels), Arc::clone(&state.clock), emitter, cancel.clone()));
        while let Some(ended) = work.join_next().await {
            if let Err(error) = ended
                && error.is_panic()
            {
                tracing::error!(%error, "a background task has crashed");
                cancel.cancel();
            }
        }
    }

    /// Runs the background work of a worker whose calls an upstream answers: folder reloads and housekeeping.
    pub async fn run_beside_upstream(&self, cancel: CancellationToken) {
        let (store, channels) = (Arc::clone(&self.state.store), Arc::clone(&self.state.channels));
        tokio::join!(
            Arc::clone(&channels).watch(WATCH_INTERVAL, cancel.clone()),
            host_owners::run(store, channels, cancel.clone()),
            housekeeping::run(self.state.housekeeping(), cancel),
        );
    }

    /// Writes pending data and closes the store.
    pub async fn close(&self) {
        self.state.store.close().await;
    }
}

/// Name of this worker among those that share a store. It is drawn once and stored beside the worker's data.
fn node_name(file: &Path, entropy: &dyn Entropy) -> std::io::Result<String> {
    match std::fs::read_to_string(file) {
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => {}
        // An empty file is left by a start that was cut short.
        name => match name?.trim() {
            "" => {}
            name => return Ok(name.to_owned()),
        },
    }
    let name = format!("{:016x}", entropy.next_u64());
    std::fs::write(file, &name)?;
    Ok(name)
}

/// Restores each event's last published status from the channel stream.
async fn restore_versions(channels: &Channels, store: &dyn Store) -> Result<(), StoreError> {
    for key in channels.keys() {
        let (_, items) = store.status_snapshot(&Scope::Channel(key.clone())).await?;
        let events = items.into_iter().filter(|item| item.kind == StatusKind::Event);
        // Statuses written by an older build in another format count as changed.
        let versions = events.map(|item| (item.id, (item.version, serde_json::from_value(item.state).ok()))).collect();
        channels.restore_versions(&key, &versions);
    }
    Ok(())
}

struct StatusLog(AppState);

#[async_trait]
impl StatusEmitter for StatusLog {
    async fn emit(&self, changes: &[StatusChange]) -> anyhow::Result<()> {
        let at = self.0.clock.now_ms();
        let line = |change: &StatusChange| {
            Ok(NewStatus {
                scope: Scope::Channel(change.channel_key.clone()),
                kind: StatusKind::Event,
                id: change.event.id,
                version: change.event.version,
                state: serde_json::to_value(&change.event)?,
                at,
            })
        };
        Ok(self.0.store.record_statuses(changes.iter().map(line).collect::<anyhow::Result<_>>()?).await?)
    }
}

fn mailer(options: &ChannelOptions) -> anyhow::Result<Arc<dyn Mailer>> {
    let from: Address = options.mail_from.parse().with_context(|| format!("mail_from {}", options.mail_from))?;
    Ok(match &options.mail {
        MailOptions::Folder(folder) => {
            let path = folder.display().to_string();
            Arc::new(FolderMailer::new(folder.clone(), from).with_context(|| format!("the mail folder {path}"))?)
        }
        // The URL may contain a password.
        MailOptions::Smtp(url) => Arc::new(SmtpMailer::new(url, from).context("the SMTP URL is invalid")?),
    })
}

fn http_client() -> anyhow::Result<reqwest::Client> {
    // Installing the provider a second time has no effect.
    let _ = rustls::crypto::ring::default_provider().install_default();
    reqwest::Client::builder()
        .redirect(reqwest::redirect::Policy::none())
        .connect_timeout(Duration::from_secs(5))
        .build()
        .context("cannot create the HTTP client")
}
