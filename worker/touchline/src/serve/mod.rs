//! `touchline serve`: the parts put together, the two listeners, start and end (`OPS-1`).
//!
//! | module | what |
//! |---|---|
//! | [`data_folder`] | the data folder, held by one worker |
//! | [`telemetry`] | log and metrics |
//! | [`worker`] | the rooms opened and put together; [`statuses`], [`faces`] and [`erasure`] adapt them to each other |
//! | [`demo`] | the demo channels in the binary |
//! | [`listener`] | connections |
//! | [`front`] | what every request passes first, with [`client_address`], [`places`], [`rate`] and [`meters`] |

mod client_address;
pub(crate) mod data_folder;
mod demo;
mod erasure;
mod faces;
pub(crate) mod front;
mod listener;
mod meters;
mod places;
mod rate;
mod statuses;
mod telemetry;
mod worker;

use std::io::Write;
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use tokio::signal::unix::{SignalKind, signal};
use tokio_util::sync::CancellationToken;

use crate::admin;
use crate::config::{Config, ConfigError};
use listener::Bound;
use worker::Worker;
pub(crate) use worker::{STORE_FILE, source_of};

/// Within how long clients are asked to reconnect when the worker ends.
const DRAIN_WINDOW: Duration = Duration::from_secs(2);
/// How long the last analytics may take to ship.
const LAST_BATCH_WITHIN: Duration = Duration::from_secs(10);

/// How serving ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Ended {
    /// By SIGTERM or SIGINT.
    Asked,
    /// A part of it broke: whoever supervises it starts it anew.
    Broken,
}

/// Serves until SIGTERM or SIGINT.
///
/// # Errors
/// What keeps it from starting, in one line: it has not listened by then.
pub(crate) async fn run(config: Config) -> Result<Ended, ConfigError> {
    telemetry::log(&config.log)?;
    let stop = CancellationToken::new();
    let metrics = telemetry::metrics(stop.clone())?;
    let tls = config.tls.as_ref().map(listener::tls).transpose()?;
    let scheme = if tls.is_some() { "https" } else { "http" };
    let (public, private) = (Bound::take("listen", config.listen)?, Bound::take("admin_listen", config.admin_listen)?);
    let (address, admin_address) = (public.address()?, private.address()?);
    let mut worker = Worker::open(&config, address).await?;
    let (public, private) = (public.listen()?, private.listen()?);
    let told = |error: std::io::Error| ConfigError(format!("data folder {}: {error}", config.data.display()));
    let token = worker.folder.draw_token(&*worker.entropy).map_err(told)?;
    worker.folder.tell_address(admin_address).map_err(told)?;

    let admin = admin::router(metrics, worker.operations(), token);
    let (front, router) = (Arc::clone(&worker.front), worker.router());
    let answer = move |request, other_end| Arc::clone(&front).pass(request, other_end, router.clone());
    let site = listener::serve(public, tls, answer, config.limits.connections, stop.clone());
    // The verbs still answer while the site drains.
    let stop_admin = CancellationToken::new();
    let answer = move |request, _| front::routed(admin.clone(), request);
    let admin = listener::serve(private, None, answer, ADMIN_CONNECTIONS, stop_admin.clone());
    let (site, admin) = (tokio::spawn(site), tokio::spawn(admin));
    announce(scheme, address, admin_address, &worker.demo_accounts());

    let ended = tokio::select! {
        () = asked_to_end() => Ended::Asked,
        () = worker.broke() => Ended::Broken,
    };
    tracing::info!(?ended, "the worker ends");
    stop.cancel();
    worker.hub.drain(DRAIN_WINDOW).await;
    let _site_ended = site.await.is_ok();
    worker.close(LAST_BATCH_WITHIN).await;
    stop_admin.cancel();
    let _admin_ended = admin.await.is_ok();
    Ok(ended)
}

const ADMIN_CONNECTIONS: usize = 64;

/// Tells where the worker listens; scripts read the first two lines.
fn announce(scheme: &str, address: SocketAddr, admin: SocketAddr, accounts: &[(String, String)]) {
    let mut lines = format!("touchline listening on {scheme}://{address}\ntouchline admin on http://{admin}\n");
    for (email, password) in accounts {
        lines.push_str(&format!("demo account {email} / {password}\n"));
    }
    let mut out = std::io::stdout().lock();
    // Whoever closed stdout does not want to know.
    let _told = out.write_all(lines.as_bytes()).and_then(|()| out.flush()).is_ok();
}

/// Waits for SIGTERM or SIGINT.
async fn asked_to_end() {
    let wait = async |kind| match signal(kind) {
        Ok(mut signal) => drop(signal.recv().await),
        Err(error) => {
            tracing::error!(%error, "a signal cannot be listened for");
            std::future::pending::<()>().await;
        }
    };
    tokio::select! {
        () = wait(SignalKind::terminate()) => {}
        () = wait(SignalKind::interrupt()) => {}
    }
}
