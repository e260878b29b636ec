//! A channel folder that is being loaded: its files by name, its JSON, and its faults.

pub(super) mod fields;

use std::cell::RefCell;
use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use serde_json::Value;
use touchline_protocol::limits::Limit;

use self::fields::Fields;
use super::super::fault::{Fault, Findings};
use crate::media::{Ingest, Mount, Stream, mp4};
use crate::source::{ChannelSource, SourceFile};

/// Largest JSON file, in bytes.
const MAX_JSON: u64 = 8 * 1024 * 1024;
/// Longest list in a file.
pub(super) const MAX_ITEMS: usize = 20_000;
pub(crate) const LIMITS: &[Limit] = &[
    Limit::bytes("channel.file", MAX_JSON, "A JSON file in a channel folder."),
    Limit::count("channel.items", MAX_ITEMS as u64, "items", "Items in a list in a channel folder."),
];
/// Extensions of pictures that browsers display.
pub(crate) const IMAGE_ENDINGS: [&str; 7] = ["svg", "png", "jpg", "jpeg", "webp", "avif", "gif"];

/// A channel folder that is being loaded.
pub(super) struct Folder<'a> {
    pub(super) key: &'a str,
    pub(super) source: &'a dyn ChannelSource,
    pub(super) findings: &'a Findings,
    /// By path within the folder: `events.json`, `media/crests/kestrels.svg`.
    pub(super) files: HashMap<&'a str, &'a SourceFile>,
    /// Whether media may be on private networks, and use plain HTTP there.
    pub(super) private_media: bool,
    /// Mounts created so far.
    pub(super) mounts: RefCell<HashMap<String, Mount>>,
    /// Live streams written by encoders.
    pub(super) ingests: RefCell<Vec<Arc<Ingest>>>,
    /// Hosts claimed by the channel, once its `channel.json` was read.
    pub(super) claims: RefCell<Option<Claims>>,
    /// Streams by playlist, since many events may share one. `None` for a faulty one, whose faults were reported.
    streams: RefCell<HashMap<String, Option<Arc<Stream>>>>,
}

/// Properties that only one channel can have.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(in crate::catalogue) struct Claims {
    pub(in crate::catalogue) hosts: Vec<String>,
    pub(in crate::catalogue) fallback: bool,
}

impl Claims {
    /// Faults of the channel `key`: its claims that another channel holds. `owner` is the channel of a host.
    pub(in crate::catalogue) fn conflicts<'a>(
        &self,
        key: &str,
        owner: impl Fn(&str) -> Option<&'a str>,
        fallback: Option<&str>,
    ) -> Vec<Fault> {
        let fault = |field: String, problem: String| Fault { file: format!("{key}/channel.json"), field, problem };
        let mut faults = Vec::new();
        for (index, host) in self.hosts.iter().enumerate() {
            if let Some(other) = owner(host).filter(|other| *other != key) {
                faults.push(fault(format!("hosts[{index}]"), format!("`{host}` already belongs to `{other}`")));
            }
        }
        if let Some(other) = fallback.filter(|other| self.fallback && *other != key) {
            faults.push(fault("fallback".to_owned(), format!("`{other}` is already the fallback")));
        }
        faults
    }
}

/// The items of a file and the ids of all items, including faulty ones, so that a reference to a faulty item is not a
/// second fault.
pub(super) struct ItemList<T> {
    pub(super) items: Vec<T>,
    pub(super) ids: Ids,
}

/// Ids that references may use, with the kind of their items.
#[derive(Debug, Default)]
pub(super) struct Ids {
    pub(super) file: &'static str,
    pub(super) existing: HashSet<i64>,
    /// Whether some ids could not be read. An unknown reference is then no fault.
    pub(super) is_partial: bool,
}

impl<'a> Folder<'a> {
    pub(super) fn new(
        key: &'a str,
        source: &'a dyn ChannelSource,
        findings: &'a Findings,
        files: HashMap<&'a str, &'a SourceFile>,
        private_media: bool,
    ) -> Self {
        let (mounts, ingests) = (RefCell::default(), RefCell::default());
        let (claims, streams) = (RefCell::default(), RefCell::default());
        Self { key, source, findings, files, private_media, mounts, ingests, claims, streams }
    }

