//! Takes letters off the queue.

use tokio_util::sync::CancellationToken;
use touchline_disk::Purpose;
use touchline_protocol::limits::Limit;
use touchline_store::{Mail, StoreResult};

use super::MailError;
use crate::state::{AppState, log_failure, pause_after_failure, wait_until};

/// How often a letter is tried: with the waits between, for about a day.
const ATTEMPTS: i64 = 10;
const FIRST_WAIT_MS: i64 = 30_000;
/// The rows of the limits table.
pub(crate) const LIMITS: &[Limit] = &[Limit::count(
    "mail.attempts",
    ATTEMPTS as u64,
    "attempts",
    "How often a letter is tried, the wait doubling from 30 s.",
)];

/// How far sending came.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Sent {
    /// Everything that was due was tried.
    All,
    /// There is no space for letters.
    NoSpace,
}

/// Sends what is due until it is told to stop.
pub async fn run(state: AppState, cancel: CancellationToken) {
    loop {
        let sent = send_due(&state).await;
        if let Err(error) = &sent {
            log_failure(error, "mail cannot be taken off the queue");
        }
        let wait = async {
            if matches!(sent, Ok(Sent::All)) {
                let next = state.store.next_mail().await.unwrap_or_default();
                wait_until(&state, &state.wakeups.mail, next).await;
            } else {
                pause_after_failure().await;
            }
        };
        if cancel.run_until_cancelled(wait).await.is_none() {
            return;
        }
    }
}

/// Sends what is due now.
///
/// # Errors
/// When the store does not answer.
pub async fn send_due(state: &AppState) -> StoreResult<Sent> {
    for mail in state.store.due_mails(state.clock.now_ms(), 50).await? {
        if let Sent::NoSpace = send(state, &mail).await? {
            return Ok(Sent::NoSpace);
        }
    }
    Ok(Sent::All)
}

async fn send(state: &AppState, mail: &Mail) -> StoreResult<Sent> {
    if mail.recipient.is_empty() {
        state.store.mail_done(mail.id).await?;
        return Ok(Sent::All);
    }
    let now = state.clock.now_ms();
    let sent = match admit(state, mail) {
        Ok(()) => state.mailer.send(mail, now).await,
        Err(error) => Err(error),
    };
    match sent {
        Ok(()) => state.store.mail_done(mail.id).await,
        // It waits as it is, and none of its tries is used up.
        Err(MailError::NoSpace(cause)) => {
            tracing::debug!(mail = mail.id, cause, "a letter waits for space");
            return Ok(Sent::NoSpace);
        }
        Err(MailError::Unsent(cause)) if mail.attempts + 1 < ATTEMPTS => {
            tracing::warn!(mail = mail.id, cause, "a letter is tried again later");
            state.store.mail_delayed(mail.id, now + (FIRST_WAIT_MS << mail.attempts)).await
        }
        Err(error) => {
            tracing::error!(mail = mail.id, %error, "a letter is given up");
            state.store.mail_done(mail.id).await
        }
    }?;
    Ok(Sent::All)
}

fn admit(state: &AppState, mail: &Mail) -> Result<(), MailError> {
    let Some(folder) = state.mailer.folder() else { return Ok(()) };
    let bytes = mail.text.len() as u64;
    state.disk.admit(Purpose::Mail, folder, bytes).map_err(|error| MailError::NoSpace(error.to_string()))
}
