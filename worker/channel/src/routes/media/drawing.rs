//! Drawings (SVG), which compress to about a seventh (`FAST-6`).

use std::sync::Arc;

use axum::http::{HeaderMap, header};
use axum::response::Response;
use touchline_protocol::limits::Limit;
use touchline_protocol::negotiation::Encoding;

use super::body::Picture;
use crate::catalogue::ChannelSnapshot;
use crate::catalogue::response_cache::{CachedResponse, ENCODINGS, ResponseKey};
use crate::http::{ApiError, ApiResult, AppState};
use crate::source::SourceFile;

/// Largest drawing that is compressed in memory, in bytes.
const MAX_BYTES: u64 = 512 << 10;
pub(crate) const LIMITS: &[Limit] = &[Limit::bytes(
    "pictures.drawing",
    MAX_BYTES,
    "A drawing that is sent compressed. Larger ones are sent uncompressed.",
)];

/// Whether a file is a drawing that is sent whole, from memory.
pub(super) fn is_compressed(file: &SourceFile, request: &HeaderMap) -> bool {
    file.path.ends_with(".svg") && file.len <= MAX_BYTES && !request.contains_key(header::RANGE)
}

/// Responds with a drawing in the best accepted encoding, compressed once per load of the channel.
pub(super) async fn answer(
    state: &AppState,
    channel: &ChannelSnapshot,
    file: &SourceFile,
    cache: String,
    request: &HeaderMap,
) -> ApiResult<Response> {
    let key = ResponseKey::of_file(channel, &file.path);
    let encoding = Encoding::best(request, &ENCODINGS);
    let cached = state.answers.get(&key).filter(|cached| cached.is_ready(encoding));
    let (drawing, (bytes, used)) = if let Some(cached) = cached {
        let encoded = cached.encoded(encoding);
        (cached, encoded)
    } else {
        let (source, answers, path) =
            (Arc::clone(state.channels.source()), Arc::clone(&state.answers), file.path.clone());
        let work = move || {
            let drawing = match answers.get(&key) {
                Some(cached) => cached,
                None => answers.insert(key, CachedResponse::new(source.read(&path)?)),
            };
            let encoded = drawing.encoded(encoding);
            std::io::Result::Ok((drawing, encoded))
        };
        let worked = tokio::task::spawn_blocking(work).await.map_err(|error| ApiError::Internal(error.into()))?;
        worked.map_err(|error| ApiError::Internal(error.into()))?
    };
    let etag = drawing.etag.to_str().unwrap_or_default().to_owned();
    Ok(Picture { name: &file.path, etag, bytes, encoding: used.name(), cache }.respond(request))
}
