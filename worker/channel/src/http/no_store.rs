//! Responses that must not be cached.

use axum::http::{HeaderValue, header};
use axum::response::{IntoResponse, Response};

/// A response that neither browsers nor proxies may cache.
#[derive(Debug)]
pub(crate) struct NoStore<T>(pub(crate) T);

impl<T: IntoResponse> IntoResponse for NoStore<T> {
    fn into_response(self) -> Response {
        let mut response = self.0.into_response();
        response.headers_mut().insert(header::CACHE_CONTROL, HeaderValue::from_static("private, no-store"));
        response
    }
}
