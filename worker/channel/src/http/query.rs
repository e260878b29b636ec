//! Query strings and path ids, with faults in the API's error format.

use axum::extract::{FromRequestParts, Path, Query as AxumQuery};
use axum::http::Uri;
use axum::http::request::Parts;
use serde::de::DeserializeOwned;
use utoipa::IntoParams;

use super::error::{ApiError, ApiResult};

/// The key of `GET` and `DELETE` calls, for the API document. [`super::Caller`] reads it.
#[derive(Debug, IntoParams)]
#[into_params(parameter_in = Query)]
pub(crate) struct ApiKeyQuery {
    /// The API key.
    #[param(max_length = 128)]
    #[expect(dead_code, reason = "`Caller` reads it from the query")]
    api_key: String,
}

/// A query string.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Query<T>(pub(crate) T);

impl<T: DeserializeOwned> Query<T> {
    /// Parses the query of a URI.
    ///
    /// # Errors
    /// Fails with 400 for a query that cannot be parsed.
    pub(crate) fn of(uri: &Uri) -> ApiResult<Self> {
        match AxumQuery::<T>::try_from_uri(uri) {
            Ok(AxumQuery(query)) => Ok(Self(query)),
            Err(rejection) => Err(ApiError::malformed("query", rejection.body_text())),
        }
    }
}

impl<T: DeserializeOwned, S: Send + Sync> FromRequestParts<S> for Query<T> {
    type Rejection = ApiError;

    async fn from_request_parts(parts: &mut Parts, _: &S) -> Result<Self, ApiError> {
        Self::of(&parts.uri)
    }
}

/// The id in a path. Anything but a number is a 404.
#[derive(Debug, Clone, Copy)]
pub(crate) struct PathId(pub(crate) i64);

impl<S: Send + Sync> FromRequestParts<S> for PathId {
    type Rejection = ApiError;

    async fn from_request_parts(parts: &mut Parts, state: &S) -> Result<Self, ApiError> {
        match Path::<i64>::from_request_parts(parts, state).await {
            Ok(Path(id)) => Ok(Self(id)),
            Err(_) => Err(ApiError::NotFound),
        }
    }
}

/// The two ids in a path. Anything but numbers is a 404.
#[derive(Debug, Clone, Copy)]
pub(crate) struct PathIds(pub(crate) i64, pub(crate) i64);

impl<S: Send + Sync> FromRequestParts<S> for PathIds {
    type Rejection = ApiError;

    async fn from_request_parts(parts: &mut Parts, state: &S) -> Result<Self, ApiError> {
        match Path::<(i64, i64)>::from_request_parts(parts, state).await {
            Ok(Path((first, second))) => Ok(Self(first, second)),
            Err(_) => Err(ApiError::NotFound),
        }
    }
}

/// The name in a path. Invalid text is a 404.
#[derive(Debug, Clone)]
pub struct PathName(pub String);

impl<S: Send + Sync> FromRequestParts<S> for PathName {
    type Rejection = ApiError;

    async fn from_request_parts(parts: &mut Parts, state: &S) -> Result<Self, ApiError> {
        match Path::<String>::from_request_parts(parts, state).await {
            Ok(Path(name)) => Ok(Self(name)),
            Err(_) => Err(ApiError::NotFound),
        }
    }
}
