//! The audit of the books: compares orders, charges and access with each other, with the provider's records and with
//! the files of the lake (`OPS-19`).
//!
//! | module | what |
//! |---|---|
//! | [`lake`] | compares the books with the files of each lake, and deletes rows the lakes have had for a week |

mod lake;

use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::time::Duration;

use serde::{Deserialize, Serialize};
use tokio_util::sync::CancellationToken;
use touchline_channel::http::AppState;
use touchline_channel::payments::audit as provider;
use touchline_datalake::Datalake;
use touchline_store::{BOOK_RULES, Disagreement, StoreResult};

/// The default interval between audits.
pub(crate) const INTERVAL: Duration = Duration::from_secs(3600);
/// The latest time after startup for the first audit.
const FIRST_DELAY: Duration = Duration::from_secs(60);
const MAX_DISAGREEMENTS: u32 = 1000;
/// The period each audit covers, in milliseconds. It outlasts a weekend without a worker.
const WINDOW_MS: i64 = 8 * 24 * 3600 * 1000;

#[derive(Debug, Default, Serialize, Deserialize)]
pub(crate) struct Audit {
    pub(crate) disagreements: Vec<Disagreement>,
    /// Parts that could not be compared, and why.
    pub(crate) unread: Vec<String>,
}

impl Audit {
    /// Removes what is about another channel or an order of one.
    pub(crate) async fn retain_channel(&mut self, channel: &AppState, key: &str) -> StoreResult<()> {
        if self.disagreements.len() >= MAX_DISAGREEMENTS as usize {
            self.unread.push(format!("only the first {MAX_DISAGREEMENTS} disagreements of all channels were examined"));
        }
        let mut is_foreign = HashMap::new();
        for id in self.disagreements.iter().filter_map(|disagreement| disagreement.order_id) {
            if let Entry::Vacant(entry) = is_foreign.entry(id) {
                let order = channel.store().any_order(id).await?;
                entry.insert(order.is_some_and(|order| order.channel_key != key));
            }
        }
        self.disagreements.retain(|disagreement| {
            disagreement.order_id.is_none_or(|id| !is_foreign[&id])
                && disagreement.channel_key.as_ref().is_none_or(|channel_key| channel_key == key)
        });
        Ok(())
    }
}

/// Audits the books. The provider and the lake are compared for money moved from `since` on; the records are compared
/// in full.
pub(crate) async fn run(channel: &AppState, datalake: &Datalake, since: i64) -> Audit {
    let mut audit = Audit::default();
    // First, because it records what a lost webhook left undone.
    match provider::disagreements(&channel.billing(), since).await {
        Ok(found) => audit.disagreements.extend(found),
        Err(error) => audit.unread.push(format!("provider: {error}")),
    }
    match channel.store().disagreements(channel.clock.now_ms(), MAX_DISAGREEMENTS).await {
        Ok(found) => audit.disagreements.extend(found),
        Err(error) => audit.unread.push(format!("records: {error}")),
    }
    match lake::disagreements(channel, datalake, since).await {
        Ok(found) => audit.disagreements.extend(found),
        Err(error) => audit.unread.push(format!("lake: {error}")),
    }
    audit.disagreements.truncate(MAX_DISAGREEMENTS as usize);
    audit
}

/// Audits the books every `interval` until cancelled, and publishes the result in `/metrics`.
pub(crate) async fn repeat(channel: AppState, datalake: Datalake, interval: Duration, cancel: CancellationToken) {
    let mut wait = interval.min(FIRST_DELAY);
    while cancel.run_until_cancelled(tokio::time::sleep(wait)).await.is_some() {
        wait = interval;
        // One worker audits for all.
        if !channel.store().holds_job("audit").await.unwrap_or(false) {
            // The worker whose turn it is reports the counts now.
            count(&Audit::default());
            continue;
        }
        let since = channel.clock.now_ms() - WINDOW_MS;
        let Some(audit) = cancel.run_until_cancelled(run(&channel, &datalake, since)).await else { return };
        for disagreement in &audit.disagreements {
            tracing::error!(
                rule = disagreement.rule,
                order = disagreement.order_id,
                detail = disagreement.detail,
                "the books disagree"
            );
        }
        for why in &audit.unread {
            tracing::error!(why, "part of the books could not be compared");
        }
        measure(&audit, channel.clock.now_ms());
    }
}

#[expect(clippy::cast_precision_loss, reason = "a gauge is a float; what is counted is bounded")]
fn measure(audit: &Audit, now_ms: i64) {
    count(audit);
    metrics::gauge!("touchline_books_audited_timestamp_seconds").set(now_ms as f64 / 1000.0);
    metrics::counter!("touchline_books_audits_total").increment(1);
}

#[expect(clippy::cast_precision_loss, reason = "a gauge is a float; what is counted is bounded")]
fn count(audit: &Audit) {
    for rule in BOOK_RULES.iter().chain(&provider::RULES).chain(&lake::RULES) {
        let count = audit.disagreements.iter().filter(|disagreement| disagreement.rule == *rule).count();
        metrics::gauge!("touchline_books_disagreements", "rule" => *rule).set(count as f64);
    }
    metrics::gauge!("touchline_books_unread").set(audit.unread.len() as f64);
}
