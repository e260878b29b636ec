//! `GET /auth/social/{provider}/start`, `POST /v2/auth/social/{provider}`.

use axum::Json;
use axum::extract::State;
use axum::http::HeaderMap;
use serde::Serialize;
use touchline_domain::accounts::is_email;
use touchline_protocol::account::{Session, SocialLogin};
use touchline_protocol::codes::ErrorCode;
use touchline_protocol::envelope::{Data, Failure};
use touchline_store::{NewKey, NewUser, RegisterResult, User, UserChange};
use url::Url;
use utoipa::ToSchema;

use super::login::{SessionResponse, forget_key, fresh_key, log_in, refuse_logged_in};
use crate::auth::keyring::random_token;
use crate::auth::social::{self, SocialFault, SocialIdentity};
use crate::http::device_cookies;
use crate::http::{
    ApiError, ApiKeyQuery, ApiResult, AppState, Caller, Keyed, KeyedFailures, PathName, WithKey, messages,
};
use crate::routes::profile::profile_of;

/// Start of a social login.
#[derive(Debug, Clone, Serialize, ToSchema)]
pub(crate) struct SocialStart {
    /// The provider's login page for the viewer.
    #[schema(example = "https://accounts.google.com/o/oauth2/v2/auth?client_id=northfield&state=b3BlbiBzZXNhbWU")]
    pub(crate) url: String,
}

/// Starts a social login and returns the URL of the provider's login page.
///
/// The provider returns the URL's one-time `state`, which is bound to the API key (`ROUTE-11`).
#[utoipa::path(
    get, path = "/api/auth/social/{provider}/start", tag = "Keys and auth",
    params(("provider" = String, Path, description = "`google` or `facebook`.", example = "google"), ApiKeyQuery),
    responses((status = 200, body = Data<SocialStart>), (status = 404, body = Failure, description = "not enabled for this channel"), KeyedFailures)
)]
pub(crate) async fn start_social_login(
    State(state): State<AppState>,
    PathName(provider): PathName,
    caller: Caller,
) -> ApiResult<Json<Data<SocialStart>>> {
    refuse_logged_in(&caller)?;
    let site = state.site_url(&caller.channel);
    let login = login_of(&state, &caller, &provider, &site);
    let url = state.social.start(state.store(), &*state.entropy, &login).await?;
    Ok(Json(Data::of(SocialStart { url: url.into() })))
}

/// Completes a social login.
///
/// Returns `not_registered` if the viewer has no account. To create one, repeat the call with `terms`.
#[utoipa::path(
    post, path = "/api/v2/auth/social/{provider}", tag = "Keys and auth",
    params(("provider" = String, Path, description = "`google` or `facebook`.", example = "google")),
    request_body = WithKey<SocialLogin>,
    responses(
        (status = 200, body = Data<Session>), KeyedFailures,
        (status = 404, body = Failure, description = "not enabled for this channel"),
        (status = 503, body = Failure, description = "the provider isn't responding")
    )
)]
pub(crate) async fn social_login(
    State(state): State<AppState>,
    PathName(provider): PathName,
    headers: HeaderMap,
    Keyed { caller, body, .. }: Keyed<SocialLogin>,
) -> ApiResult<SessionResponse> {
    refuse_logged_in(&caller)?;
    let site = state.site_url(&caller.channel);
    let login = login_of(&state, &caller, &provider, &site);
    let identity = state.social.finish(state.store(), &login, &body.code, &body.state).await?;
    if let Some(user) = existing_user(&state, &caller, &provider, &identity).await? {
        if user.blocked {
            return Err(SocialFault::Refused.into());
        }
        let session = log_in(&state, &caller, &headers, &user, &provider).await?;
        return Ok((device_cookies::cookie(&state, &caller, &user), Json(Data::of(session))));
    }
    if !body.terms {
        state.social.wait_for_terms(state.store(), &login, &body.state, &identity).await?;
        return Err(ApiError::field("terms", ErrorCode::NotRegistered, messages::NOT_REGISTERED));
    }
    let (session, user) = register(&state, &caller, &headers, &provider, identity).await?;
    Ok((device_cookies::cookie(&state, &caller, &user), Json(Data::of(session))))
}

fn login_of<'a>(state: &AppState, caller: &'a Caller, provider: &'a str, site: &'a Url) -> social::SocialLogin<'a> {
    social::SocialLogin {
        provider,
        offered: &caller.channel.settings.auth.providers,
        key_id: caller.key_id,
        site,
        at: state.clock.now_ms(),
    }
}

/// The account of this identity. An existing account with the same address also belongs to the person if the provider
/// has verified the address. If the address was never verified here, the account's creator loses it: its password and
/// keys stop working. In both cases the address counts as newly verified, and older connected accounts are removed
/// (`AUTH-9`).
async fn existing_user(
    state: &AppState,
    caller: &Caller,
    provider: &str,
    identity: &SocialIdentity,
) -> ApiResult<Option<User>> {
    let channel_key = caller.channel_key();
    if let Some(user) = state.store.user_by_social(channel_key, provider, &identity.subject).await? {
        return Ok(Some(user));
    }
    let Some(email) = identity.email.as_deref().filter(|_| identity.email_verified) else { return Ok(None) };
    let Some(user) = state.store.user_by_email(channel_key, email).await? else { return Ok(None) };
    let at = state.clock.now_ms();
    if !user.email_verified {
        let unusable_hash = state.passwords.hash(&random_token(&*state.entropy), &*state.entropy).await?;
        let change = UserChange::taking_over(unusable_hash, at);
        state.store.change_user(user.id, change, &[]).await?;
        state.keyring.forget_user(user.id);
    }
    state.store.link_social(user.id, provider, &identity.subject, at).await?;
    Ok(state.store.user(user.id).await?)
}

async fn register(
    state: &AppState,
    caller: &Caller,
    headers: &HeaderMap,
    provider: &str,
    identity: SocialIdentity,
) -> ApiResult<(Session, User)> {
    let Some(email) = identity.email.filter(|email| is_email(email)) else {
        return Err(ApiError::field("email", ErrorCode::Validation, messages::EMAIL_INVALID));
    };
    let name = |name: String| name.chars().filter(|c| !c.is_control()).take(100).collect();
    let new = NewUser {
        channel_key: caller.channel_key().to_owned(),
        email,
        email_verified: identity.email_verified,
        first_name: name(identity.first_name),
        last_name: name(identity.last_name),
        password_hash: None,
        temporary_password: false,
        capabilities: caller.channel.config.default_capabilities.clone(),
        social: Some((provider.to_owned(), identity.subject)),
        at: state.clock.now_ms(),
    };
    let (secret, key) = fresh_key(state, caller, headers);
    let key = NewKey { sign_in: state.sign_in(caller, provider), ..key };
    let mail = |user: &User| (!user.email_verified).then(|| state.verification_mail(&caller.channel, user));
    match state.store.register_user(new, Some(key), caller.key_id.stored(), &mail).await? {
        RegisterResult::New(user, _) => {
            forget_key(state, caller);
            state.wakeups.mail.notify_one();
            Ok((Session { api_key: secret, user: profile_of(&user, caller) }, *user))
        }
        RegisterResult::EmailTaken => Err(ApiError::field("email", ErrorCode::EmailTaken, messages::EMAIL_TAKEN)),
        RegisterResult::KeyRevoked => Err(ApiError::ApiKey),
    }
}
