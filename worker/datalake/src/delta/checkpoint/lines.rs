//! The columns of a checkpoint as lines of a log. Additional columns of other engines are ignored.

use std::collections::BTreeMap;

use arrow_array::cast::AsArray;
use arrow_array::types::{Int32Type, Int64Type};
use arrow_array::{Array, RecordBatch, StringArray, StructArray};

use crate::delta::actions::{Add, Format, Line, MetaData, Protocol, Remove, Txn};
use crate::delta::error::DeltaError;

type Read<T> = Result<T, DeltaError>;

trait Value: Sized {
    fn read(array: &dyn Array, row: usize) -> Read<Self>;
}

/// A row of a group of columns.
struct Row<'a> {
    columns: &'a StructArray,
    row: usize,
}

impl Row<'_> {
    fn of(array: &dyn Array, row: usize) -> Read<Row<'_>> {
        Ok(Row { columns: typed(array, array.as_struct_opt())?, row })
    }

    fn optional<V: Value>(&self, name: &str) -> Read<Option<V>> {
        match self.columns.column_by_name(name) {
            Some(array) if array.is_valid(self.row) => V::read(array, self.row).map(Some),
            _ => Ok(None),
        }
    }

    fn required<V: Value>(&self, name: &str) -> Read<V> {
        self.optional(name)?.ok_or_else(|| DeltaError::Unreadable(format!("{name} is missing from a checkpoint")))
    }
}

fn typed<'a, A: ?Sized>(array: &dyn Array, cast: Option<&'a A>) -> Read<&'a A> {
    cast.ok_or_else(|| DeltaError::Unreadable(format!("unexpected column type {} in a checkpoint", array.data_type())))
}

fn texts(array: &dyn Array) -> Read<&StringArray> {
    typed(array, array.as_string_opt())
}

impl Value for String {
    fn read(array: &dyn Array, row: usize) -> Read<Self> {
        Ok(texts(array)?.value(row).to_owned())
    }
}

impl Value for i32 {
    fn read(array: &dyn Array, row: usize) -> Read<Self> {
        Ok(typed(array, array.as_primitive_opt::<Int32Type>())?.value(row))
    }
}

impl Value for i64 {
    fn read(array: &dyn Array, row: usize) -> Read<Self> {
        Ok(typed(array, array.as_primitive_opt::<Int64Type>())?.value(row))
    }
}

impl Value for bool {
    fn read(array: &dyn Array, row: usize) -> Read<Self> {
        Ok(typed(array, array.as_boolean_opt())?.value(row))
    }
}

impl Value for Vec<String> {
    fn read(array: &dyn Array, row: usize) -> Read<Self> {
        let list = typed(array, array.as_list_opt::<i32>())?.value(row);
        Ok(texts(&list)?.iter().flatten().map(str::to_owned).collect())
    }
}

impl Value for BTreeMap<String, Option<String>> {
    fn read(array: &dyn Array, row: usize) -> Read<Self> {
        let entries = typed(array, array.as_map_opt())?.value(row);
        let (keys, values) = (texts(entries.column(0))?, texts(entries.column(1))?);
        let pairs =
            keys.iter().zip(values).filter_map(|(key, value)| Some((key?.to_owned(), value.map(str::to_owned))));
        Ok(pairs.collect())
    }
}

impl Value for BTreeMap<String, String> {
    fn read(array: &dyn Array, row: usize) -> Read<Self> {
        let entries = BTreeMap::<String, Option<String>>::read(array, row)?;
        Ok(entries.into_iter().filter_map(|(key, value)| Some((key, value?))).collect())
    }
}

impl Value for Txn {
    fn read(array: &dyn Array, row: usize) -> Read<Self> {
        let row = Row::of(array, row)?;
        Ok(Self {
            app_id: row.required("appId")?,
            version: row.required("version")?,
            last_updated: row.optional("lastUpdated")?,
        })
    }
}

impl Value for Add {
    fn read(array: &dyn Array, row: usize) -> Read<Self> {
        let row = Row::of(array, row)?;
        Ok(Self {
            path: row.required("path")?,
            partition_values: row.required("partitionValues")?,
            size: row.required("size")?,
            modification_time: row.required("modificationTime")?,
            data_change: row.required("dataChange")?,
            stats: row.optional("stats")?,
            tags: row.optional("tags")?,
        })
    }
}

impl Value for Remove {
    fn read(array: &dyn Array, row: usize) -> Read<Self> {
        let row = Row::of(array, row)?;
        Ok(Self {
            path: row.required("path")?,
            deletion_timestamp: row.optional("deletionTimestamp")?,
            data_change: row.optional("dataChange")?.unwrap_or_default(),
        })
    }
}

impl Value for MetaData {
    fn read(array: &dyn Array, row: usize) -> Read<Self> {
        let row = Row::of(array, row)?;
        Ok(Self {
            id: row.required("id")?,
            name: row.optional("name")?,
            format: row.required("format")?,
            schema_string: row.required("schemaString")?,
            partition_columns: row.required("partitionColumns")?,
            configuration: row.optional("configuration")?.unwrap_or_default(),
            created_time: row.optional("createdTime")?,
        })
    }
}

impl Value for Format {
    fn read(array: &dyn Array, row: usize) -> Read<Self> {
        let row = Row::of(array, row)?;
        Ok(Self { provider: row.required("provider")?, options: row.optional("options")?.unwrap_or_default() })
    }
}

impl Value for Protocol {
    fn read(array: &dyn Array, row: usize) -> Read<Self> {
        let row = Row::of(array, row)?;
        Ok(Self {
            min_reader_version: row.required("minReaderVersion")?,
            min_writer_version: row.required("minWriterVersion")?,
        })
    }
}

pub(super) fn of(batch: RecordBatch) -> Read<Vec<Line>> {
    let columns = StructArray::from(batch);
    let line = |row| {
        let row = Row { columns: &columns, row };
        Ok(Line {
            commit_info: None,
            protocol: row.optional("protocol")?,
            meta_data: row.optional("metaData")?,
            txn: row.optional("txn")?,
            remove: row.optional("remove")?,
            add: row.optional("add")?,
        })
    };
    (0..columns.len()).map(line).collect()
}
