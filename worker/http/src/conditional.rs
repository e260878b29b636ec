//! Conditional requests.

use axum::http::HeaderMap;
use headers::{ETag, HeaderMapExt, IfNoneMatch, IfRange};

/// Returns whether the client already has the body with this tag (`If-None-Match`, compared weakly).
pub fn is_unchanged(request: &HeaderMap, etag: &ETag) -> bool {
    request.typed_get::<IfNoneMatch>().is_some_and(|tags| !tags.precondition_passes(etag))
}

/// Returns whether a range of the body with this tag may be sent (`If-Range`, compared strongly).
pub fn may_send_range(request: &HeaderMap, etag: &ETag) -> bool {
    match request.typed_try_get::<IfRange>() {
        Ok(condition) => condition.is_none_or(|condition| !condition.is_modified(Some(etag), None)),
        Err(_) => false,
    }
}

#[cfg(test)]
mod tests {
    use axum::http::{HeaderName, HeaderValue, header};

    use super::*;

    fn request(name: &HeaderName, lines: &[&'static str]) -> HeaderMap {
        lines.iter().map(|line| (name.clone(), HeaderValue::from_static(line))).collect()
    }

    #[test]
    fn matching_tags_are_recognised_weak_or_strong_and_in_lists() {
        let cases: [(&[&str], bool); 8] = [
            (&["\"a\""], true),
            (&["W/\"a\""], true),
            (&["\"b\", \"a\""], true),
            (&["\"b\"", "W/\"a\""], true),
            (&["*"], true),
            (&["\"b\""], false),
            (&["a"], false),
            (&[], false),
        ];
        for (lines, expected) in cases {
            for etag in ["\"a\"", "W/\"a\""] {
                let request = request(&header::IF_NONE_MATCH, lines);
                assert_eq!(is_unchanged(&request, &etag.parse().unwrap()), expected, "{lines:?} {etag}");
            }
        }
    }

    #[test]
    fn a_range_is_sent_of_the_same_body_only() {
        let cases: [(&[&str], bool); 6] = [
            (&[], true),
            (&["\"a\""], true),
            (&["\"b\""], false),
            (&["W/\"a\""], false),
            (&["Sat, 28 Nov 2026 10:00:00 GMT"], false),
            (&["a"], false),
        ];
        for (lines, expected) in cases {
            let request = request(&header::IF_RANGE, lines);
            assert_eq!(may_send_range(&request, &"\"a\"".parse().unwrap()), expected, "{lines:?}");
        }
    }
}
