//! Delivery of queued emails.

use std::collections::HashSet;
use std::sync::Arc;

use parking_lot::Mutex;
use tokio_util::sync::CancellationToken;
use touchline_disk::{Disk, Purpose};
use touchline_protocol::ambient::SharedClock;
use touchline_protocol::limits::Limit;
use touchline_store::{Mail, Store, StoreResult};

use super::{MailError, Mailer};
use crate::background::{Wakeups, log_failure, pause_after_failure, wait_until};

/// Maximum number of attempts per email. With the delays between them they take about a day.
const ATTEMPTS: i64 = 10;
const FIRST_WAIT_MS: i64 = 30_000;
pub(crate) const LIMITS: &[Limit] = &[Limit::count(
    "mail.attempts",
    ATTEMPTS as u64,
    "attempts",
    "Attempts to send an email; the delay starts at 30 s and doubles.",
)];

/// Result of a delivery run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Sent {
    /// Every due email was attempted.
    All,
    /// The disk has no space for emails.
    NoSpace,
}

/// Dependencies of email delivery.
#[derive(Debug, Clone)]
pub struct Delivery {
    /// Email queue.
    pub store: Arc<dyn Store>,
    /// The clock.
    pub clock: SharedClock,
    /// The mailer.
    pub mailer: Arc<dyn Mailer>,
    /// Disk space checks.
    pub disk: Disk,
    /// Signal for new emails.
    pub(crate) wakeups: Arc<Wakeups>,
    /// Emails that were sent, but that the store could not remove from the queue. They are not sent again.
    pub(crate) sent: Arc<Mutex<HashSet<i64>>>,
}

/// Sends due emails until cancelled.
pub async fn run(delivery: Delivery, cancel: CancellationToken) {
    loop {
        let sent = send_due(&delivery).await;
        if let Err(error) = &sent {
            log_failure(error, "the email queue cannot be processed");
        }
        let wait = async {
            if matches!(sent, Ok(Sent::All)) {
                let next = delivery.store.next_mail().await.unwrap_or_default();
                wait_until(&*delivery.clock, &delivery.wakeups.mail, next).await;
            } else {
                pause_after_failure().await;
            }
        };
        if cancel.run_until_cancelled(wait).await.is_none() {
            return;
        }
    }
}

/// Sends the emails that are due now.
///
/// # Errors
/// If the store fails.
pub async fn send_due(delivery: &Delivery) -> StoreResult<Sent> {
    for mail in delivery.store.due_mails(delivery.clock.now_ms(), 50).await? {
        if let Sent::NoSpace = send(delivery, &mail).await? {
            return Ok(Sent::NoSpace);
        }
    }
    Ok(Sent::All)
}

async fn send(delivery: &Delivery, mail: &Mail) -> StoreResult<Sent> {
    if mail.recipient.is_empty() {
        delivery.store.complete_mail(mail.id).await?;
        return Ok(Sent::All);
    }
    if delivery.sent.lock().contains(&mail.id) {
        return complete(delivery, mail.id).await;
    }
    let now = delivery.clock.now_ms();
    let sent = match admit(delivery, mail) {
        Ok(()) => deliver(delivery, mail, now).await,
        Err(error) => Err(error),
    };
    match sent {
        Ok(()) => {
            count("sent");
            delivery.sent.lock().insert(mail.id);
            return complete(delivery, mail.id).await;
        }
        // The email stays queued and the attempt does not count.
        Err(MailError::NoSpace(cause)) => {
            tracing::debug!(mail = mail.id, cause, "an email waits for disk space");
            return Ok(Sent::NoSpace);
        }
        Err(MailError::Unsent(cause)) if mail.attempts + 1 < ATTEMPTS => {
            tracing::warn!(mail = mail.id, cause, "an email could not be sent and will be retried");
            count("delayed");
            delivery.store.delay_mail(mail.id, now + (FIRST_WAIT_MS << mail.attempts)).await
        }
        Err(error) => {
            tracing::error!(mail = mail.id, %error, "an email could not be sent and was dropped");
            count(if matches!(error, MailError::Refused(_)) { "refused" } else { "given_up" });
            delivery.store.complete_mail(mail.id).await
        }
    }?;
    Ok(Sent::All)
}

/// Sends an email. If the server refuses it from the channel's own address, it is sent from the deployment's: a mistake
/// in one channel must not lose its viewers' links and receipts.
async fn deliver(delivery: &Delivery, mail: &Mail, at: i64) -> Result<(), MailError> {
    let sent = delivery.mailer.send(mail, at).await;
    let (Err(MailError::Refused(cause)), Some(sender)) = (&sent, &mail.sender_address) else { return sent };
    tracing::error!(mail = mail.id, sender, cause, "an email was refused, and is sent from `mail_from` instead");
    let reply_to = mail.reply_to.clone().or_else(|| Some(sender.clone()));
    delivery.mailer.send(&Mail { sender_address: None, reply_to, ..mail.clone() }, at).await
}

/// Removes a sent email from the queue.
async fn complete(delivery: &Delivery, id: i64) -> StoreResult<Sent> {
    delivery.store.complete_mail(id).await?;
    delivery.sent.lock().remove(&id);
    Ok(Sent::All)
}

fn count(outcome: &'static str) {
    metrics::counter!("touchline_emails_total", "outcome" => outcome).increment(1);
}

fn admit(delivery: &Delivery, mail: &Mail) -> Result<(), MailError> {
    let Some(folder) = delivery.mailer.folder() else { return Ok(()) };
    let bytes = mail.text.len() as u64;
    delivery.disk.admit(Purpose::Mail, folder, bytes).map_err(|error| MailError::NoSpace(error.to_string()))
}
