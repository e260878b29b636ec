//! Rows that the worker itself writes into the lake: what its books and its catalogue say. No call carries them, so that
//! nobody else can claim them.

use crate::datalake::{Datalake, OperationError};
use crate::event::QueuedEvent;
use crate::lake::book_rows::BooksInLake;
use crate::queue::{Candidate, Verdict};
use crate::sinks::Sink;
use crate::table::{Priority, Table};

/// A row of a table that the worker alone writes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BookRow {
    /// One that no call fills.
    pub table: Table,
    /// Made from what the row is about: the same row has the same id, whatever is recorded again.
    pub id: uuid::Uuid,
    /// When it happened, Unix milliseconds.
    pub at_ms: i64,
    /// Its columns, a JSON object.
    pub body: String,
}

impl Datalake {
    /// What the files of each lake have of a table of the books, of the days from `from_ms` on.
    ///
    /// # Errors
    /// When a lake or the queue cannot be read.
    pub async fn books_in_lakes(&self, table: Table, from_ms: i64) -> Result<Vec<BooksInLake>, OperationError> {
        let unreadable = |error: String| OperationError::Unreadable(error);
        let mut all = Vec::new();
        for lake in &self.0.lakes {
            // Before the files are read: what was shipped by then is in them.
            let now_ms = self.0.clock.now_ms();
            let waits = self.0.queue.oldest_us(lake.name(), table).map_err(|error| unreadable(error.to_string()))?;
            let books = lake.book_rows(table, from_ms).await.map_err(|error| unreadable(error.to_string()))?;
            all.push(BooksInLake { shipped_until_ms: waits.map_or(now_ms, |us| us / 1000), ..books });
        }
        Ok(all)
    }

    /// Takes rows into the queue. For each whether it is truly on disk, now or from a time before; what is not is to be
    /// recorded again.
    pub async fn record_books(&self, rows: Vec<BookRow>) -> Vec<bool> {
        let received_us = self.0.clock.now().as_microsecond();
        let candidates = rows.into_iter().map(|row| {
            let at_us = row.at_ms.saturating_mul(1000);
            let event =
                QueuedEvent { id: row.id, at_us, received_us, occurred_us: at_us, body: row.body.into_bytes().into() };
            // What was sold is not said again by anyone: it gives way last.
            Candidate { table: row.table, priority: Priority::Purchase, event, too_old: false }
        });
        let verdicts = self.0.accept(candidates.collect()).await;
        verdicts.into_iter().map(|verdict| matches!(verdict, Verdict::Accepted | Verdict::Duplicate)).collect()
    }
}
