//! Admission of connections. A connection without a request so far is silent: few of those are allowed, and the oldest
//! is evicted for a new one. Active connections have a much higher limit, since a whole school may share one address
//! (`LIM-7`).

use std::collections::{BTreeMap, HashMap};
use std::future::pending;
use std::net::IpAddr;
use std::sync::Arc;
use std::time::Duration;

use parking_lot::Mutex;
use tokio::time::sleep;
use tokio_util::sync::CancellationToken;
#[cfg(test)]
use touchline_protocol::limits::Limit;

const MAX_SILENT_PER_ADDRESS: usize = 64;
const MAX_SILENT: usize = 2_048;
/// The time in which an evicted connection is still read: its request may have arrived already.
const GRACE_PERIOD: Duration = Duration::from_millis(100);
/// Part of the limits table.
#[cfg(test)]
pub(super) const LIMITS: &[Limit] = &[
    Limit::count(
        "connection.silent_per_address",
        MAX_SILENT_PER_ADDRESS as u64,
        "connections",
        "Connections of one address (IPv6: /64) that have sent no request; the oldest is closed for a new one.",
    ),
    Limit::count(
        "connection.silent",
        MAX_SILENT as u64,
        "connections",
        "All connections that have sent no request; the oldest is closed for a new one.",
    ),
    Limit::time("connection.last_word", GRACE_PERIOD, "How long an evicted connection can still send its request."),
];

#[derive(Debug, Clone, Copy)]
pub(crate) struct Caps {
    pub(crate) total: usize,
    /// Connections of one address that have sent a request.
    pub(crate) per_address: usize,
    /// Connections of one address that have sent none.
    pub(crate) silent_per_address: usize,
    /// All connections that have sent none.
    pub(crate) silent: usize,
    /// Evicted connections that are not closed yet, in addition to the others.
    pub(crate) leaving: usize,
    /// Evicted connections of one address, so that it cannot block others.
    pub(crate) leaving_per_address: usize,
}

/// The part of all connections reserved for evicted ones.
const LEAVING_PART: usize = 8;
/// The part of these for one address.
const LEAVING_PART_PER_ADDRESS: usize = 4;

impl Caps {
    /// The caps for `max` file descriptors, with `per_address` for one address.
    pub(crate) fn of(max: usize, per_address: usize) -> Self {
        let leaving = max / LEAVING_PART;
        Self {
            total: max - leaving,
            per_address,
            silent_per_address: MAX_SILENT_PER_ADDRESS,
            silent: MAX_SILENT,
            leaving,
            leaving_per_address: leaving.div_ceil(LEAVING_PART_PER_ADDRESS),
        }
    }

    /// Limits that depend on the number of connections.
    #[cfg(test)]
    pub(super) fn limits(self) -> [Limit; 2] {
        [
            Limit::count(
                "connection.leaving",
                self.leaving as u64,
                "connections",
                "Evicted connections that are not closed yet, out of `limits.connections`.",
            ),
            Limit::count(
                "connection.leaving_per_address",
                self.leaving_per_address as u64,
                "connections",
                "Evicted connections of one address (IPv6: /64).",
            ),
        ]
    }
}

/// The network that counts as one client: an IPv4 address, or the /64 of an IPv6 address, which is usually one
/// household.
pub(crate) fn network_of(address: IpAddr) -> u128 {
    match address.to_canonical() {
        IpAddr::V4(address) => u128::from(address.to_bits()),
        IpAddr::V6(address) => (address.to_bits() >> 64) << 64,
    }
}

#[derive(Debug)]
pub(crate) struct Connections {
    caps: Caps,
    table: Mutex<Table>,
}

#[derive(Debug, Default)]
struct Table {
    next: u64,
    /// Without those that are leaving.
    open: usize,
    leaving: usize,
    /// By number, oldest first.
    silent: BTreeMap<u64, Silent>,
    addresses: HashMap<u128, Counts>,
}

#[derive(Debug)]
struct Silent {
    network: Option<u128>,
    evicted: CancellationToken,
}

#[derive(Debug, Default)]
struct Counts {
    silent: usize,
    leaving: usize,
    active: usize,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct TooManyConnections;

impl Connections {
    pub(crate) fn new(caps: Caps) -> Arc<Self> {
        Arc::new(Self { caps, table: Mutex::default() })
    }

