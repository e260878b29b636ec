//! Events as rows of the lake, and rows as Parquet.

use std::collections::HashMap;
use std::sync::Arc;

use arrow_array::builder::{BooleanBuilder, Float64Builder, StringBuilder, TimestampMicrosecondBuilder};
use arrow_array::cast::AsArray;
use arrow_array::{Array, ArrayRef, RecordBatch, StringArray, new_null_array};
use arrow_schema::ArrowError;
use bytes::Bytes;
use parquet::arrow::arrow_reader::ParquetRecordBatchReaderBuilder;
use parquet::arrow::{ArrowWriter, ProjectionMask};
use parquet::basic::{Compression, Encoding, ZstdLevel};
use parquet::errors::ParquetError;
use parquet::file::metadata::{KeyValue, ParquetMetaData, ParquetMetaDataReader};
use parquet::file::properties::{EnabledStatistics, WriterProperties};
use parquet::schema::types::ColumnPath;
use uuid::Uuid;

use crate::cells::{Cell, Unreadable, cells};
use crate::delta::stats::Stats;
use crate::derived::derived;
use crate::erase::sketch::{self, Sketch};
use crate::event::QueuedEvent;
use crate::schema::{self, Kind, Source};
use crate::table::Table;

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
    Flag(BooleanBuilder),
    Moment(TimestampMicrosecondBuilder),
}

/// Collects events of one table as columns.
pub(crate) struct Rows {
    table: Table,
    /// `None` for columns derived from others.
    builders: Vec<Option<Builder>>,
}

impl Rows {
    pub(crate) fn new(table: Table) -> Self {
        let builders = schema::columns(table).iter().map(|column| match (column.source, column.kind) {
            (Source::Derived(_), _) | (_, Kind::Integer) => None,
            (_, Kind::Text | Kind::Json) => Some(Builder::Text(StringBuilder::new())),
            (_, Kind::Number) => Some(Builder::Number(Float64Builder::new())),
            (_, Kind::Flag) => Some(Builder::Flag(BooleanBuilder::new())),
            (_, Kind::Moment) => Some(Builder::Moment(TimestampMicrosecondBuilder::new().with_timezone("UTC"))),
        });
        Self { table, builders: builders.collect() }
    }

    /// Adds an event. One that does not fit the table adds nothing.
    pub(crate) fn push(&mut self, event: &QueuedEvent) -> Result<(), Unreadable> {
        for (builder, cell) in self.builders.iter_mut().zip(cells(self.table, event)?) {
            if let Some(builder) = builder {
                builder.push(cell);
            }
        }
        Ok(())
    }

    pub(crate) fn finish(mut self) -> Result<RecordBatch, RowsError> {
        let mut rows = 0;
        let mut arrays = HashMap::new();
        for (builder, column) in self.builders.iter_mut().zip(schema::columns(self.table)) {
            let Some(builder) = builder else { continue };
            let array: ArrayRef = match builder {
                Builder::Text(builder) => Arc::new(builder.finish()),
                Builder::Number(builder) => Arc::new(builder.finish()),
                Builder::Flag(builder) => Arc::new(builder.finish()),
                Builder::Moment(builder) => Arc::new(builder.finish()),
            };
            rows = array.len();
            arrays.insert(column.name, array);
        }
        completed(self.table, rows, |column| arrays.get(column).cloned())
    }
}

/// Rows with the table's current columns. Of those that are not `given`, a derived one is computed, and any other is
/// empty.
fn completed(table: Table, rows: usize, given: impl Fn(&str) -> Option<ArrayRef>) -> Result<RecordBatch, RowsError> {
    let wanted = schema::arrow_schema(table);
    let arrays = schema::columns(table).iter().zip(wanted.fields()).map(|(column, field)| {
        let computed = || match column.source {
            Source::Derived(from) => given(from).and_then(|array| derived(column.kind, &array)),
            _ => None,
        };
        given(column.name).or_else(computed).unwrap_or_else(|| new_null_array(field.data_type(), rows))
    });
    let arrays = arrays.collect();
    Ok(RecordBatch::try_new(wanted, arrays)?)
}

