//! Email addresses that used a trial. They outlive their account only as keyed hashes.

use touchline_domain::accounts::folded_address;

use super::Write;
use crate::secrets::sign;
use crate::{StoreResult, User};

/// Hash of an email address, ignoring case. Each channel gives its own trial.
fn hash(secret: &[u8; 32], channel_key: &str, email: &str) -> String {
    hex::encode(sign(secret, &[b"used trial", channel_key.as_bytes(), folded_address(email).as_bytes()]))
}

/// Records that the account with this address used its trial.
pub(super) async fn record_use(write: &mut Write, secret: &[u8; 32], user: &User, at: i64) -> StoreResult<()> {
    sqlx::query(
        "INSERT INTO used_trials (address_hash, at) VALUES ($1, $2)
         ON CONFLICT (address_hash) DO UPDATE SET at = excluded.at",
    )
    .bind(hash(secret, &user.channel_key, &user.email))
    .bind(at)
    .execute(&mut **write)
    .await?;
    Ok(())
}

/// Whether an account with this address used its trial.
pub(super) async fn was_used(
    write: &mut Write,
    secret: &[u8; 32],
    channel_key: &str,
    email: &str,
) -> StoreResult<bool> {
    let at: Option<i64> = sqlx::query_scalar("SELECT at FROM used_trials WHERE address_hash = $1")
        .bind(hash(secret, channel_key, email))
        .fetch_optional(&mut **write)
        .await?;
    Ok(at.is_some())
}
