//! A proxy that can hold a request, so that a kill hits a known state.

use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use parking_lot::Mutex;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::Notify;

/// The extent to which a held request passes.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Hold {
    /// At most this many bytes reach the server.
    Request(usize),
    /// The server answers, but the client does not receive the answer.
    Answer,
}

#[derive(Default)]
struct ProxyState {
    behind: Mutex<Option<SocketAddr>>,
    /// The start of the request to hold next, and how to hold it.
    next_hold: Mutex<Option<(&'static str, Hold)>>,
    reached: Notify,
    released: Notify,
}

/// A listening proxy.
pub(crate) struct FlakyServer {
    pub(crate) address: SocketAddr,
    shared: Arc<ProxyState>,
}

impl FlakyServer {
    /// Starts without a target: connections are refused.
    pub(crate) async fn new() -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap();
        let shared = Arc::new(ProxyState::default());
        let passing = Arc::clone(&shared);
        tokio::spawn(async move {
            while let Ok((client, _)) = listener.accept().await {
                tokio::spawn(pass(client, Arc::clone(&passing)));
            }
        });
        Self { address, shared }
    }

    pub(crate) fn lead_to(&self, server: SocketAddr) {
        *self.shared.behind.lock() = Some(server);
    }

    /// Holds the next request that starts with `request`.
    pub(crate) fn hold(&self, request: &'static str, how: Hold) {
        *self.shared.next_hold.lock() = Some((request, how));
    }

    /// Waits until a request is held.
    pub(crate) async fn until_holding(&self) {
        tokio::time::timeout(Duration::from_secs(20), self.shared.reached.notified()).await.unwrap();
    }

    /// Closes both connections of the held request.
    pub(crate) fn release(&self) {
        self.shared.released.notify_waiters();
    }
}

impl ProxyState {
    /// The start of the held request in what was read, and how it is held.
    fn holds(&self, read: &[u8]) -> Option<(usize, Hold)> {
        let mut next_hold = self.next_hold.lock();
        let (request, how) = (*next_hold)?;
        let at = read.windows(request.len()).position(|bytes| bytes == request.as_bytes())?;
        *next_hold = None;
        Some((at, how))
    }

    async fn stand_still(&self) {
        let released = self.released.notified();
        self.reached.notify_one();
        released.await;
    }
}

/// If one end closes, the other is closed too.
async fn pass(client: TcpStream, shared: Arc<ProxyState>) {
    let Some(behind) = *shared.behind.lock() else { return };
    let Ok(server) = TcpStream::connect(behind).await else { return };
    let (mut from_client, mut to_client) = client.into_split();
    let (mut from_server, mut to_server) = server.into_split();
    let withheld = AtomicBool::new(false);
    let requests = async {
        let mut buffer = vec![0; 64 << 10];
        while let Ok(read @ 1..) = from_client.read(&mut buffer).await {
            let mut passed = &buffer[..read];
            match shared.holds(passed) {
                Some((at, Hold::Request(bytes))) => {
                    passed = &passed[..read.min(at + bytes)];
                    // A server that is gone receives nothing, which is fine.
                    let _ = to_server.write_all(passed).await;
                    shared.stand_still().await;
                    return;
                }
                Some((_, Hold::Answer)) => withheld.store(true, Ordering::SeqCst),
                None => {}
            }
            if to_server.write_all(passed).await.is_err() {
                return;
            }
        }
    };
    let answers = async {
        let mut buffer = vec![0; 64 << 10];
        while let Ok(read @ 1..) = from_server.read(&mut buffer).await {
            if withheld.load(Ordering::SeqCst) {
                shared.stand_still().await;
                return;
            }
            if to_client.write_all(&buffer[..read]).await.is_err() {
                return;
            }
        }
    };
    tokio::select! {
        () = requests => {}
        () = answers => {}
    }
}
