//! `Idempotency-Key`: one effect per key, however often the request is sent. A key is scoped to person and call, for 7
//! days.

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

/// Lifetime of a derived key, in milliseconds: longer than browsers and proxies repeat a request.
pub const WINDOW_MS: i64 = 60_000;
pub(crate) const LIMITS: &[Limit] = &[Limit::millis(
    "idempotency.derived_for",
    WINDOW_MS as u64,
    "How long identical requests without an Idempotency-Key count as one.",
)];
/// Name of the header.
pub const HEADER: &str = "idempotency-key";

/// Identity of a request with an effect.
#[derive(Debug, Clone)]
pub struct CallIdentity {
    /// The person's id.
    pub user_id: i64,
    /// Name of the call.
    pub call: &'static str,
    /// Fingerprint of the body.
    pub fingerprint: [u8; 32],
}

/// Runs `effect` once per key. Without a key, each request is distinct.
///
/// `effect` passes the claim to the store's method, which saves the response in the same transaction: a worker that
/// dies has done both or neither.
///
/// # Errors
/// Fails as `effect` does, with 400 for an invalid key, and with 409 for a key that was used with another body.
pub async fn once<T: Serialize>(
    state: &AppState,
    headers: &HeaderMap,
    of: CallIdentity,
    effect: impl AsyncFnOnce(Option<IdempotencyClaim>) -> ApiResult<T>,
) -> ApiResult<Response> {
    if !headers.contains_key(HEADER) {
        return Ok(Json(Data::of(effect(None).await?)).into_response());
    }
    let CallIdentity { user_id, call, fingerprint } = of;
    let (call, key, fingerprint) = (call.to_owned(), required_key(headers)?, hex::encode(fingerprint));
    let claim = IdempotencyClaim { user_id, call, key, fingerprint };
    let _lock = match state.effects.turn(state.store(), &claim, state.clock.now_ms()).await? {
        Turn::Answered(answer) => return Ok(replay(answer)),
        Turn::First(guard) => guard,
    };
    match effect(Some(claim.clone())).await {
        Ok(data) => Ok(Json(Data::of(data)).into_response()),
        // A duplicate may have succeeded meanwhile and be the reason for the refusal: at another worker, or for a
        // caller who disconnected during the commit.
        Err(refused) => match answered(state.store(), &claim, state.clock.now_ms()).await? {
            Some(answer) => Ok(replay(answer)),
            None => Err(refused),
        },
    }
}

/// Works like [`once`], but derives a missing key from caller and body for [`WINDOW_MS`], so that a double press has
/// one effect. A request after a failed effect is a new one (`CALL-12`).
///
/// # Errors
/// Fails as [`once`] does.
pub(crate) async fn once_without_key<T: Serialize>(
    state: &AppState,
    headers: &HeaderMap,
    of: CallIdentity,
    created_record: CreatedRecord,
    effect: impl AsyncFnOnce(Option<IdempotencyClaim>) -> ApiResult<T>,
) -> ApiResult<Response> {
    if headers.contains_key(HEADER) {
        return once(state, headers, of, effect).await;
    }
    let CallIdentity { user_id, call, fingerprint } = of;
    let (call, fingerprint) = (call.to_owned(), hex::encode(fingerprint));
    let prefix = format!("{DERIVED_KEY}{fingerprint}");
    let mut claim = IdempotencyClaim { user_id, call, key: prefix.clone(), fingerprint };
    let _lock = state.effects.lock(&claim).await;
    let last_id = match earlier(state, &claim, &prefix, created_record).await? {
        Earlier::Current(answer) => return Ok(replay(answer)),
        Earlier::Ended(id) => id,
    };
    // Duplicates at two workers derive the same key, so that only one has the effect. The zero padding keeps keys in
    // order.
    claim.key = format!("{prefix}:{last_id:016}");
    match effect(Some(claim.clone())).await {
        Ok(data) => Ok(Json(Data::of(data)).into_response()),
        // As in `once`: a duplicate at another worker may be the reason for the refusal.
        Err(refused) => match earlier(state, &claim, &prefix, created_record).await? {
            Earlier::Current(answer) => Ok(replay(answer)),
            Earlier::Ended(_) => Err(refused),
        },
    }
}

