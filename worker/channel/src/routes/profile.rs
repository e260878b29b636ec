//! `GET /profile`, `POST /profile`, `GET /user/access` (`CALL-3`).

use axum::Json;
use axum::extract::State;
use axum::http::HeaderMap;
use touchline_domain::accounts::{PASSWORD_MAX, is_phone};
use touchline_protocol::account::{Access, FeatureCount, Profile, ProfileUpdate};
use touchline_protocol::codes::ErrorCode;
use touchline_protocol::envelope::Data;
use touchline_store::{RegisterResult, User, UserChange};
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

use crate::auth::limits::{LimitedAction, account_subject};
use crate::http::client::browser_name;
use crate::http::validation::Faults;
use crate::http::{
    AccountFailures, ApiError, ApiKeyQuery, ApiResult, AppState, Caller, Keyed, PersonFailures, WithKey, messages,
};
use crate::mail::passwords::{Replaced, password_replaced};

pub(crate) fn router() -> OpenApiRouter<AppState> {
    OpenApiRouter::new().routes(routes!(profile, update_profile)).routes(routes!(user_access))
}

/// Returns the viewer's profile (`USER-1`).
#[utoipa::path(
    get, path = "/api/profile", tag = "Profile", params(ApiKeyQuery),
    responses((status = 200, body = Data<Profile>), PersonFailures)
)]
pub(crate) async fn profile(State(state): State<AppState>, caller: Caller) -> ApiResult<Json<Data<Profile>>> {
    let user = caller.person(&state).await?;
    Ok(Json(Data::of(profile_of(&user, &caller))))
}

/// Updates the viewer's profile. Omitted fields don't change.
///
/// A new email address or password requires the current password. A new password signs out all other devices. A new
/// address takes effect once its emailed link is opened (`AUTH-13`); until then, the response has the current one. While
/// the password is temporary, only the password can be changed (`AUTH-10`).
#[utoipa::path(
    post, path = "/api/profile", tag = "Profile", request_body = WithKey<ProfileUpdate>,
    responses((status = 200, body = Data<Profile>), AccountFailures)
)]
pub(crate) async fn update_profile(
    State(state): State<AppState>,
    headers: HeaderMap,
    Keyed { caller, body, .. }: Keyed<ProfileUpdate>,
) -> ApiResult<Json<Data<Profile>>> {
    let user = caller.person(&state).await?;
    check(&body)?;
    if user.temporary_password && !changes_only_password(&user, &body) {
        return Err(ApiError::TEMPORARY_PASSWORD);
    }
    let new_email = body.email.as_deref().map(str::trim).filter(|email| *email != user.email);
    if new_email.is_some() || body.password.is_some() {
        check_current_password(&state, &user, body.current_password.as_deref()).await?;
    }
    if user.temporary_password && body.password.is_some() && body.password == body.current_password {
        return Err(ApiError::field("password", ErrorCode::TemporaryPassword, messages::TEMPORARY_PASSWORD));
    }
    if let Some(email) = new_email {
        limit_emails(&state, &caller, &user, email).await?;
    }
    let password_hash = match &body.password {
        Some(password) => Some(state.passwords.hash(password, &*state.entropy).await?),
        None => None,
    };
    let trimmed = |text: &Option<String>| text.as_deref().map(|text| text.trim().to_owned());
    let changed_email = new_email.filter(|email| user.has_different_address(email));
    if let Some(email) = changed_email
        && state.store.user_by_email(caller.channel_key(), email).await?.is_some()
    {
        return Err(ApiError::field("email", ErrorCode::EmailTaken, messages::EMAIL_TAKEN));
    }
    let now_ms = state.clock.now_ms();
    let notice = match password_hash {
        Some(_) => password_replaced(&caller.channel, &user, Replaced::InProfile, &browser_name(&headers), now_ms),
        None => None,
    };
    let change = UserChange {
        first_name: trimmed(&body.first_name),
        last_name: trimmed(&body.last_name),
        phone: trimmed(&body.phone),
        // The same address in another spelling.
        email: new_email.filter(|_| changed_email.is_none()).map(str::to_owned),
        revoke_keys_but: password_hash.is_some().then_some(caller.key_id.stored()),
        password_hash,
        at: now_ms,
        ..UserChange::default()
    };
    let changed = match state.store.change_user(user.id, change, notice.as_slice()).await? {
        Some(RegisterResult::New(user, _)) => user,
        Some(RegisterResult::EmailTaken) => {
            return Err(ApiError::field("email", ErrorCode::EmailTaken, messages::EMAIL_TAKEN));
        }
        Some(RegisterResult::KeyRevoked) | None => return Err(ApiError::LoggedOut),
    };
    if body.password.is_some() {
        state.keyring.forget_user(user.id);
        state.wakeups.mail.notify_one();
    }
    if let Some(email) = changed_email {
        state.queue_address_change(&caller.channel, &changed, email).await?;
    }
    Ok(Json(Data::of(profile_of(&changed, &caller))))
}

