//! Signals from the operator: SIGTERM and SIGINT shut the worker down, SIGHUP reloads its files (`OPS-14`).

use std::sync::Arc;

use tokio::signal::unix::{Signal, SignalKind, signal};
use touchline_channel::catalogue::Channels;

use super::certificate::Certificate;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum StopSignal {
    /// SIGTERM, from a supervisor, perhaps behind a load balancer.
    Terminate,
    /// SIGINT, from a terminal.
    Interrupt,
}

pub(super) struct Signals {
    term: Option<Signal>,
    int: Option<Signal>,
    hup: Option<Signal>,
}

impl Signals {
    /// Installs the handlers: none of these signals kills the process from here on.
    pub(super) fn listen() -> Self {
        let listen =
            |kind| signal(kind).inspect_err(|error| tracing::error!(%error, "a signal handler cannot be installed"));
        Self {
            term: listen(SignalKind::terminate()).ok(),
            int: listen(SignalKind::interrupt()).ok(),
            hup: listen(SignalKind::hangup()).ok(),
        }
    }

    pub(super) async fn stop(&mut self) -> StopSignal {
        tokio::select! {
            () = next(&mut self.term) => StopSignal::Terminate,
            () = next(&mut self.int) => StopSignal::Interrupt,
        }
    }

    /// Reloads the certificate and the channel folders on each SIGHUP.
    pub(super) fn reloads(
        &mut self,
        certificate: Option<Arc<Certificate>>,
        channels: Arc<Channels>,
    ) -> impl Future<Output = ()> + use<> {
        let mut hup = self.hup.take();
        async move {
            loop {
                next(&mut hup).await;
                tracing::info!("SIGHUP: certificate and channels are reloaded");
                if let Some(certificate) = &certificate {
                    certificate.reload();
                }
                // Faults are logged, like those of any change.
                let _loaded = Arc::clone(&channels).reload_and_log().await.is_ok();
            }
        }
    }
}

/// Waits for the next signal of a kind; forever if it cannot be handled.
async fn next(signal: &mut Option<Signal>) {
    let received = match signal {
        Some(signal) => signal.recv().await,
        None => None,
    };
    if received.is_none() {
        std::future::pending().await
    }
}
