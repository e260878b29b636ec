use std::net::IpAddr;

/// Returns whether a `Host` header names this machine. No other site's name can.
pub(crate) fn is_this_machine(host: &str) -> bool {
    let name = host.rsplit_once(':').map_or(host, |(name, port)| if port.ends_with(']') { host } else { name });
    let address = name.trim_matches(['[', ']']).parse::<IpAddr>();
    let name = name.to_ascii_lowercase();
    name == "localhost" || name.ends_with(".localhost") || address.is_ok_and(|address| address.is_loopback())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn other_hosts_are_not_this_machine() {
        for local in ["127.0.0.1:9000", "localhost", "LOCALHOST:1", "[::1]:9000", "[::1]", "127.3.2.1"] {
            assert!(is_this_machine(local), "{local}");
        }
        for other in ["", "evil.example", "localhost.evil.example:9000", "192.0.2.1", "[2001:db8::1]:1"] {
            assert!(!is_this_machine(other), "{other}");
        }
    }
}
