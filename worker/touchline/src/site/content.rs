//! A response body with its type and tag, compressed at most once per encoding, or in advance by the build.

use std::io::Write;
use std::sync::Arc;

use axum::body::Body;
use axum::http::{HeaderMap, HeaderValue, Response, StatusCode, header};
use bytes::Bytes;
use flate2::Compression;
use flate2::write::GzEncoder;
use tokio::sync::OnceCell;
use touchline_protocol::negotiation::{Encoding, is_unchanged};

/// Smaller bodies are not worth compressing.
const MIN_COMPRESSED_BYTES: usize = 400;
/// Encodings, best first.
const ENCODINGS: [Encoding; 2] = [Encoding::Brotli, Encoding::Gzip];
/// Close to the best compression, in a tenth of the time.
const BROTLI_QUALITY: i32 = 9;
/// Long bodies such as sitemaps are compressed faster, because a client is waiting.
const LONG_BYTES: usize = 256 * 1024;
const BROTLI_QUALITY_LONG: i32 = 4;
const BROTLI_WINDOW: i32 = 22;

#[derive(Debug)]
pub(crate) struct Content {
    plain: Bytes,
    media_type: &'static str,
    hash: String,
    brotli: OnceCell<Bytes>,
    gzip: OnceCell<Bytes>,
}

type Encoder = fn(&[u8]) -> std::io::Result<Vec<u8>>;

impl Content {
    /// `hash` identifies the body.
    pub(crate) fn new(plain: impl Into<Bytes>, media_type: &'static str, hash: String) -> Self {
        Self { plain: plain.into(), media_type, hash, brotli: OnceCell::new(), gzip: OnceCell::new() }
    }

    pub(crate) fn with_brotli(mut self, brotli: Option<Bytes>) -> Self {
        self.brotli = OnceCell::new_with(brotli);
        self
    }

    pub(crate) fn len(&self) -> usize {
        self.plain.len()
    }

    pub(crate) fn hash(&self) -> &str {
        &self.hash
    }

    /// Responds to a request with these headers: 304 if the client has the body, otherwise in the best accepted
    /// encoding.
    pub(crate) async fn answer(self: &Arc<Self>, status: StatusCode, headers: &HeaderMap) -> Response<Body> {
        let encoding = if self.is_compressible() { Encoding::best(headers, &ENCODINGS) } else { Encoding::Plain };
        let tag = match encoding {
            Encoding::Plain => format!("\"{}\"", self.hash),
            Encoding::Gzip => format!("\"{}-gz\"", self.hash),
            Encoding::Brotli => format!("\"{}-br\"", self.hash),
        };
        let is_unchanged = status == StatusCode::OK && is_unchanged(headers, &tag);
        let mut response = if is_unchanged {
            let mut response = Response::new(Body::empty());
            *response.status_mut() = StatusCode::NOT_MODIFIED;
            response
        } else {
            let mut response = Response::new(Body::from(self.encoded(encoding).await));
            *response.status_mut() = status;
            response.headers_mut().insert(header::CONTENT_TYPE, HeaderValue::from_static(self.media_type));
            if let Some(name) = encoding.name() {
                response.headers_mut().insert(header::CONTENT_ENCODING, HeaderValue::from_static(name));
            }
            response
        };
        if self.is_compressible() {
            response.headers_mut().insert(header::VARY, HeaderValue::from_static("accept-encoding"));
        }
        if let Ok(tag) = HeaderValue::from_str(&tag) {
            response.headers_mut().insert(header::ETAG, tag);
        }
        response
    }

    /// Compresses the body in every encoding now.
    pub(crate) async fn compress(self: &Arc<Self>) {
        if self.is_compressible() {
            self.encoded(Encoding::Brotli).await;
            self.encoded(Encoding::Gzip).await;
        }
    }

    fn is_compressible(&self) -> bool {
        let text = self.media_type.starts_with("text/")
            || [
                "application/json",
                "application/manifest+json",
                "application/xml",
                "image/svg+xml",
                "application/wasm",
            ]
            .contains(&self.media_type);
        text && self.plain.len() >= MIN_COMPRESSED_BYTES
    }

    async fn encoded(self: &Arc<Self>, encoding: Encoding) -> Bytes {
        let (cell, encode): (_, Encoder) = match encoding {
            Encoding::Plain => return self.plain.clone(),
            Encoding::Gzip => (&self.gzip, gzip),
            Encoding::Brotli => (&self.brotli, brotli),
        };
        cell.get_or_try_init(|| async {
            let plain = self.plain.clone();
            tokio::task::spawn_blocking(move || encode(&plain)).await.map_err(std::io::Error::other)?.map(Bytes::from)
        })
        .await
        .cloned()
        .unwrap_or_else(|error: std::io::Error| {
            // Happens only during shutdown or out of memory.
            tracing::error!(%error, "a body could not be compressed");
            Bytes::new()
        })
    }
}

