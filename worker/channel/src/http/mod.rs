//! Shared parts of every call: error format, bodies, queries, caller and the worker's state.

pub mod body;
pub mod caller;
pub mod client;
pub(crate) mod device_cookies;
pub(crate) mod effects;
pub(crate) mod error;
pub mod idempotency;
pub(crate) mod no_store;
pub(crate) mod openapi;
pub(crate) mod query;
pub(crate) mod state;
pub(crate) mod validation;

pub(crate) use crate::messages;
pub(crate) use body::{Body, Keyed, WithKey};
pub use caller::Caller;
pub use client::Client;
pub use error::ApiError;
pub(crate) use error::ApiResult;
pub(crate) use no_store::NoStore;
pub(crate) use openapi::{AccountFailures, KeyedFailures, PersonFailures, PublicFailures};
pub use query::PathName;
pub(crate) use query::{ApiKeyQuery, PathId, PathIds, Query};
pub use state::AppState;
