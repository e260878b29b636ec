//! Feeds the books and the changes of viewers to the lake: rows that the store wrote with each change, and the names
//! and prices of the channels' products.

use std::time::Duration;

use serde_json::{Value, json};
use tokio_util::sync::CancellationToken;
use touchline_channel::Channel;
use touchline_channel::catalogue::ChannelSnapshot;
use touchline_datalake::{BookRow, Datalake, Table};
use touchline_protocol::time::rfc3339;
use touchline_store::{Dimension, LakeRow, StoreResult};

/// The number of rows per batch.
const BATCH_SIZE: u32 = 200;
const POLL_INTERVAL: Duration = Duration::from_secs(10);

/// Runs until cancelled. Rows that are not accepted are retried later.
pub(crate) async fn run(channel: Channel, datalake: Datalake, cancel: CancellationToken) {
    let mut changes = channel.state().store().changes();
    let mut sent = Vec::new();
    loop {
        if let Err(error) = feed(&channel, &datalake, &mut sent).await {
            tracing::warn!(%error, "the lake could not be updated from the books");
        }
        let wait = async {
            // A missed change counts as a change.
            let _ = tokio::time::timeout(POLL_INTERVAL, changes.recv()).await;
        };
        if cancel.run_until_cancelled(wait).await.is_none() {
            return;
        }
    }
}

/// `sent` is the catalogue of each channel last sent to the lake.
async fn feed(channel: &Channel, datalake: &Datalake, sent: &mut Vec<(String, u64)>) -> StoreResult<()> {
    let state = channel.state();
    let store = state.store();
    // One worker does this for all.
    if !store.holds_job("lake").await? {
        return Ok(());
    }
    let channels = state.channels.all();
    let now: Vec<_> = channels.iter().map(|channel| (channel.key().to_owned(), channel.generation)).collect();
    if *sent != now {
        for channel in &channels {
            store.queue_dimensions(channel.key(), &dimensions(channel), state.clock.now_ms()).await?;
        }
        *sent = now;
    }
    loop {
        let rows = store.lake_rows(BATCH_SIZE).await?;
        if rows.is_empty() {
            return Ok(());
        }
        let (ids, rows): (Vec<_>, Vec<_>) = rows.into_iter().filter_map(|row| Some((row.id, book_row(row)?))).unzip();
        let accepted = datalake.record_books(rows).await;
        let accepted: Vec<i64> =
            ids.into_iter().zip(accepted).filter_map(|(id, is_accepted)| is_accepted.then_some(id)).collect();
        if accepted.is_empty() {
            return Ok(());
        }
        store.accept_lake_rows(&accepted, state.clock.now_ms()).await?;
    }
}

/// A row for the lake's queue. The person is added here, so that an erased person has none.
fn book_row(row: LakeRow) -> Option<BookRow> {
    let mut body: Value = serde_json::from_str(&row.body).ok()?;
    if let Some(user_id) = row.user_id {
        body["user_id"] = json!(user_id.to_string());
    }
    let (table, id) = (Table::of_name(&row.lake_table)?, row.event_id.parse().ok()?);
    Some(BookRow { table, id, at_ms: row.at, body: body.to_string() })
}

/// Names and prices of a channel's products, events and teams.
fn dimensions(channel: &ChannelSnapshot) -> Vec<Dimension> {
    let (key, currency) = (channel.key(), &channel.settings.currency);
    let row = |table: Table, id: i64, mut body: Value| {
        (body["channel"], body["id"]) = (json!(key), json!(id.to_string()));
        // The store writes `true` once the channel no longer has it.
        body["is_removed"] = json!(false);
        Dimension { lake_table: table.name(), id, body: body.to_string() }
    };
    let packages = channel.packages.iter().map(|item| {
        let body = json!({
            "name": item.name, "kind": item.kind, "is_team_pass": item.is_team_pass.to_string(), "period_days": item.period_days,
            "base_price": item.base_price, "service_fee": item.service_fee, "currency": currency,
        });
        row(Table::PackageDim, item.id, body)
    });
    let subscriptions = channel.subscriptions.iter().map(|item| {
        let body = json!({
            "name": item.name, "offer": item.offer, "trial_days": item.trial_period, "base_price": item.base_price,
            "service_fee": item.service_fee, "currency": currency,
        });
        row(Table::SubscriptionDim, item.id, body)
    });
    let events = channel.events.iter().map(|item| {
        let away = item.participants.iter().map(|team| team.id).find(|id| Some(*id) != item.home_team_id);
        let body = json!({
            "name": item.name, "access": item.access_type, "category_id": item.event_category_id.to_string(),
            "category": channel.categories.get(item.event_category_id).map(|category| &category.name),
            "starts_at": rfc3339(item.starts_at * 1000), "home_team_id": item.home_team_id.map(|id| id.to_string()),
            "away_team_id": away.map(|id| id.to_string()), "base_price": item.base_price, "service_fee": item.service_fee,
            "currency": currency,
        });
        row(Table::EventDim, item.id, body)
    });
    let teams = channel
        .participants
        .iter()
        .map(|item| row(Table::TeamDim, item.id, json!({ "name": item.name, "short_name": item.short_name })));
    packages.chain(subscriptions).chain(events).chain(teams).collect()
}
