//! The hosts that show channels.

use std::borrow::Cow;

/// A `Host` without its port, lower case.
pub fn host_name(host: &str) -> Cow<'_, str> {
    let name = match host.rsplit_once(':') {
        // The colons of a bracketed IPv6 address are no port.
        Some((name, port)) if port.bytes().all(|byte| byte.is_ascii_digit()) => name,
        _ => host,
    };
    let name = name.trim_end_matches('.');
    if name.bytes().any(|byte| byte.is_ascii_uppercase()) { name.to_ascii_lowercase().into() } else { name.into() }
}
