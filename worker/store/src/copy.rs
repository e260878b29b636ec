//! Migration of a store from a file to an empty PostgreSQL database (`OPS-31`).
//!
//! Tables are copied in the order of their references, in batches. Each batch records the progress in the same
//! transaction, so an interrupted copy resumes. Finally both sides are counted and summed, column by column. The file
//! is only read.

use std::collections::BTreeSet;
use std::ops::ControlFlow;
use std::path::Path;

use sqlx::postgres::PgPool;
use sqlx::sqlite::{SqliteConnectOptions, SqlitePool, SqlitePoolOptions};
use sqlx::{AssertSqlSafe, FromRow};

use crate::{PostgresAddress, StoreError, StoreResult, postgres};

/// Rows per batch.
pub const BATCH_SIZE: u32 = 1_000;

/// A copied table.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CopiedTable {
    /// Name of the table.
    pub name: String,
    /// Number of rows.
    pub rows: i64,
}

#[derive(Debug, FromRow)]
struct Column {
    name: String,
    #[sqlx(rename = "type")]
    kind: String,
}

#[derive(Debug)]
struct Table {
    name: String,
    columns: Vec<Column>,
}

fn quoted(name: &str) -> String {
    format!("\"{name}\"")
}

impl Table {
    fn columns(&self) -> String {
        self.columns.iter().map(|column| quoted(&column.name)).collect::<Vec<_>>().join(", ")
    }

    /// Query for a batch of rows as a JSON array, the key of the last one, and their number.
    fn batch_query(&self) -> String {
        let fields = self.columns.iter().map(|Column { name, kind }| {
            let value = quoted(name);
            match kind.as_str() {
                "BOOLEAN" => format!(
                    "'{name}', json(CASE WHEN {value} IS NULL THEN 'null' WHEN {value} THEN 'true' ELSE 'false' END)"
                ),
                _ => format!("'{name}', {value}"),
            }
        });
        format!(
            "SELECT json_group_array(json_object({})), COALESCE(MAX(place), 0), COUNT(*)
             FROM (SELECT rowid AS place, * FROM {} WHERE rowid > $1 ORDER BY rowid LIMIT $2)",
            fields.collect::<Vec<_>>().join(", "),
            quoted(&self.name),
        )
    }

    fn insert(&self) -> String {
        let (table, columns) = (quoted(&self.name), self.columns());
        format!(
            "INSERT INTO {table} ({columns}) SELECT {columns} FROM json_populate_recordset(NULL::{table}, $1::json)
             ON CONFLICT DO NOTHING"
        )
    }

    /// Query for the number of rows, and a checksum per column as text. The SQL is the same on both sides.
    fn sums(&self) -> String {
        let sums = self.columns.iter().map(|Column { name, kind }| {
            let value = quoted(name);
            let amount = match kind.as_str() {
                "BOOLEAN" => format!("SUM(CASE WHEN {value} THEN 1 ELSE 0 END)"),
                "BIGINT" => {
                    format!("SUM({value} / 1000000), 0) AS TEXT) || '.' || CAST(COALESCE(SUM({value} % 1000000)")
                }
                _ => format!("SUM(LENGTH({value}))"),
            };
            format!("'{name} ' || CAST(COUNT({value}) AS TEXT) || ' ' || CAST(COALESCE({amount}, 0) AS TEXT)")
        });
        let sums: Vec<_> = sums.collect();
        format!("SELECT COUNT(*), {} FROM {}", sums.join(" || ', ' || "), quoted(&self.name))
    }
}

/// Copies everything from the file `from` into the database `to` and creates its tables. `part` is called after each
/// batch with the table and its number of rows so far, and can stop the copy.
///
/// # Errors
/// [`StoreError::Copy`] if the database contains other records, differs at the end, or `part` stopped the copy. Also
/// any error of either store.
pub async fn copy(
    from: &Path,
    to: &PostgresAddress,
    batch_size: u32,
    mut on_batch: impl FnMut(&str, i64) -> ControlFlow<()>,
) -> StoreResult<Vec<CopiedTable>> {
    let options = SqliteConnectOptions::new().filename(from).create_if_missing(false).pragma("query_only", "ON");
    let file = SqlitePoolOptions::new().max_connections(1).connect_with(options).await?;
    postgres::migrate(to).await?;
    // Copying may exceed the usual timeouts.
    let timeouts = postgres::Timeouts { statement_ms: 0, idle_in_transaction_ms: 0 };
    let database = postgres::pool_options(1, timeouts).connect_with(to.options()).await?;
    prepare(&file, &database, to).await?;

    let tables = tables(&file).await?;
    for table in &tables {
        copy_table(&file, &database, table, batch_size, &mut on_batch).await?;
    }
    let mut copied = Vec::with_capacity(tables.len());
    for table in &tables {
        let in_file: (i64, String) = sqlx::query_as(AssertSqlSafe(table.sums())).fetch_one(&file).await?;
        let in_database: (i64, String) = sqlx::query_as(AssertSqlSafe(table.sums())).fetch_one(&database).await?;
        if in_file != in_database {
            tracing::error!(table = table.name, file = ?in_file, database = ?in_database, "the copy of a table differs");
            let cause = format!(
                "{} differs: {} rows in the file, {} in the database, or other sums; was the file in use since the copy \
                 began? Copy into an empty database again",
                table.name, in_file.0, in_database.0
            );
            return Err(StoreError::Copy(cause));
        }
        copied.push(CopiedTable { name: table.name.clone(), rows: in_file.0 });
    }
    finish(&database).await?;
    file.close().await;
    database.close().await;
    Ok(copied)
}

