//! The access log: one line for each answered request, without secrets (`OPS-4`).

use std::time::Duration;

use axum::http::{Method, StatusCode, Uri};
use percent_encoding::percent_decode_str;

use super::client_address::Origin;

/// The longest path and query in the log.
pub(super) const PATH_LIMIT: usize = 300;
pub(super) const QUERY_LIMIT: usize = 500;
/// The longest parameter name in the log, shorter than any key.
const NAME_LIMIT: usize = 24;
/// The longest method in the log; standard ones have at most seven letters.
const METHOD_LIMIT: usize = 16;

/// Query parameters whose values are logged. Any other may be a misspelled key, or a secret from a mail or a sign-in.
const LOGGED_PARAMETERS: &[&str] = &[
    "category",
    "category_id",
    "city",
    "date",
    "division",
    "end_date",
    "event_category_id",
    "event_id",
    "expires",
    "gender",
    "group",
    "id",
    "ids",
    "lang",
    "limit",
    "location",
    "no_limit",
    "offset",
    "owned",
    "package",
    "participant",
    "participant_id",
    "promo_code",
    "q",
    "school",
    "sort_direction",
    "sort_field",
    "sport",
    "start_date",
    "stream_status",
    "subscription_id",
    "t",
    "tab",
    "team",
    "text",
    "title",
    "type",
    "v",
    "vod_id",
    "w",
];

/// A request as the log shows it.
pub(super) struct Line<'a> {
    pub(super) method: &'a Method,
    pub(super) uri: &'a Uri,
    /// Key of the host's channel.
    pub(super) channel: Option<&'a str>,
    pub(super) origin: &'a Origin,
}

impl Line<'_> {
    /// Logs the answered request.
    pub(super) fn write(&self, status: StatusCode, took: Duration) {
        let (status, address, ms) = (status.as_u16(), self.origin.address, took.as_millis() as u64);
        let (method, path, channel) = (truncated(self.method.as_str(), METHOD_LIMIT), redacted(self.uri), self.channel);
        if status >= 500 {
            tracing::error!(target: "touchline::access", method, path, status, ms, channel, %address, "answered");
        } else {
            tracing::info!(target: "touchline::access", method, path, status, ms, channel, %address, "answered");
        }
    }
}

/// Path and query with secrets removed, for the log.
fn redacted(uri: &Uri) -> String {
    let path = match uri.path().splitn(7, '/').collect::<Vec<_>>()[..] {
        // The pass in a signed URL grants access.
        ["", "media", key, kind @ ("s" | "d"), mount, _, rest] => format!("/media/{key}/{kind}/{mount}/…/{rest}"),
        // A URL without its file may still have a pass.
        ["", "media", key, kind @ ("s" | "d"), mount, _] => format!("/media/{key}/{kind}/{mount}/…"),
        // The uuid of a clip grants access to it, and a pass follows it.
        ["", "media", key, "c", _, name] => format!("/media/{key}/c/…/{name}"),
        ["", "media", key, "c", _, _, name] => format!("/media/{key}/c/…/…/{name}"),
        ["", "media", key, "c", _] => format!("/media/{key}/c/…"),
        ["", "share", id, _] => format!("/share/{id}/…"),
        _ => uri.path().to_owned(),
    };
    let path = truncated(&without_parameters(&path), PATH_LIMIT);
    let Some(query) = uri.query() else { return path };
    let pairs = query.split('&').map(|pair| match pair.split_once('=') {
        _ if pair.is_empty() => String::new(),
        Some((name, _)) if is_logged(name) => pair.to_owned(),
        Some((name, _)) => format!("{}=…", truncated(name, NAME_LIMIT)),
        // A name without a value may be a key.
        None => "…".to_owned(),
    });
    let query = truncated(&pairs.collect::<Vec<_>>().join("&"), QUERY_LIMIT);
    format!("{path}?{query}")
}

/// Cuts what was meant as a query off a path, such as a key after `&` or `%3F`.
fn without_parameters(path: &str) -> String {
    let lower = path.to_ascii_lowercase();
    match ["=", "&", "%3d", "%26", "%3f"].iter().filter_map(|mark| lower.find(mark)).min() {
        Some(end) => format!("{}…", &path[..end]),
        None => path.to_owned(),
    }
}

/// Truncates a text, with a mark.
fn truncated(text: &str, max: usize) -> String {
    match text.char_indices().nth(max) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text.to_owned(),
    }
}

fn is_logged(name: &str) -> bool {
    let name = percent_decode_str(name).decode_utf8_lossy();
    LOGGED_PARAMETERS.contains(&name.as_ref())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn logged(uri: &str) -> String {
        redacted(&uri.parse().unwrap())
    }

    #[test]
    fn the_log_shows_no_keys_and_no_secrets_from_mails() {
        assert_eq!(logged("/api/events?limit=3&api_key=abc123"), "/api/events?limit=3&api_key=…");
        assert_eq!(logged("/api/events?API%5FKEY=abc123"), "/api/events?API%5FKEY=…");
        for name in ["apikey", "api-key", "key", "apiKey", "api_key[]", "ap_key", "access_token", "password"] {
            assert_eq!(logged(&format!("/api/events?limit=3&{name}=abc123")), format!("/api/events?limit=3&{name}=…"));
        }
        let key = "5f0c1d2e3b4a59687786950a1b2c3d4e";
        for slip in [format!("?{key}"), format!("?{key}="), format!("?limit=3&{key}&q=a"), format!("?=={key}")] {
            assert!(!logged(&format!("/api/events{slip}")).contains(key), "{slip}");
        }
        assert_eq!(
            logged("/verify-email?email=a@b.example&expires=1&signature=s"),
            "/verify-email?email=…&expires=1&signature=…"
        );
        assert_eq!(logged("/media/north/s/e12/1700-abcdef/v0/seg_1.m4s"), "/media/north/s/e12/…/v0/seg_1.m4s");
        assert_eq!(logged("/media/north/d/e12/1700-abcdef/game.mp4"), "/media/north/d/e12/…/game.mp4");
        assert_eq!(logged("/media/north/s/e12/1700-abcdef"), "/media/north/s/e12/…");
        assert_eq!(logged("/media/north/c/9f6a"), "/media/north/c/…");
        assert_eq!(logged("/media/north/c/9f6a/index.m3u8"), "/media/north/c/…/index.m3u8");
        assert_eq!(logged("/media/north/c/9f6a/1700-abcdef/clip.mp4"), "/media/north/c/…/…/clip.mp4");
        assert_eq!(logged("/share/7/9f6a"), "/share/7/…");
        for path in ["/api/settings&api_key=abc123", "/api/settings/api_key=abc123", "/api/%3fapi_key%3Dabc123"] {
            assert!(logged(path).starts_with("/api/") && !logged(path).contains("abc123"), "{}", logged(path));
        }
        assert_eq!(logged("/api/shared-clip/7?uuid=9f6a"), "/api/shared-clip/7?uuid=…");
        assert_eq!(logged("/media/north/crests/x.svg"), "/media/north/crests/x.svg");
        assert!(logged(&format!("/?{}", "x".repeat(2000))).len() < 600);
    }
}
