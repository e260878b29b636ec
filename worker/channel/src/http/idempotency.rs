//! `Idempotency-Key`: one effect for one key, however often it is sent. Scope: person and call, 7 days.

use std::collections::HashMap;
use std::sync::Arc;

use axum::http::{HeaderMap, StatusCode, header};
use axum::response::{IntoResponse, Response};
use parking_lot::Mutex;
use serde::Serialize;
use serde_json::Value;
use sha2::{Digest, Sha256};
use tokio::sync::OwnedMutexGuard;

use super::error::{ApiError, ApiResult};
use super::messages;
use crate::store::{IdempotentAnswer, Store, StoreError};

/// How long a key is remembered, milliseconds.
pub const REMEMBERED_MS: i64 = 7 * 24 * 3600 * 1000;
/// The header.
pub const HEADER: &str = "idempotency-key";

/// Which effect a request asks for.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Effect {
    /// The person.
    pub user_id: i64,
    /// The call, e.g. `stripe/buy`.
    pub call: &'static str,
    /// What the header says.
    pub key: String,
}

/// The effects that are under way in this worker: a concurrent twin waits for the first.
#[derive(Debug, Default)]
pub struct EffectsUnderWay(Mutex<HashMap<Effect, Arc<tokio::sync::Mutex<()>>>>);

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
    /// Which effect.
    pub effect: Effect,
    /// Of the request.
    pub fingerprint: String,
}

impl Hold {
    /// What the transaction must store beside the effect.
    ///
    /// # Errors
    /// When the answer cannot be written as JSON.
    pub fn answer<T: Serialize>(&self, answer: &T) -> Result<IdempotentAnswer, StoreError> {
        Ok(IdempotentAnswer {
            user_id: self.effect.user_id,
            call: self.effect.call.to_owned(),
            key: self.effect.key.clone(),
            fingerprint: self.fingerprint.clone(),
            body: serde_json::to_string(answer).map_err(StoreError::encoding)?,
        })
    }
}

impl EffectsUnderWay {
    /// Waits for a twin, then tells whether the request was answered before.
    ///
    /// # Errors
    /// 409 for a key that was used with another body.
    pub async fn turn(&self, store: &dyn Store, effect: Effect, fingerprint: [u8; 32]) -> ApiResult<Turn> {
        let fingerprint = hex::encode(fingerprint);
        let lock = {
            let mut under_way = self.0.lock();
            under_way.retain(|_, lock| Arc::strong_count(lock) > 1);
            Arc::clone(under_way.entry(effect.clone()).or_default())
        };
        let guard = lock.lock_owned().await;
        match store.idempotent_answer(effect.user_id, effect.call, &effect.key).await? {
            Some(answer) if answer.fingerprint == fingerprint => Ok(Turn::Answered(answer)),
            Some(_) => {
                Err(ApiError::Conflict { code: "idempotency_conflict", message: messages::IDEMPOTENCY_CONFLICT })
            }
            None => Ok(Turn::First(Hold { _guard: guard, effect, fingerprint })),
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
