//! Validates a body against the columns of its table, without building a typed value: the queue stores the text as
//! sent.

use std::fmt;
use std::sync::LazyLock;

use serde::de::{DeserializeSeed, Error, IgnoredAny, MapAccess, SeqAccess, Visitor};
use serde::{Deserialize, Deserializer};
use touchline_protocol::analytics::{MAX_FIELD_NAME, MAX_LONG_TEXT, MAX_OTHER_FIELDS, MAX_TEXT};
use touchline_protocol::event_names::{OF_BROWSERS, OF_CHANGES, SEARCHED};

use crate::schema::{self, Column, Kind, Source};
use crate::table::{Priority, Table};

/// Longest viewing time of a heartbeat, in seconds: a day.
const MAX_VIEWING_S: f64 = 86_400.0;
/// Upper limit of all other numbers.
const MAX_NUMBER: f64 = 1_000_000_000.0;

/// Facts about a valid body.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct ValidBody {
    /// Decides how long it is accepted when space is short.
    pub(crate) priority: Priority,
    /// Whether it has a field `channel`, with any value.
    pub(crate) has_channel: bool,
    /// Whether it is a search, whose words are masked.
    pub(crate) is_search: bool,
}

/// Validates a body against its table. The error has no position.
pub(crate) fn check(table: Table, json: &str) -> Result<ValidBody, String> {
    let mut reader = serde_json::Deserializer::from_str(json);
    let checked = Body::of(table).deserialize(&mut reader);
    checked.and_then(|checked| reader.end().map(|()| checked)).map_err(|e| {
        // The position does not help a sender and depends on formatting.
        let text = e.to_string();
        text.split(" at line ").next().unwrap_or_default().chars().take(200).collect()
    })
}

/// Validates the body at the start of `json`. Returns its length in bytes.
pub(crate) fn check_first(table: Table, json: &str) -> serde_json::Result<(ValidBody, usize)> {
    let mut reader = serde_json::Deserializer::from_str(json);
    let checked = Body::of(table).deserialize(&mut reader)?;
    Ok((checked, reader.into_iter::<IgnoredAny>().byte_offset()))
}

/// Column indexes by field name, grouped by the name's length.
struct ColumnIndexes(Vec<Vec<(&'static str, usize)>>);

impl ColumnIndexes {
    fn of(table: Table) -> Self {
        let mut by_length = Vec::new();
        for (index, column) in schema::columns(table).iter().enumerate() {
            if column.source == Source::Body {
                let length = column.name.len();
                by_length.resize_with(by_length.len().max(length + 1), Vec::new);
                by_length[length].push((column.name, index));
            }
        }
        Self(by_length)
    }

    fn get(&self, field: &str) -> Option<usize> {
        self.0.get(field.len())?.iter().find(|(name, _)| *name == field).map(|(_, index)| *index)
    }
}

static COLUMN_INDEXES: LazyLock<[ColumnIndexes; Table::ALL.len()]> =
    LazyLock::new(|| Table::ALL.map(ColumnIndexes::of));

struct Body {
    table: Table,
    columns: &'static [Column],
    indexes: &'static ColumnIndexes,
}

impl Body {
    fn of(table: Table) -> Self {
        Self { table, columns: schema::columns(table), indexes: &COLUMN_INDEXES[table.index()] }
    }
}

impl<'de> DeserializeSeed<'de> for Body {
    type Value = ValidBody;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<ValidBody, D::Error> {
        deserializer.deserialize_map(self)
    }
}

impl<'de> Visitor<'de> for Body {
    type Value = ValidBody;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "a body for {}", self.table.path())
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<ValidBody, A::Error> {
        let mut named = Named { priority: Priority::of(self.table, None), is_search: false };
        let mut seen = 0_u32;
        let mut unknown = 0;
        while let Some(name) = map.next_key_seed(Name(self.indexes))? {
            let Some(index) = name else {
                unknown += 1;
                map.next_value::<Anything>()?;
                continue;
            };
            let column = &self.columns[index];
            if seen & (1 << index) != 0 {
                return Err(A::Error::duplicate_field(column.name));
            }
            seen |= 1 << index;
            match column.kind {
                Kind::Text => {
                    named = map.next_value_seed(Text { table: self.table, column })?.unwrap_or(named);
                }
                Kind::Number => map.next_value_seed(Number { column })?,
                Kind::Json | Kind::Moment | Kind::Integer | Kind::Flag => map.next_value::<Anything>().map(|_| ())?,
            }
        }
        if unknown > MAX_OTHER_FIELDS {
            return Err(A::Error::custom(format_args!("more than {MAX_OTHER_FIELDS} unknown fields")));
        }
        let is_missing = |(index, column): &(usize, &Column)| {
            column.source == Source::Body && column.required && seen & (1 << index) == 0
        };
        match self.columns.iter().enumerate().find(is_missing) {
            Some((_, column)) => Err(A::Error::missing_field(column.name)),
            None => {
                let has_channel = self.indexes.get("channel").is_some_and(|index| seen & (1 << index) != 0);
                let Named { priority, is_search } = named;
                Ok(ValidBody { priority, has_channel, is_search })
            }
        }
    }
}

/// A field name, as its column's index if there is a column.
struct Name(&'static ColumnIndexes);

impl<'de> DeserializeSeed<'de> for Name {
    type Value = Option<usize>;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Self::Value, D::Error> {
        deserializer.deserialize_str(self)
    }
}

impl Visitor<'_> for Name {
    type Value = Option<usize>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a field name")
    }

    fn visit_str<E: Error>(self, name: &str) -> Result<Self::Value, E> {
        if is_longer(name, MAX_FIELD_NAME) {
            return Err(E::custom(format_args!("a field name is longer than {MAX_FIELD_NAME} characters")));
        }
        Ok(self.0.get(name))
    }
}

