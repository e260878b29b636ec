//! Removes old records, so that the store does not grow without limit.

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

const INTERVAL: Duration = Duration::from_secs(600);
const DAY_MS: i64 = 24 * 3600 * 1000;
/// Longest absence after which a browser can resume instead of starting from a snapshot.
const STATUSES_MS: i64 = 7 * DAY_MS;
/// Lifetime of a key that belongs to nobody, or was revoked, since its last use.
const IDLE_KEYS_MS: i64 = 90 * DAY_MS;
/// Lifetime of a device's key that was never used.
const UNUSED_KEYS_MS: i64 = DAY_MS;
/// Keys deleted per transaction, so that nobody waits long for it.
const KEYS_PER_BATCH: u32 = 1_000;
/// Period in which an address gets no second trial after its account was deleted.
const USED_TRIALS_MS: i64 = 730 * DAY_MS;
/// Period in which a webhook is recognised as a repetition. Stripe retries for three days, and by hand for thirty.
const WEBHOOKS_MS: i64 = 60 * DAY_MS;
/// Retention of form submissions.
const SUBMISSIONS_MS: i64 = 180 * DAY_MS;
pub(crate) const LIMITS: &[Limit] = &[
    Limit::millis("statuses.kept_for", STATUSES_MS as u64, "Retention of statuses for resuming sockets."),
    Limit::millis("keys.idle_for", IDLE_KEYS_MS as u64, "Lifetime of an unused API key since its last use."),
    Limit::millis("keys.unused_for", UNUSED_KEYS_MS as u64, "Lifetime of a device's key that was never used."),
    Limit::millis("webhooks.remembered_for", WEBHOOKS_MS as u64, "How long a repeated webhook is recognised."),
    Limit::millis("forms.kept_for", SUBMISSIONS_MS as u64, "Retention of form submissions."),
    Limit::millis(
        "trials.remembered_for",
        USED_TRIALS_MS as u64,
        "How long a card or address cannot start another trial.",
    ),
];

/// Dependencies of housekeeping.
#[derive(Debug, Clone)]
pub struct Housekeeping {
    pub(crate) store: Arc<dyn Store>,
    pub(crate) clock: SharedClock,
    pub(crate) channels: Arc<Channels>,
    pub(crate) clips: ClipStorage,
}

/// Removes old records until cancelled.
pub(crate) async fn run(housekeeping: Housekeeping, cancel: CancellationToken) {
    loop {
        if let Err(error) = tidy(&housekeeping).await {
            log_failure(&error, "cannot remove old records");
        }
        if cancel.run_until_cancelled(tokio::time::sleep(INTERVAL)).await.is_none() {
            return;
        }
    }
}

/// Removes records that are old now.
///
/// # Errors
/// Fails when the store does not answer.
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

/// Removes old records from the store. One worker does it for all.
async fn forget(housekeeping: &Housekeeping, now: i64) -> StoreResult<()> {
    housekeeping.store.delete_expired_tokens(now).await?;
    housekeeping.store.delete_full_buckets(now).await?;
    housekeeping.store.delete_responses(now - RESPONSE_LIFETIME_MS).await?;
    housekeeping.store.delete_statuses(now - STATUSES_MS).await?;
    let (idle, unused) = (now - IDLE_KEYS_MS, now - UNUSED_KEYS_MS);
    while housekeeping.store.delete_idle_keys(idle, unused, KEYS_PER_BATCH).await? == u64::from(KEYS_PER_BATCH) {}
    housekeeping.store.delete_used_trials(now - USED_TRIALS_MS).await?;
    housekeeping.store.delete_applied_webhooks(now - WEBHOOKS_MS).await?;
    housekeeping.store.delete_submissions(now - SUBMISSIONS_MS).await?;
    Ok(())
}

/// Removes clip files without a record: those of an erased person, or left by a crash.
pub(crate) async fn remove_stray_clips(store: &dyn Store, clips: &ClipStorage, channel_key: &str) -> StoreResult<()> {
    let (clip_storage, key) = (clips.clone(), channel_key.to_owned());
    let stored = match blocking(move || clip_storage.uuids(&key)).await {
        Ok(stored) => stored,
        Err(error) => {
            tracing::warn!(%error, "cannot read the folder of clips");
            return Ok(());
        }
    };
    // The ids are read after the folder: a clip's record exists before its files.
    let recorded: HashSet<String> = store.clip_uuids(channel_key).await?.into_iter().collect();
    let (clip_storage, key) = (clips.clone(), channel_key.to_owned());
    let unknown: Vec<String> = stored.into_iter().filter(|uuid| !recorded.contains(uuid)).collect();
    let removed = blocking(move || unknown.iter().try_for_each(|uuid| clip_storage.remove(&key, uuid))).await;
    if let Err(error) = removed {
        tracing::warn!(%error, "cannot remove the files of deleted clips");
    }
    Ok(())
}

async fn blocking<T: Send + 'static>(work: impl FnOnce() -> io::Result<T> + Send + 'static) -> io::Result<T> {
    tokio::task::spawn_blocking(work).await.map_err(io::Error::other)?
}
