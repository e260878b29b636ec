//! Origins that may open a socket.

use axum::http::Uri;

/// Decides whether a page may open a socket. Not consulted for a client without an origin, which is not a browser.
pub trait OriginRule: Send + Sync + 'static {
    /// Whether a page of `origin` may open a socket on `host`, the request's `Host`.
    fn allows(&self, origin: &str, host: &str) -> bool;
}

/// Allows a page to open a socket on its own host.
#[derive(Debug, Clone, Copy, Default)]
pub struct SameHost;

impl OriginRule for SameHost {
    fn allows(&self, origin: &str, host: &str) -> bool {
        // The scheme is ignored: behind a proxy that terminates TLS, the worker cannot know it.
        let Ok(origin) = origin.parse::<Uri>() else { return false };
        let web = matches!(origin.scheme_str(), Some("http" | "https"));
        web && origin.authority().is_some_and(|authority| authority.as_str().eq_ignore_ascii_case(host))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_page_can_open_a_socket_only_on_its_host() {
        assert!(SameHost.allows("http://tv.example:8080", "tv.example:8080"));
        assert!(SameHost.allows("https://TV.example", "tv.example"));
        for foreign in
            ["https://evil.example", "http://tv.example", "null", "", "file://tv.example:8080", "tv.example:8080"]
        {
            assert!(!SameHost.allows(foreign, "tv.example:8080"), "{foreign}");
        }
    }
}
