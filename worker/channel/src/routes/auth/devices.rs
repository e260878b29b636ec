//! Devices: `POST /auth/session_code`, `POST /auth/add_session`, `GET /auth/sessions`, `DELETE /auth/sessions/{id}`
//! (`AUTH-5`, `CALL-11`).

use axum::Json;
use axum::extract::State;
use axum::http::HeaderMap;
use axum::response::Response;
use touchline_protocol::account::{AddSession, Device, SessionCode};
use touchline_protocol::ambient::Entropy;
use touchline_protocol::codes::ErrorCode;
use touchline_protocol::envelope::{DONE, Data, Done, Failure, Meta, Page};
use touchline_protocol::limits::Limit;
use touchline_store::{KeyId, KeyRecord, SessionCodeRecord};

use super::login::{fresh_key, refuse_logged_in};
use crate::auth::keyring::digest;
use crate::auth::limits::LimitedAction;
use crate::auth::passwords::LEGIBLE;
use crate::http::body::{KeyOnly, Nothing};
use crate::http::idempotency::{CallIdentity, KeyConflict, MaybeKey, once};
use crate::http::{
    AccountFailures, ApiError, ApiKeyQuery, ApiResult, AppState, Caller, Keyed, KeyedFailures, PathId, WithKey,
    messages,
};

/// Lifetime of a code.
const CODE_MS: i64 = 10 * 60_000;
const CODE_LENGTH: usize = 6;
pub(crate) const LIMITS: &[Limit] = &[
    Limit::count(
        "session_code",
        CODE_LENGTH as u64,
        "characters",
        "Characters of a device code, each one of 32. Attempts are limited by `guess`.",
    ),
    Limit::millis("session_code.works_for", CODE_MS as u64, "Lifetime of a device code."),
];

/// Issues a sign-in code to a device without a keyboard.
///
/// The device is signed in once the viewer enters the code on another device. If the device has a visitor's key, the
/// response includes a new key, which replaces it.
#[utoipa::path(
    post, path = "/api/auth/session_code", tag = "Keys and auth", request_body = KeyOnly,
    responses((status = 200, body = Data<SessionCode>), (status = 404, body = Failure, description = "not enabled for this channel"), KeyedFailures)
)]
pub(crate) async fn session_code(
    State(state): State<AppState>,
    headers: HeaderMap,
    Keyed { caller, .. }: Keyed<Nothing>,
) -> ApiResult<Json<Data<SessionCode>>> {
    require_remote_auth(&caller)?;
    refuse_logged_in(&caller)?;
    state.limits.take(LimitedAction::CodesByAddress, &caller.client.subject(), &*state.clock).await?;
    let now = state.clock.now_ms();
    // A visitor's token never becomes a person's key.
    let (api_key, device_key) = match caller.key_id {
        KeyId::Stored(_) => (None, None),
        KeyId::Token(_) => {
            let (secret, key) = fresh_key(&state, &caller, &headers);
            (Some(secret), Some(key))
        }
    };
    // A code has 30 bits, so that a collision is rare and three in a row are not expected.
    for _ in 0..3 {
        let code = draw_code(&*state.entropy);
        let record = SessionCodeRecord {
            code_hash: code_hash(&code),
            channel_key: caller.channel_key().to_owned(),
            key_id: caller.key_id,
            device_key: device_key.clone(),
            expires: now + CODE_MS,
        };
        if state.store.store_session_code(record, now).await? {
            return Ok(Json(Data::of(SessionCode { code, expires: (now + CODE_MS) / 1000, api_key })));
        }
    }
    Err(ApiError::Internal(anyhow::anyhow!("no session code is free")))
}