fn gzip(plain: &[u8]) -> std::io::Result<Vec<u8>> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::best());
    encoder.write_all(plain)?;
    encoder.finish()
}

fn brotli(plain: &[u8]) -> std::io::Result<Vec<u8>> {
    let mut encoded = Vec::new();
    let params = brotli::enc::BrotliEncoderParams {
        quality: if plain.len() > LONG_BYTES { BROTLI_QUALITY_LONG } else { BROTLI_QUALITY },
        lgwin: BROTLI_WINDOW,
        size_hint: plain.len(),
        ..Default::default()
    };
    brotli::BrotliCompress(&mut &*plain, &mut encoded, &params)?;
    Ok(encoded)
}

#[cfg(test)]
mod tests {
    use std::io::Read;

    use super::*;

    fn context(name: header::HeaderName, value: &str) -> HeaderMap {
        HeaderMap::from_iter([(name, value.parse().unwrap())])
    }

    async fn body(response: Response<Body>) -> Vec<u8> {
        axum::body::to_bytes(response.into_body(), usize::MAX).await.unwrap().to_vec()
    }

    #[tokio::test]
    async fn text_is_sent_in_the_best_accepted_encoding() {
        let text = "touchline ".repeat(500);
        let content = Arc::new(Content::new(text.clone(), "text/css; charset=utf-8", "h".into()));
        for (accept, encoding) in [
            ("gzip, deflate, br", Some("br")),
            ("gzip", Some("gzip")),
            ("br;q=0, gzip", Some("gzip")),
            ("identity", None),
            ("", None),
        ] {
            let response = content.answer(StatusCode::OK, &context(header::ACCEPT_ENCODING, accept)).await;
            let got = response.headers().get(header::CONTENT_ENCODING).map(|value| value.to_str().unwrap().to_owned());
            assert_eq!(got.as_deref(), encoding, "{accept}");
            assert_eq!(response.headers()[header::VARY], "accept-encoding");
            let mut plain = Vec::new();
            let bytes = body(response).await;
            match encoding {
                Some("br") => drop(brotli::Decompressor::new(&*bytes, 4096).read_to_end(&mut plain).unwrap()),
                Some(_) => drop(flate2::read::GzDecoder::new(&*bytes).read_to_end(&mut plain).unwrap()),
                None => plain = bytes,
            }
            assert_eq!(plain, text.as_bytes(), "{accept}");
        }
    }

    #[tokio::test]
    async fn pictures_and_short_texts_are_not_compressed() {
        for (length, kind) in [(5000, "image/png"), (100, "text/css; charset=utf-8")] {
            let content = Arc::new(Content::new(vec![b'x'; length], kind, "h".into()));
            let response = content.answer(StatusCode::OK, &context(header::ACCEPT_ENCODING, "br")).await;
            assert_eq!(response.headers().get(header::CONTENT_ENCODING), None);
            assert_eq!(body(response).await.len(), length);
        }
    }

    #[tokio::test]
    async fn precompressed_bytes_are_sent_unchanged() {
        let plain = "touchline ".repeat(500);
        let content = Content::new(plain.clone(), "text/css; charset=utf-8", "h".into());
        let content = Arc::new(content.with_brotli(Some(Bytes::from_static(b"made at build"))));
        for (accept, sent) in [("br", "made at build"), ("identity", plain.as_str())] {
            let response = content.answer(StatusCode::OK, &context(header::ACCEPT_ENCODING, accept)).await;
            assert_eq!(body(response).await, sent.as_bytes(), "{accept}");
        }
    }

    #[tokio::test]
    async fn a_matching_tag_gives_304_except_for_a_404() {
        let content = Arc::new(Content::new("x", "text/html; charset=utf-8", "h".into()));
        let headers = context(header::IF_NONE_MATCH, "\"a\", W/\"h\"");
        assert_eq!(content.answer(StatusCode::OK, &headers).await.status(), StatusCode::NOT_MODIFIED);
        assert_eq!(content.answer(StatusCode::NOT_FOUND, &headers).await.status(), StatusCode::NOT_FOUND);
        let other = context(header::IF_NONE_MATCH, "\"other\"");
        assert_eq!(content.answer(StatusCode::OK, &other).await.status(), StatusCode::OK);
    }
}
