//! The demo's accounts.

use touchline_store::NewUser;

use crate::http::AppState;

/// Makes the demo accounts of every channel; those that are there stay as they are.
///
/// # Errors
/// When the store does not answer.
pub(crate) async fn make_accounts(state: &AppState) -> anyhow::Result<()> {
    for channel in state.channels.all() {
        for account in &channel.config.demo_accounts {
            if state.store.user_by_email(channel.key(), &account.email).await?.is_some() {
                continue;
            }
            let mut capabilities = channel.config.default_capabilities.clone();
            capabilities.extend(account.capabilities.iter().cloned());
            capabilities.sort_unstable();
            capabilities.dedup();
            let new = NewUser {
                channel_key: channel.key().to_owned(),
                email: account.email.clone(),
                email_verified: true,
                first_name: account.first_name.clone(),
                last_name: account.last_name.clone(),
                password_hash: Some(state.passwords.hash(&account.password, &*state.entropy).await?),
                temporary_password: account.temporary_password,
                capabilities,
                social: None,
                at: state.clock.now_ms(),
            };
            state.store.register_user(new, None, None).await?;
        }
    }
    Ok(())
}
