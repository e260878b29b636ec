//! Number of connections. It follows their use, so that many workers share one database.

use std::time::Duration;

use sqlx::PgPool;

/// Connections of a worker, unless it is configured otherwise.
pub const DEFAULT: u32 = 20;
/// Fewest connections of a worker.
pub const MIN: u32 = 4;
/// Most connections of a worker.
pub const MAX: u32 = 1_000;
/// Writing connections that stay open without use, so that the next call need not open one.
pub(super) const IDLE_WRITERS: u32 = 1;
/// The same for reading. Another one receives notifications, and is always in use.
pub(super) const IDLE_READERS: u32 = 2;
/// Interval for counting the connections in use.
const SAMPLE_INTERVAL: Duration = Duration::from_millis(50);
/// Samples per period. Connections that two periods did not use are closed.
const SAMPLES: u32 = 100;

/// Connections of each kind.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Shares {
    pub(super) writers: u32,
    pub(super) readers: u32,
}

impl Shares {
    /// Divides all connections of a worker.
    pub(super) fn of(connections: u32) -> Self {
        let writers = connections / 2;
        Self { writers, readers: connections - writers }
    }
}

/// Closes unused connections of a pool above `idle`, until it is closed. The pool alone would keep all that a burst
/// opened, because it uses its connections in turn.
pub(super) async fn follow_use(pool: PgPool, idle: u32) {
    let mut peak = pool.size();
    while !pool.is_closed() {
        let last_peak = peak;
        peak = 0;
        for _ in 0..SAMPLES {
            tokio::time::sleep(SAMPLE_INTERVAL).await;
            peak = peak.max(in_use(&pool));
        }
        close_above(&pool, peak.max(last_peak).max(idle)).await;
    }
}

fn in_use(pool: &PgPool) -> u32 {
    pool.size().saturating_sub(u32::try_from(pool.num_idle()).unwrap_or(u32::MAX))
}

async fn close_above(pool: &PgPool, wanted: u32) {
    while pool.size() > wanted {
        let Some(connection) = pool.try_acquire() else { return };
        if let Err(error) = connection.close().await {
            tracing::debug!(%error, "could not close a connection to the database");
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_connections_are_shared_and_the_idle_ones_fit() {
        for connections in [MIN, 5, DEFAULT, MAX] {
            let Shares { writers, readers } = Shares::of(connections);
            assert_eq!(writers + readers, connections);
            assert!(writers >= IDLE_WRITERS && readers >= IDLE_READERS, "{connections}");
        }
        assert_eq!(Shares::of(5), Shares { writers: 2, readers: 3 });
    }
}
