//! Commits that a damaged journal lost, as far as others have them (`OPS-50`).

use std::path::{Path, PathBuf};

use touchline_protocol::ambient::Entropy;
use touchline_store::{Bookkeeping, Maintenance, SqliteStore, StoreError, StoreResult, sqlite};

use crate::payments::records::ProviderMove;
use crate::payments::stripe::{StripeOptions, payments_since};

/// Orders that are named; of more, their count is.
const NAMED: usize = 20;
/// Age of a payment at the last sound commit, at most: a bank asks, a queue waits.
const LOOK_BACK_MS: i64 = 24 * 3_600_000;
/// Charges of the store that are compared.
const CHARGES: u32 = 100_000;

/// Last sound commit of a store that lost some, and the orders that the provider has behind it, in words.
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
    read.await.unwrap_or_else(|error| format!("its sound part could not be read: {error}"))
}

/// A folder that goes with its handle.
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
        // A copy of ours; the next look makes another.
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

async fn read(store: &SqliteStore, stripe: Option<&StripeOptions>, http: reqwest::Client) -> StoreResult<String> {
    let Some(last) = store.latest_timestamp().await? else { return Ok("it has no commit".to_owned()) };
    let at = jiff::Timestamp::from_millisecond(last).map_or_else(|_| last.to_string(), |at| at.to_string());
    let Some(stripe) = stripe else {
        return Ok(format!("its last sound commit is of {at}; the sandbox's payments are in the same file"));
    };
    let since = last - LOOK_BACK_MS;
    Ok(match payments_since(stripe, http, since).await {
        Err(error) => {
            format!("its last sound commit is of {at}; Stripe could not be asked for later payments: {error}")
        }
        Ok(payments) => {
            let charges = store.charges_since(since - LOOK_BACK_MS, CHARGES).await?;
            let is_there = |payment: &ProviderMove| charges.iter().any(|charge| charge.provider_id == payment.id);
            let lost: Vec<_> = payments.into_iter().filter(|payment| !is_there(payment)).collect();
            let names: Vec<_> = lost.iter().take(NAMED).map(name).collect();
            let more = lost.len().saturating_sub(NAMED);
            let more = if more > 0 { format!(" and {more} more") } else { String::new() };
            match names.as_slice() {
                [] => format!("its last sound commit is of {at}; Stripe has no payment that it has not"),
                _ => format!(
                    "its last sound commit is of {at}; Stripe has {} payments that it has not: {}{more}",
                    lost.len(),
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
