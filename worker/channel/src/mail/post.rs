//! Takes letters off the queue.

use tokio_util::sync::CancellationToken;

use super::MailError;
use crate::state::{AppState, wait_until};
use crate::store::{Mail, StoreResult};

/// How often a letter is tried: with the waits between, for about a day.
const ATTEMPTS: i64 = 10;
const FIRST_WAIT_MS: i64 = 30_000;

/// Sends what is due until it is told to stop.
pub async fn run(state: AppState, cancel: CancellationToken) {
    loop {
        if let Err(error) = send_due(&state).await {
            tracing::error!(%error, "mail cannot be taken off the queue");
        }
        let next = state.store.next_mail().await.unwrap_or_default();
        let woken = wait_until(&state, &state.wakeups.mail, next);
        if cancel.run_until_cancelled(woken).await.is_none() {
            return;
        }
    }
}

/// Sends what is due now.
///
/// # Errors
/// When the store does not answer.
pub async fn send_due(state: &AppState) -> StoreResult<()> {
    for mail in state.store.due_mails(state.clock.now_ms(), 50).await? {
        send(state, &mail).await?;
    }
    Ok(())
}

async fn send(state: &AppState, mail: &Mail) -> StoreResult<()> {
    if mail.recipient.is_empty() {
        return state.store.mail_done(mail.id).await;
    }
    let now = state.clock.now_ms();
    match state.mailer.send(mail, now).await {
        Ok(()) => state.store.mail_done(mail.id).await,
        Err(MailError::Unsent(cause)) if mail.attempts + 1 < ATTEMPTS => {
            tracing::warn!(mail = mail.id, cause, "a letter is tried again later");
            state.store.mail_delayed(mail.id, now + (FIRST_WAIT_MS << mail.attempts)).await
        }
        Err(error) => {
            tracing::error!(mail = mail.id, %error, "a letter is given up");
            state.store.mail_done(mail.id).await
        }
    }
}
