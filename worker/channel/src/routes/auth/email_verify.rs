//! `POST /auth/email-verify`, `POST /auth/email-verify-request` (`AUTH-4`, `CALL-11`).

use axum::Json;
use axum::extract::State;
use axum::http::HeaderMap;
use axum::response::Response;
use touchline_protocol::account::SignedLink;
use touchline_protocol::codes::ErrorCode;
use touchline_protocol::envelope::{DONE, Data, Done};
use touchline_store::{RegisterResult, User, UserChange};

use super::follow;
use crate::auth::email_tokens::{LinkPurpose, verification_purpose};
use crate::auth::limits::LimitedAction;
use crate::http::body::{KeyOnly, Nothing};
use crate::http::idempotency::{CallIdentity, KeyConflict, MaybeKey, once};
use crate::http::{AccountFailures, ApiError, ApiResult, AppState, Caller, Keyed, KeyedFailures, WithKey, messages};
use crate::mail::templates;

/// Verifies an email address or confirms a change of address, using the emailed link (`AUTH-4`).
///
/// After a change, the previous address is notified (`AUTH-13`).
#[utoipa::path(
    post, path = "/api/auth/email-verify", tag = "Keys and auth", request_body = WithKey<SignedLink>,
    responses((status = 200, body = Data<Done>), KeyedFailures)
)]
pub(crate) async fn email_verify(
    State(state): State<AppState>,
    Keyed { caller, body, .. }: Keyed<SignedLink>,
) -> ApiResult<Json<Data<Done>>> {
    let purpose = verification_purpose(&body);
    let user = follow(&state, purpose, &caller, &body).await?;
    if purpose == LinkPurpose::ChangeEmail {
        return change_email(&state, &caller, &user, &body.email).await;
    }
    if user.email_verified {
        return Err(ApiError::rule(ErrorCode::AlreadyVerified, messages::ALREADY_VERIFIED));
    }
    let change = UserChange::verifying_address(caller.person_id == Some(user.id), state.clock.now_ms());
    state.store.change_user(user.id, change, &[]).await?;
    Ok(Json(Data::of(DONE)))
}

async fn change_email(state: &AppState, caller: &Caller, user: &User, email: &str) -> ApiResult<Json<Data<Done>>> {
    // The former address is notified, so that its owner learns of a change by somebody else.
    let notice = templates::address_changed(&caller.channel, user);
    let (email, email_verified, at) = (Some(email.to_owned()), Some(true), state.clock.now_ms());
    let change = UserChange { email, email_verified, at, ..UserChange::default() };
    match state.store.change_user(user.id, change, &[notice]).await? {
        Some(RegisterResult::New(..)) => {
            state.wakeups.mail.notify_one();
            Ok(Json(Data::of(DONE)))
        }
        Some(RegisterResult::EmailTaken) => Err(ApiError::field("email", ErrorCode::EmailTaken, messages::EMAIL_TAKEN)),
        Some(RegisterResult::KeyRevoked) | None => Err(ApiError::NotFound),
    }
}

/// Resends the verification email.
#[utoipa::path(
    post, path = "/api/auth/email-verify-request", tag = "Keys and auth", request_body = KeyOnly, params(MaybeKey),
    responses((status = 200, body = Data<Done>), AccountFailures, KeyConflict)
)]
pub(crate) async fn email_verify_request(
    State(state): State<AppState>,
    headers: HeaderMap,
    Keyed { caller, fingerprint, .. }: Keyed<Nothing>,
) -> ApiResult<Response> {
    let user = caller.user(&state).await?;
    if user.email_verified {
        return Err(ApiError::rule(ErrorCode::AlreadyVerified, messages::ALREADY_VERIFIED));
    }
    let of = CallIdentity { user_id: user.id, call: "auth/email-verify-request", fingerprint };
    let asking = async |claim| {
        state.limits.take(LimitedAction::MailByAddress, &caller.client.subject(), &*state.clock).await?;
        state
            .limits
            .take(LimitedAction::MailByAccountAndAddress, &format!("verification:{}", user.id), &*state.clock)
            .await?;
        state.queue_mail(&caller.channel, LinkPurpose::VerifyEmail, Some(&user), claim).await?;
        Ok(DONE)
    };
    once(&state, &headers, of, asking).await
}
