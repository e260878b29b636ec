//! The cost of many clients: sockets, silent connections, stalled bodies (`LIM-7`, `LIM-8`, `SYNC`). `make soak` runs
//! the full numbers, `make test` a tenth or less.

use std::net::{IpAddr, SocketAddr};
use std::time::Duration;

use futures_util::{SinkExt, StreamExt};
use reqwest::StatusCode;
use serde_json::{Value, json};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpSocket, TcpStream};
use tokio::task::JoinSet;
use tokio::time::{Instant, sleep, timeout};
use tokio_tungstenite::tungstenite::Message;
use tokio_tungstenite::tungstenite::protocol::WebSocketConfig;
use tokio_tungstenite::{WebSocketStream, client_async_with_config};

use crate::support::{SOON, Worker, eventually, folder, touchline};

/// The number in the variable, or a quick default.
fn count(variable: &str, quick: usize) -> usize {
    std::env::var(variable).map_or(quick, |count| count.parse().unwrap())
}

/// Connects from a given loopback address.
async fn connect_from(address: [u8; 4], worker: &str) -> std::io::Result<TcpStream> {
    let socket = TcpSocket::new_v4()?;
    socket.bind(SocketAddr::from((address, 0)))?;
    socket.connect(worker.parse().unwrap()).await
}

/// A socket that has received its welcome.
async fn connect_socket(address: &str, key: &str) -> WebSocketStream<TcpStream> {
    let stream = TcpStream::connect(address).await.unwrap();
    let small = WebSocketConfig::default().read_buffer_size(4096).write_buffer_size(0);
    let (mut socket, _) = client_async_with_config(format!("ws://{address}/sync"), stream, Some(small)).await.unwrap();
    let hello = json!({ "t": "hello", "v": 1, "api_key": key });
    socket.send(Message::text(hello.to_string())).await.unwrap();
    let Some(Ok(Message::Text(welcome))) = timeout(SOON, socket.next()).await.unwrap() else { panic!("no welcome") };
    assert_eq!(serde_json::from_str::<Value>(&welcome).unwrap()["t"], "welcome");
    socket
}

/// Opens this many sockets, which stay open and answer pings until the set is dropped.
async fn open_sockets(worker: &Worker, key: &str, count: usize) -> JoinSet<()> {
    let (mut opening, mut open) = (JoinSet::new(), JoinSet::new());
    for at in 0..count {
        let (address, key) = (worker.address.clone(), key.to_owned());
        opening.spawn(async move { connect_socket(&address, &key).await });
        // No more than the silent connections allowed to one address.
        let at_once = if at + 1 == count { 0 } else { 32 };
        while opening.len() > at_once {
            let mut socket = opening.join_next().await.unwrap().unwrap();
            open.spawn(async move {
                while let Some(Ok(frame)) = socket.next().await {
                    if frame.to_text().is_ok_and(|text| text.contains("\"ping\"")) {
                        socket.send(Message::text(json!({ "t": "pong" }).to_string())).await.unwrap();
                    }
                }
            });
        }
    }
    open
}

/// The worker's memory at rest, in bytes: the minimum once it has not fallen for a second.
async fn at_rest(worker: &Worker) -> u64 {
    let (started, mut least, mut since) = (Instant::now(), worker.resident(), Instant::now());
    while since.elapsed() < Duration::from_secs(1) && started.elapsed() < SOON {
        sleep(Duration::from_millis(100)).await;
        let now = worker.resident();
        if now < least {
            (least, since) = (now, Instant::now());
        }
    }
    least
}

