use std::collections::BTreeMap;

use super::*;
use crate::delta::actions::{Add, Format, MetaData, Protocol, Remove, Txn};

fn snapshot() -> Snapshot {
    let add = |path: &str, stats: Option<&str>| Add {
        path: path.to_owned(),
        partition_values: BTreeMap::from([
            ("received_date".to_owned(), Some("2026-11-21".to_owned())),
            ("other".to_owned(), None),
        ]),
        size: i64::MAX,
        modification_time: 1_795_255_200_000,
        data_change: false,
        stats: stats.map(str::to_owned),
        tags: stats.map(|_| BTreeMap::from([("nodes".to_owned(), Some("0d,1e".to_owned()))])),
    };
    let meta_data = MetaData {
        id: "9a".to_owned(),
        name: None,
        format: Format { provider: "parquet".to_owned(), options: BTreeMap::new() },
        schema_string: r#"{"type":"struct"}"#.to_owned(),
        partition_columns: vec!["received_date".to_owned(), "other".to_owned()],
        configuration: BTreeMap::from([("delta.appendOnly".to_owned(), "false".to_owned())]),
        created_time: Some(7),
    };
    let remove = Remove { path: "gone.parquet".to_owned(), deletion_timestamp: Some(8), data_change: false };
    let txn = Txn { app_id: "writer/0d".to_owned(), version: 41, last_updated: Some(9) };
    let protocol = Protocol { min_reader_version: 1, min_writer_version: 2 };
    let mut snapshot = Snapshot::default();
    let lines = vec![
        Line { protocol: Some(protocol), ..Line::default() },
        Line { meta_data: Some(meta_data), ..Line::default() },
        Line { txn: Some(txn), ..Line::default() },
        Line { remove: Some(remove), ..Line::default() },
        Line { add: Some(add("a.parquet", Some(r#"{"numRecords":1}"#))), ..Line::default() },
        Line { add: Some(add("é b.parquet", None)), ..Line::default() },
    ];
    snapshot.fold(3, lines).unwrap();
    snapshot
}

#[test]
fn a_checkpoint_has_every_line_of_its_snapshot() {
    let snapshot = snapshot();
    let (count, file) = encoded(&snapshot).unwrap();
    let lines: Vec<Line> = snapshot.lines().collect();
    assert_eq!(count, lines.len() as u64);
    assert_eq!(decoded(file).unwrap(), lines);
}

#[test]
fn a_checkpoint_of_several_batches_is_read_completely() {
    let mut snapshot = snapshot();
    let add = snapshot.files["a.parquet"].clone();
    for n in 0..2 * BATCH_LINES {
        snapshot.files.insert(format!("{n}.parquet"), Add { path: format!("{n}.parquet"), ..add.clone() });
    }
    let (count, file) = encoded(&snapshot).unwrap();
    assert_eq!(count, 6 + 2 * BATCH_LINES as u64);
    assert_eq!(decoded(file).unwrap(), snapshot.lines().collect::<Vec<_>>());
}

#[test]
fn a_checkpoint_has_the_columns_of_the_protocol() {
    let (_, file) = encoded(&snapshot()).unwrap();
    let reader = ParquetRecordBatchReaderBuilder::try_new(file).unwrap();
    let columns = reader.parquet_schema().columns();
    let columns: Vec<_> =
        columns.iter().map(|column| format!("{} {}", column.path().string(), column.physical_type())).collect();
    let expected = "txn.appId BYTE_ARRAY
txn.version INT64
txn.lastUpdated INT64
add.path BYTE_ARRAY
add.partitionValues.key_value.key BYTE_ARRAY
add.partitionValues.key_value.value BYTE_ARRAY
add.size INT64
add.modificationTime INT64
add.dataChange BOOLEAN
add.stats BYTE_ARRAY
add.tags.key_value.key BYTE_ARRAY
add.tags.key_value.value BYTE_ARRAY
remove.path BYTE_ARRAY
remove.deletionTimestamp INT64
remove.dataChange BOOLEAN
metaData.id BYTE_ARRAY
metaData.name BYTE_ARRAY
metaData.format.provider BYTE_ARRAY
metaData.format.options.key_value.key BYTE_ARRAY
metaData.format.options.key_value.value BYTE_ARRAY
metaData.schemaString BYTE_ARRAY
metaData.partitionColumns.list.element BYTE_ARRAY
metaData.configuration.key_value.key BYTE_ARRAY
metaData.configuration.key_value.value BYTE_ARRAY
metaData.createdTime INT64
protocol.minReaderVersion INT32
protocol.minWriterVersion INT32";
    assert_eq!(columns.join("\n"), expected);
}
