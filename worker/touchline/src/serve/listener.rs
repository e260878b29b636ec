//! Connections: accepted within limits, with TLS if configured, and closed in order or after a timeout (`LIM-7`).

use std::convert::Infallible;
use std::io;
use std::net::SocketAddr;
use std::pin::pin;
use std::sync::Arc;
use std::time::Duration;

use axum::body::Body;
use axum::extract::Request;
use axum::http::{HeaderValue, StatusCode, header};
use axum::response::Response;
use hyper::body::Incoming;
use hyper::service::service_fn;
use hyper_util::rt::{TokioExecutor, TokioIo, TokioTimer};
use hyper_util::server::conn::auto::Builder;
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::{TcpListener, TcpSocket, TcpStream};
use tokio::time::{Instant, sleep_until, timeout};
use tokio_rustls::TlsAcceptor;
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;
use touchline_protocol::codes::ErrorCode;
#[cfg(test)]
use touchline_protocol::limits::Limit;

use super::answer::{Answer, PendingRequest};
use super::client_address::Proxies;
use super::connection::{Connection, Overdue, Timeouts};
use super::connections::{Connections, TooManyConnections, network_of};
use super::guarded_io::GuardedIo;
use crate::config::ConfigError;
use crate::error_response::error_response;

/// The time limit for the headers of a request.
const HEADERS_TIMEOUT: Duration = Duration::from_secs(10);
const HANDSHAKE_TIMEOUT: Duration = Duration::from_secs(10);
/// The time limit for responses in progress at shutdown.
const SHUTDOWN_TIMEOUT: Duration = Duration::from_secs(10);
/// The pause after a failed accept, for example without a free file descriptor.
const ACCEPT_PAUSE: Duration = Duration::from_millis(100);
/// The time for an idle client to close its connection after a graceful shutdown.
const CLOSE_TIMEOUT: Duration = Duration::from_secs(5);
const STREAMS_PER_CONNECTION: u32 = 64;
/// The send buffer of one HTTP/2 response, in bytes.
const STREAM_BUFFER: usize = 16 * 1024;
/// The read buffer of an HTTP/1 connection, in bytes, and so the size limit of request headers.
const READ_BUFFER: usize = 32 * 1024;
const BACKLOG: u32 = 1024;
/// Part of the limits table.
#[cfg(test)]
pub(super) const LIMITS: &[Limit] = &[
    Limit::time("connection.headers", HEADERS_TIMEOUT, "Timeout for the headers of a request."),
    Limit::time("connection.handshake", HANDSHAKE_TIMEOUT, "Timeout for the TLS handshake."),
    Limit::count(
        "connection.streams",
        STREAMS_PER_CONNECTION as u64,
        "requests",
        "Concurrent requests on one HTTP/2 connection.",
    ),
    Limit::bytes("connection.stream_buffer", STREAM_BUFFER as u64, "Send buffer of one HTTP/2 response."),
    Limit::bytes(
        "connection.read_buffer",
        READ_BUFFER as u64,
        "The read buffer of an HTTP/1 connection, and so the limit for its headers.",
    ),
    Limit::count("connection.backlog", BACKLOG as u64, "connections", "Connections waiting to be accepted."),
    Limit::time("end.last_answers", SHUTDOWN_TIMEOUT, "Timeout for responses in progress at shutdown."),
];

/// A bound address that is not listened on yet: clients are not left waiting by a worker that fails to start.
pub(crate) struct Bound {
    setting: &'static str,
    socket: TcpSocket,
    requested: SocketAddr,
}

impl Bound {
    /// Binds the address of a setting.
    pub(crate) fn bind(setting: &'static str, address: SocketAddr) -> Result<Self, ConfigError> {
        let socket = if address.is_ipv4() { TcpSocket::new_v4() } else { TcpSocket::new_v6() };
        let socket = socket.and_then(|socket| {
            // After a restart, the port may still have connections that are closing.
            socket.set_reuseaddr(true)?;
            socket.bind(address)?;
            Ok(socket)
        });
        let socket = socket.map_err(|error| fault(setting, address, &error))?;
        Ok(Self { setting, socket, requested: address })
    }

    /// The address, with the actual port.
    pub(crate) fn address(&self) -> Result<SocketAddr, ConfigError> {
        self.socket.local_addr().map_err(|error| fault(self.setting, self.requested, &error))
    }

    pub(crate) fn listen(self) -> Result<TcpListener, ConfigError> {
        self.socket.listen(BACKLOG).map_err(|error| fault(self.setting, self.requested, &error))
    }
}

fn fault(setting: &str, address: SocketAddr, error: &io::Error) -> ConfigError {
    ConfigError(format!("{setting}: {address}: {error}"))
}

#[derive(Clone)]
pub(crate) struct Serving {
    pub(crate) tls: Option<TlsAcceptor>,
    pub(crate) connections: Arc<Connections>,
    /// The proxies whose forwarded addresses are trusted.
    pub(crate) proxies: Arc<Proxies>,
    pub(crate) timeouts: &'static Timeouts,
}

