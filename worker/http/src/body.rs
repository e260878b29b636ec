//! A body with its type, tag and encodings. It is compressed at most once per encoding, or in advance by the build.

use std::io::{self, Write};

use axum::body::Body;
use axum::http::{HeaderMap, HeaderValue, Response, StatusCode, header};
use bytes::Bytes;
use flate2::Compression;
use flate2::write::GzEncoder;
use headers::{ETag, HeaderMapExt};
use sha2::{Digest, Sha256};
use tokio::sync::OnceCell;

use crate::conditional::is_unchanged;
use crate::encoding::{AcceptEncoding, Encoding};

/// Smaller bodies are not worth compressing.
const MIN_COMPRESSED_BYTES: usize = 400;
/// Long bodies such as sitemaps are compressed faster, because a client is waiting.
const LONG_BYTES: usize = 256 * 1024;
const BROTLI_QUALITY_LONG: i32 = 4;
/// Capacity for the headers of a response, including those that are added on the way out.
const HEADERS: usize = 16;

/// Time that compression may take.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Effort {
    /// For a body that many clients get over a long time.
    High,
    /// For a body that changes often.
    Low,
    /// For a body that only one client gets: it is not compressed.
    None,
}

impl Effort {
    /// High is close to the best compression, in a tenth of the time.
    fn brotli_quality(self, len: usize) -> i32 {
        match self {
            _ if len > LONG_BYTES => BROTLI_QUALITY_LONG,
            Self::High => 9,
            Self::Low | Self::None => 6,
        }
    }

    fn gzip_level(self) -> Compression {
        if self == Self::High { Compression::best() } else { Compression::default() }
    }
}

/// A body in every encoding that was requested so far.
#[derive(Debug)]
pub struct NegotiatedBody {
    plain: Bytes,
    media_type: &'static str,
    hash: String,
    /// Weak, since all encodings share it.
    etag: ETag,
    effort: Effort,
    brotli: OnceCell<Bytes>,
    gzip: OnceCell<Bytes>,
}

impl NegotiatedBody {
    /// Creates a body that is identified by a hash of its content.
    pub fn new(plain: impl Into<Bytes>, media_type: &'static str, effort: Effort) -> Self {
        let plain = plain.into();
        let hash = hash_of(&plain);
        Self::with_hash(plain, media_type, hash, effort)
    }

    /// Creates a body that `hash` identifies, in letters and digits.
    pub fn with_hash(plain: impl Into<Bytes>, media_type: &'static str, hash: String, effort: Effort) -> Self {
        Self {
            plain: plain.into(),
            media_type,
            etag: format!("W/\"{hash}\"").parse().unwrap_or_else(|_| no_tag()),
            hash,
            effort,
            brotli: OnceCell::new(),
            gzip: OnceCell::new(),
        }
    }

    /// Sets the body in Brotli, if it was compressed already.
    #[must_use]
    pub fn with_brotli(mut self, brotli: Option<Bytes>) -> Self {
        self.brotli = OnceCell::new_with(brotli);
        self
    }

    /// The body without an encoding.
    pub fn plain(&self) -> &Bytes {
        &self.plain
    }

    /// Identifies the content.
    pub fn hash(&self) -> &str {
        &self.hash
    }

    /// Returns an upper bound of its memory. Encodings are created later but counted at once; none is larger than the
    /// plain body by more than a few bytes.
    pub fn max_bytes(&self) -> usize {
        let encodings = if self.is_compressible() { 3 } else { 1 };
        size_of::<Self>() + self.hash.len() + encodings * self.plain.len()
    }