/// Shows LIM-9.
#[tokio::test]
async fn an_idle_status_socket_uses_little_memory() {
    // Other work changes the worker's memory by a few MiB, which matters with few sockets; `make soak` opens 10,000.
    const MAX_BYTES: u64 = if cfg!(debug_assertions) { 100 } else { 12 } * 1024;
    let sockets = count("TOUCHLINE_LOAD_SOCKETS", 500);
    let (_folder, data) = folder();
    let line = [
        ["--limits-sockets-per-address", "20000"],
        ["--limits-sockets-per-key", "10000"],
        // The call for the key also needs a connection.
        ["--limits-connections-per-address", "20000"],
        ["--limits-calls-per-minute", "1000000"],
    ]
    .concat();
    // Makes the allocator return freed memory immediately.
    let mut command = touchline(data.parent().unwrap());
    command.env("MIMALLOC_PURGE_DELAY", "0");
    let worker = Worker::start_by(command, &data, &line);
    let key = worker.key().await;
    // One-time costs do not count: the first sockets stay open, and the next ones are measured.
    let _first = open_sockets(&worker, &worker.key().await, sockets.min(500)).await;
    let before = at_rest(&worker).await;
    let mut open = open_sockets(&worker, &key, sockets).await;
    let each = at_rest(&worker).await.saturating_sub(before) / sockets as u64;
    println!("{sockets} sockets: {each} bytes each, {} KiB before", before / 1024);
    assert!(open.try_join_next().is_none(), "a socket was closed");
    assert!(each <= MAX_BYTES, "{each} bytes a socket");
}

/// Requests the home page on a new connection and returns the time it took.
async fn home_page(worker: &str, address: [u8; 4]) -> Duration {
    let started = Instant::now();
    let mut stream = connect_from(address, worker).await.unwrap();
    stream.write_all(b"GET / HTTP/1.1\r\nhost: 127.0.0.1\r\nconnection: close\r\n\r\n").await.unwrap();
    let mut page = Vec::new();
    timeout(SOON, stream.read_to_end(&mut page)).await.expect("the page comes").unwrap();
    assert!(page.starts_with(b"HTTP/1.1 200"), "{}", String::from_utf8_lossy(&page));
    started.elapsed()
}

/// p99 load time of the home page, with `viewers` clients making ten requests each.
async fn slowest(worker: &Worker, viewers: usize) -> Duration {
    let mut loading = JoinSet::new();
    for viewer in 0..viewers {
        let worker = worker.address.clone();
        loading.spawn(async move {
            let mut times = Vec::new();
            for _ in 0..10 {
                times.push(home_page(&worker, [127, 0, 1, viewer as u8]).await);
            }
            times
        });
    }
    let mut times = loading.join_all().await.concat();
    times.sort_unstable();
    times[times.len() * 99 / 100]
}

/// Shows LIM-7b.
#[tokio::test]
async fn silent_connections_of_one_address_block_nobody() {
    let (silent, viewers) = (count("TOUCHLINE_LOAD_SILENT", 200), count("TOUCHLINE_LOAD_VIEWERS", 20));
    let (_folder, data) = folder();
    // Fewer connections than silent clients, so that keeping silent ones would exhaust them.
    let worker = Worker::start(&data, &["--limits-connections", &(silent * 3 / 4).to_string()]);
    slowest(&worker, viewers).await;
    let idle = slowest(&worker, viewers).await;
    let mut connections = Vec::new();
    for _ in 0..silent {
        connections.push(connect_from([127, 0, 0, 2], &worker.address).await.unwrap());
    }
    let under_load = slowest(&worker, viewers).await;
    println!("{silent} silent: p99 {under_load:?}, idle {idle:?}");
    // With twenty viewers on a busy machine the time says little; `make soak` checks it.
    if viewers >= 200 {
        assert!(under_load <= idle * 2, "{under_load:?} beside {idle:?}");
    }

    // An evicted connection is still read for a moment.
    let started = Instant::now();
    loop {
        let mut open = 0;
        for stream in &mut connections {
            open += usize::from(timeout(Duration::from_millis(1), stream.read(&mut [0])).await.is_err());
        }
        if open <= 64 {
            break;
        }
        assert!(started.elapsed() < SOON, "{open} silent connections are held");
    }
}

/// The status of the answer on a connection, which stays open.
async fn status_on(stream: &mut TcpStream, request: &str) -> String {
    stream.write_all(request.as_bytes()).await.unwrap();
    let mut answer = [0; 12];
    timeout(SOON, stream.read_exact(&mut answer)).await.expect("an answer comes").unwrap();
    String::from_utf8_lossy(&answer[9..]).into_owned()
}