/// Returns the viewer's access rights and purchases (`USER-2`).
#[utoipa::path(
    get, path = "/api/user/access", tag = "Profile", params(ApiKeyQuery),
    responses((status = 200, body = Data<Access>), AccountFailures)
)]
pub(crate) async fn user_access(State(state): State<AppState>, caller: Caller) -> ApiResult<Json<Data<Access>>> {
    caller.user(&state).await?;
    let has = state.entitlements(&caller).await?;
    let sorted = |ids: &std::collections::HashSet<i64>| {
        let mut ids: Vec<_> = ids.iter().copied().collect();
        ids.sort_unstable();
        ids
    };
    Ok(Json(Data::of(Access {
        watch: has.can("watch"),
        download: has.can("download"),
        clipping: has.can("clipping"),
        download_clip: has.can("download_clip"),
        no_ads: has.can("no_ads"),
        vod_media_access: has.can("vod_media"),
        events: sorted(&has.events),
        event_categories: sorted(&has.categories),
        participants: sorted(&has.participants),
        subscribed: has.subscribed,
    })))
}

/// The profile for the person themselves.
pub(super) fn profile_of(user: &User, caller: &Caller) -> Profile {
    Profile {
        id: user.id,
        email: user.email.clone(),
        email_verified: user.email_verified,
        first_name: user.first_name.clone(),
        last_name: user.last_name.clone(),
        phone: user.phone.clone(),
        temporary_password: user.temporary_password,
        trial_period_used: user.trial_period_used,
        is_geo_blocked: caller.is_geo_blocked(),
        capabilities: user.capabilities.iter().map(|capability| capability.to_lowercase()).collect(),
        feature_count: FeatureCount { clips: user.clips, downloads: user.downloads },
    }
}

fn check(body: &ProfileUpdate) -> ApiResult<()> {
    let mut faults = Faults::default();
    faults.unless(body.method.eq_ignore_ascii_case("patch"), "_method", messages::one_of("_method", &["patch"]));
    if let Some(name) = &body.first_name {
        faults.name("first_name", name, messages::FIRST_NAME);
    }
    if let Some(name) = &body.last_name {
        faults.name("last_name", name, messages::LAST_NAME);
    }
    if let Some(email) = &body.email {
        faults.email("email", email);
    }
    if let Some(phone) = body.phone.as_deref().map(str::trim) {
        faults.unless(phone.is_empty() || is_phone(phone), "phone", messages::PHONE);
    }
    if let Some(password) = &body.password {
        let confirmation = body.password_confirmation.as_deref().unwrap_or_default();
        faults.password(password, confirmation, messages::PASSWORDS_DIFFER);
    }
    // Empty fields are checked too, since a field's documented rules apply regardless of the others.
    for (field, text) in
        [("current_password", &body.current_password), ("password_confirmation", &body.password_confirmation)]
    {
        let fits = text.as_ref().is_none_or(|text| text.chars().count() <= PASSWORD_MAX);
        faults.unless(fits, field, messages::shorter_than(PASSWORD_MAX + 1));
    }
    faults.check()
}

/// Whether a body changes only the password. Unchanged values do not count.
fn changes_only_password(user: &User, body: &ProfileUpdate) -> bool {
    let same = |text: &Option<String>, now: &str| text.as_deref().is_none_or(|text| text.trim() == now);
    body.password.is_some()
        && same(&body.first_name, &user.first_name)
        && same(&body.last_name, &user.last_name)
        && same(&body.phone, &user.phone)
        && same(&body.email, &user.email)
}

/// Limits changes of address, since a new address gets mail and a taken one is reported.
async fn limit_emails(state: &AppState, caller: &Caller, user: &User, email: &str) -> ApiResult<()> {
    let (limits, clock) = (&state.limits, &*state.clock);
    limits.take(LimitedAction::MailByAddress, &caller.client.subject(), clock).await?;
    limits.take(LimitedAction::MailByAccountAndAddress, &format!("profile:{}", user.id), clock).await?;
    // Separate from the bucket of password resets, which belongs to the address's current owner.
    let new = format!("new:{}", account_subject(caller.channel_key(), email));
    Ok(limits.take(LimitedAction::MailByAccountAndAddress, &new, clock).await?)
}

async fn check_current_password(state: &AppState, user: &User, password: Option<&str>) -> ApiResult<()> {
    let Some(password) = password else {
        return Err(ApiError::field("current_password", ErrorCode::Validation, messages::REQUIRED));
    };
    // Only a holder of one of the person's keys gets here.
    let subject = format!("profile:{}", user.id);
    state.limits.take(LimitedAction::LoginByAccountAndAddress, &subject, &*state.clock).await?;
    if !state.passwords.verify(password, user.password_hash.as_deref()).await? {
        return Err(ApiError::field("current_password", ErrorCode::WrongPassword, messages::WRONG_LOGIN));
    }
    state.limits.forgive(LimitedAction::LoginByAccountAndAddress, &subject).await;
    Ok(())
}
