//! Events as rows of the lake, and rows as Parquet.

use std::sync::Arc;

use arrow::array::{ArrayRef, Float64Builder, RecordBatch, StringBuilder, TimestampMicrosecondBuilder};
use arrow::error::ArrowError;
use bytes::Bytes;
use parquet::arrow::ArrowWriter;
use parquet::arrow::arrow_reader::ParquetRecordBatchReaderBuilder;
use parquet::basic::{Compression, ZstdLevel};
use parquet::errors::ParquetError;
use parquet::file::properties::WriterProperties;
use serde_json::{Map, Value};

use crate::event::QueuedEvent;
use crate::schema::{self, Column, Kind, Source};
use crate::table::Table;

/// Why an event is no row of its table.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub(crate) struct Unreadable(String);

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
        let columns = schema::columns(self.table);
        let mut body: Map<String, Value> =
            serde_json::from_slice(&event.body).map_err(|_| Unreadable("the body is no JSON object".to_owned()))?;
        let mut cells = Vec::with_capacity(columns.len());
        for column in columns {
            cells.push(match column.source {
                Source::Envelope => envelope(column.name, event),
                Source::Body => from_body(column, body.remove(column.name))?,
                Source::OtherFields => Cell::Nothing,
            });
        }
        // Every column has taken its field by now; a field without a value says nothing.
        body.retain(|_, value| !value.is_null());
        if !body.is_empty()
            && let Some(place) = columns.iter().position(|column| column.source == Source::OtherFields)
        {
            cells[place] = Cell::Text(Value::Object(body).to_string());
        }
        for (builder, cell) in self.builders.iter_mut().zip(cells) {
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

enum Cell {
    Nothing,
    Text(String),
    Number(f64),
    Moment(i64),
}

impl Builder {
    fn push(&mut self, cell: Cell) {
        match (self, cell) {
            (Self::Text(builder), Cell::Text(text)) => builder.append_value(text),
            (Self::Number(builder), Cell::Number(number)) => builder.append_value(number),
            (Self::Moment(builder), Cell::Moment(us)) => builder.append_value(us),
            (Self::Text(builder), _) => builder.append_null(),
            (Self::Number(builder), _) => builder.append_null(),
            (Self::Moment(builder), _) => builder.append_null(),
        }
    }
}

fn envelope(name: &str, event: &QueuedEvent) -> Cell {
    match name {
        "at" => Cell::Moment(event.at_us),
        "received_at" => Cell::Moment(event.received_us),
        "occurred_at" => Cell::Moment(event.occurred_us),
        _ => Cell::Text(event.id.hyphenated().to_string()),
    }
}

fn from_body(column: &Column, value: Option<Value>) -> Result<Cell, Unreadable> {
    let misfit = || Unreadable(format!("{} is not of its column's type", column.name));
    match (column.kind, value) {
        (_, None | Some(Value::Null)) if column.required => Err(Unreadable(format!("{} is missing", column.name))),
        (_, None | Some(Value::Null)) => Ok(Cell::Nothing),
        (Kind::Json, Some(value)) => Ok(Cell::Text(value.to_string())),
        (Kind::Text, Some(Value::String(text))) => Ok(Cell::Text(text)),
        (Kind::Text, Some(Value::Number(number))) => Ok(Cell::Text(number.to_string())),
        (Kind::Number, Some(Value::Number(number))) => number.as_f64().map(Cell::Number).ok_or_else(misfit),
        _ => Err(misfit()),
    }
}

/// One Parquet file of `batches`. The same rows give the same bytes.
pub(crate) fn to_parquet(table: Table, batches: &[RecordBatch]) -> Result<Bytes, RowsError> {
    let properties = WriterProperties::builder()
        .set_compression(Compression::ZSTD(ZstdLevel::try_new(3)?))
        .set_created_by("touchline".to_owned())
        .build();
    let mut writer = ArrowWriter::try_new(Vec::new(), schema::arrow_schema(table), Some(properties))?;
    for batch in batches {
        writer.write(batch)?;
    }
    Ok(writer.into_inner()?.into())
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
    use uuid::Uuid;

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
