//! What a browser may do with what it gets.

use axum::http::header::{self, HeaderName};
use axum::http::{HeaderMap, HeaderValue};

/// How long a browser keeps to https once it was served by it: a year.
const HSTS: HeaderValue = HeaderValue::from_static("max-age=31536000; includeSubDomains");

/// For what is no page: it may load and run nothing, wherever it is opened.
const NOTHING: HeaderValue =
    HeaderValue::from_static("default-src 'none'; style-src 'unsafe-inline'; sandbox; frame-ancestors 'none'");

/// Where the tag manager's script comes from.
const TAG_SCRIPTS: &str = " https://www.googletagmanager.com";
/// Where it and the analytics within a container send to, by request and by picture; some of it by region.
const TAG_SENDS: &str =
    " https://www.googletagmanager.com https://*.google-analytics.com https://*.analytics.google.com";

/// What a page needs beyond what every page may.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Needs {
    /// It may be framed by other sites.
    pub(crate) embeddable: bool,
    /// Its channel has a container of the tag manager.
    pub(crate) tag_manager: bool,
}

/// The content security policy of a page. No inline script and no inline style; sockets to the same host by name,
/// since not every browser takes `'self'` for `ws:`.
pub(crate) fn policy(host: &str, needs: Needs) -> HeaderValue {
    let sockets = if is_plain(host) { format!(" ws://{host} wss://{host}") } else { String::new() };
    let ancestors = if needs.embeddable { "*" } else { "'self'" };
    let (scripts, sends) = if needs.tag_manager { (TAG_SCRIPTS, TAG_SENDS) } else { ("", "") };
    let policy = format!(
        "default-src 'none'; script-src 'self'{scripts}; style-src 'self'; img-src 'self' data: blob:{sends}; \
         font-src 'self'; connect-src 'self'{sockets}{sends}; media-src 'self' blob:; worker-src 'self' blob:; \
         manifest-src 'self'; frame-src 'self'; base-uri 'none'; form-action 'self'; object-src 'none'; \
         frame-ancestors {ancestors}"
    );
    HeaderValue::from_str(&policy).unwrap_or(NOTHING)
}

/// A name or address with an optional port, which may stand in a policy.
fn is_plain(host: &str) -> bool {
    !host.is_empty() && host.bytes().all(|byte| byte.is_ascii_alphanumeric() || b".-:[]_".contains(&byte))
}

/// Puts on every answer what it does not say itself.
pub(crate) fn guard(headers: &mut HeaderMap, tls: bool) {
    let mut default = |name: HeaderName, value: HeaderValue| {
        headers.entry(name).or_insert(value);
    };
    default(header::CONTENT_SECURITY_POLICY, NOTHING);
    default(header::X_CONTENT_TYPE_OPTIONS, HeaderValue::from_static("nosniff"));
    default(header::REFERRER_POLICY, HeaderValue::from_static("strict-origin-when-cross-origin"));
    default(HeaderName::from_static("cross-origin-opener-policy"), HeaderValue::from_static("same-origin"));
    default(
        HeaderName::from_static("permissions-policy"),
        HeaderValue::from_static("camera=(), microphone=(), geolocation=(), payment=(self)"),
    );
    if tls {
        default(header::STRICT_TRANSPORT_SECURITY, HSTS);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_host_that_is_no_name_never_reaches_the_policy() {
        let policy = |host| policy(host, Needs::default()).to_str().unwrap().to_owned();
        assert!(policy("tv.example:8080").contains("connect-src 'self' ws://tv.example:8080 wss://tv.example:8080;"));
        assert!(policy("x; script-src *").contains("connect-src 'self';"));
        assert!(!policy("x").contains("unsafe"));
    }

    #[test]
    fn an_answer_keeps_its_own_policy_and_gets_the_rest() {
        let mut headers = HeaderMap::from_iter([(header::CONTENT_SECURITY_POLICY, HeaderValue::from_static("own"))]);
        guard(&mut headers, false);
        assert_eq!(headers[header::CONTENT_SECURITY_POLICY], "own");
        assert_eq!(headers[header::X_CONTENT_TYPE_OPTIONS], "nosniff");
        assert!(!headers.contains_key(header::STRICT_TRANSPORT_SECURITY));
        guard(&mut headers, true);
        assert!(headers.contains_key(header::STRICT_TRANSPORT_SECURITY));
    }
}
