//! Background work: the events that wake it and the waits between attempts.

use std::time::Duration;

use tokio::sync::Notify;
use touchline_protocol::ambient::Clock;
use touchline_store::StoreError;

#[derive(Debug, Default)]
pub(crate) struct Wakeups {
    /// A mail was queued.
    pub(crate) mail: Notify,
    /// An order was placed, or its payment confirmed.
    pub(crate) orders: Notify,
    /// A clip was requested.
    pub(crate) clips: Notify,
    /// An account was erased.
    pub(crate) erasures: Notify,
}

/// Pause after the store failed or the disk was full. Work resumes within 5 s of the recovery and fills no log until
/// then.
const FAILED_PAUSE_MS: i64 = 2_000;

/// Time of the next attempt after a failure, in milliseconds since 1970.
pub(crate) fn after_failure(clock: &dyn Clock) -> i64 {
    clock.now_ms() + FAILED_PAUSE_MS
}

/// Waits after a failure of the store. A wake-up does not shorten the wait.
pub(crate) async fn pause_after_failure() {
    tokio::time::sleep(Duration::from_millis(FAILED_PAUSE_MS.unsigned_abs())).await;
}

/// Logs a failure of the store. Disk failures are logged by the disk monitor.
pub(crate) fn log_failure(error: &StoreError, what: &'static str) {
    if error.is_storage_unavailable() {
        tracing::debug!(%error, what, "the disk rejects writes");
    } else {
        tracing::error!(%error, "{what}");
    }
}

/// Waits for a wake-up or until `due` (milliseconds since 1970), but at most 30 s: another worker may have left work.
pub(crate) async fn wait_until(clock: &dyn Clock, woken: &Notify, due: Option<i64>) {
    const MAX_WAIT: Duration = Duration::from_secs(30);
    /// Keeps overdue work from spinning while the store fails.
    const MIN_WAIT: Duration = Duration::from_millis(50);
    let wait = due.map_or(MAX_WAIT, |due| {
        let wait = (due - clock.now_ms()).max(0).unsigned_abs();
        Duration::from_millis(wait).clamp(MIN_WAIT, MAX_WAIT)
    });
    // Both outcomes lead to the same next step.
    let _ = tokio::time::timeout(wait, woken.notified()).await;
}
