//! Compares the books with the files of each lake, and deletes rows that every lake has had for a week.

use std::collections::{BTreeMap, HashSet};

use touchline_channel::http::AppState;
use touchline_channel::payments::audit::{CHARGES, SETTLING_MS};
use touchline_datalake::{BooksInLake, Datalake, Table};
use touchline_protocol::purchases::ChargeKind;
use touchline_store::{AcceptedRow, ChargeRecord, Disagreement};

pub(super) const RULES: [&str; 3] = ["lake", "lake_row", "lake_file"];

const DAY_MS: i64 = 24 * 3600 * 1000;
/// How long a row is retained once every lake has it, in milliseconds.
const KEPT_MS: i64 = 7 * DAY_MS;
/// The longest that any row is retained, in milliseconds.
const KEPT_AT_MOST_MS: i64 = 400 * DAY_MS;
const PAGE: u32 = 5000;

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
        let from = first.first().map_or(since, |row| row.at.max(now - KEPT_AT_MOST_MS).min(since));
        let lakes = datalake.books_in_lakes(table, from).await.map_err(text)?;
        let shipped = hold_rows(channel, table, &lakes, now, &mut found).await?;
        for lake in &lakes {
            found.extend(lake.unreadable.iter().map(|file| named("lake_file", None, format!("{}: {file}", lake.lake))));
        }
        if table == Table::OrderEvent && !lakes.is_empty() {
            let untaken = channel.store().oldest_pending_lake_row().await.map_err(text)?;
            let charges = channel.store().charges_since(since, CHARGES).await.map_err(text)?;
            // Only charges before the last one read are compared: there may be more.
            let read = charges.get(CHARGES as usize - 1).map(|charge| charge.at);
            let until = untaken.into_iter().chain(read).fold(shipped, i64::min);
            let keys: HashSet<String> = channel.channels.all().iter().map(|it| it.key().to_owned()).collect();
            for lake in &lakes {
                found.extend(sums(lake, &charges, &keys, (since.max(lake.created_ms), until)));
            }
        }
    }
    Ok(found)
}

/// Reports rows missing from a lake, deletes those that every lake has had for a week, and returns the time before
/// which everything was shipped.
async fn hold_rows(
    channel: &AppState,
    table: Table,
    lakes: &[BooksInLake],
    now: i64,
    found: &mut Vec<Disagreement>,
) -> Result<i64, String> {
    let (mut after, mut shipped) = (0, now - SETTLING_MS);
    loop {
        let rows = channel.store().accepted_lake_rows(table.name(), after, PAGE).await.map_err(text)?;
        let Some(last) = rows.last() else { return Ok(shipped) };
        after = last.id;
        let (mut forgotten, mut lost) = (Vec::new(), Vec::new());
        for row in &rows {
            let Ok(id) = row.event_id.parse() else { continue };
            let lacking: Vec<_> =
                lakes.iter().filter(|lake| row.at >= lake.created_ms && !lake.rows.contains_key(&id)).collect();
            if row.taken_at < now - (if lacking.is_empty() { KEPT_MS } else { KEPT_AT_MOST_MS }) {
                forgotten.push(row.id);
                continue;
            }
            for lake in lacking {
                if is_under_way(row, lake, now) {
                    shipped = shipped.min(row.at);
                } else {
                    let detail = format!("row {} of {} is missing from {}", row.event_id, table.name(), lake.lake);
                    found.push(named("lake_row", row.order_id, detail));
                    lost.push(row.id);
                }
            }
        }
        channel.store().delete_lake_rows(&forgotten).await.map_err(text)?;
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
        let came_in = matches!(charge.kind, Purchase | Renewal | DisputeWon | RefundFailed);
        orders.entry(charge.order_id).or_default().0 += if came_in { charge.amount } else { -charge.amount };
    }
    // Another worker may write other channels to the same lake.
    let of_ours =
        lake.rows.values().filter(|row| row.at_ms >= since && row.at_ms < until && keys.contains(&row.channel));
    for row in of_ours {
        if let Some(order_id) = row.order_id {
            orders.entry(order_id).or_default().1 += row.net;
        }
    }
    let differing = orders.into_iter().filter(|(_, (of_books, of_lake))| of_books != of_lake);
    let told = differing.map(|(id, (of_books, of_lake))| {
        named("lake", Some(id), format!("the charges add up to {of_books}, {} says {of_lake}", lake.lake))
    });
    told.collect()
}

fn named(rule: &str, order_id: Option<i64>, detail: String) -> Disagreement {
    Disagreement { rule: rule.to_owned(), order_id, detail }
}

fn text(error: impl std::fmt::Display) -> String {
    error.to_string()
}