/// Serves until `stop`, then lets responses in progress finish. `answer` receives each request with the address of the
/// peer. A connection beyond the limit is closed unread.
pub(crate) async fn serve<A, F>(listener: TcpListener, serving: Serving, answer: A, stop: CancellationToken)
where
    A: Fn(Request, SocketAddr) -> F + Clone + Send + Sync + 'static,
    F: Future<Output = Response> + Send + 'static,
{
    let mut builder = Builder::new(TokioExecutor::new());
    builder
        .http1()
        .timer(TokioTimer::new())
        .header_read_timeout(HEADERS_TIMEOUT)
        // By default, read buffers grow to 400 KiB for each client that sends fast.
        .max_buf_size(READ_BUFFER);
    builder
        .http2()
        .timer(TokioTimer::new())
        .keep_alive_interval(Duration::from_secs(20))
        .max_concurrent_streams(STREAMS_PER_CONNECTION)
        .max_send_buf_size(STREAM_BUFFER);
    let tasks = TaskTracker::new();
    while let Some(accepted) = stop.run_until_cancelled(listener.accept()).await {
        let (stream, peer) = match accepted {
            Ok(accepted) => accepted,
            Err(error) => {
                tracing::warn!(%error, "a connection could not be accepted");
                tokio::time::sleep(ACCEPT_PAUSE).await;
                continue;
            }
        };
        let address = peer.ip().to_canonical();
        let network = (!serving.proxies.trusts(address)).then(|| network_of(address));
        let Ok(membership) = serving.connections.enter(network) else {
            metrics::counter!("touchline_connections_refused_total").increment(1);
            continue;
        };
        let connection = Connection::new(membership, serving.timeouts);
        let (serving, builder, answer, stop) = (serving.clone(), builder.clone(), answer.clone(), stop.clone());
        tasks.spawn(async move {
            let opened = tokio::select! {
                opened = open(stream, serving.tls.clone(), &connection) => opened,
                () = connection.evicted() => return,
            };
            match opened {
                Ok(stream) => serve_connection(stream, peer, connection, serving, &builder, answer, stop).await,
                Err(error) => tracing::debug!(%error, "a handshake failed"),
            }
        });
    }
    drop(listener);
    tasks.close();
    if timeout(SHUTDOWN_TIMEOUT, tasks.wait()).await.is_err() {
        tracing::warn!("some responses were not finished in time");
    }
}

/// Serves one connection until the client closes it, the worker shuts down, or it times out.
async fn serve_connection<A, F>(
    stream: Box<dyn Stream>,
    peer: SocketAddr,
    connection: Arc<Connection>,
    serving: Serving,
    builder: &Builder<TokioExecutor>,
    answer: A,
    stop: CancellationToken,
) where
    A: Fn(Request, SocketAddr) -> F + Clone + Send + 'static,
    F: Future<Output = Response> + Send + 'static,
{
    let service_connection = Arc::clone(&connection);
    let service = service_fn(move |request: Request<Incoming>| {
        let (connection, serving, answer) = (Arc::clone(&service_connection), serving.clone(), answer.clone());
        async move { Ok::<_, Infallible>(respond(request, peer, &connection, &serving, answer).await) }
    });
    let mut served = pin!(builder.serve_connection_with_upgrades(TokioIo::new(stream), service));
    let mut is_closing = false;
    loop {
        let due = match connection.check(Instant::now()) {
            Ok(due) => due,
            Err(Overdue::Idle) if !is_closing => {
                served.as_mut().graceful_shutdown();
                is_closing = true;
                Instant::now() + CLOSE_TIMEOUT
            }
            Err(reason) => {
                metrics::counter!("touchline_connections_closed_total", "why" => reason.name()).increment(1);
                return;
            }
        };
        tokio::select! {
            ended = served.as_mut() => {
                if let Err(error) = ended {
                    tracing::debug!(%error, "a connection broke");
                }
                return;
            }
            () = sleep_until(due) => {}
            () = connection.evicted() => return,
            () = stop.cancelled(), if !is_closing => {
                served.as_mut().graceful_shutdown();
                is_closing = true;
            }
        }
    }
}

/// Returns the response to a request, or 429 if its client has too many connections.
async fn respond<A, F>(
    request: Request<Incoming>,
    peer: SocketAddr,
    connection: &Arc<Connection>,
    serving: &Serving,
    answer: A,
) -> Response<Answer>
where
    A: Fn(Request, SocketAddr) -> F,
    F: Future<Output = Response>,
{
    let work = PendingRequest::begin(connection);
    let client = serving.proxies.forwarded(peer, request.headers());
    let share = client.map(|client| serving.connections.share(network_of(client))).transpose();
    let response = match (connection.is_counted(), &share) {
        (Ok(()), Ok(_)) => answer(request.map(Body::new), peer).await,
        (Err(TooManyConnections), _) | (_, Err(TooManyConnections)) => too_many(),
    };
    work.respond(response, share.ok().flatten())
}

fn too_many() -> Response {
    let mut response = error_response(StatusCode::TOO_MANY_REQUESTS, ErrorCode::TooMany, "Too many connections.");
    response.headers_mut().insert(header::RETRY_AFTER, HeaderValue::from_static("10"));
    response.headers_mut().insert(header::CONNECTION, HeaderValue::from_static("close"));
    response
}

trait Stream: AsyncRead + AsyncWrite + Send + Unpin {}
impl<S: AsyncRead + AsyncWrite + Send + Unpin> Stream for S {}

async fn open(
    stream: TcpStream,
    tls: Option<TlsAcceptor>,
    connection: &Arc<Connection>,
) -> io::Result<Box<dyn Stream>> {
    stream.set_nodelay(true)?;
    let stream = GuardedIo::new(stream, Arc::clone(connection));
    let Some(tls) = tls else { return Ok(Box::new(stream)) };
    let stream = timeout(HANDSHAKE_TIMEOUT, tls.accept(stream)).await??;
    connection.opened();
    Ok(Box::new(stream))
}

#[cfg(test)]
mod tests;
