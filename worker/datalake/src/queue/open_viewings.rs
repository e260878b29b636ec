//! The current viewings, in memory.

use std::collections::HashMap;
use std::ops::ControlFlow;
use std::sync::Arc;

use parking_lot::RwLock;

use super::keys;
use super::store::{Store, StoreError};
use crate::viewings::Viewing;
use crate::viewings::quality::{Figures, FinishedViewings};

/// The current viewings, and their playback quality.
#[derive(Debug, Default)]
pub(super) struct Viewings {
    pub(super) open: HashMap<String, Viewing>,
    pub(super) ended: FinishedViewings,
    pub(super) checked_us: i64,
    pub(super) figures: Arc<RwLock<Vec<Figures>>>,
}

impl Viewings {
    /// Reads the viewings without a row.
    pub(super) fn load(store: &dyn Store) -> Result<Self, StoreError> {
        let mut viewings = Self::default();
        let mut fault = None;
        store.scan(b"v", b"w", &mut |key, value| {
            match keys::read_viewing(key).zip(serde_json::from_slice::<Viewing>(value).ok()) {
                Some((sid, viewing)) if !viewing.has_row => drop(viewings.open.insert(sid.to_owned(), viewing)),
                Some(_) => {}
                None => fault = Some(StoreError::Corrupt("the record of a viewing".to_owned())),
            }
            ControlFlow::Continue(())
        })?;
        fault.map_or(Ok(viewings), Err)
    }

    pub(super) fn figures(&self) -> Arc<RwLock<Vec<Figures>>> {
        Arc::clone(&self.figures)
    }

    /// Takes over viewings that were read again from the disk. Readers and figures of finished viewings stay.
    pub(super) fn reloaded(&mut self, read: Self) -> Self {
        Self {
            open: read.open,
            ended: std::mem::take(&mut self.ended),
            checked_us: self.checked_us,
            figures: self.figures(),
        }
    }
}
