//! Removing a person from the files of a lake. A file whose own statistics say that they are not in it is passed over.

use crate::erase::{EraseError, Erased, Person, sketch};
use crate::rows::{self, RowsError};
use crate::sinks::lake::Lake;
use crate::table::Table;

/// Rewrites the files of a lake that name the person.
pub(crate) async fn remove(lake: &Lake, person: &Person) -> Result<Erased, EraseError> {
    let fault = |e: &dyn std::fmt::Display| EraseError::Lake(e.to_string());
    let mut erased = Erased::default();
    for table in Table::ALL {
        for date in lake.days(table).await.map_err(|e| fault(&e))? {
            for file in lake.files(table, date).await.map_err(|e| fault(&e))? {
                // A file that cannot be judged by its statistics is read.
                if let Ok(Some(sketch)) = lake.sketch(&file).await
                    && !sketch::may_hold(&sketch, person)
                {
                    erased.passed_over += 1;
                    continue;
                }
                let bytes = lake.read(&file.path).await.map_err(|e| fault(&e))?;
                let person = person.clone();
                let rewritten = tokio::task::spawn_blocking(move || rewrite(table, bytes, &person))
                    .await
                    .map_err(|e| fault(&e))?
                    .map_err(|e| fault(&e))?;
                if let Some((rows, bytes)) = rewritten {
                    lake.replace(&file.path, bytes.into()).await.map_err(|e| fault(&e))?;
                    erased.rows += rows;
                    erased.files += 1;
                }
            }
        }
    }
    Ok(erased)
}

pub(crate) fn rewrite(
    table: Table,
    file: bytes::Bytes,
    person: &Person,
) -> Result<Option<(u64, bytes::Bytes)>, RowsError> {
    let mut rows = 0;
    let mut batches = Vec::new();
    for batch in rows::from_parquet(table, file)? {
        let (batch, changed) = person.removed_from_rows(table, &batch)?;
        rows += changed;
        batches.push(batch);
    }
    if rows == 0 { Ok(None) } else { Ok(Some((rows, rows::to_parquet(table, &batches)?))) }
}
