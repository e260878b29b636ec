//! Removing a person: their id and address, wherever they stand, in what waits, in dead letters and in shipped files.
//!
//! Rows stay, so that counts do; what said who it was is emptied. Sinks that are no lake are asked by other means.

use std::sync::Arc;

use arrow::array::{Array, ArrayRef, AsArray, RecordBatch, StringArray};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use utoipa::ToSchema;

use crate::rows::{self, RowsError};
use crate::schema::{self, Kind};
use crate::sinks::lake::Lake;
use crate::table::Table;

/// Who is to be removed; at least one of the two.
#[derive(Debug, Clone, Default, Serialize, Deserialize, ToSchema)]
pub struct Person {
    /// Their id.
    pub user_id: Option<String>,
    /// Their address; case does not matter.
    pub email: Option<String>,
}

/// What an erasure changed.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, ToSchema)]
pub struct Erased {
    /// Events in the queue and dead letters.
    pub queued: u64,
    /// Rows of shipped files.
    pub rows: u64,
    /// Files that were rewritten.
    pub files: u64,
}

/// What cannot be erased now; erasing again goes on.
#[derive(Debug, thiserror::Error)]
pub enum EraseError {
    /// Neither an id nor an address.
    #[error("a person is named by user_id or email")]
    Nobody,
    /// The queue no longer writes.
    #[error("the queue no longer writes")]
    QueueStopped,
    /// A lake cannot be reached.
    #[error("the lake: {0}")]
    Lake(String),
}

impl Person {
    /// The address in lower case, without surrounding space; neither may be empty.
    pub(crate) fn checked(self) -> Result<Self, EraseError> {
        let tidy = |text: Option<String>| text.map(|text| text.trim().to_owned()).filter(|text| !text.is_empty());
        let person = Self { user_id: tidy(self.user_id), email: tidy(self.email).map(|email| email.to_lowercase()) };
        if person.user_id.is_none() && person.email.is_none() { Err(EraseError::Nobody) } else { Ok(person) }
    }

    /// Whether the address stands in a text, as it is or percent-encoded, and not as the end or start of another one.
    pub(crate) fn is_named_in(&self, text: &str) -> bool {
        let Some(email) = &self.email else { return false };
        let stands_in = |text: &str| {
            text.match_indices(email.as_str()).any(|(at, _)| {
                let before = text[..at].chars().next_back();
                let mut after = text[at + email.len()..].chars();
                let (next, second) = (after.next(), after.next());
                let longer_before = before.is_some_and(|c| c.is_alphanumeric() || "._%+-".contains(c));
                let longer_after = match next {
                    Some('.') => second.is_some_and(char::is_alphanumeric),
                    Some(c) => c.is_alphanumeric() || c == '-',
                    None => false,
                };
                !longer_before && !longer_after
            })
        };
        let text = text.to_lowercase();
        stands_in(&text) || (text.contains('%') && stands_in(&percent_decoded(&text)))
    }

    fn is_value_of(&self, column: &str, text: &str) -> bool {
        column == "user_id" && self.user_id.as_deref() == Some(text)
    }

    /// A row is theirs when its id or its address is: then both go.
    fn owns(&self, user_id: Option<&str>, email: Option<&str>) -> bool {
        user_id.is_some_and(|id| self.is_value_of("user_id", id)) || email.is_some_and(|email| self.is_named_in(email))
    }

    /// A body without the person; `None` when they are not in it.
    pub(crate) fn removed_from_body(&self, body: &[u8]) -> Option<String> {
        let mut value: Value = serde_json::from_slice(body).ok()?;
        let mut changed = false;
        if let Value::Object(fields) = &mut value {
            let text = |value: Option<&Value>| match value {
                Some(Value::String(text)) => Some(text.clone()),
                Some(Value::Number(number)) => Some(number.to_string()),
                _ => None,
            };
            let (id, email) = (text(fields.get("user_id")), text(fields.get("user_email")));
            if self.owns(id.as_deref(), email.as_deref()) {
                changed |= fields.remove("user_id").is_some();
                changed |= fields.remove("user_email").is_some();
            }
        }
        changed |= self.remove_from(&mut value);
        changed.then(|| value.to_string())
    }

    /// Takes out every text that names the person, at any depth, and every `user_id` that is theirs.
    fn remove_from(&self, value: &mut Value) -> bool {
        match value {
            Value::Object(fields) => {
                let before = fields.len();
                fields.retain(|name, value| match value {
                    Value::String(text) => !self.is_named_in(text) && !self.is_value_of(name, text),
                    Value::Number(number) => !self.is_value_of(name, &number.to_string()),
                    _ => !self.is_named_in(name),
                });
                let fewer = before != fields.len();
                fields.values_mut().fold(fewer, |changed, value| self.remove_from(value) || changed)
            }
            Value::Array(values) => {
                let before = values.len();
                values.retain(|value| !value.as_str().is_some_and(|text| self.is_named_in(text)));
                let shorter = before != values.len();
                values.iter_mut().fold(shorter, |changed, value| self.remove_from(value) || changed)
            }
            _ => false,
        }
    }

