//! A request for content of the catalogue, and its response.

use std::sync::Arc;

use axum::body::Body;
use axum::extract::{FromRequestParts, State};
use axum::http::request::Parts;
use axum::http::{HeaderMap, HeaderValue, StatusCode, Uri, header};
use axum::response::Response;
use serde::Serialize;
use serde::de::DeserializeOwned;
use touchline_domain::entitlements::Entitlements;
use touchline_protocol::negotiation::{Encoding, is_unchanged};

use crate::catalogue::ChannelSnapshot;
use crate::catalogue::presenter::Presenter;
use crate::catalogue::response_cache::{CachedResponse, ENCODINGS, ResponseKey};
use crate::http::{ApiError, ApiResult, AppState, Caller, Query};

/// Capacity for the headers of a response, including those that are added on the way out.
const HEADERS: usize = 16;

/// A request for content of the catalogue.
#[derive(Debug)]
pub(crate) struct CatalogueRequest {
    pub(crate) state: AppState,
    pub(crate) caller: Caller,
    headers: HeaderMap,
    uri: Uri,
}

impl FromRequestParts<AppState> for CatalogueRequest {
    type Rejection = ApiError;

    async fn from_request_parts(parts: &mut Parts, state: &AppState) -> Result<Self, ApiError> {
        let caller = Caller::from_request_parts(parts, state).await?;
        let State(state) = match State::<AppState>::from_request_parts(parts, state).await {
            Ok(state) => state,
            Err(never) => match never {},
        };
        // This extractor is the last argument of its handlers, so nothing reads the headers after it.
        let headers = std::mem::take(&mut parts.headers);
        Ok(Self { state, caller, headers, uri: parts.uri.clone() })
    }
}

impl CatalogueRequest {
    pub(crate) fn channel(&self) -> &ChannelSnapshot {
        &self.caller.channel
    }

    /// Unix seconds.
    pub(crate) fn now_s(&self) -> i64 {
        self.state.clock.now_s()
    }

    /// The raw query without the key. Different spellings of a query are cached separately: normalising every request
    /// would cost more.
    pub(crate) fn raw_query(&self) -> String {
        let query = self.uri.query().unwrap_or_default();
        let parameters = query.split('&').filter(|pair| !pair.starts_with("api_key="));
        parameters.fold(String::with_capacity(query.len()), |mut raw_query, pair| {
            raw_query.push('&');
            raw_query.push_str(pair);
            raw_query
        })
    }

    /// Parses the query.
    ///
    /// # Errors
    /// Fails with 400 for a query that cannot be parsed.
    pub(crate) fn query<T: DeserializeOwned>(&self) -> ApiResult<T> {
        Query::of(&self.uri).map(|Query(query)| query)
    }

    /// Responds with content that is the same for every viewer. `call` contains the path and the query.
    ///
    /// # Errors
    /// Fails when a response cannot be serialised.
    pub(crate) async fn same_for_all<T: Serialize>(
        &self,
        call: impl Into<String>,
        make: impl FnOnce(&ChannelSnapshot) -> T,
    ) -> ApiResult<Response> {
        let visitor = Entitlements::default();
        let key = ResponseKey::of(self.channel(), &visitor, self.now_s(), call.into());
        self.answer(key, || Ok(make(self.channel()))).await
    }

    /// Responds with content that depends on the viewer's entitlements. `call` contains the path and the query.
    ///
    /// # Errors
    /// Fails when the store does not answer.
    pub(crate) async fn for_viewer<T: Serialize>(
        &self,
        call: impl Into<String>,
        make: impl FnOnce(&Presenter<'_>) -> T,
    ) -> ApiResult<Response> {
        self.for_viewer_if(call, |presenter| Ok(make(presenter))).await
    }

    /// As [`CatalogueRequest::for_viewer`], with a fallible `make`. Failures are not cached.
    ///
    /// # Errors
    /// Fails when the store does not answer, and as `make` does.
    pub(crate) async fn for_viewer_if<T: Serialize>(
        &self,
        call: impl Into<String>,
        make: impl FnOnce(&Presenter<'_>) -> ApiResult<T>,
    ) -> ApiResult<Response> {
        let viewer = self.state.entitlements(&self.caller).await?;
        let now_s = self.now_s();
        let presenter = Presenter::new(self.channel(), &viewer, now_s);
        let key = ResponseKey::of(self.channel(), &viewer, now_s, call.into());
        self.answer(key, || make(&presenter)).await
    }

    /// Responds with content for this viewer only.
    ///
    /// # Errors
    /// Fails when the store does not answer.
    pub(crate) async fn for_viewer_alone<T: Serialize>(
        &self,
        make: impl FnOnce(&Presenter<'_>) -> T,
    ) -> ApiResult<Response> {
        let viewer = self.state.entitlements(&self.caller).await?;
        let presenter = Presenter::new(self.channel(), &viewer, self.now_s());
        self.answer(None, || Ok(make(&presenter))).await
    }

    async fn answer<T: Serialize>(
        &self,
        key: Option<ResponseKey>,
        make: impl FnOnce() -> ApiResult<T>,
    ) -> ApiResult<Response> {
        let fresh = || match serde_json::to_vec(&make()?) {
            Ok(json) => Ok(CachedResponse::new(json.into_boxed_slice().into())),
            Err(error) => Err(ApiError::Internal(error.into())),
        };
        let Some(key) = key else {
            // Nobody else gets this response, so the server compresses it.
            return Ok(self.respond(&fresh()?, Encoding::Plain));
        };
        let answer = match self.state.answers.get(&key) {
            Some(cached) => cached,
            None => self.state.answers.insert(key, fresh()?),
        };
        let encoding = Encoding::best(&self.headers, &ENCODINGS);
        if !answer.is_ready(encoding) {
            let answer = Arc::clone(&answer);
            let packed = tokio::task::spawn_blocking(move || drop(answer.encoded(encoding))).await;
            packed.map_err(|error| ApiError::Internal(error.into()))?;
        }
        Ok(self.respond(&answer, encoding))
    }

    /// Sends the response, or 304 if the client has it. Browsers revalidate every time, since a viewer's access can
    /// change.
    fn respond(&self, answer: &CachedResponse, encoding: Encoding) -> Response {
        let mut response = Response::new(Body::empty());
        *response.headers_mut() = HeaderMap::with_capacity(HEADERS);
        let headers = response.headers_mut();
        headers.insert(header::ETAG, answer.etag.clone());
        headers.insert(header::CACHE_CONTROL, HeaderValue::from_static("private, no-cache"));
        headers.insert(header::VARY, HeaderValue::from_static("accept-encoding"));
        if is_unchanged(&self.headers, answer.etag.to_str().unwrap_or_default()) {
            *response.status_mut() = StatusCode::NOT_MODIFIED;
            return response;
        }
        let (bytes, used) = answer.encoded(encoding);
        headers.insert(header::CONTENT_TYPE, HeaderValue::from_static("application/json"));
        if let Some(name) = used.name() {
            headers.insert(header::CONTENT_ENCODING, HeaderValue::from_static(name));
        }
        *response.body_mut() = bytes.into();
        response
    }
}