    /// The stream with the playlist `path` within `media/`. Its faults are reported at its first use.
    pub(super) fn stream(&self, fields: &Fields<'_>, field: &str, path: &str) -> Option<Arc<Stream>> {
        if let Some(stream) = self.streams.borrow().get(path) {
            return stream.clone();
        }
        let read = |file: &str| {
            let name = format!("media/{file}");
            if file.ends_with(".m3u8") {
                self.bytes(&name)
            } else {
                self.files.contains_key(name.as_str()).then(Default::default)
            }
        };
        let stream = if fields.is_file(field, path) {
            Stream::read(path, read)
                .map(Arc::new)
                .map_err(|faults| faults.into_iter().for_each(|fault| fields.fault(field, fault)))
                .ok()
        } else {
            None
        };
        self.streams.borrow_mut().insert(path.to_owned(), stream.clone());
        stream
    }

    /// Returns the length of a video, if its playlist or its file contains it.
    pub(super) fn duration_s(&self, path: &str) -> Option<f64> {
        let stream = self.streams.borrow().get(path).cloned()??;
        if let Some(best) = stream.variants.first() {
            return Some(best.length_ms() as f64 / 1000.0);
        }
        let file = self.files.get(format!("media/{path}").as_str())?;
        mp4::duration_s(file.len, |from, len| self.source.read_part(&file.path, from, len).ok())
    }

    pub(super) fn mount(&self, name: String, mount: Mount) {
        self.mounts.borrow_mut().insert(name, mount);
    }

    pub(super) fn ingest(&self, ingest: Arc<Ingest>) {
        self.ingests.borrow_mut().push(ingest);
    }

    /// Path from the root of the channels, for faults.
    pub(super) fn full(&self, file: &str) -> String {
        format!("{}/{file}", self.key)
    }

    pub(super) fn fault(&self, file: &str, field: impl Into<String>, problem: impl Into<String>) {
        self.findings.add(&self.full(file), field, problem);
    }

    pub(super) fn bytes(&self, file: &str) -> Option<bytes::Bytes> {
        let source_file = self.files.get(file)?;
        match self.source.read(&source_file.path) {
            Ok(bytes) => Some(bytes),
            Err(error) => {
                self.fault(file, "", format!("cannot be read: {error}"));
                None
            }
        }
    }

    /// The JSON of a file. A missing required file is a fault.
    pub(super) fn json(&self, file: &str, required: bool) -> Option<Value> {
        let Some(source_file) = self.files.get(file) else {
            if required {
                self.fault(file, "", "is missing");
            }
            return None;
        };
        if source_file.len > MAX_JSON {
            self.fault(file, "", format!("is too large: at most {MAX_JSON} bytes"));
            return None;
        }
        match serde_json::from_slice(&self.bytes(file)?) {
            Ok(value) => Some(value),
            Err(error) => {
                self.fault(file, "", format!("is not JSON: {error}"));
                None
            }
        }
    }

    /// Reads a file with one object.
    pub(super) fn object<T>(
        &self,
        file: &'static str,
        required: bool,
        read: impl FnOnce(&Fields<'_>) -> Option<T>,
    ) -> Option<T> {
        let value = self.json(file, required)?;
        let fields = Fields::of(self, file, String::new(), &value)?;
        read(&fields)
    }

    /// Reads a file with a list of objects with an `id`.
    pub(super) fn list<T>(
        &self,
        file: &'static str,
        required: bool,
        read: impl FnMut(&Fields<'_>) -> Option<T>,
    ) -> ItemList<T> {
        let mut item_list = ItemList { items: Vec::new(), ids: Ids { file, ..Ids::default() } };
        let Some(value) = self.json(file, required) else {
            item_list.ids.is_partial = required || self.files.contains_key(file);
            return item_list;
        };
        self.items(file, "", &value, &mut item_list, read);
        item_list
    }

    /// Reads a list of objects with an `id` within a file.
    pub(super) fn items<T>(
        &self,
        file: &'static str,
        path: &str,
        value: &Value,
        item_list: &mut ItemList<T>,
        mut read: impl FnMut(&Fields<'_>) -> Option<T>,
    ) {
        let Some(values) = value.as_array() else {
            item_list.ids.is_partial = true;
            return self.fault(file, path, "must be a list");
        };
        if values.len() > MAX_ITEMS {
            item_list.ids.is_partial = true;
            return self.fault(file, path, format!("has too many items: at most {MAX_ITEMS}"));
        }
        for (index, value) in values.iter().enumerate() {
            let path = format!("{path}[{index}]");
            if let Some(id) = value.get("id").and_then(Value::as_i64)
                && !item_list.ids.existing.insert(id)
            {
                self.fault(file, format!("{path}.id"), format!("{id} is used twice"));
            }
            if let Some(item) = Fields::of(self, file, path, value).and_then(|fields| read(&fields)) {
                item_list.items.push(item);
            }
        }
    }
}