    /// Admits a new, silent connection. For a trusted proxy `network` is `None`: its clients are counted by request.
    pub(crate) fn enter(self: &Arc<Self>, network: Option<u128>) -> Result<Membership, TooManyConnections> {
        let mut table = self.table.lock();
        let counts_of_address = network.and_then(|network| table.addresses.get(&network));
        let (silent, leaving) = counts_of_address.map_or((0, 0), |counts| (counts.silent, counts.leaving));
        if table.leaving >= self.caps.leaving || leaving >= self.caps.leaving_per_address {
            return Err(TooManyConnections);
        }
        if silent >= self.caps.silent_per_address {
            let oldest = table.silent.iter().find(|(_, silent)| silent.network == network).map(|(id, _)| *id);
            table.evict(oldest);
        }
        if table.silent.len() >= self.caps.silent || table.open >= self.caps.total {
            let oldest = table.silent.keys().next().copied();
            table.evict(oldest);
        }
        if table.open >= self.caps.total {
            return Err(TooManyConnections);
        }
        let id = table.next;
        table.next += 1;
        table.open += 1;
        let evicted = CancellationToken::new();
        table.silent.insert(id, Silent { network, evicted: evicted.clone() });
        if let Some(network) = network {
            table.addresses.entry(network).or_default().silent += 1;
        }
        drop(table);
        Ok(Membership { connections: Arc::clone(self), id, network, evicted, share: Mutex::new(None) })
    }

    #[cfg(test)]
    pub(crate) fn open(&self) -> usize {
        self.table.lock().open
    }

    /// Counts a request forwarded for a client until the share is dropped.
    pub(crate) fn share(self: &Arc<Self>, network: u128) -> Result<Share, TooManyConnections> {
        let mut table = self.table.lock();
        let counts = table.addresses.entry(network).or_default();
        if counts.active >= self.caps.per_address {
            return Err(TooManyConnections);
        }
        counts.active += 1;
        drop(table);
        Ok(Share { connections: Arc::clone(self), network })
    }
}

impl Table {
    /// Evicts a silent connection. Its slot is free immediately; until it is closed it counts as leaving.
    fn evict(&mut self, id: Option<u64>) {
        let Some(silent) = id.and_then(|id| self.silent.remove(&id)) else { return };
        silent.evicted.cancel();
        self.open -= 1;
        self.leaving += 1;
        self.change(silent.network, |counts| counts.leaving += 1);
        self.forget_silent(silent.network);
        metrics::counter!("touchline_connections_closed_total", "why" => "silent_too_many").increment(1);
    }

    fn forget_leaving(&mut self, network: Option<u128>) {
        self.leaving -= 1;
        self.change(network, |counts| counts.leaving -= 1);
    }

    fn forget_silent(&mut self, network: Option<u128>) {
        self.change(network, |counts| counts.silent = counts.silent.saturating_sub(1));
    }

    fn change(&mut self, network: Option<u128>, change: impl FnOnce(&mut Counts)) {
        let Some(network) = network else { return };
        if let Some(counts) = self.addresses.get_mut(&network) {
            change(counts);
            if counts.silent == 0 && counts.leaving == 0 && counts.active == 0 {
                self.addresses.remove(&network);
            }
        }
    }
}

/// A connection's slot, released on drop.
#[derive(Debug)]
pub(crate) struct Membership {
    connections: Arc<Connections>,
    id: u64,
    network: Option<u128>,
    evicted: CancellationToken,
    /// `None` while it is silent, then its share.
    share: Mutex<Option<Result<Option<Share>, TooManyConnections>>>,
}

impl Membership {
    /// Waits until the connection is evicted and has not sent a request during the grace period.
    pub(crate) async fn evicted(&self) {
        self.evicted.cancelled().await;
        sleep(GRACE_PERIOD).await;
        if self.share.lock().is_some() {
            pending::<()>().await;
        }
    }

