//! Erases people (`AUTH-12`). One transaction removes the account and records that the remaining traces are due. Those
//! are removed in the background; a restart continues, and nothing gives up.

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

/// Erasures processed in one pass.
const BATCH_SIZE: u32 = 50;
const FIRST_WAIT_MS: i64 = 30_000;
const LONGEST_WAIT_MS: i64 = 3_600_000;
/// Period during which each of several workers on one store removes its own data about an erased person. Data that
/// another worker exports in the meantime is removed in a last pass.
const OTHER_WORKERS_MS: i64 = 600_000;
pub(crate) const LIMITS: &[Limit] = &[
    Limit::count("erasures.at_once", BATCH_SIZE as u64, "people", "Erasures processed in one pass."),
    Limit::millis(
        "erasures.again_after",
        LONGEST_WAIT_MS as u64,
        "Maximum delay before a failed erasure is retried; the first is 30 s.",
    ),
];

/// Dependencies of an erasure.
#[derive(Debug, Clone)]
pub struct Erasures {
    pub(crate) store: Arc<dyn Store>,
    pub(crate) clock: SharedClock,
    pub(crate) keyring: Arc<Keyring>,
    pub(crate) mailer: Arc<dyn Mailer>,
    pub(crate) reports: Reports,
    pub(crate) clips: ClipStorage,
    /// Other components that erase a person's data.
    pub(crate) erasers: Vec<Arc<dyn PersonEraser>>,
    /// Ids of the people whose traces this worker has removed; locked during a removal.
    pub(crate) erasing: Arc<tokio::sync::Mutex<HashSet<i64>>>,
    pub(crate) wakeups: Arc<Wakeups>,
}

/// Erases a person's account at once and queues the removal of all other traces.
///
/// # Errors
/// Fails when the store does not answer.
pub(crate) async fn begin(erasures: &Erasures, user: &User) -> StoreResult<()> {
    erasures.store.erase_user(user.id, erasures.clock.now_ms()).await?;
    erasures.keyring.forget_user(user.id);
    erasures.wakeups.erasures.notify_one();
    Ok(())
}

/// Removes the traces of erased people until cancelled. An unfinished removal continues after the next start.
pub(crate) async fn run(erasures: Erasures, cancel: CancellationToken) {
    loop {
        match cancel.run_until_cancelled(finish_due(&erasures)).await {
            None => return,
            Some(Err(error)) => tracing::error!(%error, "cannot look up erasures"),
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
/// Fails when the store does not answer.
pub async fn finish_due(erasures: &Erasures) -> StoreResult<()> {
    if erasures.store.is_shared() {
        for erasure in erasures.store.incomplete_erasures(BATCH_SIZE).await? {
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
                    "cannot remove an erased person's traces at this worker yet"
                ),
            }
        }
    }
    for erasure in erasures.store.due_erasures(erasures.clock.now_ms(), BATCH_SIZE).await? {
        if let Err(error) = finish(erasures, erasure.user_id).await {
            let wait = FIRST_WAIT_MS << erasure.attempts.clamp(0, 10);
            let due_at = erasures.clock.now_ms() + wait.min(LONGEST_WAIT_MS);
            tracing::warn!(
                user_id = erasure.user_id,
                error = format!("{error:#}"),
                "cannot remove an erased person's traces; will retry"
            );
            erasures.store.delay_erasure(erasure.user_id, due_at).await?;
        }
    }
    Ok(())
}

/// Removes the remaining traces of a deleted account. Does nothing if there are none.
///
/// # Errors
/// Fails when the store or an eraser does not answer.
pub async fn finish(erasures: &Erasures, user_id: i64) -> anyhow::Result<()> {
    // The operator's command and the background task may process the same erasure.
    let mut done = erasures.erasing.lock().await;
    let Some(erasure) = erasures.store.erasure(user_id).await? else { return Ok(()) };
    let until = erasure.begun_at + OTHER_WORKERS_MS;
    let waits_for_others = erasures.store.is_shared() && erasures.clock.now_ms() < until;
    // A worker that has removed its traces removes them once more only at the end.
    if !(waits_for_others && done.contains(&user_id)) {
        remove_traces(erasures, &erasure).await?;
    }
    if waits_for_others {
        done.insert(user_id);
        return Ok(erasures.store.delay_erasure(user_id, until).await?);
    }
    erasures.store.complete_erasure(user_id).await?;
    done.remove(&user_id);
    tracing::info!(user_id, "removed all traces of an erased person");
    Ok(())
}

/// Removes the traces that this worker can reach.
async fn remove_traces(erasures: &Erasures, erasure: &Erasure) -> anyhow::Result<()> {
    erasures.mailer.forget(erasure.user_id).await?;
    erasures.reports.forget(&erasure.email).await?;
    remove_stray_clips(&*erasures.store, &erasures.clips, &erasure.channel_key).await?;
    for eraser in &erasures.erasers {
        eraser.erase(erasure).await?;
    }
    Ok(())
}
