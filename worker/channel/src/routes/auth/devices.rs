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
use touchline_store::{KeyRecord, SessionCodeRecord};

use super::login::refuse_logged_in;
use crate::auth::keyring::digest;
use crate::auth::limits::Limited;
use crate::auth::passwords::LEGIBLE;
use crate::http::body::Nothing;
use crate::http::idempotency::{CallOf, KeyConflict, MaybeKey, once};
use crate::http::{
    AccountFailures, ApiError, ApiKeyQuery, ApiResult, AppState, Caller, Keyed, KeyedFailures, PathId, WithKey,
    messages,
};

/// How long a code works.
const CODE_MS: i64 = 10 * 60_000;
const CODE_LENGTH: usize = 6;
/// The rows of the limits table.
pub(crate) const LIMITS: &[Limit] = &[
    Limit::count(
        "session_code",
        CODE_LENGTH as u64,
        "characters",
        "Of 32 letters and digits each, tried at the rate of `guess`.",
    ),
    Limit::millis("session_code.works_for", CODE_MS as u64, "How long such a code works."),
];

/// Gives a device without a keyboard a code to show. It is logged in when its viewer enters the code elsewhere.
#[utoipa::path(
    post, path = "/api/auth/session_code", tag = "Keys and auth", request_body = WithKey<Nothing>,
    responses((status = 200, body = Data<SessionCode>), (status = 404, body = Failure, description = "the channel does not offer it"), KeyedFailures)
)]
pub async fn session_code(
    State(state): State<AppState>,
    Keyed { caller, .. }: Keyed<Nothing>,
) -> ApiResult<Json<Data<SessionCode>>> {
    require_remote_auth(&caller)?;
    refuse_logged_in(&caller)?;
    state.limits.take(Limited::CodesByAddress, &caller.client.subject(), &*state.clock).await?;
    let now = state.clock.now_ms();
    // 30 bits: another device that shows the same code is rare, three times in a row is not to be.
    for _ in 0..3 {
        let code = draw_code(&*state.entropy);
        let record = SessionCodeRecord {
            code_hash: code_hash(&code),
            channel_key: caller.channel_key().to_owned(),
            key_id: caller.key_id,
            expires: now + CODE_MS,
        };
        if state.store.store_session_code(record, now).await? {
            return Ok(Json(Data::of(SessionCode { code, expires: (now + CODE_MS) / 1000 })));
        }
    }
    Err(ApiError::Internal(anyhow::anyhow!("no session code is free")))
}

/// Logs in the device that shows this code.
#[utoipa::path(
    post, path = "/api/auth/add_session", tag = "Keys and auth", request_body = WithKey<AddSession>, params(MaybeKey),
    responses((status = 200, body = Data<Device>, links(("revoke" = (operation_id = "revoke_session", parameters(("id" = "$response.body#/data/id"), ("api_key" = "$request.body#/api_key")))))), (status = 404, body = Failure, description = "the channel does not offer it"), AccountFailures, KeyConflict)
)]
pub async fn add_session(
    State(state): State<AppState>,
    headers: HeaderMap,
    Keyed { caller, body, fingerprint }: Keyed<AddSession>,
) -> ApiResult<Response> {
    require_remote_auth(&caller)?;
    let user = caller.user(&state).await?;
    let of = CallOf { user_id: user.id, call: "auth/add_session", fingerprint };
    let linking = async |claim| {
        let code = body.code.trim().to_uppercase();
        // A code that is too short is no guess and uses up no try.
        if code.chars().count() < CODE_LENGTH {
            return Err(ApiError::field("code", ErrorCode::Validation, messages::longer_than(CODE_LENGTH - 1)));
        }
        // A code has 30 bits: tries are counted before it is judged. A right one is no guess, and is given back.
        let subjects = [format!("code:user:{}", user.id), format!("code:at:{}", caller.client.subject())];
        for subject in &subjects {
            state.limits.take(Limited::Guess, subject, &*state.clock).await?;
        }
        let now = state.clock.now_ms();
        let linked = state.store.link_device(&code_hash(&code), caller.channel_key(), user.id, now, claim).await?;
        let device =
            linked.ok_or_else(|| ApiError::field("code", ErrorCode::WrongCode, messages::VERIFICATION_FAILED))?;
        for subject in &subjects {
            state.limits.give_back(Limited::Guess, subject).await;
        }
        state.keyring.forget(&[device.id]);
        Ok(device)
    };
    once(&state, &headers, of, linking).await
}

/// The devices on which the person is logged in, newest first. A log-in whose answer nobody used is none.
#[utoipa::path(
    get, path = "/api/auth/sessions", tag = "Keys and auth", params(ApiKeyQuery),
    responses((status = 200, body = Page<Device>), AccountFailures)
)]
pub async fn sessions(State(state): State<AppState>, caller: Caller) -> ApiResult<Json<Page<Device>>> {
    let user = caller.user(&state).await?;
    let keys = state.store.user_keys(user.id).await?;
    let used = keys.into_iter().filter(KeyRecord::was_used);
    let devices: Vec<_> = used
        .map(|key| {
            let current = key.id == caller.key_id;
            key.device(current)
        })
        .collect();
    let total = devices.len() as u64;
    Ok(Json(Page { data: devices, meta: Meta { total, limit: total, offset: 0 } }))
}

/// Logs a device out.
#[utoipa::path(
    delete, path = "/api/auth/sessions/{id}", tag = "Keys and auth",
    params(("id" = i64, Path, description = "The device's id.", example = 1), ApiKeyQuery),
    responses((status = 200, body = Data<Done>), (status = 404, body = Failure, description = "no such device of this person"), AccountFailures)
)]
pub async fn revoke_session(
    State(state): State<AppState>,
    PathId(id): PathId,
    caller: Caller,
) -> ApiResult<Json<Data<Done>>> {
    let user = caller.user(&state).await?;
    let own = state.store.user_keys(user.id).await?;
    if !own.iter().any(|key| key.id == id) {
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
