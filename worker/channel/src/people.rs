//! What the operator, or a person themselves, does about an account: `touchline user block|set|erase`.

use std::fmt::Debug;

use async_trait::async_trait;

use crate::auth::passwords;
use crate::catalogue::read::CAPABILITIES;
use crate::http::{ApiError, ApiResult};
use crate::state::AppState;
use crate::store::{User, UserChange};

/// Who else keeps things about people, and forgets them: the datalake.
#[async_trait]
pub trait PersonEraser: Debug + Send + Sync + 'static {
    /// Forgets a person. Called again after a failure, it goes on.
    async fn erase(&self, user_id: i64, email: &str) -> anyhow::Result<()>;
}

/// Erases a person. The others that keep things go first, so that a failure leaves the account to try again with.
///
/// # Errors
/// When the store or an eraser does not answer.
pub async fn erase(state: &AppState, user: &User) -> ApiResult<()> {
    for eraser in &state.erasers {
        eraser.erase(user.id, &user.email).await?;
    }
    for record in state.store.clips(user.id, None).await? {
        state.clips.remove(&record.channel_key, &record.clip.uuid).map_err(anyhow::Error::from)?;
    }
    state.mailer.forget(user.id).await.map_err(anyhow::Error::from)?;
    state.store.erase_user(user.id, state.clock.now_ms()).await?;
    state.keyring.forget_user(user.id);
    Ok(())
}

/// Blocks a person, or lets them in again. A blocked one is logged out everywhere.
///
/// # Errors
/// 404 for an unknown person.
pub async fn block(state: &AppState, user_id: i64, blocked: bool) -> ApiResult<()> {
    let change = UserChange {
        blocked: Some(blocked),
        revoke_keys_but: blocked.then_some(None),
        at: state.clock.now_ms(),
        ..UserChange::default()
    };
    state.store.change_user(user_id, change).await?.ok_or(ApiError::NotFound)?;
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
}

/// Sets a person's rights, or gives them a temporary password, which is given back and kept nowhere else (`USER-6`).
///
/// # Errors
/// 400 for a right that there is none of, 404 for an unknown person.
pub async fn set(state: &AppState, user_id: i64, setting: Setting) -> ApiResult<Option<String>> {
    let unknown = setting.capabilities.iter().flatten().find(|name| !CAPABILITIES.contains(&name.as_str()));
    if let Some(name) = unknown {
        let known = CAPABILITIES.join(", ");
        return Err(ApiError::rule("invalid", format!("{name} is no capability: there are {known}.")));
    }
    let password = setting.temporary_password.then(|| passwords::draw(&*state.entropy));
    let mut change =
        UserChange { capabilities: setting.capabilities, at: state.clock.now_ms(), ..UserChange::default() };
    if let Some(password) = &password {
        change.password_hash = Some(state.passwords.hash(password, &*state.entropy).await?);
        change.temporary_password = Some(true);
        change.revoke_keys_but = Some(None);
    }
    state.store.change_user(user_id, change).await?.ok_or(ApiError::NotFound)?;
    state.keyring.forget_user(user_id);
    Ok(password)
}

/// The person of this address.
///
/// # Errors
/// 404 for an unknown one.
pub async fn by_email(state: &AppState, channel_key: &str, email: &str) -> ApiResult<User> {
    state.store.user_by_email(channel_key, email).await?.ok_or(ApiError::NotFound)
}
