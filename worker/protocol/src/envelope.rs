//! The shapes of every HTTP answer: `{"data": …}`, lists with `meta`, failures with `message`, `code`, `errors`.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::codes;
use crate::purchases::CurrentPrice;

/// A success: always status 200.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct Data<T> {
    /// What was asked for.
    pub data: T,
}

impl<T> Data<T> {
    /// Wraps what was asked for.
    pub fn of(data: T) -> Self {
        Self { data }
    }
}

/// A list, or the part of it that `limit` and `offset` name.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct Page<T> {
    /// The items, in order.
    pub data: Vec<T>,
    /// Where this part stands in the whole.
    pub meta: Meta,
}

/// Where a part of a list stands in the whole.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct Meta {
    /// How many items there are in all.
    #[schema(example = 1)]
    pub total: u64,
    /// How many were asked for at most; equal to `total` when no limit was given.
    #[schema(example = 1)]
    pub limit: u64,
    /// How many were left out before the first one.
    #[schema(example = 0)]
    pub offset: u64,
}

/// A failure.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct Failure {
    /// What happened, for a person; from the error catalogue.
    pub message: String,
    /// What happened, for a program: `snake_case`, stable; one of [`codes::CODES`].
    #[schema(schema_with = codes::schema)]
    pub code: String,
    /// What is wrong with which field; empty when no field is to blame.
    #[serde(default)]
    pub errors: BTreeMap<String, Vec<String>>,
    /// What is asked for now, where the code is `price_changed`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub price: Option<Box<CurrentPrice>>,
}

impl Failure {
    /// A failure that blames no field.
    pub fn new(code: &str, message: impl Into<String>) -> Self {
        debug_assert!(codes::is_known(code), "the document does not name the code {code}");
        Self { message: message.into(), code: code.to_owned(), errors: BTreeMap::new(), price: None }
    }

    /// Adds a fault of one field.
    #[must_use]
    pub fn field(mut self, field: &str, fault: impl Into<String>) -> Self {
        self.errors.entry(field.to_owned()).or_default().push(fault.into());
        self
    }
}

/// The answer of a call that has nothing to tell but that it is done.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct Done {
    /// Always true.
    #[schema(example = true)]
    pub ok: bool,
}

/// The one [`Done`].
pub const DONE: Done = Done { ok: true };
