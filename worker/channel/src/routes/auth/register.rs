//! `POST /v2/auth/register`.

use axum::Json;
use axum::extract::State;
use axum::http::HeaderMap;
use touchline_protocol::account::{Register, Session};
use touchline_protocol::codes::ErrorCode;
use touchline_protocol::envelope::Data;
use touchline_store::{NewKey, NewUser, RegisterResult, User};

use super::login::{PASSWORD, SessionResponse, forget_key, fresh_key, refuse_logged_in};
use crate::auth::limits::LimitedAction;
use crate::auth::recaptcha::GuardedForm;
use crate::http::device_cookies;
use crate::http::validation::Faults;
use crate::http::{ApiError, ApiResult, AppState, Keyed, KeyedFailures, WithKey, messages};
use crate::routes::profile::profile_of;

/// Creates an account and signs the viewer in.
///
/// The returned key replaces the one in the request (`AUTH-1`, `AUTH-6`).
#[utoipa::path(
    post, path = "/api/v2/auth/register", tag = "Keys and auth", request_body = WithKey<Register>,
    responses((status = 200, body = Data<Session>), KeyedFailures, (status = 503, body = touchline_protocol::envelope::Failure, description = "reCAPTCHA isn't responding"))
)]
pub(crate) async fn register(
    State(state): State<AppState>,
    headers: HeaderMap,
    Keyed { caller, body, .. }: Keyed<Register>,
) -> ApiResult<SessionResponse> {
    refuse_logged_in(&caller)?;
    check(&body)?;
    state.limits.take(LimitedAction::RegisterByAddress, &caller.client.subject(), &*state.clock).await?;
    state.recaptcha.check(GuardedForm::Register, body.recaptcha_token.as_deref()).await?;
    let password_hash = state.passwords.hash(&body.password, &*state.entropy).await?;
    let at = state.clock.now_ms();
    let new = NewUser {
        channel_key: caller.channel_key().to_owned(),
        email: body.email.trim().to_owned(),
        email_verified: false,
        first_name: body.first_name.trim().to_owned(),
        last_name: body.last_name.trim().to_owned(),
        password_hash: Some(password_hash),
        temporary_password: false,
        capabilities: caller.channel.config.default_capabilities.clone(),
        social: None,
        at,
    };
    let (secret, key) = fresh_key(&state, &caller, &headers);
    let key = NewKey { sign_in: state.sign_in(&caller, PASSWORD), ..key };
    let mail = |user: &User| Some(state.verification_mail(&caller.channel, user));
    let user = match state.store.register_user(new, Some(key), caller.key_id.stored(), &mail).await? {
        RegisterResult::New(user, _) => user,
        RegisterResult::EmailTaken => {
            return Err(ApiError::field("email", ErrorCode::EmailTaken, messages::EMAIL_TAKEN));
        }
        RegisterResult::KeyRevoked => return Err(ApiError::ApiKey),
    };
    forget_key(&state, &caller);
    state.wakeups.mail.notify_one();
    let session = Session { api_key: secret, user: profile_of(&user, &caller) };
    Ok((device_cookies::cookie(&state, &caller, &user), Json(Data::of(session))))
}

fn check(body: &Register) -> ApiResult<()> {
    let mut faults = Faults::default();
    faults.name("first_name", &body.first_name, messages::FIRST_NAME);
    faults.name("last_name", &body.last_name, messages::LAST_NAME);
    faults.email("email", &body.email);
    faults.password(&body.password, &body.password_confirmation, messages::PASSWORDS_DIFFER);
    faults.unless(body.terms, "terms", messages::TERMS);
    faults.check()
}
