//! `Idempotency-Key`: one effect for one key, however often it is sent. Scope: person and call, 7 days.

use std::collections::BTreeMap;

use axum::Json;
use axum::http::{HeaderMap, StatusCode, header};
use axum::response::{IntoResponse, Response};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use sha2::{Digest, Sha256};
use touchline_protocol::clips::ClipStatus;
use touchline_protocol::codes::ErrorCode;
use touchline_protocol::envelope::Data;
use touchline_protocol::limits::Limit;
use touchline_protocol::purchases::OrderStatus;
use touchline_store::idempotency::DERIVED_KEY;
use touchline_store::{IdempotencyClaim, StoredResponse};
use utoipa::openapi::RefOr;
use utoipa::{IntoParams, IntoResponses};

use super::effects::{Turn, answered};
use super::error::{ApiError, ApiResult};
use super::state::AppState;
use crate::messages;

/// Lifetime of a derived key, in milliseconds: longer than a browser or a proxy repeats a request.
pub const WINDOW_MS: i64 = 60_000;
/// The rows of the limits table.
pub(crate) const LIMITS: &[Limit] = &[Limit::millis(
    "idempotency.derived_for",
    WINDOW_MS as u64,
    "How long equal requests without an Idempotency-Key have one effect.",
)];
/// The header.
pub const HEADER: &str = "idempotency-key";

/// Which call of whom an effect is of.
#[derive(Debug, Clone)]
pub struct CallOf {
    /// The person.
    pub user_id: i64,
    /// The call.
    pub call: &'static str,
    /// Of the body.
    pub fingerprint: [u8; 32],
}

/// Does `effect` once for each key; without a key each request is one of its own.
///
/// `effect` hands the claim to the method of the store that does it, which keeps the answer in the same transaction: a
/// worker that dies has done both or neither.
///
/// # Errors
/// As `effect`; 400 for a key of another shape, 409 for one that was used with another body.
pub async fn once<T: Serialize>(
    state: &AppState,
    headers: &HeaderMap,
    of: CallOf,
    effect: impl AsyncFnOnce(Option<IdempotencyClaim>) -> ApiResult<T>,
) -> ApiResult<Response> {
    if !headers.contains_key(HEADER) {
        return Ok(Json(Data::of(effect(None).await?)).into_response());
    }
    let CallOf { user_id, call, fingerprint } = of;
    let (call, key, fingerprint) = (call.to_owned(), required_key(headers)?, hex::encode(fingerprint));
    let claim = IdempotencyClaim { user_id, call, key, fingerprint };
    let _twins_wait = match state.effects.turn(state.store(), &claim, state.clock.now_ms()).await? {
        Turn::Answered(answer) => return Ok(replay(answer)),
        Turn::First(guard) => guard,
    };
    match effect(Some(claim.clone())).await {
        Ok(data) => Ok(Json(Data::of(data)).into_response()),
        // A twin may have done it meanwhile, and be why it is refused now: at another worker, or for a caller who went away
        // while it was being committed.
        Err(refused) => match answered(state.store(), &claim, state.clock.now_ms()).await? {
            Some(answer) => Ok(replay(answer)),
            None => Err(refused),
        },
    }
}

/// As [`once`]; a request without a key gets one that is derived from its caller and body, for [`WINDOW_MS`]: pressed
/// twice, it has one effect. A request after the effect has failed is a new one (`CALL-12`).
///
/// # Errors
/// As [`once`].
pub async fn once_without_key<T: Serialize>(
    state: &AppState,
    headers: &HeaderMap,
    of: CallOf,
    creates: Creates,
    effect: impl AsyncFnOnce(Option<IdempotencyClaim>) -> ApiResult<T>,
) -> ApiResult<Response> {
    if headers.contains_key(HEADER) {
        return once(state, headers, of, effect).await;
    }
    let CallOf { user_id, call, fingerprint } = of;
    let (call, fingerprint) = (call.to_owned(), hex::encode(fingerprint));
    let prefix = format!("{DERIVED_KEY}{fingerprint}");
    let mut claim = IdempotencyClaim { user_id, call, key: prefix.clone(), fingerprint };
    let _twins_wait = state.effects.lock(&claim).await;
    let last_id = match earlier(state, &claim, &prefix, creates).await? {
        Earlier::Current(answer) => return Ok(replay(answer)),
        Earlier::Ended(id) => id,
    };
    // Twins at two workers derive the same key, so that one of them alone has the effect. The digits keep keys in order.
    claim.key = format!("{prefix}:{last_id:016}");
    match effect(Some(claim.clone())).await {
        Ok(data) => Ok(Json(Data::of(data)).into_response()),
        // As in `once`: a twin at another worker may be why it is refused.
        Err(refused) => match earlier(state, &claim, &prefix, creates).await? {
            Earlier::Current(answer) => Ok(replay(answer)),
            Earlier::Ended(_) => Err(refused),
        },
    }
}

