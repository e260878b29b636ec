//! Media that the worker fetches from other hosts.

use std::io;

use axum::body::Body;
use axum::http::{StatusCode, Uri, header};
use axum::response::{IntoResponse, Response};
use bytes::Bytes;
use futures_util::stream;

use super::body::{self, FileRequest, Range};
use crate::http::{ApiError, ApiResult, AppState, Client};
use crate::media::Pull;
use crate::pull::{ByteRange, Content, PullError, PullRequest, Pulled, Reload};

/// Responds to a path of a pulled medium. `cache` is the `Cache-Control` policy.
pub(super) async fn answer(
    state: &AppState,
    pull: &Pull,
    (path, uri): (&str, &Uri),
    client: &Client,
    cache: &str,
    request: &FileRequest,
) -> ApiResult<Response> {
    let kind = body::content_type(path);
    if request.is_head && state.pulls.is_file(pull, path) {
        // Its length is unknown without a request to its host.
        let body = Body::from_stream(stream::empty::<io::Result<Bytes>>());
        return Ok(([(header::CONTENT_TYPE, kind), (header::CACHE_CONTROL, "no-store")], body).into_response());
    }
    let range_header = request.headers.get(header::RANGE).and_then(|value| value.to_str().ok());
    let (range, reload) = (range_header.and_then(parse_bounded_range), Reload::of(uri.query()));
    let pulled = state
        .pulls
        .get(pull, path, PullRequest { address: &client.subject(), range, reload })
        .await
        .map_err(upstream_error)?;
    match pulled.ok_or(ApiError::NotFound)? {
        Pulled::Playlist(text) => {
            Ok(([(header::CONTENT_TYPE, kind), (header::CACHE_CONTROL, "no-store")], text).into_response())
        }
        Pulled::File { content, part, max_age_s } => {
            let shared = cache.split(',').next().unwrap_or("private");
            let mut response = part_of(content, part, range_header).await.map_err(upstream_error)?;
            let headers = response.headers_mut();
            for (name, value) in [
                (header::CONTENT_TYPE, kind.to_owned()),
                (header::CACHE_CONTROL, format!("{shared}, max-age={max_age_s}")),
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

/// The first and last byte of a range, if it has both.
fn parse_bounded_range(range_header: &str) -> Option<ByteRange> {
    let (from, to) = range_header.strip_prefix("bytes=")?.split_once('-')?;
    ByteRange::new(from.parse().ok()?, to.parse().ok()?)
}

fn past_end(total: Option<u64>) -> Response {
    let mut response = StatusCode::RANGE_NOT_SATISFIABLE.into_response();
    if let Some(range) = total.and_then(|total| format!("bytes */{total}").parse().ok()) {
        response.headers_mut().insert(header::CONTENT_RANGE, range);
    }
    response
}

fn upstream_error(error: PullError) -> ApiError {
    match error {
        PullError::NoMemory => ApiError::TooMany { retry_after_s: 1 },
        error => ApiError::Upstream { timed_out: error == PullError::TimedOut },
    }
}

/// The requested range, whether the other host returned it or the whole file.
async fn part_of(
    content: Box<Content>,
    part: Option<(u64, Option<u64>)>,
    range_header: Option<&str>,
) -> Result<Response, PullError> {
    let total = content.total_len();
    let (from, content, total) = match (part, range_header.map(|range_header| body::range(range_header, total))) {
        (Some((from, total)), _) => (from, content, total),
        (None, Some(Range::Part { from, len })) => (from, Box::new(content.part(from, len)), Some(total)),
        (None, Some(Range::Unsatisfiable)) => return Ok(past_end(Some(total))),
        (None, Some(Range::Whole) | None) => return sent(*content).await,
    };
    let total = total.map_or_else(|| "*".to_owned(), |total| total.to_string());
    let range = format!("bytes {from}-{}/{total}", from + content.total_len().saturating_sub(1));
    let response = sent(*content).await?;
    Ok((StatusCode::PARTIAL_CONTENT, [(header::CONTENT_RANGE, range)], response).into_response())
}

async fn sent(mut content: Content) -> Result<Response, PullError> {
    let length = [(header::CONTENT_LENGTH, content.total_len().to_string())];
    let body = match content.small().await? {
        Some(bytes) => Body::from(bytes),
        None => Body::from_stream(content.stream()),
    };
    Ok((length, body).into_response())
}
