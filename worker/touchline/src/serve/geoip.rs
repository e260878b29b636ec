//! The country of an address, from the operator's MMDB file (`GEO-2`).

use std::net::IpAddr;
use std::path::Path;

use maxminddb::{PathElement, Reader};

use crate::config::ConfigError;

/// The file, in memory.
pub(crate) struct GeoIp(Reader<Vec<u8>>);

impl std::fmt::Debug for GeoIp {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.debug_tuple("Places").field(&self.0.metadata().database_type).finish()
    }
}

impl GeoIp {
    pub(crate) fn read(file: &Path) -> Result<Self, ConfigError> {
        let fault = |error: &dyn std::fmt::Display| ConfigError(format!("geo.mmdb: {}: {error}", file.display()));
        Reader::open_readfile(file).map(Self).map_err(|error| fault(&error))
    }

    /// The country of an address, ISO 3166-1 alpha-2, upper case; `None` if the file does not have it.
    pub(crate) fn country_of(&self, address: IpAddr) -> Option<String> {
        let found = self.0.lookup(address).ok()?;
        let path = [PathElement::Key("country"), PathElement::Key("iso_code")];
        let code: &str = found.decode_path(&path).ok()??;
        is_country(code).then(|| code.to_ascii_uppercase())
    }
}

/// Proxies send `XX` or `T1` for an unknown country.
pub(super) fn is_country(code: &str) -> bool {
    code.len() == 2 && code.bytes().all(|byte| byte.is_ascii_alphabetic()) && !code.eq_ignore_ascii_case("XX")
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Three documentation networks (RFC 5737, RFC 3849), one of them without a country.
    const FILE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/geo/networks.mmdb");

    #[test]
    fn only_addresses_in_the_file_have_a_country() {
        let geoip = GeoIp::read(Path::new(FILE)).unwrap();
        for (address, country) in [
            ("192.0.2.7", Some("CA")),
            ("198.51.100.7", Some("KP")),
            ("203.0.113.7", None),
            ("127.0.0.1", None),
            ("2001:db8::7", Some("CA")),
            ("2001:db9::7", None),
        ] {
            assert_eq!(geoip.country_of(address.parse().unwrap()).as_deref(), country, "{address}");
        }
    }

    #[test]
    fn an_invalid_file_is_reported() {
        let error_of = |path: &str| GeoIp::read(Path::new(path)).unwrap_err().to_string();
        assert!(error_of("/nowhere.mmdb").starts_with("geo.mmdb: /nowhere.mmdb: "));
        let other = concat!(env!("CARGO_MANIFEST_DIR"), "/Cargo.toml");
        assert!(error_of(other).starts_with(&format!("geo.mmdb: {other}: ")), "{}", error_of(other));
        assert!(!error_of(other).contains('\n'));
    }
}
