//! Someone who asks for a part of the catalogue, and how they are answered.

use std::sync::Arc;

use axum::body::Body;
use axum::extract::{FromRequestParts, State};
use axum::http::request::Parts;
use axum::http::{HeaderMap, HeaderValue, StatusCode, Uri, header};
use axum::response::Response;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use touchline_protocol::envelope::{Meta, Page};
use touchline_protocol::limits::Limit;

use crate::catalogue::answers::{AnswerKey, Encoding, KeptAnswer};
use crate::catalogue::listing::{DEFAULT_LIMIT, MAX_LIMIT, Part};
use crate::catalogue::present::Presenter;
use crate::catalogue::{ChannelSnapshot, Entitlements};
use crate::http::{ApiError, ApiResult, Caller, Query, messages};
use crate::media::body::is_unchanged;
use crate::state::AppState;

/// The most characters of a query value.
pub(super) const MAX_VALUE: usize = 200;
/// The most values of one filter.
pub(super) const MAX_VALUES: usize = 100;
/// The rows of the limits table.
pub(crate) const LIMITS: &[Limit] = &[
    Limit::count("query.value", MAX_VALUE as u64, "characters", "A value of a query."),
    Limit::count("query.values", MAX_VALUES as u64, "values", "Values of one filter."),
];
/// Room for the headers of an answer: its own, and those that it gets on its way out.
const HEADERS: usize = 16;

/// Someone who asks for a part of the catalogue.
#[derive(Debug)]
pub struct Asking {
    /// What the handlers share.
    pub state: AppState,
    /// Who it is.
    pub caller: Caller,
    headers: HeaderMap,
    uri: Uri,
}

impl FromRequestParts<AppState> for Asking {
    type Rejection = ApiError;

    async fn from_request_parts(parts: &mut Parts, state: &AppState) -> Result<Self, ApiError> {
        let caller = Caller::from_request_parts(parts, state).await?;
        let State(state) = match State::<AppState>::from_request_parts(parts, state).await {
            Ok(state) => state,
            Err(never) => match never {},
        };
        // Whoever asks is the last of a handler's arguments: nobody looks at the headers after this.
        let headers = std::mem::take(&mut parts.headers);
        Ok(Self { state, caller, headers, uri: parts.uri.clone() })
    }
}

impl Asking {
    /// The channel.
    pub fn channel(&self) -> &ChannelSnapshot {
        &self.caller.channel
    }

    /// The present moment, Unix seconds.
    pub fn now_s(&self) -> i64 {
        self.state.clock.now_s()
    }

    /// The query as it is spelled, without the key. Two spellings of one query are kept apart: that costs less than
    /// working out, for each request, that they mean the same.
    pub fn spelled(&self) -> String {
        let query = self.uri.query().unwrap_or_default();
        let said = query.split('&').filter(|pair| !pair.starts_with("api_key="));
        said.fold(String::with_capacity(query.len()), |mut spelled, pair| {
            spelled.push('&');
            spelled.push_str(pair);
            spelled
        })
    }

    /// What the query means.
    ///
    /// # Errors
    /// 400 for one that cannot be read.
    pub fn query<T: DeserializeOwned>(&self) -> ApiResult<T> {
        Query::of(&self.uri).map(|Query(query)| query)
    }

    /// Answers what is the same for every viewer. `call` names it and whatever its query means.
    ///
    /// # Errors
    /// When an answer cannot be made.
    pub async fn same_for_all<T: Serialize>(
        &self,
        call: impl Into<String>,
        make: impl FnOnce(&ChannelSnapshot) -> T,
    ) -> ApiResult<Response> {
        let visitor = Entitlements::default();
        let key = AnswerKey::of(self.channel(), &visitor, self.now_s(), call.into());
        self.answer(key, || Ok(make(self.channel()))).await
    }

