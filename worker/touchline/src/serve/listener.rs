//! Connections: accepted, bounded, by TLS where it is configured, and ended in order.

use std::convert::Infallible;
use std::io;
use std::net::SocketAddr;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use axum::body::Body;
use axum::extract::Request;
use axum::response::Response;
use hyper::body::Incoming;
use hyper::service::service_fn;
use hyper_util::rt::{TokioExecutor, TokioIo, TokioTimer};
use hyper_util::server::conn::auto::Builder;
use hyper_util::server::graceful::GracefulShutdown;
use rustls::ServerConfig;
use rustls::pki_types::pem::PemObject;
use rustls::pki_types::{CertificateDer, PrivateKeyDer};
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::{TcpListener, TcpSocket, TcpStream};
use tokio::sync::Semaphore;
use tokio::time::timeout;
use tokio_rustls::TlsAcceptor;
use tokio_util::sync::CancellationToken;

use crate::config::{ConfigError, TlsFiles};

/// How long a client may take to say what it wants.
const HEADERS_WITHIN: Duration = Duration::from_secs(10);
/// How long the TLS handshake may take.
const HANDSHAKE_WITHIN: Duration = Duration::from_secs(10);
/// How long answers under way may take when the worker ends.
const LAST_ANSWERS_WITHIN: Duration = Duration::from_secs(10);
/// How long to wait when no connection can be accepted, as with no file descriptor left.
const ACCEPT_PAUSE: Duration = Duration::from_millis(100);
const STREAMS_PER_CONNECTION: u32 = 128;
/// How many connections may wait to be accepted.
const BACKLOG: u32 = 1024;

/// An address that is taken and not yet listened on: nobody is kept waiting by a worker that cannot begin.
pub(crate) struct Bound {
    setting: &'static str,
    socket: TcpSocket,
    asked: SocketAddr,
}

impl Bound {
    /// Takes an address that `setting` named.
    pub(crate) fn take(setting: &'static str, address: SocketAddr) -> Result<Self, ConfigError> {
        let socket = if address.is_ipv4() { TcpSocket::new_v4() } else { TcpSocket::new_v6() };
        let socket = socket.and_then(|socket| {
            // A worker that was just restarted finds its port in the hands of connections that are ending.
            socket.set_reuseaddr(true)?;
            socket.bind(address)?;
            Ok(socket)
        });
        let socket = socket.map_err(|error| fault(setting, address, &error))?;
        Ok(Self { setting, socket, asked: address })
    }

    /// The address, with the port that was picked.
    pub(crate) fn address(&self) -> Result<SocketAddr, ConfigError> {
        self.socket.local_addr().map_err(|error| fault(self.setting, self.asked, &error))
    }

    /// Listens.
    pub(crate) fn listen(self) -> Result<TcpListener, ConfigError> {
        self.socket.listen(BACKLOG).map_err(|error| fault(self.setting, self.asked, &error))
    }
}

fn fault(setting: &str, address: SocketAddr, error: &io::Error) -> ConfigError {
    ConfigError(format!("{setting}: {address}: {error}"))
}

/// Reads certificate and key.
pub(crate) fn tls(files: &TlsFiles) -> Result<TlsAcceptor, ConfigError> {
    let fault = |setting: &str, file: &Path, fault: &dyn std::fmt::Display| {
        ConfigError(format!("{setting}: {}: {fault}", file.display()))
    };
    let certificates = CertificateDer::pem_file_iter(&files.cert)
        .and_then(Iterator::collect::<Result<Vec<_>, _>>)
        .map_err(|error| fault("tls.cert", &files.cert, &error))?;
    if certificates.is_empty() {
        return Err(fault("tls.cert", &files.cert, &"no certificate in it"));
    }
    let key = PrivateKeyDer::from_pem_file(&files.key).map_err(|error| fault("tls.key", &files.key, &error))?;
    let mut config = ServerConfig::builder()
        .with_no_client_auth()
        .with_single_cert(certificates, key)
        .map_err(|error| fault("tls.key", &files.key, &error))?;
    config.alpn_protocols = vec![b"h2".to_vec(), b"http/1.1".to_vec()];
    Ok(TlsAcceptor::from(Arc::new(config)))
}

/// Serves until `stop`, then lets answers under way end: `answer` is given each request with the address of the other
/// end of its connection. At most `connections` are open at once; one more is closed unheard.
pub(crate) async fn serve<A, F>(
    listener: TcpListener,
    tls: Option<TlsAcceptor>,
    answer: A,
    connections: usize,
    stop: CancellationToken,
) where
    A: Fn(Request, SocketAddr) -> F + Clone + Send + 'static,
    F: Future<Output = Response> + Send + 'static,
{
    let places = Arc::new(Semaphore::new(connections.min(Semaphore::MAX_PERMITS)));
    let graceful = GracefulShutdown::new();
    let mut builder = Builder::new(TokioExecutor::new());
    builder.http1().timer(TokioTimer::new()).header_read_timeout(HEADERS_WITHIN);
    builder
        .http2()
        .timer(TokioTimer::new())
        .keep_alive_interval(Duration::from_secs(20))
        .max_concurrent_streams(STREAMS_PER_CONNECTION);
    while let Some(accepted) = stop.run_until_cancelled(listener.accept()).await {
        let (stream, other_end) = match accepted {
            Ok(accepted) => accepted,
            Err(error) => {
                tracing::warn!(%error, "a connection could not be accepted");
                tokio::time::sleep(ACCEPT_PAUSE).await;
                continue;
            }
        };
        let Ok(place) = Arc::clone(&places).try_acquire_owned() else {
            metrics::counter!("touchline_connections_refused_total").increment(1);
            continue;
        };
        let answer = answer.clone();
        let service = service_fn(move |request: Request<Incoming>| {
            let answered = answer(request.map(Body::new), other_end);
            async move { Ok::<_, Infallible>(answered.await) }
        });
        let (tls, builder, watcher) = (tls.clone(), builder.clone(), graceful.watcher());
        tokio::spawn(async move {
            let _place = place;
            let stream = match open(stream, tls).await {
                Ok(stream) => stream,
                Err(error) => {
                    tracing::debug!(%error, "a handshake failed");
                    return;
                }
            };
            let connection = builder.serve_connection_with_upgrades(TokioIo::new(stream), service).into_owned();
            if let Err(error) = watcher.watch(connection).await {
                tracing::debug!(%error, "a connection broke");
            }
        });
    }
    drop(listener);
    if timeout(LAST_ANSWERS_WITHIN, graceful.shutdown()).await.is_err() {
        tracing::warn!("some answers were not finished in time");
    }
}

trait Stream: AsyncRead + AsyncWrite + Send + Unpin {}
impl<S: AsyncRead + AsyncWrite + Send + Unpin> Stream for S {}

async fn open(stream: TcpStream, tls: Option<TlsAcceptor>) -> io::Result<Box<dyn Stream>> {
    stream.set_nodelay(true)?;
    match tls {
        None => Ok(Box::new(stream)),
        Some(tls) => Ok(Box::new(timeout(HANDSHAKE_WITHIN, tls.accept(stream)).await??)),
    }
}