/// Shows LIM-7d: connections with a request count per address, and end with their client.
#[tokio::test]
async fn each_address_has_its_number_of_connections_with_a_request() {
    let (_folder, data) = folder();
    let worker = Worker::start(&data, &["--limits-connections-per-address", "3"]);
    let request = "GET /healthz HTTP/1.1\r\nhost: 127.0.0.1\r\n\r\n";
    let from = async |last: u8| connect_from([127, 0, 4, last], &worker.address).await.unwrap();
    let mut connections = [from(1).await, from(1).await, from(1).await];
    for stream in &mut connections {
        assert_eq!(status_on(stream, request).await, "200");
    }
    assert_eq!(status_on(&mut from(1).await, request).await, "429");
    assert_eq!(status_on(&mut from(2).await, request).await, "200", "another address has connections of its own");
    drop(connections);
    eventually("its connections are counted no more", async || {
        (status_on(&mut from(1).await, request).await == "200").then_some(())
    })
    .await;
}

/// Shows LIM-7e: requests through a trusted proxy count for the address that it forwards.
#[tokio::test]
async fn a_trusted_proxys_connections_count_for_its_clients() {
    let (_folder, data) = folder();
    let flags = ["--limits-connections-per-address", "2", "--trusted-proxies", "127.0.0.0/8"];
    let worker = Worker::start(&data, &flags);
    let mut waiting = Vec::new();
    for client in ["10.0.0.1", "10.0.0.1", "10.0.0.2"] {
        let mut stream = TcpStream::connect(&worker.address).await.unwrap();
        // An answer is under way as long as its body is missing. The second status shows that the first was read.
        let head = "POST /datalake/batch HTTP/1.1\r\nhost: 127.0.0.1\r\nexpect: 100-continue\r\ncontent-length: 9\r\n";
        assert_eq!(status_on(&mut stream, &format!("{head}x-forwarded-for: {client}\r\n\r\n")).await, "100");
        waiting.push(stream);
    }
    for (client, status) in [("10.0.0.1", "429"), ("10.0.0.2", "200"), ("10.0.0.3", "200")] {
        let mut stream = TcpStream::connect(&worker.address).await.unwrap();
        let request = format!("GET /healthz HTTP/1.1\r\nhost: 127.0.0.1\r\nx-forwarded-for: {client}\r\n\r\n");
        assert_eq!(status_on(&mut stream, &request).await, status, "{client}");
    }
}

/// Shows LIM-8a, LIM-8b.
#[tokio::test]
async fn stalled_bodies_stay_within_their_budget() {
    const MIB: u64 = 1 << 20;
    /// The number of 1 MiB bodies within an address's budget.
    const PER_ADDRESS: usize = 4;
    let stalled = count("TOUCHLINE_LOAD_BODIES", 100);
    let (_folder, data) = folder();
    let worker = Worker::start(&data, &[]);
    worker.key().await;
    let before = worker.resident();
    let mut connections = Vec::new();
    for at in 0..stalled {
        // From several addresses, each with a budget of its own.
        let mut stream = connect_from([127, 0, 2, (at % 10) as u8 + 1], &worker.address).await.unwrap();
        let head = "POST /datalake/batch HTTP/1.1\r\nhost: 127.0.0.1\r\ncontent-length: 1048576\r\n\r\n";
        stream.write_all(head.as_bytes()).await.unwrap();
        // The worker may close a refused connection before everything is written.
        let _all = timeout(SOON, stream.write_all(&vec![b' '; MIB as usize - 1])).await.unwrap().is_ok();
        connections.push(stream);
    }
    let used = worker.resident().saturating_sub(before);
    println!("{stalled} stalled bodies: {} MiB", used / MIB);
    // Connections whose bodies are held in memory have no response yet.
    eventually("bodies over the budget are refused", async || {
        let mut waiting = 0;
        for stream in &connections {
            waiting += usize::from(timeout(Duration::from_millis(1), stream.readable()).await.is_err());
        }
        (waiting <= 10 * PER_ADDRESS).then_some(())
    })
    .await;
    // Memory use also depends on allocator and kernel, so only many bodies are conclusive.
    if stalled >= 600 {
        assert!(used <= 200 * MIB, "{} MiB", used / MIB);
    }
    worker.key().await;

    // An announced body that is too large is refused before it is read, and without a 100 Continue.
    for more in ["", "expect: 100-continue\r\n"] {
        let mut stream = TcpStream::connect(&worker.address).await.unwrap();
        let head = format!("POST /api/get_api_key HTTP/1.1\r\nhost: 127.0.0.1\r\n{more}content-length: 16385\r\n\r\n");
        stream.write_all(head.as_bytes()).await.unwrap();
        let mut answer = [0; 12];
        timeout(SOON, stream.read_exact(&mut answer)).await.unwrap().unwrap();
        assert_eq!(&answer, b"HTTP/1.1 413");
    }
}

