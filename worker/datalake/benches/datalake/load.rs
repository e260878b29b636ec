//! 64 clients, each on its own connection, each sending its next request after the previous answer.

use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;

use touchline_protocol::ambient::{Entropy, SeededEntropy, SystemEntropy};

use super::events::Client;
use super::systems::Server;
use super::wire::{Request, Wire};

const CLIENTS: usize = 64;
/// Requests that a client builds before it starts.
const REQUESTS_PER_CLIENT: usize = 16;

/// The result of a load.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Load {
    pub(crate) events_per_s: f64,
    pub(crate) p50_ms: f64,
    pub(crate) p99_ms: f64,
    /// Events sent in all, including the warm-up.
    pub(crate) events: u64,
}

struct Connection {
    stream: TcpStream,
    wire: Wire,
    answer: Vec<u8>,
}

impl Connection {
    async fn open(address: SocketAddr, wire: Wire, batch: usize) -> Self {
        let stream = TcpStream::connect(address).await.unwrap();
        stream.set_nodelay(true).unwrap();
        let mut connection = Self { stream, wire, answer: Vec::with_capacity(16 << 10) };
        for greeting in wire.greeting(batch) {
            connection.request(&greeting, batch).await;
        }
        connection
    }

    async fn request(&mut self, request: &[u8], batch: usize) {
        self.stream.write_all(request).await.unwrap();
        self.answer.clear();
        loop {
            let read = self.stream.read_buf(&mut self.answer).await.unwrap();
            assert!(read > 0, "the server hung up: {}", String::from_utf8_lossy(&self.answer));
            if self.wire.is_answered(&self.answer, batch) {
                return;
            }
        }
    }
}

/// A client's requests, sent in turn with new ids.
struct Requests {
    requests: Vec<Request>,
    next: usize,
    entropy: Arc<SeededEntropy>,
}

impl Requests {
    fn of(number: usize, wire: Wire, batch: usize) -> Self {
        let mut client = Client::new(number);
        let requests = (0..REQUESTS_PER_CLIENT).map(|_| wire.request(&mut client, batch)).collect();
        Self { requests, next: 0, entropy: SeededEntropy::new(SystemEntropy.next_u64()) }
    }

    fn next(&mut self) -> &[u8] {
        self.next = (self.next + 1) % self.requests.len();
        self.requests[self.next].renewed(&self.entropy)
    }
}

#[derive(Default)]
struct SendResult {
    requests: u64,
    waits: Vec<Duration>,
}

async fn send(number: usize, target: (SocketAddr, Wire), batch: usize, from: Instant, until: Instant) -> SendResult {
    let mut connection = Connection::open(target.0, target.1, batch).await;
    let mut requests = Requests::of(number, target.1, batch);
    let mut sent = SendResult::default();
    loop {
        let request = requests.next();
        let sent_at = Instant::now();
        if sent_at >= until {
            return sent;
        }
        connection.request(request, batch).await;
        let answered = Instant::now();
        sent.requests += 1;
        if sent_at >= from && answered <= until {
            sent.waits.push(answered - sent_at);
        }
    }
}

fn runtime() -> tokio::runtime::Runtime {
    tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build().unwrap()
}

/// Sends requests of `batch` events during the warm-up and the measurement.
#[expect(clippy::cast_precision_loss, reason = "counts far below 2^53")]
pub(crate) fn send_for(server: &Server, batch: usize, warm_up: Duration, measured: Duration) -> Load {
    let (target, begin) = ((server.address(), server.wire()), Instant::now());
    let (from, until) = (begin + warm_up, begin + warm_up + measured);
    let runtime = runtime();
    let clients: Vec<_> = (0..CLIENTS).map(|number| runtime.spawn(send(number, target, batch, from, until))).collect();
    let mut all = SendResult::default();
    for client in clients {
        let sent = runtime.block_on(client).unwrap();
        all.requests += sent.requests;
        all.waits.extend(sent.waits);
    }
    all.waits.sort_unstable();
    let ms = |percent: usize| {
        let at = all.waits.get(all.waits.len().saturating_sub(1) * percent / 100);
        at.map_or(f64::NAN, |wait| wait.as_secs_f64() * 1000.0)
    };
    Load {
        events_per_s: (all.waits.len() * batch) as f64 / measured.as_secs_f64(),
        p50_ms: ms(50),
        p99_ms: ms(99),
        events: all.requests * batch as u64,
    }
}

/// Sends `events` in requests of `batch`, calling `look` twice a second. Returns the duration.
pub(crate) fn send_total(address: SocketAddr, batch: usize, events: u64, mut look: impl FnMut()) -> Duration {
    let begin = Instant::now();
    let remaining = Arc::new(AtomicU64::new(events / batch as u64));
    let runtime = runtime();
    let clients: Vec<_> = (0..CLIENTS)
        .map(|number| {
            let remaining = Arc::clone(&remaining);
            runtime.spawn(async move {
                let mut connection = Connection::open(address, Wire::Http, batch).await;
                let mut requests = Requests::of(number, Wire::Http, batch);
                while remaining
                    .fetch_update(Ordering::Relaxed, Ordering::Relaxed, |remaining| remaining.checked_sub(1))
                    .is_ok()
                {
                    connection.request(requests.next(), batch).await;
                }
            })
        })
        .collect();
    while clients.iter().any(|client| !client.is_finished()) {
        look();
        std::thread::sleep(Duration::from_millis(500));
    }
    for client in clients {
        runtime.block_on(client).unwrap();
    }
    begin.elapsed()
}
