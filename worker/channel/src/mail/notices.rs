//! Emails viewers about order events and upcoming renewals (`ORDER-5`, `SUB-7`).

use std::collections::HashSet;
use std::sync::Arc;
use std::time::Duration;

use tokio_util::sync::CancellationToken;
use touchline_domain::payments::{REMIND_ANNUAL_MS, REMIND_TRIAL_MS};
use touchline_protocol::ambient::SharedClock;
use touchline_store::{Mail, OrderRecord, Store, StoreResult};
use url::Url;

use super::money::EmailContext;
use crate::background::{Wakeups, log_failure, pause_after_failure};
use crate::catalogue::{ChannelSnapshot, Channels};

const BATCH_SIZE: u32 = 64;
/// Interval between searches for due reminders, and the longest wait for a change.
const REMIND_INTERVAL_MS: i64 = 60_000;

/// Dependencies of payment emails.
#[derive(Clone)]
pub struct Notices {
    /// Order notices and the email queue.
    pub store: Arc<dyn Store>,
    /// The clock.
    pub clock: SharedClock,
    /// The channels.
    pub channels: Arc<Channels>,
    /// Returns the URL of a channel's site.
    pub site_url: Arc<dyn Fn(&ChannelSnapshot) -> Url + Send + Sync>,
    /// Signal for the delivery.
    pub(crate) wakeups: Arc<Wakeups>,
}

/// Writes emails until cancelled.
pub async fn run(notices: Notices, cancel: CancellationToken) {
    let mut changes = notices.store.changes();
    let mut reminded_at = i64::MIN;
    loop {
        let now = notices.clock.now_ms();
        let is_time = now.saturating_sub(reminded_at) >= REMIND_INTERVAL_MS;
        let written = async {
            write_due(&notices).await?;
            if is_time { remind(&notices).await } else { Ok(()) }
        };
        let written = written.await;
        if let Err(error) = &written {
            log_failure(error, "payment emails cannot be written");
        } else if is_time {
            reminded_at = now;
        }
        let wait = async {
            if written.is_err() {
                return pause_after_failure().await;
            }
            // A missed change counts as a change too.
            let longest = Duration::from_millis(REMIND_INTERVAL_MS.unsigned_abs());
            let _ = tokio::time::timeout(longest, changes.recv()).await;
        };
        if cancel.run_until_cancelled(wait).await.is_none() {
            return;
        }
    }
}

/// Writes the emails about recent order events.
///
/// # Errors
/// If the store fails.
pub async fn write_due(notices: &Notices) -> StoreResult<()> {
    let mut waiting = HashSet::new();
    loop {
        let mut due = notices.store.order_notices(batch_size(waiting.len())).await?;
        due.retain(|notice| !waiting.contains(&(notice.order.order.id, notice.version)));
        if due.is_empty() {
            return Ok(());
        }
        for notice in due {
            if notices.channels.is_channel_down(&notice.order.channel_key) {
                waiting.insert((notice.order.order.id, notice.version));
                continue;
            }
            let mail = notices.email(&notice.order, |context| context.notice(&notice)).await?;
            let now = notices.clock.now_ms();
            notices.store.complete_notice(notice.order.order.id, notice.version, mail, now).await?;
            notices.wakeups.mail.notify_one();
        }
    }
}

/// Writes reminders of upcoming renewals.
///
/// # Errors
/// If the store fails.
pub async fn remind(notices: &Notices) -> StoreResult<()> {
    let mut waiting = HashSet::new();
    loop {
        let now = notices.clock.now_ms();
        let ahead = (REMIND_ANNUAL_MS, REMIND_TRIAL_MS);
        let mut due = notices.store.due_reminders(now, ahead, batch_size(waiting.len())).await?;
        due.retain(|order| !waiting.contains(&order.order.id));
        if due.is_empty() {
            return Ok(());
        }
        for order in due {
            if notices.channels.is_channel_down(&order.channel_key) {
                waiting.insert(order.order.id);
                continue;
            }
            let mail = notices.email(&order, |context| Some(context.reminder(&order))).await?;
            let period_end = order.subscription.map_or(0, |subscription| subscription.current_period_end);
            notices.store.complete_reminder(order.order.id, period_end, mail, now).await?;
            notices.wakeups.mail.notify_one();
        }
    }
}

/// The size of a batch, including the emails that wait for a channel that is down.
fn batch_size(waiting: usize) -> u32 {
    BATCH_SIZE.saturating_add(u32::try_from(waiting).unwrap_or(u32::MAX))
}

impl Notices {
    /// Writes an email to the order's viewer, unless the account or the channel no longer exists.
    async fn email(
        &self,
        order: &OrderRecord,
        write: impl FnOnce(EmailContext<'_>) -> Option<Mail>,
    ) -> StoreResult<Option<Mail>> {
        let (user, channel) = (self.store.user(order.user_id).await?, self.channels.by_key(&order.channel_key));
        Ok(user.zip(channel).and_then(|(user, channel)| {
            let site = (self.site_url)(&channel);
            write(EmailContext { channel: &channel, site: &site, user: &user })
        }))
    }
}
