//! Which pages may open a socket.

use axum::http::Uri;

/// Decides whether a page may open a socket. A client that names no origin is no browser, and is not asked about.
pub trait OriginRule: Send + Sync + 'static {
    /// Whether a page of `origin` may open a socket on `host`, the request's `Host`.
    fn allows(&self, origin: &str, host: &str) -> bool;
}

/// Lets a page open a socket on the host that it came from.
#[derive(Debug, Clone, Copy, Default)]
pub struct SameHost;

impl OriginRule for SameHost {
    fn allows(&self, origin: &str, host: &str) -> bool {
        // The scheme is left out: behind a proxy that ends TLS, the worker cannot know it.
        let Ok(origin) = origin.parse::<Uri>() else { return false };
        let web = matches!(origin.scheme_str(), Some("http" | "https"));
        web && origin.authority().is_some_and(|authority| authority.as_str().eq_ignore_ascii_case(host))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_page_may_open_a_socket_on_its_own_host_alone() {
        assert!(SameHost.allows("http://tv.example:8080", "tv.example:8080"));
        assert!(SameHost.allows("https://TV.example", "tv.example"));
        for foreign in
            ["https://evil.example", "http://tv.example", "null", "", "file://tv.example:8080", "tv.example:8080"]
        {
            assert!(!SameHost.allows(foreign, "tv.example:8080"), "{foreign}");
        }
    }
}
