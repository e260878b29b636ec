//! Connections over real sockets, with short timeouts (`LIM-7`).

use axum::body::Bytes;
use axum::response::IntoResponse;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::time::sleep;

use super::super::answer::PausableBody;
use super::super::connection::CHECK_INTERVAL;
use super::super::connections::Caps;
use super::*;

/// The longest wait for an expected event.
const SOON: Duration = Duration::from_secs(20);
/// Longer than any test.
const LONG: Duration = Duration::from_secs(60);
const SHORT: Duration = Duration::from_millis(500);
const GENEROUS: &Timeouts =
    &Timeouts { first_request: LONG, idle: LONG, unread: LONG, unread_beside: LONG, paused: LONG };
const SHORT_FIRST_REQUEST: &Timeouts = &Timeouts { first_request: SHORT, ..*GENEROUS };
const SHORT_IDLE: &Timeouts = &Timeouts { idle: SHORT, ..*GENEROUS };
const SHORT_UNREAD: &Timeouts = &Timeouts { unread: SHORT, ..*GENEROUS };
const SHORT_UNREAD_BESIDE: &Timeouts = &Timeouts { unread_beside: SHORT, ..*GENEROUS };
const SHORT_IDLE_AND_UNREAD: &Timeouts = &Timeouts { idle: SHORT, unread: SHORT, ..*GENEROUS };
/// More than the buffers between worker and client can hold.
const LARGE: usize = 32 << 20;
const PREFACE: &[u8] = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n\0\0\0\x04\0\0\0\0\0";

struct Server {
    address: SocketAddr,
    connections: Arc<Connections>,
}

async fn answer(request: Request) -> Response {
    let large = || Bytes::from(vec![b'x'; LARGE]);
    match request.uri().path() {
        "/large" => large().into_response(),
        "/medium" => (axum::Extension(PausableBody), large()).into_response(),
        "/waits" => {
            sleep(Duration::from_secs(2)).await;
            "at last".into_response()
        }
        _ => "here".into_response(),
    }
}

async fn start(caps: Caps, proxies: Proxies, tls: Option<TlsAcceptor>, timeouts: &'static Timeouts) -> Server {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let (address, connections) = (listener.local_addr().unwrap(), Connections::new(caps));
    let serving = Serving { tls, connections: Arc::clone(&connections), proxies: Arc::new(proxies), timeouts };
    tokio::spawn(serve(listener, serving, |request, _| answer(request), CancellationToken::new()));
    Server { address, connections }
}

impl Server {
    async fn start_default(timeouts: &'static Timeouts) -> Self {
        start(Caps::of(100, 100), Proxies::default(), None, timeouts).await
    }

    async fn connect(&self, bytes: &[u8]) -> TcpStream {
        let mut stream = TcpStream::connect(self.address).await.unwrap();
        stream.write_all(bytes).await.unwrap();
        stream
    }

    async fn wait_for_open(&self, wanted: usize) {
        let started = Instant::now();
        while self.connections.open() != wanted {
            assert!(started.elapsed() < SOON, "{} are open, not {wanted}", self.connections.open());
            sleep(Duration::from_millis(5)).await;
        }
    }

    fn url(&self, path: &str) -> String {
        format!("http://{}{path}", self.address)
    }
}

fn builder() -> reqwest::ClientBuilder {
    let _installed = rustls::crypto::ring::default_provider().install_default().is_err();
    reqwest::Client::builder().no_proxy()
}

fn http2_client() -> reqwest::Client {
    builder().http2_prior_knowledge().build().unwrap()
}

/// Reads to the end of a connection that the worker must close.
async fn read_until_closed(mut stream: TcpStream) -> Vec<u8> {
    let mut read = Vec::new();
    // A reset is also an end.
    let _ended = timeout(SOON, stream.read_to_end(&mut read)).await.expect("it stays open");
    read
}

#[tokio::test]
async fn a_connection_without_a_complete_request_is_closed() {
    let server = Server::start_default(SHORT_FIRST_REQUEST).await;
    for bytes in [&b""[..], b"P", b"PRI * HTTP/2.0", b"GET / HT", PREFACE] {
        read_until_closed(server.connect(bytes).await).await;
    }
    server.wait_for_open(0).await;
}

#[tokio::test]
async fn a_connection_without_a_request_after_the_handshake_is_closed() {
    let _installed = rustls::crypto::ring::default_provider().install_default().is_err();
    let file = |name: &str| format!("{}/tests/worker/tls/{name}.pem", env!("CARGO_MANIFEST_DIR")).into();
    let files = crate::config::TlsFiles { cert: file("cert"), key: file("key") };
    let certificate = super::super::certificate::Certificate::read(&files).unwrap();
    // Long enough for the handshake on a busy machine.
    const TIMEOUTS: &Timeouts = &Timeouts { first_request: Duration::from_secs(3), ..*GENEROUS };
    let server = start(Caps::of(100, 100), Proxies::default(), Some(certificate.acceptor()), TIMEOUTS).await;

    let mut roots = rustls::RootCertStore::empty();
    let pem = std::fs::read(&files.cert).unwrap();
    roots.add(rustls::pki_types::pem::PemObject::from_pem_slice(&pem).unwrap()).unwrap();
    let config = rustls::ClientConfig::builder().with_root_certificates(roots).with_no_client_auth();
    let connector = tokio_rustls::TlsConnector::from(Arc::new(config));
    let stream = TcpStream::connect(server.address).await.unwrap();
    let mut stream = connector.connect("localhost".try_into().unwrap(), stream).await.unwrap();
    let _ended = timeout(SOON, stream.read_to_end(&mut Vec::new())).await.expect("it stays open");
    server.wait_for_open(0).await;
}

