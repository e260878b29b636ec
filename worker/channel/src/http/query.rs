//! Query strings and path ids, with faults in the house's shape.

use axum::extract::{FromRequestParts, Path, Query as AxumQuery};
use axum::http::Uri;
use axum::http::request::Parts;
use serde::Deserialize;
use serde::de::DeserializeOwned;
use utoipa::IntoParams;

use super::error::{ApiError, ApiResult};

/// The key that `GET` and `DELETE` carry. For the document; [`super::Caller`] reads it.
#[derive(Debug, Clone, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub struct ApiKeyQuery {
    /// The API key.
    #[param(max_length = 128)]
    pub api_key: String,
}

/// A query string.
#[derive(Debug, Clone, Copy)]
pub struct Query<T>(pub T);

impl<T: DeserializeOwned> Query<T> {
    /// The query of an address.
    ///
    /// # Errors
    /// 400 for one that cannot be read.
    pub fn of(uri: &Uri) -> ApiResult<Self> {
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

/// The id in a path. One that is no number names nothing: 404.
#[derive(Debug, Clone, Copy)]
pub struct PathId(pub i64);

impl<S: Send + Sync> FromRequestParts<S> for PathId {
    type Rejection = ApiError;

    async fn from_request_parts(parts: &mut Parts, state: &S) -> Result<Self, ApiError> {
        match Path::<i64>::from_request_parts(parts, state).await {
            Ok(Path(id)) => Ok(Self(id)),
            Err(_) => Err(ApiError::NotFound),
        }
    }
}

/// The two ids in a path. One that is no number names nothing: 404.
#[derive(Debug, Clone, Copy)]
pub struct PathIds(pub i64, pub i64);

impl<S: Send + Sync> FromRequestParts<S> for PathIds {
    type Rejection = ApiError;

    async fn from_request_parts(parts: &mut Parts, state: &S) -> Result<Self, ApiError> {
        match Path::<(i64, i64)>::from_request_parts(parts, state).await {
            Ok(Path((first, second))) => Ok(Self(first, second)),
            Err(_) => Err(ApiError::NotFound),
        }
    }
}

/// The name in a path. One that is no text names nothing: 404.
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
