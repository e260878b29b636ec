//! Drawings (SVG), which compress to about a seventh (`FAST-6`).

use std::io;
use std::sync::Arc;

use axum::http::{HeaderMap, header};
use axum::response::Response;
use touchline_http::{Effort, NegotiatedBody};
use touchline_protocol::limits::Limit;

use super::body;
use crate::catalogue::ChannelSnapshot;
use crate::catalogue::response_cache::ResponseKey;
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
    let drawing = match state.answers.get(&key).await {
        Some(cached) => cached,
        None => {
            let (source, path) = (Arc::clone(state.channels.source()), file.path.clone());
            let read = tokio::task::spawn_blocking(move || source.read(&path)).await;
            let svg = read.map_err(io::Error::other).flatten().map_err(|error| ApiError::Internal(error.into()))?;
            let drawing = NegotiatedBody::new(svg, body::content_type(&file.path), Effort::Low);
            state.answers.insert(key, drawing).await
        }
    };
    Ok(body::picture(&drawing, cache, request).await)
}
