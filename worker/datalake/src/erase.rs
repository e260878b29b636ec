//! Erasing a person: their id and address are removed from the queue, from dead letters and from shipped files.
//!
//! Rows stay, so that counts do not change; only what identifies the person is emptied. Data in HTTP sinks has to be
//! erased there.
//!
//! | module | content |
//! |---|---|
//! | [`addresses`] | finds email addresses in a text |
//! | [`marks`] | keyed hashes of erased people, to strip their late events |
//! | [`sketch`] | Bloom filter of the people in a lake file, so that other files can be skipped |

pub(crate) mod addresses;
pub(crate) mod marks;
pub(crate) mod sketch;

use std::borrow::Cow;
use std::sync::Arc;

use arrow_array::cast::AsArray;
use arrow_array::{Array, ArrayRef, RecordBatch, StringArray};
use arrow_schema::ArrowError;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use utoipa::ToSchema;

use crate::schema::{self, Kind, Source};
use crate::table::Table;

/// Placeholder for a required value that was erased.
const ERASED: &str = "erased";
/// The fields of a body that identify a person.
const IDENTITY_FIELDS: [&str; 2] = ["user_id", "user_email"];

/// The person to erase. At least one of id and address is required.
#[derive(Debug, Clone, Default, Serialize, Deserialize, ToSchema)]
pub struct Person {
    /// The user id.
    pub user_id: Option<String>,
    /// The email address, in any case.
    pub email: Option<String>,
    /// When the account was deleted, Unix microseconds. Late events from before that time are stripped too, and so is
    /// every event with this id. Without it the person is not remembered.
    #[serde(default, rename = "gone_us")]
    pub deleted_us: Option<i64>,
}

/// The result of an erasure.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, ToSchema)]
pub struct Erased {
    /// Changed events in the queue, and changed dead letters.
    pub queued: u64,
    /// Changed rows in shipped files.
    pub rows: u64,
    /// Rewritten files.
    pub files: u64,
    /// Files skipped because of their statistics.
    pub passed_over: u64,
}

impl std::ops::Add for Erased {
    type Output = Self;

    fn add(self, other: Self) -> Self {
        Self {
            queued: self.queued + other.queued,
            rows: self.rows + other.rows,
            files: self.files + other.files,
            passed_over: self.passed_over + other.passed_over,
        }
    }
}

/// The erasure failed. Repeating it continues where it stopped.
#[derive(Debug, Clone, thiserror::Error)]
pub enum EraseError {
    /// Neither an id nor an address was given.
    #[error("user_id or email is required")]
    Nobody,
    /// The queue no longer accepts writes.
    #[error("the queue no longer accepts writes")]
    QueueStopped,
    /// A lake cannot be reached.
    #[error("the lake: {0}")]
    Lake(String),
}

impl Person {
    /// Trims both fields and lowercases the address. At least one must not be empty.
    pub(crate) fn checked(self) -> Result<Self, EraseError> {
        let tidy = |text: Option<String>| text.map(|text| text.trim().to_owned()).filter(|text| !text.is_empty());
        let email = tidy(self.email).map(|email| email.to_lowercase());
        let person = Self { user_id: tidy(self.user_id), email, deleted_us: self.deleted_us };
        if person.user_id.is_none() && person.email.is_none() { Err(EraseError::Nobody) } else { Ok(person) }
    }

    /// Whether a text contains the address, plain or percent-encoded. Part of a longer address does not count.
    pub(crate) fn is_named_in(&self, text: &str) -> bool {
        let Some(email) = &self.email else { return false };
        if email.contains('@') && !text.contains(['@', '%']) {
            return false;
        }
        let contains_email = |text: &str| {
            text.match_indices(email.as_str()).any(|(at, _)| {
                let before = text[..at].chars().next_back();
                let mut after = text[at + email.len()..].chars();
                let (next, second) = (after.next(), after.next());
                let longer_before = before.is_some_and(addresses::is_local);
                let longer_after = match next {
                    Some('.') => second.is_some_and(char::is_alphanumeric),
                    Some(c) => c.is_alphanumeric() || c == '-',
                    None => false,
                };
                !longer_before && !longer_after
            })
        };
        let text = text.to_lowercase();
        contains_email(&text) || (text.contains('%') && contains_email(&percent_decoded(&text)))
    }

    fn is_value_of(&self, column: &str, text: &str) -> bool {
        column == "user_id" && self.user_id.as_deref() == Some(text)
    }

    /// A row belongs to the person if its id or its address does; both are erased then.
    fn owns_row(&self, user_id: Option<&str>, email: Option<&str>) -> bool {
        user_id.is_some_and(|id| self.is_value_of("user_id", id)) || email.is_some_and(|email| self.is_named_in(email))
    }

    /// Returns a body of `table` without the person, or `None` if they are not in it. Required fields remain.
    pub(crate) fn strip_body(&self, table: Table, body: &[u8]) -> Option<String> {
        let body = std::str::from_utf8(body).ok()?;
        let always = schema::columns(table).iter().filter(|column| column.required && column.source == Source::Body);
        let always: Vec<_> = always.map(|column| column.name).collect();
        match self.without_person(body, &always)? {
            Cow::Owned(left) => Some(left),
            Cow::Borrowed(_) => None,
        }
    }