    /// Responds to a request with these headers: 304 if the client has the body, otherwise in the best accepted
    /// encoding.
    pub async fn respond(&self, status: StatusCode, request: &HeaderMap) -> Response<Body> {
        let mut response = Response::new(Body::empty());
        *response.headers_mut() = HeaderMap::with_capacity(HEADERS);
        let headers = response.headers_mut();
        headers.typed_insert(self.etag.clone());
        if is_text(self.media_type) {
            headers.insert(header::VARY, HeaderValue::from_static("accept-encoding"));
        }
        if status == StatusCode::OK && is_unchanged(request, &self.etag) {
            *response.status_mut() = StatusCode::NOT_MODIFIED;
            return response;
        }
        let (bytes, encoding) = self.encoded(AcceptEncoding::of(request).best()).await;
        headers.insert(header::CONTENT_TYPE, HeaderValue::from_static(self.media_type));
        if let Some(name) = encoding.name() {
            headers.insert(header::CONTENT_ENCODING, name);
        }
        *response.status_mut() = status;
        *response.body_mut() = Body::from(bytes);
        response
    }

    /// Compresses the body in every encoding now.
    pub async fn compress(&self) {
        self.encoded(Encoding::Brotli).await;
        self.encoded(Encoding::Gzip).await;
    }

    fn is_compressible(&self) -> bool {
        self.effort != Effort::None && is_text(self.media_type) && self.plain.len() >= MIN_COMPRESSED_BYTES
    }

    /// Returns the encoded bytes and their encoding.
    async fn encoded(&self, encoding: Encoding) -> (Bytes, Encoding) {
        let cell = match encoding {
            Encoding::Brotli if self.is_compressible() => &self.brotli,
            Encoding::Gzip if self.is_compressible() => &self.gzip,
            _ => return (self.plain.clone(), Encoding::Plain),
        };
        let (plain, effort) = (self.plain.clone(), self.effort);
        let compress = async {
            let task = tokio::task::spawn_blocking(move || compress(&plain, encoding, effort));
            task.await.map_err(io::Error::other)?.map(Bytes::from)
        };
        match cell.get_or_try_init(|| compress).await {
            Ok(compressed) => (compressed.clone(), encoding),
            Err(error) => {
                // Happens only during shutdown.
                tracing::error!(%error, "a body could not be compressed");
                (self.plain.clone(), Encoding::Plain)
            }
        }
    }
}

fn no_tag() -> ETag {
    #[expect(clippy::expect_used, reason = "a constant")]
    "W/\"\"".parse().expect("valid tag")
}

/// Identifies content: the first half of its SHA-256, in hexadecimal.
pub fn hash_of(bytes: &[u8]) -> String {
    hex::encode(&Sha256::digest(bytes)[..16])
}

/// Returns whether bodies of this type are worth compressing.
fn is_text(media_type: &str) -> bool {
    media_type.starts_with("text/")
        || ["application/json", "application/manifest+json", "application/xml", "image/svg+xml", "application/wasm"]
            .contains(&media_type)
}

fn compress(plain: &[u8], encoding: Encoding, effort: Effort) -> io::Result<Vec<u8>> {
    let mut compressed = match encoding {
        Encoding::Plain => plain.to_vec(),
        Encoding::Gzip => {
            let mut encoder = GzEncoder::new(Vec::new(), effort.gzip_level());
            encoder.write_all(plain)?;
            encoder.finish()?
        }
        Encoding::Brotli => {
            let mut compressed = Vec::new();
            let quality = effort.brotli_quality(plain.len());
            let params = brotli::enc::BrotliEncoderParams { quality, size_hint: plain.len(), ..Default::default() };
            brotli::BrotliCompress(&mut &*plain, &mut compressed, &params)?;
            compressed
        }
    };
    compressed.shrink_to_fit();
    Ok(compressed)
}

#[cfg(test)]
mod tests {
    use std::io::Read;

    use super::*;

    const CSS: &str = "text/css; charset=utf-8";

    fn request(name: header::HeaderName, value: &str) -> HeaderMap {
        HeaderMap::from_iter([(name, value.parse().unwrap())])
    }

    async fn sent(response: Response<Body>) -> Vec<u8> {
        axum::body::to_bytes(response.into_body(), usize::MAX).await.unwrap().to_vec()
    }

