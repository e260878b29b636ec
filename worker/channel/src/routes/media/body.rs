//! Files as responses: content types, caching, ranges, one file or several joined.

use std::convert::Infallible;
use std::io;
use std::sync::Arc;

use axum::body::Body;
use axum::extract::FromRequestParts;
use axum::http::request::Parts;
use axum::http::{HeaderMap, HeaderValue, Method, StatusCode, header};
use axum::response::{IntoResponse, Response};
use futures_util::{StreamExt, stream};
use headers::{ETag, HeaderMapExt};
use touchline_http::NegotiatedBody;
use touchline_http::conditional::{is_unchanged, may_send_range};

use crate::http::{ApiError, ApiResult};
use crate::media::memory::{MediaMemory, MemoryKey, Span, WHOLE_BYTES};
use crate::source::{ChannelSource, SourceFile};

/// Prevents a channel's drawing from running scripts, even when it is opened directly.
const POLICY: HeaderValue = HeaderValue::from_static("default-src 'none'; style-src 'unsafe-inline'; sandbox");

/// Headers of a request for a file, and whether its response has no body.
#[derive(Debug)]
pub(super) struct FileRequest {
    pub(super) headers: HeaderMap,
    pub(super) is_head: bool,
}

impl<S: Send + Sync> FromRequestParts<S> for FileRequest {
    type Rejection = Infallible;

    async fn from_request_parts(parts: &mut Parts, _: &S) -> Result<Self, Infallible> {
        Ok(Self { headers: parts.headers.clone(), is_head: parts.method == Method::HEAD })
    }
}

/// Bytes of one file, or of several joined, with the values for the headers.
pub(super) struct Answer<'a> {
    pub(super) memory: &'a MediaMemory,
    pub(super) source: &'a Arc<dyn ChannelSource>,
    pub(super) files: Vec<&'a SourceFile>,
    /// Determines the content type.
    pub(super) name: &'a str,
    pub(super) cache: String,
    /// Name for a download.
    pub(super) attachment: Option<String>,
}

impl Answer<'_> {
    pub(super) async fn respond(self, request: &FileRequest) -> ApiResult<Response> {
        let FileRequest { headers: request, is_head } = request;
        let total: u64 = self.files.iter().map(|file| file.len).sum();
        let stamp = self.files.iter().fold(0u64, |all, file| all.rotate_left(7) ^ file.stamp ^ file.len);
        let etag =
            format!("\"{stamp:x}-{total:x}\"").parse::<ETag>().map_err(|error| ApiError::Internal(error.into()))?;
        let mut headers = HeaderMap::new();
        headers.typed_insert(etag.clone());
        headers.insert(header::ACCEPT_RANGES, HeaderValue::from_static("bytes"));
        protect(&mut headers, self.cache);
        if is_unchanged(request, &etag) {
            return Ok((StatusCode::NOT_MODIFIED, headers).into_response());
        }
        let mut put = |name, value: String| {
            if let Ok(value) = HeaderValue::try_from(value) {
                headers.insert(name, value);
            }
        };
        put(header::CONTENT_TYPE, content_type(self.name).to_owned());
        if let Some(name) = self.attachment {
            put(header::CONTENT_DISPOSITION, format!("attachment; filename=\"{name}\""));
        }
        let range_header = request.get(header::RANGE).and_then(|value| value.to_str().ok());
        let range_header = range_header.filter(|_| may_send_range(request, &etag));
        let (status, from, len) = match range_header.map(|range_header| range(range_header, total)) {
            None | Some(Range::Whole) => (StatusCode::OK, 0, total),
            Some(Range::Part { from, len }) => {
                put(header::CONTENT_RANGE, format!("bytes {from}-{}/{total}", from + len - 1));
                (StatusCode::PARTIAL_CONTENT, from, len)
            }
            Some(Range::Unsatisfiable) => {
                put(header::CONTENT_RANGE, format!("bytes */{total}"));
                return Ok((StatusCode::RANGE_NOT_SATISFIABLE, headers).into_response());
            }
        };
        put(header::CONTENT_LENGTH, len.to_string());
        if *is_head {
            return Ok((status, headers).into_response());
        }
        let body = match self.files[..] {
            [file] => send_file(self.memory, self.source, file, (from, len)).await?,
            _ => Body::from_stream(self.memory.pieces(Arc::clone(self.source), spans(&self.files, from, len))),
        };
        Ok((status, headers, body).into_response())
    }
}

/// Responds with a picture in memory.
pub(super) async fn picture(picture: &NegotiatedBody, cache: String, request: &HeaderMap) -> Response {
    let mut response = picture.respond(StatusCode::OK, request).await;
    protect(response.headers_mut(), cache);
    response
}

/// Adds the headers of every file.
fn protect(headers: &mut HeaderMap, cache: String) {
    if let Ok(cache) = HeaderValue::try_from(cache) {
        headers.insert(header::CACHE_CONTROL, cache);
    }
    headers.insert(header::X_CONTENT_TYPE_OPTIONS, HeaderValue::from_static("nosniff"));
    headers.insert(header::CONTENT_SECURITY_POLICY, POLICY);
}

/// The parts of all files that make up `len` bytes from `from`.
fn spans(files: &[&SourceFile], mut from: u64, mut len: u64) -> Vec<Span> {
    let mut spans = Vec::new();
    for file in files {
        if from >= file.len {
            from -= file.len;
            continue;
        }
        let available = (file.len - from).min(len);
        if available > 0 {
            spans.push(Span { path: file.path.clone(), offset: from, len: available });
        }
        len -= available;
        from = 0;
    }
    spans
}