#[tokio::test]
async fn an_idle_http_2_connection_is_closed_and_the_next_request_opens_another() {
    let (server, client) = (Server::start_default(SHORT_IDLE).await, http2_client());
    for _ in 0..2 {
        assert_eq!(client.get(server.url("/")).send().await.unwrap().text().await.unwrap(), "here");
        server.wait_for_open(0).await;
    }
}

#[tokio::test]
async fn an_unread_response_closes_its_connection_even_if_others_are_read() {
    let server = Server::start_default(SHORT_UNREAD_BESIDE).await;
    let client = http2_client();
    let withheld = client.get(server.url("/large")).send().await.unwrap();
    let started = Instant::now();
    while started.elapsed() < CHECK_INTERVAL + SHORT * 2 {
        // A request in flight as the connection closes gets no response.
        if client.get(server.url("/")).send().await.is_err() {
            break;
        }
        sleep(SHORT / 5).await;
    }
    assert!(withheld.bytes().await.is_err());
}

/// All viewers of a school connect at the same moment: each request is read before the connection is evicted for a
/// newer one.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn simultaneous_clients_are_all_answered() {
    let server = start(Caps::of(20_000, 2_000), Proxies::default(), None, GENEROUS).await;
    let address = server.address;
    let clients: Vec<_> = (0..600)
        .map(|_| {
            std::thread::spawn(move || {
                use std::io::{Read, Write};
                let mut stream = std::net::TcpStream::connect(address)?;
                stream.write_all(b"GET / HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n")?;
                let mut read = String::new();
                stream.read_to_string(&mut read).map(|_| read)
            })
        })
        .collect();
    let answers = clients.into_iter().map(|client| client.join().unwrap());
    let lost: Vec<_> = answers.filter(|answer| !answer.as_ref().is_ok_and(|read| read.ends_with("here"))).collect();
    assert!(lost.is_empty(), "{} of 600 were not answered: {:?}", lost.len(), lost.first());
}

#[tokio::test]
async fn a_client_that_never_reads_is_closed_and_a_paused_player_is_not() {
    let server = Server::start_default(SHORT_UNREAD).await;
    let client = http2_client();
    let mut paused = server.connect(b"GET /medium HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n").await;
    let mut unread = server.connect(b"GET /large HTTP/1.1\r\nhost: x\r\n\r\n").await;
    for stream in [&mut paused, &mut unread] {
        // The response has begun; nothing is read from here on.
        stream.read_exact(&mut [0]).await.unwrap();
    }
    let withheld = client.get(server.url("/large")).send().await.unwrap();
    server.wait_for_open(1).await;
    assert!(read_until_closed(unread).await.len() < LARGE);
    assert!(withheld.bytes().await.is_err());

    sleep(SHORT * 3).await;
    assert_eq!(server.connections.open(), 1);
    let mut read = Vec::new();
    timeout(SOON, paused.read_to_end(&mut read)).await.unwrap().unwrap();
    assert!(read.len() > LARGE, "{}", read.len());
}

#[tokio::test]
async fn a_slow_response_is_not_cut_off() {
    let server = Server::start_default(SHORT_IDLE_AND_UNREAD).await;
    let one = builder().http1_only().build().unwrap();
    for client in [one, http2_client()] {
        assert_eq!(client.get(server.url("/waits")).send().await.unwrap().text().await.unwrap(), "at last");
    }
}

#[tokio::test]
async fn silent_connections_are_evicted_for_newer_ones_and_active_ones_stay() {
    let caps = Caps { silent_per_address: 4, ..Caps::of(100, 100) };
    let server = start(caps, Proxies::default(), None, GENEROUS).await;
    let client = http2_client();
    assert_eq!(client.get(server.url("/")).send().await.unwrap().status(), 200);
    let mut silent = Vec::new();
    for _ in 0..20 {
        silent.push(server.connect(b"").await);
        assert!(server.connections.open() <= 6);
    }
    assert_eq!(client.get(server.url("/")).send().await.unwrap().status(), 200);
}

#[tokio::test]
async fn connections_are_limited_per_address_and_per_client_behind_a_proxy() {
    let get = |client: &str| {
        format!("GET /waits HTTP/1.1\r\nhost: x\r\nconnection: close\r\nx-forwarded-for: {client}\r\n\r\n")
    };
    let status = async |stream| String::from_utf8(read_until_closed(stream).await).unwrap()[9..12].to_owned();
    for (trusted, other_status) in [(vec![], "429"), (vec!["127.0.0.0/8".parse().unwrap()], "200")] {
        let server = start(Caps::of(100, 2), Proxies { trusted, ..Proxies::default() }, None, GENEROUS).await;
        let first = [server.connect(get("9.9.9.9").as_bytes()).await, server.connect(get("9.9.9.9").as_bytes()).await];
        sleep(Duration::from_millis(100)).await;
        assert_eq!(status(server.connect(get("9.9.9.9").as_bytes()).await).await, "429");
        assert_eq!(status(server.connect(get("8.8.8.8").as_bytes()).await).await, other_status);
        for stream in first {
            assert_eq!(status(stream).await, "200");
        }
        server.wait_for_open(0).await;
        assert_eq!(status(server.connect(get("9.9.9.9").as_bytes()).await).await, "200");
    }
}
