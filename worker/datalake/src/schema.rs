//! The lake's columns. This is the only definition of the tables: the Parquet files, `docs/datalake.md` and erasure
//! follow it. Columns are only ever added, at the end, with the version that added them.
//!
//! | module | content |
//! |---|---|
//! | [`shared`] | columns of several tables |
//! | [`sent`] | tables of received events |
//! | [`books`] | tables of the books and the catalogue |

mod books;
mod sent;
mod shared;

use std::sync::Arc;

use arrow_schema::{DataType, Field, Schema, SchemaRef, TimeUnit};

use serde_json::json;

use self::books::{EVENT_DIM, ORDER_EVENT, PACKAGE_DIM, SUBSCRIPTION_DIM, TEAM_DIM};
use self::sent::{CMCD, EVENT, EVENT_COUNT, SESSION, VIDEO_EVENT, VIDEO_VIEWING, VIEWING};
use self::shared::EVENT_ID;
use crate::table::Table;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kind {
    Text,
    /// A JSON document as text.
    Json,
    /// A 64-bit float.
    Number,
    /// A 64-bit integer, in derived columns only.
    Integer,
    Flag,
    /// Microseconds, UTC.
    Moment,
}

/// The origin of a column's value.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Source {
    /// Set by the worker.
    Envelope,
    /// The body's field of the same name.
    Body,
    /// The body's fields without a column.
    OtherFields,
    /// Another column of the table, in a type that suits its values better. Older files have only that one.
    Derived(&'static str),
}

#[derive(Debug, Clone, Copy)]
pub(crate) struct Column {
    pub(crate) name: &'static str,
    pub(crate) kind: Kind,
    pub(crate) source: Source,
    /// Whether every row has a value.
    pub(crate) required: bool,
    /// Whether it identifies a person. Erasure empties it.
    pub(crate) personal: bool,
    pub(crate) unit: &'static str,
    pub(crate) meaning: &'static str,
    /// The schema version that added it.
    pub(crate) since: u32,
}

const fn column(name: &'static str, kind: Kind, meaning: &'static str) -> Column {
    let source = Source::Body;
    Column { name, kind, source, required: false, personal: false, unit: "", meaning, since: 1 }
}

const fn text(name: &'static str, meaning: &'static str) -> Column {
    column(name, Kind::Text, meaning)
}

const fn envelope(name: &'static str, kind: Kind, unit: &'static str, meaning: &'static str) -> Column {
    Column { source: Source::Envelope, required: true, unit, ..column(name, kind, meaning) }
}

const fn required(column: Column) -> Column {
    Column { required: true, ..column }
}

const fn personal(column: Column) -> Column {
    Column { personal: true, ..column }
}

/// The column that identifies a table's rows. Of two rows with the same value, one counts.
pub(crate) fn key(table: Table) -> &'static str {
    if table == Table::Viewing { "viewing" } else { EVENT_ID.name }
}

/// Whether the later of two rows with the same key counts, because rows are amended.
pub(crate) fn is_amended(table: Table) -> bool {
    table == Table::Viewing
}

/// The newest version of the schema.
pub(crate) fn version() -> u32 {
    Table::ALL.into_iter().flat_map(columns).map(|column| column.since).max().unwrap_or_default()
}

/// The columns of a table, in file order.
pub(crate) fn columns(table: Table) -> &'static [Column] {
    match table {
        Table::Session => SESSION,
        Table::Event => EVENT,
        Table::VideoEvent => VIDEO_EVENT,
        Table::VideoViewing => VIDEO_VIEWING,
        Table::Cmcd => CMCD,
        Table::Viewing => VIEWING,
        Table::OrderEvent | Table::SubscriptionEvent => ORDER_EVENT,
        Table::PackageDim => PACKAGE_DIM,
        Table::SubscriptionDim => SUBSCRIPTION_DIM,
        Table::EventDim => EVENT_DIM,
        Table::TeamDim => TEAM_DIM,
        Table::EventCount => EVENT_COUNT,
    }
}

/// Index of the column for a field of a body, if there is one.
pub(crate) fn column_index(columns: &[Column], field: &str) -> Option<usize> {
    columns.iter().position(|column| column.source == Source::Body && column.name == field)
}

/// A table's schema in its files. Older files may lack a column, so only the event's id is never null.
pub(crate) fn arrow_schema(table: Table) -> SchemaRef {
    let fields = columns(table).iter().map(|column| {
        let kind = match column.kind {
            Kind::Text | Kind::Json => DataType::Utf8,
            Kind::Number => DataType::Float64,
            Kind::Integer => DataType::Int64,
            Kind::Flag => DataType::Boolean,
            Kind::Moment => DataType::Timestamp(TimeUnit::Microsecond, Some("UTC".into())),
        };
        Field::new(column.name, kind, column.name != EVENT_ID.name)
    });
    Arc::new(Schema::new(fields.collect::<Vec<_>>()))
}

/// The partition column: the UTC date of `received_at`. It is not stored in the files.
pub(crate) const PARTITION: &str = "received_date";

/// A table's schema in its log, as JSON.
pub(crate) fn delta_schema(table: Table) -> String {
    let field = |name: &str, kind: &str| json!({"name": name, "type": kind, "nullable": true, "metadata": {}});
    let columns = columns(table).iter().map(|column| {
        let kind = match column.kind {
            Kind::Text | Kind::Json => "string",
            Kind::Number => "double",
            Kind::Integer => "long",
            Kind::Flag => "boolean",
            Kind::Moment => "timestamp",
        };
        field(column.name, kind)
    });
    let fields: Vec<_> = columns.chain([field(PARTITION, "date")]).collect();
    json!({"type": "struct", "fields": fields}).to_string()
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::*;

    #[test]
    fn every_column_with_personal_data_is_marked() {
        let personal = |table| {
            let names = columns(table).iter().filter(|column| column.personal).map(|column| column.name);
            names.collect::<Vec<_>>()
        };
        assert_eq!(personal(Table::Session), ["other"]);
        for table in [Table::Event, Table::VideoEvent, Table::VideoViewing, Table::Cmcd] {
            assert_eq!(personal(table), ["user_id", "user_email"]);
        }
        assert!(personal(Table::Viewing).is_empty());
        assert_eq!(personal(Table::OrderEvent), ["user_id"]);
        assert!(personal(Table::EventCount).is_empty());
    }

    #[test]
    fn column_names_are_unique_and_later_columns_come_last() {
        for table in Table::ALL {
            let columns = columns(table);
            let names: HashSet<_> = columns.iter().map(|column| column.name).collect();
            assert_eq!(names.len(), columns.len(), "{}", table.name());
            assert!(columns.is_sorted_by_key(|column| column.since), "{}", table.name());
            assert!(columns.len() <= 32, "{}: seen columns are tracked in 32 bits", table.name());
        }
    }
}
