//! Erasing people (`AUTH-12`): the account goes at once, in one transaction that also notes what other rooms still keep.
//! Those traces go behind the calls; a restart goes on with them, and nothing gives them up.

use std::collections::HashSet;
use std::fmt::Debug;
use std::sync::Arc;

use crate::person_eraser::PersonEraser;
use tokio_util::sync::CancellationToken;
use touchline_protocol::ambient::SharedClock;
use touchline_protocol::limits::Limit;
use touchline_store::{Erasure, Store, StoreResult, User};

use crate::auth::keyring::Keyring;
use crate::background::{Wakeups, wait_until};
use crate::clips::ClipStorage;
use crate::housekeeping::remove_stray_clips;
use crate::mail::Mailer;
use crate::reports::Reports;

/// How many erasures are taken up at once.
const AT_ONCE: u32 = 50;
const FIRST_WAIT_MS: i64 = 30_000;
const LONGEST_WAIT_MS: i64 = 3_600_000;
/// Where several workers share a store: for how long each removes what it still holds of an erased person. What another
/// one ships meanwhile is removed at the end once more.
const OTHERS_MS: i64 = 600_000;
/// The rows of the limits table.
pub(crate) const LIMITS: &[Limit] = &[
    Limit::count("erasures.at_once", AT_ONCE as u64, "people", "Erased people whose traces are looked for in one go."),
    Limit::millis(
        "erasures.again_after",
        LONGEST_WAIT_MS as u64,
        "The longest wait before an erasure that failed is tried again; the first is half a minute.",
    ),
];

/// What people are erased with.
#[derive(Debug, Clone)]
pub struct Erasures {
    /// The records.
    pub store: Arc<dyn Store>,
    /// The time.
    pub clock: SharedClock,
    /// The API keys that were used lately.
    pub keyring: Arc<Keyring>,
    /// Where letters go.
    pub mailer: Arc<dyn Mailer>,
    /// What viewers reported.
    pub reports: Reports,
    /// Where clips are kept.
    pub clips: ClipStorage,
    /// Who else forgets an erased person.
    pub erasers: Vec<Arc<dyn PersonEraser>>,
    /// Held while the traces of an erased person are removed: of whom this worker has removed them.
    pub erasing: Arc<tokio::sync::Mutex<HashSet<i64>>>,
    /// What wakes this.
    pub wakeups: Arc<Wakeups>,
}

/// Erases a person's account at once, and notes the rest, which is done behind the call.
///
/// # Errors
/// When the store does not answer.
pub async fn begin(erasures: &Erasures, user: &User) -> StoreResult<()> {
    erasures.store.erase_user(user.id, erasures.clock.now_ms()).await?;
    erasures.keyring.forget_user(user.id);
    erasures.wakeups.erasures.notify_one();
    Ok(())
}

/// Removes the traces of erased people until it is told to stop. One that has begun goes on after the next start.
pub async fn run(erasures: Erasures, cancel: CancellationToken) {
    loop {
        match cancel.run_until_cancelled(finish_due(&erasures)).await {
            None => return,
            Some(Err(error)) => tracing::error!(%error, "erasures cannot be looked up"),
            Some(Ok(())) => {}
        }
        let next = erasures.store.next_erasure().await.unwrap_or_default();
        let woken = wait_until(&*erasures.clock, &erasures.wakeups.erasures, next);
        if cancel.run_until_cancelled(woken).await.is_none() {
            return;
        }
    }
}

/// Removes the traces that are due now.
///
/// # Errors
/// When the store does not answer.
pub async fn finish_due(erasures: &Erasures) -> StoreResult<()> {
    if erasures.store.is_shared() {
        for erasure in erasures.store.incomplete_erasures(AT_ONCE).await? {
            let mut done = erasures.erasing.lock().await;
            if done.contains(&erasure.user_id) {
                continue;
            }
            match remove_traces(erasures, &erasure).await {
                Ok(()) => {
                    done.insert(erasure.user_id);
                }
                Err(error) => tracing::warn!(
                    user_id = erasure.user_id,
                    error = format!("{error:#}"),
                    "traces of an erased person stay at this worker for now"
                ),
            }
        }
    }
    for erasure in erasures.store.due_erasures(erasures.clock.now_ms(), AT_ONCE).await? {
        if let Err(error) = finish(erasures, erasure.user_id).await {
            let wait = FIRST_WAIT_MS << erasure.attempts.clamp(0, 10);
            let due_at = erasures.clock.now_ms() + wait.min(LONGEST_WAIT_MS);
            tracing::warn!(
                user_id = erasure.user_id,
                error = format!("{error:#}"),
                "traces of an erased person could not be removed: tried again later"
            );
            erasures.store.delay_erasure(erasure.user_id, due_at).await?;
        }
    }
    Ok(())
}

/// Removes what is left of a person whose account is gone; nothing when nothing is.
///
/// # Errors
/// When the store or an eraser does not answer.
pub async fn finish(erasures: &Erasures, user_id: i64) -> anyhow::Result<()> {
    // The operator's verb and the work behind the calls may want the same one.
    let mut done = erasures.erasing.lock().await;
    let Some(erasure) = erasures.store.erasure(user_id).await? else { return Ok(()) };
    let until = erasure.begun_at + OTHERS_MS;
    let waits_for_others = erasures.store.is_shared() && erasures.clock.now_ms() < until;
    // What this worker has removed already it removes once more at the end alone.
    if !(waits_for_others && done.contains(&user_id)) {
        remove_traces(erasures, &erasure).await?;
    }
    if waits_for_others {
        done.insert(user_id);
        return Ok(erasures.store.delay_erasure(user_id, until).await?);
    }
    erasures.store.complete_erasure(user_id).await?;
    done.remove(&user_id);
    tracing::info!(user_id, "nothing is left of an erased person");
    Ok(())
}

/// Removes what this worker can reach of a person whose account is gone.
async fn remove_traces(erasures: &Erasures, erasure: &Erasure) -> anyhow::Result<()> {
    erasures.mailer.forget(erasure.user_id).await?;
    erasures.reports.forget(&erasure.email).await?;
    remove_stray_clips(&*erasures.store, &erasures.clips, &erasure.channel_key).await?;
    for eraser in &erasures.erasers {
        eraser.erase(erasure).await?;
    }
    Ok(())
}
