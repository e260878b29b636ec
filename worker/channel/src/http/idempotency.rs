//! `Idempotency-Key`: one effect for one key, however often it is sent. Scope: person and call, 7 days.

use std::collections::HashMap;
use std::sync::Arc;

use axum::http::{HeaderMap, StatusCode, header};
use axum::response::{IntoResponse, Response};
use parking_lot::Mutex;
use serde_json::Value;
use sha2::{Digest, Sha256};
use tokio::sync::OwnedMutexGuard;

use super::error::{ApiError, ApiResult};
use super::messages;
use crate::store::{IdempotencyClaim, IdempotentAnswer, Store};

/// How long a key is remembered, milliseconds.
pub const REMEMBERED_MS: i64 = 7 * 24 * 3600 * 1000;
/// The header.
pub const HEADER: &str = "idempotency-key";

/// The effects that are under way in this worker: a concurrent twin waits for the first.
#[derive(Debug, Default)]
pub struct EffectsUnderWay(Mutex<HashMap<Effect, Arc<tokio::sync::Mutex<()>>>>);

/// Person, call and key.
type Effect = (i64, String, String);

/// What is to be done about a request.
#[derive(Debug)]
pub enum Turn {
    /// It was answered before: this is the answer.
    Answered(IdempotentAnswer),
    /// It is new: do it, and store its answer in the same transaction.
    First(Hold),
}

/// Keeps twins waiting until it is dropped.
#[derive(Debug)]
pub struct Hold {
    _guard: OwnedMutexGuard<()>,
    /// For the transaction.
    pub claim: IdempotencyClaim,
}

impl EffectsUnderWay {
    /// Waits for a twin, then tells whether the request was answered before.
    ///
    /// # Errors
    /// 409 for a key that was used with another body.
    pub async fn turn(&self, store: &dyn Store, claim: IdempotencyClaim, now_ms: i64) -> ApiResult<Turn> {
        let lock = {
            let mut under_way = self.0.lock();
            under_way.retain(|_, lock| Arc::strong_count(lock) > 1);
            let effect = (claim.user_id, claim.call.clone(), claim.key.clone());
            Arc::clone(under_way.entry(effect).or_default())
        };
        let guard = lock.lock_owned().await;
        let since = now_ms - REMEMBERED_MS;
        match store.idempotent_answer(claim.user_id, &claim.call, &claim.key, since).await? {
            Some(answer) if answer.fingerprint == claim.fingerprint => Ok(Turn::Answered(answer)),
            Some(_) => {
                Err(ApiError::Conflict { code: "idempotency_conflict", message: messages::IDEMPOTENCY_CONFLICT })
            }
            None => Ok(Turn::First(Hold { _guard: guard, claim })),
        }
    }
}

/// The key that a request carries.
///
/// # Errors
/// 400 for one that is missing, longer than 128 characters, or not plain ASCII.
pub fn required_key(headers: &HeaderMap) -> ApiResult<String> {
    let value = headers
        .get(HEADER)
        .ok_or_else(|| ApiError::field(HEADER, "idempotency_key_required", messages::IDEMPOTENCY_REQUIRED))?;
    match value.to_str().map(str::trim) {
        Ok(key) if (1..=128).contains(&key.len()) => Ok(key.to_owned()),
        _ => Err(ApiError::malformed(HEADER, "1 to 128 plain characters are needed")),
    }
}

/// The answer that was given before, byte for byte.
pub fn replay(answer: IdempotentAnswer) -> Response {
    (StatusCode::OK, [(header::CONTENT_TYPE, "application/json")], answer.body).into_response()
}

/// SHA-256 of a body with the fields of every object in order.
pub fn fingerprint(body: &Value) -> [u8; 32] {
    let mut hash = Sha256::new();
    feed(body, &mut hash);
    hash.finalize().into()
}

/// Every value is fed with its kind and length first, so that no two bodies are fed alike.
fn feed(value: &Value, hash: &mut Sha256) {
    let text = |kind: u8, text: &str, hash: &mut Sha256| {
        hash.update([kind]);
        hash.update((text.len() as u64).to_le_bytes());
        hash.update(text);
    };
    match value {
        Value::Null => hash.update(b"n"),
        Value::Bool(flag) => hash.update(if *flag { b"t" } else { b"f" }),
        Value::Number(number) => text(b'#', &number.to_string(), hash),
        Value::String(string) => text(b's', string, hash),
        Value::Array(items) => {
            text(b'a', &items.len().to_string(), hash);
            items.iter().for_each(|item| feed(item, hash));
        }
        Value::Object(fields) => {
            let mut sorted: Vec<_> = fields.iter().collect();
            sorted.sort_by_key(|(name, _)| *name);
            text(b'o', &sorted.len().to_string(), hash);
            for (name, value) in sorted {
                text(b'k', name, hash);
                feed(value, hash);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn the_order_of_fields_does_not_count_and_their_values_do() {
        assert_eq!(fingerprint(&json!({"a": 1, "b": [2]})), fingerprint(&json!({"b": [2], "a": 1})));
        assert_ne!(fingerprint(&json!({"a": 1})), fingerprint(&json!({"a": "1"})));
        assert_ne!(fingerprint(&json!({"a": [1, 2]})), fingerprint(&json!({"a": [2, 1]})));
        assert_ne!(fingerprint(&json!({"a": {"b": 1}})), fingerprint(&json!({"a": {}, "b": 1})));
    }
}
