//! Lines of a log as the columns of a checkpoint.

use std::collections::BTreeMap;
use std::sync::Arc;

use arrow_array::builder::{ListBuilder, MapBuilder, MapFieldNames, StringBuilder};
use arrow_array::{Array, ArrayRef, BooleanArray, Int32Array, Int64Array, RecordBatch, StringArray, StructArray};
use arrow_schema::{ArrowError, DataType, Field, FieldRef};

use crate::delta::actions::Line;

type Column = (FieldRef, ArrayRef);

/// The actions of one kind, line by line.
struct Group<'a, T>(Vec<Option<&'a T>>);

impl<'a, T> Group<'a, T> {
    fn values<V, A: Array + FromIterator<Option<V>> + 'static>(
        &self,
        name: &str,
        value: impl Fn(&'a T) -> Option<V>,
    ) -> Column {
        column(name, self.0.iter().map(|action| action.and_then(&value)).collect::<A>())
    }

    fn text(&self, name: &str, value: impl Fn(&'a T) -> Option<&'a String>) -> Column {
        self.values::<_, StringArray>(name, value)
    }

    fn int(&self, name: &str, value: impl Fn(&'a T) -> Option<i32>) -> Column {
        self.values::<_, Int32Array>(name, value)
    }

    fn long(&self, name: &str, value: impl Fn(&'a T) -> Option<i64>) -> Column {
        self.values::<_, Int64Array>(name, value)
    }

    fn flag(&self, name: &str, value: impl Fn(&'a T) -> Option<bool>) -> Column {
        self.values::<_, BooleanArray>(name, value)
    }

    fn map(&self, name: &str, entries: impl Fn(&'a T) -> Option<Entries<'a>>) -> Result<Column, ArrowError> {
        let names = MapFieldNames { entry: "key_value".into(), key: "key".into(), value: "value".into() };
        let mut builder = MapBuilder::new(Some(names), StringBuilder::new(), StringBuilder::new());
        for action in &self.0 {
            let entries = action.and_then(&entries);
            let is_valid = entries.is_some();
            for (key, value) in entries.unwrap_or_default() {
                builder.keys().append_value(key);
                builder.values().append_option(value);
            }
            builder.append(is_valid)?;
        }
        Ok(column(name, builder.finish()))
    }

    fn texts(&self, name: &str, texts: impl Fn(&'a T) -> Option<&'a Vec<String>>) -> Column {
        let element = Field::new("element", DataType::Utf8, true);
        let mut builder = ListBuilder::new(StringBuilder::new()).with_field(element);
        for action in &self.0 {
            builder.append_option(action.and_then(&texts).map(|texts| texts.iter().map(Some)));
        }
        column(name, builder.finish())
    }

    fn columns(&self, name: &str, columns: Vec<Column>) -> Result<Column, ArrowError> {
        let (fields, arrays): (Vec<_>, Vec<_>) = columns.into_iter().unzip();
        let is_valid: Vec<bool> = self.0.iter().map(Option::is_some).collect();
        Ok(column(name, StructArray::try_new(fields.into(), arrays, Some(is_valid.into()))?))
    }
}

type Entries<'a> = Vec<(&'a String, Option<&'a String>)>;

fn optional(map: &BTreeMap<String, Option<String>>) -> Entries<'_> {
    map.iter().map(|(key, value)| (key, value.as_ref())).collect()
}

fn required(map: &BTreeMap<String, String>) -> Entries<'_> {
    map.iter().map(|(key, value)| (key, Some(value))).collect()
}

fn column(name: &str, array: impl Array + 'static) -> Column {
    (Arc::new(Field::new(name, array.data_type().clone(), true)), Arc::new(array))
}

fn group<'a, T>(lines: &'a [Line], action: impl Fn(&'a Line) -> Option<&'a T>) -> Group<'a, T> {
    Group(lines.iter().map(action).collect())
}

/// The columns of some lines. The schema is always the same.
pub(super) fn of(lines: &[Line]) -> Result<RecordBatch, ArrowError> {
    let txn = group(lines, |line| line.txn.as_ref());
    let add = group(lines, |line| line.add.as_ref());
    let remove = group(lines, |line| line.remove.as_ref());
    let meta_data = group(lines, |line| line.meta_data.as_ref());
    let format = group(lines, |line| line.meta_data.as_ref().map(|meta_data| &meta_data.format));
    let protocol = group(lines, |line| line.protocol.as_ref());
    let columns = [
        txn.columns(
            "txn",
            vec![
                txn.text("appId", |txn| Some(&txn.app_id)),
                txn.long("version", |txn| Some(txn.version)),
                txn.long("lastUpdated", |txn| txn.last_updated),
            ],
        )?,
        add.columns(
            "add",
            vec![
                add.text("path", |add| Some(&add.path)),
                add.map("partitionValues", |add| Some(optional(&add.partition_values)))?,
                add.long("size", |add| Some(add.size)),
                add.long("modificationTime", |add| Some(add.modification_time)),
                add.flag("dataChange", |add| Some(add.data_change)),
                add.text("stats", |add| add.stats.as_ref()),
                add.map("tags", |add| add.tags.as_ref().map(optional))?,
            ],
        )?,
        remove.columns(
            "remove",
            vec![
                remove.text("path", |remove| Some(&remove.path)),
                remove.long("deletionTimestamp", |remove| remove.deletion_timestamp),
                remove.flag("dataChange", |remove| Some(remove.data_change)),
            ],
        )?,
        meta_data.columns(
            "metaData",
            vec![
                meta_data.text("id", |meta_data| Some(&meta_data.id)),
                meta_data.text("name", |meta_data| meta_data.name.as_ref()),
                format.columns(
                    "format",
                    vec![
                        format.text("provider", |format| Some(&format.provider)),
                        format.map("options", |format| Some(required(&format.options)))?,
                    ],
                )?,
                meta_data.text("schemaString", |meta_data| Some(&meta_data.schema_string)),
                meta_data.texts("partitionColumns", |meta_data| Some(&meta_data.partition_columns)),
                meta_data.map("configuration", |meta_data| Some(required(&meta_data.configuration)))?,
                meta_data.long("createdTime", |meta_data| meta_data.created_time),
            ],
        )?,
        protocol.columns(
            "protocol",
            vec![
                protocol.int("minReaderVersion", |protocol| Some(protocol.min_reader_version)),
                protocol.int("minWriterVersion", |protocol| Some(protocol.min_writer_version)),
            ],
        )?,
    ];
    let (fields, arrays): (Vec<_>, Vec<_>) = columns.into_iter().unzip();
    Ok(StructArray::try_new(fields.into(), arrays, None)?.into())
}
