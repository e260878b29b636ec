//! Drawings (SVG) as answers: texts, which take a seventh of their bytes once they are packed (`FAST-6`).

use std::sync::Arc;

use axum::http::{HeaderMap, HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Response};
use touchline_protocol::limits::Limit;

use super::body::is_unchanged;
use crate::catalogue::ChannelSnapshot;
use crate::catalogue::response_cache::{CachedResponse, Encoding, ResponseKey};
use crate::http::{ApiError, ApiResult, AppState};
use crate::source::SourceFile;

/// The largest drawing that is packed, bytes: it is in memory meanwhile.
const MAX_BYTES: u64 = 512 << 10;
/// The rows of the limits table.
pub(crate) const LIMITS: &[Limit] =
    &[Limit::bytes("pictures.drawing", MAX_BYTES, "A drawing that is sent packed; a larger one is sent as it is.")];

/// Whether a file is a drawing that is answered here: whole, and in memory.
pub(super) fn is_packed(file: &SourceFile, request: &HeaderMap) -> bool {
    file.path.ends_with(".svg") && file.len <= MAX_BYTES && !request.contains_key(header::RANGE)
}

/// A drawing, packed as its asker takes it; packed once for each load of the channel.
pub(super) async fn answer(
    state: &AppState,
    channel: &ChannelSnapshot,
    file: &SourceFile,
    cache: &str,
    request: &HeaderMap,
) -> ApiResult<Response> {
    let key = ResponseKey::of_file(channel, &file.path);
    let accepted = request.get(header::ACCEPT_ENCODING).and_then(|value| value.to_str().ok());
    let encoding = Encoding::best(accepted.unwrap_or_default());
    let kept = state.answers.get(&key).filter(|kept| kept.is_ready(encoding));
    let (drawing, (bytes, used)) = if let Some(kept) = kept {
        let encoded = kept.encoded(encoding);
        (kept, encoded)
    } else {
        let (source, answers, path) =
            (Arc::clone(state.channels.source()), Arc::clone(&state.answers), file.path.clone());
        let work = move || {
            let drawing = match answers.get(&key) {
                Some(kept) => kept,
                None => answers.keep(key, CachedResponse::new(source.read(&path)?)),
            };
            let encoded = drawing.encoded(encoding);
            std::io::Result::Ok((drawing, encoded))
        };
        let worked = tokio::task::spawn_blocking(work).await.map_err(|error| ApiError::Internal(error.into()))?;
        worked.map_err(|error| ApiError::Internal(error.into()))?
    };
    let mut headers = HeaderMap::new();
    headers.insert(header::ETAG, drawing.etag.clone());
    headers.insert(header::CACHE_CONTROL, HeaderValue::try_from(cache).unwrap_or(HeaderValue::from_static("no-cache")));
    headers.insert(header::VARY, HeaderValue::from_static("accept-encoding"));
    headers.insert(header::X_CONTENT_TYPE_OPTIONS, HeaderValue::from_static("nosniff"));
    // A drawing of the channel cannot run anything, even when it is opened on its own.
    headers.insert(
        header::CONTENT_SECURITY_POLICY,
        HeaderValue::from_static("default-src 'none'; style-src 'unsafe-inline'; sandbox"),
    );
    if is_unchanged(request, drawing.etag.to_str().unwrap_or_default()) {
        return Ok((StatusCode::NOT_MODIFIED, headers).into_response());
    }
    headers.insert(header::CONTENT_TYPE, HeaderValue::from_static("image/svg+xml"));
    if let Some(name) = used.name() {
        headers.insert(header::CONTENT_ENCODING, HeaderValue::from_static(name));
    }
    Ok((headers, bytes).into_response())
}
