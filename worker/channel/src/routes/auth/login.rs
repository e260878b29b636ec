//! `POST /v2/auth/login`, `POST /auth/logout`.

use axum::Json;
use axum::extract::State;
use axum::http::{HeaderMap, HeaderName, HeaderValue};
use touchline_protocol::account::{Login, Session};
use touchline_protocol::codes::ErrorCode;
use touchline_protocol::envelope::{DONE, Data, Done, Failure};
use touchline_store::{NewKey, User};

use crate::auth::keyring::FreshKey;
use crate::auth::limits::LimitedAction;
use crate::auth::recaptcha::GuardedForm;
use crate::http::body::{KeyOnly, Nothing};
use crate::http::client::device_name;
use crate::http::device_cookies::{self, Attempts};
use crate::http::{ApiError, ApiResult, AppState, Caller, Keyed, KeyedFailures, WithKey, messages};
use crate::routes::profile::profile_of;

/// The method of a log-in or registration without a provider.
pub(super) const PASSWORD: &str = "password";

/// A session, and the cookie that identifies the device in future.
pub(super) type SessionResponse = ([(HeaderName, HeaderValue); 1], Json<Data<Session>>);

/// Signs a viewer in.
///
/// The returned key replaces the one in the request (`AUTH-1`). An unknown email address and a wrong password return
/// the same response in the same time. Attempts are limited per account and IP address, and separately on devices known
/// to the account (`AUTH-7`).
#[utoipa::path(
    post, path = "/api/v2/auth/login", tag = "Keys and auth", request_body = WithKey<Login>,
    responses((status = 200, body = Data<Session>), KeyedFailures, (status = 503, body = Failure, description = "reCAPTCHA isn't responding"))
)]
pub(crate) async fn login(
    State(state): State<AppState>,
    headers: HeaderMap,
    Keyed { caller, body, .. }: Keyed<Login>,
) -> ApiResult<SessionResponse> {
    refuse_logged_in(&caller)?;
    let user = state.store.user_by_email(caller.channel_key(), body.email.trim()).await?;
    let device = device_cookies::device_from_cookie(&state, &headers, user.as_ref());
    if device.is_none() {
        state.limits.take(LimitedAction::LoginByAddress, &caller.client.subject(), &*state.clock).await?;
    }
    // A robot without a token must not use up a person's attempts.
    state.recaptcha.check(GuardedForm::Login, body.recaptcha_token.as_deref()).await?;
    let tries = Attempts::of(&caller, &body.email, device.as_deref());
    tries.take(&state, LimitedAction::LoginByAccountAndAddress, LimitedAction::LoginByAccount).await?;
    let hash = user.as_ref().and_then(|user| user.password_hash.as_deref());
    let right = state.passwords.verify(&body.password, hash).await?;
    let Some(user) = user.filter(|user| right && !user.blocked) else {
        return Err(ApiError::rule(ErrorCode::WrongLogin, messages::WRONG_LOGIN));
    };
    tries.forgive(&state, LimitedAction::LoginByAccountAndAddress, LimitedAction::LoginByAccount).await;
    let session = log_in(&state, &caller, &headers, &user, PASSWORD).await?;
    Ok((device_cookies::cookie(&state, &caller, &user), Json(Data::of(session))))
}

/// Signs the viewer out of this device.
///
/// The API key of a signed-in viewer is revoked, and the site requests a new one (`AUTH-2`). A visitor's key can't be
/// revoked.
#[utoipa::path(
    post, path = "/api/auth/logout", tag = "Keys and auth", request_body = KeyOnly,
    responses((status = 200, body = Data<Done>), KeyedFailures)
)]
pub(crate) async fn logout(
    State(state): State<AppState>,
    Keyed { caller, .. }: Keyed<Nothing>,
) -> ApiResult<Json<Data<Done>>> {
    if let Some(key_id) = caller.key_id.stored() {
        state.store.revoke_key(key_id, state.clock.now_ms()).await?;
        forget_key(&state, &caller);
    }
    Ok(Json(Data::of(DONE)))
}

/// Drops the caller's key from the cache, once it is revoked.
pub(super) fn forget_key(state: &AppState, caller: &Caller) {
    if let Some(key_id) = caller.key_id.stored() {
        state.keyring.forget(&[key_id]);
    }
}

/// Replaces the caller's key with one of a person who logged in by `method`. A visitor's token stays one.
pub(super) async fn log_in(
    state: &AppState,
    caller: &Caller,
    headers: &HeaderMap,
    user: &User,
    method: &str,
) -> ApiResult<Session> {
    let (secret, key) = fresh_key(state, caller, headers);
    let key = NewKey { user_id: Some(user.id), sign_in: state.sign_in(caller, method), ..key };
    let issued = state.store.issue_key(key, caller.key_id.stored()).await?;
    forget_key(state, caller);
    issued.ok_or(ApiError::ApiKey)?;
    Ok(Session { api_key: secret, user: profile_of(user, caller) })
}

/// A new key for the caller's device, and its record.
pub(super) fn fresh_key(state: &AppState, caller: &Caller, headers: &HeaderMap) -> (String, NewKey) {
    let FreshKey { secret, hash } = FreshKey::draw(&*state.entropy);
    let new = NewKey {
        hash,
        channel_key: caller.channel_key().to_owned(),
        user_id: None,
        device_name: device_name(headers),
        sign_in: None,
        at: state.clock.now_ms(),
    };
    (secret, new)
}

pub(super) fn refuse_logged_in(caller: &Caller) -> ApiResult<()> {
    if caller.person_id.is_some() {
        return Err(ApiError::rule(ErrorCode::AlreadyLoggedIn, messages::ALREADY_LOGGED_IN));
    }
    Ok(())
}
