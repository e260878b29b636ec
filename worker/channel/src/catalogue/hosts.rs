//! Host names of channels.

use std::borrow::Cow;

/// Returns a `Host` header without its port, in lower case.
pub fn host_name(host: &str) -> Cow<'_, str> {
    let name = match host.rsplit_once(':') {
        // The colons of a bracketed IPv6 address do not separate a port.
        Some((name, port)) if port.bytes().all(|byte| byte.is_ascii_digit()) => name,
        _ => host,
    };
    let name = name.trim_end_matches('.');
    if name.bytes().any(|byte| byte.is_ascii_uppercase()) { name.to_ascii_lowercase().into() } else { name.into() }
}
