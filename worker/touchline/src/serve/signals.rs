//! What an operator asks of the running process: SIGTERM and SIGINT end it, SIGHUP has it read its files anew (`OPS-14`).

use std::sync::Arc;

use tokio::signal::unix::{Signal, SignalKind, signal};
use touchline_channel::catalogue::Channels;

use super::certificate::Certificate;

/// Who asked the worker to end.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum StopSignal {
    /// SIGTERM: a supervisor, perhaps with a balancer in front.
    Terminate,
    /// SIGINT: somebody at a terminal.
    Interrupt,
}

/// The signals that the process listens for.
pub(super) struct Signals {
    term: Option<Signal>,
    int: Option<Signal>,
    hup: Option<Signal>,
}

impl Signals {
    /// Listens from now on: none of these kills the process any more.
    pub(super) fn listen() -> Self {
        let listen =
            |kind| signal(kind).inspect_err(|error| tracing::error!(%error, "a signal cannot be listened for"));
        Self {
            term: listen(SignalKind::terminate()).ok(),
            int: listen(SignalKind::interrupt()).ok(),
            hup: listen(SignalKind::hangup()).ok(),
        }
    }

    /// Waits until the worker is asked to end.
    pub(super) async fn stop(&mut self) -> StopSignal {
        tokio::select! {
            () = next(&mut self.term) => StopSignal::Terminate,
            () = next(&mut self.int) => StopSignal::Interrupt,
        }
    }

    /// Reads certificate and channel folders anew at each SIGHUP.
    pub(super) fn reloads(
        &mut self,
        certificate: Option<Arc<Certificate>>,
        channels: Arc<Channels>,
    ) -> impl Future<Output = ()> + use<> {
        let mut hup = self.hup.take();
        async move {
            loop {
                next(&mut hup).await;
                tracing::info!("SIGHUP: certificate and channels are read anew");
                if let Some(certificate) = &certificate {
                    certificate.reload();
                }
                // Faults are told to the log, as those of any change are.
                let _loaded = Arc::clone(&channels).reload_and_log().await.is_ok();
            }
        }
    }
}

/// Waits for the next signal of a kind; for ever where it cannot be listened for.
async fn next(signal: &mut Option<Signal>) {
    let received = match signal {
        Some(signal) => signal.recv().await,
        None => None,
    };
    if received.is_none() {
        std::future::pending().await
    }
}
