//! Numbers after a restore: ids and receipts that nobody has seen (`OPS-53`).

use std::collections::HashMap;
use std::path::Path;

use sqlx::sqlite::SqliteConnectOptions;
use sqlx::{ConnectOptions, Connection, SqlitePool};

use crate::StoreResult;
use crate::numbers::SkippedNumbers;

/// Tables with ids.
const NUMBERED: [&str; 10] = [
    "api_keys",
    "audit_log",
    "charges",
    "clips",
    "favorites",
    "form_submissions",
    "lake_rows",
    "mails",
    "orders",
    "users",
];

/// The last ids, the letter of receipts and the identity of a store, by name.
type Numbers = HashMap<String, String>;

const NUMBERS: &str = "SELECT name, CAST(last AS TEXT) FROM counters
    UNION ALL SELECT name, value FROM remembered WHERE name IN ('receipt_letter', 'receipt_series', 'address_secret')";

/// Numbers of the store that is about to be replaced. Its files are not changed. Empty if it is missing or unreadable.
async fn replaced_numbers(target: &Path) -> Numbers {
    let read = async {
        let options = SqliteConnectOptions::new().filename(target).read_only(true).immutable(true);
        let mut store = options.connect().await?;
        let rows: Vec<(String, String)> = sqlx::query_as(NUMBERS).fetch_all(&mut store).await?;
        store.close().await?;
        Ok::<_, sqlx::Error>(rows)
    };
    read.await.unwrap_or_default().into_iter().collect()
}

/// Continues with ids that nobody has seen, and new series of receipts. `target` is the store that is replaced.
pub(super) async fn skip(pool: &SqlitePool, target: &Path) -> StoreResult<()> {
    let replaced = replaced_numbers(target).await;
    let restored: Vec<(String, String)> = sqlx::query_as(NUMBERS).fetch_all(pool).await?;
    let restored: Numbers = restored.into_iter().collect();
    let last = |name: &str| {
        let in_store = |store: &Numbers| store.get(name).and_then(|last| last.parse().ok()).unwrap_or(0);
        in_store(&replaced).max(in_store(&restored))
    };
    // Without the records since then, only the age distinguishes another restore of the same backup.
    let identity = restored.get("address_secret");
    let is_successor_there = identity.is_some() && identity == replaced.get("address_secret");
    let age_ms = if is_successor_there { 0 } else { age_ms(pool).await? };
    let skipped = SkippedNumbers::at_age(age_ms);

    for name in NUMBERED {
        sqlx::query(
            "INSERT INTO counters (name, last) VALUES ($1, $2) ON CONFLICT (name) DO UPDATE SET last = excluded.last",
        )
        .bind(name)
        .bind(last(name) + skipped.ids)
        .execute(pool)
        .await?;
    }
    // The replaced store may be of a release whose channels shared a series.
    let letter = last("receipt_letter").max(last("receipt_series")) + skipped.letters;
    sqlx::query(
        "INSERT INTO remembered (name, value) VALUES ('receipt_letter', $1)
         ON CONFLICT (name) DO UPDATE SET value = excluded.value",
    )
    .bind(letter.to_string())
    .execute(pool)
    .await?;
    Ok(())
}

/// Milliseconds since the last request in the records.
async fn age_ms(pool: &SqlitePool) -> StoreResult<i64> {
    let age: Option<i64> = sqlx::query_scalar(
        "SELECT CAST((julianday('now') - 2440587.5) * 86400000 AS INTEGER) - MAX(last_seen_at) FROM api_keys",
    )
    .fetch_one(pool)
    .await?;
    Ok(age.unwrap_or(0))
}
