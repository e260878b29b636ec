//! Ships a batch to a lake: first its file, then the commit that adds it to the table. A batch that was committed
//! before a crash is not committed again: the log has each queue's progress.

use std::sync::Arc;

use async_trait::async_trait;

use super::Lake;
use super::names::FileName;
use crate::dead_letters::DeadReason;
use crate::delta::{Change, DeltaError};
use crate::event::QueuedEvent;
use crate::queue::state::OpenBatch;
use crate::rows::{self, File, Rows, RowsError};
use crate::sinks::{Batch, Progress, Sink, Unavailable};
use crate::table::Table;

/// A batch as a file; `None` if it has no rows.
struct BatchFile {
    file: Option<File>,
    /// Index and fault of events that are not valid rows.
    unreadable: Vec<(usize, String)>,
}

fn file_of(table: Table, events: &[(u64, QueuedEvent)]) -> Result<BatchFile, RowsError> {
    let mut rows = Rows::new(table);
    let mut unreadable = Vec::new();
    for (index, (_, event)) in events.iter().enumerate() {
        if let Err(why) = rows.push(event) {
            unreadable.push((index, why.to_string()));
        }
    }
    let file =
        if unreadable.len() < events.len() { Some(rows::to_parquet(table, [Ok(rows.finish()?)])?) } else { None };
    Ok(BatchFile { file, unreadable })
}

fn unavailable(error: impl Into<DeltaError>) -> Unavailable {
    Unavailable::because(error.into().to_string())
}

#[async_trait]
impl Sink for Lake {
    fn name(&self) -> &str {
        &self.name
    }

    async fn ship(&self, batch: &Batch<'_>, progress: &mut Progress) -> Result<(), Unavailable> {
        let (table, events) = (batch.table, Arc::clone(&batch.events));
        let log = self.log(table).await.map_err(unavailable)?;
        // The books' tables are created before they have rows, so that their views can be queried.
        for books in Table::ALL.into_iter().filter(|table| table.is_of_books()) {
            self.log(books).await.map_err(unavailable)?;
        }
        // Parsing thousands of bodies would block requests on this thread.
        let batch_file = tokio::task::spawn_blocking(move || file_of(table, &events))
            .await
            .map_err(|e| Unavailable::because(e.to_string()))?
            .map_err(unavailable)?;
        for (index, why) in batch_file.unreadable {
            progress.refuse(batch.events[index].0, DeadReason::Unreadable, why);
        }
        let Some(file) = batch_file.file else { return Ok(()) };
        let OpenBatch { epoch, node, date, first, last, .. } = batch.bounds;
        let node = if node.is_empty() { &self.node } else { node };
        let (queue, offset) = (format!("{node}/{epoch}"), i64::try_from(*last).unwrap_or(i64::MAX));
        if log.has(&queue, offset).await.map_err(unavailable)? {
            return Ok(());
        }
        self.admit(file.bytes.len())
            .map_err(|e| Unavailable { no_space: true, ..Unavailable::because(e.to_string()) })?;
        let name = FileName { node: node.clone(), epoch: epoch.clone(), first: *first, last: *last };
        let path = format!("received_date={date}/{}", name.text());
        let add = self.add(*date, path.clone(), &file, &[self.worker.as_str()].into());
        self.put(table, &path, file.bytes.into()).await.map_err(unavailable)?;
        let plan = |snapshot: &crate::delta::Snapshot| {
            (!snapshot.has(&queue, offset)).then(|| Change {
                operation: "WRITE",
                changes_rows: true,
                add: vec![add.clone()],
                remove: Vec::new(),
                writer: Some((queue.clone(), offset)),
            })
        };
        // False means that it was committed before.
        log.commit(plan).await.map_err(unavailable).map(drop)
    }
}
