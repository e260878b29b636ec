//! Erasing people (`AUTH-12`): the account goes at once, in one transaction that also notes what other rooms still keep.
//! Those traces go behind the calls; a restart goes on with them, and nothing gives them up.

use std::fmt::Debug;

use async_trait::async_trait;
use tokio_util::sync::CancellationToken;
use touchline_protocol::limits::Limit;
use touchline_store::{Erasure, StoreResult, User};

use crate::housekeeping;
use crate::http::ApiResult;
use crate::state::{AppState, wait_until};

/// How many erasures are taken up at once.
const AT_ONCE: u32 = 50;
const FIRST_WAIT_MS: i64 = 30_000;
const LONGEST_WAIT_MS: i64 = 3_600_000;
/// The rows of the limits table.
pub(crate) const LIMITS: &[Limit] = &[
    Limit::count("erasures.at_once", AT_ONCE as u64, "people", "Erased people whose traces are looked for in one go."),
    Limit::millis(
        "erasures.again_after",
        LONGEST_WAIT_MS as u64,
        "The longest wait before an erasure that failed is tried again; the first is half a minute.",
    ),
];

/// Who else keeps things about people, and forgets them: the datalake.
#[async_trait]
pub trait PersonEraser: Debug + Send + Sync + 'static {
    /// Forgets a person whose account is gone. Called again after a failure, it goes on.
    async fn erase(&self, person: &Erasure) -> anyhow::Result<()>;
}

/// Erases a person's account at once, and notes the rest, which is done behind the call.
///
/// # Errors
/// When the store does not answer.
pub async fn begin(state: &AppState, user: &User) -> ApiResult<()> {
    state.store.erase_user(user.id, state.clock.now_ms()).await?;
    state.keyring.forget_user(user.id);
    state.wakeups.erasures.notify_one();
    Ok(())
}

/// Erases a person, and answers when nothing of them is left.
///
/// # Errors
/// When the store or an eraser does not answer: the account is gone all the same, and the rest is tried again by itself.
pub async fn erase(state: &AppState, user: &User) -> ApiResult<()> {
    begin(state, user).await?;
    finish(state, user.id).await.map_err(|cause| {
        cause.context("the account is erased; what else is kept of the person is tried again by itself").into()
    })
}

/// Removes the traces of erased people until it is told to stop. One that has begun goes on after the next start.
pub async fn run(state: AppState, cancel: CancellationToken) {
    loop {
        match cancel.run_until_cancelled(finish_due(&state)).await {
            None => return,
            Some(Err(error)) => tracing::error!(%error, "erasures cannot be looked up"),
            Some(Ok(())) => {}
        }
        let next = state.store.next_erasure().await.unwrap_or_default();
        let woken = wait_until(&state, &state.wakeups.erasures, next);
        if cancel.run_until_cancelled(woken).await.is_none() {
            return;
        }
    }
}

/// Removes the traces that are due now.
///
/// # Errors
/// When the store does not answer.
pub async fn finish_due(state: &AppState) -> StoreResult<()> {
    for erasure in state.store.due_erasures(state.clock.now_ms(), AT_ONCE).await? {
        if let Err(error) = finish(state, erasure.user_id).await {
            let wait = FIRST_WAIT_MS << erasure.attempts.clamp(0, 10);
            let due_at = state.clock.now_ms() + wait.min(LONGEST_WAIT_MS);
            tracing::warn!(
                user_id = erasure.user_id,
                error = format!("{error:#}"),
                "traces of an erased person could not be removed: tried again later"
            );
            state.store.erasure_delayed(erasure.user_id, due_at).await?;
        }
    }
    Ok(())
}

/// Removes what is left of a person whose account is gone; nothing when nothing is.
async fn finish(state: &AppState, user_id: i64) -> anyhow::Result<()> {
    // The operator's verb and the work behind the calls may want the same one.
    let _alone = state.erasing.lock().await;
    let Some(erasure) = state.store.erasure(user_id).await? else { return Ok(()) };
    state.mailer.forget(user_id).await?;
    state.reports.forget(&erasure.email).await?;
    housekeeping::remove_stray_clips(state, &erasure.channel_key).await?;
    for eraser in &state.erasers {
        eraser.erase(&erasure).await?;
    }
    state.store.erasure_done(user_id).await?;
    tracing::info!(user_id, "nothing is left of an erased person");
    Ok(())
}
