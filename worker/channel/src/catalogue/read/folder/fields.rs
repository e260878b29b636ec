//! Reads one JSON object of a channel folder field by field. Each fault is recorded with its location and reading
//! continues, so that the operator gets all of them together. An unknown field is a fault as well. Fields with a
//! special format (colours, paths, pictures) are in [`super::super::formats`].

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::ops::RangeInclusive;

use serde_json::{Map, Value};
use touchline_protocol::limits::Limit;

use super::{Folder, Ids, MAX_ITEMS};

/// Longest single line, in characters.
pub(in crate::catalogue::read) const LINE: usize = 300;
/// Longest text with paragraphs, in characters.
pub(in crate::catalogue::read) const TEXT: usize = 100_000;
pub(crate) const LIMITS: &[Limit] = &[
    Limit::count("channel.line", LINE as u64, "characters", "A name or other line in a channel folder."),
    Limit::count("channel.text", TEXT as u64, "characters", "A string in a channel folder."),
];
/// Ids are positive and exact in a browser's numbers.
const IDS: RangeInclusive<i64> = 1..=(1 << 53) - 1;
/// Prices, in minor units.
const MONEY: RangeInclusive<i64> = 0..=100_000_000;

/// A JSON object during a load. A getter that returns nothing has recorded a fault.
pub(in crate::catalogue::read) struct Fields<'a> {
    pub(in crate::catalogue::read) folder: &'a Folder<'a>,
    pub(in crate::catalogue::read) file: &'static str,
    pub(in crate::catalogue::read) path: String,
    map: &'a Map<String, Value>,
    read_fields: RefCell<Vec<&'static str>>,
}

impl<'a> Fields<'a> {
    pub(in crate::catalogue::read) fn of(
        folder: &'a Folder<'a>,
        file: &'static str,
        path: String,
        value: &'a Value,
    ) -> Option<Self> {
        let Some(map) = value.as_object() else {
            folder.fault(file, path, "must be an object");
            return None;
        };
        Some(Self { folder, file, path, map, read_fields: RefCell::default() })
    }

    fn path_of(&self, field: &str) -> String {
        if self.path.is_empty() { field.to_owned() } else { format!("{}.{field}", self.path) }
    }

    pub(in crate::catalogue::read) fn fault(&self, field: &str, problem: impl Into<String>) {
        self.folder.fault(self.file, self.path_of(field), problem);
    }

