//! Who is connected, counted by key and address, found by scope and key.

use std::collections::HashMap;
use std::hash::Hash;
use std::net::IpAddr;
use std::sync::{Arc, OnceLock};

use axum::body::Bytes;
use parking_lot::Mutex;
use tokio::sync::mpsc;
use tokio_util::sync::CancellationToken;
use touchline_protocol::sync::Stream;

use crate::ending::Ending;
use crate::limits::Limits;
use crate::source::{Identity, Scope};

/// What a seat is told by the hub.
#[derive(Debug)]
pub(crate) enum Push {
    /// A status, made into text once for all of its readers.
    Status { stream: Stream, seq: u64, text: Bytes },
    /// The hub missed notices: read on from the source.
    ReadOn,
    /// The worker shuts down.
    Drain { window_ms: u64 },
}

/// One welcomed socket.
#[derive(Debug)]
pub(crate) struct Seat {
    /// Shared pushes: the queue of an idle socket has room for several, and each is as small as a pointer.
    queue: mpsc::Sender<Arc<Push>>,
    ended: CancellationToken,
    ending: OnceLock<Ending>,
}

impl Seat {
    /// Hands it a push; a full queue ends it.
    fn push(&self, push: Arc<Push>) {
        if let Err(mpsc::error::TrySendError::Full(_)) = self.queue.try_send(push) {
            self.end(Ending::Slow);
        }
    }

    /// Ends it. The first ending counts.
    pub(crate) fn end(&self, ending: Ending) {
        self.ending.get_or_init(|| ending);
        self.ended.cancel();
    }

    /// Waits for its end.
    pub(crate) async fn ended(&self) -> Ending {
        self.ended.cancelled().await;
        self.ending.get().copied().unwrap_or(Ending::Gone)
    }
}

type SeatId = u64;
type Row = HashMap<SeatId, Arc<Seat>>;

#[derive(Debug, Default)]
struct Rows {
    next: SeatId,
    connected: usize,
    addresses: HashMap<IpAddr, usize>,
    scopes: HashMap<Scope, Row>,
    keys: HashMap<String, Row>,
}

/// Everyone who is connected.
#[derive(Debug, Default)]
pub(crate) struct Seats {
    rows: Mutex<Rows>,
}

/// Gives the place of a connection back when it is dropped.
#[derive(Debug)]
pub(crate) struct Entrance {
    seats: Arc<Seats>,
    address: IpAddr,
}

/// Gives a seat back when it is dropped.
#[derive(Debug)]
pub(crate) struct Ticket {
    seats: Arc<Seats>,
    id: SeatId,
    key_id: String,
    scopes: Vec<Scope>,
    /// The seat itself.
    pub(crate) seat: Arc<Seat>,
}

impl Seats {
    /// Counts a new connection.
    pub(crate) fn enter(self: &Arc<Self>, address: IpAddr, limits: &Limits) -> Result<Entrance, Ending> {
        let mut rows = self.rows.lock();
        let here = rows.addresses.get(&address).copied().unwrap_or_default();
        if here >= limits.per_address || rows.connected >= limits.total {
            return Err(Ending::TooMany);
        }
        rows.addresses.insert(address, here + 1);
        rows.connected += 1;
        metrics::gauge!("touchline_sync_sockets").set(rows.connected as f64);
        Ok(Entrance { seats: Arc::clone(self), address })
    }

    /// Seats a connection whose key was good. From here on it is told of changes.
    pub(crate) fn take(
        self: &Arc<Self>,
        identity: &Identity,
        limits: &Limits,
    ) -> Result<(Ticket, mpsc::Receiver<Arc<Push>>), Ending> {
        let (queue, inbox) = mpsc::channel(limits.queue);
        let seat = Arc::new(Seat { queue, ended: CancellationToken::new(), ending: OnceLock::new() });
        let mut scopes = vec![Scope::Channel(identity.channel_key.clone())];
        scopes.extend(identity.user.map(Scope::User));

        let mut rows = self.rows.lock();
        if rows.keys.get(&identity.key_id).is_some_and(|row| row.len() >= limits.per_key) {
            return Err(Ending::TooMany);
        }
        let id = rows.next;
        rows.next += 1;
        rows.keys.entry(identity.key_id.clone()).or_default().insert(id, Arc::clone(&seat));
        for scope in &scopes {
            rows.scopes.entry(scope.clone()).or_default().insert(id, Arc::clone(&seat));
        }
        drop(rows);
        Ok((Ticket { seats: Arc::clone(self), id, key_id: identity.key_id.clone(), scopes, seat }, inbox))
    }

    /// Tells everyone in `scope`; the push is made only when somebody listens.
    pub(crate) fn tell(&self, scope: &Scope, push: impl FnOnce() -> Push) {
        let rows = self.rows.lock();
        if let Some(row) = rows.scopes.get(scope) {
            let push = Arc::new(push());
            row.values().for_each(|seat| seat.push(Arc::clone(&push)));
        }
    }

    /// Tells everyone.
    pub(crate) fn tell_all(&self, push: Push) {
        let push = Arc::new(push);
        self.rows.lock().keys.values().flat_map(Row::values).for_each(|seat| seat.push(Arc::clone(&push)));
    }

    /// Ends every socket of a key.
    pub(crate) fn end_key(&self, key_id: &str, ending: Ending) {
        self.rows.lock().keys.get(key_id).into_iter().flat_map(Row::values).for_each(|seat| seat.end(ending));
    }

    /// How many connections there are, welcomed or not.
    pub(crate) fn connected(&self) -> usize {
        self.rows.lock().connected
    }
}

impl Drop for Entrance {
    fn drop(&mut self) {
        let mut rows = self.seats.rows.lock();
        rows.connected -= 1;
        metrics::gauge!("touchline_sync_sockets").set(rows.connected as f64);
        if let Some(here) = rows.addresses.get_mut(&self.address) {
            *here -= 1;
            if *here == 0 {
                rows.addresses.remove(&self.address);
            }
        }
    }
}

impl Drop for Ticket {
    fn drop(&mut self) {
        let mut rows = self.seats.rows.lock();
        leave(&mut rows.keys, &self.key_id, self.id);
        for scope in &self.scopes {
            leave(&mut rows.scopes, scope, self.id);
        }
    }
}

/// Takes a seat out of its row, and an empty row with it.
fn leave<K: Hash + Eq>(rows: &mut HashMap<K, Row>, key: &K, id: SeatId) {
    if let Some(row) = rows.get_mut(key) {
        row.remove(&id);
        if row.is_empty() {
            rows.remove(key);
        }
    }
}
