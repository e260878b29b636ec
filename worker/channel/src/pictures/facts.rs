//! Facts about photographs that pages need before the image has loaded (`FAST-9`). They are determined when a
//! photograph is first resized, and stored beside it.

use std::collections::{HashMap, HashSet};
use std::fs;
use std::path::Path;
use std::sync::atomic::{AtomicU64, Ordering};

use parking_lot::RwLock;
use touchline_disk::{Disk, Purpose};
use touchline_protocol::catalogue::PictureFacts;

use super::{Pictures, name_of, resize};
use crate::source::SourceFile;

/// Suffix of the files with facts.
const ENDING: &str = "facts.json";
/// Width in the name of a facts file, since facts do not depend on the width.
const OF_ANY_WIDTH: u32 = 0;

#[derive(Debug, Default)]
pub(super) struct FactStore {
    facts: RwLock<HashMap<String, PictureFacts>>,
    changes: AtomicU64,
}

fn key_of(file: &SourceFile) -> String {
    name_of(file, OF_ANY_WIDTH, ENDING)
}

impl FactStore {
    /// Reads the stored facts. Blocking.
    pub(super) fn read(folder: &Path) -> Self {
        let entries = fs::read_dir(folder).into_iter().flatten().filter_map(Result::ok);
        let files = entries.filter_map(|entry| {
            let name = entry.file_name().into_string().ok().filter(|name| name.ends_with(ENDING))?;
            Some((name, serde_json::from_slice(&fs::read(entry.path()).ok()?).ok()?))
        });
        Self { facts: RwLock::new(files.collect()), changes: AtomicU64::new(1) }
    }

    pub(super) fn has(&self, file: &SourceFile) -> bool {
        self.facts.read().contains_key(&key_of(file))
    }

    /// Stores a photograph's facts. They are determined again if they cannot be written. Blocking.
    pub(super) fn store(&self, folder: &Path, disk: &Disk, file: &SourceFile, facts: PictureFacts) {
        let name = key_of(file);
        let written = serde_json::to_vec(&facts).map_err(std::io::Error::from).and_then(|bytes| {
            disk.admit(Purpose::Pictures, folder, bytes.len() as u64)?;
            super::write_whole(&folder.join(&name), &bytes)
        });
        if let Err(error) = written {
            tracing::warn!(%error, path = file.path, "a picture's facts could not be stored");
        }
        self.facts.write().insert(name, facts);
        self.changes.fetch_add(1, Ordering::Relaxed);
    }

    fn retain(&self, folder: &Path, names: &HashSet<String>) {
        self.facts.write().retain(|name, _| {
            let is_retained = names.contains(name);
            if !is_retained {
                // The file may have been removed by hand.
                let _ = fs::remove_file(folder.join(name));
            }
            is_retained
        });
    }
}

impl Pictures {
    /// Returns a photograph's file name for facts, and its facts if known. Other files have no name.
    pub(crate) fn facts_of(&self, file: &SourceFile) -> (Option<String>, Option<PictureFacts>) {
        let name = resize::is_resizable(&file.path).then(|| key_of(file));
        let facts = name.as_ref().and_then(|name| self.fact_store.facts.read().get(name).cloned());
        (name, facts)
    }

    /// Returns a number that changes whenever facts are added.
    pub(crate) fn facts_version(&self) -> u64 {
        self.fact_store.changes.load(Ordering::Relaxed)
    }

    /// Removes the facts of photographs that no channel has any more. Blocking.
    pub(crate) fn retain_facts(&self, names: &HashSet<String>) {
        self.fact_store.retain(&self.folder, names);
    }
}
