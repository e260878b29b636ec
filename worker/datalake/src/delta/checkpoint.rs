//! A checkpoint: all lines that count at one version, as a Parquet file of the columns that the protocol names.

use std::sync::Arc;

use arrow::datatypes::{DataType, Field, Fields, Schema, SchemaRef};
use arrow::json::{LineDelimitedWriter, ReaderBuilder};
use bytes::Bytes;
use parquet::arrow::ArrowWriter;
use parquet::arrow::arrow_reader::ParquetRecordBatchReaderBuilder;
use parquet::basic::{Compression, ZstdLevel};
use parquet::file::properties::WriterProperties;

use super::actions::{Line, decoded as lines_of};
use super::error::DeltaError;
use super::snapshot::Snapshot;

/// Lines that are turned into columns at once.
const AT_ONCE: usize = 4096;

fn text(name: &str) -> Field {
    Field::new(name, DataType::Utf8, true)
}

fn whole(name: &str) -> Field {
    Field::new(name, DataType::Int64, true)
}

fn flag(name: &str) -> Field {
    Field::new(name, DataType::Boolean, true)
}

fn group(name: &str, fields: Vec<Field>) -> Field {
    Field::new(name, DataType::Struct(Fields::from(fields)), true)
}

fn map(name: &str) -> Field {
    let entry = vec![Field::new("key", DataType::Utf8, false), text("value")];
    let entries = Field::new("key_value", DataType::Struct(Fields::from(entry)), false);
    Field::new(name, DataType::Map(Arc::new(entries), false), true)
}

fn columns() -> SchemaRef {
    let number = |name: &str| Field::new(name, DataType::Int32, true);
    Arc::new(Schema::new(vec![
        group("txn", vec![text("appId"), whole("version"), whole("lastUpdated")]),
        group(
            "add",
            vec![
                text("path"),
                map("partitionValues"),
                whole("size"),
                whole("modificationTime"),
                flag("dataChange"),
                text("stats"),
                map("tags"),
            ],
        ),
        group("remove", vec![text("path"), whole("deletionTimestamp"), flag("dataChange")]),
        group(
            "metaData",
            vec![
                text("id"),
                text("name"),
                group("format", vec![text("provider"), map("options")]),
                text("schemaString"),
                Field::new("partitionColumns", DataType::List(Arc::new(text("element"))), true),
                map("configuration"),
                whole("createdTime"),
            ],
        ),
        group("protocol", vec![number("minReaderVersion"), number("minWriterVersion")]),
    ]))
}

/// How many lines the checkpoint of a snapshot has, and its file.
pub(super) fn encoded(snapshot: &Snapshot) -> Result<(u64, Bytes), DeltaError> {
    let arrow = |error: arrow::error::ArrowError| DeltaError::Unreadable(error.to_string());
    let properties = WriterProperties::builder().set_compression(Compression::ZSTD(ZstdLevel::try_new(1)?)).build();
    let mut writer = ArrowWriter::try_new(Vec::new(), columns(), Some(properties))?;
    let mut decoder = ReaderBuilder::new(columns()).with_batch_size(AT_ONCE).build_decoder().map_err(arrow)?;
    let mut count = 0;
    let mut lines = snapshot.lines();
    loop {
        let some: Vec<Line> = lines.by_ref().take(AT_ONCE).collect();
        if some.is_empty() {
            break;
        }
        count += some.len() as u64;
        decoder.serialize(&some).map_err(arrow)?;
        if let Some(batch) = decoder.flush().map_err(arrow)? {
            writer.write(&batch)?;
        }
    }
    Ok((count, writer.into_inner()?.into()))
}

/// The lines of a checkpoint.
pub(super) fn decoded(file: Bytes) -> Result<Vec<Line>, DeltaError> {
    let arrow = |error: arrow::error::ArrowError| DeltaError::Unreadable(error.to_string());
    let mut lines = Vec::new();
    for batch in ParquetRecordBatchReaderBuilder::try_new(file)?.build()? {
        let mut writer = LineDelimitedWriter::new(Vec::new());
        writer.write(&batch.map_err(arrow)?).map_err(arrow)?;
        writer.finish().map_err(arrow)?;
        lines.extend(lines_of(&writer.into_inner())?);
    }
    Ok(lines)
}
