//! Readiness (`OPS-11`): a task tries a write to the store and checks the queue and the free space. `/readyz` answers
//! with its last result, so that a load balancer causes no disk access.

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use axum::http::StatusCode;
use axum::response::{IntoResponse, Response};
use parking_lot::Mutex;
use tokio::time::{Instant, timeout};
use tokio_util::sync::CancellationToken;
use touchline_channel::Channel;
use touchline_channel::catalogue::FaultyChannel;
use touchline_datalake::Datalake;
use touchline_disk::Disk;
use touchline_protocol::codes::ErrorCode;

use crate::error_response::error_response;

/// The interval between checks of a ready worker.
pub(super) const INTERVAL: Duration = Duration::from_secs(5);
/// The interval between checks of a worker that is not ready: it recovers within 5 s.
const UNREADY_INTERVAL: Duration = Duration::from_secs(1);
const WRITE_TIMEOUT: Duration = Duration::from_secs(5);
/// The age at which a result becomes stale.
const STALE_AFTER: Duration = Duration::from_secs(20);
/// The part of the disk reserve that must be free for a worker to be ready.
const READY_PART: u64 = 4;

/// The reason a worker is not ready.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum NotReady {
    /// It is shutting down.
    Stopping,
    Store,
    Queue,
    /// Almost no space is left, even for the store.
    Disk,
    /// The clock is far behind the newest record.
    Clock,
    /// The last check is too old.
    Stale,
}

impl NotReady {
    fn message(self) -> &'static str {
        match self {
            Self::Stopping => "Not ready: the worker is shutting down.",
            Self::Store => "Not ready: the store rejects writes.",
            Self::Queue => "Not ready: the analytics queue rejects writes.",
            Self::Clock => "Not ready: the clock is behind the records.",
            Self::Disk => "Not ready: the disk is full.",
            Self::Stale => "Not ready: the worker is stuck.",
        }
    }
}

#[derive(Debug)]
pub(crate) struct Health {
    found: Mutex<(Option<NotReady>, Instant)>,
    stop: CancellationToken,
}

/// The components to check.
pub(crate) struct Components {
    /// The time that the clock must have passed.
    pub(crate) ready_from: Option<i64>,
    pub(crate) channel: Channel,
    pub(crate) datalake: Datalake,
    pub(crate) disk: Disk,
    pub(crate) data: PathBuf,
}

impl Health {
    /// Checks `components` until `stop`. It starts as ready if its clock is right, because opening it has just written to
    /// the store and the queue.
    pub(crate) fn watch(components: Components, stop: CancellationToken) -> Arc<Self> {
        let first = components.ready_from.map(|_| NotReady::Clock);
        let health = Arc::new(Self { found: Mutex::new((first, Instant::now())), stop: stop.clone() });
        let watched = Arc::clone(&health);
        tokio::spawn(async move {
            let checking = async {
                loop {
                    let reason = components.check().await;
                    watched.note(reason);
                    tokio::time::sleep(if reason.is_some() { UNREADY_INTERVAL } else { INTERVAL }).await;
                }
            };
            let _ = stop.run_until_cancelled(checking).await;
        });
        health
    }

    fn note(&self, reason: Option<NotReady>) {
        let before = std::mem::replace(&mut *self.found.lock(), (reason, Instant::now())).0;
        metrics::gauge!("touchline_ready").set(f64::from(u8::from(reason.is_none())));
        match (before, reason) {
            (Some(_), None) => tracing::info!("ready again"),
            (before, Some(reason)) if before != Some(reason) => tracing::error!("{}", reason.message()),
            _ => {}
        }
    }

    pub(crate) fn reason(&self) -> Option<NotReady> {
        if self.stop.is_cancelled() {
            return Some(NotReady::Stopping);
        }
        let (reason, at) = *self.found.lock();
        reason.or_else(|| (at.elapsed() > STALE_AFTER).then_some(NotReady::Stale))
    }

    /// The answer of `/readyz`. Faulty channels are listed without their faults, since anyone can read it.
    pub(crate) fn answer(&self, faulty: &[FaultyChannel]) -> Response {
        match self.reason() {
            None => {
                let line = |channel: &FaultyChannel| {
                    let state = if channel.is_served { "its last sound state is served" } else { "it is unavailable" };
                    format!("channel {} is faulty: {state}\n", channel.key)
                };
                let lines: String = faulty.iter().map(line).collect();
                (StatusCode::OK, format!("ready\n{lines}")).into_response()
            }
            Some(reason) => error_response(StatusCode::SERVICE_UNAVAILABLE, ErrorCode::Unavailable, reason.message()),
        }
    }
}

impl Components {
    async fn check(&self) -> Option<NotReady> {
        let state = self.channel.state();
        // A trial write would be the newest record at the next start.
        if self.ready_from.is_some_and(|from| state.clock.now_ms() < from) {
            return Some(NotReady::Clock);
        }
        match timeout(WRITE_TIMEOUT, state.store().probe(state.clock.now_ms())).await {
            Ok(Ok(())) => {}
            Ok(Err(error)) => {
                tracing::debug!(%error, "the store rejects writes");
                return Some(NotReady::Store);
            }
            Err(_) => return Some(NotReady::Store),
        }
        if let Err(why) = self.datalake.ready() {
            tracing::debug!(why, "the queue rejects writes");
            return Some(NotReady::Queue);
        }
        let free = touchline_disk::free(&self.data);
        #[expect(clippy::cast_precision_loss, reason = "a gauge is a float; volumes stay far below 2^53 bytes")]
        metrics::gauge!("touchline_disk_free_bytes").set(free as f64);
        (free < self.disk.reserve() / READY_PART).then_some(NotReady::Disk)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn health() -> Health {
        Health { found: Mutex::new((None, Instant::now())), stop: CancellationToken::new() }
    }

    #[test]
    fn the_last_result_applies_until_it_is_stale() {
        let health = health();
        assert_eq!(health.answer(&[]).status(), StatusCode::OK);
        health.note(Some(NotReady::Disk));
        assert_eq!(health.reason(), Some(NotReady::Disk));
        assert_eq!(health.answer(&[]).status(), StatusCode::SERVICE_UNAVAILABLE);
        health.note(None);
        assert_eq!(health.reason(), None);
        health.found.lock().1 = Instant::now().checked_sub(STALE_AFTER + Duration::from_secs(1)).unwrap();
        assert_eq!(health.reason(), Some(NotReady::Stale));
        health.note(None);
        health.stop.cancel();
        assert_eq!(health.reason(), Some(NotReady::Stopping));
    }
}
