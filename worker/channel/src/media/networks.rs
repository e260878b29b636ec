//! Limits on the number of networks that use one address at once, so that a published address is of little use.

use std::net::IpAddr;

use foldhash::HashMap;
use parking_lot::Mutex;
use touchline_protocol::limits::Limit;

/// Maximum number of networks that use an address at once: a phone that switches between two, and a receiver.
pub const NETWORKS_MAX: usize = 3;
/// Period after its latest request in which a network counts, in milliseconds.
pub const COUNTS_FOR_MS: i64 = 60_000;
/// Maximum number of addresses tracked, about 5 MB. Above it the oldest are counted afresh.
pub const CAPACITY: usize = 50_000;

pub(crate) const LIMITS: &[Limit] = &[
    Limit::count(
        "media.networks",
        NETWORKS_MAX as u64,
        "networks",
        "Networks that may use one signed address at once.",
    ),
    Limit::millis("media.network", COUNTS_FOR_MS as u64, "How long a network counts after its latest request."),
    Limit::count("media.addresses", CAPACITY as u64, "addresses", "Signed addresses whose networks are counted."),
];

/// A network and the time of its latest request.
type LastRequest = (u64, i64);

/// Networks in use, by address.
#[derive(Debug, Default)]
pub(super) struct Networks(Mutex<Generations>);

/// Two generations of addresses in use. An address that is unused for a whole generation is dropped with it, so that no
/// search is needed.
#[derive(Debug, Default)]
struct Generations {
    current: HashMap<u64, [LastRequest; NETWORKS_MAX]>,
    earlier: HashMap<u64, [LastRequest; NETWORKS_MAX]>,
    started_ms: i64,
}

impl Networks {
    /// Records a request. Returns whether its network may use `address` (a hash of it).
    pub(super) fn admits(&self, address: u64, from: IpAddr, now_ms: i64) -> bool {
        self.0.lock().admits(CAPACITY, address, network(from), now_ms)
    }
}

impl Generations {
    fn admits(&mut self, capacity: usize, address: u64, network: u64, now_ms: i64) -> bool {
        if now_ms.saturating_sub(self.started_ms) > COUNTS_FOR_MS || self.current.len() >= capacity / 2 {
            self.earlier = std::mem::take(&mut self.current);
            self.started_ms = now_ms;
        }
        let earlier = &mut self.earlier;
        let unused = [(0, i64::MIN); NETWORKS_MAX];
        let slots = self.current.entry(address).or_insert_with(|| earlier.remove(&address).unwrap_or(unused));
        let is_free = |&(_, at): &LastRequest| now_ms.saturating_sub(at) > COUNTS_FOR_MS;
        let slot =
            slots.iter().position(|one| one.0 == network && !is_free(one)).or_else(|| slots.iter().position(is_free));
        slot.map(|slot| slots[slot] = (network, now_ms)).is_some()
    }
}

/// Returns an IPv4 address, or the /64 of an IPv6 address, which one household shares.
fn network(address: IpAddr) -> u64 {
    match address.to_canonical() {
        IpAddr::V4(address) => u64::from(address.to_bits()),
        IpAddr::V6(address) => (address.to_bits() >> 64) as u64,
    }
}

/// Returns whether an address is local, private or otherwise not public. The worker must not follow somebody else's URL
/// to such an address.
pub(crate) fn is_private(address: IpAddr) -> bool {
    match address.to_canonical() {
        IpAddr::V4(v4) => {
            let [a, b, ..] = v4.octets();
            v4.is_loopback()
                || v4.is_private()
                || v4.is_link_local()
                || v4.is_unspecified()
                || v4.is_broadcast()
                || v4.is_multicast()
                || v4.is_documentation()
                || a == 0
                || a >= 240
                || (a == 100 && (64..128).contains(&b))
                || (a == 198 && (18..20).contains(&b))
                || v4.octets()[..3] == [192, 0, 0]
        }
        IpAddr::V6(v6) => {
            let [first, second, ..] = v6.segments();
            // Addresses that embed an IPv4 address: NAT64, 6to4, Teredo.
            let holds_another = first == 0x64 && second == 0xff9b || first == 0x2002 || first == 0x2001 && second == 0;
            !(0x2000..0x4000).contains(&first) || (first == 0x2001 && second == 0xdb8) || holds_another
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_fourth_network_is_refused_until_another_is_idle() {
        let networks = Networks::default();
        let from = |last: u8, now_ms| networks.admits(9, IpAddr::from([192, 0, 2, last]), now_ms);
        assert!(from(1, 0) && from(2, 10) && from(3, 20));
        assert!(!from(4, 30));
        assert!(networks.admits(10, IpAddr::from([192, 0, 2, 4]), 30), "another address");
        assert!(from(2, 50_000) && from(3, 50_000));
        assert!(!from(4, COUNTS_FOR_MS));
        assert!(from(4, COUNTS_FOR_MS + 1), "the first one is idle");
        assert!(!from(1, COUNTS_FOR_MS + 1));
        assert!(from(2, COUNTS_FOR_MS + 2) && from(3, COUNTS_FOR_MS + 2), "the others stay counted");
    }

    #[test]
    fn addresses_outside_the_internet_are_private() {
        for text in [
            "127.0.0.1",
            "10.1.2.3",
            "172.16.0.1",
            "192.168.1.1",
            "169.254.169.254",
            "0.0.0.0",
            "100.64.0.1",
            "224.0.0.1",
            "255.255.255.255",
            "::1",
            "::",
            "fe80::1",
            "fd00::1",
            "::ffff:127.0.0.1",
            "ff02::1",
            "64:ff9b::7f00:1",
            "2002:7f00:1::",
            "198.18.0.1",
        ] {
            assert!(is_private(text.parse().unwrap()), "{text}");
        }
        for text in ["93.184.216.34", "100.128.0.1", "172.32.0.1", "2606:2800:220:1::1", "192.0.1.1"] {
            assert!(!is_private(text.parse().unwrap()), "{text}");
        }
    }

    #[test]
    fn an_ipv6_household_is_one_network() {
        let networks = Networks::default();
        let from = |text: &str| networks.admits(9, text.parse().unwrap(), 0);
        assert!(["2001:db8::1", "2001:db8::2", "2001:db8::3", "2001:db8::4"].into_iter().all(from));
        assert!(from("2001:db8:0:1::1") && from("192.0.2.1"));
        assert!(!from("2001:db8:0:2::1"));
    }

    #[test]
    fn the_number_of_tracked_addresses_is_bounded() {
        let mut generations = Generations::default();
        for address in 0..1000 {
            assert!(generations.admits(10, address, 1, 0));
            assert!(generations.current.len() + generations.earlier.len() <= 10);
        }
    }
}