    /// Rows without the person, and how many changed.
    pub(crate) fn removed_from_rows(&self, table: Table, batch: &RecordBatch) -> Result<(RecordBatch, u64), RowsError> {
        let rows = batch.num_rows();
        let texts = |name: &str| batch.column_by_name(name).map(|array| array.as_string::<i32>().clone());
        let (ids, emails) = (texts("user_id"), texts("user_email"));
        let cell = |array: &Option<StringArray>, row: usize| {
            array.as_ref().filter(|array| array.is_valid(row)).map(|array| array.value(row).to_owned())
        };
        let mut hit = vec![false; rows];
        let owned: Vec<bool> =
            (0..rows).map(|row| self.owns(cell(&ids, row).as_deref(), cell(&emails, row).as_deref())).collect();
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
                    let kept = if column.personal && owned[row] {
                        None
                    } else if column.kind == Kind::Json {
                        match self.removed_from_body(text.as_bytes()) {
                            None => Some(text.to_owned()),
                            changed => changed,
                        }
                    } else {
                        Some(text.to_owned()).filter(|text| !self.is_named_in(text))
                    };
                    hit[row] |= kept.as_deref() != Some(text);
                    kept
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

/// Rewrites the files of a lake that name the person.
pub(crate) async fn from_lake(lake: &Lake, person: &Person) -> Result<Erased, EraseError> {
    let fault = |e: &dyn std::fmt::Display| EraseError::Lake(e.to_string());
    let mut erased = Erased::default();
    for table in Table::ALL {
        for date in lake.days(table).await.map_err(|e| fault(&e))? {
            for file in lake.files(table, date).await.map_err(|e| fault(&e))? {
                let bytes = lake.read(&file.path).await.map_err(|e| fault(&e))?;
                let person = person.clone();
                let rewritten = tokio::task::spawn_blocking(move || rewrite(table, bytes, &person))
                    .await
                    .map_err(|e| fault(&e))?
                    .map_err(|e| fault(&e))?;
                if let Some((rows, bytes)) = rewritten {
                    lake.replace(&file.path, bytes.into()).await.map_err(|e| fault(&e))?;
                    erased.rows += rows;
                    erased.files += 1;
                }
            }
        }
    }
    Ok(erased)
}

fn rewrite(table: Table, file: bytes::Bytes, person: &Person) -> Result<Option<(u64, bytes::Bytes)>, RowsError> {
    let mut rows = 0;
    let mut batches = Vec::new();
    for batch in rows::from_parquet(table, file)? {
        let (batch, changed) = person.removed_from_rows(table, &batch)?;
        rows += changed;
        batches.push(batch);
    }
    if rows == 0 { Ok(None) } else { Ok(Some((rows, rows::to_parquet(table, &batches)?))) }
}

#[cfg(test)]
mod tests {
    use uuid::Uuid;

    use super::*;
    use crate::event::QueuedEvent;
    use crate::rows::Rows;

    fn ann() -> Person {
        Person { user_id: Some("7".into()), email: Some(" Ann@Example.com ".into()) }.checked().unwrap()
    }

    #[test]
    fn a_person_is_removed_from_a_body_at_any_depth_and_others_stay() {
        let removed = |body: &str| ann().removed_from_body(body.as_bytes());
        assert_eq!(
            removed(r#"{"event":"e","user_id":7,"user_email":"ann@example.com","trk":"t"}"#).as_deref(),
            Some(r#"{"event":"e","trk":"t"}"#)
        );
        assert_eq!(removed(r#"{"user_id":"7","user_email":"other@x.org"}"#).as_deref(), Some("{}"));
        assert_eq!(
            removed(r#"{"extras":{"to":["ANN@example.com","bo@x.org"],"user_id":7,"n":7}}"#).as_deref(),
            Some(r#"{"extras":{"to":["bo@x.org"],"n":7}}"#)
        );
        assert_eq!(
            removed(r#"{"origin_url":"https://x/verify-email?email=ann%40example.com"}"#).as_deref(),
            Some("{}")
        );
        assert_eq!(removed(r#"{"event":"e","user_id":77,"user_email":"joann@example.com","n":7}"#), None);
        for (text, named) in [
            ("ann@example.com", true),
            ("mailto%3AAnn%40example.com%20", true),
            ("<ann@example.com>.", true),
            ("joann@example.com", false),
            ("ann@example.com.au", false),
            ("ann@example.community", false),
        ] {
            assert_eq!(ann().is_named_in(text), named, "{text}");
        }
    }

    #[test]
    fn a_person_is_removed_from_rows_and_their_number_stays() {
        let mut rows = Rows::new(Table::Event);
        let bodies = [
            r#"{"event":"a","user_id":7,"user_email":"ann@example.com","profile":"p"}"#,
            r#"{"event":"b","user_id":8,"user_email":"bo@example.com","extras":{"by":"ann@example.com","n":1}}"#,
            r#"{"event":"c","user_id":8,"user_email":"bo@example.com"}"#,
        ];
        for (n, body) in bodies.into_iter().enumerate() {
            let id = Uuid::from_u128(n as u128);
            rows.push(&QueuedEvent { id, at_us: 1, received_us: 2, occurred_us: 3, body: body.into() }).unwrap();
        }
        let file = rows::to_parquet(Table::Event, &[rows.finish().unwrap()]).unwrap();
        let (changed, file) = rewrite(Table::Event, file, &ann()).unwrap().unwrap();
        assert_eq!(changed, 2);
        let batch = rows::from_parquet(Table::Event, file.clone()).unwrap().remove(0);
        let cell = |column, row| {
            let array = batch.column_by_name(column).unwrap().as_string::<i32>();
            array.is_valid(row).then(|| array.value(row))
        };
        assert_eq!(batch.num_rows(), 3);
        assert_eq!((cell("user_id", 0), cell("user_email", 0), cell("profile", 0)), (None, None, Some("p")));
        assert_eq!((cell("user_id", 1), cell("extras", 1)), (Some("8"), Some(r#"{"n":1}"#)));
        assert_eq!(cell("user_email", 2), Some("bo@example.com"));
        assert!(rewrite(Table::Event, file, &ann()).unwrap().is_none());
    }

    #[test]
    fn nobody_is_refused() {
        assert!(matches!(Person { user_id: Some(" ".into()), email: None }.checked(), Err(EraseError::Nobody)));
    }
}
