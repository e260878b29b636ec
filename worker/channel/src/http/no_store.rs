//! Answers that nothing on their way may keep.

use axum::http::{HeaderValue, header};
use axum::response::{IntoResponse, Response};

/// An answer that neither a browser nor a cache on its way may keep.
#[derive(Debug)]
pub struct NoStore<T>(pub T);

impl<T: IntoResponse> IntoResponse for NoStore<T> {
    fn into_response(self) -> Response {
        let mut response = self.0.into_response();
        response.headers_mut().insert(header::CACHE_CONTROL, HeaderValue::from_static("private, no-store"));
        response
    }
}
