//! `POST /auth/email-verify`, `POST /auth/email-verify-request` (`AUTH-4`, `CALL-11`).

use axum::Json;
use axum::extract::State;
use axum::http::HeaderMap;
use axum::response::Response;
use touchline_protocol::account::SignedLink;
use touchline_protocol::envelope::{DONE, Data, Done};
use touchline_store::UserChange;

use super::follow;
use crate::auth::email_tokens::LinkPurpose;
use crate::auth::limits::Limited;
use crate::http::body::Nothing;
use crate::http::idempotency::{CallOf, KeyConflict, MaybeKey, once};
use crate::http::{AccountFailures, ApiError, ApiResult, AppState, Keyed, KeyedFailures, WithKey, messages};

/// Verifies the address that a link was mailed to (`AUTH-4`).
#[utoipa::path(
    post, path = "/api/auth/email-verify", tag = "Keys and auth", request_body = WithKey<SignedLink>,
    responses((status = 200, body = Data<Done>), KeyedFailures)
)]
pub async fn email_verify(
    State(state): State<AppState>,
    Keyed { caller, body, .. }: Keyed<SignedLink>,
) -> ApiResult<Json<Data<Done>>> {
    let user = follow(&state, LinkPurpose::VerifyEmail, &caller, &body).await?;
    if user.email_verified {
        return Err(ApiError::rule("already_verified", messages::ALREADY_VERIFIED));
    }
    let change = UserChange::verifying_address(caller.person_id == Some(user.id), state.clock.now_ms());
    state.store.change_user(user.id, change, &[]).await?;
    Ok(Json(Data::of(DONE)))
}

/// Mails the person a link that verifies their address once more.
#[utoipa::path(
    post, path = "/api/auth/email-verify-request", tag = "Keys and auth", request_body = WithKey<Nothing>, params(MaybeKey),
    responses((status = 200, body = Data<Done>), AccountFailures, KeyConflict)
)]
pub async fn email_verify_request(
    State(state): State<AppState>,
    headers: HeaderMap,
    Keyed { caller, fingerprint, .. }: Keyed<Nothing>,
) -> ApiResult<Response> {
    let user = caller.user(&state).await?;
    if user.email_verified {
        return Err(ApiError::rule("already_verified", messages::ALREADY_VERIFIED));
    }
    let of = CallOf { user_id: user.id, call: "auth/email-verify-request", fingerprint };
    let asking = async |claim| {
        state.limits.take(Limited::MailByAddress, &caller.client.subject(), &*state.clock)?;
        state.limits.take(Limited::MailByAccountAndAddress, &format!("verification:{}", user.id), &*state.clock)?;
        state.queue_mail(&caller.channel, LinkPurpose::VerifyEmail, Some(&user), claim).await?;
        Ok(DONE)
    };
    once(&state, &headers, of, asking).await
}
