//! Outgoing mail.

use async_trait::async_trait;

use super::{IdempotencyClaim, StoreResult};

/// An email.
#[derive(Clone, Default, PartialEq, Eq)]
pub struct Mail {
    /// 0 until it is queued.
    pub id: i64,
    /// ID of the recipient. `None` if there is no such account.
    pub user_id: Option<i64>,
    /// Name of the channel, as sender.
    pub sender_name: String,
    /// The channel's own address as sender. `None` for the deployment's.
    pub sender_address: Option<String>,
    /// The recipient's address. Empty if there is no such account. The mail is then dropped, after the caller spent the
    /// same time on it as for a real one.
    pub recipient: String,
    /// Address for replies, if it differs from the sender's.
    pub reply_to: Option<String>,
    /// Subject.
    pub subject: String,
    /// Plain text.
    pub text: String,
    /// Number of attempts to send it.
    pub attempts: i64,
}

/// Keeps addresses and links out of logs.
impl std::fmt::Debug for Mail {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.debug_struct("Mail").field("id", &self.id).finish_non_exhaustive()
    }
}

/// The mail queue.
#[async_trait]
pub trait Mails {
    /// Queues a mail. If claimed, the response that the call succeeded is stored with it.
    async fn queue_mail(&self, mail: Mail, due_at: i64, claim: Option<IdempotencyClaim>) -> StoreResult<()>;
    /// Returns mail to send at `at`, oldest first.
    async fn due_mails(&self, at: i64, limit: u32) -> StoreResult<Vec<Mail>>;
    /// Returns the time at which the next mail is due.
    async fn next_mail(&self) -> StoreResult<Option<i64>>;
    /// Removes a mail that was sent or given up.
    async fn complete_mail(&self, id: i64) -> StoreResult<()>;
    /// Schedules another attempt.
    async fn delay_mail(&self, id: i64, due_at: i64) -> StoreResult<()>;
}
