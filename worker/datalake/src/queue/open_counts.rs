//! The current counts of events, in memory.

use std::collections::BTreeMap;
use std::ops::ControlFlow;

use serde::{Deserialize, Serialize};

use super::keys;
use super::store::{Store, StoreError};

/// The subject of a count.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub(super) struct Counted {
    /// Days since 1970.
    pub(super) day: i64,
    pub(super) channel: Option<String>,
    pub(super) event: String,
}

impl Counted {
    /// Numbers and short texts always serialise.
    pub(super) fn key(&self) -> Vec<u8> {
        keys::count(&serde_json::to_vec(self).unwrap_or_default())
    }

    fn of_key(key: &[u8]) -> Option<Self> {
        serde_json::from_slice(keys::read_count(key)?).ok()
    }
}

/// The counts of days that have not ended.
#[derive(Debug, Default)]
pub(super) struct DailyCounts(pub(super) BTreeMap<Counted, u64>);

impl DailyCounts {
    pub(super) fn load(store: &dyn Store) -> Result<Self, StoreError> {
        let mut counts = Self::default();
        let mut fault = None;
        store.scan(b"n", b"o", &mut |key, value| {
            match Counted::of_key(key).zip(value.try_into().ok()) {
                Some((counted, count)) => drop(counts.0.insert(counted, u64::from_be_bytes(count))),
                None => fault = Some(StoreError::Corrupt("a count of events".to_owned())),
            }
            ControlFlow::Continue(())
        })?;
        fault.map_or(Ok(counts), Err)
    }
}