    /// The raw field; `null` counts as missing.
    pub(in crate::catalogue::read) fn raw(&self, field: &'static str) -> Option<&'a Value> {
        self.read_fields.borrow_mut().push(field);
        self.map.get(field).filter(|value| !value.is_null())
    }

    /// Whether the field is present, without marking it as known.
    pub(in crate::catalogue::read) fn has(&self, field: &str) -> bool {
        self.map.get(field).is_some_and(|value| !value.is_null())
    }

    pub(in crate::catalogue::read) fn required<T>(&self, field: &'static str, value: Option<T>) -> Option<T> {
        if value.is_none() && !self.has(field) {
            self.fault(field, "is missing");
        }
        value
    }

    pub(in crate::catalogue::read) fn maybe_string(&self, field: &'static str, max: usize) -> Option<String> {
        let Some(text) = self.raw(field)?.as_str() else {
            self.fault(field, "must be a string");
            return None;
        };
        if text.chars().count() > max {
            self.fault(field, format!("is too long: at most {max} characters"));
            return None;
        }
        Some(text.to_owned())
    }

    /// A required, non-empty text.
    pub(in crate::catalogue::read) fn line(&self, field: &'static str) -> Option<String> {
        let text = self.required(field, self.maybe_string(field, LINE))?;
        if text.trim().is_empty() {
            self.fault(field, "must not be empty");
            return None;
        }
        Some(text)
    }

    /// An optional line.
    pub(in crate::catalogue::read) fn line_or_empty(&self, field: &'static str) -> String {
        self.maybe_string(field, LINE).unwrap_or_default()
    }

    /// An optional longer text.
    pub(in crate::catalogue::read) fn text_or_empty(&self, field: &'static str) -> String {
        self.maybe_string(field, TEXT).unwrap_or_default()
    }

    pub(in crate::catalogue::read) fn maybe_integer(
        &self,
        field: &'static str,
        range: RangeInclusive<i64>,
    ) -> Option<i64> {
        let value = self.raw(field)?.as_i64().filter(|number| range.contains(number));
        if value.is_none() {
            let (min, max) = range.into_inner();
            self.fault(field, format!("must be a whole number from {min} to {max}"));
        }
        value
    }

    pub(in crate::catalogue::read) fn integer(&self, field: &'static str, range: RangeInclusive<i64>) -> Option<i64> {
        self.required(field, self.maybe_integer(field, range))
    }

    pub(in crate::catalogue::read) fn id(&self, field: &'static str) -> Option<i64> {
        self.integer(field, IDS)
    }

    pub(in crate::catalogue::read) fn maybe_id(&self, field: &'static str) -> Option<i64> {
        self.maybe_integer(field, IDS)
    }

    pub(in crate::catalogue::read) fn money(&self, field: &'static str) -> Option<i64> {
        self.integer(field, MONEY)
    }

    pub(in crate::catalogue::read) fn maybe_number(
        &self,
        field: &'static str,
        range: RangeInclusive<f64>,
    ) -> Option<f64> {
        let value = self.raw(field)?.as_f64().filter(|number| range.contains(number));
        if value.is_none() {
            let (min, max) = range.into_inner();
            self.fault(field, format!("must be a number from {min} to {max}"));
        }
        value
    }

    /// A flag; `false` when missing.
    pub(in crate::catalogue::read) fn flag(&self, field: &'static str) -> bool {
        match self.raw(field) {
            None => false,
            Some(value) => value.as_bool().unwrap_or_else(|| {
                self.fault(field, "must be true or false");
                false
            }),
        }
    }

    pub(in crate::catalogue::read) fn maybe_one_of<T: Copy>(
        &self,
        field: &'static str,
        choices: &[(&str, T)],
    ) -> Option<T> {
        let value = self.raw(field)?;
        let chosen = choices.iter().find(|(name, _)| value.as_str() == Some(name)).map(|&(_, choice)| choice);
        if chosen.is_none() {
            let names: Vec<_> = choices.iter().map(|(name, _)| format!("`{name}`")).collect();
            self.fault(field, format!("must be one of {}", names.join(", ")));
        }
        chosen
    }

    pub(in crate::catalogue::read) fn one_of<T: Copy>(&self, field: &'static str, choices: &[(&str, T)]) -> Option<T> {
        self.required(field, self.maybe_one_of(field, choices))
    }

    /// A list, each value with its location; empty when missing.
    pub(in crate::catalogue::read) fn values(&self, field: &'static str) -> Vec<(String, &'a Value)> {
        let Some(value) = self.raw(field) else { return Vec::new() };
        let Some(values) = value.as_array().filter(|values| values.len() <= MAX_ITEMS) else {
            self.fault(field, format!("must be a list of at most {MAX_ITEMS} items"));
            return Vec::new();
        };
        values.iter().enumerate().map(|(index, value)| (format!("{field}[{index}]"), value)).collect()
    }

    pub(in crate::catalogue::read) fn lines(&self, field: &'static str) -> Vec<String> {
        let mut lines = Vec::new();
        for (path, value) in self.values(field) {
            match value.as_str().filter(|text| !text.trim().is_empty() && text.chars().count() <= LINE) {
                Some(text) => lines.push(text.to_owned()),
                None => self.fault(&path, format!("must be a string of 1 to {LINE} characters")),
            }
        }
        lines
    }

    /// Texts by name; empty when missing.
    pub(in crate::catalogue::read) fn texts_by_name(&self, field: &'static str) -> BTreeMap<String, String> {
        let mut texts = BTreeMap::new();
        let Some(value) = self.raw(field) else { return texts };
        let Some(map) = value.as_object() else {
            self.fault(field, "must be an object with string values");
            return texts;
        };
        for (name, value) in map {
            match value.as_str().filter(|text| text.chars().count() <= TEXT) {
                Some(text) => drop(texts.insert(name.clone(), text.to_owned())),
                None => self.fault(&format!("{field}.{name}"), "must be a string"),
            }
        }
        texts
    }

    pub(in crate::catalogue::read) fn maybe_object(&self, field: &'static str) -> Option<Fields<'a>> {
        let value = self.raw(field)?;
        Fields::of(self.folder, self.file, self.path_of(field), value)
    }

    /// A list of objects without the unreadable ones.
    pub(in crate::catalogue::read) fn objects<T>(
        &self,
        field: &'static str,
        mut read: impl FnMut(&Fields<'_>) -> Option<T>,
    ) -> Vec<T> {
        let values = self.values(field);
        let objects =
            values.into_iter().filter_map(|(at, value)| Fields::of(self.folder, self.file, self.path_of(&at), value));
        objects.filter_map(|fields| read(&fields)).collect()
    }

    /// The id of an item in another file.
    pub(in crate::catalogue::read) fn reference(&self, field: &'static str, ids: &Ids) -> Option<i64> {
        self.required(field, self.maybe_reference(field, ids))
    }

    pub(in crate::catalogue::read) fn maybe_reference(&self, field: &'static str, ids: &Ids) -> Option<i64> {
        self.maybe_id(field).filter(|&id| self.exists(field, id, ids))
    }

    pub(in crate::catalogue::read) fn references(&self, field: &'static str, ids: &Ids) -> Vec<i64> {
        let mut references = Vec::new();
        for (path, value) in self.values(field) {
            match value.as_i64() {
                Some(id) if references.contains(&id) => self.fault(&path, format!("{id} appears twice")),
                Some(id) if self.exists(&path, id, ids) => references.push(id),
                Some(_) => {}
                None => self.fault(&path, "must be an id, which is a whole number"),
            }
        }
        references
    }

    fn exists(&self, field: &str, id: i64, ids: &Ids) -> bool {
        let exists = ids.is_partial || ids.existing.contains(&id);
        if !exists {
            self.fault(field, format!("{id} is not in {}", ids.file));
        }
        exists
    }
}

impl Drop for Fields<'_> {
    fn drop(&mut self) {
        let mut read_fields = self.read_fields.take();
        read_fields.sort_unstable();
        read_fields.dedup();
        for name in self.map.keys().filter(|name| !read_fields.contains(&name.as_str())) {
            let problem = format!("is an unknown field; the fields here are {}", read_fields.join(", "));
            self.folder.fault(self.file, self.path_of(name), problem);
        }
    }
}
