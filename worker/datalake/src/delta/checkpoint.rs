//! Checkpoints: all lines in effect at one version, as a Parquet file with the protocol's columns.

mod columns;
mod lines;

use bytes::Bytes;
use parquet::arrow::ArrowWriter;
use parquet::arrow::arrow_reader::{ArrowReaderOptions, ParquetRecordBatchReaderBuilder};
use parquet::basic::{Compression, ZstdLevel};
use parquet::file::properties::WriterProperties;

use super::actions::Line;
use super::error::DeltaError;
use super::snapshot::Snapshot;

/// Lines per record batch.
const BATCH_LINES: usize = 4096;

/// Encodes a snapshot's checkpoint. Returns the number of lines and the file.
pub(super) fn encoded(snapshot: &Snapshot) -> Result<(u64, Bytes), DeltaError> {
    let properties = WriterProperties::builder().set_compression(Compression::ZSTD(ZstdLevel::try_new(1)?)).build();
    let mut writer = ArrowWriter::try_new(Vec::new(), columns::of(&[])?.schema(), Some(properties))?;
    let mut count = 0;
    let mut lines = snapshot.lines();
    loop {
        let some: Vec<Line> = lines.by_ref().take(BATCH_LINES).collect();
        if some.is_empty() {
            break;
        }
        count += some.len() as u64;
        writer.write(&columns::of(&some)?)?;
    }
    Ok((count, writer.into_inner()?.into()))
}

pub(super) fn decoded(file: Bytes) -> Result<Vec<Line>, DeltaError> {
    // Another engine may have written other Arrow types: only the Parquet types count.
    let options = ArrowReaderOptions::new().with_skip_arrow_metadata(true);
    let mut all = Vec::new();
    for batch in ParquetRecordBatchReaderBuilder::try_new_with_options(file, options)?.build()? {
        all.append(&mut lines::of(batch?)?);
    }
    Ok(all)
}

#[cfg(test)]
mod tests;
