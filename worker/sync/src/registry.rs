//! Connected sockets, counted by key and address, and found by scope and key.

use std::collections::HashMap;
use std::hash::Hash;
use std::net::IpAddr;
use std::sync::{Arc, OnceLock};

use axum::body::Bytes;
use parking_lot::Mutex;
use tokio::sync::mpsc;
use tokio_util::sync::CancellationToken;
use touchline_protocol::sync::Stream;

use crate::close_reason::CloseReason;
use crate::limits::Limits;
use crate::source::{Identity, Scope};

/// A message from the hub to a socket.
#[derive(Debug)]
pub(crate) enum Push {
    /// A status, serialised once for all receivers.
    Status { stream: Stream, seq: u64, text: Bytes },
    /// The hub missed notices: the socket reads from the source.
    CatchUp,
    /// The worker is shutting down.
    Drain { window_ms: u64 },
}

/// A welcomed socket.
#[derive(Debug)]
pub(crate) struct Member {
    /// Pushes are shared, so that the queue of an idle socket only takes the size of its pointers.
    queue: mpsc::Sender<Arc<Push>>,
    ended: CancellationToken,
    reason: OnceLock<CloseReason>,
}

impl Member {
    /// Queues a push. A full queue closes the socket.
    fn push(&self, push: Arc<Push>) {
        if let Err(mpsc::error::TrySendError::Full(_)) = self.queue.try_send(push) {
            self.end(CloseReason::Slow);
        }
    }

    /// Closes the socket. The first reason counts.
    pub(crate) fn end(&self, reason: CloseReason) {
        self.reason.get_or_init(|| reason);
        self.ended.cancel();
    }

    pub(crate) async fn ended(&self) -> CloseReason {
        self.ended.cancelled().await;
        self.reason.get().copied().unwrap_or(CloseReason::Disconnected)
    }
}

type MemberId = u64;
type Members = HashMap<MemberId, Arc<Member>>;

#[derive(Debug, Default)]
struct Tables {
    next: MemberId,
    connected: usize,
    addresses: HashMap<IpAddr, usize>,
    scopes: HashMap<Scope, Members>,
    keys: HashMap<String, Members>,
}

#[derive(Debug, Default)]
pub(crate) struct Registry {
    tables: Mutex<Tables>,
}

/// Releases a connection when dropped.
#[derive(Debug)]
pub(crate) struct ConnectionGuard {
    registry: Arc<Registry>,
    address: IpAddr,
}

/// Releases a membership when dropped.
#[derive(Debug)]
pub(crate) struct Membership {
    registry: Arc<Registry>,
    id: MemberId,
    key_id: String,
    scopes: Vec<Scope>,
    /// The socket itself.
    pub(crate) member: Arc<Member>,
}

impl Registry {
    /// Counts a new connection.
    pub(crate) fn connect(self: &Arc<Self>, address: IpAddr, limits: &Limits) -> Result<ConnectionGuard, CloseReason> {
        let mut tables = self.tables.lock();
        let count = tables.addresses.get(&address).copied().unwrap_or_default();
        if count >= limits.per_address || tables.connected >= limits.total {
            return Err(CloseReason::TooMany);
        }
        tables.addresses.insert(address, count + 1);
        tables.connected += 1;
        metrics::gauge!("touchline_sync_sockets").set(tables.connected as f64);
        Ok(ConnectionGuard { registry: Arc::clone(self), address })
    }

    /// Registers an authenticated connection, which receives changes from now on.
    pub(crate) fn register(
        self: &Arc<Self>,
        identity: &Identity,
        limits: &Limits,
    ) -> Result<(Membership, mpsc::Receiver<Arc<Push>>), CloseReason> {
        let (queue, inbox) = mpsc::channel(limits.queue);
        let member = Arc::new(Member { queue, ended: CancellationToken::new(), reason: OnceLock::new() });
        let mut scopes = vec![Scope::Channel(identity.channel_key.clone())];
        scopes.extend(identity.user.map(Scope::User));

        let mut tables = self.tables.lock();
        if tables.keys.get(&identity.key_id).is_some_and(|members| members.len() >= limits.per_key) {
            return Err(CloseReason::TooMany);
        }
        let id = tables.next;
        tables.next += 1;
        tables.keys.entry(identity.key_id.clone()).or_default().insert(id, Arc::clone(&member));
        for scope in &scopes {
            tables.scopes.entry(scope.clone()).or_default().insert(id, Arc::clone(&member));
        }
        drop(tables);
        Ok((Membership { registry: Arc::clone(self), id, key_id: identity.key_id.clone(), scopes, member }, inbox))
    }

    /// Sends to everyone in `scope`. The push is only built if somebody listens.
    pub(crate) fn push(&self, scope: &Scope, push: impl FnOnce() -> Push) {
        let tables = self.tables.lock();
        if let Some(members) = tables.scopes.get(scope) {
            let push = Arc::new(push());
            members.values().for_each(|member| member.push(Arc::clone(&push)));
        }
    }

    pub(crate) fn push_to_all(&self, push: Push) {
        let push = Arc::new(push);
        self.tables.lock().keys.values().flat_map(Members::values).for_each(|member| member.push(Arc::clone(&push)));
    }

    /// Closes every socket of a key.
    pub(crate) fn end_key(&self, key_id: &str, reason: CloseReason) {
        self.tables.lock().keys.get(key_id).into_iter().flat_map(Members::values).for_each(|member| member.end(reason));
    }

    /// Number of connections, welcomed or not.
    pub(crate) fn connected(&self) -> usize {
        self.tables.lock().connected
    }
}

impl Drop for ConnectionGuard {
    fn drop(&mut self) {
        let mut tables = self.registry.tables.lock();
        tables.connected -= 1;
        metrics::gauge!("touchline_sync_sockets").set(tables.connected as f64);
        if let Some(count) = tables.addresses.get_mut(&self.address) {
            *count -= 1;
            if *count == 0 {
                tables.addresses.remove(&self.address);
            }
        }
    }
}

impl Drop for Membership {
    fn drop(&mut self) {
        let mut tables = self.registry.tables.lock();
        remove(&mut tables.keys, &self.key_id, self.id);
        for scope in &self.scopes {
            remove(&mut tables.scopes, scope, self.id);
        }
    }
}

/// Removes a member from its row, and the row if it is empty then.
fn remove<K: Hash + Eq>(tables: &mut HashMap<K, Members>, key: &K, id: MemberId) {
    if let Some(members) = tables.get_mut(key) {
        members.remove(&id);
        if members.is_empty() {
            tables.remove(key);
        }
    }
}
