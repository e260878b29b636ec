//! Rows that the worker itself writes into the lake, from its books, its catalogue and the changes of viewers. No
//! endpoint accepts them, so nobody else can forge them.

use crate::datalake::{Datalake, OperationError};
use crate::event::QueuedEvent;
use crate::lake::book_rows::BooksInLake;
use crate::queue::{Candidate, Verdict};
use crate::sinks::Sink;
use crate::table::{Priority, Table};

/// A row that only the worker writes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BookRow {
    /// A table of the books, or `event` or `event_count`.
    pub table: Table,
    /// Derived from the row's subject, so that recording a row again yields the same id.
    pub id: uuid::Uuid,
    /// Event time, Unix milliseconds.
    pub at_ms: i64,
    /// The columns, a JSON object.
    pub body: String,
}

impl Datalake {
    /// Reads the rows of a book table from the files of each lake, for the days from `from_ms` on.
    ///
    /// # Errors
    /// If a lake or the queue cannot be read.
    pub async fn books_in_lakes(&self, table: Table, from_ms: i64) -> Result<Vec<BooksInLake>, OperationError> {
        let unreadable = |error: String| OperationError::Unreadable(error);
        let mut all = Vec::new();
        for lake in &self.0.lakes {
            // Taken before the files are read: they contain everything that was shipped by then.
            let now_ms = self.0.clock.now_ms();
            let waits = self.0.queue.oldest_us(lake.name(), table).map_err(|error| unreadable(error.to_string()))?;
            let books = lake.book_rows(table, from_ms).await.map_err(|error| unreadable(error.to_string()))?;
            all.push(BooksInLake { shipped_until_ms: waits.map_or(now_ms, |us| us / 1000), ..books });
        }
        Ok(all)
    }

    /// Queues rows. For each row, returns whether it is durable, now or from an earlier call; the others have to be
    /// recorded again.
    pub async fn record_books(&self, rows: Vec<BookRow>) -> Vec<bool> {
        let received_us = self.0.clock.now().as_microsecond();
        let candidates = rows.into_iter().map(|row| {
            let at_us = row.at_ms.saturating_mul(1000);
            let event =
                QueuedEvent { id: row.id, at_us, received_us, occurred_us: at_us, body: row.body.into_bytes().into() };
            // Nobody sends a sale a second time, so it is refused last.
            Candidate { table: row.table, priority: Priority::Purchase, event, too_old: false }
        });
        let verdicts = self.0.accept(candidates.collect()).await;
        verdicts.into_iter().map(|verdict| matches!(verdict, Verdict::Accepted | Verdict::Duplicate)).collect()
    }
}