/// Signs in the device that displays this code.
#[utoipa::path(
    post, path = "/api/auth/add_session", tag = "Keys and auth", request_body = WithKey<AddSession>, params(MaybeKey),
    responses((status = 200, body = Data<Device>, links(("revoke" = (operation_id = "revoke_session", parameters(("id" = "$response.body#/data/id"), ("api_key" = "$request.body#/api_key")))))), (status = 404, body = Failure, description = "not enabled for this channel"), AccountFailures, KeyConflict)
)]
pub(crate) async fn add_session(
    State(state): State<AppState>,
    headers: HeaderMap,
    Keyed { caller, body, fingerprint }: Keyed<AddSession>,
) -> ApiResult<Response> {
    require_remote_auth(&caller)?;
    let user = caller.user(&state).await?;
    let of = CallIdentity { user_id: user.id, call: "auth/add_session", fingerprint };
    let linking = async |claim| {
        let code = body.code.trim().to_uppercase();
        // A code that is too short is not a guess and uses no attempt.
        if code.chars().count() < CODE_LENGTH {
            return Err(ApiError::field("code", ErrorCode::Validation, messages::longer_than(CODE_LENGTH - 1)));
        }
        // A code has only 30 bits, so attempts are counted before the check. A correct code is refunded.
        let counts = [
            (LimitedAction::Guess, format!("code:user:{}", user.id)),
            (LimitedAction::GuessByAddress, format!("code:at:{}", caller.client.subject())),
        ];
        for (action, subject) in &counts {
            state.limits.take(*action, subject, &*state.clock).await?;
        }
        let now = state.clock.now_ms();
        let linked = state.store.link_device(&code_hash(&code), caller.channel_key(), user.id, now, claim).await?;
        let device =
            linked.ok_or_else(|| ApiError::field("code", ErrorCode::WrongCode, messages::VERIFICATION_FAILED))?;
        for (action, subject) in &counts {
            state.limits.give_back(*action, subject).await;
        }
        state.keyring.forget(&[device.id]);
        Ok(device)
    };
    once(&state, &headers, of, linking).await
}

/// Returns the viewer's signed-in devices, newest first.
///
/// A device whose key was never used is omitted.
#[utoipa::path(
    get, path = "/api/auth/sessions", tag = "Keys and auth", params(ApiKeyQuery),
    responses((status = 200, body = Page<Device>), AccountFailures)
)]
pub(crate) async fn sessions(State(state): State<AppState>, caller: Caller) -> ApiResult<Json<Page<Device>>> {
    let user = caller.user(&state).await?;
    let keys = state.store.user_keys(user.id).await?;
    let used = keys.into_iter().filter(KeyRecord::was_used);
    let devices: Vec<_> = used
        .map(|key| {
            let current = caller.key_id == KeyId::Stored(key.id);
            key.device(current)
        })
        .collect();
    let total = devices.len() as u64;
    Ok(Json(Page { data: devices, meta: Meta { total, limit: total, offset: 0 } }))
}

/// Signs a device out.
#[utoipa::path(
    delete, path = "/api/auth/sessions/{id}", tag = "Keys and auth",
    params(("id" = i64, Path, description = "ID of the device.", example = 1), ApiKeyQuery),
    responses((status = 200, body = Data<Done>), (status = 404, body = Failure, description = "the device doesn't exist or belongs to another viewer"), AccountFailures)
)]
pub(crate) async fn revoke_session(
    State(state): State<AppState>,
    PathId(id): PathId,
    caller: Caller,
) -> ApiResult<Json<Data<Done>>> {
    let user = caller.user(&state).await?;
    let keys = state.store.user_keys(user.id).await?;
    if !keys.iter().any(|key| key.id == id) {
        return Err(ApiError::NotFound);
    }
    state.store.revoke_key(id, state.clock.now_ms()).await?;
    state.keyring.forget(&[id]);
    Ok(Json(Data::of(DONE)))
}

fn require_remote_auth(caller: &Caller) -> ApiResult<()> {
    if caller.channel.settings.auth.remote_auth == 0 {
        return Err(ApiError::NotFound);
    }
    Ok(())
}

fn draw_code(entropy: &dyn Entropy) -> String {
    let mut bytes = [0; CODE_LENGTH];
    entropy.fill(&mut bytes);
    bytes.iter().map(|byte| char::from(LEGIBLE[usize::from(byte % 32)])).collect()
}

fn code_hash(code: &str) -> String {
    hex::encode(digest(code))
}