impl Builder {
    fn push(&mut self, cell: Cell<'_>) {
        match (self, cell) {
            (Self::Text(builder), Cell::Id(id)) => {
                builder.append_value(id.hyphenated().encode_lower(&mut Uuid::encode_buffer()));
            }
            (Self::Text(builder), Cell::Text(text)) => builder.append_value(text),
            (Self::Number(builder), Cell::Number(number)) => builder.append_value(number),
            (Self::Flag(builder), Cell::Flag(flag)) => builder.append_value(flag),
            (Self::Moment(builder), Cell::Moment(us)) => builder.append_value(us),
            (Self::Text(builder), _) => builder.append_null(),
            (Self::Number(builder), _) => builder.append_null(),
            (Self::Flag(builder), _) => builder.append_null(),
            (Self::Moment(builder), _) => builder.append_null(),
        }
    }
}

/// Rows per row group, each of which has its own statistics.
const ROWS_OF_A_GROUP: usize = 128 * 1024;

fn properties(table: Table) -> Result<WriterProperties, ParquetError> {
    let mut properties = WriterProperties::builder()
        .set_compression(Compression::ZSTD(ZstdLevel::try_new(1)?))
        // Files are read whole or skipped.
        .set_statistics_enabled(EnabledStatistics::Chunk)
        // Rows of a compacted file are ordered by time, so that readers can skip row groups.
        .set_max_row_group_row_count(Some(ROWS_OF_A_GROUP))
        .set_created_by("touchline".to_owned());
    for column in schema::columns(table) {
        // A dictionary of values that rarely repeat would be built, found too large, and discarded.
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

pub(crate) struct File {
    pub(crate) bytes: Bytes,
    pub(crate) stats: Stats,
    /// Memory that its rows take, in bytes.
    pub(crate) unpacked: u64,
}

/// Bytes of a value besides its text: a number, a moment or an offset.
const VALUE_BYTES: u64 = 8;

/// Memory that the rows of a file take, in bytes. A few compressed bytes can be gigabytes of equal texts.
pub(crate) fn unpacked_bytes(footer: &ParquetMetaData) -> u64 {
    let columns = footer.row_groups().iter().flat_map(|group| group.columns());
    let sizes = columns.map(|column| {
        let texts = column.unencoded_byte_array_data_bytes().unwrap_or(column.uncompressed_size());
        let values = u64::try_from(column.num_values()).unwrap_or(0);
        u64::try_from(texts).unwrap_or(0).saturating_add(values.saturating_mul(VALUE_BYTES))
    });
    sizes.fold(0, u64::saturating_add)
}

/// Writes `batches` as one Parquet file. The same rows yield the same bytes.
pub(crate) fn to_parquet(
    table: Table,
    batches: impl IntoIterator<Item = Result<RecordBatch, ArrowError>>,
) -> Result<File, RowsError> {
    let mut bytes = Vec::new();
    let mut writer = ArrowWriter::try_new(&mut bytes, schema::arrow_schema(table), Some(properties(table)?))?;
    let mut people = Sketch::default();
    for batch in batches {
        let batch = batch?;
        writer.write(&batch)?;
        people.add(table, &batch);
    }
    writer.append_key_value_metadata(KeyValue::new(sketch::KEY.to_owned(), people.encode()));
    let footer = writer.close()?;
    Ok(File { bytes: bytes.into(), stats: Stats::of(&footer), unpacked: unpacked_bytes(&footer) })
}

/// Parses a file's footer from its last bytes. `ParquetError::NeedMoreData` says how many are needed.
pub(crate) fn footer(tail: &Bytes, size: u64) -> Result<ParquetMetaData, ParquetError> {
    let mut reader = ParquetMetaDataReader::new();
    reader.try_parse_sized(tail, size)?;
    reader.finish()
}

/// The sketch of the people in a file, if it has one.
pub(crate) fn sketch_of(footer: &ParquetMetaData) -> Option<String> {
    let pairs = footer.file_metadata().key_value_metadata().into_iter().flatten();
    pairs.filter(|pair| pair.key == sketch::KEY).find_map(|pair| pair.value.clone())
}

/// A text column, if the table has it.
pub(crate) fn text<'a>(batch: &'a RecordBatch, column: &str) -> Option<&'a StringArray> {
    batch.column_by_name(column)?.as_string_opt::<i32>()
}

