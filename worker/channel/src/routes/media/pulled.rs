//! Media that the worker pulls from elsewhere.

use axum::http::{HeaderMap, StatusCode, Uri, header};
use axum::response::{IntoResponse, Response};
use bytes::Bytes;

use super::body::{self, Range};
use crate::http::{ApiError, ApiResult, AppState, Client};
use crate::media::Pull;
use crate::pull::{ByteRange, PullError, PullRequest, Pulled, Reload};

/// Answers a path of a pulled medium. `cache` says whether many may share it.
pub(super) async fn answer(
    state: &AppState,
    pull: &Pull,
    (path, uri): (&str, &Uri),
    client: &Client,
    cache: &str,
    request: &HeaderMap,
) -> ApiResult<Response> {
    let asked = request.get(header::RANGE).and_then(|value| value.to_str().ok());
    let (range, reload) = (asked.and_then(both_ends), Reload::of(uri.query()));
    let pulled = state
        .pulls
        .get(pull, path, PullRequest { address: &client.subject(), range, reload })
        .await
        .map_err(|error| ApiError::Upstream { timed_out: error == PullError::TimedOut })?;
    let kind = body::content_type(path);
    match pulled.ok_or(ApiError::NotFound)? {
        Pulled::Playlist(text) => {
            Ok(([(header::CONTENT_TYPE, kind), (header::CACHE_CONTROL, "no-store")], text).into_response())
        }
        Pulled::File { bytes, part, kept_s } => {
            let shared = cache.split(',').next().unwrap_or("private");
            let mut response = part_of(bytes, part, asked);
            let headers = response.headers_mut();
            for (name, value) in [
                (header::CONTENT_TYPE, kind.to_owned()),
                (header::CACHE_CONTROL, format!("{shared}, max-age={kept_s}")),
                (header::X_CONTENT_TYPE_OPTIONS, "nosniff".to_owned()),
                (header::ACCEPT_RANGES, "bytes".to_owned()),
            ] {
                if let Ok(value) = value.parse() {
                    headers.insert(name, value);
                }
            }
            Ok(response)
        }
        Pulled::PastEnd(total) => Ok(past_end(total)),
    }
}

/// The first and the last byte that a request asks for, when it names both.
fn both_ends(asked: &str) -> Option<ByteRange> {
    let (from, to) = asked.strip_prefix("bytes=")?.split_once('-')?;
    ByteRange::new(from.parse().ok()?, to.parse().ok()?)
}

fn past_end(total: Option<u64>) -> Response {
    let mut response = StatusCode::RANGE_NOT_SATISFIABLE.into_response();
    if let Some(range) = total.and_then(|total| format!("bytes */{total}").parse().ok()) {
        response.headers_mut().insert(header::CONTENT_RANGE, range);
    }
    response
}

/// The part that was asked for, whether the other host gave it or the whole file.
fn part_of(bytes: Bytes, part: Option<(u64, Option<u64>)>, asked: Option<&str>) -> Response {
    let ranged = |from: u64, bytes: Bytes, total: Option<u64>| {
        let total = total.map_or_else(|| "*".to_owned(), |total| total.to_string());
        let range = format!("bytes {from}-{}/{total}", from + (bytes.len() as u64).saturating_sub(1));
        (StatusCode::PARTIAL_CONTENT, [(header::CONTENT_RANGE, range)], bytes).into_response()
    };
    if let Some((from, total)) = part {
        return ranged(from, bytes, total);
    }
    let total = bytes.len() as u64;
    match asked.map(|asked| body::range(asked, total)) {
        Some(Range::Part { from, len }) => {
            let (from, end) = (from as usize, (from + len) as usize);
            ranged(from as u64, bytes.slice(from..end), Some(total))
        }
        Some(Range::Beyond) => past_end(Some(total)),
        Some(Range::Whole) | None => bytes.into_response(),
    }
}