    /// Records its first request.
    ///
    /// # Errors
    /// Its address has too many active connections.
    pub(crate) fn activate(&self) -> Result<(), TooManyConnections> {
        let mut share = self.share.lock();
        let activation = share.get_or_insert_with(|| {
            let share = self.network.map(|network| self.connections.share(network)).transpose();
            let mut table = self.connections.table.lock();
            if table.silent.remove(&self.id).is_some() {
                table.forget_silent(self.network);
            } else {
                // It sent a request after its eviction, and stays.
                table.forget_leaving(self.network);
                table.open += 1;
            }
            share
        });
        activation.as_ref().map(drop).map_err(|full| *full)
    }
}

impl Drop for Membership {
    fn drop(&mut self) {
        let mut table = self.connections.table.lock();
        if self.evicted.is_cancelled() && self.share.lock().is_none() {
            table.forget_leaving(self.network);
            return;
        }
        table.open -= 1;
        if table.silent.remove(&self.id).is_some() {
            table.forget_silent(self.network);
        }
    }
}

/// A slot for one active connection of an address.
#[derive(Debug)]
pub(crate) struct Share {
    connections: Arc<Connections>,
    network: u128,
}

impl Drop for Share {
    fn drop(&mut self) {
        let mut table = self.connections.table.lock();
        table.change(Some(self.network), |counts| counts.active = counts.active.saturating_sub(1));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn connections(total: usize) -> Arc<Connections> {
        Connections::new(Caps {
            total,
            per_address: 3,
            silent_per_address: 2,
            silent: 4,
            leaving: 3,
            leaving_per_address: 2,
        })
    }

    fn is_evicted(member: &Membership) -> bool {
        member.evicted.is_cancelled()
    }

    #[test]
    fn an_address_over_its_limit_loses_its_oldest_silent_connection() {
        let connections = connections(10);
        let [first, second, third] = [1, 1, 1].map(|network| connections.enter(Some(network)).unwrap());
        assert_eq!([&first, &second, &third].map(is_evicted), [true, false, false]);
        second.activate().unwrap();
        let fourth = connections.enter(Some(1)).unwrap();
        assert_eq!(
            [&second, &third, &fourth].map(is_evicted),
            [false; 3],
            "a connection that has sent a request is not silent"
        );
    }

    #[test]
    fn an_evicted_connection_that_sends_a_request_stays_and_counts() {
        let connections = connections(10);
        let [first, second, _third] = [1, 1, 1].map(|network| connections.enter(Some(network)).unwrap());
        assert_eq!((is_evicted(&first), connections.open()), (true, 2));
        first.activate().unwrap();
        assert_eq!(connections.open(), 3);
        drop(first);
        assert_eq!(connections.open(), 2);
        drop(second);
        assert_eq!(connections.open(), 1);
    }

    #[test]
    fn no_connection_is_admitted_while_too_many_are_leaving() {
        let connections = connections(10);
        let members: Vec<_> = (0..4).map(|_| connections.enter(Some(1)).unwrap()).collect();
        assert_eq!(connections.enter(Some(1)).unwrap_err(), TooManyConnections);
        let others: Vec<_> = (0..3).map(|_| connections.enter(Some(2)).unwrap()).collect();
        assert_eq!(connections.enter(Some(3)).unwrap_err(), TooManyConnections, "three are closing");
        drop((members, others));
        drop(connections.enter(Some(1)).unwrap());
        let table = connections.table.lock();
        assert!(table.addresses.is_empty() && (table.open, table.leaving) == (0, 0), "{table:?}");
    }

    #[test]
    fn the_oldest_silent_connection_is_evicted_over_the_total_limit() {
        let connections = connections(10);
        let members: Vec<_> = (0..6).map(|network| connections.enter(Some(network)).unwrap()).collect();
        assert_eq!(members.iter().map(is_evicted).collect::<Vec<_>>(), [true, true, false, false, false, false]);
    }

    #[test]
    fn a_proxy_may_have_silent_connections_and_its_clients_count_separately() {
        let connections = connections(10);
        let members: Vec<_> = (0..4).map(|_| connections.enter(None).unwrap()).collect();
        assert!(!members.iter().any(is_evicted));
        let shares: Vec<_> = (0..3).map(|_| connections.share(9).unwrap()).collect();
        assert!(connections.share(9).is_err());
        connections.share(8).unwrap();
        drop(shares);
        connections.share(9).unwrap();
    }

    #[test]
    fn active_connections_count_per_address_and_in_total() {
        let connections = connections(4);
        let activation: Vec<_> = (0..3)
            .map(|_| {
                let member = connections.enter(Some(1)).unwrap();
                assert!(member.activate().is_ok() && member.activate().is_ok());
                member
            })
            .collect();
        let one_more = connections.enter(Some(1)).unwrap();
        assert_eq!(one_more.activate(), Err(TooManyConnections));
        let other = connections.enter(Some(2));
        assert_eq!(other.unwrap_err(), TooManyConnections, "all slots are in use");
        drop(activation);
        drop(one_more);
        connections.enter(Some(1)).unwrap().activate().unwrap();
        let table = connections.table.lock();
        assert!(
            table.addresses.is_empty() && table.silent.is_empty() && table.open == 0 && table.leaving == 0,
            "{table:?}"
        );
    }

    #[test]
    fn a_silent_connection_is_evicted_when_all_slots_are_used() {
        let connections = connections(2);
        let activation = connections.enter(Some(1)).unwrap();
        activation.activate().unwrap();
        let silent = connections.enter(Some(2)).unwrap();
        let newer = connections.enter(Some(3)).unwrap();
        assert_eq!([&activation, &silent, &newer].map(is_evicted), [false, true, false]);
    }

    #[test]
    fn addresses_of_a_household_share_one_network() {
        let network = |address: &str| network_of(address.parse().unwrap());
        assert_eq!(network("2001:db8:1:2::1"), network("2001:db8:1:2:ffff::9"));
        assert_ne!(network("2001:db8:1:2::1"), network("2001:db8:1:3::1"));
        assert_eq!(network("::ffff:1.2.3.4"), network("1.2.3.4"));
    }
}