/// Passes the ids of a Parquet file's rows to `visit`. No other column is read.
pub(crate) fn visit_ids(file: Bytes, mut visit: impl FnMut(&str)) -> Result<(), RowsError> {
    let builder = ParquetRecordBatchReaderBuilder::try_new(file)?;
    let mask = ProjectionMask::columns(builder.parquet_schema(), ["event_id"]);
    for batch in builder.with_projection(mask).build()? {
        text(&batch?, "event_id").into_iter().flatten().flatten().for_each(&mut visit);
    }
    Ok(())
}

/// The rows of a Parquet file with the table's current columns. Columns that the file is too old for are derived or
/// empty.
pub(crate) fn from_parquet(table: Table, file: Bytes) -> Result<Vec<RecordBatch>, RowsError> {
    let batches = ParquetRecordBatchReaderBuilder::try_new(file)?.build()?;
    let current =
        |batch: RecordBatch| completed(table, batch.num_rows(), |column| batch.column_by_name(column).map(Arc::clone));
    batches.map(|batch| current(batch?)).collect()
}

#[cfg(test)]
mod tests {
    use arrow_array::types::{Float64Type, Int64Type, TimestampMicrosecondType};

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
        let array = super::text(batch, column).unwrap();
        array.is_valid(0).then(|| array.value(0))
    }

    #[test]
    fn a_body_becomes_a_row_with_unknown_fields_as_json() {
        let mut rows = Rows::new(Table::VideoViewing);
        rows.push(&event(
            r#"{"viewing_time":10,"stream_id":42,"sport":null,"quality":{"kbps":800},"trk":"t","x":null}"#,
        ))
        .unwrap();
        let written = to_parquet(Table::VideoViewing, [Ok(rows.finish().unwrap())]).unwrap();
        let batch = &from_parquet(Table::VideoViewing, written.bytes).unwrap()[0];
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
    fn a_file_without_typed_columns_gets_them_when_it_is_rewritten() {
        let mut rows = Rows::new(Table::OrderEvent);
        rows.push(&event(r#"{"event":"paid","channel":"c","order_id":"1","renewal":2,"net":1200}"#)).unwrap();
        let batch = rows.finish().unwrap();
        let is_old = |column: &schema::Column| column.since < 5;
        let old = schema::columns(Table::OrderEvent).iter().filter(|column| is_old(column)).count();
        let batch = batch.project(&(0..old).collect::<Vec<_>>()).unwrap();
        let mut file = Vec::new();
        let mut writer = ArrowWriter::try_new(&mut file, batch.schema(), None).unwrap();
        writer.write(&batch).unwrap();
        writer.close().unwrap();
        let batch = &from_parquet(Table::OrderEvent, file.into()).unwrap()[0];
        let whole = |column| batch.column_by_name(column).unwrap().as_primitive::<Int64Type>().clone();
        assert_eq!((whole("renewal_number").value(0), whole("net_minor").value(0)), (2, 1200));
        assert!(whole("fee_minor").is_null(0));
    }

    #[test]
    fn the_same_rows_yield_the_same_bytes() {
        let file = || {
            let mut rows = Rows::new(Table::Event);
            rows.push(&event(r#"{"event":"visit","b":1,"a":2}"#)).unwrap();
            to_parquet(Table::Event, [Ok(rows.finish().unwrap())]).unwrap().bytes
        };
        assert_eq!(file(), file());
    }

    #[test]
    fn every_accepted_body_is_a_valid_row() {
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
