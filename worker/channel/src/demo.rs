//! Demo accounts.

use touchline_protocol::ambient::{Clock, Entropy};
use touchline_store::{NewUser, Store, no_mail};

use crate::auth::passwords::Passwords;
use crate::catalogue::Channels;

pub(crate) struct DemoAccounts<'a> {
    pub store: &'a dyn Store,
    pub channels: &'a Channels,
    pub passwords: &'a Passwords,
    pub clock: &'a dyn Clock,
    pub entropy: &'a dyn Entropy,
}

/// Creates the demo accounts of every channel. Existing accounts are left unchanged.
///
/// # Errors
/// Fails when the store does not answer.
pub(crate) async fn make_accounts(with: DemoAccounts<'_>) -> anyhow::Result<()> {
    for channel in with.channels.all() {
        for account in &channel.config.demo_accounts {
            if with.store.user_by_email(channel.key(), &account.email).await?.is_some() {
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
                password_hash: Some(with.passwords.hash(&account.password, with.entropy).await?),
                temporary_password: account.temporary_password,
                capabilities,
                social: None,
                at: with.clock.now_ms(),
            };
            with.store.register_user(new, None, None, &no_mail).await?;
        }
    }
    Ok(())
}
