//! Compares the worker's clock with the records and with the database's clock (`OPS-51`).

use std::time::Duration;

use tokio_util::sync::CancellationToken;
use touchline_channel::Channel;

use crate::config::ConfigError;

/// The smallest difference that is logged.
const LOGGED_MS: i64 = 60_000;
/// The largest lead of the records over the clock of a ready worker.
const READY_MS: i64 = 3_600_000;
pub(super) const COMPARE_INTERVAL: Duration = Duration::from_secs(3600);

/// Returns the time that the clock must pass before the worker is ready, if records are more than an hour ahead of it.
/// Until then it sells nothing.
///
/// # Errors
/// The store cannot be read.
pub(super) async fn ready_from(channel: &Channel, is_accepted: bool) -> Result<Option<i64>, ConfigError> {
    let state = channel.state();
    // Workers that share a database are compared with its clock, because the records may come from a worker whose clock
    // is ahead.
    if state.store().is_shared() {
        return Ok(None);
    }
    let newest = state.store().latest_timestamp().await.map_err(|error| ConfigError(error.to_string()))?;
    let now = state.clock.now_ms();
    let Some(newest) = newest.filter(|newest| newest - now > LOGGED_MS) else { return Ok(None) };
    let is_behind = newest - now > READY_MS && !is_accepted;
    tracing::warn!(
        clock = %formatted(now), newest_record = %formatted(newest), behind_s = (newest - now) / 1000,
        "{}",
        if is_behind {
            "the clock is behind the records: not ready, and nothing sold, until it has passed them, unless started with --accept-clock"
        } else {
            "the clock is behind the records"
        }
    );
    if is_behind {
        channel.sell_from(newest);
    }
    Ok(is_behind.then_some(newest))
}

/// Compares with the database's clock, now and every hour, and logs a difference.
pub(super) async fn compare(channel: Channel, stop: CancellationToken) {
    let comparing = async {
        loop {
            let state = channel.state();
            match state.store().database_clock().await {
                Ok(None) => return,
                Ok(Some(database)) => {
                    let ahead_ms = state.clock.now_ms() - database;
                    if ahead_ms.abs() > LOGGED_MS {
                        tracing::warn!(ahead_s = ahead_ms / 1000, "this worker's clock differs from the database's");
                    }
                }
                Err(error) => tracing::debug!(%error, "the database's clock could not be read"),
            }
            tokio::time::sleep(COMPARE_INTERVAL).await;
        }
    };
    let _ = stop.run_until_cancelled(comparing).await;
}

fn formatted(ms: i64) -> String {
    jiff::Timestamp::from_millisecond(ms).map_or_else(|_| ms.to_string(), |at| at.to_string())
}