    /// Answers what depends on what the viewer has. `call` names it and whatever its query means.
    ///
    /// # Errors
    /// When the store does not answer.
    pub async fn for_viewer<T: Serialize>(
        &self,
        call: impl Into<String>,
        make: impl FnOnce(&Presenter<'_>) -> T,
    ) -> ApiResult<Response> {
        self.for_viewer_if(call, |presenter| Ok(make(presenter))).await
    }

    /// As [`Asking::for_viewer`], where `make` may refuse: what was refused is not kept, and what is kept was not.
    ///
    /// # Errors
    /// When the store does not answer; what `make` says.
    pub async fn for_viewer_if<T: Serialize>(
        &self,
        call: impl Into<String>,
        make: impl FnOnce(&Presenter<'_>) -> ApiResult<T>,
    ) -> ApiResult<Response> {
        let viewer = self.state.entitlements(&self.caller).await?;
        let now_s = self.now_s();
        let presenter = Presenter::new(self.channel(), &viewer, now_s);
        let key = AnswerKey::of(self.channel(), &viewer, now_s, call.into());
        self.answer(key, || make(&presenter)).await
    }

    /// Answers what is this viewer's alone.
    ///
    /// # Errors
    /// When the store does not answer.
    pub async fn for_viewer_alone<T: Serialize>(&self, make: impl FnOnce(&Presenter<'_>) -> T) -> ApiResult<Response> {
        let viewer = self.state.entitlements(&self.caller).await?;
        let presenter = Presenter::new(self.channel(), &viewer, self.now_s());
        self.answer(None, || Ok(make(&presenter))).await
    }

    async fn answer<T: Serialize>(
        &self,
        key: Option<AnswerKey>,
        make: impl FnOnce() -> ApiResult<T>,
    ) -> ApiResult<Response> {
        let fresh = || match serde_json::to_vec(&make()?) {
            Ok(json) => Ok(KeptAnswer::new(json.into_boxed_slice().into())),
            Err(error) => Err(ApiError::Internal(error.into())),
        };
        let Some(key) = key else {
            // Nobody else gets this answer: compressing it is left to whoever serves it.
            return Ok(self.respond(&fresh()?, Encoding::Plain));
        };
        let answer = match self.state.answers.get(&key) {
            Some(kept) => kept,
            None => self.state.answers.keep(key, fresh()?),
        };
        let accepted = self.headers.get(header::ACCEPT_ENCODING).and_then(|value| value.to_str().ok());
        let encoding = Encoding::best(accepted.unwrap_or_default());
        if !answer.is_ready(encoding) {
            let answer = Arc::clone(&answer);
            let packed = tokio::task::spawn_blocking(move || drop(answer.encoded(encoding))).await;
            packed.map_err(|error| ApiError::Internal(error.into()))?;
        }
        Ok(self.respond(&answer, encoding))
    }

    /// Sends an answer, or says that the asker has it already. A browser asks again each time: what a viewer may watch
    /// changes under them.
    fn respond(&self, answer: &KeptAnswer, encoding: Encoding) -> Response {
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

/// A list as a whole.
pub(super) fn whole<T>(data: Vec<T>) -> Page<T> {
    let total = data.len() as u64;
    Page { data, meta: Meta { total, limit: total, offset: 0 } }
}

/// Which part of a list is asked for.
#[derive(Debug, Clone, Default, Deserialize, utoipa::IntoParams)]
#[into_params(parameter_in = Query)]
pub struct PartQuery {
    /// At most so many items: 1 to 100; 24 when nothing is said.
    #[param(minimum = 1, maximum = 100)]
    pub limit: Option<u64>,
    /// Leaving out so many.
    #[param(minimum = 0, maximum = 1_000_000)]
    pub offset: Option<u64>,
    /// 1 for all of them.
    #[param(minimum = 0, maximum = 1)]
    pub no_limit: Option<u8>,
}

impl PartQuery {
    /// The part, `default` items when nothing is said.
    ///
    /// # Errors
    /// 400 for numbers out of bounds.
    pub fn part(&self, default: u64) -> ApiResult<Part> {
        let limit = self.limit.unwrap_or(default);
        let offset = self.offset.unwrap_or(0);
        let no_limit = self.no_limit.unwrap_or(0);
        in_bounds("limit", (1..=MAX_LIMIT).contains(&limit), "1 to 100")?;
        in_bounds("offset", offset <= 1_000_000, "0 to 1000000")?;
        in_bounds("no_limit", no_limit <= 1, "0 or 1")?;
        Ok(Part { limit: (no_limit == 0).then_some(limit), offset })
    }

    /// The part, with the default of lists.
    ///
    /// # Errors
    /// 400 for numbers out of bounds.
    pub fn usual(&self) -> ApiResult<Part> {
        self.part(DEFAULT_LIMIT)
    }
}

fn in_bounds(field: &str, holds: bool, bounds: &str) -> ApiResult<()> {
    if holds { Ok(()) } else { Err(ApiError::malformed(field, format!("{field} must be {bounds}"))) }
}

/// One of a few words; nothing when absent or empty.
pub(super) fn choice<T: Copy>(field: &str, value: Option<&str>, choices: &[(&str, T)]) -> ApiResult<Option<T>> {
    let Some(value) = value.map(str::trim).filter(|value| !value.is_empty()) else { return Ok(None) };
    let found = choices.iter().find(|(name, _)| *name == value).map(|&(_, choice)| choice);
    let names: Vec<_> = choices.iter().map(|&(name, _)| name).collect();
    found.map(Some).ok_or_else(|| ApiError::field(field, "invalid", messages::one_of(field, &names)))
}

/// Words between commas; none when absent.
pub(super) fn words(field: &str, value: Option<&str>) -> ApiResult<Vec<String>> {
    let value = value.unwrap_or_default();
    let words: Vec<_> = value.split(',').map(str::trim).filter(|word| !word.is_empty()).map(str::to_owned).collect();
    if words.len() > MAX_VALUES || words.iter().any(|word| word.chars().count() > MAX_VALUE) {
        return Err(ApiError::malformed(field, format!("{field} has too many or too long values")));
    }
    Ok(words)
}

/// Ids between commas.
pub(super) fn ids(field: &str, value: Option<&str>) -> ApiResult<Vec<i64>> {
    let id = |word: String| word.parse().map_err(|_| ApiError::malformed(field, format!("{field} must be ids")));
    words(field, value)?.into_iter().map(id).collect()
}

/// A short text.
pub(super) fn text(field: &str, value: Option<&str>) -> ApiResult<Option<String>> {
    match value.map(str::trim).filter(|value| !value.is_empty()) {
        Some(value) if value.chars().count() > MAX_VALUE => {
            Err(ApiError::field(field, "invalid", messages::shorter_than(MAX_VALUE + 1)))
        }
        value => Ok(value.map(str::to_owned)),
    }
}