/// Checks that the database is empty or contains part of this very store.
async fn prepare(file: &SqlitePool, database: &PgPool, to: &PostgresAddress) -> StoreResult<()> {
    let source: Option<String> =
        sqlx::query_scalar("SELECT value FROM remembered WHERE name = 'master_secret'").fetch_optional(file).await?;
    let source = source.unwrap_or_default();
    // Progress is recorded under a name that no table has.
    let marker = format!("of {}", hex::encode(crate::secrets::sign(&[0; 32], &[b"copy of", source.as_bytes()])));
    let mut transaction = database.begin().await?;
    let is_started: bool =
        sqlx::query_scalar("SELECT to_regclass('copied_until') IS NOT NULL").fetch_one(&mut *transaction).await?;
    let is_ours = is_started
        && sqlx::query_scalar("SELECT EXISTS (SELECT 1 FROM copied_until WHERE table_name = $1)")
            .bind(&marker)
            .fetch_one(&mut *transaction)
            .await?;
    if is_ours {
        return Ok(());
    }
    let is_used: bool = sqlx::query_scalar("SELECT EXISTS (SELECT 1 FROM remembered) OR EXISTS (SELECT 1 FROM users)")
        .fetch_one(&mut *transaction)
        .await?;
    if is_started || is_used {
        return Err(StoreError::Copy(format!("{to} already contains records, use an empty database")));
    }
    sqlx::query("CREATE TABLE copied_until (table_name TEXT NOT NULL PRIMARY KEY, place BIGINT NOT NULL)")
        .execute(&mut *transaction)
        .await?;
    sqlx::query("INSERT INTO copied_until (table_name, place) VALUES ($1, 0)")
        .bind(marker)
        .execute(&mut *transaction)
        .await?;
    transaction.commit().await?;
    Ok(())
}

/// Lists the tables, each after those that it refers to.
async fn tables(file: &SqlitePool) -> StoreResult<Vec<Table>> {
    let mut names: Vec<String> = sqlx::query_scalar(
        "SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite\\_%' ESCAPE '\\'
         AND name <> '_sqlx_migrations' ORDER BY name",
    )
    .fetch_all(file)
    .await?;
    let (mut tables, mut done) = (Vec::new(), BTreeSet::new());
    while !names.is_empty() {
        let (before, mut remaining) = (names.len(), Vec::new());
        for name in std::mem::take(&mut names) {
            let refers: Vec<String> = sqlx::query_scalar("SELECT \"table\" FROM pragma_foreign_key_list($1)")
                .bind(&name)
                .fetch_all(file)
                .await?;
            if !refers.iter().all(|other| *other == name || done.contains(other)) {
                remaining.push(name);
                continue;
            }
            let columns: Vec<Column> = sqlx::query_as("SELECT name, type FROM pragma_table_info($1) ORDER BY cid")
                .bind(&name)
                .fetch_all(file)
                .await?;
            tables.push(Table { name: name.clone(), columns });
            done.insert(name);
        }
        if remaining.len() == before {
            return Err(StoreError::Copy(format!("{} refer to each other", remaining.join(" and "))));
        }
        names = remaining;
    }
    Ok(tables)
}

async fn copy_table(
    file: &SqlitePool,
    database: &PgPool,
    table: &Table,
    batch_size: u32,
    on_batch: &mut impl FnMut(&str, i64) -> ControlFlow<()>,
) -> StoreResult<()> {
    let position: Option<i64> = sqlx::query_scalar("SELECT place FROM copied_until WHERE table_name = $1")
        .bind(&table.name)
        .fetch_optional(database)
        .await?;
    let (mut position, mut copied) = (position.unwrap_or(i64::MIN), 0);
    loop {
        let (rows, last, count): (String, i64, i64) = sqlx::query_as(AssertSqlSafe(table.batch_query()))
            .bind(position)
            .bind(i64::from(batch_size))
            .fetch_one(file)
            .await?;
        if count == 0 {
            return Ok(());
        }
        let mut transaction = database.begin().await?;
        sqlx::query(AssertSqlSafe(table.insert())).bind(rows).execute(&mut *transaction).await?;
        sqlx::query(
            "INSERT INTO copied_until (table_name, place) VALUES ($1, $2)
             ON CONFLICT (table_name) DO UPDATE SET place = excluded.place",
        )
        .bind(&table.name)
        .bind(last)
        .execute(&mut *transaction)
        .await?;
        transaction.commit().await?;
        (position, copied) = (last, copied + count);
        if on_batch(&table.name, copied).is_break() {
            return Err(StoreError::Copy("stopped; run the same command again to continue".to_owned()));
        }
    }
}

/// Sets the sequences, so that new ids follow the last one of each table.
async fn finish(database: &PgPool) -> StoreResult<()> {
    let mut transaction = database.begin().await?;
    sqlx::query(
        "SELECT setval(to_regclass('ids_' || name), last) FROM counters WHERE to_regclass('ids_' || name) IS NOT NULL",
    )
    .execute(&mut *transaction)
    .await?;
    // The epoch of a database marks numbers that were issued from it.
    sqlx::query("DELETE FROM remembered WHERE name = 'epoch'").execute(&mut *transaction).await?;
    sqlx::query("DROP TABLE copied_until").execute(&mut *transaction).await?;
    transaction.commit().await?;
    sqlx::query("ANALYZE").execute(database).await?;
    Ok(())
}
