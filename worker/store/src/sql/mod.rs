//! The statements: plain SQL with numbered parameters that both SQLite and PostgreSQL accept.
//!
//! Each backend includes this folder as a module and compiles it against its own driver. The `use` below lists what a
//! backend provides. Differences between the dialects are macros of the backend.

/// Column names, each prefixed with `$of`, such as `"c."`. A statement with `*` fails on connections that have prepared
/// it after a newer version adds a column.
macro_rules! columns {
    ($of:literal, $first:ident $(, $column:ident)*) => {
        concat!($of, stringify!($first) $(, ", ", $of, stringify!($column))*)
    };
}

mod audit_log;
mod bookkeeping;
mod cards;
mod charge_rows;
mod charges;
mod claims;
mod clips;
mod erasures;
mod event_scores;
mod favorites;
mod forms;
mod idempotency;
mod keys;
mod lake_rows;
mod mails;
pub(super) mod maintenance;
mod order_rows;
mod order_transitions;
mod orders;
mod playback;
mod promo_codes;
mod rate_limits;
mod receipts;
mod sandbox;
mod searches;
mod site_files;
mod statuses;
mod tokens;
mod trials;
mod upstream;
mod users;
mod viewer_events;
mod webhooks;
mod write;

pub(super) use claims::Claiming;
use touchline_protocol::time::rfc3339;
pub(super) use write::{Subject, Write};

use super::{
    Announcer, Connection, Db, IS_SHARED, MAX_CLAIMED_CLIPS, SqlStore, claim_jobs, next_id, numbers_of, receipt_letter,
    skip_locked, texts_of, unclaimed,
};
use crate::{StoreError, StoreResult};

/// The stored string of a protocol value, equal to its serialised form.
fn to_text<T: serde::Serialize>(value: &T) -> StoreResult<String> {
    match serde_json::to_value(value).map_err(StoreError::encoding)? {
        serde_json::Value::String(text) => Ok(text),
        other => Err(StoreError::encoding(format!("{other} is not a string"))),
    }
}

pub(super) fn from_text<T: serde::de::DeserializeOwned>(text: String) -> StoreResult<T> {
    serde_json::from_value(serde_json::Value::String(text)).map_err(StoreError::encoding)
}

fn list<T: serde::Serialize>(items: &[T]) -> StoreResult<String> {
    serde_json::to_string(items).map_err(StoreError::encoding)
}

fn from_list<T: serde::de::DeserializeOwned>(text: &str) -> StoreResult<Vec<T>> {
    serde_json::from_str(text).map_err(StoreError::encoding)
}