/// Shows LIM-8b: the bodies of an address only count against that address, and are released when they end.
#[tokio::test]
async fn each_address_has_a_separate_budget_for_bodies() {
    const BODY: usize = 1 << 20;
    let (_folder, data) = folder();
    let worker = Worker::start(&data, &[]);
    let key = worker.key().await;
    let head = format!("POST /datalake/batch HTTP/1.1\r\nhost: 127.0.0.1\r\ncontent-length: {BODY}\r\n\r\n");
    let stalled = async |address: [u8; 4]| {
        let mut stream = connect_from(address, &worker.address).await.unwrap();
        stream.write_all(head.as_bytes()).await.unwrap();
        let _all = timeout(SOON, stream.write_all(&vec![b' '; BODY - 1])).await.unwrap().is_ok();
        stream
    };
    let (greedy, other) = ([127, 0, 3, 1], [127, 0, 3, 2]);
    let mut connections = JoinSet::new();
    for _ in 0..5 {
        let mut stream = stalled(greedy).await;
        connections.spawn(async move {
            let mut answer = [0; 12];
            stream.read_exact(&mut answer).await.unwrap();
            (answer, stream)
        });
    }
    // The worker refuses the last one it reads.
    let (answer, refused) = timeout(SOON, connections.join_next()).await.unwrap().unwrap().unwrap();
    assert_eq!(&answer, b"HTTP/1.1 429");
    let batch = async |address: [u8; 4]| {
        let from = reqwest::Client::builder().local_address(IpAddr::from(address)).build().unwrap();
        let body = json!({ "api_key": key, "events": [], "x": " ".repeat(BODY / 2) }).to_string();
        from.post(worker.url("/datalake/batch")).body(body).send().await.unwrap().status()
    };
    assert_ne!(batch(other).await, StatusCode::TOO_MANY_REQUESTS, "another address has a separate budget");
    drop((connections, refused));
    eventually("requests from the address succeed again", async || {
        (batch(greedy).await != StatusCode::TOO_MANY_REQUESTS).then_some(())
    })
    .await;
}

/// Shows LIM-8b: the bodies of all addresses together are limited, with 4 MiB of each.
#[tokio::test]
async fn the_bodies_of_all_addresses_have_a_common_budget() {
    const BODY: usize = 1 << 20;
    let (_folder, data) = folder();
    let worker = Worker::start(&data, &[]);
    let head = format!("POST /datalake/batch HTTP/1.1\r\nhost: 127.0.0.1\r\ncontent-length: {BODY}\r\n\r\n");
    let mut connections = JoinSet::new();
    for at in 0..132 {
        let mut stream = connect_from([127, 0, 5, at / 4 + 1], &worker.address).await.unwrap();
        let head = head.clone();
        connections.spawn(async move {
            stream.write_all(head.as_bytes()).await.unwrap();
            let _all = stream.write_all(&vec![b' '; BODY - 1]).await.is_ok();
            let mut answer = [0; 12];
            stream.read_exact(&mut answer).await.unwrap();
            answer
        });
    }
    let answer = timeout(SOON, connections.join_next()).await.unwrap().unwrap().unwrap();
    assert_eq!(&answer, b"HTTP/1.1 503");
}
