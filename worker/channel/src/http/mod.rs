//! What every call shares: the house's error shape, bodies, queries, and who asks.

pub mod body;
pub mod caller;
pub mod client;
pub mod error;
pub mod fallback;
pub mod idempotency;
pub mod messages;
pub mod no_store;
pub mod openapi;
pub mod query;
pub mod validation;

pub use body::{Body, Keyed, WithKey};
pub use caller::{Caller, Identity};
pub use client::Client;
pub use error::{ApiError, ApiResult};
pub use no_store::NoStore;
pub use openapi::{AccountFailures, KeyedFailures, PersonFailures, PublicFailures};
pub use query::{ApiKeyQuery, PathId, PathIds, PathName, Query};
