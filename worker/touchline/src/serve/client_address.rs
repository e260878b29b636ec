//! The client's address and country behind proxies. Only trusted proxies are believed; without a country from them, the
//! GeoIP file decides.

use std::net::{IpAddr, SocketAddr};

use axum::http::{HeaderMap, HeaderName};
use ipnet::IpNet;
#[cfg(test)]
use touchline_protocol::limits::Limit;

use super::geoip::{GeoIp, is_country};

const FORWARDED_FOR: HeaderName = HeaderName::from_static("x-forwarded-for");
const FORWARDED_PROTO: HeaderName = HeaderName::from_static("x-forwarded-proto");
/// Longer chains of proxies are cut off.
const MAX_PROXIES: usize = 16;
/// Part of the limits table.
#[cfg(test)]
pub(super) const LIMITS: &[Limit] =
    &[Limit::count("proxies", MAX_PROXIES as u64, "proxies", "Forwarded addresses that are read.")];

#[derive(Debug, Default)]
pub(crate) struct Proxies {
    pub(crate) trusted: Vec<IpNet>,
    pub(crate) country_header: Option<HeaderName>,
    pub(crate) geoip: Option<GeoIp>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Origin {
    pub(crate) address: IpAddr,
    /// ISO 3166-1 alpha-2, upper case.
    pub(crate) country: Option<String>,
    /// Whether the client's own connection is encrypted, according to a trusted proxy.
    pub(crate) https: bool,
}

impl Proxies {
    pub(crate) fn origin_of(&self, peer: SocketAddr, headers: &HeaderMap) -> Origin {
        let peer = peer.ip().to_canonical();
        if !self.trusts(peer) {
            return Origin { address: peer, country: self.country_of(peer), https: false };
        }
        let address = self.first_untrusted(peer, headers);
        let country = self.country_header.as_ref().and_then(|name| headers.get(name)?.to_str().ok());
        let country = country.map(str::trim).filter(|code| is_country(code)).map(str::to_ascii_uppercase);
        Origin {
            address,
            country: country.or_else(|| self.country_of(address)),
            https: headers.get(FORWARDED_PROTO).is_some_and(|proto| proto == "https"),
        }
    }

    /// Returns the client behind a trusted proxy; `None` if the peer is not one.
    pub(crate) fn forwarded(&self, peer: SocketAddr, headers: &HeaderMap) -> Option<IpAddr> {
        let peer = peer.ip().to_canonical();
        self.trusts(peer).then(|| self.first_untrusted(peer, headers))
    }

    fn country_of(&self, address: IpAddr) -> Option<String> {
        self.geoip.as_ref()?.country_of(address)
    }

    pub(crate) fn trusts(&self, address: IpAddr) -> bool {
        self.trusted.iter().any(|network| network.contains(&address))
    }

    /// Reads from the right: the last entry was written by the proxy we trust, the one before by the proxy it names,
    /// and so on. Entries to the left of the first untrusted address can be forged.
    fn first_untrusted(&self, peer: IpAddr, headers: &HeaderMap) -> IpAddr {
        let lines = headers.get_all(FORWARDED_FOR).iter().filter_map(|line| line.to_str().ok()).collect::<Vec<_>>();
        let mut client = peer;
        for entry in lines.iter().rev().flat_map(|line| line.rsplit(',')).take(MAX_PROXIES) {
            let entry = entry.trim();
            let address = entry.parse().or_else(|_| entry.parse::<SocketAddr>().map(|address| address.ip()));
            let Ok(address) = address else { break };
            client = IpAddr::to_canonical(&address);
            if !self.trusts(client) {
                break;
            }
        }
        client
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn origin(trusted: &[&str], peer: &str, headers: &[(&'static str, &str)]) -> Origin {
        let trusted = trusted.iter().map(|network| network.parse().unwrap()).collect();
        let country_header = Some(HeaderName::from_static("cf-ipcountry"));
        let file = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/geo/networks.mmdb");
        let geoip = Some(GeoIp::read(file.as_ref()).unwrap());
        let proxies = Proxies { trusted, country_header, geoip };
        let mut map = HeaderMap::new();
        for (name, value) in headers {
            map.append(*name, value.parse().unwrap());
        }
        proxies.origin_of(SocketAddr::new(peer.parse().unwrap(), 1), &map)
    }

    #[test]
    fn forwarded_headers_of_untrusted_clients_are_ignored() {
        let claims = [("x-forwarded-for", "9.9.9.9"), ("cf-ipcountry", "CA"), ("x-forwarded-proto", "https")];
        let origin = origin(&["10.0.0.0/8"], "8.8.8.8", &claims);
        assert_eq!(origin, Origin { address: "8.8.8.8".parse().unwrap(), country: None, https: false });
    }

    #[test]
    fn the_client_is_the_first_untrusted_address_from_the_right() {
        let address = |forwarded: &str| {
            origin(&["10.0.0.0/8", "::1/128"], "10.0.0.1", &[("x-forwarded-for", forwarded)]).address.to_string()
        };
        assert_eq!(address("9.9.9.9"), "9.9.9.9");
        assert_eq!(address("1.1.1.1, 9.9.9.9, 10.0.0.2"), "9.9.9.9", "addresses to the left are not trusted");
        assert_eq!(address("9.9.9.9:1234"), "9.9.9.9");
        assert_eq!(address("2001:db8::7"), "2001:db8::7");
        assert_eq!(address("nonsense"), "10.0.0.1");
        assert_eq!(address("10.0.0.3, 10.0.0.2"), "10.0.0.3");
    }

    #[test]
    fn repeated_headers_form_one_list() {
        let lines = [("x-forwarded-for", "1.1.1.1"), ("x-forwarded-for", "9.9.9.9, 10.0.0.2")];
        assert_eq!(origin(&["10.0.0.0/8"], "10.0.0.1", &lines).address.to_string(), "9.9.9.9");
    }

    #[test]
    fn without_a_header_the_country_comes_from_the_file() {
        let country =
            |trusted: &[&str], peer: &str, headers: &[(&'static str, &str)]| origin(trusted, peer, headers).country;
        assert_eq!(country(&[], "192.0.2.7", &[("cf-ipcountry", "FR")]).as_deref(), Some("CA"));
        let forwarded = ("x-forwarded-for", "198.51.100.7");
        assert_eq!(country(&["10.0.0.0/8"], "10.0.0.1", &[forwarded]).as_deref(), Some("KP"));
        assert_eq!(country(&["10.0.0.0/8"], "10.0.0.1", &[forwarded, ("cf-ipcountry", "FR")]).as_deref(), Some("FR"));
        assert_eq!(country(&["10.0.0.0/8"], "10.0.0.1", &[forwarded, ("cf-ipcountry", "XX")]).as_deref(), Some("KP"));
        assert_eq!(country(&[], "203.0.113.7", &[]), None);
    }

    #[test]
    fn a_trusted_proxy_sets_country_and_scheme() {
        let country =
            |code: &str| origin(&["::ffff:0:0/96", "10.0.0.1/32"], "10.0.0.1", &[("cf-ipcountry", code)]).country;
        assert_eq!(country("ca").as_deref(), Some("CA"));
        for unknown in ["XX", "T1", "", "CAN"] {
            assert_eq!(country(unknown), None, "{unknown}");
        }
        assert!(origin(&["10.0.0.1/32"], "10.0.0.1", &[("x-forwarded-proto", "https")]).https);
    }
}