    /// Whether a JSON document has to be parsed to find the person. Most need not be.
    fn may_be_in(&self, document: &str) -> bool {
        let is_unusual = self.email.as_ref().is_some_and(|email| !email.contains('@'));
        is_unusual || document.contains(['@', '%', '\\']) || document.contains("user_id")
    }

    /// Returns a JSON document without the person: borrowed if they are not in it, `None` if nothing else remains.
    /// Fields in `always` remain, without what identified the person.
    fn without_person<'a>(&self, document: &'a str, always: &[&str]) -> Option<Cow<'a, str>> {
        if !self.may_be_in(document) {
            return Some(Cow::Borrowed(document));
        }
        let Ok(mut value) = serde_json::from_str::<Value>(document) else {
            return Some(Cow::Borrowed(document)).filter(|_| !self.is_named_in(document));
        };
        if self.identifies("", &value) {
            return None;
        }
        let always: Vec<_> = always.iter().filter(|name| value.get(**name).is_some()).collect();
        // If two fields have the same name, the value has only the later one, but the document has both.
        let changed = self.strip_value("", &mut value) || self.is_named_in(document);
        if !changed {
            return Some(Cow::Borrowed(document));
        }
        if let Value::Object(fields) = &mut value {
            for name in always {
                fields.entry(*name).or_insert_with(|| ERASED.into());
            }
        }
        Some(Cow::Owned(value.to_string()))
    }

    /// Whether a text or a number, the value of `name`, identifies the person.
    fn identifies(&self, name: &str, value: &Value) -> bool {
        match value {
            Value::String(text) => self.is_named_in(text) || self.is_value_of(name, text),
            Value::Number(number) => self.is_value_of(name, &number.to_string()),
            Value::Null | Value::Bool(_) | Value::Array(_) | Value::Object(_) => false,
        }
    }

    /// Removes, at any depth, every text and field name that contains the address, every matching `user_id`, and both
    /// identifying fields where one of them matches.
    fn strip_value(&self, name: &str, value: &mut Value) -> bool {
        match value {
            Value::Object(fields) => {
                let is_theirs = IDENTITY_FIELDS
                    .into_iter()
                    .any(|who| fields.get(who).is_some_and(|value| self.identifies(who, value)));
                let before = fields.len();
                fields.retain(|name, value| {
                    let who = is_theirs && IDENTITY_FIELDS.contains(&name.as_str());
                    !who && !self.is_named_in(name) && !self.identifies(name, value)
                });
                let fewer = before != fields.len();
                fields.iter_mut().fold(fewer, |changed, (name, value)| self.strip_value(name, value) || changed)
            }
            Value::Array(values) => {
                let before = values.len();
                values.retain(|value| !self.identifies(name, value));
                let shorter = before != values.len();
                values.iter_mut().fold(shorter, |changed, value| self.strip_value(name, value) || changed)
            }
            Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => false,
        }
    }

    /// Returns the rows without the person, and how many rows changed.
    pub(crate) fn strip_rows(&self, table: Table, batch: &RecordBatch) -> Result<(RecordBatch, u64), ArrowError> {
        let rows = batch.num_rows();
        let texts = |name: &str| batch.column_by_name(name).map(|array| array.as_string::<i32>().clone());
        let (ids, emails) = (texts("user_id"), texts("user_email"));
        let cell = |array: &Option<StringArray>, row: usize| {
            array.as_ref().filter(|array| array.is_valid(row)).map(|array| array.value(row).to_owned())
        };
        let mut hit = vec![false; rows];
        let is_theirs: Vec<bool> =
            (0..rows).map(|row| self.owns_row(cell(&ids, row).as_deref(), cell(&emails, row).as_deref())).collect();
        let mut columns: Vec<ArrayRef> = Vec::new();
        for (column, array) in schema::columns(table).iter().zip(batch.columns()) {
            if !matches!(column.kind, Kind::Text | Kind::Json) {
                columns.push(Arc::clone(array));
                continue;
            }
            let texts = array.as_string::<i32>();
            let cleaned: StringArray = (0..rows)
                .map(|row| {
                    let text = texts.is_valid(row).then(|| texts.value(row))?;
                    let value = if column.personal && is_theirs[row] {
                        None
                    } else if column.kind == Kind::Json {
                        self.without_person(text, &[])
                    } else if self.is_named_in(text) {
                        column.required.then_some(Cow::Borrowed(ERASED))
                    } else {
                        Some(Cow::Borrowed(text))
                    };
                    hit[row] |= value.as_deref() != Some(text);
                    value
                })
                .collect();
            columns.push(Arc::new(cleaned));
        }
        let changed = hit.into_iter().filter(|hit| *hit).count() as u64;
        Ok((RecordBatch::try_new(batch.schema(), columns)?, changed))
    }
}

fn percent_decoded(text: &str) -> String {
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.as_bytes();
    while let [byte, tail @ ..] = rest {
        let encoded = tail.get(..2).filter(|_| *byte == b'%');
        let decoded = encoded.and_then(|hex| u8::from_str_radix(std::str::from_utf8(hex).ok()?, 16).ok());
        bytes.push(decoded.unwrap_or(*byte));
        rest = if decoded.is_some() { &tail[2..] } else { tail };
    }
    String::from_utf8_lossy(&bytes).into_owned()
}

#[cfg(test)]
mod tests;