/// The record that a call creates.
#[derive(Debug, Clone, Copy)]
pub enum Creates {
    /// An order.
    Order,
    /// A clip.
    Clip,
}

impl Creates {
    /// Whether the record has failed, or is no longer there.
    async fn has_failed(self, state: &AppState, user_id: i64, id: i64) -> ApiResult<bool> {
        Ok(match self {
            Self::Order => {
                let record = state.store.order(user_id, id).await?;
                record.is_none_or(|record| !matches!(record.order.status, OrderStatus::Created | OrderStatus::Paid))
            }
            Self::Clip => {
                let record = state.store.clip(id).await?;
                record.is_none_or(|record| record.clip.status == ClipStatus::Failed)
            }
        })
    }
}

/// The last effect of equal requests without a key.
enum Earlier {
    /// It has not failed, and is no older than the window: its answer.
    Current(StoredResponse),
    /// It failed or is older: the id of its record, 0 if there was none.
    Ended(i64),
}

async fn earlier(state: &AppState, claim: &IdempotencyClaim, prefix: &str, creates: Creates) -> ApiResult<Earlier> {
    let Some(last) = state.store.derived_response(claim.user_id, &claim.call, prefix).await? else {
        return Ok(Earlier::Ended(0));
    };
    let id = id_of(&last.answer)?;
    let is_current =
        last.at >= state.clock.now_ms() - WINDOW_MS && !creates.has_failed(state, claim.user_id, id).await?;
    Ok(if is_current { Earlier::Current(last.answer) } else { Earlier::Ended(id) })
}

/// The id of what an answer created.
fn id_of(answer: &StoredResponse) -> ApiResult<i64> {
    let body: Data<Created> = serde_json::from_str(&answer.body).map_err(anyhow::Error::from)?;
    Ok(body.data.id)
}

#[derive(Deserialize)]
struct Created {
    id: i64,
}

/// The key of a call that takes one and needs none. For the document; [`once`] reads it.
#[derive(Debug, IntoParams)]
#[into_params(parameter_in = Header)]
pub struct MaybeKey {
    /// Of the effect: the same key gives the same answer. 1 to 128 characters.
    #[param(rename = "Idempotency-Key", min_length = 1, max_length = 128, example = "3f0c7a52-effect")]
    #[expect(dead_code, reason = "read from the headers, where a key of another shape is told apart from none")]
    key: Option<String>,
}

/// The failure of a call that takes a key. For the document.
#[derive(Debug, Clone, Copy)]
pub struct KeyConflict;

impl IntoResponses for KeyConflict {
    fn responses() -> BTreeMap<String, RefOr<utoipa::openapi::Response>> {
        [super::openapi::documented(409, "the Idempotency-Key was used with another body")].into()
    }
}

/// The key that a request carries.
///
/// # Errors
/// 400 for one that is missing, longer than 128 characters, or not plain ASCII.
pub fn required_key(headers: &HeaderMap) -> ApiResult<String> {
    let value = headers
        .get(HEADER)
        .ok_or_else(|| ApiError::field(HEADER, ErrorCode::IdempotencyKeyRequired, messages::IDEMPOTENCY_REQUIRED))?;
    match value.to_str().map(str::trim) {
        Ok(key) if (1..=128).contains(&key.len()) => Ok(key.to_owned()),
        _ => Err(ApiError::malformed(HEADER, "1 to 128 plain characters are needed")),
    }
}

/// The answer that was given before, byte for byte.
fn replay(answer: StoredResponse) -> Response {
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
