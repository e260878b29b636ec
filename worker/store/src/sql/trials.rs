//! Used trials: one per person, address without its tag, and card of a channel (`SUB-4`). Addresses and cards are stored
//! only as keyed hashes, and outlive their account.

use touchline_domain::accounts::{folded_address, untagged_address};

use super::Write;
use crate::secrets::sign;
use crate::{NewOrder, StoreResult, User};

/// Hash of an email address in its folded form. Each channel gives its own trial.
fn address_hash(secret: &[u8; 32], channel_key: &str, address: &str) -> String {
    hex::encode(sign(secret, &[b"used trial", channel_key.as_bytes(), address.as_bytes()]))
}

/// Hash of a card's fingerprint.
fn card_hash(secret: &[u8; 32], channel_key: &str, fingerprint: &str) -> String {
    hex::encode(sign(secret, &[b"used trial card", channel_key.as_bytes(), fingerprint.as_bytes()]))
}

/// Records that the account with this address used its trial.
pub(super) async fn record_use(write: &mut Write, secret: &[u8; 32], user: &User, at: i64) -> StoreResult<()> {
    sqlx::query(
        "INSERT INTO used_trials (address_hash, at) VALUES ($1, $2)
         ON CONFLICT (address_hash) DO UPDATE SET at = excluded.at",
    )
    .bind(address_hash(secret, &user.channel_key, &untagged_address(&user.email)))
    .bind(at)
    .execute(&mut **write)
    .await?;
    Ok(())
}

/// Whether an account with this address, or one that differs in its tag, used its trial.
pub(super) async fn was_used(
    write: &mut Write,
    secret: &[u8; 32],
    channel_key: &str,
    email: &str,
) -> StoreResult<bool> {
    // Earlier releases stored addresses with their tags.
    let at: Option<i64> = sqlx::query_scalar("SELECT at FROM used_trials WHERE address_hash IN ($1, $2) LIMIT 1")
        .bind(address_hash(secret, channel_key, &untagged_address(email)))
        .bind(address_hash(secret, channel_key, &folded_address(email)))
        .fetch_optional(&mut **write)
        .await?;
    Ok(at.is_some())
}

/// Uses the trial of an order's person, address and card. Returns `false` if one of them had a trial; the transaction
/// must then be dropped.
pub(super) async fn start(write: &mut Write, secret: &[u8; 32], user: &User, new: &NewOrder) -> StoreResult<bool> {
    if user.trial_period_used
        || was_used(write, secret, &user.channel_key, &user.email).await?
        || is_used_by_sibling(write, user).await?
    {
        return Ok(false);
    }
    sqlx::query("UPDATE users SET trial_period_used = TRUE WHERE id = $1").bind(user.id).execute(&mut **write).await?;
    record_use(write, secret, user, new.at).await?;
    let Some(fingerprint) = &new.card_fingerprint else { return Ok(true) };
    let first =
        sqlx::query("INSERT INTO used_trials (address_hash, at) VALUES ($1, $2) ON CONFLICT (address_hash) DO NOTHING")
            .bind(card_hash(secret, &user.channel_key, fingerprint))
            .bind(new.at)
            .execute(&mut **write)
            .await?;
    Ok(first.rows_affected() > 0)
}

/// Whether another account whose address differs in its tag used a trial. Earlier releases recorded no address of an
/// account that still exists.
async fn is_used_by_sibling(write: &mut Write, user: &User) -> StoreResult<bool> {
    let untagged = untagged_address(&user.email);
    let (local, domain) = untagged.rsplit_once('@').unwrap_or((&untagged, ""));
    let literal = |text: &str| text.replace('!', "!!").replace('%', "!%").replace('_', "!_");
    let addresses: Vec<String> = sqlx::query_scalar(
        "SELECT email_folded FROM users WHERE channel_key = $1 AND id <> $2 AND trial_period_used
         AND (email_folded = $3 OR email_folded LIKE $4 ESCAPE '!')",
    )
    .bind(&user.channel_key)
    .bind(user.id)
    .bind(&untagged)
    .bind(format!("{}+%@{}", literal(local), literal(domain)))
    .fetch_all(&mut **write)
    .await?;
    Ok(addresses.iter().any(|address| untagged_address(address) == untagged))
}
