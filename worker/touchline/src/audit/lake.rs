//! Compares the books with the files of each lake, and deletes rows that every lake has had for a week.

use std::collections::{BTreeMap, BTreeSet, HashSet};

use touchline_channel::http::AppState;
use touchline_channel::payments::audit::{CHARGES, SETTLING_MS};
use touchline_datalake::{BooksInLake, Datalake, Table};
use touchline_protocol::purchases::ChargeKind;
use touchline_store::{AcceptedRow, ChargeRecord, Disagreement};

pub(super) const RULES: [&str; 4] = ["lake", "lake_row", "lake_file", "lake_order"];

const DAY_MS: i64 = 24 * 3600 * 1000;
/// The retention period of a row once every lake has it, in milliseconds.
const RETENTION_MS: i64 = 7 * DAY_MS;
/// The longest that any row is retained, in milliseconds.
const MAX_RETENTION_MS: i64 = 400 * DAY_MS;
const PAGE_SIZE: u32 = 5000;

/// Returns the disagreements of charges and rows with the files of each lake, from `since` on.
///
/// # Errors
/// A lake, the queue or the records cannot be read.
pub(super) async fn disagreements(
    channel: &AppState,
    datalake: &Datalake,
    since: i64,
) -> Result<Vec<Disagreement>, String> {
    let now = channel.clock.now_ms();
    let mut found = Vec::new();
    for table in Table::of_books() {
        let first = channel.store().accepted_lake_rows(table.name(), 0, 1).await.map_err(text)?;
        let from = first.first().map_or(since, |row| row.at.max(now - MAX_RETENTION_MS).min(since));
        let lakes = datalake.books_in_lakes(table, from).await.map_err(text)?;
        let shipped = compare_rows(channel, table, &lakes, now, &mut found).await?;
        for lake in &lakes {
            found.extend(
                lake.unreadable.iter().map(|file| disagreement("lake_file", None, format!("{}: {file}", lake.lake))),
            );
        }
        if table == Table::OrderEvent && !lakes.is_empty() {
            let unclaimed = channel.store().oldest_pending_lake_row().await.map_err(text)?;
            let charges = channel.store().charges_since(since, CHARGES).await.map_err(text)?;
            // Only charges before the last one read are compared: there may be more.
            let read = charges.get(CHARGES as usize - 1).map(|charge| charge.at);
            let until = unclaimed.into_iter().chain(read).fold(shipped, i64::min);
            let keys: HashSet<String> = channel.channels.all().iter().map(|channel| channel.key().to_owned()).collect();
            for lake in &lakes {
                found.extend(sums(lake, &charges, &keys, (since.max(lake.created_ms), until)));
                found.extend(unknown_orders(channel, lake, &keys).await?);
            }
        }
    }
    Ok(found)
}

/// Reports rows missing from a lake, deletes those that every lake has had for a week, and returns the time before
/// which everything was shipped.
async fn compare_rows(
    channel: &AppState,
    table: Table,
    lakes: &[BooksInLake],
    now: i64,
    found: &mut Vec<Disagreement>,
) -> Result<i64, String> {
    let (mut after, mut shipped) = (0, now - SETTLING_MS);
    loop {
        let rows = channel.store().accepted_lake_rows(table.name(), after, PAGE_SIZE).await.map_err(text)?;
        let Some(last) = rows.last() else { return Ok(shipped) };
        after = last.id;
        let (mut expired, mut lost) = (Vec::new(), Vec::new());
        for row in &rows {
            let Ok(id) = row.event_id.parse() else { continue };
            let missing_from: Vec<_> =
                lakes.iter().filter(|lake| row.at >= lake.created_ms && !lake.rows.contains_key(&id)).collect();
            if row.taken_at < now - (if missing_from.is_empty() { RETENTION_MS } else { MAX_RETENTION_MS }) {
                expired.push(row.id);
                continue;
            }
            for lake in missing_from {
                if is_under_way(row, lake, now) {
                    shipped = shipped.min(row.at);
                } else {
                    let detail = format!("row {} of {} is missing from {}", row.event_id, table.name(), lake.lake);
                    found.push(disagreement("lake_row", row.order_id, detail));
                    lost.push(row.id);
                }
            }
        }
        channel.store().delete_lake_rows(&expired).await.map_err(text)?;
        // With several workers, the one that claimed the row may be gone for good, so another worker ships it now. If
        // the first returns with its disk, the lake has the row twice under one id until its files are compacted.
        if channel.store.is_shared() && !lost.is_empty() {
            tracing::warn!(rows = lost.len(), table = table.name(), "rows missing from a lake are queued again");
            channel.store().requeue_lake_rows(&lost).await.map_err(text)?;
        }
    }
}

fn is_under_way(row: &AcceptedRow, lake: &BooksInLake, now: i64) -> bool {
    row.taken_at >= lake.shipped_until_ms.min(now - SETTLING_MS)
}

/// Orders of a lake that the books do not know, such as those between a backup and its restore (`OPS-53`).
async fn unknown_orders(
    channel: &AppState,
    lake: &BooksInLake,
    keys: &HashSet<String>,
) -> Result<Vec<Disagreement>, String> {
    let rows = lake.rows.values().filter(|row| keys.contains(&row.channel));
    let ids: BTreeSet<i64> = rows.filter_map(|row| row.order_id).collect();
    let ids: Vec<i64> = ids.into_iter().collect();
    let mut found = Vec::new();
    for page in ids.chunks(PAGE_SIZE as usize) {
        let unknown = channel.store().unknown_orders(page).await.map_err(text)?;
        found.extend(unknown.into_iter().map(|id| {
            disagreement("lake_order", Some(id), format!("{} has the order, but the books do not know it", lake.lake))
        }));
    }
    Ok(found)
}

/// Orders whose charges differ from the total in a lake, between two times.
fn sums(
    lake: &BooksInLake,
    charges: &[ChargeRecord],
    keys: &HashSet<String>,
    (since, until): (i64, i64),
) -> Vec<Disagreement> {
    let mut orders: BTreeMap<i64, (i64, i64)> = BTreeMap::new();
    for charge in charges.iter().filter(|charge| charge.at >= since && charge.at < until) {
        use ChargeKind::{DisputeWon, Purchase, RefundFailed, Renewal};
        let is_incoming = matches!(charge.kind, Purchase | Renewal | DisputeWon | RefundFailed);
        orders.entry(charge.order_id).or_default().0 += if is_incoming { charge.amount } else { -charge.amount };
    }
    // Another worker may write other channels to the same lake.
    let our_rows =
        lake.rows.values().filter(|row| row.at_ms >= since && row.at_ms < until && keys.contains(&row.channel));
    for row in our_rows {
        if let Some(order_id) = row.order_id {
            orders.entry(order_id).or_default().1 += row.net;
        }
    }
    let differing = orders.into_iter().filter(|(_, (in_books, in_lake))| in_books != in_lake);
    let disagreements_of_sums = differing.map(|(id, (in_books, in_lake))| {
        disagreement("lake", Some(id), format!("the charges add up to {in_books}, {} says {in_lake}", lake.lake))
    });
    disagreements_of_sums.collect()
}

fn disagreement(rule: &str, order_id: Option<i64>, detail: String) -> Disagreement {
    Disagreement { rule: rule.to_owned(), order_id, channel_key: None, detail }
}

fn text(error: impl std::fmt::Display) -> String {
    error.to_string()
}