/// Sends `len` bytes of a file from `from`: from memory, if it is small, otherwise in pieces. A range does not bring the
/// file into memory.
async fn send_file(
    memory: &MediaMemory,
    source: &Arc<dyn ChannelSource>,
    file: &SourceFile,
    (from, len): (u64, u64),
) -> ApiResult<Body> {
    let (looked, path) = (Arc::clone(source), file.path.clone());
    let version = tokio::task::spawn_blocking(move || looked.version(&path)).await.map_err(io::Error::other).flatten();
    let version = match version {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Err(ApiError::NotFound),
        Err(error) => return Err(ApiError::Internal(error.into())),
        // A file that has changed since it was listed is not stored, since its response has the older length.
        Ok(version) => version.filter(|version| version.len == file.len && file.len <= WHOLE_BYTES),
    };
    let pieces = {
        let span = Span { path: file.path.clone(), offset: from, len };
        let (memory, source) = (memory.clone(), Arc::clone(source));
        move || memory.pieces(source, vec![span])
    };
    let Some(version) = version else { return Ok(Body::from_stream(pieces())) };
    let is_whole = len == file.len;
    if let Some(cached) = memory.get(&MemoryKey::File(version)).await {
        let part = usize::try_from(from).ok().zip(usize::try_from(from + len).ok());
        let part = part.and_then(|(from, to)| (to <= cached.bytes.len()).then(|| cached.bytes.slice(from..to)));
        return part.map(Body::from).ok_or_else(|| ApiError::Internal(anyhow::anyhow!("a range after the file's end")));
    }
    if !is_whole {
        return Ok(Body::from_stream(pieces()));
    }
    // The file is read when its body is sent.
    let (memory, source, path) = (memory.clone(), Arc::clone(source), file.path.clone());
    let whole = async move {
        match memory.load(source, path, version).await {
            Some(bytes) => stream::iter([Ok(bytes)]).left_stream(),
            None => pieces().right_stream(),
        }
    };
    Ok(Body::from_stream(stream::once(whole).flatten()))
}

/// Content of a `Range` header.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Range {
    Whole,
    Part { from: u64, len: u64 },
    Unsatisfiable,
}

/// Parses a single range of bytes. Several ranges and invalid ones select the whole, as RFC 9110 allows.
pub(super) fn range(range_header: &str, total: u64) -> Range {
    let Some((first, last)) = range_header.strip_prefix("bytes=").and_then(|range| range.split_once('-')) else {
        return Range::Whole;
    };
    let (first, last) = (first.trim(), last.trim());
    let (from, to) = match (first.parse::<u64>(), last.parse::<u64>()) {
        (Ok(first), Ok(last)) if first <= last => (first, last.min(total.saturating_sub(1))),
        (Ok(first), Err(_)) if last.is_empty() => (first, total.saturating_sub(1)),
        (Err(_), Ok(0)) if first.is_empty() => return Range::Unsatisfiable,
        (Err(_), Ok(length)) if first.is_empty() => (total.saturating_sub(length), total.saturating_sub(1)),
        _ => return Range::Whole,
    };
    if from >= total { Range::Unsatisfiable } else { Range::Part { from, len: to - from + 1 } }
}

/// By extension; unknown files are `application/octet-stream`.
pub(super) fn content_type(name: &str) -> &'static str {
    match name.rsplit_once('.').map_or("", |(_, ending)| ending) {
        "m3u8" => "application/vnd.apple.mpegurl",
        "m4s" | "mp4" | "cmfv" | "cmfa" => "video/mp4",
        "ts" => "video/mp2t",
        "aac" => "audio/aac",
        "webm" => "video/webm",
        "vtt" => "text/vtt; charset=utf-8",
        "svg" => "image/svg+xml",
        "png" => "image/png",
        "jpg" | "jpeg" => "image/jpeg",
        "webp" => "image/webp",
        "avif" => "image/avif",
        "gif" => "image/gif",
        "json" => "application/json",
        _ => "application/octet-stream",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranges_are_parsed_by_rfc_9110() {
        for (range_header, expected) in [
            ("bytes=0-3", Range::Part { from: 0, len: 4 }),
            ("bytes=4-", Range::Part { from: 4, len: 6 }),
            ("bytes=-3", Range::Part { from: 7, len: 3 }),
            ("bytes=-30", Range::Part { from: 0, len: 10 }),
            ("bytes=8-99", Range::Part { from: 8, len: 2 }),
            ("bytes=10-", Range::Unsatisfiable),
            ("bytes=-0", Range::Unsatisfiable),
            ("bytes=3-1", Range::Whole),
            ("bytes=0-1,4-5", Range::Whole),
            ("lines=0-1", Range::Whole),
            ("bytes=", Range::Whole),
            ("bytes=a-b", Range::Whole),
        ] {
            assert_eq!(range(range_header, 10), expected, "{range_header}");
        }
        assert_eq!(range("bytes=0-", 0), Range::Unsatisfiable);
    }

    #[test]
    fn a_range_over_several_files_is_split_at_their_boundaries() {
        let file = |path: &str, len| SourceFile { path: path.to_owned(), len, stamp: 0 };
        let (a, b, c) = (file("a", 3), file("b", 0), file("c", 9));
        let files = [&a, &b, &c];
        let span = |path: &str, offset, len| Span { path: path.to_owned(), offset, len };
        assert_eq!(spans(&files, 0, 12), [span("a", 0, 3), span("c", 0, 9)]);
        assert_eq!(spans(&files, 2, 2), [span("a", 2, 1), span("c", 0, 1)]);
    }
}
