//! `touchline serve`: the components, the two listeners, startup and shutdown (`OPS-1`).
//!
//! | module | what |
//! |---|---|
//! | [`data_folder`] | the data folder, locked by one worker |
//! | [`telemetry`] | log and metrics; [`log_budget`] rate-limits the log |
//! | [`worker`] | the components wired together; [`opening`] opens each from the settings; [`statuses`], [`branding`],
//! [`sales`] and [`erasure`] adapt them to each other |
//! | [`descriptors`] | the limit of open files |
//! | [`demo`] | the demo channels in the binary |
//! | [`folder_sizes`] | sizes of the lake, clips, reports and emails |
//! | [`health`] | readiness for `/readyz`; [`clock`] compares the clock with the records |
//! | [`listener`] | accepts connections; [`connections`] limits their number, [`connection`] has their timeouts,
//! [`answer`] tracks their responses, [`guarded_io`] times out writes |
//! | [`certificate`] | the site's TLS certificate |
//! | [`site_files`] | the files of the site's build, in the store |
//! | [`signals`] | signals from the operator |
//! | [`middleware`] | handling common to all requests, with [`area`], [`bodies`], [`client_address`], [`geoip`],
//! [`rate`] and [`request_metrics`] |

mod access_log;
mod answer;
mod area;
mod bodies;
mod books;
mod branding;
mod certificate;
mod client_address;
mod clock;
mod connection;
mod connections;
pub(crate) mod data_folder;
mod demo;
mod descriptors;
mod erasure;
mod folder_sizes;
mod geoip;
mod guarded_io;
mod health;
mod listener;
mod log_budget;
pub(crate) mod middleware;
mod opening;
mod rate;
mod request_metrics;
mod sales;
mod signals;
mod site_files;
mod statuses;
mod telemetry;
mod upstream;
mod upstream_pages;
mod worker;

use std::io::Write;
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use tokio::time::timeout;
use tokio_util::sync::CancellationToken;
#[cfg(test)]
use touchline_protocol::limits::Limit;

use crate::admin;
use crate::config::{Config, ConfigError};
use certificate::Certificate;
use connection::TIMEOUTS;
use connections::{Caps, Connections};
use listener::{Bound, Serving};
pub(crate) use opening::{STORE_FILE, source_of, store_file};
use signals::{Signals, StopSignal};
use worker::Worker;

/// The period over which clients are asked to reconnect at shutdown.
const DRAIN_WINDOW: Duration = Duration::from_secs(2);
const LAST_BATCH_TIMEOUT: Duration = Duration::from_secs(10);

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum StopCause {
    /// By SIGTERM or SIGINT.
    Signal,
    /// A component failed; a supervisor restarts the worker.
    Failure,
}

