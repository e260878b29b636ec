//! Forgets what is old, so that the store does not grow for ever.

use std::collections::HashSet;
use std::io;
use std::sync::Arc;
use std::time::Duration;

use tokio_util::sync::CancellationToken;
use touchline_protocol::ambient::SharedClock;
use touchline_protocol::limits::Limit;
use touchline_store::idempotency::RESPONSE_LIFETIME_MS;
use touchline_store::{Store, StoreResult};

use crate::background::log_failure;
use crate::catalogue::Channels;
use crate::clips::ClipStorage;

const EVERY: Duration = Duration::from_secs(600);
const DAY_MS: i64 = 24 * 3600 * 1000;
/// For how long a browser that was away can resume instead of starting from a snapshot.
const STATUSES_MS: i64 = 7 * DAY_MS;
/// For how long a visitor's key works without being used.
const IDLE_KEYS_MS: i64 = 90 * DAY_MS;
/// For how long a visitor's key is kept that nobody ever used.
const UNUSED_KEYS_MS: i64 = DAY_MS;
/// How many visitors have a key at a time. Who lost theirs is given another one without noticing.
const VISITORS: i64 = 500_000;
/// For how long an address gets no second trial once its account is gone.
const USED_TRIALS_MS: i64 = 730 * DAY_MS;
/// For how long a webhook is known again; Stripe sends one for three days, and by hand for thirty.
const WEBHOOKS_MS: i64 = 60 * DAY_MS;
/// For how long what viewers wrote in forms is kept.
const SUBMISSIONS_MS: i64 = 180 * DAY_MS;
/// The rows of the limits table.
pub(crate) const LIMITS: &[Limit] = &[
    Limit::millis("statuses.kept_for", STATUSES_MS as u64, "How long a status is kept for a socket that resumes."),
    Limit::millis("keys.idle_for", IDLE_KEYS_MS as u64, "How long an API key works without being used."),
    Limit::millis("keys.unused_for", UNUSED_KEYS_MS as u64, "How long a visitor's key is kept that was never used."),
    Limit::count("keys.visitors", VISITORS as u64, "keys", "Keys of visitors; unused ones go first, then the idlest."),
    Limit::millis("webhooks.remembered_for", WEBHOOKS_MS as u64, "How long a webhook is known again."),
    Limit::millis("forms.kept_for", SUBMISSIONS_MS as u64, "How long what viewers wrote in forms is kept."),
    Limit::millis(
        "trials.remembered_for",
        USED_TRIALS_MS as u64,
        "How long an address gets no second trial once its account is gone.",
    ),
];

/// What is forgotten, and when.
#[derive(Debug, Clone)]
pub struct Housekeeping {
    /// The records.
    pub store: Arc<dyn Store>,
    /// The time.
    pub clock: SharedClock,
    /// The channels.
    pub channels: Arc<Channels>,
    /// Where clips are kept.
    pub clips: ClipStorage,
}

/// Forgets what is old until it is told to stop.
pub async fn run(housekeeping: Housekeeping, cancel: CancellationToken) {
    loop {
        if let Err(error) = tidy(&housekeeping).await {
            log_failure(&error, "what is old cannot be forgotten");
        }
        if cancel.run_until_cancelled(tokio::time::sleep(EVERY)).await.is_none() {
            return;
        }
    }
}

/// Forgets what is old now.
///
/// # Errors
/// When the store does not answer.
pub async fn tidy(housekeeping: &Housekeeping) -> StoreResult<()> {
    let now = housekeeping.clock.now_ms();
    if housekeeping.store.holds_job("housekeeping").await? {
        forget(housekeeping, now).await?;
    }
    for channel in housekeeping.channels.all() {
        remove_stray_clips(&*housekeeping.store, &housekeeping.clips, channel.key()).await?;
    }
    Ok(())
}

/// Forgets what is old in the store, which one worker does for all.
async fn forget(housekeeping: &Housekeeping, now: i64) -> StoreResult<()> {
    housekeeping.store.delete_expired_tokens(now).await?;
    housekeeping.store.delete_full_buckets(now).await?;
    housekeeping.store.delete_responses(now - RESPONSE_LIFETIME_MS).await?;
    housekeeping.store.delete_statuses(now - STATUSES_MS).await?;
    housekeeping.store.delete_idle_keys(now - IDLE_KEYS_MS, now - UNUSED_KEYS_MS, VISITORS).await?;
    housekeeping.store.delete_used_trials(now - USED_TRIALS_MS).await?;
    housekeeping.store.delete_applied_webhooks(now - WEBHOOKS_MS).await?;
    housekeeping.store.delete_submissions(now - SUBMISSIONS_MS).await?;
    Ok(())
}

/// Removes the files that belong to no clip: what an erased person left, or a crash.
pub(crate) async fn remove_stray_clips(store: &dyn Store, clips: &ClipStorage, channel_key: &str) -> StoreResult<()> {
    let (clip_storage, key) = (clips.clone(), channel_key.to_owned());
    let stored = match blocking(move || clip_storage.uuids(&key)).await {
        Ok(stored) => stored,
        Err(error) => {
            tracing::warn!(%error, "the folder of clips cannot be read");
            return Ok(());
        }
    };
    // Asked for after the folder was read: a clip is in the store before it has files.
    let known: HashSet<String> = store.clip_uuids(channel_key).await?.into_iter().collect();
    let (clip_storage, key) = (clips.clone(), channel_key.to_owned());
    let unknown: Vec<String> = stored.into_iter().filter(|uuid| !known.contains(uuid)).collect();
    let removed = blocking(move || unknown.iter().try_for_each(|uuid| clip_storage.remove(&key, uuid))).await;
    if let Err(error) = removed {
        tracing::warn!(%error, "the files of deleted clips cannot be removed");
    }
    Ok(())
}

async fn blocking<T: Send + 'static>(work: impl FnOnce() -> io::Result<T> + Send + 'static) -> io::Result<T> {
    tokio::task::spawn_blocking(work).await.map_err(io::Error::other)?
}