    #[tokio::test]
    async fn text_is_sent_in_the_best_accepted_encoding() {
        let text = "touchline ".repeat(500);
        for effort in [Effort::High, Effort::Low] {
            let body = NegotiatedBody::new(text.clone(), CSS, effort);
            for (accept, encoding) in [
                ("gzip, deflate, br", Some("br")),
                ("gzip", Some("gzip")),
                ("br;q=0, gzip", Some("gzip")),
                ("identity", None),
                ("", None),
            ] {
                let response = body.respond(StatusCode::OK, &request(header::ACCEPT_ENCODING, accept)).await;
                let headers = response.headers();
                let got = headers.get(header::CONTENT_ENCODING).map(|value| value.to_str().unwrap().to_owned());
                assert_eq!(got.as_deref(), encoding, "{accept}");
                assert_eq!(headers[header::VARY], "accept-encoding");
                let mut plain = Vec::new();
                let bytes = sent(response).await;
                match encoding {
                    Some("br") => drop(brotli::Decompressor::new(&*bytes, 4096).read_to_end(&mut plain).unwrap()),
                    Some(_) => drop(flate2::read::GzDecoder::new(&*bytes).read_to_end(&mut plain).unwrap()),
                    None => plain = bytes,
                }
                assert_eq!(plain, text.as_bytes(), "{accept}");
            }
        }
    }

    #[tokio::test]
    async fn pictures_short_texts_and_bodies_for_one_client_are_not_compressed() {
        for (length, kind, effort) in
            [(5000, "image/png", Effort::High), (100, CSS, Effort::High), (5000, CSS, Effort::None)]
        {
            let body = NegotiatedBody::new(vec![b'x'; length], kind, effort);
            let response = body.respond(StatusCode::OK, &request(header::ACCEPT_ENCODING, "br")).await;
            assert_eq!(response.headers().get(header::CONTENT_ENCODING), None);
            assert_eq!(sent(response).await.len(), length);
        }
    }

    #[tokio::test]
    async fn precompressed_bytes_are_sent_unchanged() {
        let plain = "touchline ".repeat(500);
        let body = NegotiatedBody::new(plain.clone(), CSS, Effort::High);
        let body = body.with_brotli(Some(Bytes::from_static(b"made at build")));
        for (accept, expected) in [("br", "made at build"), ("identity", plain.as_str())] {
            let response = body.respond(StatusCode::OK, &request(header::ACCEPT_ENCODING, accept)).await;
            assert_eq!(sent(response).await, expected.as_bytes(), "{accept}");
        }
    }

    #[tokio::test]
    async fn a_matching_tag_gives_304_except_for_a_404() {
        let body = NegotiatedBody::with_hash("x", "text/html; charset=utf-8", "h".into(), Effort::High);
        let headers = request(header::IF_NONE_MATCH, "\"a\", W/\"h\"");
        let unchanged = body.respond(StatusCode::OK, &headers).await;
        assert_eq!(
            (unchanged.status(), &unchanged.headers()[header::ETAG]),
            (StatusCode::NOT_MODIFIED, &HeaderValue::from_static("W/\"h\""))
        );
        assert_eq!(body.respond(StatusCode::NOT_FOUND, &headers).await.status(), StatusCode::NOT_FOUND);
        let other = request(header::IF_NONE_MATCH, "\"other\"");
        assert_eq!(body.respond(StatusCode::OK, &other).await.status(), StatusCode::OK);
    }

    /// `LIM-6`: counted memory is at least the used memory.
    #[tokio::test]
    async fn all_encodings_fit_into_the_counted_memory() {
        let text = (0..2000).map(|n| format!("{:x} ", n * 7919)).collect::<String>();
        let body = NegotiatedBody::new(text, CSS, Effort::Low);
        body.compress().await;
        let encodings = [Encoding::Plain, Encoding::Gzip, Encoding::Brotli];
        let mut bytes = size_of::<NegotiatedBody>();
        for encoding in encodings {
            bytes += body.encoded(encoding).await.0.len();
        }
        assert!(bytes <= body.max_bytes(), "{bytes}");
    }
}
