//! Mail that is to be sent.

use async_trait::async_trait;

use super::{IdempotencyClaim, StoreResult};

/// A letter.
#[derive(Clone, PartialEq, Eq)]
pub struct Mail {
    /// 0 before it is queued.
    pub id: i64,
    /// Whom it is for; nobody for a letter to someone who does not exist.
    pub user_id: Option<i64>,
    /// The channel's name.
    pub sender_name: String,
    /// The address. Nothing at all for a letter to someone who does not exist: it is dropped, having cost the caller as
    /// much time as a real one.
    pub recipient: String,
    /// The subject.
    pub subject: String,
    /// Plain text.
    pub text: String,
    /// How often it was tried.
    pub attempts: i64,
}

/// Addresses and links stay out of logs.
impl std::fmt::Debug for Mail {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.debug_struct("Mail").field("id", &self.id).finish_non_exhaustive()
    }
}

/// Queueing mail, and taking it off the queue.
#[async_trait]
pub trait Mails {
    /// Queues a letter; with a claim, together with the answer that it is done.
    async fn queue_mail(&self, mail: Mail, due_at: i64, claim: Option<IdempotencyClaim>) -> StoreResult<()>;
    /// Letters that are to be sent by `at`, oldest first.
    async fn due_mails(&self, at: i64, limit: u32) -> StoreResult<Vec<Mail>>;
    /// When the next letter is to be sent.
    async fn next_mail(&self) -> StoreResult<Option<i64>>;
    /// A letter was sent, or given up.
    async fn mail_done(&self, id: i64) -> StoreResult<()>;
    /// A letter is to be tried again.
    async fn mail_delayed(&self, id: i64, due_at: i64) -> StoreResult<()>;
}
