//! Payments missing from a store whose journal was damaged, found by asking the payment provider (`OPS-50`).

use std::path::{Path, PathBuf};

use touchline_protocol::ambient::Entropy;
use touchline_store::{Bookkeeping, Maintenance, SqliteStore, StoreError, StoreResult, sqlite};

use crate::payments::records::ProviderMove;
use crate::payments::stripe::{StripeOptions, payments_since};

/// Orders listed by name; the rest are only counted.
const MAX_NAMED: usize = 20;
/// Longest time from a payment to its commit: the bank may ask a question, and the work queue waits.
const LOOK_BACK_MS: i64 = 24 * 3_600_000;
/// Limit of charges compared.
const MAX_CHARGES: u32 = 100_000;

/// Describes the last intact commit of a damaged store, and the provider's payments that the store lacks.
pub(crate) async fn describe(
    store: &Path,
    stripe: Option<&StripeOptions>,
    http: reqwest::Client,
    entropy: &dyn Entropy,
) -> String {
    let read = async {
        let folder = Scratch::beside(store, entropy)?;
        let copy = sqlite::sound_part(store, &folder.0).await?;
        let store = SqliteStore::open(&copy, entropy).await?;
        let read = read(&store, stripe, http).await;
        store.close().await;
        read
    };
    read.await.unwrap_or_else(|error| format!("cannot read its sound part: {error}"))
}

/// A folder that is removed on drop.
struct Scratch(PathBuf);

impl Scratch {
    fn beside(store: &Path, entropy: &dyn Entropy) -> StoreResult<Self> {
        let path = store.with_file_name(format!("sound-{:08x}", entropy.next_u64() >> 32));
        std::fs::create_dir(&path)
            .map_err(|error| StoreError::CannotOpen { path: path.clone(), cause: error.to_string() })?;
        Ok(Self(path))
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        // A leftover copy is harmless: the next run uses another folder.
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

async fn read(store: &SqliteStore, stripe: Option<&StripeOptions>, http: reqwest::Client) -> StoreResult<String> {
    let Some(last) = store.latest_timestamp().await? else { return Ok("it has no commits".to_owned()) };
    let at = jiff::Timestamp::from_millisecond(last).map_or_else(|_| last.to_string(), |at| at.to_string());
    let Some(stripe) = stripe else {
        return Ok(format!("the last intact commit was at {at}; the sandbox's payments are in the same file"));
    };
    let since = last - LOOK_BACK_MS;
    Ok(match payments_since(stripe, http, since).await {
        Err(error) => {
            format!("the last intact commit was at {at}; cannot get later payments from Stripe: {error}")
        }
        Ok(payments) => {
            let charges = store.charges_since(since - LOOK_BACK_MS, MAX_CHARGES).await?;
            let is_recorded = |payment: &ProviderMove| charges.iter().any(|charge| charge.provider_id == payment.id);
            let missing: Vec<_> = payments.into_iter().filter(|payment| !is_recorded(payment)).collect();
            let names: Vec<_> = missing.iter().take(MAX_NAMED).map(name).collect();
            let more = missing.len().saturating_sub(MAX_NAMED);
            let more = if more > 0 { format!(" and {more} more") } else { String::new() };
            match names.as_slice() {
                [] => format!("the last intact commit was at {at}; Stripe has no later payments that the records lack"),
                _ => format!(
                    "the last intact commit was at {at}; Stripe has {} later payments that the records lack: {}{more}",
                    missing.len(),
                    names.join(", ")
                ),
            }
        }
    })
}

fn name(payment: &ProviderMove) -> String {
    match &payment.order_key {
        Some(order) => format!("{order} ({})", payment.id),
        None => payment.id.clone(),
    }
}
