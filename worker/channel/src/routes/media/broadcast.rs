//! Live streams from an encoder: growing playlists, recorded segments, and temporary parts.

use axum::extract::Query;
use axum::http::{Uri, header};
use axum::response::{IntoResponse, Response};

use super::body::{self, Answer, FileRequest};
use crate::broadcast::{BroadcastFile, ReloadParams};
use crate::http::{ApiError, ApiResult, AppState};
use crate::media::Ingest;
use crate::source::SourceFile;

/// Responds to a path of a live stream or its recording.
pub(super) async fn answer(
    state: &AppState,
    ingest: &Ingest,
    is_live: bool,
    path: &str,
    uri: &Uri,
    cache: String,
    request: &FileRequest,
) -> ApiResult<Response> {
    let broadcast = state.broadcasts.of(ingest);
    let from = state.broadcasts.folder_of(ingest);
    let found = if is_live {
        let query = Query::<ReloadParams>::try_from_uri(uri).map(|Query(query)| query).unwrap_or_default();
        broadcast.live(ingest, path, query, &from, state.clock.now_ms()).await
    } else {
        broadcast.recorded(ingest, path)
    };
    let (source, file, cache) = match found.ok_or(ApiError::NotFound)? {
        BroadcastFile::Playlist(text) => {
            let kind = body::content_type(path);
            let cache = if is_live { "no-store" } else { "private, max-age=60" };
            return Ok(([(header::CONTENT_TYPE, kind), (header::CACHE_CONTROL, cache)], text).into_response());
        }
        BroadcastFile::Stored(file) => (state.broadcasts.recorded_files().clone(), file, cache),
        BroadcastFile::Part(file) => (state.broadcasts.parts_in(&from), file, "no-store".to_owned()),
    };
    let answer =
        Answer { memory: &state.memory, source: &source, files: vec![&file], name: path, cache, attachment: None };
    answer.respond(request).await
}

/// Files of a recording; `None` if one of them is missing.
pub(super) fn files(state: &AppState, ingest: &Ingest, names: &[String]) -> Option<Vec<SourceFile>> {
    let broadcast = state.broadcasts.of(ingest);
    let file = |name: &String| match broadcast.recorded(ingest, name)? {
        BroadcastFile::Stored(file) => Some(file),
        BroadcastFile::Playlist(_) | BroadcastFile::Part(_) => None,
    };
    names.iter().map(file).collect()
}
