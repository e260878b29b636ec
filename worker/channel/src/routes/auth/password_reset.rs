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
use crate::auth::limits::{LimitedAction, account_subject};
use crate::auth::recaptcha::GuardedForm;
use crate::http::client::browser_name;
use crate::http::device_cookies::{self, Attempts};
use crate::http::validation::Faults;
use crate::http::{ApiError, ApiResult, AppState, Keyed, KeyedFailures, WithKey, messages};
use crate::mail::passwords::{Replaced, password_replaced};

/// Emails a password reset link.
///
/// The response is the same if the account doesn't exist or the request is rate-limited (`AUTH-7`).
#[utoipa::path(
    post, path = "/api/auth/password-reset-request", tag = "Keys and auth", request_body = WithKey<PasswordResetRequest>,
    responses((status = 200, body = Data<Done>), KeyedFailures, (status = 503, body = Failure, description = "reCAPTCHA isn't responding"))
)]
pub(crate) async fn password_reset_request(
    State(state): State<AppState>,
    headers: HeaderMap,
    Keyed { caller, body, .. }: Keyed<PasswordResetRequest>,
) -> ApiResult<Json<Data<Done>>> {
    let mut faults = Faults::default();
    faults.email("email", &body.email);
    faults.check()?;
    let user = state.store.user_by_email(caller.channel_key(), body.email.trim()).await?;
    let device = device_cookies::device_from_cookie(&state, &headers, user.as_ref());
    if device.is_none() {
        state.limits.take(LimitedAction::MailByAddress, &caller.client.subject(), &*state.clock).await?;
    }
    state.recaptcha.check(GuardedForm::PasswordReset, body.recaptcha_token.as_deref()).await?;
    let tries = Attempts::of(&caller, &body.email, device.as_deref());
    // Above the limit the response is the same, but no mail is sent.
    let may = tries.take(&state, LimitedAction::MailByAccountAndAddress, LimitedAction::MailByAccount).await.is_ok();
    let user = user.filter(|user| may && !user.blocked);
    state.queue_mail(&caller.channel, LinkPurpose::ResetPassword, user.as_ref(), None).await?;
    Ok(Json(Data::of(DONE)))
}

/// Sets a new password, using the single-use emailed link.
///
/// Signs the viewer out of all devices.
#[utoipa::path(
    post, path = "/api/auth/password-reset", tag = "Keys and auth", request_body = WithKey<PasswordReset>,
    responses((status = 200, body = Data<Done>), KeyedFailures)
)]
pub(crate) async fn password_reset(
    State(state): State<AppState>,
    headers: HeaderMap,
    Keyed { caller, body, .. }: Keyed<PasswordReset>,
) -> ApiResult<Json<Data<Done>>> {
    let mut faults = Faults::default();
    faults.password(&body.password, &body.password_confirmation, messages::PASSWORDS_DIFFER_RESET);
    faults.check()?;
    let followed = follow(&state, LinkPurpose::ResetPassword, &caller, &body.link).await;
    let user = followed.map_err(|fault| match fault {
        LinkFault::Invalid | LinkFault::NoAccount => ApiError::rule(ErrorCode::ResetFailed, messages::RESET_FAILED),
        LinkFault::Expired => ApiError::rule(ErrorCode::ResetExpired, messages::RESET_EXPIRED),
        fault @ (LinkFault::Used | LinkFault::TooMany(_) | LinkFault::Store(_)) => fault.into(),
    })?;
    if user.temporary_password && state.passwords.verify(&body.password, user.password_hash.as_deref()).await? {
        return Err(ApiError::field("password", ErrorCode::TemporaryPassword, messages::TEMPORARY_PASSWORD));
    }
    let hash = state.passwords.hash(&body.password, &*state.entropy).await?;
    let now_ms = state.clock.now_ms();
    let notice = password_replaced(&caller.channel, &user, Replaced::ByLink, &browser_name(&headers), now_ms);
    // The link was mailed, so the address is verified.
    let replaces_hash = Some(user.password_hash);
    let change = UserChange { replaces_hash, ..UserChange::taking_over(hash, now_ms) };
    if state.store.change_user(user.id, change, notice.as_slice()).await?.is_none() {
        // A concurrent use of the link came first.
        return Err(ApiError::rule(ErrorCode::ResetExpired, messages::RESET_EXPIRED));
    }
    state.wakeups.mail.notify_one();
    state.keyring.forget_user(user.id);
    state.limits.forgive(LimitedAction::LoginByAccount, &account_subject(caller.channel_key(), &body.link.email)).await;
    let tries = Attempts::of(&caller, &body.link.email, None);
    tries.forgive(&state, LimitedAction::LoginByAccountAndAddress, LimitedAction::LoginByAccount).await;
    Ok(Json(Data::of(DONE)))
}
