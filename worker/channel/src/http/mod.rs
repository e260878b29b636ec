//! What every call shares: the house's error shape, bodies, queries, who asks, and the parts of the worker.

pub mod body;
pub mod caller;
pub mod client;
pub mod effects;
pub mod error;
pub mod fallback;
pub mod idempotency;
pub mod known_devices;
pub mod no_store;
pub mod openapi;
pub mod query;
pub mod state;
pub mod validation;

pub use crate::messages;
pub use body::{Body, Keyed, WithKey};
pub use caller::Caller;
pub use client::Client;
pub use error::{ApiError, ApiResult};
pub use no_store::NoStore;
pub use openapi::{AccountFailures, KeyedFailures, PersonFailures, PublicFailures};
pub use query::{ApiKeyQuery, PathId, PathIds, PathName, Query};
pub use state::AppState;
