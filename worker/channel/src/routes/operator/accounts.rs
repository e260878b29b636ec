//! What the operator does about an account: `touchline user block|set|erase`.

use touchline_protocol::codes::ErrorCode;
use touchline_store::{User, UserChange};

use crate::auth::passwords;
use crate::catalogue::read::CAPABILITIES;
use crate::erasure;
use crate::http::{ApiError, ApiResult, AppState};

/// Blocks a person, or lets them in again. A blocked one is logged out everywhere.
///
/// # Errors
/// 400 for an unknown person.
pub async fn block(state: &AppState, user_id: i64, blocked: bool) -> ApiResult<()> {
    let change = UserChange::blocking(blocked, state.clock.now_ms());
    state
        .store
        .change_user(user_id, change, &[])
        .await?
        .ok_or_else(|| ApiError::unknown(&format!("user {user_id}")))?;
    state.keyring.forget_user(user_id);
    Ok(())
}

/// What the operator sets of an account; what is absent stays.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Setting {
    /// The rights that the person has from now on, of `USER-2`.
    pub capabilities: Option<Vec<String>>,
    /// Whether they get a new password, which they must change before anything else, and are logged out everywhere.
    pub temporary_password: bool,
    /// Whether the operator vouches for their address: it counts as verified.
    pub verified: bool,
}

/// Sets a person's rights, or gives them a temporary password, which is given back and kept nowhere else (`USER-6`).
///
/// # Errors
/// 400 for a right that there is none of, and for an unknown person.
pub async fn set(state: &AppState, user_id: i64, setting: Setting) -> ApiResult<Option<String>> {
    let unknown = setting.capabilities.iter().flatten().find(|name| !CAPABILITIES.contains(&name.as_str()));
    if let Some(name) = unknown {
        let known = CAPABILITIES.join(", ");
        return Err(ApiError::rule(ErrorCode::Invalid, format!("{name} is no capability: there are {known}.")));
    }
    let password = setting.temporary_password.then(|| passwords::draw(&*state.entropy));
    let hash = match &password {
        Some(password) => Some(state.passwords.hash(password, &*state.entropy).await?),
        None => None,
    };
    let change = UserChange::setting(setting.capabilities, hash, state.clock.now_ms());
    let change = if setting.verified { change.vouching_for_address() } else { change };
    state
        .store
        .change_user(user_id, change, &[])
        .await?
        .ok_or_else(|| ApiError::unknown(&format!("user {user_id}")))?;
    state.keyring.forget_user(user_id);
    Ok(password)
}

/// The person of this address.
///
/// # Errors
/// 400 for an unknown one.
pub async fn by_email(state: &AppState, channel_key: &str, email: &str) -> ApiResult<User> {
    state
        .store
        .user_by_email(channel_key, email)
        .await?
        .ok_or_else(|| ApiError::unknown(&format!("account of {email} in {channel_key}")))
}

/// Erases a person, and answers when nothing of them is left.
///
/// # Errors
/// When the store or an eraser does not answer: the account is gone all the same, and the rest is tried again by itself.
pub async fn erase(state: &AppState, user: &User) -> ApiResult<()> {
    let erasures = state.erasures();
    erasure::begin(&erasures, user).await?;
    erasure::finish(&erasures, user.id).await.map_err(|cause| {
        cause.context("the account is erased; what else is kept of the person is tried again by itself").into()
    })
}