/// Facts that the name of an event decides.
struct Named {
    priority: Priority,
    is_search: bool,
}

/// Checks that a call may send an event of this name to a table.
fn check_event<E: Error>(table: Table, event: &str) -> Result<(), E> {
    match table {
        Table::Event if OF_CHANGES.contains(&event) => Err(E::custom("only the worker records this event")),
        Table::EventCount if !OF_BROWSERS.contains(&event) => Err(E::custom("this event is not counted")),
        _ => Ok(()),
    }
}

/// A text, or an integer that is read as one.
struct Text {
    table: Table,
    column: &'static Column,
}

impl<'de> DeserializeSeed<'de> for Text {
    type Value = Option<Named>;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Self::Value, D::Error> {
        deserializer.deserialize_any(self)
    }
}

impl Visitor<'_> for Text {
    type Value = Option<Named>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a string or an integer")
    }

    fn visit_str<E: Error>(self, text: &str) -> Result<Self::Value, E> {
        let name = self.column.name;
        let limit = if ["user_agent", "origin_url"].contains(&name) { MAX_LONG_TEXT } else { MAX_TEXT };
        if is_longer(text, limit) {
            return Err(E::custom(format_args!("{name} is longer than {limit} characters")));
        }
        if text.is_empty() && self.column.required {
            return Err(E::custom(format_args!("{name} is empty")));
        }
        if name != "event" {
            return Ok(None);
        }
        check_event(self.table, text)?;
        let is_search = self.table == Table::Event && text == SEARCHED;
        Ok(Some(Named { priority: Priority::of(self.table, Some(text)), is_search }))
    }

    fn visit_u64<E: Error>(self, number: u64) -> Result<Self::Value, E> {
        if self.table == Table::EventCount {
            return Err(E::custom("not a string"));
        }
        i64::try_from(number).map(|_| None).map_err(E::custom)
    }

    fn visit_i64<E: Error>(self, _: i64) -> Result<Self::Value, E> {
        Ok(None)
    }

    fn visit_unit<E: Error>(self) -> Result<Self::Value, E> {
        check_null(self.column).map(|()| None)
    }
}

struct Number {
    column: &'static Column,
}

impl<'de> DeserializeSeed<'de> for Number {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<(), D::Error> {
        deserializer.deserialize_any(self)
    }
}

impl Visitor<'_> for Number {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a number")
    }

    fn visit_f64<E: Error>(self, number: f64) -> Result<(), E> {
        let max = if self.column.unit == "seconds" { MAX_VIEWING_S } else { MAX_NUMBER };
        if (0.0..=max).contains(&number) {
            return Ok(());
        }
        Err(E::custom(format_args!("{} is not between 0 and {max}", self.column.name)))
    }

    #[expect(clippy::cast_precision_loss, reason = "lost precision is far beyond the limit")]
    fn visit_u64<E: Error>(self, number: u64) -> Result<(), E> {
        self.visit_f64(number as f64)
    }

    #[expect(clippy::cast_precision_loss, reason = "lost precision is far beyond the limit")]
    fn visit_i64<E: Error>(self, number: i64) -> Result<(), E> {
        self.visit_f64(number as f64)
    }

    fn visit_unit<E: Error>(self) -> Result<(), E> {
        check_null(self.column)
    }
}

fn check_null<E: Error>(column: &Column) -> Result<(), E> {
    if column.required { Err(E::custom(format_args!("{} is null", column.name))) } else { Ok(()) }
}

/// Whether a text has more than `limit` characters. Counts only if its bytes could exceed it.
fn is_longer(text: &str, limit: usize) -> bool {
    text.len() > limit && text.chars().count() > limit
}

/// Any value. Unlike [`serde::de::IgnoredAny`] it rejects values that are nested too deeply, invalid numbers and
/// invalid strings.
struct Anything;

impl<'de> Deserialize<'de> for Anything {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(Self)
    }
}

impl<'de> Visitor<'de> for Anything {
    type Value = Self;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a value")
    }

    fn visit_bool<E: Error>(self, _: bool) -> Result<Self, E> {
        Ok(self)
    }

    fn visit_i64<E: Error>(self, _: i64) -> Result<Self, E> {
        Ok(self)
    }

    fn visit_u64<E: Error>(self, _: u64) -> Result<Self, E> {
        Ok(self)
    }

    fn visit_f64<E: Error>(self, _: f64) -> Result<Self, E> {
        Ok(self)
    }

    fn visit_str<E: Error>(self, _: &str) -> Result<Self, E> {
        Ok(self)
    }

    fn visit_unit<E: Error>(self) -> Result<Self, E> {
        Ok(self)
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<Self, A::Error> {
        while seq.next_element::<Self>()?.is_some() {}
        Ok(self)
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self, A::Error> {
        while map.next_entry::<Self, Self>()?.is_some() {}
        Ok(self)
    }
}

#[cfg(test)]
mod tests;
