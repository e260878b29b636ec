//! A request for content of the catalogue, and its response.

use axum::extract::{FromRequestParts, State};
use axum::http::request::Parts;
use axum::http::{HeaderMap, HeaderValue, StatusCode, Uri, header};
use axum::response::Response;
use serde::Serialize;
use serde::de::DeserializeOwned;
use touchline_domain::entitlements::Entitlements;
use touchline_http::{Effort, NegotiatedBody};

use crate::catalogue::ChannelSnapshot;
use crate::catalogue::presenter::Presenter;
use crate::catalogue::response_cache::ResponseKey;
use crate::http::{ApiError, ApiResult, AppState, Caller, Query};

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
        let fresh = |effort| match serde_json::to_vec(&make()?) {
            Ok(json) => Ok(NegotiatedBody::new(json.into_boxed_slice(), "application/json", effort)),
            Err(error) => Err(ApiError::Internal(error.into())),
        };
        let Some(key) = key else {
            return Ok(self.respond(&fresh(Effort::None)?).await);
        };
        let answer = match self.state.answers.get(&key).await {
            Some(cached) => cached,
            None => self.state.answers.insert(key, fresh(Effort::Low)?).await,
        };
        Ok(self.respond(&answer).await)
    }

    /// Sends the response. Browsers revalidate every time, since a viewer's access can change.
    async fn respond(&self, answer: &NegotiatedBody) -> Response {
        let mut response = answer.respond(StatusCode::OK, &self.headers).await;
        response.headers_mut().insert(header::CACHE_CONTROL, HeaderValue::from_static("private, no-cache"));
        response
    }
}
