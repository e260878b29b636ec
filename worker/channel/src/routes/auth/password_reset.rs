//! `POST /auth/password-reset-request`, `POST /auth/password-reset`.

use axum::Json;
use axum::extract::State;
use axum::http::HeaderMap;
use touchline_protocol::account::{PasswordReset, PasswordResetRequest};
use touchline_protocol::codes::ErrorCode;
use touchline_protocol::envelope::{DONE, Data, Done, Failure};
use touchline_store::UserChange;

use super::follow;
use crate::auth::email_tokens::{LinkFault, LinkPurpose};
use crate::auth::limits::{Limited, account_subject};
use crate::auth::recaptcha::GuardedForm;
use crate::http::known_devices::{self, Tries};
use crate::http::validation::Faults;
use crate::http::{ApiError, ApiResult, AppState, Keyed, KeyedFailures, WithKey, messages};

/// Mails a link that resets the password. The answer is the same whether the account exists, and whether a letter
/// goes out: who asks too often is sent none (`AUTH-7`).
#[utoipa::path(
    post, path = "/api/auth/password-reset-request", tag = "Keys and auth", request_body = WithKey<PasswordResetRequest>,
    responses((status = 200, body = Data<Done>), KeyedFailures, (status = 503, body = Failure, description = "reCAPTCHA does not answer"))
)]
pub async fn password_reset_request(
    State(state): State<AppState>,
    headers: HeaderMap,
    Keyed { caller, body, .. }: Keyed<PasswordResetRequest>,
) -> ApiResult<Json<Data<Done>>> {
    let mut faults = Faults::default();
    faults.email("email", &body.email);
    faults.check()?;
    let user = state.store.user_by_email(caller.channel_key(), body.email.trim()).await?;
    let device = known_devices::known(&state, &headers, user.as_ref());
    if device.is_none() {
        state.limits.take(Limited::MailByAddress, &caller.client.subject(), &*state.clock).await?;
    }
    state.recaptcha.check(GuardedForm::PasswordReset, body.recaptcha_token.as_deref()).await?;
    let tries = Tries::of(&caller, &body.email, device.as_deref());
    // Who asks too often is told as much as everybody, and no letter goes out.
    let may = tries.take(&state, Limited::MailByAccountAndAddress, Limited::MailByAccount).await.is_ok();
    let user = user.filter(|user| may && !user.blocked);
    state.queue_mail(&caller.channel, LinkPurpose::ResetPassword, user.as_ref(), None).await?;
    Ok(Json(Data::of(DONE)))
}

/// Sets a new password by a mailed link, once. Every device of the person is logged out.
#[utoipa::path(
    post, path = "/api/auth/password-reset", tag = "Keys and auth", request_body = WithKey<PasswordReset>,
    responses((status = 200, body = Data<Done>), KeyedFailures)
)]
pub async fn password_reset(
    State(state): State<AppState>,
    Keyed { caller, body, .. }: Keyed<PasswordReset>,
) -> ApiResult<Json<Data<Done>>> {
    let mut faults = Faults::default();
    faults.password(&body.password, &body.password_confirmation, messages::PASSWORDS_DIFFER_RESET);
    faults.check()?;
    let followed = follow(&state, LinkPurpose::ResetPassword, &caller, &body.link).await;
    let user = followed.map_err(|fault| match fault {
        LinkFault::Wrong | LinkFault::Gone => ApiError::rule(ErrorCode::ResetFailed, messages::RESET_FAILED),
        LinkFault::Expired => ApiError::rule(ErrorCode::ResetExpired, messages::RESET_EXPIRED),
        fault @ (LinkFault::TooMany(_) | LinkFault::Unjudged(_)) => fault.into(),
    })?;
    if user.temporary_password && state.passwords.verify(&body.password, user.password_hash.as_deref()).await? {
        return Err(ApiError::field("password", ErrorCode::TemporaryPassword, messages::TEMPORARY_PASSWORD));
    }
    let hash = state.passwords.hash(&body.password, &*state.entropy).await?;
    // The link came by mail, so the address is theirs.
    let replaces_hash = Some(user.password_hash);
    let change = UserChange { replaces_hash, ..UserChange::taking_over(hash, state.clock.now_ms()) };
    if state.store.change_user(user.id, change, &[]).await?.is_none() {
        // Another use of the link was faster.
        return Err(ApiError::rule(ErrorCode::ResetExpired, messages::RESET_EXPIRED));
    }
    state.keyring.forget_user(user.id);
    state.limits.forgive(Limited::LoginByAccount, &account_subject(caller.channel_key(), &body.link.email)).await;
    let tries = Tries::of(&caller, &body.link.email, None);
    tries.forgive(&state, Limited::LoginByAccountAndAddress, Limited::LoginByAccount).await;
    Ok(Json(Data::of(DONE)))
}
