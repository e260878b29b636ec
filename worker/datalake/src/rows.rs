//! Events as rows of the lake, and rows as Parquet.

use std::sync::Arc;

use arrow::array::{ArrayRef, Float64Builder, RecordBatch, StringBuilder, TimestampMicrosecondBuilder};
use arrow::error::ArrowError;
use bytes::Bytes;
use parquet::arrow::ArrowWriter;
use parquet::arrow::arrow_reader::ParquetRecordBatchReaderBuilder;
use parquet::basic::{Compression, Encoding, ZstdLevel};
use parquet::errors::ParquetError;
use parquet::file::metadata::{KeyValue, ParquetMetaDataReader};
use parquet::file::properties::{EnabledStatistics, WriterProperties};
use parquet::schema::types::ColumnPath;
use uuid::Uuid;

use crate::cells::{Cell, Unreadable, cells};
use crate::erase::sketch::{self, Sketch};
use crate::event::QueuedEvent;
use crate::schema::{self, Kind};
use crate::table::Table;

/// What cannot be written or read as Parquet.
#[derive(Debug, thiserror::Error)]
pub(crate) enum RowsError {
    #[error("parquet: {0}")]
    Parquet(#[from] ParquetError),
    #[error("arrow: {0}")]
    Arrow(#[from] ArrowError),
}

enum Builder {
    Text(StringBuilder),
    Number(Float64Builder),
    Moment(TimestampMicrosecondBuilder),
}

/// Collects events of one table as columns.
pub(crate) struct Rows {
    table: Table,
    builders: Vec<Builder>,
}

impl Rows {
    pub(crate) fn new(table: Table) -> Self {
        let builders = schema::columns(table).iter().map(|column| match column.kind {
            Kind::Text | Kind::Json => Builder::Text(StringBuilder::new()),
            Kind::Number => Builder::Number(Float64Builder::new()),
            Kind::Moment => Builder::Moment(TimestampMicrosecondBuilder::new().with_timezone("UTC")),
        });
        Self { table, builders: builders.collect() }
    }

    /// Adds an event; one that does not fit the table adds nothing.
    pub(crate) fn push(&mut self, event: &QueuedEvent) -> Result<(), Unreadable> {
        for (builder, cell) in self.builders.iter_mut().zip(cells(self.table, event)?) {
            builder.push(cell);
        }
        Ok(())
    }

    pub(crate) fn finish(mut self) -> Result<RecordBatch, RowsError> {
        let arrays = self.builders.iter_mut().map(|builder| -> ArrayRef {
            match builder {
                Builder::Text(builder) => Arc::new(builder.finish()),
                Builder::Number(builder) => Arc::new(builder.finish()),
                Builder::Moment(builder) => Arc::new(builder.finish()),
            }
        });
        Ok(RecordBatch::try_new(schema::arrow_schema(self.table), arrays.collect())?)
    }
}

impl Builder {
    fn push(&mut self, cell: Cell<'_>) {
        match (self, cell) {
            (Self::Text(builder), Cell::Id(id)) => {
                builder.append_value(id.hyphenated().encode_lower(&mut Uuid::encode_buffer()));
            }
            (Self::Text(builder), Cell::Text(text)) => builder.append_value(text),
            (Self::Number(builder), Cell::Number(number)) => builder.append_value(number),
            (Self::Moment(builder), Cell::Moment(us)) => builder.append_value(us),
            (Self::Text(builder), _) => builder.append_null(),
            (Self::Number(builder), _) => builder.append_null(),
            (Self::Moment(builder), _) => builder.append_null(),
        }
    }
}

fn properties(table: Table) -> Result<WriterProperties, ParquetError> {
    let mut properties = WriterProperties::builder()
        .set_compression(Compression::ZSTD(ZstdLevel::try_new(1)?))
        // A file is read whole or passed over.
        .set_statistics_enabled(EnabledStatistics::Chunk)
        .set_created_by("touchline".to_owned());
    for column in schema::columns(table) {
        // What is seldom there twice: a dictionary of it would be built, found too large, and thrown away.
        let varied = column.name == "event_id" || matches!(column.kind, Kind::Json | Kind::Moment);
        if varied {
            properties = properties.set_column_dictionary_enabled(ColumnPath::from(column.name), false);
        }
        if column.kind == Kind::Moment {
            properties = properties.set_column_encoding(ColumnPath::from(column.name), Encoding::DELTA_BINARY_PACKED);
        }
    }
    Ok(properties.build())
}

/// One Parquet file of `batches`. The same rows give the same bytes.
pub(crate) fn to_parquet(table: Table, batches: &[RecordBatch]) -> Result<Bytes, RowsError> {
    let mut writer = ArrowWriter::try_new(Vec::new(), schema::arrow_schema(table), Some(properties(table)?))?;
    let mut people = Sketch::default();
    for batch in batches {
        writer.write(batch)?;
        people.add(table, batch);
    }
    writer.append_key_value_metadata(KeyValue::new(sketch::KEY.to_owned(), people.encode()));
    Ok(writer.into_inner()?.into())
}

/// Reads the sketch of the people in a file from its last bytes; nothing for a file that has none. An error of
/// `ParquetError::NeedMoreData` says how many are needed.
pub(crate) fn sketch_of(tail: Bytes, size: u64) -> Result<Option<String>, ParquetError> {
    let mut reader = ParquetMetaDataReader::new();
    reader.try_parse_sized(&tail, size)?;
    let facts = reader.finish()?;
    let found = facts.file_metadata().key_value_metadata().into_iter().flatten().find(|pair| pair.key == sketch::KEY);
    Ok(found.and_then(|pair| pair.value.clone()))
}

/// The rows of a Parquet file in the table's present columns: those that the file is too old for are empty.
pub(crate) fn from_parquet(table: Table, file: Bytes) -> Result<Vec<RecordBatch>, RowsError> {
    let wanted = schema::arrow_schema(table);
    ParquetRecordBatchReaderBuilder::try_new(file)?
        .build()?
        .map(|batch| {
            let batch = batch?;
            let arrays = wanted.fields().iter().map(|field| match batch.column_by_name(field.name()) {
                Some(array) => Ok(Arc::clone(array)),
                None => Ok(arrow::array::new_null_array(field.data_type(), batch.num_rows())),
            });
            Ok(RecordBatch::try_new(Arc::clone(&wanted), arrays.collect::<Result<_, ArrowError>>()?)?)
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use arrow::array::{Array, AsArray};
    use arrow::datatypes::{Float64Type, TimestampMicrosecondType};

    use super::*;

    fn event(body: &str) -> QueuedEvent {
        QueuedEvent {
            id: Uuid::from_u128(0xABC),
            at_us: 1,
            received_us: 2,
            occurred_us: 3,
            body: body.to_owned().into(),
        }
    }

    fn text<'a>(batch: &'a RecordBatch, column: &str) -> Option<&'a str> {
        let array = batch.column_by_name(column).unwrap().as_string::<i32>();
        array.is_valid(0).then(|| array.value(0))
    }

    #[test]
    fn a_body_becomes_a_row_and_what_no_column_knows_is_kept_as_json() {
        let mut rows = Rows::new(Table::VideoViewing);
        rows.push(&event(
            r#"{"viewing_time":10,"stream_id":42,"sport":null,"quality":{"kbps":800},"trk":"t","x":null}"#,
        ))
        .unwrap();
        let written = to_parquet(Table::VideoViewing, &[rows.finish().unwrap()]).unwrap();
        let batch = &from_parquet(Table::VideoViewing, written).unwrap()[0];
        assert_eq!(text(batch, "event_id"), Some("00000000-0000-0000-0000-000000000abc"));
        assert_eq!(text(batch, "stream_id"), Some("42"));
        assert_eq!(text(batch, "sport"), None);
        assert_eq!(text(batch, "other"), Some(r#"{"quality":{"kbps":800}}"#));
        assert_eq!(text(batch, "trk"), Some("t"));
        assert!(
            (batch.column_by_name("viewing_time").unwrap().as_primitive::<Float64Type>().value(0) - 10.0).abs() < 1e-9
        );
        let occurred = batch.column_by_name("occurred_at").unwrap().as_primitive::<TimestampMicrosecondType>();
        assert_eq!(occurred.value(0), 3);
    }

    #[test]
    fn a_body_that_does_not_fit_adds_nothing() {
        let mut rows = Rows::new(Table::Event);
        for bad in ["[]", "{", "{}", r#"{"event":{"a":1}}"#] {
            assert!(rows.push(&event(bad)).is_err(), "{bad}");
        }
        rows.push(&event(r#"{"event":"visit"}"#)).unwrap();
        assert_eq!(rows.finish().unwrap().num_rows(), 1);
    }

    #[test]
    fn the_same_rows_give_the_same_bytes() {
        let file = || {
            let mut rows = Rows::new(Table::Event);
            rows.push(&event(r#"{"event":"visit","b":1,"a":2}"#)).unwrap();
            to_parquet(Table::Event, &[rows.finish().unwrap()]).unwrap()
        };
        assert_eq!(file(), file());
    }

    #[test]
    fn every_body_that_the_ingest_takes_is_a_row() {
        let largest = [
            (Table::Session, r#"{"profile":1,"session":"s","user_agent":"ua","x":[1]}"#),
            (Table::Event, r#"{"event":"e","user_id":7,"extras":{"a":[1,2]},"user_email":null}"#),
            (Table::VideoEvent, r#"{"event":"start","video_view_uuid":"v","extras":[]}"#),
            (Table::VideoViewing, r#"{"viewing_time":86400.0,"league":"l"}"#),
        ];
        for (table, body) in largest {
            assert!(crate::shape::check(table, body).is_ok());
            assert_eq!(Rows::new(table).push(&event(body)), Ok(()));
        }
    }
}
