//! Erases people (`AUTH-12`). One transaction removes the account and records that the remaining traces are due. Those
//! are removed in the background; a restart continues, and nothing gives up.

use std::collections::HashSet;
use std::fmt::Debug;
use std::sync::Arc;

use crate::person_eraser::PersonEraser;
use futures_util::future::join_all;
use parking_lot::Mutex;
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
    /// Ids of the people whose traces this worker has removed.
    pub(crate) erased: Arc<Mutex<HashSet<i64>>>,
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
    // The people of a pass are erased together: each file of the lake is rewritten once for all who wait.
    if erasures.store.is_shared() {
        let incomplete = erasures.store.incomplete_erasures(BATCH_SIZE).await?;
        join_all(incomplete.iter().map(|erasure| remove_local_traces(erasures, erasure))).await;
    }
    let due = erasures.store.due_erasures(erasures.clock.now_ms(), BATCH_SIZE).await?;
    join_all(due.iter().map(|erasure| finish_or_delay(erasures, erasure))).await.into_iter().collect()
}

/// Removes the traces that this worker has not removed yet. A failure is logged, and retried by the next pass.
async fn remove_local_traces(erasures: &Erasures, erasure: &Erasure) {
    let user_id = erasure.user_id;
    if erasures.erased.lock().contains(&user_id) {
        return;
    }
    match remove_traces(erasures, erasure).await {
        Ok(()) => {
            erasures.erased.lock().insert(user_id);
        }
        Err(error) => {
            let error = format!("{error:#}");
            tracing::warn!(user_id, error, "cannot remove an erased person's traces at this worker yet");
        }
    }
}

async fn finish_or_delay(erasures: &Erasures, erasure: &Erasure) -> StoreResult<()> {
    let user_id = erasure.user_id;
    let Err(error) = finish(erasures, user_id).await else { return Ok(()) };
    let wait = FIRST_WAIT_MS << erasure.attempts.clamp(0, 10);
    let due_at = erasures.clock.now_ms() + wait.min(LONGEST_WAIT_MS);
    tracing::warn!(user_id, error = format!("{error:#}"), "cannot remove an erased person's traces; will retry");
    erasures.store.delay_erasure(user_id, due_at).await
}

/// Removes the remaining traces of a deleted account. Does nothing if there are none. The operator's command and the
/// background task may process the same erasure at once, because every step may be repeated.
///
/// # Errors
/// Fails when the store or an eraser does not answer.
pub async fn finish(erasures: &Erasures, user_id: i64) -> anyhow::Result<()> {
    let Some(erasure) = erasures.store.erasure(user_id).await? else { return Ok(()) };
    let until = erasure.begun_at + OTHER_WORKERS_MS;
    let waits_for_others = erasures.store.is_shared() && erasures.clock.now_ms() < until;
    // A worker that has removed its traces removes them once more only at the end.
    let is_removed = erasures.erased.lock().contains(&user_id);
    if !(waits_for_others && is_removed) {
        remove_traces(erasures, &erasure).await?;
    }
    if waits_for_others {
        erasures.erased.lock().insert(user_id);
        return Ok(erasures.store.delay_erasure(user_id, until).await?);
    }
    erasures.store.complete_erasure(user_id).await?;
    erasures.erased.lock().remove(&user_id);
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