/// Serves until SIGTERM or SIGINT.
///
/// # Errors
/// The reason it cannot start, in one line. It has not listened by then.
pub(crate) async fn run(mut config: Config) -> Result<StopCause, ConfigError> {
    telemetry::log(&config.log)?;
    let descriptors = descriptors::prepare(config.limits.connections);
    config.limits.connections = descriptors.allowed;
    let stop = CancellationToken::new();
    let metrics = telemetry::metrics(stop.clone())?;
    let certificate = config.tls.as_ref().map(Certificate::read).transpose()?;
    let scheme = if certificate.is_some() { "https" } else { "http" };
    if config.channels.is_none() && !config.listen.ip().is_loopback() {
        let why =
            "other machines can reach it, and the demo's account passwords are public: set `channels` to your own";
        return Err(ConfigError(format!("listen {}: {why}, or listen on 127.0.0.1", config.listen)));
    }
    let (public, private) = (Bound::bind("listen", config.listen)?, Bound::bind("admin_listen", config.admin_listen)?);
    let (address, admin_address) = (public.address()?, private.address()?);
    let mut worker = Worker::open(&config, address).await?;
    worker.log_configuration(&config);
    descriptors.log();
    let (public, private) = (public.listen()?, private.listen()?);
    let data_folder_error =
        |error: std::io::Error| ConfigError(format!("data folder {}: {error}", config.data.display()));
    let token = worker.folder.create_token(&*worker.entropy).map_err(data_folder_error)?;
    worker.folder.write_address(admin_address).map_err(data_folder_error)?;

    let admin = admin::router(metrics, worker.operations(), token, admin_address.ip().is_loopback());
    let (middleware, router) = (Arc::clone(&worker.middleware), worker.router());
    let answer = move |request, peer| Arc::clone(&middleware).pass(request, peer, router.clone());
    let serving = Serving {
        tls: certificate.as_ref().map(Certificate::acceptor),
        connections: Connections::new(Caps::of(config.limits.connections, config.limits.connections_per_address)),
        proxies: Arc::clone(&worker.middleware.proxies),
        timeouts: TIMEOUTS,
    };
    let site = listener::serve(public, serving, answer, stop.clone());
    // The verbs still work while the site drains.
    let stop_admin = CancellationToken::new();
    let answer = move |request, _| middleware::route(admin.clone(), request);
    let serving = Serving {
        tls: None,
        connections: Connections::new(Caps::of(ADMIN_CONNECTIONS, ADMIN_CONNECTIONS)),
        proxies: Arc::default(),
        timeouts: TIMEOUTS,
    };
    let admin = listener::serve(private, serving, answer, stop_admin.clone());
    let (site, admin) = (tokio::spawn(site), tokio::spawn(admin));
    // Signals are handled from here on, even for a supervisor that sends one at the first line of stdout.
    let mut signals = Signals::listen();
    announce(scheme, address, admin_address, &worker.demo_accounts());

    let reloads = signals.reloads(certificate.clone(), worker.channels());
    tokio::spawn(stop.clone().run_until_cancelled_owned(reloads));
    if let Some(certificate) = certificate {
        tokio::spawn(certificate.watch(stop.clone()));
    }

    let stop_signal = tokio::select! {
        stop_signal = signals.stop() => Some(stop_signal),
        () = worker.failed() => None,
    };
    if stop_signal == Some(StopSignal::Terminate) {
        // A load balancer removes the worker once it is not ready; until then it sends viewers here.
        tracing::info!(
            seconds = config.drain.as_secs(),
            "the worker is no longer ready, but still serves requests for a while"
        );
        worker.leaving.cancel();
        // A second signal skips the wait.
        let _stopped_again = timeout(config.drain, signals.stop()).await.is_ok();
    }
    let ended = if stop_signal.is_some() { StopCause::Signal } else { StopCause::Failure };
    tracing::info!(?ended, "the worker is shutting down");
    worker.leaving.cancel();
    stop.cancel();
    worker.hub.drain(DRAIN_WINDOW).await;
    let _site_ended = site.await.is_ok();
    worker.close(LAST_BATCH_TIMEOUT).await;
    stop_admin.cancel();
    let _admin_ended = admin.await.is_ok();
    Ok(ended)
}

const ADMIN_CONNECTIONS: usize = 64;

/// Limits, with room for `connections`.
#[cfg(test)]
pub(crate) fn limits(connections: usize) -> Vec<Limit> {
    let mut rows = vec![
        Limit::count("admin.connections", ADMIN_CONNECTIONS as u64, "connections", "Connections to `admin_listen`."),
        Limit::count(
            "files.own",
            descriptors::RESERVED_FILES,
            "file descriptors",
            "File descriptors reserved for the worker's own files.",
        ),
        Limit::time(
            "health.every",
            health::INTERVAL,
            "How often a trial write checks readiness for `/readyz`; every second while not ready.",
        ),
        Limit::time(
            "clock.every",
            clock::COMPARE_INTERVAL,
            "How often the clock is compared with that of a shared database.",
        ),
        Limit::time(
            "folders.every",
            folder_sizes::INTERVAL,
            "How often the lake, clips, reports and emails are measured.",
        ),
        Limit::time("end.drain", DRAIN_WINDOW, "Period over which clients reconnect at shutdown."),
        Limit::time("end.last_batch", LAST_BATCH_TIMEOUT, "Timeout for shipping the last analytics."),
    ];
    rows.extend_from_slice(listener::LIMITS);
    rows.extend_from_slice(connections::LIMITS);
    rows.extend(Caps::of(connections, connections).limits());
    rows.extend_from_slice(connection::LIMITS);
    rows.extend_from_slice(bodies::LIMITS);
    rows.extend_from_slice(middleware::LIMITS);
    rows.extend_from_slice(rate::LIMITS);
    rows.extend_from_slice(log_budget::LIMITS);
    rows.extend_from_slice(client_address::LIMITS);
    rows.extend_from_slice(crate::site::LIMITS);
    rows.extend_from_slice(upstream_pages::LIMITS);
    rows
}

/// Prints the addresses; scripts read the first two lines.
fn announce(scheme: &str, address: SocketAddr, admin: SocketAddr, accounts: &[(String, String)]) {
    let mut lines = format!("touchline listening on {scheme}://{address}\ntouchline admin on http://{admin}\n");
    for (email, password) in accounts {
        lines.push_str(&format!("demo account {email} / {password}\n"));
    }
    let mut out = std::io::stdout().lock();
    // A closed stdout is not an error.
    let _written = out.write_all(lines.as_bytes()).and_then(|()| out.flush()).is_ok();
}
