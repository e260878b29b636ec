//! Checking any channel folder ends with a result: no panic, and only faults that name a file.

use std::collections::BTreeMap;
use std::io;

use bytes::Bytes;
use proptest::prelude::*;
use proptest::test_runner::{RngAlgorithm, TestRng, TestRunner};
use serde_json::Value;
use touchline_channel::catalogue::{ChannelSource, ChannelsError, FolderSource, SourceFile, check};

use crate::app::SMALL_CHANNEL;

/// A channel folder in memory.
#[derive(Debug, Clone)]
struct InMemory(BTreeMap<String, Bytes>);

impl InMemory {
    fn small_channel() -> Self {
        let source = FolderSource::new(SMALL_CHANNEL);
        let files = source.files().unwrap().into_iter();
        Self(files.map(|file| (file.path.clone(), source.read(&file.path).unwrap())).collect())
    }
}

impl ChannelSource for InMemory {
    fn files(&self) -> io::Result<Vec<SourceFile>> {
        let file =
            |(path, bytes): (&String, &Bytes)| SourceFile { path: path.clone(), len: bytes.len() as u64, stamp: 0 };
        Ok(self.0.iter().map(file).collect())
    }

    fn read(&self, path: &str) -> io::Result<Bytes> {
        self.0.get(path).cloned().ok_or_else(|| io::ErrorKind::NotFound.into())
    }
}

/// Values that are likely to be invalid.
fn invalid_value() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        prop_oneof![Just(i64::MIN), Just(i64::MAX), Just(0), Just(-1)].prop_map(Value::from),
        any::<f64>().prop_map(Value::from),
        any::<String>().prop_map(Value::from),
        prop_oneof!["\\.\\./[a-z]{1,8}", "https://[a-z]{1,8}", "/[a-z]{1,8}", "hls/[a-z]{1,8}\\.m3u8"]
            .prop_map(Value::from),
    ];
    leaf.prop_recursive(2, 8, 4, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..4).prop_map(Value::from),
            prop::collection::hash_map("[a-z_]{1,8}", inner, 0..4)
                .prop_map(|map| Value::Object(map.into_iter().collect())),
        ]
    })
}

/// JSON pointers to every value.
fn pointers(value: &Value, at: &str, found: &mut Vec<String>) {
    found.push(at.to_owned());
    match value {
        Value::Array(items) => {
            items.iter().enumerate().for_each(|(i, item)| pointers(item, &format!("{at}/{i}"), found))
        }
        Value::Object(map) => map.iter().for_each(|(name, item)| {
            pointers(item, &format!("{at}/{}", name.replace('~', "~0").replace('/', "~1")), found);
        }),
        _ => {}
    }
}

#[test]
fn any_value_in_any_field_is_accepted_or_reported() {
    let sound = InMemory::small_channel();
    let mut all = Vec::new();
    for (path, bytes) in sound.0.iter().filter(|(path, _)| path.ends_with(".json") && !path.contains("/storage/")) {
        let mut found = Vec::new();
        pointers(&serde_json::from_slice(bytes).unwrap(), "", &mut found);
        all.extend(found.into_iter().map(|pointer| (path.clone(), pointer)));
    }
    let seed = TestRng::from_seed(RngAlgorithm::ChaCha, &[7; 32]);
    let mut runner = TestRunner::new_with_rng(ProptestConfig { cases: 600, ..ProptestConfig::default() }, seed);
    let changed = (prop::sample::select(all), invalid_value());
    runner
        .run(&changed, |((path, pointer), value)| {
            let mut source = sound.clone();
            let mut whole: Value = serde_json::from_slice(&source.0[&path]).unwrap();
            *whole.pointer_mut(&pointer).unwrap() = value;
            source.0.insert(path.clone(), serde_json::to_vec(&whole).unwrap().into());
            if let Err(ChannelsError::Faulty(faults)) = check(&source, false) {
                prop_assert!(!faults.0.is_empty());
                for fault in &faults.0 {
                    prop_assert!(fault.file.starts_with("meadow/") && !fault.problem.is_empty(), "{fault}");
                }
            }
            Ok(())
        })
        .unwrap();
}

#[test]
fn any_bytes_in_any_file_are_accepted_or_reported() {
    let sound = InMemory::small_channel();
    let paths: Vec<_> = sound.0.keys().cloned().collect();
    let seed = TestRng::from_seed(RngAlgorithm::ChaCha, &[8; 32]);
    let mut runner = TestRunner::new_with_rng(ProptestConfig { cases: 300, ..ProptestConfig::default() }, seed);
    let changed =
        (prop::sample::select(paths), prop::collection::vec(any::<u8>(), 0..200), any::<prop::sample::Index>());
    runner
        .run(&changed, |(path, bytes, cut)| {
            let mut source = sound.clone();
            // Half of a valid file, followed by garbage.
            let mut corrupted = source.0[&path][..cut.index(source.0[&path].len() + 1)].to_vec();
            corrupted.extend(bytes);
            source.0.insert(path, corrupted.into());
            prop_assert!(matches!(check(&source, false), Ok(_) | Err(ChannelsError::Faulty(_))));
            Ok(())
        })
        .unwrap();
}
