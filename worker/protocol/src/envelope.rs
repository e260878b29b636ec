//! Response envelopes: `{"data": …}`, lists with `meta`, and errors with `message`, `code` and `errors`.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::codes::{self, ErrorCode};
use crate::purchases::CurrentPrice;

/// A successful response. The status is always 200.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct Data<T> {
    /// The requested resource.
    pub data: T,
}

impl<T> Data<T> {
    /// Wraps a resource in a response.
    pub fn of(data: T) -> Self {
        Self { data }
    }
}

/// A list, or the part of it selected by `limit` and `offset`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct Page<T> {
    /// The items, in order.
    pub data: Vec<T>,
    /// Pagination of the list.
    pub meta: Meta,
}

/// Pagination of a list.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct Meta {
    /// Total number of items.
    #[schema(example = 1)]
    pub total: u64,
    /// Maximum number of items requested. Equals `total` if no limit was given.
    #[schema(example = 1)]
    pub limit: u64,
    /// Number of items skipped before the first one.
    #[schema(example = 0)]
    pub offset: u64,
}

/// An error response.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct Failure {
    /// Message for the viewer.
    pub message: String,
    /// Stable `snake_case` code for programs.
    #[schema(schema_with = codes::schema)]
    pub code: ErrorCode,
    /// Messages by field. Empty if the error isn't about a field.
    #[serde(default)]
    pub errors: BTreeMap<String, Vec<String>>,
    /// The current price, if the code is `price_changed`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub price: Option<Box<CurrentPrice>>,
}

impl Failure {
    /// An error that isn't about a field.
    pub fn new(code: ErrorCode, message: impl Into<String>) -> Self {
        Self { message: message.into(), code, errors: BTreeMap::new(), price: None }
    }

    /// Adds a message about one field.
    #[must_use]
    pub fn field(mut self, field: &str, fault: impl Into<String>) -> Self {
        self.errors.entry(field.to_owned()).or_default().push(fault.into());
        self
    }
}

/// Response of a call that returns no resource.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct Done {
    /// Always `true`.
    #[schema(example = true)]
    pub ok: bool,
}

/// The only value of [`Done`].
pub const DONE: Done = Done { ok: true };
