//! Feeds the books to the lake: rows that the store wrote with each change, and the names and prices of the channels'
//! products.

use std::time::Duration;

use serde_json::{Value, json};
use tokio_util::sync::CancellationToken;
use touchline_channel::Channel;
use touchline_channel::catalogue::ChannelSnapshot;
use touchline_datalake::{BookRow, Datalake, Table};
use touchline_protocol::time::rfc3339;
use touchline_store::{Dimension, LakeRow, StoreResult};

/// The number of rows per batch.
const AT_ONCE: u32 = 200;
const LOOK_EVERY: Duration = Duration::from_secs(10);

/// Runs until cancelled. Rows that are not accepted are retried later.
pub(crate) async fn run(channel: Channel, datalake: Datalake, cancel: CancellationToken) {
    let mut changes = channel.state().store().changes();
    let mut told = Vec::new();
    loop {
        if let Err(error) = tell(&channel, &datalake, &mut told).await {
            tracing::warn!(%error, "the lake could not be updated from the books");
        }
        let wait = async {
            // A missed change counts as a change.
            let _ = tokio::time::timeout(LOOK_EVERY, changes.recv()).await;
        };
        if cancel.run_until_cancelled(wait).await.is_none() {
            return;
        }
    }
}

/// `told` is the catalogue of each channel last sent to the lake.
async fn tell(channel: &Channel, datalake: &Datalake, told: &mut Vec<(String, u64)>) -> StoreResult<()> {
    let state = channel.state();
    let store = state.store();
    // One worker does this for all.
    if !store.holds_job("lake").await? {
        return Ok(());
    }
    let channels = state.channels.all();
    let now: Vec<_> = channels.iter().map(|channel| (channel.key().to_owned(), channel.generation)).collect();
    if *told != now {
        for channel in &channels {
            store.queue_dimensions(channel.key(), &dimensions(channel), state.clock.now_ms()).await?;
        }
        *told = now;
    }
    loop {
        let rows = store.lake_rows(AT_ONCE).await?;
        if rows.is_empty() {
            return Ok(());
        }
        let (ids, rows): (Vec<_>, Vec<_>) = rows.into_iter().filter_map(|row| Some((row.id, book_row(row)?))).unzip();
        let taken = datalake.record_books(rows).await;
        let taken: Vec<i64> = ids.into_iter().zip(taken).filter_map(|(id, is_taken)| is_taken.then_some(id)).collect();
        if taken.is_empty() {
            return Ok(());
        }
        store.accept_lake_rows(&taken, state.clock.now_ms()).await?;
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
        Dimension { lake_table: table.name(), id, body: body.to_string() }
    };
    let packages = channel.packages.iter().map(|it| {
        let body = json!({
            "name": it.name, "kind": it.kind, "is_team_pass": it.is_team_pass.to_string(), "period_days": it.period_days,
            "base_price": it.base_price, "service_fee": it.service_fee, "currency": currency,
        });
        row(Table::PackageDim, it.id, body)
    });
    let subscriptions = channel.subscriptions.iter().map(|it| {
        let body = json!({
            "name": it.name, "offer": it.offer, "trial_days": it.trial_period, "base_price": it.base_price,
            "service_fee": it.service_fee, "currency": currency,
        });
        row(Table::SubscriptionDim, it.id, body)
    });
    let events = channel.events.iter().map(|it| {
        let away = it.participants.iter().map(|team| team.id).find(|id| Some(*id) != it.home_team_id);
        let body = json!({
            "name": it.name, "access": it.access_type, "category_id": it.event_category_id.to_string(),
            "category": channel.categories.get(it.event_category_id).map(|category| &category.name),
            "starts_at": rfc3339(it.starts_at * 1000), "home_team_id": it.home_team_id.map(|id| id.to_string()),
            "away_team_id": away.map(|id| id.to_string()), "base_price": it.base_price, "service_fee": it.service_fee,
            "currency": currency,
        });
        row(Table::EventDim, it.id, body)
    });
    let teams = channel
        .participants
        .iter()
        .map(|it| row(Table::TeamDim, it.id, json!({ "name": it.name, "short_name": it.short_name })));
    packages.chain(subscriptions).chain(events).chain(teams).collect()
}
