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
use touchline_datalake::Datalake;
use touchline_disk::Disk;
use touchline_protocol::codes::ErrorCode;

use crate::error_response::error_response;

/// The interval between checks of a ready worker.
pub(super) const EVERY: Duration = Duration::from_secs(5);
/// The interval between checks of a worker that is not ready: it recovers within 5 s.
const EVERY_WHILE_ILL: Duration = Duration::from_secs(1);
const WRITE_WITHIN: Duration = Duration::from_secs(5);
/// The age at which a result becomes stale.
const STALE_AFTER: Duration = Duration::from_secs(20);
/// The part of the disk reserve that must be free for a worker to be ready.
const READY_PART: u64 = 4;

/// The reason a worker is not ready.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Ill {
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

impl Ill {
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
    found: Mutex<(Option<Ill>, Instant)>,
    stop: CancellationToken,
}

/// The components to check.
pub(crate) struct Patient {
    /// The time that the clock must have passed.
    pub(crate) ready_from: Option<i64>,
    pub(crate) channel: Channel,
    pub(crate) datalake: Datalake,
    pub(crate) disk: Disk,
    pub(crate) data: PathBuf,
}

impl Health {
    /// Checks `patient` until `stop`. It starts as ready if its clock is right, because opening it has just written to
    /// the store and the queue.
    pub(crate) fn watch(patient: Patient, stop: CancellationToken) -> Arc<Self> {
        let first = patient.ready_from.map(|_| Ill::Clock);
        let health = Arc::new(Self { found: Mutex::new((first, Instant::now())), stop: stop.clone() });
        let watching = Arc::clone(&health);
        tokio::spawn(async move {
            let looking = async {
                loop {
                    let ill = patient.look().await;
                    watching.note(ill);
                    tokio::time::sleep(if ill.is_some() { EVERY_WHILE_ILL } else { EVERY }).await;
                }
            };
            let _ = stop.run_until_cancelled(looking).await;
        });
        health
    }

    fn note(&self, ill: Option<Ill>) {
        let before = std::mem::replace(&mut *self.found.lock(), (ill, Instant::now())).0;
        metrics::gauge!("touchline_ready").set(f64::from(u8::from(ill.is_none())));
        match (before, ill) {
            (Some(_), None) => tracing::info!("ready again"),
            (before, Some(ill)) if before != Some(ill) => tracing::error!("{}", ill.message()),
            _ => {}
        }
    }

    pub(crate) fn ill(&self) -> Option<Ill> {
        if self.stop.is_cancelled() {
            return Some(Ill::Stopping);
        }
        let (ill, at) = *self.found.lock();
        ill.or_else(|| (at.elapsed() > STALE_AFTER).then_some(Ill::Stale))
    }

    pub(crate) fn answer(&self) -> Response {
        match self.ill() {
            None => (StatusCode::OK, "ready\n").into_response(),
            Some(ill) => error_response(StatusCode::SERVICE_UNAVAILABLE, ErrorCode::Unavailable, ill.message()),
        }
    }
}

impl Patient {
    async fn look(&self) -> Option<Ill> {
        let state = self.channel.state();
        // A trial write would be the newest record at the next start.
        if self.ready_from.is_some_and(|from| state.clock.now_ms() < from) {
            return Some(Ill::Clock);
        }
        match timeout(WRITE_WITHIN, state.store().probe(state.clock.now_ms())).await {
            Ok(Ok(())) => {}
            Ok(Err(error)) => {
                tracing::debug!(%error, "the store rejects writes");
                return Some(Ill::Store);
            }
            Err(_) => return Some(Ill::Store),
        }
        if let Err(why) = self.datalake.ready() {
            tracing::debug!(why, "the queue rejects writes");
            return Some(Ill::Queue);
        }
        let free = touchline_disk::free(&self.data);
        #[expect(clippy::cast_precision_loss, reason = "a gauge is a float; volumes stay far below 2^53 bytes")]
        metrics::gauge!("touchline_disk_free_bytes").set(free as f64);
        (free < self.disk.reserve() / READY_PART).then_some(Ill::Disk)
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
        assert_eq!(health.answer().status(), StatusCode::OK);
        health.note(Some(Ill::Disk));
        assert_eq!(health.ill(), Some(Ill::Disk));
        assert_eq!(health.answer().status(), StatusCode::SERVICE_UNAVAILABLE);
        health.note(None);
        assert_eq!(health.ill(), None);
        health.found.lock().1 = Instant::now().checked_sub(STALE_AFTER + Duration::from_secs(1)).unwrap();
        assert_eq!(health.ill(), Some(Ill::Stale));
        health.note(None);
        health.stop.cancel();
        assert_eq!(health.ill(), Some(Ill::Stopping));
    }
}
