//! The rows of the books in the current files of a lake.

use std::collections::HashMap;

use arrow_array::Array;
use arrow_array::cast::AsArray;
use arrow_array::types::{Float64Type, TimestampMicrosecondType};
use parquet::arrow::ProjectionMask;
use parquet::arrow::arrow_reader::ParquetRecordBatchReaderBuilder;
use uuid::Uuid;

use super::Lake;
use super::compaction::date_of;
use crate::delta::DeltaError;
use crate::event;
use crate::rows::{RowsError, text};
use crate::table::Table;

const COLUMNS: [&str; 5] = ["event_id", "occurred_at", "channel", "order_id", "net"];

/// A row of a book table in a lake file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BookRowInLake {
    /// The channel's key.
    pub channel: String,
    /// The order; absent in a row of a dimension.
    pub order_id: Option<i64>,
    /// The amount, in minor units.
    pub net: i64,
    /// Event time, Unix milliseconds.
    pub at_ms: i64,
}

/// The content of one book table in a lake.
#[derive(Debug, Default)]
pub struct BooksInLake {
    /// The lake's name.
    pub lake: String,
    /// Rows by id. Duplicates in several files count once.
    pub rows: HashMap<Uuid, BookRowInLake>,
    /// Unreadable files of the table, with the reasons.
    pub unreadable: Vec<String>,
    /// Creation time of the table. Earlier rows may be in another lake. Unix milliseconds.
    pub created_ms: i64,
    /// The files contain everything that was queued before this moment, Unix milliseconds.
    pub shipped_until_ms: i64,
}

impl Lake {
    /// Returns the rows of the days from `from_ms` on.
    ///
    /// # Errors
    /// If the table's log cannot be read.
    pub(crate) async fn book_rows(&self, table: Table, from_ms: i64) -> Result<BooksInLake, DeltaError> {
        let snapshot = self.log(table).await?.snapshot().await?;
        let first_day = event::date_of(from_ms.saturating_mul(1000));
        let created_ms = snapshot.meta_data.as_ref().and_then(|table| table.created_time).unwrap_or_default();
        let mut books = BooksInLake { lake: self.name.clone(), created_ms, ..BooksInLake::default() };
        for add in snapshot.files.values().filter(|add| date_of(add).is_none_or(|date| date >= first_day)) {
            let bytes = match self.read(table, &add.path).await {
                Ok(bytes) => bytes,
                Err(error) => {
                    books.unreadable.push(format!("{}: {error}", add.path));
                    continue;
                }
            };
            let read = tokio::task::spawn_blocking(move || rows_of(bytes))
                .await
                .map_err(|error| DeltaError::Other(error.to_string()))?;
            match read {
                Ok(rows) => books.rows.extend(rows),
                Err(error) => books.unreadable.push(format!("{}: {error}", add.path)),
            }
        }
        Ok(books)
    }
}

fn rows_of(file: bytes::Bytes) -> Result<Vec<(Uuid, BookRowInLake)>, RowsError> {
    let builder = ParquetRecordBatchReaderBuilder::try_new(file)?;
    let mask = ProjectionMask::columns(builder.parquet_schema(), COLUMNS);
    let mut rows = Vec::new();
    for batch in builder.with_projection(mask).build()? {
        let batch = batch?;
        let texts = |column: &str| {
            let column = text(&batch, column);
            move |row: usize| column.and_then(|column| column.is_valid(row).then(|| column.value(row)))
        };
        let (ids, channels, orders) = (texts("event_id"), texts("channel"), texts("order_id"));
        let nets = batch.column_by_name("net").and_then(|column| column.as_primitive_opt::<Float64Type>());
        let times = batch
            .column_by_name("occurred_at")
            .and_then(|column| column.as_primitive_opt::<TimestampMicrosecondType>());
        for row in 0..batch.num_rows() {
            let Some(id) = ids(row).and_then(|id| id.parse().ok()) else { continue };
            #[expect(clippy::cast_possible_truncation, reason = "minor units stay far below 2^53")]
            let net = nets.map_or(0, |nets| nets.value(row) as i64);
            let found = BookRowInLake {
                channel: channels(row).unwrap_or_default().to_owned(),
                order_id: orders(row).and_then(|order| order.parse().ok()),
                net,
                at_ms: times.map_or(0, |times| times.value(row) / 1000),
            };
            rows.push((id, found));
        }
    }
    Ok(rows)
}
