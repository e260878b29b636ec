//! One channel folder while it is read: its files by name, its JSON, and where its faults go.

pub(super) mod fields;

use std::cell::RefCell;
use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use serde_json::Value;
use touchline_protocol::limits::Limit;

use self::fields::Fields;
use super::super::fault::Findings;
use crate::media::{Ingest, Mount, Stream};
use crate::source::{ChannelSource, SourceFile};

/// The most bytes that one JSON file may have.
const MAX_JSON: u64 = 8 * 1024 * 1024;
/// The most items that one list of a file may have.
pub(super) const MAX_ITEMS: usize = 20_000;
/// The rows of the limits table.
pub(crate) const LIMITS: &[Limit] = &[
    Limit::bytes("channel.file", MAX_JSON, "A JSON file of a channel folder."),
    Limit::count("channel.items", MAX_ITEMS as u64, "items", "Items of one list of a channel folder."),
];
/// What a browser shows as a picture.
pub(crate) const IMAGE_ENDINGS: [&str; 7] = ["svg", "png", "jpg", "jpeg", "webp", "avif", "gif"];

/// One channel folder while it is read.
pub(super) struct Folder<'a> {
    pub(super) key: &'a str,
    pub(super) source: &'a dyn ChannelSource,
    pub(super) findings: &'a Findings,
    /// By path within the folder: `events.json`, `media/crests/kestrels.svg`.
    pub(super) files: HashMap<&'a str, &'a SourceFile>,
    /// Whether media may be on private networks, and plain http there.
    pub(super) private_media: bool,
    /// What was mounted so far.
    pub(super) mounts: RefCell<HashMap<String, Mount>>,
    /// What encoders write.
    pub(super) ingests: RefCell<Vec<Arc<Ingest>>>,
    /// The hosts that the channel claims, and whether it would take the unknown ones.
    pub(super) claims: RefCell<Claims>,
    /// Streams by entry: many events may show one. `None` for a faulty one, whose faults were told.
    streams: RefCell<HashMap<String, Option<Arc<Stream>>>>,
}

/// What no two channels can have.
#[derive(Debug, Default)]
pub(super) struct Claims {
    pub(super) hosts: Vec<String>,
    pub(super) fallback: bool,
}

/// The items of a list file, and the ids of all of them, faulty or not: a reference to a faulty item is no second fault.
pub(super) struct Listed<T> {
    pub(super) items: Vec<T>,
    pub(super) ids: Ids,
}

/// Ids that can be referred to, by what they are of.
#[derive(Debug, Default)]
pub(super) struct Ids {
    pub(super) file: &'static str,
    pub(super) known: HashSet<i64>,
    /// Whether some of them could not be read: then a reference to none of the known ones is no fault of its own.
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

    /// The stream whose entry is `path` within `media/`. Its faults are told where it is named first.
    pub(super) fn stream(&self, fields: &Fields<'_>, field: &str, path: &str) -> Option<Arc<Stream>> {
        if let Some(known) = self.streams.borrow().get(path) {
            return known.clone();
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

    pub(super) fn mount(&self, name: String, mount: Mount) {
        self.mounts.borrow_mut().insert(name, mount);
    }

    pub(super) fn ingest(&self, ingest: Arc<Ingest>) {
        self.ingests.borrow_mut().push(ingest);
    }

    /// The file's name from the root of the channels, as faults tell it.
    pub(super) fn full(&self, file: &str) -> String {
        format!("{}/{file}", self.key)
    }

    pub(super) fn fault(&self, file: &str, field: impl Into<String>, problem: impl Into<String>) {
        self.findings.add(&self.full(file), field, problem);
    }

    /// The bytes of a file that is listed.
    pub(super) fn bytes(&self, file: &str) -> Option<bytes::Bytes> {
        let listed = self.files.get(file)?;
        match self.source.read(&listed.path) {
            Ok(bytes) => Some(bytes),
            Err(error) => {
                self.fault(file, "", format!("cannot be read: {error}"));
                None
            }
        }
    }

    /// The JSON of a file; absence of a required one is a fault.
    pub(super) fn json(&self, file: &str, required: bool) -> Option<Value> {
        let Some(listed) = self.files.get(file) else {
            if required {
                self.fault(file, "", "is missing");
            }
            return None;
        };
        if listed.len > MAX_JSON {
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

    /// A file that holds one object.
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

    /// A file that holds a list of objects with an `id`.
    pub(super) fn list<T>(
        &self,
        file: &'static str,
        required: bool,
        read: impl FnMut(&Fields<'_>) -> Option<T>,
    ) -> Listed<T> {
        let mut listed = Listed { items: Vec::new(), ids: Ids { file, ..Ids::default() } };
        let Some(value) = self.json(file, required) else {
            listed.ids.is_partial = required || self.files.contains_key(file);
            return listed;
        };
        self.items(file, "", &value, &mut listed, read);
        listed
    }

    /// A list of objects with an `id` within a file.
    pub(super) fn items<T>(
        &self,
        file: &'static str,
        path: &str,
        value: &Value,
        listed: &mut Listed<T>,
        mut read: impl FnMut(&Fields<'_>) -> Option<T>,
    ) {
        let Some(values) = value.as_array() else {
            listed.ids.is_partial = true;
            return self.fault(file, path, "must be a list");
        };
        if values.len() > MAX_ITEMS {
            listed.ids.is_partial = true;
            return self.fault(file, path, format!("has too many items: at most {MAX_ITEMS}"));
        }
        for (place, value) in values.iter().enumerate() {
            let path = format!("{path}[{place}]");
            if let Some(id) = value.get("id").and_then(Value::as_i64)
                && !listed.ids.known.insert(id)
            {
                self.fault(file, format!("{path}.id"), format!("{id} is used twice"));
            }
            if let Some(item) = Fields::of(self, file, path, value).and_then(|fields| read(&fields)) {
                listed.items.push(item);
            }
        }
    }
}
