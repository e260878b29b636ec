//! Operator commands for accounts: `touchline user block|set|erase`.

use touchline_protocol::codes::ErrorCode;
use touchline_store::{User, UserChange};

use crate::auth::passwords;
use crate::catalogue::read::CAPABILITIES;
use crate::erasure;
use crate::http::{ApiError, ApiResult, AppState};

/// Blocks or unblocks a person. A blocked person is logged out everywhere.
///
/// # Errors
/// Fails with 400 for an unknown person.
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

/// An operator's changes to an account; absent fields stay unchanged.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Setting {
    /// The person's new rights (`USER-2`).
    pub capabilities: Option<Vec<String>>,
    /// Whether to set a temporary password, which the person must change first, and to log them out everywhere.
    pub temporary_password: bool,
    /// Whether to mark the address as verified.
    pub verified: bool,
}

/// Sets a person's rights, or a temporary password, which is returned and not stored in plain text (`USER-6`).
///
/// # Errors
/// Fails with 400 for an unknown right or person.
pub async fn set(state: &AppState, user_id: i64, setting: Setting) -> ApiResult<Option<String>> {
    let unknown = setting.capabilities.iter().flatten().find(|name| !CAPABILITIES.contains(&name.as_str()));
    if let Some(name) = unknown {
        let names = CAPABILITIES.join(", ");
        return Err(ApiError::rule(ErrorCode::Invalid, format!("{name} is not a capability. Choose from {names}.")));
    }
    let password = setting.temporary_password.then(|| passwords::draw(&*state.entropy));
    let hash = match &password {
        Some(password) => Some(state.passwords.hash(password, &*state.entropy).await?),
        None => None,
    };
    let change = UserChange::setting(setting.capabilities, hash, state.clock.now_ms());
    let change = if setting.verified { change.with_verified_address() } else { change };
    state
        .store
        .change_user(user_id, change, &[])
        .await?
        .ok_or_else(|| ApiError::unknown(&format!("user {user_id}")))?;
    state.keyring.forget_user(user_id);
    Ok(password)
}

/// The person with this address.
///
/// # Errors
/// Fails with 400 for an unknown address.
pub async fn by_email(state: &AppState, channel_key: &str, email: &str) -> ApiResult<User> {
    state
        .store
        .user_by_email(channel_key, email)
        .await?
        .ok_or_else(|| ApiError::unknown(&format!("account of {email} in {channel_key}")))
}

/// Erases a person. Returns once all traces are removed.
///
/// # Errors
/// Fails when the store or an eraser does not answer. The account is deleted even so, and the rest is retried
/// automatically.
pub async fn erase(state: &AppState, user: &User) -> ApiResult<()> {
    let erasures = state.erasures();
    erasure::begin(&erasures, user).await?;
    erasure::finish(&erasures, user.id).await.map_err(|cause| {
        cause.context("the account is erased; removing the person's other data will be retried automatically").into()
    })
}