/// Kind of record that a call creates.
#[derive(Debug, Clone, Copy)]
pub(crate) enum CreatedRecord {
    Order,
    Clip,
}

impl CreatedRecord {
    /// Whether the record has failed or no longer exists.
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

/// Latest effect of equal requests without a key.
enum Earlier {
    /// The response of an effect within the window that has not failed.
    Current(StoredResponse),
    /// Id of the record of a failed or older effect; 0 if there was none.
    Ended(i64),
}

async fn earlier(
    state: &AppState,
    claim: &IdempotencyClaim,
    prefix: &str,
    created_record: CreatedRecord,
) -> ApiResult<Earlier> {
    let Some(last) = state.store.derived_response(claim.user_id, &claim.call, prefix).await? else {
        return Ok(Earlier::Ended(0));
    };
    let id = id_of(&last.answer)?;
    let is_current =
        last.at >= state.clock.now_ms() - WINDOW_MS && !created_record.has_failed(state, claim.user_id, id).await?;
    Ok(if is_current { Earlier::Current(last.answer) } else { Earlier::Ended(id) })
}

/// Id of the record in a stored response.
fn id_of(answer: &StoredResponse) -> ApiResult<i64> {
    let body: Data<Created> = serde_json::from_str(&answer.body).map_err(anyhow::Error::from)?;
    Ok(body.data.id)
}

#[derive(Deserialize)]
struct Created {
    id: i64,
}

/// The optional key of a call, for the API document. [`once`] reads it.
#[derive(Debug, IntoParams)]
#[into_params(parameter_in = Header)]
pub(crate) struct MaybeKey {
    /// Identifies the request: the same key returns the same response. 1 to 128 characters.
    #[param(rename = "Idempotency-Key", min_length = 1, max_length = 128, example = "3f0c7a52-effect")]
    #[expect(dead_code, reason = "read from the headers, to distinguish an invalid key from none")]
    key: Option<String>,
}

/// The 409 of a call with an `Idempotency-Key`, for the API document.
#[derive(Debug, Clone, Copy)]
pub(crate) struct KeyConflict;

impl IntoResponses for KeyConflict {
    fn responses() -> BTreeMap<String, RefOr<utoipa::openapi::Response>> {
        [super::openapi::documented(409, "the Idempotency-Key was used with another body")].into()
    }
}

/// Reads a request's key.
///
/// # Errors
/// Fails with 400 for a key that is missing, longer than 128 characters, or not plain ASCII.
pub(crate) fn required_key(headers: &HeaderMap) -> ApiResult<String> {
    let value = headers
        .get(HEADER)
        .ok_or_else(|| ApiError::field(HEADER, ErrorCode::IdempotencyKeyRequired, messages::IDEMPOTENCY_REQUIRED))?;
    match value.to_str().map(str::trim) {
        Ok(key) if (1..=128).contains(&key.len()) => Ok(key.to_owned()),
        _ => Err(ApiError::malformed(HEADER, "must be 1 to 128 ASCII characters")),
    }
}

/// Repeats the stored response byte for byte.
fn replay(answer: StoredResponse) -> Response {
    (StatusCode::OK, [(header::CONTENT_TYPE, "application/json")], answer.body).into_response()
}

/// SHA-256 of a body with the fields of every object sorted.
pub fn fingerprint(body: &Value) -> [u8; 32] {
    let mut hash = Sha256::new();
    feed(body, &mut hash);
    hash.finalize().into()
}

/// Feeds the kind and length before each value, so that no two bodies hash the same input.
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
    fn the_fingerprint_depends_on_values_and_not_on_field_order() {
        assert_eq!(fingerprint(&json!({"a": 1, "b": [2]})), fingerprint(&json!({"b": [2], "a": 1})));
        assert_ne!(fingerprint(&json!({"a": 1})), fingerprint(&json!({"a": "1"})));
        assert_ne!(fingerprint(&json!({"a": [1, 2]})), fingerprint(&json!({"a": [2, 1]})));
        assert_ne!(fingerprint(&json!({"a": {"b": 1}})), fingerprint(&json!({"a": {}, "b": 1})));
    }
}
