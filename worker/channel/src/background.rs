//! The work behind the calls: what wakes it, and how it waits.

use std::time::Duration;

use tokio::sync::Notify;
use touchline_protocol::ambient::Clock;
use touchline_store::StoreError;

/// What wakes the work behind the calls.
#[derive(Debug, Default)]
pub struct Wakeups {
    /// A letter was queued.
    pub mail: Notify,
    /// An order was placed, or its payment confirmed.
    pub orders: Notify,
    /// A clip was asked for.
    pub clips: Notify,
    /// An account was erased.
    pub erasures: Notify,
}

/// How soon the work behind the calls is tried again after the store failed, or where there was no space: it goes on
/// within 5 s of there being some, and fills no log until then.
const FAILED_PAUSE_MS: i64 = 2_000;

/// When work that failed is tried again, milliseconds since 1970.
pub(crate) fn after_failure(clock: &dyn Clock) -> i64 {
    clock.now_ms() + FAILED_PAUSE_MS
}

/// Waits after the store failed; nothing wakes it earlier.
pub(crate) async fn pause_after_failure() {
    tokio::time::sleep(Duration::from_millis(FAILED_PAUSE_MS.unsigned_abs())).await;
}

/// Logs a failure of the store; one of the disk is logged by whoever watches that.
pub(crate) fn log_failure(error: &StoreError, what: &'static str) {
    if error.is_storage_unavailable() {
        tracing::debug!(%error, what, "the disk takes no write");
    } else {
        tracing::error!(%error, "{what}");
    }
}

/// Waits until it is woken, or until `due` (milliseconds since 1970), but no longer than half a minute: another worker
/// may have left something to do.
pub(crate) async fn wait_until(clock: &dyn Clock, woken: &Notify, due: Option<i64>) {
    const LONGEST: Duration = Duration::from_secs(30);
    /// What is due and cannot be done, since the store fails, is not tried faster than this.
    const SHORTEST: Duration = Duration::from_millis(50);
    let left = due.map_or(LONGEST, |due| {
        let left = (due - clock.now_ms()).max(0).unsigned_abs();
        Duration::from_millis(left).clamp(SHORTEST, LONGEST)
    });
    // Both outcomes mean the same: look again.
    let _ = tokio::time::timeout(left, woken.notified()).await;
}
